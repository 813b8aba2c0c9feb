/* bench_json ROUNDS: how fast JSON is read, beside cJSON and jsmn, and whether time stays linear on hostile input. Prints
 * "what|figure|goal" lines for tests/bench.sh. The best of ROUNDS counts. */
#include "../answer.c"
#include <cjson/cJSON.h>
#define JSMN_STRICT
#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <jsmn.h>
#pragma GCC diagnostic pop

static struct arena arena, work;
static void full(const char *what) {
	fprintf(stderr, "bench_json: %s\n", what);
	exit(1);
}

static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may use this machine too */
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* About size bytes of output items of the Responses API: messages, calls, encrypted reasoning. */
static struct str items(size_t size) {
	struct buf out = { .arena = &arena };
	buf_add(&out, STR("{\"object\":\"response\",\"status\":\"completed\",\"output\":["));
	for (unsigned k = 0; out.len < size; k++) {
		if (k > 0)
			buf_byte(&out, ',');
		if (k % 3 == 0) {
			json_format(&out, "{'id':'rs_%d','type':'reasoning','summary':[],'encrypted_content':'", (int64_t)k);
			for (unsigned i = 0; i < 1500; i++)
				buf_byte(&out, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[(i * 7 + k * 13) & 63]);
			buf_add(&out, STR("\"}"));
		} else if (k % 3 == 1) {
			json_format(&out, "{'id':'msg_%d','type':'message','role':'assistant','status':'completed','content':[{'type':'output_text','text':%s,"
			    "'annotations':[],'logprobs':[]}]}", (int64_t)k, "The test fails since the last, partial chunk is dropped.\n\n```rust\n    assert_eq!(chunk_count(10, 4), 3);\n"
			    "```\n`len / size` rounds down \xE2\x80\x94 so I round up instead, and run the suite \"again\".\n");
		} else {
			json_format(&out, "{'id':'fc_%d','type':'function_call','status':'completed','call_id':'call_%d','name':'bash','arguments':%s}", (int64_t)k,
			    (int64_t)k, "{\"command\":\"sed -i 's|^    len / size$|    (len + size - 1) / size|' src/lib.rs && cargo test 2>&1 | tail -n 25\"}");
		}
	}
	buf_add(&out, STR("]}"));
	return buf_str(&out);
}

static void read_hsa(struct str text) {
	struct error error;
	arena_reset(&work, 0);
	if (json_read(&work, text, &error) == NULL)
		full(error.text);
}

static void read_cjson(struct str text) {
	cJSON *value = cJSON_ParseWithLength(text.at, text.len);
	if (value == NULL)
		full("cJSON");
	cJSON_Delete(value);
}

static void read_jsmn(struct str text) {
	jsmn_parser parser;
	static jsmntok_t *tokens;
	jsmn_init(&parser);
	int count = jsmn_parse(&parser, text.at, text.len, NULL, 0);
	tokens = realloc(tokens, sizeof *tokens * (size_t)(count > 0 ? count : 1));
	jsmn_init(&parser);
	if (count <= 0 || jsmn_parse(&parser, text.at, text.len, tokens, (unsigned)count) != count)
		full("jsmn");
}

static double best(void (*work_on)(struct str), struct str text, int rounds) {
	double least = 1e9;
	for (int k = 0; k < rounds; k++) {
		double began = seconds();
		work_on(text);
		double took = seconds() - began;
		least = took < least ? took : least;
	}
	return least;
}

/* Hostile inputs: `unit` repeated between head and tail, read as JSON, as events, as an answer, as chunks. */
static int ignore(void *context, struct str type, struct str data, struct error *error) {
	(void)context, (void)type, (void)data, (void)error;
	return 0;
}

static void read_any(struct str text) {
	struct error error;
	arena_reset(&work, 0);
	json_read(&work, text, &error);
}

static void read_events(struct str text) {
	struct sse s = { .arena = &work };
	struct error error;
	arena_reset(&work, 0);
	for (size_t i = 0; i < text.len; i += 16384)
		sse_feed(&s, (struct str){ text.at + i, text.len - i < 16384 ? text.len - i : 16384 }, ignore, NULL, &error);
}

static int answered(void *answer, struct str type, struct str data, struct error *error) {
	(void)type;
	return answer_event(answer, data, error);
}

static void read_answer_as(struct str text, bool chat) {
	struct sse s = { .arena = &work };
	struct error error;
	arena_reset(&work, 0);
	struct answer a = { .arena = &work, .chat = chat };
	sse_feed(&s, text, answered, &a, &error);
}

