/* verify.c - the verdict: does the suite pass, and is it still the same suite?
 *
 * 1 the census of what tests consist of and lean on, 2 what must be as before, 3 cargo and its report, 4 tests that the
 * host adds, 5 the host's own questions (questions.c) to the fixture, 6 the baseline and the judge. Nothing is run but
 * through verdict->run. Two texts are the same when their hashes are, under a key made afresh for each run: nobody can
 * search for a second text. */
#ifndef HSA_VERIFY_C
#define HSA_VERIFY_C
#include "questions.c"
#include "rust.c"
#include <time.h>

/* ---- 1. the census: what tests consist of and lean on ----------------------------------------------------------- */

struct verdict_unit {      /* one thing that must be there afterwards, too */
	struct str name, path; /* path: of its module, "a::b" */
	uint64_t chain, body;  /* hashes: the modules around it with their attributes; itself */
	struct verdict_file *file;
	struct verdict_target *target;
	size_t from, to;       /* tokens */
	uint32_t line;
	uint32_t at;           /* byte of the file behind which a statement can be put that makes the test fail; 0: nowhere */
	char kind;             /* t test, d doc test, u use, M macro, ! macro call, i impl, f function, o other */
	bool certain, loose;   /* nothing but cfg(test) decides whether it is compiled; cfg(test) outside a test module */
	bool found;
	struct verdict_unit *twin; /* what was found */
};
struct area {              /* tokens that are compiled for tests only */
	struct verdict_file *file;
	size_t from, to;
};
struct census {
	struct verdict *v;
	struct verdict_tree *tree, *other; /* other: what is the same file there has the same tokens */
	struct buf units, makers; /* makers: names of macros that make tests, each between spaces */
	/* opened: hashes of modules that cfg(test) opens, each with one of its bare name behind it */
	struct buf areas, opened;
	size_t budget;            /* tokens that may still be looked at; 0: there are too many */
	uint64_t sources;         /* bytes loaded */
	bool docs;                /* doc tests of this target are run */
	bool made;                /* a macro makes modules: any file may be part of the library */
};
struct scope {
	struct verdict_target *target;
	struct str path, dir, file_dir; /* module path; where `mod x;` is looked for; the directory of the file */
	uint64_t chain;
	bool territory, certain, nested; /* inside a test module or tests/; nested: in a module with braces */
	unsigned depth;
};
static void census_add(struct census *c, const struct scope *s, struct verdict_unit unit) {
	unit.chain = s->chain, unit.path = s->path, unit.target = s->target;
	unit.certain &= s->certain;
	verdict_push(&c->units, &unit, sizeof unit);
}
/* `use a::{b, c as d};` is two units, so that their order and grouping is free. */
static void census_use(struct census *c, const struct scope *s, struct verdict_unit u, unsigned depth) {
	size_t last = u.from;
	for (size_t k = u.from, end = u.to; k < end && depth < VERDICT_DEPTH_MAX; last = k++) {
		if (rust_is(u.file, k, "{") && rust_opens(u.file, k, end)) {
			for (size_t close = u.file->tokens[k].match; ++k < close; k = u.to) {
				for (u.from = u.to = k; u.to < close && !rust_is(u.file, u.to, ",");)
					u.to = u.file->tokens[u.to].match > u.to ? u.file->tokens[u.to].match + 1 : u.to + 1;
				if (u.to > u.from) census_use(c, s, u, depth + 1);
			}
			return;
		}
		u.body = verdict_mix(c->v, u.body, rust_text(u.file, k));
	}
	u.name = rust_is(u.file, last, "*") ? STR("*") : rust_is(u.file, last, "self") && last >= 3 ?
	    rust_name(u.file, last - 3) : rust_name(u.file, last);
	census_add(c, s, u);
}
/* The next line of documentation, without its marks, of the tokens [*k, to). rest.at is NULL between two tokens. */
static bool rust_doc_line(const struct verdict_file *f, size_t *k, size_t to, struct str *rest, struct str *line,
    uint32_t *number) {
	if (rest->at == NULL) {
		if (*k >= to || f->tokens[*k].kind != RUST_DOC) return false;
		*rest = str_skip(rust_text(f, *k), 3);
		*number = f->tokens[*k].line;
	}
	bool block = f->bytes.at[f->tokens[*k].at + 1] == '*', more = str_line(rest, line);
	*line = !more ? STR("") : !block ? *line : str_trim(*line);
	if (block && str_starts(*line, STR("*"))) *line = str_skip(*line, 1);
	if (rest->len == 0) rest->at = NULL, ++*k;
	return true;
}
/* Whether code with that fence is a test: nothing, or only words that rustdoc knows. */
static bool rust_doc_test(struct str info) {
	static const char known[] = " rust should_panic no_run compile_fail test_harness standalone standalone_crate ";
	for (size_t i = 0, start = 0; i <= info.len; i++)
		if (i == info.len || strchr(" ,\t", info.at[i]) != NULL) {
			struct str word = str_cut(info, start, i);
			start = i + 1;
			if (word.len > 0 && !verdict_word(known, word) && !str_starts(word, STR("edition")) &&
			    !str_starts(word, STR("ignore")) &&
			    !(word.at[0] == 'E' && rust_digit(word, 1))) return false;
		}
	return true;
}
struct fence { /* where a run of documentation stands */
	size_t length;
	char mark;
	bool test, blank;
	bool included;    /* from another file */
	bool runs, whole; /* a test of which a statement can be made the first one; `fn main` was found */
	struct verdict_unit unit;
};
/* Looks for the place in a doc test where a statement becomes its first one: before its first line of code, or in its main. */
static void census_doc_place(struct fence *x, struct str text) {
	struct str code = str_starts(text, STR("# ")) ? str_trim(str_skip(text, 2)) : text;
	bool attribute = str_starts(code, STR("#!")), main = str_find(code, STR("fn main")) >= 0;
	if (!x->runs || code.len == 0 || str_eq(code, STR("#"))) return;
	x->runs = !str_starts(code, STR("##")) && !str_starts(code, STR("/*")) && str_find(code, STR("exit")) < 0 &&
	    !(attribute && !str_ends(code, STR("]"))) && !(main && !str_ends(code, STR("{")));
	bool first = x->unit.at == 0 && !attribute && !str_starts(code, STR("//")) && !str_starts(code, STR("extern crate")) &&
	    !str_starts(code, STR("#[macro_use]"));
	if (!x->runs) x->unit.at = 0;
	else if (main || (first && !x->whole))
		x->unit.at = (uint32_t)(code.at - x->unit.file->bytes.at) + (main ? (uint32_t)code.len : 0), x->whole |= main;
}
/* One line of Markdown: fences of three or more ` or ~ hold code, and so do lines indented by four. */
static void census_doc_line(struct census *c, const struct scope *s, struct fence *x, struct str line,
    uint32_t number) {
	struct str text = str_trim(line);
	size_t n = 0;
	while (n < text.len && (text.at[0] == '`' || text.at[0] == '~') && text.at[n] == text.at[0]) n++;
	bool indented = x->length == 0 && text.len > 0 && str_starts(line, STR("     ")) && x->blank;
	if (x->length > 0 && n >= x->length && text.at[0] == x->mark && n == text.len) {
		if (x->test) census_add(c, s, x->unit);
		x->length = 0;
	} else if (x->length > 0) {
		x->unit.body = text.len == 0 ? x->unit.body : verdict_mix(c->v, x->unit.body, text);
		x->unit.name = x->unit.name.len == 0 ? text : x->unit.name;
		census_doc_place(x, text);
	} else if ((n >= 3 && (text.at[0] == '~' || memchr(text.at + n, '`', text.len - n) == NULL)) || indented) {
		struct str info = indented ? text : str_trim(str_skip(text, n));
		x->unit.line = number, x->unit.name = indented ? text : STR(""), x->unit.body = verdict_mix(c->v, indented ? 'i' :
		    'd', info);
		x->length = indented ? 0 : n, x->mark = text.at[0], x->test = rust_doc_test(info);
		x->runs = !x->included && (info.len == 0 || str_eq(info, STR("rust"))), x->whole = false, x->unit.at = 0;
		if (indented) census_add(c, s, x->unit);
	}
	x->blank = text.len == 0 || indented;
}
/* The doc tests of the documentation at token k (comments, or an attribute that includes a file); behind it. */
static size_t census_docs(struct census *c, const struct scope *s, struct verdict_file *f, size_t k, size_t to,
    bool item) {
	struct fence x = { .blank = true, .unit = { .file = f, .kind = 'd', .certain = item } };
	struct str rest = { NULL, 0 }, line;
	uint32_t number = 0;
	size_t open = rust_attribute_at(f, k, to), start = k;
	x.included = open > 0;
	if (open > 0 && rust_is(f, open + 1, "doc") && rust_is(f, open + 3, "include_str")) {
		struct verdict_file *g = verdict_find(c->tree, verdict_join(c->v->arena, s->file_dir, rust_string(f, open + 6)));
		for (rest = g == NULL ? STR("") : verdict_load(c->v->arena, c->tree, g); str_line(&rest, &line);)
			census_doc_line(c, s, &x, line, f->tokens[k].line);
		k = f->tokens[open].match + 1;
	}
	while (k < to && (k == start || open == 0) && rust_doc_line(f, &k, to, &rest, &line, &number)) {
		x.unit.certain &= open == 0 && number - f->tokens[start].line + 1 == k - start; /* no gap: rustdoc counts lines */
		census_doc_line(c, s, &x, line, number);
	}
	if (x.length > 0 && x.test) census_add(c, s, x.unit);
	return k == start ? k + 1 : k;
}
static void census_file(struct census *c, struct scope s, struct str path);
static void census_items(struct census *c, struct scope *s, struct verdict_file *f, size_t at, size_t end);

