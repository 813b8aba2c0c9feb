/* rust.c - Rust tokens (Rust reference, "Lexical structure"; editions 2015 to 2024), as much of items and attributes as
 * the judge asks for, and the words that could make a verdict lie. Any bytes are read in linear time; nothing here fails. */
#ifndef HSA_RUST_C
#define HSA_RUST_C
#include "crate.c"

/* ---- 1. tokens ------------------------------------------------------------------------------------------------- */

enum rust_kind { RUST_IDENT, RUST_LIFETIME, RUST_CHAR, RUST_STRING, RUST_NUMBER, RUST_PUNCT, RUST_DOC, RUST_BAD };

struct rust_token {
	uint32_t at, len, line; /* bytes in the file; line from 1 */
	uint32_t match;         /* of a bracket: its partner's index; itself when it has none */
	uint8_t kind;
	uint8_t idle;           /* 1: a comma or brace that means nothing, 2: a brace where a comma could be */
};
/* Length of the white space at s.at[i] (Pattern_White_Space), 0 if there is none. */
static size_t rust_space(struct str s, size_t i) {
	const unsigned char *p = (const unsigned char *)s.at + i;
	if (*p == ' ' || (*p >= 9 && *p <= 13)) return 1;
	if (*p == 0xC2 && s.len - i >= 2 && p[1] == 0x85) return 2;
	return *p == 0xE2 && s.len - i >= 3 && p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F || p[2] == 0xA8 || p[2] == 0xA9) ?
	    3 : 0;
}
/* Where the letters, digits and _ that begin at i end. Beyond ASCII everything but white space counts as a letter. */
static size_t rust_ident(struct str s, size_t i) {
	while (i < s.len) {
		unsigned char c = (unsigned char)s.at[i];
		size_t next = i;
		if (c >= 0x80 ? rust_space(s, i) > 0 || utf8_next(s, &next) == UTF8_BAD
		              : !(c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'))) break;
		i = c < 0x80 ? i + 1 : next;
	}
	return i;
}
static bool rust_digit(struct str s, size_t i) {
	return i < s.len && s.at[i] >= '0' && s.at[i] <= '9';
}
static size_t rust_number(struct str s, size_t i) {
	size_t end = i + 1, sign;
	bool based = s.at[i] == '0' && end < s.len && memchr("xob", s.at[end], 3) != NULL, hex = based && s.at[end] == 'x';
	for (end += based; rust_digit(s, end) || (end < s.len && (s.at[end] == '_' ||
	    (hex && (s.at[end] | 32) >= 'a' && (s.at[end] | 32) <= 'f')));) end++;
	if (end < s.len && s.at[end] == '.' && (end + 1 == s.len ||
	    (s.at[end + 1] != '.' && (rust_digit(s, end + 1) || rust_ident(s, end + 1) == end + 1))))
		for (end++; rust_digit(s, end) || (end < s.len && s.at[end] == '_' && rust_digit(s, end - 1));) end++;
	if (end < s.len && (s.at[end] | 32) == 'e' && end + 1 < s.len && (s.at[end + 1] == '+' || s.at[end + 1] == '-')) {
		for (sign = end + 2; sign < s.len && s.at[sign] == '_';) sign++;
		if (rust_digit(s, sign)) return rust_ident(s, sign);
	}
	return rust_ident(s, end);
}
/* Behind the quoted text whose opening quote is at i; 0 when it does not end. */
static size_t rust_quoted(struct str s, size_t i) {
	for (size_t k = i + 1; k < s.len; k++) {
		if (s.at[k] == s.at[i]) return k + 1;
		k += s.at[k] == '\\';
	}
	return 0;
}
/* Behind the raw string whose hashes begin at i; 0 when it does not end, i when it is none. */
static size_t rust_raw(struct str s, size_t i) {
	size_t n = 0, k = 0;
	while (i + n < s.len && s.at[i + n] == '#') n++;
	if (i + n == s.len || s.at[i + n] != '"') return i;
	for (const char *p = s.at + i + n + 1, *end = s.at + s.len; (p = memchr(p, '"', (size_t)(end - p))) != NULL;) {
		for (p++, k = 0; k < n && p + k < end && p[k] == '#';) k++;
		if (k == n) return (size_t)(p - s.at) + n;
	}
	return 0;
}
/* Behind the character or lifetime whose quote is at i; 0 when it is neither. */
static size_t rust_quote(struct str s, size_t i, enum rust_kind *kind) {
	size_t next = i + 1, end = rust_ident(s, next);
	*kind = RUST_CHAR;
	if (next == s.len || s.at[next] == '\'') return 0;
	if (s.at[next] == '\\') return rust_quoted(s, i);
	uint32_t point = utf8_next(s, &next);
	if (next < s.len && s.at[next] == '\'' && point != '\n') return next + 1;
	if (end == i + 1 || rust_digit(s, i + 1)) return 0;
	*kind = RUST_LIFETIME;
	bool raw = end == i + 2 && s.at[i + 1] == 'r' && end < s.len && s.at[end] == '#';
	return raw && rust_ident(s, end + 1) > end + 1 ? rust_ident(s, end + 1) : end;
}
/* Behind the comment at i (0: it does not end); *kind is RUST_DOC when it is documentation, else RUST_BAD. */
static size_t rust_comment(struct str s, size_t i, enum rust_kind *kind) {
	char a = i + 2 < s.len ? s.at[i + 2] : '\0', b = i + 3 < s.len ? s.at[i + 3] : '\0';
	size_t depth = 0;
	if (s.at[i + 1] == '/') {
		const char *end = memchr(s.at + i, '\n', s.len - i);
		*kind = a == '!' || (a == '/' && b != '/') ? RUST_DOC : RUST_BAD;
		return end == NULL ? s.len : (size_t)(end - s.at);
	}
	*kind = a == '!' || (a == '*' && b != '*' && b != '/') ? RUST_DOC : RUST_BAD;
	for (; i + 1 < s.len; i++) {
		bool open = s.at[i] == '/' && s.at[i + 1] == '*', close = s.at[i] == '*' && s.at[i + 1] == '/';
		depth += open, depth -= close, i += open || close;
		if (depth == 0) return i + 1;
	}
	return 0;
}
/* Behind a string or character with a prefix, or a raw identifier, whose prefix is [i, end); i when it is none of
 * these. */
static size_t rust_prefixed(struct str s, size_t i, size_t end, enum rust_kind *kind) {
	struct str prefix = str_cut(s, i, end);
	size_t q = SIZE_MAX;
	if (s.at[end] == '\'' && str_eq(prefix, STR("b")))
		q = rust_quote(s, end, kind), *kind = RUST_CHAR;
	else if (s.at[end] == '"' && verdict_word(" b c ", prefix))
		q = rust_quoted(s, end), *kind = RUST_STRING;
	else if (s.at[end] != '\'' && verdict_word(" r br cr ", prefix) && rust_raw(s, end) != end)
		q = rust_raw(s, end), *kind = RUST_STRING;
	else if (s.at[end] == '#' && str_eq(prefix, STR("r")) && rust_ident(s, end + 1) > end + 1) {
		*kind = RUST_IDENT;
		return rust_ident(s, end + 1);
	}
	if (q == 0) *kind = RUST_BAD;
	return q == SIZE_MAX ? i : q == 0 ? s.len : rust_ident(s, q); /* a suffix belongs to the literal */
}
/* Behind the token at i, which is no white space. ">" is never joined with ">": it closes generics. */
static size_t rust_token(struct str s, size_t i, enum rust_kind *kind) {
	static const char joined[] = " <<= ... ..= :: -> => == != <= >= += -= *= /= %= ^= &= |= && || << .. ";
	char c = s.at[i];
	size_t end = rust_ident(s, i), q = i;
	*kind = RUST_NUMBER;
	if (rust_digit(s, i)) return rust_number(s, i);
	if (end > i && end - i <= 2 && end < s.len && memchr("\"'#", s.at[end], 3) != NULL) q = rust_prefixed(s, i, end, kind);
	if (q != i) return q;
	*kind = RUST_IDENT;
	if (end > i) return end;
	*kind = RUST_STRING;
	if (c == '"' || c == '\'') end = c == '"' ? rust_quoted(s, i) : rust_quote(s, i, kind);
	if (end > i) return rust_ident(s, end);
	*kind = c < 0x20 || c > 0x7E || strchr("\"'\\`", c) != NULL ? RUST_BAD : RUST_PUNCT;
	for (size_t n = i + 1 < s.len && memchr("=&|:.><", s.at[i + 1], 7) != NULL ? 3 : 0; *kind == RUST_PUNCT && n > 1; n--)
		if (s.len - i >= n && verdict_word(joined, str_cut(s, i, i + n))) return i + n;
	return c == '"' ? s.len : i + 1;
}
/* Whether the '(' at k can begin no tuple: a name stands before it, which is called or declared. */
static bool rust_calls(struct str s, const struct rust_token *t, size_t k) {
	k -= k > 1 && s.at[t[k - 1].at] == '!' && t[k - 1].len == 1;
	return k > 0 && t[k - 1].kind == RUST_IDENT && !verdict_word(" in return match if while else break move mut ref as dyn for where "
	    "yield let impl const static unsafe box become pub async ", str_cut(s, t[k - 1].at, t[k - 1].at + t[k - 1].len));
}
/* Braces of `=> { expression }` and `|x| { expression }`, and commas behind arms in braces, are idle where nothing else could be meant. */
static void rust_braces(struct str s, struct rust_token *t, size_t count, size_t k) {
	size_t close = t[k].match, n = k + 1;
	char next = close + 1 < count && t[close + 1].len == 1 ? s.at[t[close + 1].at] : '(';
	bool closure = verdict_word(" | || ", str_cut(s, t[k - 1].at, t[k - 1].at + t[k - 1].len));
	if (close <= n || !(closure ? strchr("),;}", next) != NULL : str_starts(str_skip(s, t[k - 1].at), STR("=>")))) return;
	bool plain = !verdict_word(" if match loop while for unsafe async const { ", str_cut(s, t[n].at, t[n].at + t[n].len));
	for (; n < close && plain; n = t[n].match > n ? t[n].match + 1 : n + 1)
		plain = !verdict_word(" ; , : $ => # ", str_cut(s, t[n].at, t[n].at + t[n].len)) && !(s.at[t[n].at] == '!' && s.at[t[n + 1].at] == '{');
	if (plain) t[k].idle = 1, t[close].idle = closure || next == ',' || next == '}' ? 1 : 2;
	else if (next == ',') t[close + 1].idle = 1;
}
/* Pairs the brackets, and marks commas before a closing one as idle, unless they make a tuple of one. */
static void rust_pair(struct arena *arena, struct str s, struct rust_token *t, size_t count) {
	size_t mark = arena->used, depth = 0;
	struct { uint32_t at, commas; } *open = arena_take(arena, sizeof *open, count + 1);
	for (size_t k = 0; k < count; k++) {
		char c = t[k].kind == RUST_PUNCT && t[k].len == 1 ? s.at[t[k].at] : '\0', o = depth > 0 ?
		    s.at[t[open[depth - 1].at].at] : '\0';
		t[k].match = (uint32_t)k;
		if (c == '(' || c == '[' || c == '{')
			open[depth].at = (uint32_t)k, open[depth++].commas = 0;
		else if (c == ',' && depth > 0)
			open[depth - 1].commas++;
		else if (depth > 0 && ((c == ')' && o == '(') || (c == ']' && o == '[') || (c == '}' && o == '{'))) {
			t[k].match = open[--depth].at;
			t[t[k].match].match = (uint32_t)k;
			t[k - 1].idle = t[k - 1].len == 1 && s.at[t[k - 1].at] == ',' && (c != ')' || open[depth].commas > 1 || rust_calls(s, t, t[k].match));
		}
	}
	for (size_t k = 1; k < count; k++) if (t[k].match > k && s.at[t[k].at] == '{') rust_braces(s, t, count, k);
	arena_reset(arena, mark);
}
/* Whether the "#!" at i begins an attribute, so that the line is no shebang: the next token is "[". */
static bool rust_inner(struct str s, size_t i) {
	enum rust_kind kind = RUST_BAD;
	for (size_t n = 0; i < s.len; i = n) {
		bool comment = s.at[i] == '/' && i + 1 < s.len && (s.at[i + 1] == '/' || s.at[i + 1] == '*');
		n = i + rust_space(s, i);
		if (n == i && (!comment || (n = rust_comment(s, i, &kind)) == 0 || kind == RUST_DOC)) return s.at[i] == '[';
	}
	return false;
}
/* The tokens of any bytes, in linear time and memory. Comments and white space are left out, documentation is kept. */
static struct rust_token *rust_lex(struct arena *arena, struct str s, size_t *count) {
	struct buf out = { .arena = arena };
	uint32_t line = 1;
	size_t i = str_starts(s, STR("\xEF\xBB\xBF")) ? 3 : 0, counted = 0, end;
	if (str_starts(str_skip(s, i), STR("#!")) && !rust_inner(s, i + 2))
		while (i < s.len && s.at[i] != '\n') i++;
	for (; i < s.len; i = end) {
		enum rust_kind kind = RUST_BAD;
		end = i + rust_space(s, i);
		if (end > i) continue;
		bool comment = s.at[i] == '/' && i + 1 < s.len && (s.at[i + 1] == '/' || s.at[i + 1] == '*');
		end = comment ? rust_comment(s, i, &kind) : rust_token(s, i, &kind);
		if (comment && end > 0 && kind != RUST_DOC) continue;
		if (end == 0) end = s.len, kind = RUST_BAD;
		for (const char *p; (p = memchr(s.at + counted, '\n', i - counted)) != NULL; line++) counted = (size_t)(p - s.at) + 1;
		counted = i;
		struct rust_token token = { (uint32_t)i, (uint32_t)(end - i), line, 0, (uint8_t)kind, 0 };
		verdict_push(&out, &token, sizeof token);
	}
	*count = COUNT(struct rust_token, out);
	rust_pair(arena, s, ITEMS(struct rust_token, out), *count);
	return ITEMS(struct rust_token, out);
}

/* ---- 2. attributes and items ----------------------------------------------------------------------------------- */

enum { ATTR_NEUTRAL = 1, ATTR_TEST = 2, ATTR_CFG_TEST = 4, ATTR_CFG = 8 };

struct rust_item {
	size_t head, body, end; /* tokens: behind the attributes; the '{' (or end); behind it */
	char kind;              /* as of a unit; m module; 0 none */
	unsigned flags;
	struct str name, path;  /* path: of #[path] */
};
static struct str rust_text(const struct verdict_file *f, size_t k) {
	return k < f->count ? (struct str){ f->bytes.at + f->tokens[k].at, f->tokens[k].len } : (struct str){ "", 0 };
}
static inline bool rust_is(const struct verdict_file *f, size_t k, const char *text) {
	return k < f->count && f->bytes.at[f->tokens[k].at] == *text && str_eq(rust_text(f, k), str_of(text));
}
/* Whether k opens a bracket that is closed before end. */
static bool rust_opens(const struct verdict_file *f, size_t k, size_t end) {
	return k < end && f->tokens[k].match > k && f->tokens[k].match < end;
}
/* An identifier without r#; empty for anything else. */
static struct str rust_name(const struct verdict_file *f, size_t k) {
	struct str text = rust_text(f, k);
	if (k >= f->count || f->tokens[k].kind != RUST_IDENT) return (struct str){ "", 0 };
	return str_starts(text, STR("r#")) ? str_skip(text, 2) : text;
}
/* What lies between the quotes of a string, escapes as they are; empty for anything else. */
static struct str rust_string(const struct verdict_file *f, size_t k) {
	struct str s = rust_text(f, k);
	ptrdiff_t open = k < f->count && f->tokens[k].kind == RUST_STRING ? str_find(s, STR("\"")) : -1;
	while (open >= 0 && s.at[s.len - 1] != '"') s.len--;
	return open < 0 ? (struct str){ "", 0 } : str_cut(s, (size_t)open + 1, s.len - 1);
}
/* Where the bracket of the attribute is that begins at k (inner: with "!"), or 0. */
static size_t rust_attribute_at(const struct verdict_file *f, size_t k, size_t end) {
	size_t open = k + 1 + rust_is(f, k + 1, "!");
	return rust_is(f, k, "#") && rust_is(f, open, "[") && rust_opens(f, open, end) ? open : 0;
}
/* What the attribute does whose bracket is `open`. */
static unsigned rust_attribute(const struct verdict_file *f, size_t open, struct str *path) {
	static const char neutral[] = " allow warn deny expect forbid doc must_use inline cold rustfmt clippy track_caller "
	    "recursion_limit type_length_limit no_std ";
	static const char makers[] = " bench rstest quickcheck proptest case parameterized test_case ";
	size_t close = f->tokens[open].match, last = open + 1;
	bool test = false, negated = false, other = false;
	struct str first = rust_name(f, last);
	if (str_eq(first, STR("cfg_attr")) && rust_is(f, open + 3, "docsrs") && rust_is(f, open + 4, ",")) return ATTR_NEUTRAL;
	if (!verdict_word(" cfg cfg_attr doc ", first) && verdict_word(neutral, first)) return ATTR_NEUTRAL;
	if (str_eq(first, STR("macro_use")) && !rust_is(f, close + 1, "extern")) return ATTR_NEUTRAL;
	for (size_t k = open + 2; k < close; k++) {
		struct str name = rust_name(f, k);
		test |= str_eq(name, STR("test")), negated |= str_eq(name, STR("not")), other |= name.len > 0 &&
		    !str_eq(name, STR("test"));
	}
	if (str_eq(first, STR("doc"))) return test ? 0 : ATTR_NEUTRAL;
	if (str_eq(first, STR("path"))) *path = rust_string(f, open + 3);
	if (str_eq(first, STR("cfg"))) return test && !negated ? ATTR_CFG_TEST | (other ? ATTR_CFG : 0u) : ATTR_CFG;
	if (str_eq(first, STR("cfg_attr"))) return ATTR_CFG | (test ? ATTR_TEST : 0u);
	while (rust_is(f, last + 1, "::") && last + 2 < close) last += 2;
	struct str name = rust_name(f, last);
	return str_eq(name, STR("test")) ? ATTR_TEST : str_ends(name, STR("test")) || verdict_word(makers, name) ?
	    ATTR_TEST | ATTR_CFG : 0;
}
/* Where the item at k ends: behind ";", or (brace) behind the first group in braces, whose '{' goes to *body. */
static size_t rust_item_end(const struct verdict_file *f, size_t k, size_t end, bool brace, size_t *body) {
	for (; k < end; k = rust_opens(f, k, end) ? f->tokens[k].match + 1 : k + 1) {
		if (rust_is(f, k, ";")) return k + 1;
		if (brace && rust_is(f, k, "{")) {
			*body = k;
			return rust_opens(f, k, end) ? f->tokens[k].match + 1 : end;
		}
	}
	return end;
}
/* The name of the type that an impl is for, or of a trait, without generics. */
static struct str rust_impl(const struct verdict_file *f, const struct rust_item *item) {
	struct str name = { "", 0 };
	size_t depth = 0;
	for (size_t k = item->head; k < item->body; k++) {
		if (rust_is(f, k, "<") || rust_is(f, k, "(") || rust_is(f, k, "["))
			depth++;
		else if (rust_is(f, k, ">") || rust_is(f, k, ")") || rust_is(f, k, "]"))
			depth -= depth > 0;
		else if (depth == 0 && (rust_is(f, k, "where") || (rust_is(f, k, ":") && name.len > 0)))
			break;
		else if (depth == 0 && rust_is(f, k, "for"))
			name.len = 0;
		else if (depth == 0 && !verdict_word(" pub unsafe impl trait default auto dyn mut const ", rust_text(f, k)) &&
		    (name.len == 0 || rust_is(f, k - 1, "::")) && rust_name(f, k).len > 0)
			name = rust_name(f, k);
	}
	return name;
}
/* Reads the item at `at`, its attributes first. */
static void rust_item(const struct verdict_file *f, size_t at, size_t end, struct rust_item *item) {
	static const struct { char kind; const char *words; } kinds[] = { { 'm', " mod " }, { 'f', " fn " }, { 'u', " use " },
	    { 'M', " macro " },
		{ 'i', " impl trait " }, { 'o', " struct enum union type static const " } };
	*item = (struct rust_item){ .name = { "", 0 } };
	size_t k = at, open = 0;
	for (; k < end && (f->tokens[k].kind == RUST_DOC || (open = rust_attribute_at(f, k, end)) > 0); k++)
		if (f->tokens[k].kind != RUST_DOC) item->flags |= rust_attribute(f, open, &item->path), k = f->tokens[open].match;
	item->head = k;
	/* what may stand before the word that tells */
	for (; k < end; k = rust_opens(f, k, end) ? f->tokens[k].match + 1 : k + 1) {
		bool next = verdict_word(" fn unsafe async extern ", rust_text(f, k + 1)) || (rust_is(f, k, "extern") &&
		    rust_is(f, k + 2, "fn"));
		if (!(verdict_word(" pub default unsafe async safe auto ", rust_text(f, k)) ||
		    (next && verdict_word(" const extern ", rust_text(f, k))) ||
		    (k > at && rust_is(f, k, "(") && rust_is(f, k - 1, "pub")) || (k > at && rust_is(f, k - 1, "extern") &&
		    rust_is(f, k + 1, "fn")))) break;
	}
	struct str word = rust_text(f, k);
	size_t path = k, name = k + 1;
	bool bang = rust_is(f, k + 1, "!"), ended = rust_is(f, k, "extern") && rust_is(f, k + 1, "crate");
	for (size_t n = 0; n < sizeof kinds / sizeof *kinds && k < end && !bang; n++)
		if (verdict_word(kinds[n].words, word)) item->kind = kinds[n].kind;
	while (rust_name(f, path).len > 0 && rust_is(f, path + 1, "::")) path += 2;
	if (rust_is(f, k, "extern"))
		item->kind = ended ? 'o' : 'i', name += ended;
	else if (bang && rust_is(f, k, "macro_rules"))
		item->kind = 'M', name = k + 2;
	else if (item->kind == 0 && k < end && rust_name(f, path).len > 0 && rust_is(f, path + 1, "!"))
		item->kind = '!', name = path;
	name += rust_is(f, name, "mut");
	item->name = item->kind == 'f' ? rust_text(f, name) : rust_name(f, name);
	item->body = end;
	item->end = item->kind != 0 ? rust_item_end(f, k, end, !verdict_word(" use type static const ", word) && !ended,
	    &item->body) :
	    rust_opens(f, k, end) ? f->tokens[k].match + 1 : k < end ? k + 1 : end;
	item->body = item->body > item->end ? item->end : item->body;
}

/* Hashes tokens: no documentation, no idle commas, no attributes that do nothing. */
static uint64_t rust_hash(const struct verdict *v, const struct verdict_file *f, size_t from, size_t to, uint64_t h) {
	struct str path;
	for (size_t k = from; k < to; k++) {
		size_t open = rust_attribute_at(f, k, to);
		if (open > 0 && rust_attribute(f, open, &path) == ATTR_NEUTRAL)
			k = f->tokens[open].match;
		else if (f->tokens[k].kind != RUST_DOC && f->tokens[k].idle != 1)
			h = verdict_mix(v, h + f->tokens[k].kind, f->tokens[k].idle == 2 ? STR(",") : rust_text(f, k));
	}
	return h;
}

/* ---- 3. what a place in the sources means ------------------------------------------------------------------------ */

/* Whether the cfg at k makes code differ under test, and does not just open a module of tests, or a test. */
static bool rust_cfg(const struct verdict_file *f, size_t k) {
	size_t open = k + 1 + rust_is(f, k + 1, "!"), close, bracket;
	bool differs = false, plain = rust_is(f, k, "cfg") && open == k + 1 && k > 1 && rust_is(f, k - 1, "[");
	struct str path;
	if (!(rust_is(f, open, "(") || rust_is(f, open, "{")) || !rust_opens(f, open, f->count)) return false;
	close = f->tokens[open].match;
	for (size_t n = open; n < close; n++) {
		differs |= verdict_word(" test debug_assertions doctest miri overflow_checks ", rust_name(f, n)) || rust_is(f, n, "$");
		plain &= !rust_is(f, n, "not") && !rust_is(f, n, "$");
	}
	if (!differs || !plain) return differs;
	if (k == 3 && rust_is(f, 1, "!")) return false; /* at the top of a file: as on its module */
	for (size_t n = close + 2; n < f->count; n++) { /* behind the attribute */
		if ((bracket = rust_attribute_at(f, n, f->count)) > 0) {
			if ((rust_attribute(f, bracket, &path) & ATTR_TEST) != 0) return false;
			if (rust_is(f, bracket + 1, "macro_use")) return true;
			n = f->tokens[bracket].match;
		} else if (rust_is(f, n, "pub") && rust_is(f, n + 1, "("))
			n = f->tokens[n + 1].match;
		else if (!rust_is(f, n, "pub") && f->tokens[n].kind != RUST_DOC)
			return !rust_is(f, n, "mod");
	}
	return true;
}
/* Whether a file is of programs only. What no target reaches is taken by its place. */
static bool rust_program(const struct verdict_file *f) {
	return !f->library && (f->reached || str_eq(str_basename(f->path), STR("main.rs")) ||
	    str_find(f->path, STR("src/bin/")) >= 0 || str_find(f->path, STR("examples/")) >= 0 ||
	    str_find(f->path, STR("benches/")) >= 0);
}
/* Whether the string at k names a source that is looked at as part of a library. */
static bool rust_followed(const struct verdict_file *f, size_t k) {
	static const char *const programs[] = { "examples/", "benches/", "bin/", "main.rs" };
	bool good = str_ends(rust_string(f, k), STR(".rs"));
	for (size_t n = 0; n < sizeof programs / sizeof *programs; n++)
		good &= str_find(rust_string(f, k), str_of(programs[n])) < 0 || rust_program(f);
	return good;
}
/* Whether the tokens from k to `to` hold the word. */
static bool rust_holds(const struct verdict_file *f, size_t k, size_t to, const char *word) {
	while (k < to && !rust_is(f, k, word)) k++;
	return k < to;
}
/* Whether the assertion for debug builds whose name is at k changes something: without it the code is another. */
static bool rust_acts(const struct verdict_file *f, size_t k) {
	static const char changes[] = " = += -= *= /= %= ^= &= |= <<= ", methods[] = " set store swap replace push insert pop remove take "
	    "fetch_add get_or_init write send ";
	if (!rust_is(f, k + 1, "!") || !rust_opens(f, k + 2, f->count)) return false;
	for (size_t n = k + 2; n < f->tokens[k + 2].match; n++)
		if (verdict_word(changes, rust_text(f, n)) || (rust_is(f, n, ".") && verdict_word(methods, rust_name(f, n + 1)))) return true;
	return false;
}
/* Of `impl TRAIT for TYPE` at k where the trait's name is, and in *type where the name of the type; 0: it is none. The
 * type's place is that of another token when it has no name. */
static size_t rust_impl_at(const struct verdict_file *f, size_t k, size_t *type) {
	size_t depth = 0, trait = 0;
	if (!rust_is(f, k, "impl") || (k > 0 && f->tokens[k - 1].kind != RUST_DOC &&
	    !verdict_word(" ; } { ] unsafe ", rust_text(f, k - 1)))) return 0;
	for (size_t n = k + 1; n < f->count && n < k + 256 && !rust_is(f, n, "{") && !rust_is(f, n, ";"); n++) {
		if (depth == 0 && rust_is(f, n, "for")) {
			for (*type = n + 1; rust_is(f, *type + 1, "::");) *type += 2;
			return trait;
		}
		if (depth == 0 && rust_name(f, n).len > 0) trait = n;
		depth += rust_is(f, n, "<"), depth -= depth > 0 && rust_is(f, n, ">");
	}
	return 0;
}
/* Whether the macro whose name is at k is exported: part of what the crate is for. */
static bool rust_exported(const struct verdict_file *f, size_t k) {
	for (k -= k < 2 ? k : 2; k > 0 && rust_is(f, k - 1, "]") && f->tokens[k - 1].match < k - 1; k = f->tokens[k - 1].match - 1)
		if (f->tokens[k - 1].match == 0 || rust_is(f, f->tokens[k - 1].match + 1, "macro_export")) return true;
	return false;
}
/* What the import at k comes out of: the name before its `::`, or before that of the group that it stands in. */
static struct str rust_out_of(const struct verdict_file *f, size_t k) {
	for (size_t n = k; n > 1 && k - n < 64; n--) {
		if ((n == k || rust_is(f, n, "{")) && rust_is(f, n - 1, "::")) return rust_name(f, n - 2);
		if (rust_is(f, n, "{") || rust_is(f, n, ";")) break;
		if (rust_is(f, n, "}")) n = f->tokens[n].match > 1 ? f->tokens[n].match : n;
	}
	return (struct str){ "", 0 };
}
/* Whether the string at k names what tells tests from other runs: processes, the runner's settings, or cargo's, but for
 * those that a test reads, and what env! makes a constant that is the same everywhere. */
static bool rust_sign(const struct verdict_file *f, size_t k) {
	struct str text = rust_text(f, k);
	ptrdiff_t proc = str_find(text, STR("/proc"));
	size_t next = proc < 0 ? 0 : (size_t)proc + 5;
	bool constant = k > 2 && rust_is(f, k - 2, "!") && (rust_is(f, k - 3, "env") || rust_is(f, k - 3, "option_env"));
	if (proc >= 0 && (text.at[next] == '"' || (text.at[next] == '/' && (strchr("\"{$1234567890", text.at[next + 1]) != NULL ||
	    str_starts(str_skip(text, next + 1), STR("self")) || str_starts(str_skip(text, next + 1), STR("thread-self")) ||
	    str_starts(str_skip(text, next + 1), STR("*")))))) return true;
	if (str_find(text, STR("RUST_TEST")) >= 0) return true;
	if (f->tests != NULL && f->tests[k]) return false;
	if (str_find(text, STR("LD_LIBRARY_PATH")) >= 0 || str_find(text, STR("RUST_BACKTRACE")) >= 0) return true;
	return str_find(text, STR("CARGO")) >= 0 && !(constant && (str_find(text, STR("CARGO_PKG_")) >= 0 ||
	    str_find(text, STR("CARGO_CRATE_NAME")) >= 0 || str_find(text, STR("CARGO_BIN_NAME")) >= 0));
}

/* Whether the enum at k has a variant with a name that every module knows. */
static bool rust_variants(const struct verdict_file *f, size_t k) {
	size_t end = k + 256;
	while (k < end && k < f->count && !rust_is(f, k, "{") && !rust_is(f, k, ";")) k++;
	for (end = rust_opens(f, k, f->count) ? f->tokens[k].match : 0; ++k < end;) {
		if (verdict_word(" Some None Ok Err ", rust_name(f, k)) && (f->tokens[k - 1].kind == RUST_DOC ||
		    verdict_word(" { , ] ", rust_text(f, k - 1)))) return true;
		k = f->tokens[k].match > k ? f->tokens[k].match : k;
	}
	return false;
}
/* Names of the crate's types (under 8; under 9 of enums with a variant Some, None, Ok or Err, under 10 of macros), and of traits
 * that it puts on other types: of these an own method may be taken for theirs. */
static void verdict_types(struct verdict *v, const struct verdict_tree *tree, struct hashes *types, struct hashes *traits) {
	struct buf out[2] = { { .arena = v->arena }, { .arena = v->arena } };
	for (size_t n = 0; n < 2 * tree->count; n++) {
		const struct verdict_file *f = &tree->files[n % tree->count];
		bool second = n >= tree->count;
		if (n == tree->count) *types = hashes_of(&out[0]);
		for (size_t k = 0, type = 0; f->reached && k + 1 < f->count; k++) {
			size_t at = second ? rust_impl_at(f, k, &type) : verdict_word(" struct enum union ", rust_text(f, k)) ? k + 1 : 0;
			uint64_t h = verdict_mix(v, 8, rust_name(f, at));
			uint64_t own = verdict_mix(v, rust_is(f, k, "enum") ? 9 : 10, rust_name(f, rust_is(f, k, "enum") ? k + 1 : k + 2));
			if (!second && (rust_is(f, k, "macro_rules") || (rust_is(f, k, "enum") && rust_variants(f, k)))) verdict_push(out, &own, sizeof own);
			if (at > 0 && !(second && hashes_hold(types, verdict_mix(v, 8, rust_name(f, type)))))
				verdict_push(&out[second], &h, sizeof h);
		}
	}
	*traits = hashes_of(&out[1]);
}
/* ---- 4. words that make an assertion or the runner lie ----------------------------------------------------------- */
static const char verdict_asserts[] = " assert assert_eq assert_ne assert_matches debug_assert debug_assert_eq "
	"debug_assert_ne ", verdict_ends[] = " unreachable todo unimplemented include ", verdict_values[] = " Some None Ok Err ";
static const char verdict_known[] = "takes a name that every module knows";
static const char verdict_taken[] = "takes the place of what tests ask types that are not the crate's";
static const char verdict_named_so[] = "gives other names to what can tell how code is tested";
static const char verdict_unclear[] = "includes code that cannot be followed";
static const char verdict_compared[] = "is compared with types of others, which is what tests do with the old one";
static const char verdict_debug[] = ""; /* may be another in release builds: then the suite runs in one, too */
/* What is only told: */
static const char verdict_equal[] = "says anew what is equal: look at it, since tests compare";
static const char verdict_asks[] = "asks for the environment: what passes here may not do so elsewhere";
static const char verdict_macro[] = "takes the name of a macro that tests call, or changes it";
/* what the fixture does not need */
static const char verdict_impure[] = " env fs net process os io thread panic extern unsafe static debug_assert "
	"debug_assert_eq debug_assert_ne catch_unwind type_name type_name_of_val size_of size_of_val align_of macro_rules "
	"Location include include_str include_bytes option_env any Any TypeId black_box time ";
static const char verdict_prelude[] = " std core alloc test Option Some None Ok Err Vec String Box bool char str u8 "
	"u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Clone Copy PartialEq PartialOrd Eq Ord Iterator "
	"IntoIterator Default ToString From Into Drop Fn FnMut FnOnce ";

/* Methods of the standard library that tests ask for their answers. */
static const char verdict_methods[] = " is_err is_ok is_some is_none len is_empty contains contains_key get first last iter "
	"into_iter unwrap unwrap_err unwrap_or expect expect_err ok err eq ne cmp partial_cmp to_string to_vec to_owned clone "
	"as_str as_slice as_ref starts_with ends_with count sum max min abs all any map lines chars bytes trim collect join parse "
	"as_bytes find split capacity get_mut iter_mut keys values concat repeat to_uppercase to_lowercase windows chunks position "
	"binary_search load lock borrow trim_start trim_end strip_prefix strip_suffix char_indices is_sorted elapsed ";
/* Those that no type of a crate has, but one that is put in the place of a Result or an Option. */
static const char verdict_outcomes[] = " is_err is_ok is_some is_none unwrap unwrap_err expect expect_err ";
/* Words that are a trick wherever they are new; in: 'a' only in attributes, 'l' only in libraries, 'e' only of foreign
 * code, 'p' there, or behind `::`, imported or called as a macro. */
static const struct { char in; const char *words, *why; } verdict_tricky[] = {
	{ '*', " link_section no_mangle export_name global_asm naked_asm global_allocator panic_handler lang_items ",
	    "puts code or symbols where the linker, libc or the test runner finds them" },
	{ '*', " no_main test_runner custom_test_frameworks reexport_test_harness_main rustc_main rustc_test_marker ",
	    "replaces the test runner" },
	{ '*', " _exit _Exit quick_exit atexit __cxa_atexit __libc_start_main dlsym execve execvp vfork dup2 longjmp "
	    "pthread_exit ", "acts on the test runner's process" },
	{ 'p', " fork asm syscall exec ", "acts on the test runner's process" },
	{ 'e', " exit kill raise close mprotect ", "acts on the test runner's process" },
	{ 'l', " CommandExt ", "puts another program in the place of the test runner" },
	{ 'a', " link link_name used start main ctor dtor linkage naked plugin no_link ",
	    "puts code where the linker or libc finds it" },
	{ 'l', " current_exe args_os set_hook take_hook force_capture ",
	    "lets a library find out, or change, how it is tested" } };
static const char verdict_panics[] = " catch_unwind black_box spawn debug_assert debug_assert_eq debug_assert_ne ";
/* What else is looked at below. */
static const char verdict_other[] = " exit args thread process env panic Location libc current caller self cfg cfg_attr cfg_select "
	"cfg_match include path var var_os vars vars_os current_dir ";
/* False for nearly all names that stand in none of these lists: what is asked of each name in the sources must be quick. */
static bool verdict_notable(struct str name) {
	static bool table[4096], made;
	const char *lists[16] = { verdict_asserts, verdict_ends, verdict_values, verdict_impure, verdict_prelude, verdict_other,
	    verdict_panics };
	for (size_t n = 0; n < sizeof verdict_tricky / sizeof *verdict_tricky; n++) lists[7 + n] = verdict_tricky[n].words;
	for (const char **list = lists; *list != NULL && !made; list++)
		for (const char *word = *list + 1, *end; (end = strchr(word, ' ')) != NULL; word = end + 1)
			table[(word[0] * 67 + end[-1] * 7 + (end - word)) & 4095] = true;
	made = true;
	return name.len > 0 && table[(name.at[0] * 67 + name.at[name.len - 1] * 7 + (ptrdiff_t)name.len) & 4095];
}
struct trick {
	uint64_t hash;
	struct verdict_file *file;
	uint32_t line;
	struct str what;
	const char *why;
};
/* Why the identifier at k is one of the tricks, or NULL. attribute: inside one; import: inside `use` or `extern
 * crate`; foreign: in a block of foreign functions; call: the bracket of a call of the crate's own macros, or 0. */
static const char *verdict_trick(struct verdict *v, const struct verdict_file *f, size_t k, bool attribute, bool import,
    bool foreign, size_t call, const struct hashes *names) {
	struct str name = rust_name(f, k), before = k > 0 ? rust_text(f, k - 1) : STR("");
	bool defined = (str_eq(before, STR("!")) && rust_is(f, k - 2, "macro_rules")) || str_eq(before, STR("macro"));
	bool renamed = import && str_eq(before, STR("as"));
	if (!defined && !renamed && !verdict_notable(name)) return NULL;
	bool program = rust_program(f), tests = f->tests != NULL && f->tests[k];
	bool path = str_eq(before, STR("::")), called = rust_is(f, k + 1, "(") && !verdict_word(" . fn ", before);
	for (size_t n = 0; n < sizeof verdict_tricky / sizeof *verdict_tricky; n++) {
		char in = verdict_tricky[n].in;
		if (verdict_word(verdict_tricky[n].words, name) && (in == '*' || (in == 'l' && !program) ||
		    (in == 'a' && attribute && verdict_word(" [ ( , :: ", before)) || (in == 'p' && (foreign || path || import ||
		    rust_is(f, k + 1, "!"))) || (in == 'e' && (foreign || (path && rust_is(f, k - 2, "libc"))))))
			return verdict_tricky[n].why;
	}
	if (v->fixture && !tests && !str_eq(before, STR(".")) && verdict_word(verdict_impure, name))
		return "does not belong into this library, which only counts and cuts";
	const char *home = str_eq(name, STR("exit")) ? "process" : str_eq(name, STR("args")) ? "env" : str_eq(name, STR("caller")) ?
	    "Location" : "thread"; /* a macro may put the two together */
	bool joined = call > 0 && rust_holds(f, call, f->tokens[call].match, home);
	if (!program && str_eq(name, STR("exit")) && (path || import || called || joined)) return "ends the test runner's process";
	if (!program && str_eq(name, STR("args")) && (path || import || joined)) return "lets a library find out how it is tested";
	struct str from = import ? rust_out_of(f, k) : STR("");
	static const char homes[] = " thread process env panic Location libc std core include cfg ";
	if (!program && !tests && ((import && (verdict_word(homes, name) || (str_eq(name, STR("self")) && verdict_word(homes, from))) &&
	    (rust_is(f, k + 1, "as") || (rust_is(f, k + 1, "::") && rust_is(f, k + 2, "*")))) ||
	    (verdict_word(" thread process env Location ", name) && rust_is(f, k + 1, "::") && rust_is(f, k + 2, "$"))))
		return verdict_named_so;
	if (!program && !tests && path && rust_is(f, k - 2, "env") && verdict_word(" var var_os vars vars_os current_dir ", name))
		return verdict_asks;
	if (!tests && verdict_word(verdict_asserts, name) && str_starts(name, STR("debug")) && rust_acts(f, k))
		return "does something in debug builds only";
	if (import && !renamed && tests && from.len > 0 && !verdict_word(" self super crate ", from) &&
	    verdict_word(verdict_asserts, name)) return NULL; /* another crate's, for new tests */
	if (verdict_word(verdict_asserts, name) && !rust_is(f, k + 1, "!")) return "takes the name of an assertion";
	if (verdict_word(verdict_ends, name) && !rust_is(f, k + 1, "!") && (defined || renamed ||
	    (hashes_hold(names, verdict_mix(v, 0, name)) && !verdict_word(" . fn let & ", before))))
		return "takes the name of an assertion";
	if ((defined || renamed) && (str_eq(name, STR("panic")) || hashes_hold(names, verdict_mix(v, 0, name))))
		return verdict_macro;
	if (verdict_word(verdict_values, name) ? renamed || verdict_word(" struct enum union fn const static ", before) ||
	    (import && !verdict_word(" Option Result prelude v1 ", from)) : verdict_word(verdict_prelude, name) && (renamed ||
	    verdict_word(" struct enum union type trait ", before) || (import && str_eq(name, STR("test"))) ||
	    (str_eq(before, STR("mod")) && !str_eq(name, STR("test")) && (str_eq(name, STR("std")) ||
	    hashes_hold(names, verdict_mix(v, 4, name)))))) return verdict_known;
	bool here = path && (rust_is(f, k - 3, "$") || str_eq(rust_name(f, k - 2), str_of(home)));
	if ((str_eq(name, STR("current")) || str_eq(name, STR("caller"))) && (joined || here || str_eq(from, str_of(home)) ||
	    (path && *home == 'L' && rust_is(f, k + 1, "(")))) return "lets code find out which test runs";
	if (verdict_word(" cfg cfg_attr cfg_select cfg_match ", name) && rust_cfg(f, k))
		return "is code that differs under test";
	if (str_eq(name, STR("include")) && rust_is(f, k + 1, "!") && !rust_followed(f, k + 3) && !(rust_is(f, k + 3, "concat") &&
	    rust_is(f, k + 6, "env") && rust_is(f, k + 9, "\"OUT_DIR\"") && rust_is(f, k + 11, ",") &&
	    str_find(rust_string(f, k + 12), STR("..")) < 0)) return verdict_unclear;
	if (attribute && str_eq(name, STR("path")) && rust_is(f, k + 1, "=") && !rust_followed(f, k + 2)) return verdict_unclear;
	if (!tests && verdict_word(verdict_panics, name)) return verdict_debug;
	if (!tests && call > 0 && verdict_word(" PartialEq PartialOrd ", name)) return verdict_compared;
	return NULL;
}
/* Collects what could make an assertion or the runner lie; each with a hash of the ten tokens from there. names: what
 * tests use; then the two of verdict_types. */
static void verdict_tricks_of(struct verdict *v, struct verdict_file *f, const struct hashes *names, struct buf *out) {
	size_t attribute = 0, foreign = 0, trait = 0, type = 0, call = 0, open;
	bool import = false;
	for (size_t k = 0; k < f->count; k++) {
		const char *why = NULL;
		if (f->tokens[k].kind == RUST_PUNCT && (open = rust_attribute_at(f, k, f->count)) > 0 &&
		    f->tokens[open].match > attribute)
			attribute = f->tokens[open].match;
		import = (import && !rust_is(f, k, ";")) || rust_is(f, k, "use") || (rust_is(f, k, "crate") && k > 0 &&
		    rust_is(f, k - 1, "extern"));
		if (rust_is(f, k, "extern") && (open = k + 1 + (f->tokens[k].kind == RUST_IDENT && k + 1 < f->count &&
		    f->tokens[k + 1].kind == RUST_STRING)) < f->count && rust_is(f, open, "{") && rust_opens(f, open, f->count))
			foreign = f->tokens[open].match, why = "calls code that is not Rust";
		if (rust_is(f, k, "trait") && hashes_hold(&names[2], verdict_mix(v, 8, rust_name(f, k + 1))))
			for (open = k; open < f->count && open < k + 256 && trait <= k; open++)
				if (rust_is(f, open, "{")) trait = f->tokens[open].match;
		open = rust_impl_at(f, k, &type);
		bool tests = f->tests != NULL && f->tests[k];
		bool defined = k > 0 && rust_is(f, k - 1, "fn") && hashes_hold(names, verdict_mix(v, 5, rust_name(f, k)));
		if (!tests && ((defined && ((v->sound && verdict_word(verdict_outcomes, rust_name(f, k))) || (k < trait &&
		    verdict_word(verdict_methods, rust_name(f, k))))) || (open > 0 && verdict_word(" PartialEq PartialOrd ",
		    rust_name(f, open)) && !hashes_hold(&names[1], verdict_mix(v, 8, rust_name(f, type))))))
			why = verdict_taken;
		call = call > 0 && k < f->tokens[call].match ? call : rust_is(f, k + 1, "!") && rust_opens(f, k + 2, f->count) &&
		    hashes_hold(&names[1], verdict_mix(v, 10, rust_name(f, k))) ? k + 2 : 0;
		if (open > 0 && why == NULL && !tests && verdict_word(" PartialEq PartialOrd ", rust_name(f, open)))
			why = rust_is(f, open + 1, "<") && !rust_is(f, open + 2, "Self") && !str_eq(rust_name(f, open + 2), rust_name(f, type)) &&
			    !hashes_hold(names, verdict_mix(v, 4, rust_name(f, type))) ? verdict_compared : verdict_equal;
		if (import && rust_is(f, k, "*") && hashes_hold(&names[1], verdict_mix(v, 9, rust_out_of(f, k)))) why = verdict_known;
		if (rust_is(f, k, "#") && rust_is(f, k + 1, "[") && rust_is(f, k + 2, "$") && (rust_is(f, k + 4, "(") || rust_is(f, k + 4, "=")))
			why = "makes an attribute that cannot be followed";
		if (f->tokens[k].kind == RUST_IDENT && why == NULL)
			why = verdict_trick(v, f, k, k < attribute, import, k < foreign, call, names);
		else if (f->tokens[k].kind == RUST_STRING && rust_sign(f, k))
			why = "lets code find out how it is tested";
		if (why == NULL) continue;
		/* of a definition its name; of a block its head; else what follows, too */
		size_t from = k - (why == verdict_known && k > 0), to = why == verdict_known ? k + 1 : open > 0 || why == verdict_taken ?
		    (open > 0 ? type : k) + 1 : foreign > k && rust_is(f, k, "extern") ? k + 2 : k + 10;
		/* a macro that only tests call is theirs */
		if (why == verdict_macro && rust_opens(f, k + 1, f->count) && !rust_exported(f, k) && !hashes_hold(names,
		    verdict_mix(v, 6, rust_name(f, k)))) to = f->tokens[k + 1].match + 1;
		struct trick trick = { rust_hash(v, f, from, to < f->count ? to : f->count, 't'), f, f->tokens[k].line,
		    rust_text(f, open > 0 && (why == verdict_compared || why == verdict_equal) ? type : k), why };
		verdict_push(out, &trick, sizeof trick);
	}
}
#endif