static void read_answer(struct str text) {
	read_answer_as(text, false);
}

static void read_chat(struct str text) {
	read_answer_as(text, true);
}

static void read_chunks(struct str text) {
	struct http_head h = { .coded = true, .length = -1 };
	static struct http_frame f;
	struct str data;
	for (http_frame_begin(&f, &h); text.len > 0 && http_frame_feed(&f, &text, 16384, &data) == NULL;)
		continue;
}

static void read_head(struct str text) {
	struct http_head h;
	http_head_read((char *)(size_t)text.at, text.len, &h);
}

static struct str repeated(const char *head, const char *unit, const char *tail, size_t count) {
	struct buf out = { .arena = &arena };
	buf_add(&out, str_of(head));
	for (size_t k = 0; k < count; k++)
		buf_add(&out, str_of(unit));
	buf_add(&out, str_of(tail));
	return buf_str(&out);
}

int main(int argc, char **argv) {
	static const struct { const char *name; void (*work_on)(struct str); const char *head, *unit, *tail; } hostile[] = {
		{ "empty arrays", read_any, "[[]", ",[]", "]" }, { "digits", read_any, "1", "1", "" }, { "numbers", read_any, "[1", ",1", "]" },
		{ "escapes", read_any, "\"", "\\u0041", "\"" }, { "backslashes", read_any, "\"", "\\\\", "\"" }, { "a string without an end", read_any, "\"", "a", "" },
		{ "equal names", read_any, "{\"a\":1", ",\"a\":1", "}" }, { "blanks", read_any, "[", " ", "]" }, { "deep arrays", read_any, "", "[", "" },
		{ "UTF-8", read_any, "\"", "\xE2\x82\xAC", "\"" }, { "carriage returns", read_events, "", "\r", "" }, { "lines of one event", read_events, "", "data:\n", "" },
		{ "one line", read_events, "data:", "x", "" }, { "names of events", read_events, "", "event:x\n", "" }, { "comments", read_events, "", ":\n\n", "" },
		{ "small deltas", read_answer, "", "data:{\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n", "" },
		{ "small items", read_answer, "", "data:{\"type\":\"response.output_item.done\",\"item\":{}}\n\n", "" },
		{ "small chat deltas", read_chat, "", "data:{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", "" },
		{ "chat deltas of two calls in turn", read_chat, "", "data:{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n"
		  "data:{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n", "" },
		{ "chunks of one byte", read_chunks, "", "1\r\nx\r\n", "" }, { "header fields", read_head, "HTTP/1.1 200 OK\r\n", "A:\r\n", "\r\n" } };
	int rounds = argc > 1 ? atoi(argv[1]) : 5;
	if (arena_open(&arena, (size_t)1 << 30, full) != 0 || arena_open(&work, (size_t)4 << 30, full) != 0)
		return 1;
	size_t size = rounds > 1 ? 10000000 : 1000000;
	struct str text = items(size);
	double mb = (double)text.len / 1e6, ours = 0, theirs = 0, small = 0;
	ours = mb / best(read_hsa, text, rounds);
	theirs = mb / best(read_cjson, text, rounds);
	small = mb / best(read_jsmn, text, rounds);
	printf("JSON, %.0f MB of Responses output: hsa, cJSON, jsmn (strict)|%.0f, %.0f, %.0f MB/s|ahead of cJSON\n", mb, ours, theirs, small);
	double worst = 0;
	const char *which = "";
	for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
		size_t unit = strlen(hostile[k].unit), count = size / 10 / unit; /* below the limit for values */
		arena_reset(&arena, 0);
		struct str once = repeated(hostile[k].head, hostile[k].unit, hostile[k].tail, count);
		struct str twice = repeated(hostile[k].head, hostile[k].unit, hostile[k].tail, 2 * count);
		double short_time = best(hostile[k].work_on, once, rounds + 2), long_time = best(hostile[k].work_on, twice, rounds + 2);
		if (long_time < 0.0005)
			continue; /* refused at once */
		if (getenv("VERBOSE") != NULL)
			fprintf(stderr, "%-34s %8.2f ms %8.2f ms  %.2f\n", hostile[k].name, short_time * 1e3, long_time * 1e3, long_time / short_time);
		if (long_time / short_time > worst) {
			worst = long_time / short_time;
			which = hostile[k].name;
		}
	}
	printf("time(2n)/time(n), the worst of %zu hostile inputs (%s)|%.2f|2.3\n", sizeof hostile / sizeof *hostile, which, worst);
	return 0;
}