/* Keeps in mind tokens that are compiled for tests only. */
static void census_area(struct census *c, struct verdict_file *f, size_t from, size_t to) {
	struct area area = { f, from, to };
	verdict_push(&c->areas, &area, sizeof area);
	if (f->tests == NULL) f->tests = arena_take(c->v->arena, sizeof *f->tests, f->count + 1);
	memset(f->tests + from, 1, to - from);
}
static void census_enter(struct census *c, struct scope *s, struct str name) {
	s->chain = verdict_mix(c->v, s->chain, name);
	s->path = str_of(arena_format(c->v->arena, "%.*s%s%.*s", STRF(s->path), s->path.len > 0 ? "::" : "", STRF(name)));
}
/* A module that cfg(test) opens, and its tokens. */
static void census_opened(struct census *c, const struct scope *s, struct verdict_file *f, size_t from, size_t to) {
	struct str name = s->path;
	for (ptrdiff_t at; (at = str_find(name, STR("::"))) >= 0;) name = str_skip(name, (size_t)at + 2);
	uint64_t h[2] = { s->chain, verdict_mix(c->v, 3, name) };
	verdict_push(&c->opened, h, sizeof h), census_area(c, f, from, to);
}
/* `mod name;`: its file, found as rustc does. s: the scope inside it. */
static void census_module(struct census *c, struct scope s, struct str name, struct str path) {
	struct str dir = s.dir;
	if (path.len > 0) {
		struct str full = verdict_join(c->v->arena, s.nested ? dir : s.file_dir, path);
		s.dir = str_dirname(full);
		census_file(c, s, full);
		return;
	}
	s.dir = verdict_join(c->v->arena, dir, name);
	census_file(c, s, verdict_join(c->v->arena, dir, str_of(arena_format(c->v->arena, "%.*s.rs", STRF(name)))));
	census_file(c, s, verdict_join(c->v->arena, s.dir, STR("mod.rs")));
}
/* A macro call may hold modules (cfg_if!), or read a file (include!). */
static void census_call(struct census *c, struct scope s, struct verdict_file *f, const struct rust_item *item) {
	if (str_eq(item->name, STR("include"))) {
		struct str full = verdict_join(c->v->arena, s.file_dir, rust_string(f, item->head + 3));
		s.dir = str_dirname(full);
		census_file(c, s, full);
	}
	for (size_t k = item->head; k + 2 < item->end; k++)
		if (rust_is(f, k, "mod") && rust_name(f, k + 1).len > 0 && rust_is(f, k + 2, ";")) {
			struct scope in = s;
			in.chain = rust_hash(c->v, f, item->head, item->end, s.chain), in.certain = false;
			census_enter(c, &in, rust_name(f, k + 1));
			census_module(c, in, rust_name(f, k + 1), (struct str){ "", 0 });
		}
}
/* Whether tokens hold `#[test]` or the like, or call a macro that makes tests. */
static bool census_makes(struct census *c, const struct verdict_file *f, size_t from, size_t to) {
	struct str path;
	for (size_t k = from, open; k < to; k++)
		if ((open = rust_attribute_at(f, k, to)) > 0 ? (rust_attribute(f, open, &path) & (ATTR_TEST | ATTR_CFG_TEST)) != 0
		    : rust_is(f, k + 1, "!") && verdict_word(buf_z(&c->makers), rust_name(f, k))) return true;
	return false;
}
static void census_one(struct census *c, const struct scope *s, struct verdict_file *f, size_t at,
    struct rust_item *item) {
	struct scope in = *s;
	bool cfg_test = (item->flags & ATTR_CFG_TEST) != 0, test = item->kind == 'f' && (item->flags & ATTR_TEST) != 0;
	in.territory |= cfg_test;
	in.certain &= (item->flags & ATTR_CFG) == 0;
	if (item->kind == 'm' || item->kind == 'i') in.chain = rust_hash(c->v, f, at, item->head, s->chain);
	if (item->kind == 'i') in.chain = verdict_mix(c->v, in.chain, rust_impl(f, item)); /* bounds may change */
	if (item->kind == 'm') {
		census_enter(c, &in, item->name);
		if (in.territory && !s->territory) census_opened(c, &in, f, item->body, item->end);
		if (item->body == item->end) {
			census_module(c, in, item->name, item->path);
			return;
		}
		in.dir = verdict_join(c->v->arena, s->dir, item->path.len > 0 ? item->path : item->name);
		in.nested = true;
	}
	if (item->kind == 'm' || (item->kind == 'i' && !in.territory)) { /* methods, too, may be under cfg(test) */
		census_items(c, &in, f, item->body + 1, item->end - 1);
		return;
	}
	in.chain = s->chain;
	if (item->kind == '!') census_call(c, in, f, item);
	if (item->kind == 0 || !(in.territory || test || (strchr("!M", item->kind) != NULL &&
	    census_makes(c, f, at, item->end)))) return;
	struct verdict_unit u = { .name = item->name, .file = f, .from = at, .to = item->end,
	    .line = f->tokens[item->head].line, .certain = true,
		.kind = test ? 't' : item->kind, .loose = cfg_test && !s->territory && !test };
	u.body = rust_hash(c->v, f, at, item->kind == 'u' ? item->head : item->end, (uint64_t)item->kind);
	u.from = item->kind == 'u' ? item->head : at;
	u.to -= item->kind == 'u';
	if (item->kind == 'u')
		census_use(c, &in, u, 0);
	else
		census_add(c, &in, u);
}
/* The items in tokens [at, end) of a module, whose own attributes come first. */
static void census_items(struct census *c, struct scope *s, struct verdict_file *f, size_t at, size_t end) {
	struct rust_item item;
	struct str path;
	if (at > end || c->budget < end - at + 1 || ++s->depth > VERDICT_DEPTH_MAX) {
		c->budget = 0;
		return;
	}
	c->budget -= end - at + 1;
	size_t begin = at;
	for (size_t open; at < end; at++) {
		open = rust_attribute_at(f, at, end);
		if (f->tokens[at].kind == RUST_DOC && f->bytes.at[f->tokens[at].at + 2] == '!') continue;
		if (open != at + 2) break;
		unsigned flags = rust_attribute(f, open, &path);
		s->chain = rust_hash(c->v, f, at, f->tokens[open].match + 1, s->chain);
		if ((flags & ATTR_CFG_TEST) != 0 && !s->territory) census_opened(c, s, f, begin, end);
		s->territory |= (flags & ATTR_CFG_TEST) != 0, s->certain &= (flags & ATTR_CFG) == 0;
		at = f->tokens[open].match;
	}
	while (c->docs && begin < at) begin = census_docs(c, s, f, begin, at, false);
	for (; at < end; at = item.end) {
		rust_item(f, at, end, &item);
		census_one(c, s, f, at, &item);
		bool inner = item.kind == 'm' || (item.kind == 'i' && !s->territory && (item.flags & ATTR_CFG_TEST) == 0);
		for (size_t k = at; c->docs && k < (inner ? item.body : item.end);)
			k = census_docs(c, s, f, k, item.end, k == at && item.kind != 0 && strchr("foim", item.kind) != NULL &&
			    (item.flags & ~(unsigned)ATTR_NEUTRAL) == 0 && !s->territory);
	}
}
/* The bytes of a source, which count. NULL and no budget any more: there are too many. */
static struct str census_load(struct census *c, struct verdict_file *f) {
	c->sources += f->loaded ? 0 : f->size;
	verdict_pause(c->v);
	if (c->sources <= VERDICT_SOURCES_MAX) return verdict_load(c->v->arena, c->tree, f);
	c->budget = 0;
	return (struct str){ NULL, 0 };
}
/* A file of the tree, with its tokens; NULL: none, or too much. A link leads to another. */
static struct verdict_file *census_open(struct census *c, struct str path) {
	struct verdict_file *f = verdict_find(c->tree, path);
	for (int hops = 0; f != NULL && f->link.at != NULL; hops++)
		f = hops == 8 ? NULL : verdict_find(c->tree, verdict_join(c->v->arena, str_dirname(f->path), f->link));
	if (f != NULL && !f->lexed) {
		struct verdict_file *twin = c->other == NULL ? NULL : verdict_find(c->other, f->path);
		census_load(c, f);
		if (c->budget == 0) return NULL;
		if (twin != NULL && twin->lexed && str_eq(twin->bytes, f->bytes))
			f->bytes = twin->bytes, f->tokens = twin->tokens, f->count = twin->count;
		else
			f->tokens = rust_lex(c->v->arena, f->bytes, &f->count);
		f->lexed = true;
	}
	return f;
}
static void census_file(struct census *c, struct scope s, struct str path) {
	struct verdict_file *f = census_open(c, path);
	if (f == NULL) return;
	f->reached = true, f->built |= s.target->build, f->library |= !verdict_word(" bin example bench ", s.target->kind);
	s.nested = false, s.file_dir = str_dirname(path);
	if (s.territory) census_area(c, f, 0, f->count);
	census_items(c, &s, f, 0, f->count);
}
/* Whether a file is of a vendored crate. *dir: the last directory seen that holds one, in the order of the tree. */
static bool verdict_vendored(const struct verdict_file *f, struct str *dir) {
	if (str_eq(str_basename(f->path), STR(".cargo-checksum.json"))) *dir = str_dirname(f->path);
	return str_starts(f->path, *dir) && f->path.len > dir->len && f->path.at[dir->len] == '/';
}
static struct census *verdict_census(struct verdict *v, struct verdict_tree *tree, struct verdict_target *targets,
    size_t count) {
	struct census *c = arena_take(v->arena, sizeof *c, 1);
	*c = (struct census){ .v = v, .tree = tree, .other = tree == &v->before ? NULL : &v->before,
	    .units = { .arena = v->arena }, .makers = { .arena = v->arena },
		.areas = { .arena = v->arena }, .opened = { .arena = v->arena }, .budget = VERDICT_TOKENS_MAX };
	buf_add(&c->makers, STR(" quickcheck proptest "));
	buf_z(&c->units), buf_z(&c->areas), buf_z(&c->opened); /* room, also for none: their ends are no offset to NULL */
	struct str vendored = STR("/");
	for (size_t n = 0; n < 2 * tree->count; n++) { /* macros that make tests; twice, since macros call macros */
		struct verdict_file *f = &tree->files[n % tree->count];
		if (verdict_vendored(f, &vendored) || !str_ends(f->path, STR(".rs")) || str_find(census_load(c, f), STR("macro_rules")) < 0 ||
		    (f = census_open(c, f->path)) == NULL) continue;
		for (size_t k = 0; k + 3 < f->count; k++)
			c->made |= rust_is(f, k, "mod") && rust_is(f, k + 1, "$");
		for (size_t k = 0; k + 3 < f->count; k++)
			if (rust_is(f, k, "macro_rules") && rust_opens(f, k + 3, f->count) && !verdict_word(buf_z(&c->makers),
			    rust_name(f, k + 2)) &&
			    census_makes(c, f, k + 3, f->tokens[k + 3].match)) buf_format(&c->makers, "%.*s ", STRF(rust_name(f, k + 2)));
	}
	for (struct verdict_target *t = targets; t < targets + count; t++) {
		bool doc = str_eq(t->kind, STR("doc"));
		if (doc && t > targets && str_eq(t[-1].kind, STR("lib")) && str_eq(t[-1].package, t->package)) continue;
		struct scope s = { .target = t, .path = { "", 0 }, .dir = str_dirname(t->root), .certain = true,
		    .territory = t->support || str_eq(t->kind, STR("test")) };
		s.chain = verdict_mix(v, verdict_mix(v, verdict_mix(v, 7, t->package), doc ? STR("lib") : t->kind), t->name);
		c->docs = doc || (str_eq(t->kind, STR("lib")) && t + 1 < targets + count && str_eq(t[1].kind, STR("doc")));
		census_file(c, s, t->root);
	}
	return c;
}

/* ---- 2. what must be as before ---------------------------------------------------------------------------------- */

struct fault { /* the first thing that is wrong, and how many there are */
	size_t count;
	char text[700];
};
__attribute__((format(printf, 2, 3))) static void verdict_wrong(struct fault *fault, const char *format, ...) {
	va_list args;
	va_start(args, format);
	if (fault->count++ == 0) vsnprintf(fault->text, sizeof fault->text, format, args);
	va_end(args);
}
/* Reports a check; true when it passed. */
static bool verdict_report(struct verdict *v, const char *name, const struct fault *fault, const char *good) {
	char *more = fault->count < 2 ? "" : arena_format(v->arena, " (and %zu more)", fault->count - 1);
	v->check(v->context, name, fault->count == 0, fault->count == 0 ? good : arena_format(v->arena, "%s%s", fault->text,
	    more));
	return fault->count == 0;
}
static int verdict_by_unit(const void *a, const void *b) {
	const struct verdict_unit *x = *(struct verdict_unit *const *)a, *y = *(struct verdict_unit *const *)b;
	return x->chain != y->chain ? (x->chain < y->chain ? -1 : 1) : x->body != y->body ? (x->body < y->body ? -1 : 1) :
	    x->line < y->line ? -1 : x->line > y->line;
}
static struct verdict_unit **census_sorted(struct census *c, size_t *count) {
	struct verdict_unit *units = ITEMS(struct verdict_unit, c->units), **sorted;
	*count = COUNT(struct verdict_unit, c->units);
	sorted = arena_take(c->v->arena, sizeof *sorted, *count + 1);
	for (size_t k = 0; k < *count; k++) sorted[k] = &units[k];
	verdict_sort(sorted, *count, sizeof *sorted, verdict_by_unit);
	return sorted;
}
/* What the units use: names under the chain of their module (under 5: methods and fields); under 0 the macros that they
 * call, under 4 all other names; under 1 the modules themselves; under 2 the macros called at the level of items. And
 * under 6 the macros that other code calls. */
