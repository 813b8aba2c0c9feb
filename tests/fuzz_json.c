/* JSON: whatever is read can be written and read again, and is then the same. */
#include "../json.c"

static void full(const char *what) {
	(void)what;
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
	static struct arena arena;
	struct error error;
	if (arena.at == NULL && arena_open(&arena, (size_t)1 << 30, full) != 0)
		abort();
	arena_reset(&arena, 0);
	struct str text = { (const char *)bytes, len };
	const struct json *value = json_read(&arena, text, &error);
	struct buf once = { .arena = &arena }, twice = { .arena = &arena }, shown = { .arena = &arena };
	struct cleaner cleaner = { .model = len % 2 == 0 };
	clean(&cleaner, text, true, &shown);
	for (size_t i = 0; i < shown.len;)
		if (utf8_next(buf_str(&shown), &i) == UTF8_BAD)
			abort();
	json_put_string(&once, text);
	if (json_read(&arena, buf_str(&once), &error) == NULL)
		abort();
	if (value == NULL)
		return 0;
	json_get(value, "type");
	json_integer(value, 0);
	once.len = 0;
	json_put_value(&once, value);
	value = json_read(&arena, buf_str(&once), &error);
	if (value == NULL)
		abort();
	json_put_value(&twice, value);
	if (!str_eq(buf_str(&once), buf_str(&twice)))
		abort();
	return 0;
}
