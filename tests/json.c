/* JSON: the suite's files given as arguments (names begin with y_, n_ or i_), and what the suite does not ask. Every input lies
 * flush against an unmapped page. */
#include "../json.c"
#include <fcntl.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;
static jmp_buf out_of_memory;
static void full(const char *what) {
	(void)what;
	longjmp(out_of_memory, 1);
}

static void check(bool well, const char *name, const char *why) {
	printf(well ? "ok - %s\n" : "FAIL - %s: %s\n", name, why);
}

/* A copy of s whose last byte lies at the end of a page, with nothing mapped behind it. */
static struct str flush(struct str s) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (s.len / page + 1) * page;
	static char *last;
	static size_t last_size;
	if (last != NULL)
		munmap(last, last_size);
	last_size = size + page;
	last = mmap(NULL, last_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
	if (last == MAP_FAILED || mprotect(last + size, page, PROT_NONE) != 0)
		exit(1);
	if (s.len > 0)
		memcpy(last + size - s.len, s.at, s.len);
	return (struct str){ last + size - s.len, s.len };
}

static bool same(const struct json *a, const struct json *b) {
	if (a == NULL || b == NULL)
		return a == b;
	if (a->kind != b->kind || !str_eq(json_decode(&arena, a->key, a->key_escaped), json_decode(&arena, b->key, b->key_escaped)))
		return false;
	if (a->kind == JSON_STRING ? !str_eq(json_text(&arena, a), json_text(&arena, b)) : a->kind == JSON_NUMBER && !str_eq(a->raw, b->raw))
		return false;
	const struct json *x = a->child, *y = b->child;
	for (; x != NULL && y != NULL; x = x->next, y = y->next)
		if (!same(x, y))
			return false;
	return x == y;
}

/* Written anew and read again, the tree is the same, and what is written is read by the strict reader. */
static bool survives(const struct json *value) {
	struct buf text = { .arena = &arena }, again = { .arena = &arena };
	struct error error;
	json_put_value(&text, value);
	const struct json *second = json_read(&arena, buf_str(&text), &error);
	if (second == NULL || !same(value, second))
		return false;
	json_put_value(&again, second);
	return str_eq(buf_str(&text), buf_str(&again));
}

static struct str file_bytes(const char *path) {
	int fd = open(path, O_RDONLY);
	struct buf b = { .arena = &arena };
	ssize_t n;
	while ((n = read(fd, buf_room(&b, 65536), 65536)) > 0)
		b.len += (size_t)n;
	close(fd);
	return buf_str(&b);
}

static void suite(int count, char **paths) {
	int accepted = 0, refused = 0, either = 0;
	char wrong[200] = "";
	for (int k = 0; k < count; k++) {
		const char *slash = strrchr(paths[k], '/'), *name = slash == NULL ? paths[k] : slash + 1;
		struct error error = { 0 };
		arena_reset(&arena, 0);
		struct json *value = json_read(&arena, flush(file_bytes(paths[k])), &error);
		bool well = value != NULL ? survives(value) : error.text[0] != '\0' && error.status == 4;
		*(name[0] == 'y' ? &accepted : name[0] == 'n' ? &refused : &either) += 1;
		if (!well || (name[0] == 'y' && value == NULL) || (name[0] == 'n' && value != NULL))
			snprintf(wrong, sizeof wrong, "%.80s: %.100s", name, value == NULL ? error.text : "accepted");
	}
	char name[200];
	snprintf(name, sizeof name, "JSONTestSuite: %d y_ files parse and survive being written, %d n_ are refused, %d i_ do either", accepted,
	    refused, either);
	check(wrong[0] == '\0', name, wrong);
}