static struct hashes census_names(struct census *c) {
	struct buf out = { .arena = c->v->arena };
	const struct verdict_unit *u = ITEMS(struct verdict_unit, c->units), *end = u + COUNT(struct verdict_unit, c->units);
	for (; u < end; u++) {
		uint64_t h[2] = { u->chain ^ 1, verdict_mix(c->v, u->chain ^ 2, u->name) };
		if (u->kind != 'd') verdict_push(&out, h, u->kind == '!' ? sizeof h : sizeof *h);
		for (size_t k = u->from; k < u->to && u->kind != 'd'; k++) {
			struct str name = rust_name(u->file, k);
			h[0] = verdict_mix(c->v, u->chain, name), h[1] = verdict_mix(c->v, rust_is(u->file, k + 1, "!") ? 0 : 4, name);
			if (k > 0 && rust_is(u->file, k - 1, ".")) h[0] = verdict_mix(c->v, 5, name);
			if (name.len > 0) verdict_push(&out, h, sizeof h);
		}
	}
	for (const struct verdict_file *f = c->tree->files; f < c->tree->files + c->tree->count; f++)
		for (size_t k = 0; f->reached && k + 1 < f->count; k++) {
			uint64_t h = verdict_mix(c->v, 6, rust_name(f, k));
			if (rust_is(f, k + 1, "!") && !(f->tests != NULL && f->tests[k])) verdict_push(&out, &h, sizeof h);
		}
	return hashes_of(&out);
}
/* A unit of the baseline that is no longer there: says what became of it. */
static void verdict_missing(const struct verdict_unit *u, struct verdict_unit *const *after,
    size_t count, struct fault *fault) {
	const struct verdict_unit *hit = NULL;
	for (size_t k = 0; k < count && fault->count == 0; k++)
		if (after[k]->kind == u->kind && !after[k]->found && str_eq(after[k]->name, u->name) &&
		    (hit == NULL || after[k]->chain == u->chain)) hit = after[k];
	const struct verdict_unit *at = hit == NULL ? u : hit;
	verdict_wrong(fault, "%.*s:%u: %s%.*s%s%.*s was %s", STRF(at->file->path), at->line, u->kind == 'd' ? "the doc test " :
	    u->kind == 't' ? "the test " :
	    "what tests lean on, ", STRF(u->path), u->path.len > 0 ? "::" : "", STRF(u->name), hit == NULL ?
	    "changed or removed, or is no longer reached" :
	    hit->chain == u->chain ? "changed" : "moved, or an attribute or module around it was changed");
}
/* A unit that the baseline does not have: it may add tests, but not come between the old ones and what they mean.
 * types: names of new types, under the chain of their module. */
static void verdict_extra(struct verdict *v, const struct verdict_unit *u, const struct hashes *names,
    const struct hashes *types, struct fault *fault) {
	bool known = hashes_hold(names, u->chain ^ 1);
	const char *why = u->loose ? "is new code that differs under cfg(test)" :
	    known && str_eq(u->name, STR("*")) ? "is a new glob import among the tests: put it in a new module" :
	    known && u->kind == '!' && !hashes_hold(names, verdict_mix(v, u->chain ^ 2, u->name)) ?
	    "is a new macro call among the tests: put it in a new module" :
	    known && strchr("utMfo", u->kind) != NULL && hashes_hold(names, verdict_mix(v, u->chain, u->name)) ?
	    "takes a name that the tests use" : NULL;
	/* an impl acts everywhere: only for types that came with it */
	for (size_t k = u->from, type; k < u->to && u->kind != 'd'; k++) {
		if (!rust_is(u->file, k, "impl") || (k > u->from && u->file->tokens[k - 1].kind != RUST_DOC &&
		    !verdict_word(" ; } { ] unsafe ", rust_text(u->file, k - 1)))) continue;
		bool open = rust_is(u->file, k + 1, "<") && u->file->tokens[k + 2].kind != RUST_LIFETIME; /* for any type */
		for (type = k + 1; k < u->to && !rust_is(u->file, k, "{"); k++)
			if (rust_is(u->file, k, "for")) type = k + 1;
		if (open || !hashes_hold(types, verdict_mix(v, u->chain, rust_name(u->file, type))))
			why = "is new test code with an impl for a type of the crate";
	}
	if (why != NULL) verdict_wrong(fault, "%.*s:%u: %.*s %s", STRF(u->file->path), u->line, STRF(u->name), why);
}
/* How often tokens lead into a module of the set. */
static size_t verdict_mentions(struct verdict *v, const struct hashes *set, const struct verdict_file *f, size_t from,
    size_t to) {
	size_t count = 0;
	for (size_t k = from; k < to; k++)
		count += rust_is(f, k + 1, "::") && hashes_hold(set, verdict_mix(v, 3, rust_name(f, k)));
	return count;
}
/* What is compiled for tests only, and new, must not be named by other code: that would differ under test. */
static void verdict_leans(struct verdict *v, struct census *before, struct census *after, struct fault *fault) {
	struct buf new = { .arena = v->arena };
	const uint64_t *a = ITEMS(uint64_t, after->opened);
	struct hashes old = hashes_of(&before->opened);
	const struct area *area = ITEMS(struct area, after->areas), *end = area + COUNT(struct area, after->areas);
	for (size_t k = 0; k < COUNT(uint64_t, after->opened); k += 2)
		if (!hashes_hold(&old, a[k])) verdict_push(&new, &a[k + 1], sizeof *a);
	struct hashes set = hashes_of(&new);
	size_t total = 0;
	for (size_t k = 0; set.count > 0 && k < after->tree->count; k++)
		if (after->tree->files[k].reached)
			total += verdict_mentions(v, &set, &after->tree->files[k], 0, after->tree->files[k].count);
	for (; set.count > 0 && area < end; area++) total -= verdict_mentions(v, &set, area->file, area->from, area->to);
	if (total != 0)
		verdict_wrong(fault, "a new module that only tests compile is used by other code, which so differs under test");
}
/* Marks what a string in a test may name: a file, or all but sources below a directory. */
static void verdict_named(struct verdict *v, struct str base, struct str text, bool *data) {
	struct verdict_tree *tree = &v->before;
	struct str path = verdict_join(v->arena, base, text);
	struct verdict_file *hit = verdict_find(tree, path);
	size_t low = 0, high = hit != NULL || path.len == 0 ? 0 : tree->count;
	if (hit != NULL) data[hit - tree->files] = true;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (verdict_by_str(&tree->files[mid].path, &path) < 0) low = mid + 1; else high = mid;
	}
	for (; path.len > 0 && hit == NULL && low < tree->count && str_starts(tree->files[low].path, path); low++)
		data[low] |= tree->files[low].path.at[path.len] == '/' && !str_ends(tree->files[low].path, STR(".rs"));
}
/* Data of tests: files that they name by a string, snapshots, and what else lies in tests/. */
static void verdict_data(struct verdict *v, struct census *c, struct verdict_tree *after, struct fault *fault) {
	bool *data = arena_take(v->arena, sizeof *data, c->tree->count + 1);
	const struct verdict_unit *u = ITEMS(struct verdict_unit, c->units), *end = u + COUNT(struct verdict_unit, c->units);
	for (; u < end; u++)
		for (size_t k = u->from; k < u->to && u->kind != 'd'; k++) {
			struct str text = rust_string(u->file, k);
			for (size_t n = 0; n < text.len; n++) /* of a pattern the directory */
				if (strchr("{*?[", text.at[n]) != NULL) text = str_dirname(str_cut(text, 0, n));
			if (text.len == 0 || text.len > 255 || memchr(text.at, '\n', text.len) != NULL) continue;
			size_t mark = v->arena->used;
			verdict_named(v, str_dirname(u->file->path), text, data);
			verdict_named(v, u->target->package, text, data);
			verdict_named(v, STR(""), text, data);
			arena_reset(v->arena, mark);
		}
	for (size_t k = 0; k < c->tree->count; k++) {
		struct verdict_file *f = &c->tree->files[k], *now = verdict_find(after, f->path);
		bool beside = str_ends(f->path, STR(".snap"));
		for (size_t t = 0; t < v->target_count && !beside; t++)
			beside = str_eq(v->targets[t].kind, STR("test")) && str_starts(f->path, verdict_join(v->arena, v->targets[t].package,
			    STR("tests/"))) ;
		if (!f->reached && (beside || data[k]) && !verdict_same(v->arena, c->tree, f, after, now))
			verdict_wrong(fault, "%.*s: a file that tests use was %s", STRF(f->path), now == NULL ? "removed" : "changed");
	}
}
#define VERDICT_TOO_LARGE "the sources have more than 64 MiB, or modules are too deep or include one another"
/* Point 1: tests, and what they lean on. */
static bool verdict_intact(struct verdict *v, struct census *before, struct census *after, const struct hashes *names) {
	struct fault fault = { 0 };
	struct buf types = { .arena = v->arena };
	size_t nb, na, tests = 0;
	struct verdict_unit **b = census_sorted(before, &nb), **a = census_sorted(after, &na);
	const struct verdict_unit *old = ITEMS(struct verdict_unit, before->units), *new = ITEMS(struct verdict_unit,
	    after->units);
	for (size_t i = 0, j = 0; i < nb && j < na;) {
		if (b[i]->chain == a[j]->chain && b[i]->body == a[j]->body)
			b[i]->found = a[j]->found = true, b[i++]->twin = a[j++];
		else if (a[j]->chain < b[i]->chain || (a[j]->chain == b[i]->chain && a[j]->body < b[i]->body))
			j++;
		else
			i++;
	}
	if (before->budget == 0 || after->budget == 0)
		verdict_wrong(&fault, VERDICT_TOO_LARGE);
	for (size_t k = 0; k < nb; tests += strchr("td!", old[k].kind) != NULL, k++)
		if (!old[k].found) verdict_missing(&old[k], a, na, &fault);
	for (size_t k = 0; k < na; k++)
		for (size_t n = new[k].from; !new[k].found && new[k].kind != 'd' && n + 1 < new[k].to; n++) {
			uint64_t h = verdict_mix(v, new[k].chain, rust_name(new[k].file, n + 1));
			if (rust_is(new[k].file, n, "struct") || rust_is(new[k].file, n, "enum")) verdict_push(&types, &h, sizeof h);
		}
	struct hashes own = hashes_of(&types);
	for (size_t k = 0; k < na; k++)
		if (!new[k].found) v->fresh |= new[k].kind != 'd', verdict_extra(v, &new[k], names, &own, &fault);
	verdict_leans(v, before, after, &fault);
	verdict_data(v, before, after->tree, &fault);
	return verdict_report(v, "tests intact", &fault, arena_format(v->arena,
	    "%zu test%s token by token, and what they lean on", tests, tests == 1 ? "" : "s"));
}
/* Whether a file governs how the crate is built. vendored: as above. */
static bool verdict_builds(struct verdict *v, const struct verdict_file *f, struct str *vendored) {
	struct str name = str_basename(f->path), manifest = verdict_join(v->arena, str_dirname(f->path), STR("Cargo.toml"));
	return verdict_vendored(f, vendored) || f->built || verdict_word(" Cargo.toml rust-toolchain rust-toolchain.toml ", name) ||
	    (str_eq(name, STR("build.rs")) && verdict_find(&v->before, manifest) != NULL) ||
	    str_find(str_of(arena_format(v->arena, "/%.*s/", (int)f->path.len, f->path.at)), STR("/.cargo/")) >= 0;
}
static size_t verdict_differ(struct str a, struct str b) { /* the first line that differs */
	size_t line = 1;
	for (size_t k = 0; k < a.len && k < b.len && a.at[k] == b.at[k]; k++) line += a.at[k] == '\n';
	return line;
}
/* Point 2, first half: files that govern the build. */
static bool verdict_build(struct verdict *v, struct verdict_tree *before, struct verdict_tree *after) {
	struct fault fault = { 0 };
	struct buf allowed = { .arena = v->arena };
	struct verdict_tree *trees[2] = { before, after };
	for (size_t side = 0; side < 2; side++) {
		struct str vendored = STR("/");
		for (size_t k = 0; k < trees[side]->count; k++) {
			struct verdict_file *f = &trees[side]->files[k], *other = verdict_find(trees[1 - side], f->path);
			if (!verdict_builds(v, f, &vendored) || (side == 1 && other != NULL) || verdict_same(v->arena, trees[side], f,
			    trees[1 - side], other)) continue;
			size_t line = other == NULL ? 1 : verdict_differ(verdict_load(v->arena, before, f),
			    verdict_load(v->arena, after, other));
			const char *what = side == 1 ? "is new" : other == NULL ? "was removed" : "was changed";
			if (v->allow_manifest && str_eq(str_basename(f->path), STR("Cargo.toml")))
				buf_format(&allowed, "%s%.*s:%zu %s: allowed", allowed.len > 0 ? "; " : "", STRF(f->path), line, what);
			else
				verdict_wrong(&fault, "%.*s:%zu: %s, and it governs how the crate is built", STRF(f->path), line, what);
		}
	}
	v->tampered = allowed.len > 0;
	return verdict_report(v, "build files intact", &fault, buf_z(&allowed));
}
/* Whether the crate had a type of that name. */
static bool verdict_knows(struct verdict *v, const struct verdict_tree *tree, struct str name) {
	struct hashes types, traits;
	verdict_types(v, tree, &types, &traits);
	return hashes_hold(&types, verdict_mix(v, 8, name));
}
/* Point 2, second half: what is newly introduced in the sources to make an assertion, or the runner, lie. */
static bool verdict_tricks(struct verdict *v, struct census *before, struct census *after, const struct hashes *names) {
	struct fault fault = { 0 };
	struct buf found[2] = { { .arena = v->arena }, { .arena = v->arena } };
	struct verdict_tree *trees[2] = { before->tree, after->tree };
	struct census *sides[2] = { before, after };
	struct hashes sets[3] = { *names, { NULL, 0 }, { NULL, 0 } };
	bool linked = false;
	verdict_types(v, after->tree, &sets[1], &sets[2]);
	for (size_t k = 0; k < after->tree->count; k++) { /* a link may bring what is no source, or lies elsewhere, into the crate */
		struct verdict_file *f = &after->tree->files[k], *old = verdict_find(before->tree, f->path);
		if (f->link.at == NULL || verdict_same(v->arena, after->tree, f, before->tree, old)) continue;
		if (str_ends(f->path, STR(".rs")) && (str_find(f->link, STR("/")) >= 0 || verdict_find(after->tree,
		    verdict_join(v->arena, str_dirname(f->path), f->link)) != NULL))
			verdict_wrong(&fault, "%.*s: is a new link in the place of a source", STRF(f->path));
		linked = true;
	}
	for (size_t k = 0; (linked || after->made) && k < after->tree->count; k++)
		after->tree->files[k].library |= !after->tree->files[k].reached || (after->made && !before->made);
	for (size_t side = 0; side < 2; side++)
		for (size_t k = 0; k < trees[side]->count; k++) {
			struct verdict_file *f = &trees[side]->files[k], *other = verdict_find(trees[1 - side], f->path);
			if (f->link.at != NULL || !(str_ends(f->path, STR(".rs")) || f->reached) || (other != NULL &&
			    other->reached == f->reached &&
			    verdict_same(v->arena, trees[side], f, trees[1 - side], other))) continue;
			if ((f = census_open(sides[side], f->path)) != NULL) verdict_tricks_of(v, f, sets, &found[side]);
		}
	if (before->budget == 0 || after->budget == 0) verdict_wrong(&fault, VERDICT_TOO_LARGE);
	struct trick *b = ITEMS(struct trick, found[0]), *a = ITEMS(struct trick, found[1]);
	size_t nb = COUNT(struct trick, found[0]), na = COUNT(struct trick, found[1]);
	verdict_sort(b, nb, sizeof *b, verdict_by_hash);
	verdict_sort(a, na, sizeof *a, verdict_by_hash);
	for (size_t i = 0, j = 0; j < na; j++) {
		while (i < nb && b[i].hash < a[j].hash) i++;
		if (i < nb && b[i].hash == a[j].hash)
			i++;
		else if (a[j].why == verdict_debug)
			v->release = true;
		else if (a[j].why == verdict_equal || a[j].why == verdict_asks)
			v->note(v->context, arena_format(v->arena, "%.*s:%u: `%.*s` %s", STRF(a[j].file->path), a[j].line, STRF(a[j].what), a[j].why));
		else if (a[j].why != verdict_compared || !verdict_knows(v, before->tree, a[j].what))
			verdict_wrong(&fault, "%.*s:%u: `%.*s` is new and %s", STRF(a[j].file->path), a[j].line, STRF(a[j].what), a[j].why);
	}
	return verdict_report(v, "no tricks in the sources", &fault, "");
}

