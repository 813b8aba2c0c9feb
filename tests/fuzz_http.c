/* A response: head, then body. A body means the same however it is cut into pieces, and never becomes longer than what came. */
#include "../http.c"

static void full(const char *what) {
	(void)what;
	abort();
}

/* Feeds a body in pieces of step bytes; whether it ended. A body that is wrong gives its data up to there. */
static bool body(const struct http_head *h, struct str in, size_t step, struct buf *out) {
	struct http_frame f;
	http_frame_begin(&f, h);
	while (in.len > 0 && f.step != HTTP_END) {
		struct str piece = { in.at, in.len < step ? in.len : step }, rest = piece, data;
		while (rest.len > 0 && f.step != HTTP_END) {
			if (http_frame_feed(&f, &rest, step + 1, &data) != NULL)
				return false;
			buf_add(out, data);
		}
		in = str_skip(in, piece.len - rest.len);
	}
	return f.step == HTTP_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
	static struct arena arena;
	struct http_head h;
	if (arena.at == NULL && arena_open(&arena, (size_t)1 << 30, full) != 0)
		abort();
	arena_reset(&arena, 0);
	struct str all = { (const char *)bytes, len };
	ptrdiff_t end = str_find(all, STR("\r\n\r\n"));
	size_t head = end < 0 ? len : (size_t)end + 4;
	char *copy = malloc(head + 1); /* exactly as long, for the sanitizer */
	memcpy(copy, bytes, head);
	copy = realloc(copy, head > 0 ? head : 1);
	const char *wrong = http_head_read(copy, head, &h);
	if (wrong == NULL && (h.status < 100 || h.status > 599))
		abort();
	free(copy);
	if (wrong != NULL)
		h = (struct http_head){ .status = 200, .coded = true, .length = -1 };
	struct buf whole = { .arena = &arena }, split = { .arena = &arena };
	struct str rest = wrong != NULL ? all : str_skip(all, head);
	bool ended = body(&h, rest, (size_t)1 << 30, &whole);
	if (body(&h, rest, 1 + len % 7, &split) != ended || !str_eq(buf_str(&whole), buf_str(&split)) || whole.len > rest.len)
		abort();
	return 0;
}
