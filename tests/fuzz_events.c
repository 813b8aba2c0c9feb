/* A stream of events, or one JSON body, in both protocols: the answer is the same however the bytes are cut, what is kept for the
 * next request is JSON, and a failed answer has no calls. */
#include "../answer.c"

static void full(const char *what) {
	(void)what;
	abort();
}

static int event(void *answer, struct str type, struct str data, struct error *error) {
	(void)type;
	return answer_event(answer, data, error);
}

static int feed(struct answer *a, struct str in, size_t step, struct error *error) {
	struct sse s = { .arena = a->arena };
	for (; in.len > 0; in = str_skip(in, in.len < step ? in.len : step))
		if (sse_feed(&s, (struct str){ in.at, in.len < step ? in.len : step }, event, a, error) != 0)
			return -1;
	return answer_end(a, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
	static struct arena arena;
	struct error error = { 0 };
	if (arena.at == NULL && arena_open(&arena, (size_t)1 << 30, full) != 0)
		abort();
	arena_reset(&arena, 0);
	if (len == 0)
		return 0;
	struct str in = { (const char *)bytes + 1, len - 1 }, words, code;
	bool chat = bytes[0] & 1;
	struct answer a = { .arena = &arena, .chat = chat }, b = { .arena = &arena, .chat = chat };
	answer_error_body(&arena, in, &words, &code);
	struct answer_call call = { STR("c"), STR("bash"), in };
	const char *why, *command = answer_command(&arena, &call, &why);
	if ((command == NULL) == (why == NULL) || (command != NULL && (*command == '\0' || strlen(command) > COMMAND_MAX)))
		abort();
	int result = bytes[0] & 2 ? answer_body(&a, in, &error) : feed(&a, in, len, &error);
	if (result != 0 && (error.status != 4 || error.text[0] == '\0'))
		abort();
	if (!(bytes[0] & 2) && (feed(&b, in, 1 + len % 5, &error) != result || b.state != a.state || b.count != a.count ||
	    !str_eq(buf_str(&a.items), buf_str(&b.items)) || !str_eq(a.text, b.text)))
		abort();
	if (result != 0)
		return 0;
	struct buf items = { .arena = &arena };
	json_format(&items, "[%r]", buf_str(&a.items));
	if (json_read(&arena, buf_str(&items), &error) == NULL || (a.count > 0 && (a.state == ANSWER_FAILED || a.state == ANSWER_INCOMPLETE)))
		abort();
	return 0;
}