/* ---- 3. cargo and its report ------------------------------------------------------------------------------------ */

struct site { /* a copy that cargo works in */
	const char *dir, *target;
	bool locked, release;
};
struct outcome {
	bool whole, broken, absent;     /* the closing line is there; it does not compile; its features are off */
	long passed, failed, ignored;
	struct str *failures;           /* names of failed tests */
	size_t failure_count;
	struct verdict_output output;
};
/* Runs `cargo WORD ... [--locked] MORE ...` at a site; both lists end in NULL. */
static int verdict_cargo(struct verdict *v, const struct site *site, const char *const *words, const char *const *more,
    struct verdict_output *out,
    struct error *error) {
	size_t n = 16;
	for (size_t k = 0; more != NULL && more[k] != NULL; k++) n++;
	const char **argv = arena_take(v->arena, sizeof *argv, n);
	argv[0] = "cargo", n = 1;
	while (*words != NULL) argv[n++] = *words++;
	if (site->locked) argv[n++] = "--locked";
	while (more != NULL && *more != NULL) argv[n++] = *more++;
	unsigned left = v->spent < VERDICT_ROUNDS * v->timeout ? VERDICT_ROUNDS * v->timeout - v->spent : 0;
	struct verdict_job job = { .dir = site->dir, .target = site->target, .argv = (char *const *)(uintptr_t)argv,
	    .timeout = left < v->timeout ? left : v->timeout, .memory = VERDICT_MEMORY, .limit = VERDICT_OUTPUT_MAX };
	struct timespec began, ended;
	*out = (struct verdict_output){ .timeout = left == 0, .status = 124 };
	clock_gettime(CLOCK_MONOTONIC, &began);
	int result = left == 0 ? 0 : v->run(v->context, &job, out, error);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	v->spent += (unsigned)(ended.tv_sec - began.tv_sec), v->late |= out->timeout;
	return result;
}
/* The first line in which cargo names an error. */
static struct str verdict_words(struct str err) {
	struct str line, last = STR("cargo said nothing");
	while (str_line(&err, &line)) {
		if (str_starts(line, STR("error"))) return line;
		last = line.len > 0 ? line : last;
	}
	return last;
}
/* The targets of one package: those that `cargo test` runs, its doc tests, and its build script. False: *words says
 * why not. */
static bool verdict_package(struct verdict *v, const struct json *p, struct str root, struct buf *list,
    struct str *words) {
	struct arena *a = v->arena;
	struct str manifest = json_text(a, json_get(p, "manifest_path")), package;
	const struct json *deps = json_get(p, "dependencies"), *all = json_get(p, "targets"), *needs;
	*words = STR("a member of the workspace lies outside the crate");
	if (!str_starts(manifest, root) || manifest.len <= root.len) return false;
	package = str_dirname(str_skip(manifest, root.len + 1));
	for (const struct json *d = deps == NULL ? NULL : deps->child; d != NULL; d = d->next) {
		struct str path = json_text(a, json_get(d, "path"));
		if (path.len == 0 || (str_starts(path, root) && (path.len == root.len || path.at[root.len] == '/'))) continue;
		*words = str_of(arena_format(a, "the path dependency %.*s lies outside the crate: vendor it, or move it in",
		    STRF(json_text(a, json_get(d, "name")))));
		return false;
	}
	for (const struct json *t = all == NULL ? NULL : all->child; t != NULL; t = t->next) {
		const struct json *kinds = json_get(t, "kind"), *test = json_get(t, "test"), *doctest = json_get(t, "doctest");
		struct str kind = json_text(a, kinds == NULL ? NULL : kinds->child), src = json_text(a, json_get(t, "src_path"));
		struct verdict_target target = { .package = package, .kind = kind, .name = json_text(a, json_get(t, "name")), .root =
		    str_starts(src, root) && src.len > root.len ? str_skip(src, root.len + 1) : src,
		    .build = str_eq(kind, STR("custom-build")), .idle = str_eq(kind, STR("custom-build")),
			.modern = !str_eq(json_text(a, json_get(t, "edition")), STR("2015")) };
		if (verdict_word(" rlib dylib cdylib staticlib proc-macro ", kind)) target.kind = STR("lib");
		target.gated = (needs = json_get(t, "required-features")) != NULL && needs->child != NULL;
		if (target.build || (test != NULL && test->kind == JSON_TRUE)) verdict_push(list, &target, sizeof target);
		target.kind = STR("doc");
		if (doctest != NULL && doctest->kind == JSON_TRUE) verdict_push(list, &target, sizeof target);
	}
	return true;
}
static bool verdict_among(const struct buf *list, struct str s) {
	for (size_t k = 0; k < COUNT(struct str, *list); k++)
		if (str_eq(ITEMS(struct str, *list)[k], s)) return true;
	return false;
}
/* Whether a package has code of its own: one that consists of tests does not get help by its dependencies, but tests them. */
static bool verdict_codes(struct verdict *v, const struct buf *list, struct str package) {
	for (const struct verdict_target *t = ITEMS(struct verdict_target, *list), *end = t + COUNT(struct verdict_target, *list); t < end; t++) {
		struct verdict_file *f = verdict_word(" lib bin ", t->kind) && str_eq(t->package, package) ? verdict_find(&v->before, t->root) : NULL;
		if (f != NULL && (str_find(verdict_load(v->arena, &v->before, f), STR("fn ")) >= 0 || str_find(f->bytes, STR("mod ")) >= 0)) return true;
	}
	return false;
}
/* What cargo does not list: packages that are no members, for their build scripts; and which packages only tests depend on. */
static void verdict_strays(struct verdict *v, const struct json *packages, struct str root, struct buf *list) {
	struct arena *a = v->arena;
	struct buf members = { .arena = a }, needed = { .arena = a }, wanted = { .arena = a };
	struct str dir, path, vendored = STR("/");
	for (const struct json *p = packages; p != NULL; p = p->next) {
		const struct json *deps = json_get(p, "dependencies");
		dir = str_dirname(str_skip(json_text(a, json_get(p, "manifest_path")), root.len + 1));
		verdict_push(&members, &dir, sizeof dir);
		for (const struct json *d = deps == NULL ? NULL : deps->child; d != NULL; d = d->next) {
			path = json_text(a, json_get(d, "path"));
			path = path.len > root.len ? str_skip(path, root.len + 1) : STR("");
			bool dev = str_eq(json_text(a, json_get(d, "kind")), STR("dev"));
			if (path.len > 0 && (!dev || verdict_codes(v, list, dir))) verdict_push(dev ? &wanted : &needed, &path, sizeof path);
		}
	}
	for (struct verdict_file *f = v->before.files; f < v->before.files + v->before.count; f++) {
		dir = str_dirname(f->path);
		if (verdict_vendored(f, &vendored) || !str_eq(str_basename(f->path), STR("Cargo.toml")) || verdict_among(&members, dir)) continue;
		path = verdict_join(a, dir, toml_get(verdict_load(a, &v->before, f), STR("package"), STR("build")));
		struct verdict_target build = { .package = dir, .kind = STR("custom-build"), .name = path, .root = path, .build = true, .idle = true };
		verdict_push(list, &build, sizeof build);
	}
	for (size_t k = 0; k < COUNT(struct str, wanted); k++) {
		dir = ITEMS(struct str, wanted)[k];
		struct verdict_file *f = verdict_find(&v->before, verdict_join(a, dir, STR("Cargo.toml")));
		if (f == NULL || verdict_among(&needed, dir)) continue;
		path = toml_get(verdict_load(a, &v->before, f), STR("lib"), STR("path"));
		struct verdict_target lib = { .package = dir, .kind = STR("support"), .name = dir, .root = verdict_join(a, dir, path.len > 0 ? path :
		    STR("src/lib.rs")), .idle = true, .support = true };
		for (size_t n = 0; n < COUNT(struct verdict_target, *list); n++)
			ITEMS(struct verdict_target, *list)[n].support |= str_eq(ITEMS(struct verdict_target, *list)[n].package, dir);
		if (!verdict_among(&members, dir)) verdict_push(list, &lib, sizeof lib), verdict_push(&members, &dir, sizeof dir);
	}
}
/* The targets of the workspace at a site. 1; 0: cargo cannot read it, *words says why; -1. */
static int verdict_metadata(struct verdict *v, const struct site *site, struct verdict_target **targets, size_t *count,
    struct str *words,
    struct error *error) {
	static const char *const args[] = { "metadata", "--offline", "--no-deps", "--format-version", "1", NULL };
	struct verdict_output out;
	struct buf list = { .arena = v->arena };
	if (verdict_cargo(v, site, args, NULL, &out, error) != 0) return -1;
	*words = verdict_words(out.err);
	struct json *json = out.status != 0 ? NULL : json_read(v->arena, out.out, error);
	const struct json *packages = json_get(json, "packages");
	for (const struct json *p = packages == NULL ? NULL : packages->child; p != NULL; p = p->next)
		if (!verdict_package(v, p, json_text(v->arena, json_get(json, "workspace_root")), &list, words)) return 0;
	if (packages != NULL) verdict_strays(v, packages->child, json_text(v->arena, json_get(json, "workspace_root")), &list);
	*targets = ITEMS(struct verdict_target, list);
	*count = COUNT(struct verdict_target, list);
	return packages != NULL;
}
/* `cargo test` for one target: NULL: only builds; else runs with the runner's arguments (which end in NULL). */
static int verdict_test(struct verdict *v, const struct site *site, const struct verdict_target *t,
    const char *const *args, struct verdict_output *out,
    struct error *error) {
	const char *words[] = { "test", "--offline", "--manifest-path", arena_format(v->arena, "%.*s%sCargo.toml", (int)t->package.len,
	    t->package.at, t->package.len > 0 ? "/" : ""), arena_format(v->arena, "--%.*s", STRF(t->kind)), NULL, NULL, NULL };
	size_t count = 0, n = 5;
	while (args != NULL && args[count] != NULL) count++;
	const char **more = arena_take(v->arena, sizeof *more, count + 2);
	more[0] = args == NULL ? "--no-run" : "--";
	if (!verdict_word(" lib doc ", t->kind)) words[n++] = arena_z(v->arena, t->name);
	if (site->release) words[n] = "--release";
	for (size_t k = 0; k < count; k++) more[k + 1] = args[k];
	return verdict_cargo(v, site, words, more, out, error);
}
/* Runs the tests of one target, which is built before, with the runner's arguments. */
static int verdict_test_run(struct verdict *v, const struct site *site, const struct verdict_target *t,
    const char *const *args, struct verdict_output *out, struct error *error) {
	static const char *const list[] = { "--list", NULL };
	if (verdict_test(v, site, t, str_eq(t->kind, STR("doc")) ? list : NULL, out, error) != 0) return -1;
	struct buf seal = seal_take(v, site->target, NULL);
	if (verdict_test(v, site, t, args, out, error) != 0) return -1;
	out->changed = seal_broken(v, site->target, NULL, &seal);
	return 0;
}
/* Builds all targets, before anything of them runs. */
static int verdict_build_all(struct verdict *v, const struct site *site, struct verdict_target *targets, size_t count,
    struct outcome *r, struct error *error) {
	static const char *const list[] = { "--list", NULL };
	for (struct verdict_target *t = targets; t < targets + count && !v->late; t++)
		if (!t->idle && verdict_test(v, site, t, str_eq(t->kind, STR("doc")) ? list : NULL, &r->output, error) != 0) return -1;
	return 0;
}
/* Reads `test result: ok. 3 passed; 0 failed; 1 ignored; ...`. */
static bool verdict_summary(struct str line, long counts[3]) {
	char text[160], word[8];
	int end = 0;
	if (line.len >= sizeof text || !str_starts(line, STR("test result: "))) return false;
	snprintf(text, sizeof text, "%.*s", STRF(line));
	return sscanf(text, "test result: %7[okFAILED]. %ld passed; %ld failed; %ld ignored; %n", word, &counts[0], &counts[1],
	    &counts[2], &end) == 4 &&
	    end > 0 && counts[0] >= 0 && counts[1] >= 0 && counts[2] >= 0 && (strcmp(word, "ok") == 0) == (counts[1] == 0);
}
/* What a runner said: its last closing line (of doc tests: the sum of all) and the list of failures before that. What
 * tests print stands before both, and is not taken for them; a report that is forged as a whole, the added tests find
 * out (4). */
