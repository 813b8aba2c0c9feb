/* wire_get URL [--ca FILE] [--proxy URL] [--chat] [--count N] [--body BYTES] [--silence S] [--stop MS] [--load]: posts N times with the
 * wire of hsa, and prints one line for each: how it ended, and what the answer was. --load only loads the roots. */
#include "../answer.c"

static struct arena arena;
static void full(const char *what) {
	printf("memory: %s\n", what);
	exit(5);
}

static int event(void *answer, struct str type, struct str data, struct error *error) {
	(void)type;
	return answer_event(answer, data, error);
}

static const char *results[] = { "ok", "fault", "fatal", "stopped" }, *states[] = { "open", "done", "incomplete", "failed" };

/* Posts once, reads the answer, prints the line. */
static void once(struct http_client *c, bool chat, struct str body) {
	struct error error = { 0 };
	struct http_head h = { 0 };
	struct answer a = { .arena = &arena, .chat = chat };
	struct sse s = { .arena = &arena };
	struct buf whole = { .arena = &arena };
	static char bytes[16384];
	size_t got = 1;
	enum http_result result = http_post(c, "/responses", STR("X-Test: 1\r\n"), body, &h, &error);
	if (result != HTTP_OK) {
		printf("%s: %s\n", results[-result], error.text);
		return;
	}
	int nonsense = 0;
	while (result == HTTP_OK && nonsense == 0 && got > 0) {
		result = http_body(c, bytes, sizeof bytes, &got, &error);
		if (result == HTTP_OK && h.event_stream)
			nonsense = sse_feed(&s, (struct str){ bytes, got }, event, &a, &error);
		else if (result == HTTP_OK)
			buf_add(&whole, (struct str){ bytes, got });
	}
	if (result == HTTP_OK && nonsense == 0)
		nonsense = !h.event_stream && h.json ? answer_body(&a, buf_str(&whole), &error) : answer_end(&a, &error);
	printf("%s%s: %d", results[-result], nonsense ? " nonsense" : "", h.status);
	if (result != HTTP_OK || nonsense)
		printf(" %s\n", error.text);
	else
		printf(" %s text=%.*s calls=%zu retry=%ld should=%d failure=%.*s bytes=%zu type=%s\n", states[a.state], (int)a.text.len, a.text.len == 0 ? "" :
		    a.text.at, a.count, h.retry_after_ms, h.should_retry, (int)a.failure.len, a.failure.len == 0 ? "" : a.failure.at, whole.len, h.type);
}

int main(int argc, char **argv) {
	static struct http_client c = { .wake = -1, .silence = 20 };
	static struct http_anchors anchors;
	static struct http_url proxy;
	struct error error;
	const char *ca = NULL;
	bool chat = false, loads = false;
	long count = 1, size = 2, stop = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2 || arena_open(&arena, (size_t)1 << 30, full) != 0)
		return 2;
	for (int k = 2; k < argc; k++) {
		const char *flag = argv[k];
		chat |= strcmp(flag, "--chat") == 0;
		loads |= strcmp(flag, "--load") == 0;
		if (strcmp(flag, "--chat") == 0 || strcmp(flag, "--load") == 0)
			continue;
		if (++k == argc)
			return 2;
		if (strcmp(flag, "--ca") == 0)
			ca = argv[k];
		else if (strcmp(flag, "--count") == 0)
			count = atol(argv[k]);
		else if (strcmp(flag, "--body") == 0)
			size = atol(argv[k]);
		else if (strcmp(flag, "--silence") == 0)
			c.silence = (unsigned)atol(argv[k]);
		else if (strcmp(flag, "--stop") == 0)
			stop = atol(argv[k]);
		else if (strcmp(flag, "--proxy") != 0 || http_url_read(str_of(argv[k]), true, &proxy, &error) != 0)
			return 2;
		else
			c.proxy = &proxy;
	}
	if (http_url_read(str_of(argv[1]), false, &c.url, &error) != 0 || ((c.url.tls || loads) && http_anchors_load(&arena, ca, &anchors, &error) != 0)) {
		printf("usage: %s\n", error.text);
		return 2;
	}
	if (loads) {
		printf("loaded: %zu\n", anchors.count);
		return 0;
	}
	c.anchors = &anchors;
	int ends[2];
	pid_t finger = -1;
	if (stop > 0 && pipe(ends) == 0) { /* somebody presses Ctrl-C after a while */
		c.wake = ends[0];
		finger = fork();
		if (finger == 0) {
			poll(NULL, 0, (int)stop);
			_exit(write(ends[1], "x", 1) != 1);
		}
	}
	struct buf body = { .arena = &arena };
	memset(buf_room(&body, (size_t)size), ' ', (size_t)size);
	body.len = (size_t)size;
	uint64_t before = http_now();
	for (long k = 0; k < count; k++)
		once(&c, chat, buf_str(&body));
	http_close(&c);
	if (finger > 0)
		waitpid(finger, NULL, 0);
	if (stop > 0)
		printf("%s\n", http_now() - before < 15000 ? "at once" : "late");
	return 0;
}