/* What is wrong with a text, by the words of the error; NULL: it parses. */
static void texts(void) {
	static const struct { struct str text; const char *words; } table[] = {
		{ STR(""), "empty" }, { STR(" "), "too early" }, { STR("nul"), "not a value" }, { STR("true false"), "follows" },
		{ STR("\xEF\xBB\xBF{}"), "not a value" }, { STR("{\"a\":1,}"), "name in quotes" }, { STR("[1,]"), "not a value" },
		{ STR("{\"a\" 1}"), "':'" }, { STR("[1 2]"), "','" }, { STR("\"\\x\""), "bad escape" }, { STR("\"\\u12G4\""), "bad escape" },
		{ STR("\"\\u123"), "bad escape" }, { STR("\"a\0b\""), "control" }, { STR("\"a\nb\""), "control" },
		{ STR("\"\xC0\xAF\""), "UTF-8" }, { STR("\"\xED\xA0\x80\""), "UTF-8" }, { STR("\"\xF4\x90\x80\x80\""), "UTF-8" },
		{ STR("\"\xE2\x82"), "UTF-8" }, { STR("\"abc"), "does not end" }, { STR("01"), "bad number" }, { STR("-"), "bad number" },
		{ STR("1."), "bad number" }, { STR("1e+"), "bad number" }, { STR("+1"), "not a value" }, { STR("NaN"), "not a value" },
		{ STR("[\x01]"), "not a value" }, { STR("{\"a\":1"), "','" }, { STR("[[]"), "','" }, { STR("'a'"), "not a value" },
		{ STR("-0"), NULL }, { STR("1E400"), NULL }, { STR(" \t\r\n[]\n"), NULL }, { STR("\"\x7F\""), NULL },
		{ STR("{\"a\":1,\"a\":2}"), NULL } };
	char why[200] = "";
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct error error = { 0 };
		bool parses = json_read(&arena, flush(table[k].text), &error) != NULL;
		if (parses != (table[k].words == NULL) || (!parses && strstr(error.text, table[k].words) == NULL))
			snprintf(why, sizeof why, "%.*s: %.100s", (int)table[k].text.len, table[k].text.at, parses ? "accepted" : error.text);
	}
	check(why[0] == '\0', "each kind of malformed text is named, with its place", why);
}

static void every_prefix(void) {
	struct str text = STR("{\"a\":[1,-2.5e+3,true,false,null,\"\\u00e9\\n\xE2\x82\xAC\"],\"b\":{\"c\":{}}}");
	bool well = true;
	struct error error;
	for (size_t n = 0; n < text.len; n++)
		well = well && json_read(&arena, flush((struct str){ text.at, n }), &error) == NULL;
	check(well && json_read(&arena, flush(text), &error) != NULL, "no proper beginning of an object is a JSON text", "one was accepted");
}

static void depth(void) {
	struct buf text = { .arena = &arena };
	struct error error;
	for (int k = 0; k < JSON_DEPTH_MAX; k++)
		buf_add(&text, k % 2 != 0 ? STR("{\"k\":") : STR("["));
	buf_byte(&text, '1');
	for (int k = JSON_DEPTH_MAX; k-- > 0;)
		buf_byte(&text, k % 2 != 0 ? '}' : ']');
	struct json *value = json_read(&arena, buf_str(&text), &error);
	check(value != NULL && survives(value), "512 levels parse, and survive being written", error.text);
	struct buf more = { .arena = &arena };
	json_format(&more, "[%r]", buf_str(&text));
	bool refused = json_read(&arena, buf_str(&more), &error) == NULL;
	check(refused && strstr(error.text, "depth limit") != NULL, "513 levels are refused by the name of the limit", error.text);
}

static void size(void) {
	struct buf text = { .arena = &arena };
	struct error error;
	for (size_t k = 1; k < JSON_VALUES_MAX; k++)
		buf_add(&text, k == 1 ? STR("[1") : STR(",1"));
	size_t least = text.len;
	buf_byte(&text, ']');
	check(json_read(&arena, buf_str(&text), &error) != NULL, "1,048,576 values parse", error.text);
	text.len = least;
	buf_add(&text, STR(",1]"));
	check(json_read(&arena, buf_str(&text), &error) == NULL && strstr(error.text, "size limit") != NULL, "one more is refused by the name of the limit", error.text);
	arena_reset(&arena, 0);
}

static void decoding(void) {
	static const struct { struct str raw, text; } table[] = {
		{ STR("\"\""), STR("") }, { STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), STR("\"\\/\b\f\n\r\t") }, { STR("\"\\u0000\""), STR("\0") },
		{ STR("\"\\uD83D\\uDE00\""), STR("\xF0\x9F\x98\x80") }, { STR("\"\\uD83D\""), STR("\xEF\xBF\xBD") },
		{ STR("\"\\uDE00x\""), STR("\xEF\xBF\xBDx") }, { STR("\"\\uD83D\\u0041\""), STR("\xEF\xBF\xBD" "A") },
		{ STR("\"\\uD83D\\uD83D\\uDE00\""), STR("\xEF\xBF\xBD\xF0\x9F\x98\x80") },
		{ STR("\"\\u20ac\\u00E9\""), STR("\xE2\x82\xAC\xC3\xA9") }, { STR("\"\\uFFFF\""), STR("\xEF\xBF\xBF") } };
	char why[200] = "";
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct error error;
		struct json *value = json_read(&arena, flush(table[k].raw), &error);
		if (value == NULL || !str_eq(json_text(&arena, value), table[k].text) || !survives(value))
			snprintf(why, sizeof why, "%.*s", (int)table[k].raw.len, table[k].raw.at);
	}
	check(why[0] == '\0', "escapes, surrogate pairs and lone surrogates decode as they should", why);
	check(json_text(&arena, NULL).len == 0 && json_get(NULL, "a") == NULL, "what is not there is the empty string", "it is not");
}