static void verdict_read_report(struct verdict *v, bool doc, struct outcome *r) {
	struct str rest = r->output.out, line, list = { NULL, 0 }, name;
	long counts[3];
	struct buf names = { .arena = v->arena };
	while (str_line(&rest, &line)) {
		if (str_eq(line, STR("failures:"))) list = rest;
		if (!verdict_summary(line, counts)) continue;
		r->whole = true;
		r->passed = counts[0] + (doc ? r->passed : 0), r->failed = counts[1] + (doc ? r->failed : 0),
		    r->ignored = counts[2] + (doc ? r->ignored : 0);
		list.len = list.at == NULL || list.at > line.at ? 0 : (size_t)(line.at - list.at);
		for (names.len = 0; counts[1] > 0 && str_line(&list, &name);)
			if (str_starts(name, STR("    "))) name = str_trim(name), verdict_push(&names, &name, sizeof name);
	}
	r->failures = ITEMS(struct str, names);
	r->failure_count = COUNT(struct str, names);
}
/* Of the name of a doc test of t, "src/lib.rs - f (line 3)", the place: "dir/src/lib.rs:3". Empty: it names none. */
static struct str verdict_place_of(struct verdict *v, const struct verdict_target *t, struct str name) {
	ptrdiff_t at = str_find(name, STR(" (line ")), dash = str_find(name, STR(" - "));
	if (at < 0 || dash < 0) return STR("");
	struct str file = str_cut(name, 0, (size_t)dash);
	if (!str_starts(file, t->package)) file = verdict_join(v->arena, t->package, file); /* older cargo */
	return str_of(arena_format(v->arena, "%.*s:%lu", STRF(file), strtoul(name.at + at + 7, NULL, 10)));
}
/* The sorted names in a listing; of doc tests without their line numbers. False: it is none. */
static bool verdict_names(struct verdict *v, struct str text, bool doc, struct str **names, size_t *count,
    struct verdict_target *t) {
	struct buf out = { .arena = v->arena }, places = { .arena = v->arena };
	bool closed = false;
	for (struct str line; str_line(&text, &line);) {
		closed |= str_find(line, STR(" benchmarks")) >= 0 || str_find(line, STR(" benchmark")) >= 0;
		if (!str_ends(line, STR(": test"))) continue;
		ptrdiff_t at = doc ? str_find(line, STR(" (line ")) : -1;
		struct str place = at < 0 || t == NULL ? STR("") : verdict_place_of(v, t, line);
		if (place.len > 0) verdict_push(&places, &place, sizeof place);
		line.len = at >= 0 ? (size_t)at : line.len - 6;
		verdict_push(&out, &line, sizeof line);
	}
	*names = ITEMS(struct str, out);
	*count = COUNT(struct str, out);
	verdict_sort(*names, *count, sizeof **names, verdict_by_str);
	if (t == NULL) return closed;
	t->places = ITEMS(struct str, places), t->place_count = COUNT(struct str, places);
	verdict_sort(t->places, t->place_count, sizeof *t->places, verdict_by_str);
	return closed;
}
/* Lists and runs the tests of one target. 0 with what came out in *r and the names in *t, or -1. */
static int verdict_target_run(struct verdict *v, const struct site *site, struct verdict_target *t, struct outcome *r,
    struct error *error) {
	static const char *const list[] = { "--list", NULL }, *const ignored[] = { "--list", "--ignored", NULL },
	    *const all[] = { NULL };
	struct verdict_output out;
	bool doc = str_eq(t->kind, STR("doc"));
	*r = (struct outcome){ 0 };
	if (verdict_test(v, site, t, list, &r->output, error) != 0) return -1;
	/* what the code prints can say the same: but then cargo adds a line of its own */
	r->absent = t->gated && r->output.status != 0 && str_find(r->output.err, STR("requires the features")) >= 0 &&
	    str_find(r->output.err, STR("could not compile")) < 0 && str_find(r->output.err, STR("test failed")) < 0;
	t->absent = r->absent;
	r->broken = !r->absent && (r->output.timeout || (r->output.status != 0 &&
	    str_find(r->output.err, STR("test failed")) < 0));
	t->compiled = !r->absent && !r->broken;
	t->harness = t->compiled && verdict_names(v, r->output.out, doc, &t->names, &t->count, t) && r->output.status == 0;
	r->whole = t->harness && t->count == 0;
	if (!t->compiled || r->whole) return 0;
	if (verdict_test_run(v, site, t, all, &r->output, error) != 0) return -1;
	if (t->harness) verdict_read_report(v, doc, r);
	if (!t->harness || (r->whole && r->ignored == 0)) return 0;
	if (verdict_test(v, site, t, ignored, &out, error) != 0) return -1;
	verdict_names(v, out.out, doc, &t->ignored, &t->ignored_count, NULL);
	return 0;
}
static const char *verdict_title(struct verdict *v, const struct verdict_target *t) {
	return arena_format(v->arena, "%.*s%s%.*s %.*s", STRF(t->package), t->package.len > 0 ? ": " : "", STRF(t->kind),
	    STRF(t->name));
}
/* How a run of one target was not all green; NULL when it was. */
static const char *verdict_red(struct verdict *v, const struct verdict_target *t, const struct outcome *r) {
	const char *title = verdict_title(v, t);
	struct arena *a = v->arena;
	int status = r->output.status;
	if (r->absent) return NULL;
	if (r->output.changed != NULL) return r->output.changed;
	if (r->output.timeout) return v->spent < VERDICT_ROUNDS * v->timeout ? arena_format(a, "%s: ran past %u s", title, v->timeout) :
	    arena_format(a, "%s: all cargo runs together passed %u s", title, VERDICT_ROUNDS * v->timeout);
	if (r->broken) return arena_format(a, "%s: does not compile: %.*s", title, STRF(verdict_words(r->output.err)));
	if (r->output.cut) return arena_format(a, "%s: prints more than 16 MiB", title);
	if (!t->harness) return status == 0 ? NULL : arena_format(a, "%s: ended with status %d", title, status);
	if (r->failure_count > 0) return arena_format(a, "%.*s failed%s", STRF(r->failures[0]), r->failure_count == 1 ? "" :
	    arena_format(a, ", and %zu more", r->failure_count - 1));
	if (!r->whole) return arena_format(a, "%s: the runner ended early, with status %d", title, status);
	if (status != 0 || r->failed != 0)
		return arena_format(a, "%s: status %d and %ld failures do not agree", title, status, r->failed);
	if ((size_t)(r->passed + r->ignored) != t->count || (size_t)r->ignored != t->ignored_count)
		return arena_format(a, "%s: %ld passed and %ld ignored, of %zu tests with %zu marked to be ignored", title, r->passed,
		    r->ignored, t->count, t->ignored_count);
	return NULL;
}

/* ---- 4. tests that the host adds --------------------------------------------------------------------------------- */

/* Where the second copy is made to fail: byte k of a file that is written after the build is compared with seed[k], which
 * only the test knows. The first VERDICT_ADDED are of the added tests, the others of the baseline's in units. */
