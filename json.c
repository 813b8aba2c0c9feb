/* json.c - the ground that every file stands on (bytes, arena, errors, UTF-8), then JSON: reader and writer.
 *
 * Strings are pointer and length. Memory comes from arenas: address space reserved once, committed as it is used and
 * given back as a whole. An arena that is full does not return: its handler ends the run (or, in a test, jumps out). */
#ifndef HSA_JSON_C
#define HSA_JSON_C
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- 1. bytes ---------------------------------------------------------------------------------------------- */

/* Bytes that somebody else owns; not NUL-terminated, may hold NUL. {NULL, 0} is the empty string. */
struct str {
	const char *at;
	size_t len;
};
#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

/* The bytes of a NUL-terminated string; NULL gives the empty string. */
static struct str str_of(const char *z) {
	return (struct str){ z, z == NULL ? 0 : strlen(z) };
}

static bool str_eq(struct str a, struct str b) {
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

/* Whether s begins (ends) with the bytes of part. */
static bool str_starts(struct str s, struct str part) {
	return s.len >= part.len && str_eq((struct str){ s.at, part.len }, part);
}

static bool str_ends(struct str s, struct str part) {
	return s.len >= part.len && str_eq((struct str){ part.len == 0 ? s.at : s.at + (s.len - part.len), part.len }, part);
}

/* s without its first n bytes; n is at most s.len. */
static struct str str_skip(struct str s, size_t n) {
	return (struct str){ n == 0 ? s.at : s.at + n, s.len - n };
}

/* Where part first stands in s, or -1. */
static ptrdiff_t str_find(struct str s, struct str part) {
	const char *hit = part.len == 0 ? s.at : s.len < part.len ? NULL : memmem(s.at, s.len, part.at, part.len);
	return part.len == 0 ? 0 : hit == NULL ? -1 : hit - s.at;
}

/* Takes the next line off *rest, without its "\n"; false at the end. A last line need not end in "\n". */
static bool str_line(struct str *rest, struct str *line) {
	if (rest->len == 0) return false;
	const char *end = memchr(rest->at, '\n', rest->len);
	line->at = rest->at;
	line->len = end == NULL ? rest->len : (size_t)(end - rest->at);
	*rest = str_skip(*rest, end == NULL ? rest->len : line->len + 1);
	return true;
}

/* ---- 2. errors --------------------------------------------------------------------------------------------- */

/* What went wrong, in one line without "hsa: ", and the exit status that it asks for (see hsa.1). */
struct error {
	int status;
	char text[1024];
};

/* Fills *error and returns -1. A format that ends in ':' gets " " and strerror(errno). */
__attribute__((format(printf, 3, 4))) static int error_set(struct error *error, int status, const char *format, ...) {
	int cause = errno;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
	error->status = status;
	size_t used = n < 0 ? 0 : (size_t)n < sizeof error->text ? (size_t)n : sizeof error->text - 1;
	if (used > 0 && error->text[used - 1] == ':')
		snprintf(error->text + used, sizeof error->text - used, " %s", strerror(cause)); /* cut: words only */
	return -1;
}

/* ---- 3. arenas and buffers --------------------------------------------------------------------------------- */

struct arena {
	char *at;
	size_t used, committed, size;
	void (*full)(const char *what); /* must not return; what says in words what there is not enough of */
};

#define ARENA_STEP ((size_t)256 << 10) /* memory is committed in steps of this many bytes */

/* Reserves size bytes of address space. 0, or -1 with errno (mmap(2)). */
static int arena_open(struct arena *arena, size_t size, void (*full)(const char *what)) {
	size = (size + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
	void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
	if (at == MAP_FAILED) return -1;
	*arena = (struct arena){ .at = at, .size = size, .full = full };
	return 0;
}

static _Noreturn void arena_fail(struct arena *arena, const char *what) {
	arena->full(what);
	abort();
}

/* Makes sure that `used` bytes are committed. */
static void arena_commit(struct arena *arena, size_t used) {
	if (used <= arena->committed) return;
	if (used > arena->size) arena_fail(arena, "an arena's limit was reached");
	size_t end = (used + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
	if (mprotect(arena->at + arena->committed, end - arena->committed, PROT_READ | PROT_WRITE) != 0) arena_fail(arena, "out of memory");
	arena->committed = end;
}

/* count objects of size bytes, zeroed, aligned to 16. Never NULL: a full arena calls its handler. */
static void *arena_take(struct arena *arena, size_t size, size_t count) {
	size_t start = (arena->used + 15) & ~(size_t)15;
	if (start > arena->size || (count != 0 && size > (arena->size - start) / count)) arena_fail(arena, "an arena's limit was reached");
	arena_commit(arena, start + size * count);
	arena->used = start + size * count;
	return memset(arena->at + start, 0, size * count);
}

/* Gives back all that was taken since arena->used was mark. What lies more than a step above it goes back to the system. */
static void arena_reset(struct arena *arena, size_t mark) {
	size_t keep = (mark + 2 * ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
	arena->used = mark;
	if (arena->committed > keep && mmap(arena->at + keep, arena->committed - keep, PROT_NONE,
	    MAP_PRIVATE | MAP_ANON | MAP_FIXED, -1, 0) != MAP_FAILED)
		arena->committed = keep;
}

/* A copy of s with a NUL behind it. (A NUL inside s ends what C sees of it: check first where that matters.) */
static char *arena_z(struct arena *arena, struct str s) {
	char *z = arena_take(arena, s.len + 1, 1);
	if (s.len > 0) memcpy(z, s.at, s.len);
	return z;
}

/* Bytes that grow in an arena: in place while they are the last thing taken, else copied as they double. */
struct buf {
	struct arena *arena;
	char *at;
	size_t len, cap;
};

static struct str buf_str(const struct buf *buf) {
	return (struct str){ buf->at, buf->len };
}

/* Room for n more bytes behind buf->len; gives where they go. The caller then raises buf->len. */
static char *buf_room(struct buf *buf, size_t n) {
	struct arena *arena = buf->arena;
	if (buf->cap - buf->len >= n && buf->at != NULL) return buf->at + buf->len;
	bool last = buf->at != NULL && buf->at + buf->cap == arena->at + arena->used;
	size_t start = last ? (size_t)(buf->at - arena->at) : (arena->used + 15) & ~(size_t)15, want = buf->len + n;
	if (want < n || start > arena->size || want > arena->size - start) arena_fail(arena, "an arena's limit was reached");
	size_t more = last ? (want + 4095) & ~(size_t)4095 : want < 2 * buf->cap ? 2 * buf->cap : want < 64 ? 64 : want;
	if (more <= arena->size - start) want = more;
	arena_commit(arena, start + want);
	arena->used = start + want;
	if (!last && buf->len > 0) memcpy(arena->at + start, buf->at, buf->len);
	buf->at = arena->at + start;
	buf->cap = want;
	return buf->at + buf->len;
}

static void buf_add(struct buf *buf, struct str s) {
	if (s.len == 0) return;
	memcpy(buf_room(buf, s.len), s.at, s.len);
	buf->len += s.len;
}

static void buf_byte(struct buf *buf, char c) {
	*buf_room(buf, 1) = c;
	buf->len++;
}

/* The bytes so far with a NUL behind them, which is not counted. */
static char *buf_z(struct buf *buf) {
	*buf_room(buf, 1) = '\0';
	return buf->at;
}

__attribute__((format(printf, 2, 0))) static void buf_vformat(struct buf *buf, const char *format, va_list args) {
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	if (n > 0) buf->len += (size_t)vsnprintf(buf_room(buf, (size_t)n + 1), (size_t)n + 1, format, again);
	va_end(again);
}

__attribute__((format(printf, 2, 3))) static void buf_format(struct buf *buf, const char *format, ...) {
	va_list args;
	va_start(args, format);
	buf_vformat(buf, format, args);
	va_end(args);
}

/* A NUL-terminated string made as by printf(3). */
__attribute__((format(printf, 2, 3))) static char *arena_format(struct arena *arena, const char *format, ...) {
	struct buf buf = { .arena = arena };
	va_list args;
	va_start(args, format);
	buf_vformat(&buf, format, args);
	va_end(args);
	return buf_z(&buf);
}

/* ---- 4. UTF-8 ---------------------------------------------------------------------------------------------- */

/* The code point at s.at[*i]; moves *i behind it. Ill-formed bytes give UTF8_BAD, one for each maximal subpart (Unicode
 * 15, table 3-7 and "U+FFFD Substitution of Maximal Subparts"). *i must be below s.len. */
#define UTF8_BAD 0x110000u
static uint32_t utf8_next(struct str s, size_t *i) {
	const unsigned char *p = (const unsigned char *)s.at;
	unsigned c = p[(*i)++];
	if (c < 0x80) return c;
	if (c < 0xC2 || c > 0xF4) return UTF8_BAD;
	unsigned low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
	unsigned high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
	int more = c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
	uint32_t point = c & (0x3Fu >> more);
	for (; more > 0; more--, low = 0x80, high = 0xBF) {
		if (*i >= s.len || p[*i] < low || p[*i] > high) return UTF8_BAD;
		point = point << 6 | (p[(*i)++] & 0x3F);
	}
	return point;
}

/* Writes one code point as UTF-8; a surrogate or a value above U+10FFFF becomes U+FFFD. Gives the bytes written, at most 4. */
static size_t utf8_put(char *out, uint32_t point) {
	unsigned char *p = (unsigned char *)out;
	if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
	if (point < 0x80) {
		p[0] = (unsigned char)point;
		return 1;
	}
	size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	for (size_t k = n; k-- > 1; point >>= 6) p[k] = (unsigned char)(0x80 | (point & 0x3F));
	p[0] = (unsigned char)((n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0) | point);
	return n;
}

/* Whether a code point is a bidirectional control or a line separator: text that shows in another order than it is read. */
static bool utf8_reverses(uint32_t point) {
	return point == 0x61C || point == 0x200E || point == 0x200F || (point >= 0x2028 && point <= 0x202E) ||
	    (point >= 0x2066 && point <= 0x2069);
}

/* What is foreign (the model, the server, a command, a log) is cleaned before it is shown: escape sequences go, 7-bit and
 * C1 (ECMA-48), ill-formed UTF-8 and what reverses text become U+FFFD, for a terminal other controls go too. */
struct cleaner {
	bool model;             /* for the model's eyes: controls other than escape sequences and NUL stay */
	enum { CLEAN_TEXT, CLEAN_ESC, CLEAN_CSI, CLEAN_STRING, CLEAN_STRING_ESC } state;
	char held[4];           /* the beginning of a character whose end has not come yet */
	size_t nheld;
};

static void clean_point(struct cleaner *c, uint32_t p, struct buf *out) {
	bool string = c->state == CLEAN_STRING || c->state == CLEAN_STRING_ESC;
	if (p == '\n' || (string && p == 7)) { /* a sequence ends with its line at the latest: nothing hides what follows */
		c->state = CLEAN_TEXT;
		if (p == 7) return;
	}
	if (p == 0x1B) {
		c->state = string ? CLEAN_STRING_ESC : CLEAN_ESC;
	} else if (c->state == CLEAN_STRING_ESC) {
		c->state = p == '\\' ? CLEAN_TEXT : CLEAN_STRING;
	} else if (c->state == CLEAN_STRING) {
		c->state = p == 0x9C ? CLEAN_TEXT : CLEAN_STRING;
	} else if (p == 0x9B || (c->state == CLEAN_ESC && p == '[')) {
		c->state = CLEAN_CSI;
	} else if (p == 0x90 || p == 0x98 || (p >= 0x9D && p <= 0x9F) ||
	    (c->state == CLEAN_ESC && (p == ']' || p == 'P' || p == 'X' || p == '^' || p == '_'))) {
		c->state = CLEAN_STRING;
	} else if (c->state == CLEAN_ESC) {
		c->state = p >= 0x20 && p <= 0x2F ? CLEAN_ESC : CLEAN_TEXT;
	} else if (c->state == CLEAN_CSI && p >= 0x20 && p <= 0x7E) {
		c->state = p >= 0x40 ? CLEAN_TEXT : CLEAN_CSI;
	} else {
		c->state = CLEAN_TEXT;
		if (p >= 0x80 && p < 0xA0) return;
		if (!c->model && (p < 0x20 || p == 0x7F) && p != '\n' && p != '\t') return;
		char *room = buf_room(out, 4);
		bool bad = p == 0 || (!c->model && (utf8_reverses(p) || (p >= 0xE0000 && p < 0xE0080)));
		out->len += utf8_put(room, bad ? UTF8_BAD : p);
	}
}

/* Cleans the next piece of a text; a character cut in two is kept until the next piece comes. last: nothing follows. */
static void clean(struct cleaner *c, struct str text, bool last, struct buf *out) {
	while (c->nheld > 0 && text.len > 0) { /* complete the character that was cut, byte by byte */
		c->held[c->nheld++] = *text.at;
		size_t i = 0;
		uint32_t p = utf8_next((struct str){ c->held, c->nheld }, &i);
		if (p != UTF8_BAD || i < c->nheld || c->nheld == 4) {
			clean_point(c, p, out);
			if (i == c->nheld) text = str_skip(text, 1);
			c->nheld = 0;
			break;
		}
		text = str_skip(text, 1);
	}
	for (size_t i = 0; i < text.len;) {
		size_t start = i;
		uint32_t p = utf8_next(text, &i);
		if (p == UTF8_BAD && i == text.len && (unsigned char)text.at[start] >= 0xC2 && (unsigned char)text.at[start] <= 0xF4 && !last) {
			memcpy(c->held, text.at + start, c->nheld = i - start);
			return;
		}
		clean_point(c, p, out);
	}
	if (last && c->nheld > 0) clean_point(c, UTF8_BAD, out);
}

/* ---- 5. JSON: the reader (RFC 8259) ------------------------------------------------------------------------ */

#define JSON_DEPTH_MAX 512                /* arrays and objects inside one another */
#define JSON_VALUES_MAX ((size_t)1 << 20) /* values in one text: 64 bytes of memory each */

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* One value. raw is its text as it stood (a string's with its quotes), key the raw text between the quotes of its name in the
 * object around it. Both point into the text that was read. */
struct json {
	struct str raw, key;
	struct json *next, *child; /* the next in the same array or object; the first inside */
	enum json_kind kind;
	bool escaped, key_escaped; /* whether the string, the key, holds a backslash */
};

struct json_reader {
	struct arena *arena;
	const char *start, *p, *end;
	const char *wrong; /* what is wrong at p; NULL while all is well */
};

static bool json_wrong(struct json_reader *r, const char *what) {
	r->wrong = what;
	return false;
}

static void json_space(struct json_reader *r) {
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t')) r->p++;
}

/* Bytes of a string that need no second look: printable ASCII but quote and backslash. Eight at a time. */
static const char *json_plain(const char *p, const char *end) {
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	for (; end - p >= 8; p += 8) {
		uint64_t w;
		memcpy(&w, p, 8);
		uint64_t quote = w ^ (ones * '"'), back = w ^ (ones * '\\');
		if ((((quote - ones) & ~quote) | ((back - ones) & ~back) | ((w - ones * 0x20) & ~w) | w) & tops) break;
	}
	while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\') p++;
	return p;
}

static int json_hex(const char *p) {
	int value = 0;
	for (int k = 0; k < 4; k++) {
		int c = (unsigned char)p[k];
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
		if (digit < 0) return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* Reads a string whose opening quote is at r->p; *inside gets the raw text between the quotes. */
static bool json_read_string(struct json_reader *r, struct str *inside, bool *escaped) {
	const char *start = ++r->p;
	*escaped = false;
	for (;;) {
		r->p = json_plain(r->p, r->end);
		if (r->p == r->end) return json_wrong(r, "a string does not end");
		unsigned char c = (unsigned char)*r->p;
		if (c == '"') {
			*inside = (struct str){ start, (size_t)(r->p++ - start) };
			return true;
		}
		if (c < 0x20) return json_wrong(r, "a control character in a string");
		if (c >= 0x80) {
			size_t i = 0;
			if (utf8_next((struct str){ r->p, (size_t)(r->end - r->p) }, &i) == UTF8_BAD)
				return json_wrong(r, "invalid UTF-8");
			r->p += i;
			continue;
		}
		*escaped = true;
		size_t left = (size_t)(r->end - r->p);
		if (left >= 6 && r->p[1] == 'u' && json_hex(r->p + 2) >= 0) r->p += 6;
		else if (left >= 2 && r->p[1] != '\0' && strchr("\"\\/bfnrt", r->p[1]) != NULL) r->p += 2;
		else return json_wrong(r, "a bad escape in a string");
	}
}

static bool json_digits(struct json_reader *r) {
	const char *start = r->p;
	while (r->p < r->end && *r->p >= '0' && *r->p <= '9') r->p++;
	return r->p > start;
}

static bool json_read_number(struct json_reader *r) {
	if (*r->p == '-') r->p++;
	bool zero = r->p < r->end && *r->p == '0';
	const char *first = r->p;
	if (!json_digits(r) || (zero && r->p - first > 1)) return json_wrong(r, "a bad number");
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		if (!json_digits(r)) return json_wrong(r, "a bad number");
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-')) r->p++;
		if (!json_digits(r)) return json_wrong(r, "a bad number");
	}
	return true;
}

/* Reads a string, number or word into *value; for '[' and '{' only sets the kind and steps over the bracket. */
static bool json_read_start(struct json_reader *r, struct json *value) {
	static const struct { const char *word; size_t len; enum json_kind kind; } words[] = {
		{ "null", 4, JSON_NULL }, { "true", 4, JSON_TRUE }, { "false", 5, JSON_FALSE } };
	const char *start = r->p;
	struct str inside;
	if (r->p == r->end) return json_wrong(r, "the text ends too early");
	char c = *r->p;
	if (c == '{' || c == '[') {
		value->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
		value->raw.at = r->p++;
		return true;
	}
	if (c == '"') {
		value->kind = JSON_STRING;
		if (!json_read_string(r, &inside, &value->escaped)) return false;
	} else if (c == '-' || (c >= '0' && c <= '9')) {
		value->kind = JSON_NUMBER;
		if (!json_read_number(r)) return false;
	} else {
		size_t k = 0;
		while (k < 3 && !((size_t)(r->end - r->p) >= words[k].len && memcmp(r->p, words[k].word, words[k].len) == 0))
			k++;
		if (k == 3) return json_wrong(r, "not a value");
		value->kind = words[k].kind;
		r->p += words[k].len;
	}
	value->raw = (struct str){ start, (size_t)(r->p - start) };
	return true;
}

/* Reads `"name" :` into value->key. */
static bool json_read_key(struct json_reader *r, struct json *value) {
	if (r->p == r->end || *r->p != '"') return json_wrong(r, "a name in quotes is missing");
	if (!json_read_string(r, &value->key, &value->key_escaped)) return false;
	json_space(r);
	if (r->p == r->end || *r->p != ':') return json_wrong(r, "a ':' is missing");
	r->p++;
	json_space(r);
	return true;
}

/* The value at r->p and all inside it, without recursion. */
static struct json *json_read_value(struct json_reader *r) {
	struct json *open[JSON_DEPTH_MAX], **tail[JSON_DEPTH_MAX], *root = NULL, **link = &root;
	size_t depth = 0;
	for (size_t count = 0;; count++) {
		if (count == JSON_VALUES_MAX) return json_wrong(r, "more than 1,048,576 values (the JSON size limit)"), NULL;
		struct json *value = arena_take(r->arena, sizeof *value, 1);
		*link = value;
		link = &value->next;
		if (depth > 0 && open[depth - 1]->kind == JSON_OBJECT && !json_read_key(r, value)) return NULL;
		if (!json_read_start(r, value)) return NULL;
		bool container = value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
		json_space(r);
		if (container) {
			if (depth == JSON_DEPTH_MAX) return json_wrong(r, "more than 512 levels (the JSON depth limit)"), NULL;
			open[depth] = value;
			tail[depth++] = link;
			link = &value->child;
			if (r->p < r->end && *r->p != (value->kind == JSON_OBJECT ? '}' : ']')) continue;
		}
		while (depth > 0) { /* close what ends here */
			struct json *around = open[depth - 1];
			if (r->p < r->end && *r->p == ',' && around->child != NULL) {
				r->p++;
				json_space(r);
				break;
			}
			if (r->p == r->end || *r->p != (around->kind == JSON_OBJECT ? '}' : ']'))
				return json_wrong(r, "a ',' or a closing bracket is missing"), NULL;
			around->raw.len = (size_t)(++r->p - around->raw.at);
			link = tail[--depth];
			if (depth > 0) json_space(r);
		}
		if (depth == 0) return root;
	}
}

/* Reads one whole JSON text: strict RFC 8259, UTF-8 checked, at most JSON_DEPTH_MAX levels and JSON_VALUES_MAX values.
 * Gives the value, in the arena, or NULL with *error ("... at byte N", status 4). Names may repeat. Time and memory are linear. */
static struct json *json_read(struct arena *arena, struct str text, struct error *error) {
	struct json_reader r = { .arena = arena, .start = text.at, .p = text.at, .end = text.at + text.len };
	if (text.len == 0) {
		error_set(error, 4, "the JSON text is empty");
		return NULL;
	}
	json_space(&r);
	struct json *value = json_read_value(&r);
	if (value != NULL) {
		json_space(&r);
		if (r.p == r.end) return value;
		json_wrong(&r, "something follows the value");
	}
	error_set(error, 4, "%s at byte %td", r.wrong, r.p - r.start);
	return NULL;
}

/* Decodes the raw text between a string's quotes. Without escapes it is the text itself, else a copy in the arena. A lone
 * surrogate becomes U+FFFD. */
static struct str json_decode(struct arena *arena, struct str raw, bool escaped) {
	if (!escaped) return raw;
	char *out = arena_take(arena, raw.len, 1); /* decoded text is never longer */
	size_t n = 0;
	for (size_t i = 0; i < raw.len;) {
		const char *back = memchr(raw.at + i, '\\', raw.len - i);
		size_t plain = back == NULL ? raw.len - i : (size_t)(back - (raw.at + i));
		memcpy(out + n, raw.at + i, plain);
		n += plain;
		i += plain;
		if (back == NULL) break;
		if (raw.at[i + 1] != 'u') {
			static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
			const char *k = strchr(from, raw.at[i + 1]);
			out[n++] = k == NULL ? raw.at[i + 1] : to[k - from];
			i += 2;
			continue;
		}
		uint32_t point = (uint32_t)json_hex(raw.at + i + 2);
		i += 6;
		if (point >= 0xD800 && point < 0xDC00 && raw.len - i >= 6 && raw.at[i] == '\\' && raw.at[i + 1] == 'u') {
			uint32_t low = (uint32_t)json_hex(raw.at + i + 2);
			if (low >= 0xDC00 && low < 0xE000) {
				point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
				i += 6;
			}
		}
		n += utf8_put(out + n, point);
	}
	return (struct str){ out, n };
}

/* A string's decoded text; the empty string for NULL and for any other kind of value. */
static struct str json_text(struct arena *arena, const struct json *value) {
	if (value == NULL || value->kind != JSON_STRING) return (struct str){ NULL, 0 };
	return json_decode(arena, (struct str){ value->raw.at + 1, value->raw.len - 2 }, value->escaped);
}

/* Whether value's name is key. An escaped name is decoded on the spot (names longer than 256 bytes never match then). */
static bool json_key_is(const struct json *value, struct str key) {
	if (!value->key_escaped) return str_eq(value->key, key);
	char space[256];
	if (value->key.len > sizeof space) return false;
	struct arena small = { .at = space, .committed = sizeof space, .size = sizeof space };
	return str_eq(json_decode(&small, value->key, true), key);
}

/* The first member of that name; NULL if there is none or object is NULL or no object. */
static const struct json *json_get(const struct json *object, const char *key) {
	if (object == NULL || object->kind != JSON_OBJECT) return NULL;
	struct str want = str_of(key);
	for (const struct json *member = object->child; member != NULL; member = member->next)
		if (json_key_is(member, want)) return member;
	return NULL;
}

/* The whole number that value is, or otherwise (NULL, no number, a fraction, out of range) instead. */
static int64_t json_integer(const struct json *value, int64_t otherwise) {
	char digits[24];
	if (value == NULL || value->kind != JSON_NUMBER || value->raw.len >= sizeof digits) return otherwise;
	memcpy(digits, value->raw.at, value->raw.len);
	digits[value->raw.len] = '\0';
	char *end;
	errno = 0;
	long long n = strtoll(digits, &end, 10);
	return *end != '\0' || errno != 0 ? otherwise : n;
}

/* ---- 6. JSON: the writer ----------------------------------------------------------------------------------- */

/* Any bytes as a string: always valid UTF-8, ill-formed input becomes U+FFFD. C1 controls and what reverses text are escaped,
 * so that a log may be looked at with cat(1). */
static void json_put_string(struct buf *out, struct str s) {
	buf_byte(out, '"');
	for (size_t i = 0; i < s.len;) {
		size_t plain = (size_t)(json_plain(s.at + i, s.at + s.len) - (s.at + i));
		buf_add(out, (struct str){ s.at + i, plain });
		i += plain;
		if (i == s.len) break;
		uint32_t point = utf8_next(s, &i);
		if (point == '"' || point == '\\') buf_format(out, "\\%c", (int)point);
		else if (point < 0x20 || (point >= 0x80 && point < 0xA0) || utf8_reverses(point))
			buf_format(out, point == '\n' ? "\\n" : point == '\t' ? "\\t" : "\\u%04x", (unsigned)point);
		else {
			char *room = buf_room(out, 4);
			out->len += utf8_put(room, point);
		}
	}
	buf_byte(out, '"');
}

/* Writes JSON as the format says, a ' in it for every ": %s a NUL-terminated string and %S a struct str, both quoted here; %d an
 * int64_t; %b a bool; %r a struct str that is JSON already. Everything else stands as it is. */
static void json_vformat(struct buf *out, const char *format, va_list *args) {
	for (; *format != '\0'; format++) {
		if (*format != '%') {
			buf_byte(out, *format == '\'' ? '"' : *format);
			continue;
		}
		switch (*++format) {
		case 's': json_put_string(out, str_of(va_arg(*args, const char *))); break;
		case 'S': json_put_string(out, va_arg(*args, struct str)); break;
		case 'd': buf_format(out, "%lld", (long long)va_arg(*args, int64_t)); break;
		case 'b': buf_add(out, va_arg(*args, int) ? STR("true") : STR("false")); break;
		case 'r': buf_add(out, va_arg(*args, struct str)); break;
		default: abort();
		}
	}
}

static void json_format(struct buf *out, const char *format, ...) {
	va_list args;
	va_start(args, format);
	json_vformat(out, format, &args);
	va_end(args);
}

/* A value that was read, written anew: its strings decoded and encoded again, no space between. */
static void json_put_value(struct buf *out, const struct json *value) {
	bool object = value->kind == JSON_OBJECT;
	if (value->kind == JSON_STRING) json_put_string(out, json_text(out->arena, value));
	else if (!object && value->kind != JSON_ARRAY) buf_add(out, value->raw);
	else {
		buf_byte(out, object ? '{' : '[');
		for (const struct json *child = value->child; child != NULL; child = child->next) {
			if (child != value->child) buf_byte(out, ',');
			if (object) json_format(out, "%S:", json_decode(out->arena, child->key, child->key_escaped));
			json_put_value(out, child);
		}
		buf_byte(out, object ? '}' : ']');
	}
}
#endif