static void members(void) {
	struct error error;
	struct json *value = json_read(&arena, STR("{\"n\":9223372036854775807,\"m\":-5,\"f\":1.5,\"e\":1e2,\"o\":9223372036854775808,"
	    "\"s\":\"7\",\"\\u0061\":1,\"a\":2,\"x\":[1,2]}"), &error);
	check(json_integer(json_get(value, "n"), -1) == INT64_MAX && json_integer(json_get(value, "m"), -1) == -5 &&
	    json_integer(json_get(value, "f"), -1) == -1 && json_integer(json_get(value, "e"), -1) == -1 &&
	    json_integer(json_get(value, "o"), -1) == -1 && json_integer(json_get(value, "s"), -1) == -1 &&
	    json_integer(json_get(value, "none"), -1) == -1, "whole numbers are taken, all else is not", "one is wrong");
	check(json_integer(json_get(value, "a"), 0) == 1, "an escaped name is the name that it means, the first one counts", "it is not");
	check(str_eq(json_get(value, "x")->raw, STR("[1,2]")), "a value knows its own bytes", "it does not");
}

/* Whatever bytes are written as a string: what comes out is strict JSON without control bytes. */
static void writer(void) {
	uint32_t seed = 1;
	bool well = true;
	struct error error;
	for (int round = 0; round < 2000 && well; round++) {
		char bytes[64];
		size_t n = (size_t)round % sizeof bytes, mark = arena.used;
		for (size_t k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			bytes[k] = (char)(seed >> 24 & (round % 3 == 0 ? 0xFF : round % 3 == 1 ? 0x7F : 0xF7));
		}
		struct buf out = { .arena = &arena };
		json_format(&out, "{'k':%S,'n':%d,'b':%b,'z':%s}", (struct str){ bytes, n }, (int64_t)round, round % 2 == 0, "z");
		const struct json *value = json_read(&arena, buf_str(&out), &error);
		well = value != NULL && survives(value) && json_integer(json_get(value, "n"), -1) == round;
		for (size_t k = 0; k < out.len; k++)
			well = well && (unsigned char)out.at[k] >= 0x20;
		arena_reset(&arena, mark);
	}
	check(well, "the writer makes valid JSON of any bytes, without a control byte in it", "it did not");
	struct buf out = { .arena = &arena };
	json_put_string(&out, STR("\xC2\x9B" "31m\xE2\x80\xAE\xC0\xFF\0\x1B"));
	check(str_eq(buf_str(&out), STR("\"\\u009b31m\\u202e\xEF\xBF\xBD\xEF\xBF\xBD\\u0000\\u001b\"")),
	    "C1 controls and overrides are escaped, bad UTF-8 replaced", buf_z(&out));
}

static void memory(void) {
	struct arena small;
	struct error error;
	volatile bool ended = false;
	if (arena_open(&small, ARENA_STEP, full) != 0)
		exit(1);
	struct buf text = { .arena = &arena };
	for (int k = 0; k < 100000; k++)
		buf_add(&text, k == 0 ? STR("[1") : STR(",1"));
	buf_byte(&text, ']');
	if (setjmp(out_of_memory) == 0)
		json_read(&small, buf_str(&text), &error);
	else
		ended = true;
	check(ended, "an arena that is full ends in its handler", "it did not");
	munmap(small.at, small.size);
}

int main(int argc, char **argv) {
	if (arena_open(&arena, (size_t)1 << 30, full) != 0)
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (setjmp(out_of_memory) != 0) {
		check(false, "memory is enough", "the arena is full");
		return 0;
	}
	if (argc > 1)
		suite(argc - 1, argv + 1);
	arena_reset(&arena, 0);
	texts();
	every_prefix();
	depth();
	size();
	decoding();
	members();
	writer();
	memory();
	return 0;
}