struct added {
	struct verdict *v;
	const struct site *site;
	struct verdict_tree *tree;
	unsigned long long name;
	const char *path;      /* of that file */
	struct buf units;      /* struct verdict_unit *, by file and place */
	unsigned char *seed, *made;
	uint32_t *draw;
	bool *meant;           /* to fail */
	bool green;            /* all others pass */
};
/* The statement that fails if byte k of the file is as drawn. It takes its names from std itself, whatever is in scope. */
static void added_form(const struct added *a, const struct verdict_target *t, size_t k, struct buf *out) {
	struct verdict_file *root = verdict_find(a->tree, t->root);
	bool plain = t->modern && root != NULL && str_find(verdict_load(a->v->arena, a->tree, root), STR("no_std")) < 0;
	buf_format(out, "%s%s::option::Option::Some(()).filter(|_| %s::fs::read(r####\"%s\"####).unwrap()[%zu] == %u).unwrap()%s;",
	    plain ? "let () = " : "#[allow(unused_extern_crates, unused_qualifications)] let () = { extern crate std as s; ",
	    plain ? "::std" : "s", plain ? "::std" : "s", a->path, k, a->seed[k], plain ? "" : " }");
}
static int added_by_place(const void *a, const void *b) {
	const struct verdict_unit *x = *(struct verdict_unit *const *)a, *y = *(struct verdict_unit *const *)b;
	int order = verdict_by_str(&x->file->path, &y->file->path);
	return order != 0 ? order : x->at != y->at ? (x->at < y->at ? -1 : 1) : x->target < y->target ? -1 : x->target > y->target;
}
static struct str verdict_at(struct verdict *v, const struct verdict_unit *u) {
	return str_of(arena_format(v->arena, "%.*s:%u", (int)u->file->path.len, u->file->path.at, u->line));
}
static char *added_name(struct verdict *v, const struct verdict_unit *u) {
	return arena_format(v->arena, "%.*s%s%.*s", STRF(u->path), u->path.len > 0 ? "::" : "", STRF(u->name));
}
/* The doc tests of a package; NULL: there are none. */
static const struct verdict_target *added_docs(const struct verdict_target *targets, size_t count, struct str package) {
	for (const struct verdict_target *t = targets; t < targets + count; t++)
		if (str_eq(t->kind, STR("doc")) && str_eq(t->package, package)) return t;
	return NULL;
}
/* The tests of the baseline that can be made to fail: plain functions, known by name, and doc tests, known by place. */
static void added_units(struct added *a, struct census *c, const struct verdict_target *targets, size_t count) {
	struct verdict_unit *u = ITEMS(struct verdict_unit, c->units), *end = u + COUNT(struct verdict_unit, c->units);
	for (; u < end; u++) {
		const struct verdict_target *t = u->kind == 'd' ? added_docs(targets, count, u->target->package) : u->target;
		size_t body = u->kind == 't' ? u->file->tokens[u->to - 1].match : 0;
		struct str name = str_of(added_name(a->v, u));
		bool plain = u->certain && u->found && t != NULL && t->harness && (u->kind == 'd' ? u->at > 0 &&
		    verdict_in(verdict_at(a->v, u), t->places, t->place_count) : body > u->from && rust_is(u->file, body, "{") &&
		    !(rust_is(u->file, body + 1, "#") && rust_is(u->file, body + 2, "!")) && verdict_in(name, t->names, t->count) &&
		    !verdict_in(name, t->ignored, t->ignored_count));
		for (size_t k = u->from; k < body && plain; k++) plain = !rust_is(u->file, k, "should_panic");
		if (plain && u->kind == 't') u->at = u->file->tokens[body].at + 1;
		if (plain) u->target = (struct verdict_target *)(uintptr_t)t, verdict_push(&a->units, &u, sizeof u);
	}
	verdict_sort(a->units.at, COUNT(struct verdict_unit *, a->units), sizeof u, added_by_place);
}
/* Writes the files of the baseline's tests anew, with what makes them fail at the start of each, so that no line moves. */
static int added_files(struct added *a, struct error *error) {
	struct verdict_unit **u = ITEMS(struct verdict_unit *, a->units);
	size_t count = COUNT(struct verdict_unit *, a->units);
	for (size_t k = 0, done = 0; k < count;) {
		struct verdict_file *f = u[k]->file;
		struct buf text = { .arena = a->v->arena };
		for (done = 0; k < count && u[k]->file == f; k++) {
			if (done > 0 && u[k]->at <= done) continue; /* of a file that two targets have */
			buf_add(&text, str_cut(f->bytes, done, u[k]->at));
			/* a doc test fails at its end: one that ends early, and well, shows */
			if (u[k]->kind == 'd') buf_add(&text, STR("let _t = { struct T; impl ::std::ops::Drop for T { fn drop(&mut self) { "));
			added_form(a, u[k]->target, VERDICT_ADDED + k, &text);
			if (u[k]->kind == 'd') buf_add(&text, STR(" } } T }; "));
			done = u[k]->at;
		}
		buf_add(&text, str_skip(f->bytes, done));
		if (verdict_write(arena_format(a->v->arena, "%s/%.*s", a->site->dir, (int)f->path.len, f->path.at), buf_str(&text),
		    error) != 0) return -1;
	}
	return 0;
}
/* Appends tests with random names to the first file of a target. */
static int verdict_add(struct added *a, const struct verdict_target *t, struct error *error) {
	struct buf text = { .arena = a->v->arena };
	struct str bytes = { NULL, 0 };
	char *path = arena_format(a->v->arena, "%s/%.*s", a->site->dir, (int)t->root.len, t->root.at);
	if (!verdict_read(a->v->arena, AT_FDCWD, path, &bytes)) return error_set(error, 5, "cannot read %s:", path);
	buf_add(&text, bytes);
	for (size_t k = 0; k < VERDICT_ADDED; k++) {
		buf_format(&text, "\n#[%stest]\nfn t%016llx_%zu() {\n\t", t->modern ? "::core::prelude::v1::" : "", a->name, k);
		added_form(a, t, k, &text);
		buf_add(&text, STR("\n}\n"));
	}
	return verdict_write(path, buf_str(&text), error);
}
/* Draws at random what must fail: half of the added tests, and none or half of the baseline's tests and doc tests. */
static int added_draw(struct added *a, bool half, struct error *error) {
	size_t count = COUNT(struct verdict_unit *, a->units), left[3] = { VERDICT_ADDED, 0, 0 }, need[3] = { VERDICT_ADDED / 2, 0, 0 };
	struct verdict_unit **u = ITEMS(struct verdict_unit *, a->units);
	if (verdict_random(a->draw, (VERDICT_ADDED + count) * sizeof *a->draw, error) != 0) return -1;
	for (size_t k = 0; k < count; k++) left[1 + (u[k]->kind == 'd')]++;
	for (size_t n = 1; n < 3 && half; n++) need[n] = (left[n] + 1) / 2;
	for (size_t k = 0; k < VERDICT_ADDED + count; k++) {
		size_t i = k - VERDICT_ADDED, n = k < VERDICT_ADDED ? 0 : 1 + (u[i]->kind == 'd');
		a->meant[k] = a->draw[k] % left[n] < need[n], need[n] -= a->meant[k], left[n]--;
		/* one function in two targets is one test */
		if (k > VERDICT_ADDED && u[i]->file == u[i - 1]->file && u[i]->at == u[i - 1]->at) a->meant[k] = a->meant[k - 1];
		a->made[k] = (unsigned char)(a->seed[k] ^ (!a->meant[k] ? 0 : 1 + a->seed[k] % 255));
	}
	return 0;
}
/* Whether the doc test that failed does not even compile: what is put at its beginning does not suit it. */
static bool added_unsuited(struct verdict *v, const struct outcome *r, struct str name) {
	struct str head = str_of(arena_format(v->arena, "---- %.*s stdout ----\n", STRF(name)));
	ptrdiff_t at = str_find(r->output.out, head);
	return at >= 0 && str_starts(str_skip(r->output.out, (size_t)at + head.len), STR("error"));
}
/* Runs them: exactly those must fail that were made to. */
static int verdict_added_run(struct added *a, const struct verdict_target *t, struct fault *fault, struct error *error) {
	static const char *const all[] = { NULL };
	struct verdict *v = a->v;
	struct outcome r = { 0 };
	struct verdict_unit **u = ITEMS(struct verdict_unit *, a->units);
	size_t count = COUNT(struct verdict_unit *, a->units);
	if (verdict_write(a->path, (struct str){ (const char *)a->made, VERDICT_ADDED + count }, error) != 0 ||
	    verdict_test_run(v, a->site, t, all, &r.output, error) != 0) return -1;
	bool doc = str_eq(t->kind, STR("doc"));
	verdict_read_report(v, doc, &r);
	struct str *failed = arena_take(v->arena, sizeof *failed, r.failure_count + 1);
	if (r.output.changed != NULL) verdict_wrong(fault, "%s", r.output.changed);
	for (size_t k = 0; k < r.failure_count; k++)
		failed[k] = !doc ? r.failures[k] : verdict_place_of(v, t, r.failures[k]);
	verdict_sort(failed, r.failure_count, sizeof *failed, verdict_by_str);
	if (!r.whole || (r.output.status == 0) != (r.failed == 0) || r.output.timeout || r.output.cut ||
	    (size_t)(r.passed + r.failed + r.ignored) != t->count + (doc ? 0 : VERDICT_ADDED))
		verdict_wrong(fault, "%s: with tests added, half made to fail, the report is not what it must be (status %d)",
		    verdict_title(v, t), r.output.status);
	for (size_t k = doc ? VERDICT_ADDED : 0; k < VERDICT_ADDED + count && fault->count == 0; k++) {
		bool added = k < VERDICT_ADDED;
		const struct verdict_unit *unit = added ? NULL : u[k - VERDICT_ADDED];
		if (!added && (unit->target != t || (!a->green && !a->meant[k]))) continue;
		struct str test = added ? str_of(arena_format(v->arena, "t%016llx_%zu", a->name, k)) : doc ? verdict_at(v, unit) :
		    str_of(added_name(v, unit));
		if (verdict_in(test, failed, r.failure_count) == a->meant[k]) continue;
		bool unsuited = false;
		for (size_t n = 0; doc && n < r.failure_count; n++)
			unsuited |= str_eq(verdict_place_of(v, t, r.failures[n]), test) && added_unsuited(v, &r, r.failures[n]);
		if (unsuited) continue;
		verdict_wrong(fault, "%s: a test that the host made to %s is reported otherwise%s%.*s", verdict_title(v, t),
		    a->meant[k] ? "fail" : "pass", added ? "" : ": ", added ? 0 : (int)test.len, test.at);
	}
	return 0;
}
/* Point 4, second half: in a second copy, built before it is decided what must fail. */
static int verdict_added(struct verdict *v, const struct site *site, struct verdict_target *targets, size_t count,
    struct census *c, bool green, struct fault *fault, struct error *error) {
	struct added a = { .v = v, .site = site, .tree = c->tree, .units = { .arena = v->arena }, .green = green };
	struct verdict_output out;
	struct outcome built;
	struct buf seal = { .arena = v->arena };
	char real[PATH_MAX];
	if (realpath(site->target, real) == NULL || verdict_random(&a.name, sizeof a.name, error) != 0)
		return error_set(error, 5, "cannot use %s:", site->target);
	a.path = arena_format(v->arena, "%s/t%016llx", real, a.name);
	added_units(&a, c, targets, count);
	size_t all = VERDICT_ADDED + COUNT(struct verdict_unit *, a.units);
	a.seed = arena_take(v->arena, 1, all), a.made = arena_take(v->arena, 1, all);
	a.draw = arena_take(v->arena, sizeof *a.draw, all), a.meant = arena_take(v->arena, sizeof *a.meant, all);
	if (verdict_random(a.seed, all, error) != 0 || added_files(&a, error) != 0) return -1;
	for (int step = 0; step < (all > VERDICT_ADDED ? 4 : 3) && fault->count == 0; step++) {
		if (step >= 2 && added_draw(&a, step == 3, error) != 0) return -1;
		if (step == 2 && verdict_build_all(v, site, targets, count, &built, error) != 0) return -1;
		if (step == 2) seal = seal_take(v, site->dir, c->tree);
		for (size_t k = 0; k < count && fault->count == 0; k++) {
			struct verdict_target *t = &targets[k];
			if (!t->harness || t->count == 0 || (str_eq(t->kind, STR("doc")) && step < 3)) continue;
			if (step == 0 && verdict_add(&a, t, error) != 0) return -1;
			if (step == 1 && verdict_test(v, site, t, NULL, &out, error) != 0) return -1;
			if (step == 1 && out.status != 0)
				verdict_wrong(fault, "%s: does not compile with tests added: %.*s", verdict_title(v, t),
				    STRF(verdict_words(out.err)));
			if (step >= 2 && verdict_added_run(&a, t, fault, error) != 0) return -1;
			const char *broken = step < 2 ? NULL : seal_broken(v, site->dir, c->tree, &seal);
			if (broken != NULL) verdict_wrong(fault, "%s", broken);
		}
	}
	return 0;
}

/* ---- 5. the host's own questions to the fixture ------------------------------------------------------------------ */

/* What a program said when it panicked; else how it ended. */
static const char *verdict_panic(struct verdict *v, const struct verdict_output *out) {
	struct str rest = out->err, line, why = { NULL, 0 };
	while (why.at == NULL && str_line(&rest, &line))
		if (str_find(line, STR("panicked at")) >= 0 && (!str_line(&rest, &why) || str_starts(why, STR("note:")))) why = line; /* Rust < 1.73 */
	return why.len == 0 ? arena_format(v->arena, "it ended with status %d", out->status) : arena_format(v->arena, "it panicked: %.*s", STRF(why));
}
/* Point 5: the driver is built against the copy of the fixture in around/chunker, as for debugging and as for release,
 * and its answers are compared here. */
static int verdict_ask(struct verdict *v, const char *around, struct fault *fault, struct error *error) {
	static const char *const build[] = { "build", "--offline", "--manifest-path", "driver/Cargo.toml", NULL },
	    *const optimized[] = { "--release", NULL };
	struct arena *a = v->arena;
	struct site site = { around, verdict_place(v, "target", true, error), false, false };
	struct verdict_output out;
	struct buf ask = { .arena = a }, want = { .arena = a };
	uint64_t seed;
	char *driver = arena_format(a, "%s/driver", around), *sources = arena_format(a, "%s/src", driver);
	if (site.target == NULL) return -1;
	if (mkdir(driver, 0700) != 0 || mkdir(sources, 0700) != 0) return error_set(error, 5, "cannot make %s:", sources);
	if (verdict_write(arena_format(a, "%s/Cargo.toml", driver),
	    STR("[package]\nname = \"driver\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n"
	    "chunker = { path = \"../chunker\" }\n\n[workspace]\n"),
		error) != 0 || verdict_write(arena_format(a, "%s/main.rs", sources),
	    str_of(verdict_driver()), error) != 0 ||
		verdict_random(&seed, sizeof seed, error) != 0) return -1;
	verdict_questions(&ask, &want, seed);
	for (int release = 0; release < 2 && fault->count == 0; release++) {
		const char *when = release == 0 ? "" : ", built with --release";
		if (verdict_cargo(v, &site, build, release == 0 ? NULL : optimized, &out, error) != 0) return -1;
		if (out.status != 0)
			verdict_wrong(fault, "the driver does not build against the library: %.*s", STRF(verdict_words(out.err)));
		if (out.status != 0) return 0;
		char *argv[] = { arena_format(a, "%s/%s/driver", site.target, release == 0 ? "debug" : "release"), NULL };
		struct verdict_job job = { around, site.target, argv, buf_str(&ask), 20, (uint64_t)1 << 30, want.len + 4096 };
		out = (struct verdict_output){ 0 };
		if (v->run(v->context, &job, &out, error) != 0) return -1;
		struct str left = buf_str(&want), asked = buf_str(&ask), given = out.out, w, q, g;
		if (out.timeout) verdict_wrong(fault, "no answers within 20 s%s", when);
		while (fault->count == 0 && str_line(&left, &w) && str_line(&asked, &q)) {
			bool answered = str_line(&given, &g);
			if (answered && str_eq(g, w)) continue;
			static const char *const types[] = { "usize", "u8", "()", "a type of the driver's own", "String" }, kinds[] = "nbuos";
			const char *type = strchr(kinds, q.at[0]);
			struct str size = str_skip(q, 2), items = str_skip(size, (size_t)(strcspn(size.at, " \n")));
			size.len -= items.len, items = str_trim(items);
			verdict_wrong(fault, "%s %.60s%s%s, size %.*s): %.80s is right, %s%.80s%s", type == NULL ?
			    "chunk_count(len" : "chunks(items", arena_z(a, items), type == NULL ? "" : " of ", type == NULL ? "" :
			    types[type - kinds], STRF(size), arena_z(a, w), answered ? "the answer is " : "", answered ? arena_z(a, g) :
			    out.status == 0 ? "the answer is missing" : verdict_panic(v, &out), when);
		}
		if (given.len > 0 || out.cut) verdict_wrong(fault, "there are more answers than questions%s", when);
		if (out.status != 0) verdict_wrong(fault, "%s%s", verdict_panic(v, &out), when);
	}
	return 0;
}

/* ---- 6. the baseline and the judge ------------------------------------------------------------------------------- */

/* A copy of the crate for cargo to work in, with the baseline's Cargo.lock or none. */
static int verdict_site(struct verdict *v, const char *from, struct site *site, struct error *error) {
	struct verdict_tree tree;
	struct verdict_file *old = verdict_find(&v->before, STR("Cargo.lock"));
	*site = (struct site){ verdict_place(v, "crate", false, error), verdict_place(v, "target", true, error), v->locked &&
	    !v->allow_manifest, false };
	if (site->target == NULL || verdict_walk(v, from, site->dir, NULL, &tree, error) != 0) return -1;
	char *lock = arena_format(v->arena, "%s/Cargo.lock", site->dir);
	return unlink(lock) != 0 && errno != ENOENT ? error_set(error, 5, "cannot remove %s:", lock) :
	    old == NULL ? 0 : verdict_write(lock, verdict_load(v->arena, &v->before, old), error);
}
static const char *verdict_sign(struct verdict *v, struct str text, const char *const *signs) {
	for (; *signs != NULL; signs++)
		if (str_find(text, str_of(*signs)) >= 0) return arena_format(v->arena, "%s", *signs);
	return NULL;
}
/* A failed test of the baseline to which the boundary refused something: its name, or NULL. */
static const char *verdict_refused(struct verdict *v, const struct outcome *r) {
	static const char *const signs[] = { "Os { code: 13,", "Os { code: 1,", "(os error 13)", "(os error 1)", NULL };
	for (size_t k = 0; k < r->failure_count; k++) {
		struct str head = str_of(arena_format(v->arena, "---- %.*s stdout ----\n", STRF(r->failures[k])));
		ptrdiff_t at = str_find(r->output.out, head), end;
		struct str block = at < 0 ? STR("") : str_skip(r->output.out, (size_t)at + head.len);
		end = str_find(block, STR("\n---- "));
		block.len = end < 0 ? block.len : (size_t)end;
		if (verdict_sign(v, block, signs) != NULL) return arena_z(v->arena, r->failures[k]);
	}
	return NULL;
}
/* Runs one target of the baseline and sorts what came out; -1 with status 2 for what cannot be judged. */
static int verdict_baseline_run(struct verdict *v, struct site *site, struct verdict_target *t,
    enum verdict_state *state, struct error *error) {
	static const char *const offline[] = { "no matching package named", "failed to download", "failed to get `",
	    "unable to update", "failed to load source",
		"failed to fetch", "can't checkout from", "attempting to make an HTTP request", NULL };
	struct outcome r;
	if (verdict_target_run(v, site, t, &r, error) != 0) return -1;
	if (r.broken && site->locked && str_find(r.output.err, STR("--locked")) >= 0) { /* a Cargo.lock that is out of date */
		site->locked = false;
		if (verdict_target_run(v, site, t, &r, error) != 0) return -1;
	}
	struct str words = verdict_words(r.output.err);
	if (r.broken && verdict_sign(v, r.output.err, offline) != NULL)
		return error_set(error, 2, "the dependencies cannot be had offline (run `cargo fetch` or `cargo vendor` in the crate "
		    "first): %.*s", STRF(words));
	if (r.broken && !r.output.timeout && str_find(r.output.err, STR("could not compile")) < 0 &&
	    str_find(r.output.err, STR("error[")) < 0)
		return error_set(error, 2, "cargo cannot build the crate: %.*s", STRF(words));
	const char *refused = verdict_refused(v, &r);
	if (refused != NULL)
		return error_set(error, 2, "the test %s needs what the boundary refuses (sockets, files outside): it cannot "
		    "be judged here", refused);
	const char *red = verdict_red(v, t, &r);
	if (red != NULL && (*v->why == '\0' || (r.broken && *state != VERDICT_BROKEN))) v->why = red;
	*state = r.broken ? VERDICT_BROKEN : *state == VERDICT_GREEN && red != NULL ? VERDICT_RED : *state;
	return 0;
}
static int verdict_baseline(struct verdict *v, const char *before, enum verdict_state *state, struct error *error) {
	struct site site;
	struct str words = STR("cargo names no packages");
	size_t tests = 0;
	char real[PATH_MAX];
	*state = VERDICT_GREEN, v->spent = 0, v->why = "";
	if (realpath(v->scratch, real) == NULL) return error_set(error, 5, "cannot use %s:", v->scratch);
	if (cargo_above(v->arena, real, false, error) != 0 || verdict_walk(v, before, NULL, NULL, &v->before, error) != 0 ||
	    verdict_site(v, before, &site, error) != 0) return -1;
	int got = verdict_metadata(v, &site, &v->targets, &v->target_count, &words, error);
	if (got <= 0) return got < 0 ? -1 : error_set(error, 2, "this crate cannot be judged: %.*s", STRF(words));
	site.locked = verdict_find(&v->before, STR("Cargo.lock")) != NULL;
	for (struct verdict_target *t = v->targets; t < v->targets + v->target_count; t++) {
		if (!t->idle && verdict_baseline_run(v, &site, t, state, error) != 0) return -1;
		tests += t->count + (!t->harness && t->compiled);
	}
	for (struct verdict_target *t = v->targets, *end = t + v->target_count; t < end; t++) /* a package with tests is for itself, too */
		for (struct verdict_target *o = v->targets; o < end; o++)
			if (t->count > 0 && str_eq(o->package, t->package)) o->support = false;
	v->locked = site.locked, v->sound = *state != VERDICT_BROKEN;
	verdict_read(v->arena, AT_FDCWD, arena_format(v->arena, "%s/Cargo.lock", site.dir), &v->lock);
	v->census = verdict_census(v, &v->before, v->targets, v->target_count);
	if (v->census->budget == 0) return error_set(error, 2, "this crate cannot be judged: " VERDICT_TOO_LARGE);
	for (size_t k = 0; k < COUNT(struct verdict_unit, v->census->units); k++)
		tests += strchr("td!", ITEMS(struct verdict_unit, v->census->units)[k].kind) != NULL &&
		    !ITEMS(struct verdict_unit, v->census->units)[k].target->idle;
	return tests > 0 ? 0 : error_set(error, 2, "the crate has no tests: there is nothing to judge it by");
}
/* What acts later, outside: reported, not judged. */
static void verdict_notes(struct verdict *v, struct verdict_tree *after, struct buf *watch) {
	static const char names[] = " .gitattributes .gitmodules .gitconfig .editorconfig .envrc .env .vimrc .exrc .nvimrc "
	    ".nvim.lua .bashrc .bash_profile .profile .zshrc .zshenv .dir-locals.el .pre-commit-config.yaml .tool-versions "
	    ".mise.toml ";
	static const char dirs[] = " .vscode .idea .helix .zed .devcontainer .fleet .githooks .husky ";
	struct str rest = buf_str(&v->watch), line;
	struct buf had = { .arena = v->arena };
	while (str_line(&rest, &line)) verdict_push(&had, &line, sizeof line);
	verdict_sort(had.at, COUNT(struct str, had), sizeof line, verdict_by_str);
	for (rest = buf_str(watch); str_line(&rest, &line);)
		if (!verdict_in(line, ITEMS(struct str, had), COUNT(struct str, had)) && !(v->gitless && str_starts(str_skip(line, 17), STR(".git/"))))
			v->note(v->context, arena_format(v->arena, "%.*s is new or was changed: it acts outside, when git is used or the "
			    "file is written", STRF(str_skip(line, 17))));
	for (size_t k = 0; k < after->count; k++) {
		struct verdict_file *f = &after->files[k];
		bool sharp = verdict_word(names, str_basename(f->path));
		for (struct str at = str_dirname(f->path); at.len > 0 && !sharp; at = str_dirname(at))
			sharp = verdict_word(dirs, str_basename(at));
		if (sharp && !verdict_same(v->arena, after, f, &v->before, verdict_find(&v->before, f->path)))
			v->note(v->context, arena_format(v->arena, "%.*s is new or was changed: an editor, a shell or git may act on "
			    "it later", STRF(f->path)));
	}
}
/* What of the baseline's target t must be among the tests that are run now: by name; of what did not compile, by its
 * units. */
static void verdict_all_there(struct verdict *v, const struct verdict_target *t, const struct verdict_target *now,
    struct census *c, struct fault *fault) {
	const struct verdict_unit *u = ITEMS(struct verdict_unit, c->units), *end = u + COUNT(struct verdict_unit, c->units);
	for (size_t i = 0, j = 0; i < t->count; i++) {
		if (verdict_in(t->names[i], t->ignored, t->ignored_count)) continue;
		while (now != NULL && j < now->count && verdict_by_str(&now->names[j], &t->names[i]) < 0) j++;
		if (now == NULL || j == now->count || !str_eq(now->names[j], t->names[i]))
			verdict_wrong(fault, "%.*s is no longer run", STRF(t->names[i]));
		else if (verdict_in(t->names[i], now->ignored, now->ignored_count))
			verdict_wrong(fault, "%.*s is ignored now", STRF(t->names[i]));
		else
			j++;
	}
	struct str manifest = verdict_join(v->arena, t->package, STR("Cargo.toml"));
	struct verdict_file *file = verdict_find(&v->before, manifest);
	bool own = file != NULL && str_find(verdict_load(v->arena, &v->before, file), STR("harness")) >= 0; /* perhaps a main */
	for (; u < end && !t->compiled && !t->absent; u++) {
		if (u->kind != 't' || !u->certain || u->target != t) continue;
		struct str name = str_of(arena_format(v->arena, "%.*s%s%.*s", STRF(u->path), u->path.len > 0 ? "::" : "",
		    STRF(u->name)));
		if (now == NULL || !now->compiled || (now->harness ? !verdict_in(name, now->names, now->count) : !own))
			verdict_wrong(fault, "%.*s is not run", STRF(name));
	}
	for (u = ITEMS(struct verdict_unit, c->units); u < end && str_eq(t->kind, STR("doc")) && now != NULL; u++)
		if (u->kind == 'd' && u->twin != NULL && str_eq(u->target->package, t->package) && (t->compiled ?
		    verdict_in(verdict_at(v, u), t->places, t->place_count) : u->certain) &&
		    !verdict_in(verdict_at(v, u->twin), now->places, now->place_count))
			verdict_wrong(fault, "the doc test at %.*s is not run", STRF(verdict_at(v, u->twin)));
	if (t->compiled && !t->harness && (now == NULL || !now->compiled))
		verdict_wrong(fault, "%s is no longer run", verdict_title(v, t));
}
/* Runs the target t of the baseline as it is now, without the tests that are new: those may set what the code waits for. */
static int verdict_alone(struct verdict *v, const struct site *site, const struct verdict_target *t,
    const struct verdict_target *now, const struct census *after, struct fault *fault, struct error *error) {
	const struct verdict_unit *u = ITEMS(struct verdict_unit, after->units), *end = u + COUNT(struct verdict_unit,
	    after->units);
	struct buf list = { .arena = v->arena };
	struct outcome r = { 0 };
	for (; u < end && !t->harness; u++) { /* it did not compile: what is new, the units tell */
		struct str name = str_of(added_name(v, u));
		if (u->kind == 't' && u->target == now && !u->found) verdict_push(&list, &name, sizeof name);
	}
	struct str *new = ITEMS(struct str, list);
	size_t count = COUNT(struct str, list), n = 1;
	verdict_sort(new, count, sizeof *new, verdict_by_str);
	const char **args = arena_take(v->arena, sizeof *args, 2 * now->count + 2);
	args[0] = "--exact";
	for (size_t k = 0; k < now->count; k++)
		if (t->harness ? !verdict_in(now->names[k], t->names, t->count) : verdict_in(now->names[k], new, count))
			args[n++] = "--skip", args[n++] = arena_z(v->arena, now->names[k]);
	if (n > 4000) verdict_wrong(fault, "%s: there are more than 2,000 new tests", verdict_title(v, now));
	if (n == 1 || n > 4000 || n == 2 * now->count + 1) return 0;
	if (verdict_test_run(v, site, now, args, &r.output, error) != 0) return -1;
	verdict_read_report(v, false, &r);
	if (r.output.changed != NULL) verdict_wrong(fault, "%s", r.output.changed);
	if (!r.whole || r.output.status != 0 || r.failed != 0 || (size_t)(r.passed + r.ignored) != now->count - n / 2)
		verdict_wrong(fault, "%s: without the new tests the old ones do not pass: %.*s", verdict_title(v, now),
		    STRF(r.failure_count > 0 ? r.failures[0] : verdict_words(r.output.err)));
	return 0;
}
/* Runs the tests as for release, where new code could be another: nothing must fail. */
static int verdict_optimized(struct verdict *v, const struct site *site, const struct verdict_target *targets, size_t count,
    struct fault *fault, struct error *error) {
	static const char *const all[] = { NULL };
	struct site release = { site->dir, site->target, site->locked, true };
	for (const struct verdict_target *t = targets; t < targets + count; t++) {
		struct outcome r = { 0 };
		if (!t->harness || t->count == 0 || str_eq(t->kind, STR("doc"))) continue;
		if (verdict_test(v, &release, t, all, &r.output, error) != 0) return -1;
		verdict_read_report(v, false, &r);
		if (r.output.timeout || str_find(r.output.err, STR("could not compile")) >= 0 || (r.whole && r.failed == 0)) continue;
		verdict_wrong(fault, "%s: built with --release, %.*s failed", verdict_title(v, t), STRF(r.failure_count > 0 ? r.failures[0] :
		    STR("the runner")));
	}
	return 0;
}
/* Point 4, first half: every test, target by target. */
static int verdict_suite(struct verdict *v, const struct site *site, struct verdict_target *targets, size_t count,
    struct census *before, struct census *after, struct str *lock, struct error *error) {
	struct fault fault = { 0 }, gone = { 0 };
	struct outcome r = { 0 };
	long passed = 0, ignored = 0;
	if (verdict_build_all(v, site, targets, count, &r, error) != 0) return -1;
	verdict_read(v->arena, AT_FDCWD, arena_format(v->arena, "%s/Cargo.lock", site->dir), lock);
	struct buf seal = seal_take(v, site->dir, after->tree);
	for (struct verdict_target *t = targets; t < targets + count; t++) {
		if (t->idle) continue;
		if (!v->late && verdict_target_run(v, site, t, &r, error) != 0) return -1;
		const char *red = verdict_red(v, t, &r);
		if (red != NULL) verdict_wrong(&fault, "%s", red);
		passed += r.passed, ignored += r.ignored;
		/* that the rest takes as long is not waited for */
		const char *broken = seal_broken(v, site->dir, after->tree, &seal);
		if (broken != NULL) verdict_wrong(&fault, "%s", broken);
		if (v->late || broken != NULL) return verdict_report(v, "cargo test passes", &fault, "");
	}
	for (struct verdict_target *t = v->targets; t < v->targets + v->target_count; t++) {
		const struct verdict_target *now = targets;
		while (now < targets + count && !(str_eq(t->package, now->package) && str_eq(t->kind, now->kind) &&
		    str_eq(t->name, now->name) && str_eq(t->root, now->root))) now++;
		if (!t->idle) verdict_all_there(v, t, now == targets + count ? NULL : now, before, &gone);
		if (v->fresh && now < targets + count && now->harness && !str_eq(t->kind, STR("doc")) && fault.count == 0 &&
		    verdict_alone(v, site, t, now, after, &fault, error) != 0) return -1;
	}
	if (v->release && fault.count == 0 && verdict_optimized(v, site, targets, count, &fault, error) != 0) return -1;
	if (v->fresh && fault.count == 0) { /* what leans on new test code is no repair */
		static const char *const plain[] = { "check", "--offline", "--workspace", NULL };
		if (verdict_cargo(v, site, plain, NULL, &r.output, error) != 0) return -1;
		if (r.output.status != 0)
			verdict_wrong(&fault, "the crate does not build without its tests: %.*s", STRF(verdict_words(r.output.err)));
	}
	bool good = verdict_report(v, "cargo test passes", &fault, arena_format(v->arena, ignored > 0 ? "%ld passed, %ld ignored" :
	    "%ld passed", passed, ignored));
	return verdict_report(v, "every test of the baseline ran", &gone, "") && good;
}
/* Cargo.lock: as it was, or as cargo itself writes it. written: what cargo made of the baseline's. */
static bool verdict_lock(struct verdict *v, struct verdict_tree *after, struct str written) {
	struct fault fault = { 0 };
	struct verdict_file *now = verdict_find(after, STR("Cargo.lock")), *old = verdict_find(&v->before, STR("Cargo.lock"));
	struct str bytes = now == NULL ? STR("") : verdict_load(v->arena, after, now), was = old == NULL ? STR("") :
	    verdict_load(v->arena, &v->before, old);
	if (now != NULL && !str_eq(bytes, was) && !str_eq(bytes, written) && !str_eq(bytes, v->lock))
		verdict_wrong(&fault, "Cargo.lock:%zu: changed by hand (cargo would not write it so)",
		    verdict_differ(bytes, written.len > 0 ? written : was));
	return verdict_report(v, "Cargo.lock", &fault, "");
}
/* The checks that need no run: tests, build files, tricks. */
static bool verdict_compare(struct verdict *v, struct census *before, struct census *after) {
	struct hashes names = census_names(before);
	bool intact = verdict_intact(v, before, after, &names), build = verdict_build(v, before->tree, after->tree);
	bool tricks = verdict_tricks(v, before, after, &names);
	v->tampered |= !intact || !build || !tricks;
	return intact && build && tricks;
}
static int verdict_judge(struct verdict *v, const char *dir, struct error *error) {
	struct verdict_tree after, tree;
	struct site site, second;
	struct verdict_target *targets = NULL;
	struct census *a;
	struct buf watch = { .arena = v->arena };
	struct str words = STR("cargo names no packages"), written = { NULL, 0 };
	struct fault added = { 0 }, asked = { 0 };
	size_t count = 0;
	char *copy = verdict_place(v, "after", false, error), *around;
	v->spent = 0, v->late = false;
	if (verdict_walk(v, dir, copy, &watch, &after, error) != 0) {
		v->tampered = true;
		if (error->status == 2) v->check(v->context, "private copy", false, error->text);
		return error->status == 2 ? 0 : -1;
	}
	v->check(v->context, "private copy", true, arena_format(v->arena, "%zu files", after.count));
	if (verdict_site(v, copy, &site, error) != 0) return -1;
	int got = verdict_metadata(v, &site, &targets, &count, &words, error);
	if (got < 0) return -1;
	for (struct verdict_target *t = targets; got > 0 && t < targets + count; t++) {
		t->support = false;
		for (struct verdict_target *o = v->targets; o < v->targets + v->target_count; o++)
			t->support |= o->support && str_eq(o->package, t->package);
	}
	a = verdict_census(v, &after, targets, count);
	bool good = verdict_compare(v, v->census, a);
	verdict_notes(v, &after, &watch);
	if (got == 0) {
		v->check(v->context, "cargo test passes", false, arena_z(v->arena, words));
		return 0;
	}
	int suite = verdict_suite(v, &site, targets, count, v->census, a, &written, error);
	if (suite < 0) return -1;
	bool lock = verdict_lock(v, &after, written);
	v->tampered |= !lock;
	if (v->late) return 0;
	if (verdict_site(v, copy, &second, error) != 0 || verdict_added(v, &second, targets, count, a,
	    suite == 1, &added, error) != 0)
		return -1;
	good = verdict_report(v, "added tests come out as made", &added, "") && good && lock && suite == 1;
	if (!v->fixture) return good;
	if ((around = verdict_place(v, "questions", true, error)) == NULL || verdict_walk(v, copy,
	    arena_format(v->arena, "%s/chunker", around), NULL, &tree, error) != 0 ||
	    verdict_ask(v, around, &asked, error) != 0) return -1;
	return verdict_report(v, "the host's own questions", &asked, "") && good;
}

#undef STRF
#undef ITEMS
#undef COUNT
#endif
