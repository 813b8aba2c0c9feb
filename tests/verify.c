/* verify.c (test) - the verdict's parts by themselves. Without arguments: the unit tests. `static DIR0 DIR1 SCRATCH`: judges
 * DIR1 against DIR0 as far as that goes without cargo (a stand-in answers `cargo metadata` as cargo would, and compiles
 * nothing), and prints the checks; tests/cheats.sh uses it. `diff DIR0 DIR1 SCRATCH`: the diff. */
#include "../verify.c"
#include <setjmp.h>

static jmp_buf out_of_memory;
static struct arena arena;
static int failures, refusals;

static void full(const char *what) {
	(void)what;
	longjmp(out_of_memory, 1);
}

/* ---- a stand-in for cargo -------------------------------------------------------------------------------------- */

static void put_target(struct buf *out, const char *kind, const char *name, const char *root, const char *src) {
	char *path = arena_format(&arena, "%s/%s", root, src);
	if (access(path, F_OK) != 0)
		return;
	bool lib = strcmp(kind, "lib") == 0;
	buf_format(out, "%s{\"kind\":[\"%s\"],\"name\":\"%s\",\"src_path\":\"%s\",\"edition\":\"2021\",\"test\":%s,\"doctest\":%s}",
	    out->at[out->len - 1] == '[' ? "" : ",", kind, name, path, strcmp(kind, "custom-build") == 0 ? "false" : "true",
	    lib ? "true" : "false");
}

static int by_name(const void *a, const void *b) {
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_package(struct buf *out, const char *root, const char *rel) {
	char *dir = arena_format(&arena, "%s%s%s", root, *rel == '\0' ? "" : "/", rel), *names[64];
	size_t count = 0;
	struct str text = { NULL, 0 };
	verdict_read(&arena, AT_FDCWD, arena_format(&arena, "%s/Cargo.toml", dir), &text);
	struct str name = toml_get(text, STR("package"), STR("name"));
	if (name.len == 0)
		return;
	buf_format(out, "%s{\"name\":\"%.*s\",\"manifest_path\":\"%s/Cargo.toml\",\"dependencies\":[",
	    out->at[out->len - 1] == '[' ? "" : ",", (int)name.len, name.at, dir);
	for (struct toml toml = { .rest = text, .table = { "", 0 } }; toml_next(&toml);) /* those that stand as [dependencies.NAME] path = "..." */
		if (str_eq(toml.key, STR("path")) && str_find(toml.table, STR("dependencies.")) >= 0)
			buf_format(out, "%s{\"path\":\"%s/%s\",\"kind\":%s}", out->at[out->len - 1] == '[' ? "" : ",", dir, arena_z(&arena, toml_bare(toml.value)),
			    str_starts(toml.table, STR("dev")) ? "\"dev\"" : "null");
	buf_add(out, STR("],\"targets\":["));
	put_target(out, "lib", arena_z(&arena, name), dir, "src/lib.rs");
	put_target(out, "bin", arena_z(&arena, name), dir, "src/main.rs");
	DIR *list = opendir(arena_format(&arena, "%s/tests", dir));
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL && count < 64;)
		if (str_ends(str_of(e->d_name), STR(".rs")))
			names[count++] = arena_z(&arena, str_of(e->d_name));
	if (list != NULL)
		closedir(list);
	qsort(names, count, sizeof *names, by_name);
	for (size_t k = 0; k < count; k++)
		put_target(out, "test", arena_z(&arena, (struct str){ names[k], strlen(names[k]) - 3 }), dir, arena_format(&arena, "tests/%s", names[k]));
	put_target(out, "custom-build", "build-script-build", dir, "build.rs");
	buf_add(out, STR("]}"));
}

static bool sleepy;     /* cargo takes too long */
static size_t asked_for; /* how often it was asked for something else than metadata */

static int pretend(void *context, const struct verdict_job *job, struct verdict_output *output, struct error *error) {
	static const char *const members[] = { "", "app", "parts/shape", "parts/more" };
	struct buf out = { .arena = &arena };
	(void)context, (void)error;
	if (strcmp(job->argv[1], "metadata") != 0) {
		asked_for++;
		*output = (struct verdict_output){ .err = STR("error: could not compile `x`\n"), .status = 101, .timeout = sleepy };
		return 0;
	}
	buf_format(&out, "{\"workspace_root\":\"%s\",\"packages\":[", job->dir);
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		put_package(&out, job->dir, members[k]);
	buf_add(&out, STR("]}"));
	*output = (struct verdict_output){ .out = buf_str(&out) };
	return 0;
}

static struct buf *heard; /* what was refused is kept here, when that is wanted */

static void show_check(void *context, const char *name, bool passed, const char *reason) {
	(void)context;
	if (heard != NULL) {
		if (!passed) buf_format(heard, "%s: %s\n", name, reason);
		return;
	}
	if (strcmp(name, "cargo test passes") == 0 || strncmp(name, "every test", 10) == 0 || strncmp(name, "added tests", 11) == 0)
		return;
	refusals += !passed;
	printf("%s - %s: %s\n", passed ? "passed" : "refused", name, reason);
}

static void show_note(void *context, const char *text) {
	(void)context;
	if (heard != NULL) buf_format(heard, "note: %s\n", text);
	else printf("note - %s\n", text);
}

static size_t pauses;
static void count_pause(void) { pauses++; }

static int judge(const char *before, const char *after, const char *scratch, bool diff) {
	struct error error;
	enum verdict_state state;
	struct verdict v = { .arena = &arena, .scratch = scratch, .run = pretend, .check = show_check, .note = show_note, .timeout = 1 };
	char *copy = arena_format(&arena, "%s/before", scratch);
	if (diff) {
		struct buf out = { .arena = &arena };
		verdict_diff(&v, before, after, &out, 1 << 20);
		fwrite(out.at, 1, out.len, stdout);
		return 0;
	}
	if (verdict_copy(&v, before, copy, &error) != 0 || verdict_baseline(&v, copy, &state, &error) != 0 ||
	    verdict_judge(&v, after, &error) < 0) {
		printf("error %d - %s\n", error.status, error.text);
		return 2;
	}
	printf("tampered: %s\n", v.tampered ? "yes" : "no");
	return refusals > 0;
}

/* ---- unit tests --------------------------------------------------------------------------------------------------- */

static struct verdict judge_alone = { .arena = &arena, .key = { 0x1234567, 0x9ABCDEF1 } };

static void check(const char *name, bool good, const char *why) {
	printf(good ? "ok - %s\n" : "FAIL - %s: %s\n", name, why);
	failures += !good;
}

/* The tokens of text as the table writes them; an end that is not where the next begins shows in the text. */
static struct str tokens_of(struct str text, bool whole) {
	size_t count;
	struct buf out = { .arena = &arena };
	struct rust_token *t = rust_lex(&arena, text, &count);
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < t[k].len; i += t[k].kind == RUST_PUNCT && !whole ? 1 : t[k].len) {
			buf_format(&out, "%s%c", out.len > 0 ? "\001" : "", "ilcsnpd!"[t[k].kind]);
			buf_add(&out, (struct str){ text.at + t[k].at + i, t[k].kind == RUST_PUNCT && !whole ? 1 : t[k].len });
		}
	return buf_str(&out);
}

static const struct { const char *source, *tokens; } table[] = {
#include "rust_tokens.inc"
};

/* What no proc macro can show: documentation, where a file begins, what does not end; joined punctuation (the reference). */
static const struct { const char *source, *tokens; } edges[] = {
	{ "", "" }, { " \t\r\n\v\f", "" }, { "\302\205a\342\200\216b\342\200\217c\342\200\250d\342\200\251e", "ia\001ib\001ic\001id\001ie" },
	{ "/// x\nfn", "d/// x\001ifn" }, { "//! x", "d//! x" }, { "//// x\na", "ia" }, { "//x\na", "ia" }, { "///", "d///" }, { "/** x */a", "d/** x */\001ia" },
	{ "/*! x */a", "d/*! x */\001ia" }, { "/*** x */a", "ia" }, { "/**/a", "ia" }, { "/***/a", "ia" }, { "/* /** */ */a", "ia" },
	{ "/** /* */ */a", "d/** /* */ */\001ia" }, { "/*", "!/*" }, { "a /* b", "ia\001!/* b" }, { "/* /* */", "!/* /* */" }, { "//", "" },
	{ "/** x", "!/** x" }, { "\357\273\277fn", "ifn" }, { "#!/usr/bin/env run\nfn", "ifn" }, { "#![a]\nfn", "p#\001p!\001p[\001ia\001p]\001ifn" },
	{ "#! [a]", "p#\001p!\001p[\001ia\001p]" }, { "#!/* c */[a]", "p#\001p!\001p[\001ia\001p]" }, { "#!// c\n[a]", "p#\001p!\001p[\001ia\001p]" },
	{ "\357\273\277#!x\na", "ia" }, { "#!", "" }, { "#!\na", "ia" }, { " #!x", "p#\001p!\001ix" }, { "a\r\nb", "ia\001ib" }, { "\"a\r\nb\"", "s\"a\r\nb\"" },
	{ "\"", "!\"" }, { "\"a\\\"", "!\"a\\\"" }, { "r\"a", "!r\"a" }, { "r#\"a\"", "!r#\"a\"" }, { "br##\"a\"#", "!br##\"a\"#" }, { "b\"x", "!b\"x" },
	{ "'", "!'" }, { "''", "!'\001!'" }, { "'\\'", "!'\001!\\\001!'" }, { "'1", "!'\001n1" }, { "'ab'", "l'ab\001!'" }, { "' a", "!'\001ia" }, { "b''", "!b''" },
	{ "'\\n", "!'\001!\\\001in" }, { "'r#a b", "l'r#a\001ib" }, { "'r#'", "l'r\001p#\001!'" }, { "`", "!`" }, { "\\", "!\\" }, { "\001", "!\001" }, { "a\\b", "ia\001!\\\001ib" },
	{ "\377", "!\377" }, { "a\300\200b", "ia\001!\300\001!\200\001ib" }, { "\355\240\200", "!\355\001!\240\001!\200" }, { "0b", "n0b" }, { "0xg", "n0xg" }, { "1e", "n1e" },
	{ "1e+", "n1e\001p+" }, { "1.0e", "n1.0e" }, { "1._", "n1\001p.\001i_" }, { "r#\"", "!r#\"" }, { "r##a", "ir\001p#\001p#\001ia" }, { "r#", "ir\001p#" },
	{ "a>>=b", "ia\001p>\001p>=\001ib" }, { "a<<=b", "ia\001p<<=\001ib" }, { "a&&b||c", "ia\001p&&\001ib\001p||\001ic" }, { "a..=b...c..d", "ia\001p..=\001ib\001p...\001ic\001p..\001id" },
	{ "a->b=>c::d", "ia\001p->\001ib\001p=>\001ic\001p::\001id" }, { "a==b!=c<=d>=e", "ia\001p==\001ib\001p!=\001ic\001p<=\001id\001p>=\001ie" }, { "<-", "p<\001p-" },
	{ "a>>b", "ia\001p>\001p>\001ib" }, { "+=-=*=/=%=^=&=|=", "p+=\001p-=\001p*=\001p/=\001p%=\001p^=\001p&=\001p|=" }, { "=>>", "p=>\001p>" }, { "&&&", "p&&\001p&" },
};

static void test_lexer(void) {
	char why[600];
	size_t good = 0, wrong = 0;
	for (size_t k = 0; k < sizeof table / sizeof *table + sizeof edges / sizeof *edges; k++) {
		bool edge = k >= sizeof table / sizeof *table;
		const char *source = edge ? edges[k - sizeof table / sizeof *table].source : table[k].source;
		const char *want = edge ? edges[k - sizeof table / sizeof *table].tokens : table[k].tokens;
		struct str got = tokens_of(str_of(source), edge);
		if (str_eq(got, str_of(want))) good++;
		else if (wrong++ == 0) snprintf(why, sizeof why, "%s: got %.*s, wanted %s", source, (int)got.len, got.at, want);
	}
	check(arena_format(&arena, "lexer: %zu pieces as rustc or the reference read them", good), wrong == 0 && good >= 200, why);
	size_t count;
	struct rust_token *t = rust_lex(&arena, STR("a\n\n/*\n*/ b \"x\ny\" c\r\nd"), &count);
	check("lexer: lines", count == 5 && t[0].line == 1 && t[1].line == 4 && t[2].line == 4 && t[3].line == 5 && t[4].line == 6, "they are wrong");
	t = rust_lex(&arena, STR("({[]})) ( ] {"), &count);
	check("lexer: brackets", t[0].match == 5 && t[1].match == 4 && t[2].match == 3 && t[3].match == 2 && t[6].match == 6 && t[7].match == 7 && t[8].match == 8, "pairs are wrong");
	size_t n = 4 << 20;
	static const char *const hostile[] = { "(", "/*", "'", "r#", "\"\\", "1.", "#![", "{}", "///\n", "b'", ">>" };
	bool fast = true;
	for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
		size_t mark = arena.used;
		struct buf big = { .arena = &arena };
		while (big.len < n) buf_add(&big, str_of(hostile[k]));
		fast &= rust_lex(&arena, buf_str(&big), &count) != NULL;
		arena_reset(&arena, mark);
	}
	check("lexer: 4 MiB each of hostile pieces come to an end", fast, "");
}

static uint64_t hash_of(const char *text) {
	struct verdict_file f = { .bytes = str_of(text) };
	f.tokens = rust_lex(&arena, f.bytes, &f.count);
	return rust_hash(&judge_alone, &f, 0, f.count, 1);
}

static void test_hash(void) {
	static const struct { bool same; const char *a, *b; } pairs[] = {
		{ true, "f(a, b)", "f( a,b, )" }, { true, "[1, 2]", "[1,2,]" }, { true, "S { a: 1 }", "S{a:1,}" }, { true, "// x\na", "a /* y */" },
		{ true, "/// d\nfn f() {}", "fn f() {}" }, { true, "#[allow(x)] fn f() {}", "fn f() {}" }, { true, "\"a\r\nb\"", "\"a\nb\"" },
		{ true, "Vec<Vec<u8> >", "Vec<Vec<u8>>" }, { true, "#[inline] #[must_use] f", "f" }, { true, "#[rustfmt::skip] f", "f" },
		{ false, "(a,)", "(a)" }, { false, "a && b", "a & &b" }, { false, "ab", "a b" }, { false, "\"a\"", "\"a \"" }, { false, "1", "1u8" }, { false, "a - b", "b - a" },
		{ false, "#[ignore] f", "f" }, { false, "#[r#ignore] f", "f" }, { false, "#[cfg(x)] f", "f" }, { false, "'a'", "\"a\"" }, { false, "r\"a\"", "\"a\"" },
		{ false, "a", "r#a" }, { false, "#[should_panic] f", "f" }, { false, "[a, , b]", "[a, b]" }, { false, "x..y", "x..=y" } };
	size_t wrong = 0;
	char why[200] = "";
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		if ((hash_of(pairs[k].a) == hash_of(pairs[k].b)) != pairs[k].same && wrong++ == 0) snprintf(why, sizeof why, "`%s` and `%s`", pairs[k].a, pairs[k].b);
	check("tokens: what is the same text, and what is not", wrong == 0, why);
}

/* One report, and what must be read from it: whole, passed, failed, ignored, names of failures. */
static void test_reports(void) {
#define CLOSE "test result: FAILED. 1 passed; 2 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
	static const struct { const char *out; bool doc, whole; long passed, failed, ignored; const char *names; } reports[] = {
		{ "\nrunning 2 tests\ntest a ... ok\n\n" CLOSE "\n", false, true, 1, 2, 3, "" },
		{ "noise\nfailures:\n    x\n\nfailures:\n    a::b\n    c\n\n" CLOSE, false, true, 1, 2, 3, "a::b c " },
		{ "failures:\n\n---- a stdout ----\nfailures:\n    lie\n\n\nfailures:\n    a\n    b\n\n" CLOSE "\n", false, true, 1, 2, 3, "a b " },
		{ "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured\n" CLOSE, false, true, 1, 2, 3, "" },
		{ "xtest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured\n", false, false, 0, 0, 0, "" },
		{ "test result: ok. 9 passed; 1 failed; 0 ignored; 0 measured\n", false, false, 0, 0, 0, "" },
		{ "test result: FAILED. 9 passed; 0 failed; 0 ignored; 0 measured\n", false, false, 0, 0, 0, "" },
		{ "test result: ok. -1 passed; 0 failed; 0 ignored; 0 measured\n", false, false, 0, 0, 0, "" },
		{ "test result: ok. 1 passed; 0 failed; 0 ign", false, false, 0, 0, 0, "" }, { "", false, false, 0, 0, 0, "" },
		{ "test result: ok. 99999999999999999999 passed; 0 failed; 0 ignored; 0\n", false, true, LONG_MAX, 0, 0, "" },
		{ "running 1 test\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0\n\nrunning 2\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0\n", true, true, 3, 0, 1, "" },
		{ "failures:\n    src/lib.rs - S<T>::m (line 23)\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0\n", true, true, 0, 1, 0, "src/lib.rs - S<T>::m (line 23) " } };
	size_t wrong = 0;
	char why[600] = "";
	for (size_t k = 0; k < sizeof reports / sizeof *reports; k++) {
		struct outcome r = { .output = { .out = str_of(reports[k].out) } };
		struct buf names = { .arena = &arena };
		verdict_read_report(&judge_alone, reports[k].doc, &r);
		for (size_t n = 0; n < r.failure_count; n++) buf_format(&names, "%.*s ", (int)r.failures[n].len, r.failures[n].at);
		if ((r.whole != reports[k].whole || r.passed != reports[k].passed || r.failed != reports[k].failed || r.ignored != reports[k].ignored ||
		    !str_eq(buf_str(&names), str_of(reports[k].names))) && wrong++ == 0)
			snprintf(why, sizeof why, "%zu: %d %ld %ld %ld %.*s", k, r.whole, r.passed, r.failed, r.ignored, (int)names.len, names.at);
	}
	check("report: closing lines, failures, and text that only looks so", wrong == 0, why);
	struct str *names;
	size_t count;
	bool listed = verdict_names(&judge_alone, STR("b::r#match: test\na: test\nx: benchmark\n\n2 tests, 1 benchmark\n"), false, &names, &count, NULL);
	check("report: a listing", listed && count == 2 && str_eq(names[0], STR("a")) && str_eq(names[1], STR("b::r#match")), "it is read wrongly");
	listed = verdict_names(&judge_alone, STR("src/lib.rs - S<T>::m (line 23): test\nsrc/lib.rs - (line 3): test\n\n2 tests, 0 benchmarks\n"), true, &names, &count, NULL);
	check("report: a listing of doc tests", listed && count == 2 && str_eq(names[0], STR("src/lib.rs -")) && str_eq(names[1], STR("src/lib.rs - S<T>::m")), "it is read wrongly");
	check("report: no listing", !verdict_names(&judge_alone, STR("usage: x\n"), false, &names, &count, NULL) && count == 0, "taken for one");
}

static void test_toml(void) {
	struct str text = STR("top = 1\n# [a]\n[a] # c\nx = \"y # z\" # c\n'q r' = 'l'\nlist = [\n  \"one\", # ]\n  \"two]\",\n]\nafter = true\n[[b]]\nx=2\n[\"a.b\"]\nx = 'w'");
	check("toml: values", str_eq(toml_get(text, STR("a"), STR("x")), STR("y # z")) && str_eq(toml_get(text, STR(""), STR("top")), STR("1")) &&
	    str_eq(toml_get(text, STR("a"), STR("q r")), STR("l")) && str_eq(toml_get(text, STR("a"), STR("after")), STR("true")) &&
	    str_eq(toml_get(text, STR("b"), STR("x")), STR("2")) && str_eq(toml_get(text, STR("a.b"), STR("x")), STR("w")) && toml_get(text, STR("a"), STR("z")).at == NULL, "wrong");
	check("toml: tables", toml_has(text, STR("a")) && !toml_has(text, STR("top2")) && toml_has(STR("workspace.members = []"), STR("workspace")) &&
	    toml_has(STR("[workspace.package]"), STR("workspace")) && !toml_has(STR("[workspaces]"), STR("workspace")), "wrong");
}

static void test_paths(void) {
	static const struct { const char *base, *rel, *want; } joins[] = { { "", "a", "a" }, { "a/b", "c", "a/b/c" }, { "a/b", "../c", "a/c" }, { "a", "../..", NULL },
		{ "a", "..", "" }, { "", "..", NULL }, { "a", "./b//c/.", "a/b/c" }, { "a", "/b", "a/b" }, { "ab/c", "../../d", "d" }, { "a", "b/../../../c", NULL } };
	size_t wrong = 0;
	for (size_t k = 0; k < sizeof joins / sizeof *joins; k++) {
		struct str got = verdict_join(&arena, str_of(joins[k].base), str_of(joins[k].rel));
		wrong += joins[k].want == NULL ? got.at != NULL : got.at == NULL || !str_eq(got, str_of(joins[k].want));
	}
	check("paths stay in their tree", wrong == 0, arena_format(&arena, "%zu are wrong", wrong));
}

/* The questions: many, to the edges, and answered rightly by a plain reading of the fixture's documentation. */
static void test_questions(void) {
	struct buf ask = { .arena = &arena }, want = { .arena = &arena };
	verdict_questions(&ask, &want, 42);
	struct str a = buf_str(&ask), w = buf_str(&want), q, r;
	size_t counts = 0, chunks = 0, wrong = 0;
	bool top = str_find(a, STR("c 1 9223372036854775808\n")) >= 0 && str_find(a, STR("c 0 9223372036854775808\n")) >= 0;
	while (str_line(&a, &q) && str_line(&w, &r)) {
		unsigned long long size, len;
		if (sscanf(arena_z(&arena, q), "c %llu %llu", &size, &len) == 2) {
			unsigned long long n = strtoull(arena_z(&arena, r), NULL, 10);
			__extension__ unsigned __int128 room = (unsigned __int128)n * size;
			wrong += size == 0 ? n != 0 : room < len || room - len >= size || len + size < len;
			counts++;
		} else
			chunks++;
	}
	check(arena_format(&arena, "questions: %zu of counts, %zu of chunks", counts, chunks), counts > 2000 && chunks == 500 && wrong == 0 && top && a.len == 0 && w.len == 0, "wrong");
}

/* ---- the toolchain and the crate's place, in pretended homes ------------------------------------------------------- */

static const char *base;

static char *under(const char *path) {
	return arena_format(&arena, "%s/%s", base, path);
}

/* Writes a file below base, with the directories above it; an executable when the text begins with "#!". */
static void put(const char *path, const char *text) {
	char *full_path = under(path);
	struct error error;
	for (char *slash = strchr(full_path + strlen(base) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full_path, 0755);
		*slash = '/';
	}
	if (verdict_write(full_path, str_of(text), &error) != 0) printf("FAIL - %s: %s\n", path, error.text);
	if (strncmp(text, "#!", 2) == 0) chmod(full_path, 0755);
}

static void toolchain(const char *bin) {
	put(arena_format(&arena, "%s/cargo", bin), "#! cargo");
	put(arena_format(&arena, "%s/rustc", bin), "#! rustc");
}

/* What cargo_find says for a crate: the bin below base, or "status: words". */
static const char *found(const char *dir) {
	struct cargo cargo;
	struct error error;
	if (cargo_find(&arena, under(dir), &cargo, &error) != 0) return arena_format(&arena, "%d: %s", error.status, error.text);
	size_t len = strlen(base);
	return strncmp(cargo.bin, base, len) == 0 ? cargo.bin + len + 1 : cargo.bin;
}

static void expect(const char *name, const char *got, const char *want) {
	check(name, strncmp(got, want, strlen(want)) == 0, arena_format(&arena, "got %s, wanted %s", got, want));
}

static void test_find(void) {
	const char *host = "x86_64-unknown-linux-gnu";
	setenv("HOME", under("home"), 1);
	setenv("PATH", arena_format(&arena, "%s:relative:%s:%s", under("home/.cargo/bin"), under("crate/bin"), under("tools")), 1);
	unsetenv("RUSTUP_HOME"), unsetenv("CARGO_HOME"), unsetenv("RUSTUP_TOOLCHAIN");
	put("crate/Cargo.toml", "[package]\n"), put("pinned/Cargo.toml", ""), put("pinned/sub/Cargo.toml", ""), put("evil/Cargo.toml", ""), put("over/x/Cargo.toml", "");
	toolchain("tools"), toolchain("crate/bin");
	put("home/.cargo/bin/rustup", "#! rustup and rustup"), put("home/.cargo/bin/rustc", "#! rustup and rustup");
	if (link(under("home/.cargo/bin/rustup"), under("home/.cargo/bin/cargo")) != 0) put("home/.cargo/bin/cargo", "#! rustup and rustup");
	expect("toolchain: PATH, but no shim of rustup's and nothing of the crate's", found("crate"), "tools");
	toolchain(arena_format(&arena, "home/.rustup/toolchains/stable-%s/bin", host)), toolchain(arena_format(&arena, "home/.rustup/toolchains/1.63-%s/bin", host));
	toolchain(arena_format(&arena, "home/.rustup/toolchains/1.63.0-%s/bin", host)), toolchain("home/.rustup/toolchains/mine/bin");
	put("home/.rustup/settings.toml", arena_format(&arena, "version = \"12\"\ndefault_toolchain = \"stable-%s\"\n[overrides]\n\"%s\" = \"mine\"\n", host, under("over")));
	expect("toolchain: rustup's default", found("crate"), "home/.rustup/toolchains/stable-");
	put("pinned/rust-toolchain", "1.63\n");
	expect("toolchain: the channel of a toolchain file, without its host", found("pinned"), "home/.rustup/toolchains/1.63-");
	put("pinned/sub/rust-toolchain.toml", "[toolchain]\nchannel = \"1.63.0\" # c\n");
	expect("toolchain: the nearest toolchain file", found("pinned/sub"), "home/.rustup/toolchains/1.63.0-");
	expect("toolchain: rustup's override for a directory above", found("over/x"), "home/.rustup/toolchains/mine/bin");
	put("evil/rust-toolchain.toml", arena_format(&arena, "[toolchain]\npath = \"%s\"\n", under("crate")));
	expect("toolchain: a path in a toolchain file is not taken", found("evil"), "home/.rustup/toolchains/stable-");
	put("evil/rust-toolchain.toml", arena_format(&arena, "[toolchain]\nchannel = \"../../../crate\"\n"));
	expect("toolchain: nor a channel that is a path", found("evil"), "home/.rustup/toolchains/stable-");
	put("evil/rust-toolchain.toml", "[toolchain]\nchannel = \"1.99\"\n");
	expect("toolchain: one that is not there is named, with what to do", found("evil"), "5: the toolchain 1.99 (named by");
	setenv("RUSTUP_TOOLCHAIN", "mine", 1);
	expect("toolchain: RUSTUP_TOOLCHAIN", found("evil"), "home/.rustup/toolchains/mine/bin");
	unsetenv("RUSTUP_TOOLCHAIN"), setenv("RUSTUP_HOME", under("other"), 1);
	/* the person's own choice */
	setenv("RUSTUP_HOME", under("home/.rustup"), 1);
	setenv("PATH", arena_format(&arena, "%s:%s:%s", under("crate/bin"), under("tools"), under("home/.cargo/bin")), 1);
	expect("toolchain: one on PATH in front of rustup's", found("crate"), "tools");
	put("wrap/cargo", "#! cargo");
	setenv("PATH", arena_format(&arena, "%s:%s", under("wrap"), under("home/.cargo/bin")), 1);
	expect("toolchain: a cargo alone on PATH, with rustup's rustc", found("crate"), arena_format(&arena, "wrap:%s/home/.rustup/toolchains/stable-", base));
	setenv("PATH", arena_format(&arena, "/usr/bin:/bin:%s", under("tools")), 1);
	if (access("/usr/bin/cargo", X_OK) == 0) expect("toolchain: rustup's before the system's", found("crate"), "home/.rustup/toolchains/stable-");
	setenv("PATH", arena_format(&arena, "%s:%s", under("home/.cargo/bin"), under("tools")), 1);
	setenv("RUSTUP_HOME", under("other"), 1);
	expect("toolchain: RUSTUP_HOME without toolchains falls back on PATH", found("crate"), "tools");
	setenv("PATH", under("nothing"), 1);
	struct stat st;
	if (stat("/usr/bin/cargo", &st) != 0 && stat("/usr/local/bin/cargo", &st) != 0) expect("toolchain: none", found("crate"), "5: no cargo and rustc found");
}

static void test_home(void) {
	struct cargo cargo;
	struct error error;
	struct str text = { "", 0 };
	char link_text[PATH_MAX] = "";
	put("home/.cargo/config.toml", "[source.crates-io]\nreplace-with = \"near\"\n[source.near]\ndirectory = \"vendor\"\n[registry]\ntoken = \"secret1\"\n"
	    "[registries.own]\nindex = \"sparse+x\"\ntoken = \"secret2\"\n[net]\nretry = 9\n[source.far]\nregistry = \"y\"\n[build]\nrustc-wrapper = \"evil\"\n");
	put("home/.cargo/credentials.toml", "token = \"secret3\"\n"), put("home/.cargo/registry/cache/x", ""), put("home/vendor/x", "");
	mkdir(under("made"), 0700);
	bool made = cargo_find(&arena, under("crate"), &cargo, &error) == 0 || cargo.home != NULL;
	made &= cargo_home_make(&arena, &cargo, under("made"), &error) == 0 && verdict_read(&arena, AT_FDCWD, under("made/config.toml"), &text);
	check("cargo's home: sources and registries are handed on", made && str_find(text, STR("[source.near]\ndirectory = \"/")) >= 0 && str_find(text, STR("vendor\"")) >= 0 &&
	    str_find(text, STR("index = \"sparse+x\"")) >= 0 && str_find(text, STR("registry = \"y\"")) >= 0, arena_z(&arena, text));
	check("cargo's home: no token, no wrapper, no other setting", str_find(text, STR("secret")) < 0 && str_find(text, STR("evil")) < 0 && str_find(text, STR("retry")) < 0 &&
	    access(under("made/credentials.toml"), F_OK) != 0, arena_z(&arena, text));
	check("cargo's home: the registry is borrowed", readlink(under("made/registry"), link_text, sizeof link_text - 1) > 0 && strstr(link_text, "home/.cargo/registry") != NULL, link_text);
	bool readable = false;
	for (size_t k = 0; k < cargo.count; k++) readable |= str_ends(str_of(cargo.readable[k]), STR("home/vendor"));
	check("cargo's home: vendored sources become readable", readable, "they are not");
	chmod(under("home/.cargo/config.toml"), 0666);
	check("cargo's home: settings that others may write are refused", cargo_find(&arena, under("crate"), &cargo, &error) != 0 && error.status == 2, "they are not");
	chmod(under("home/.cargo/config.toml"), 0644);
}

static const char *rooted(const char *dir) {
	struct error error;
	return cargo_root_check(&arena, under(dir), &error) == 0 ? "0" : arena_format(&arena, "%d: %s", error.status, error.text);
}

static void test_root(void) {
	put("ws/Cargo.toml", "[workspace]\nmembers = [\"a\"]\nexclude = [\n  \"out\",\n  \"deep/er\"\n]\n");
	put("ws/a/Cargo.toml", "[package]\n"), put("ws/out/Cargo.toml", "[package]\n"), put("ws/own/Cargo.toml", "[package]\n[workspace]\n"), put("ws/deep/er/x/Cargo.toml", "");
	put("far/Cargo.toml", "[package]\nworkspace = \"../ws\"\n"), put("plain/Cargo.toml", "[package]\n"), put("plain/in/Cargo.toml", ""), put("bad/in/Cargo.toml", ""), mkdir(under("empty"), 0755);
	expect("root: a package", rooted("plain"), "0"), expect("root: a package in a package", rooted("plain/in"), "0"), expect("root: a workspace", rooted("ws"), "0");
	expect("root: a member names its root", rooted("ws/a"), arena_format(&arena, "2: %s is a member of the workspace %s:", under("ws/a"), under("ws")));
	expect("root: an excluded directory", rooted("ws/out"), "0"), expect("root: one below an excluded directory", rooted("ws/deep/er/x"), "0");
	expect("root: one with a workspace of its own", rooted("ws/own"), "0"), expect("root: package.workspace", rooted("far"), "2: ");
	expect("root: no Cargo.toml", rooted("empty"), "2: ");
	put("bad/.cargo/config.toml", "[build]\n"), chmod(under("bad/.cargo/config.toml"), 0666);
	expect("root: settings above that others may write", rooted("bad/in"), arena_format(&arena, "2: %s governs", under("bad/.cargo/config.toml")));
}

/* ---- what may change, and what may not ---------------------------------------------------------------------------- */

#define TESTS(body) "\n#[cfg(test)]\nmod tests {\n    use super::*;\n" body "}\n"
#define OLD "pub fn f(n: u32) -> u32 { n }\n"
#define PLAIN TESTS("    #[test]\n    fn one() { assert_eq!(f(1), 1); }\n")
#define EXIT "std::process::exit(std::env::args().count() as i32)"

#define DEV "[package]\nname = \"w\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dev-dependencies.support]\npath = \"support\"\n"
#define NORMAL "[package]\nname = \"w\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies.support]\npath = \"support\"\n"
#define SUPPORT(manifest, body) "\n//- Cargo.toml\n" manifest "\n//- support/Cargo.toml\n[package]\nname = \"support\"\nversion = \"0.1.0\"\nbuild = \"gen.rs\"\n//- support/src/lib.rs\n" body "\n"
#define GEN(body) "\n//- support/gen.rs\nfn main() { " body " }\n"
#define SAME "pub fn same(a: u32, b: u32) { if a != b { panic!() } }"

/* A text holds several files where lines "//- PATH" are; the first is src/lib.rs. says NULL: nothing may be refused. */
static const struct { const char *name, *before, *after, *says; bool fixture; } changes[] = {
	{ "an associated type Err", OLD PLAIN, OLD "pub struct P; impl std::str::FromStr for P { type Err = String; fn from_str(_: &str) -> Result<P, String> { Ok(P) } }" PLAIN, NULL, false },
	{ "a new module test", OLD PLAIN, OLD PLAIN "#[cfg(test)] mod test { use super::*; #[test] fn two() { assert_eq!(f(2), 2); } }", NULL, false },
	{ "an old module test with a new test", OLD "#[cfg(test)] mod test { #[test] fn a() {} }", OLD "#[cfg(test)] mod test { use super::f; #[test] fn b() { f(1); } #[test] fn a() {} }", NULL, false },
	{ "todo, include, unreachable as names", OLD PLAIN, OLD "pub fn g(todo: u32, include: &[u32]) -> bool { let unreachable = include.contains(&todo); [todo].len() > 1 || unreachable }" PLAIN, NULL, false },
	{ "todo! for another macro", OLD PLAIN, OLD "macro_rules! todo { () => {} }" PLAIN, "takes the name of an assertion", false },
	{ "unreachable! that tests call, by a macro", OLD TESTS("#[test] fn a() { if f(1) > 9 { unreachable!() } }"), OLD "macro_rules! d { ($n:ident) => { macro_rules! $n { () => {} } } } d!(unreachable);" TESTS("#[test] fn a() { if f(1) > 9 { unreachable!() } }"), "`unreachable`", false },
	{ "the crate's place in a new test", OLD PLAIN, OLD PLAIN "\n//- tests/new.rs\n#[test] fn a() { assert!(std::path::Path::new(env!(\"CARGO_MANIFEST_DIR\")).exists()); }\n", NULL, false },
	{ "the crate's place in its code", OLD PLAIN, OLD "pub fn g() -> &'static str { env!(\"CARGO_MANIFEST_DIR\") }" PLAIN, "lets code find out how it is tested", false },
	{ "its version in its code", OLD PLAIN, OLD "pub fn g() -> &'static str { env!(\"CARGO_PKG_VERSION\") }" PLAIN, NULL, false },
	{ "cargo's variables at run time", OLD PLAIN, OLD "pub fn g() -> bool { std::env::var_os(\"CARGO_PKG_NAME\").is_some() }" PLAIN, "lets code find out how it is tested", false },
	{ "a new example with arguments and exit", OLD PLAIN, OLD PLAIN "\n//- examples/a.rs\nfn main() { " EXIT " }\n", NULL, false },
	{ "a program's module with arguments and exit", "\n//- src/main.rs\nmod cli; fn main() {}\n//- src/cli.rs\n" OLD PLAIN, "\n//- src/main.rs\nmod cli; fn main() {}\n//- src/cli.rs\n" OLD "pub fn run() { " EXIT " }" PLAIN, NULL, false },
	{ "a library with exit", OLD PLAIN, OLD "pub fn run() { " EXIT " }" PLAIN, "(and 1 more)", false },
	{ "a new test named as a method that tests call", OLD TESTS("#[test] fn a() { let v = vec![f(1)]; assert_eq!(v.len(), 1); }"), OLD TESTS("#[test] fn a() { let v = vec![f(1)]; assert_eq!(v.len(), 1); } #[test] fn len() {}"), NULL, false },
	{ "a new function named as one that tests call", OLD PLAIN, OLD TESTS("#[test]\n fn one() { assert_eq!(f(1), 1); } fn f(_: u32) -> u32 { 1 }"), "takes a name that the tests use", false },
	{ "other bounds around a doc test", "pub struct S<T>(T);\nimpl<T: PartialOrd + Clone> S<T> {\n/// ```\n/// assert!(true);\n/// ```\npub fn a(&self) {} }\n" OLD PLAIN, "pub struct S<T>(T);\nimpl<T> S<T> where T: Ord {\n/// ```\n/// assert!(true);\n/// ```\npub fn a(&self) {} }\n" OLD PLAIN, NULL, false },
	{ "an attribute around a doc test", "pub struct S;\nimpl S {\n/// ```\n/// assert!(true);\n/// ```\npub fn a(&self) {} }\n" OLD PLAIN, "pub struct S;\n#[cfg(unix)] impl S {\n/// ```\n/// assert!(true);\n/// ```\npub fn a(&self) {} }\n" OLD PLAIN, "tests intact", false },
	{ "attributes of the crate", OLD PLAIN, "#![recursion_limit = \"256\"]\n#![cfg_attr(docsrs, feature(doc_cfg))]\n#![no_std]\n" OLD PLAIN, NULL, false },
	{ "a module core", OLD PLAIN, OLD "pub mod core { pub fn x() {} } pub mod alloc {}" PLAIN, NULL, false },
	{ "a module core where tests say core", OLD TESTS("#[test] fn a() { assert!(core::mem::size_of::<u8>() == 1); }"), OLD "pub mod core {}" TESTS("#[test] fn a() { assert!(core::mem::size_of::<u8>() == 1); }"), "every module knows", false },
	{ "another crate's assertion in a new test file", OLD PLAIN, OLD PLAIN "\n//- tests/new.rs\nuse pretty_assertions::{assert_eq, assert_ne};\n#[test] fn a() { assert_eq!(1, 1); assert_ne!(1, 2); }\n", NULL, false },
	{ "another assertion for old tests", OLD PLAIN, OLD TESTS("use other::assert_eq; #[test]\n fn one() { assert_eq!(f(1), 1); }"), "tests intact", false },
	{ "fork, asm, syscall as names", OLD PLAIN, OLD "pub struct R; impl R { pub fn fork(&self) -> R { R } pub fn exec(&self) {} } pub fn syscall(asm: u32, r: R) -> u32 { r.fork().exec(); asm }" PLAIN, NULL, false },
	{ "fork out of libc", OLD PLAIN, OLD "pub fn g() { unsafe { libc::fork(); } }" PLAIN, "acts on the test runner's process", false },
	{ "Some as a function", OLD PLAIN, OLD "#[allow(non_snake_case)] pub fn Some<T>(_: T) -> u8 { 0 }" PLAIN, "`Some`", false },
	{ "Some by an import", OLD PLAIN, OLD "mod e { pub enum E { Some(u8) } } pub use e::E::{Some};" PLAIN, "`Some`", false },
	{ "Some as it is, by an import", OLD PLAIN, OLD "use std::option::Option::{self, None, Some}; pub fn g() -> Option<u8> { if f(1) == 1 { Some(1) } else { None } }" PLAIN, NULL, false },
	{ "a thread's name, renamed", OLD PLAIN, OLD "use std::thread as t; pub fn g() -> bool { t::current().name().is_some() }" PLAIN, "other names", false },
	{ "a thread's name, imported", OLD PLAIN, OLD "use std::{fmt, thread::{current}}; pub fn g() -> bool { current().name().is_some() }" PLAIN, "which test runs", false },
	{ "the environment by a glob", OLD PLAIN, OLD "use std::env::*; pub fn g() -> usize { args().count() }" PLAIN, "other names", false },
	{ "threads and locations", OLD PLAIN, OLD "use std::{env, thread, process::Command}; pub fn g(caller: u32) -> bool { let current = caller; thread::spawn(|| ()).join().is_ok() && env::var(\"HOME\").is_ok() && current > 1 && Command::new(\"x\").status().is_ok() }" PLAIN, NULL, false },
	{ "another process's files", OLD PLAIN, OLD "pub fn g() -> bool { std::fs::read(format!(\"/proc/{}/exe\", 1)).is_ok() }" PLAIN, "lets code find out how it is tested", false },
	{ "the system's files", OLD PLAIN, OLD "pub fn g() -> bool { std::fs::read(\"/proc/meminfo\").is_ok() || \"/process/self\".len() > 3 }" PLAIN, NULL, false },
	{ "a block of foreign functions", OLD PLAIN, OLD "extern \"C\" { fn leave(code: i32) -> !; }" PLAIN, "calls code that is not Rust", false },
	{ "one more foreign function", OLD "extern \"C\" { fn a(); }" PLAIN, OLD "extern \"C\" { fn b(); fn a(); } pub extern \"C\" fn c() {}" PLAIN, NULL, false },
	{ "exit among foreign functions", OLD "extern \"C\" { fn a(); }" PLAIN, OLD "extern \"C\" { fn a(); fn exit(n: i32) -> !; }" PLAIN, "acts on the test runner's process", false },
	{ "another program in its place", OLD PLAIN, OLD "pub fn g() { std::os::unix::process::CommandExt::exec(&mut std::process::Command::new(\"true\")); }" PLAIN, "test runner", false },
	{ "the fixture asks where it runs", OLD PLAIN, "pub fn f(n: u32) -> u32 { if std::fs::read_dir(\"/root\").is_err() { n } else { 0 } }\n" PLAIN, "`fs`", true },
	{ "the fixture is right only without optimisation", OLD PLAIN, "pub fn f(n: u32) -> u32 { let mut m = 0; debug_assert!({ m = n; true }); m }\n" PLAIN, "`debug_assert`", true },
	{ "the fixture looks at the type", OLD PLAIN, OLD "pub fn g<T>(_: T) -> bool { std::mem::size_of::<T>() < 4 }" PLAIN, "`size_of`", true },
	{ "the fixture with plain code", OLD PLAIN, "pub fn f(n: u32) -> u32 { assert!(n < 1 << 30, \"too many\"); [n].iter().any(|m| *m > 9); n.div_ceil(1).max(n) }\n" PLAIN "#[cfg(test)] mod more { #[test] fn a() { assert!(std::env::var_os(\"PATH\").is_some()); } }", NULL, true },
	{ "a trait's method in place of the standard library's", OLD TESTS("#[test] fn a() { assert!(Err::<u32, u32>(f(1)).is_err()); }"), OLD "pub trait Soft { fn is_err(self) -> bool; } impl<T, E> Soft for Result<T, E> { fn is_err(self) -> bool { true } }" TESTS("#[test] fn a() { assert!(Err::<u32, u32>(f(1)).is_err()); }"), "`is_err`", false },
	{ "a trait's method for all types", OLD TESTS("#[test] fn a() { assert!(\"a\".to_string().contains('a')); }"), OLD "pub trait Soft { fn contains(&self, _: char) -> bool { true } } impl<S: AsRef<str>> Soft for S {}" TESTS("#[test] fn a() { assert!(\"a\".to_string().contains('a')); }"), "`contains`", false },
	{ "a trait for a type of the crate, and one for others", OLD "pub struct S(u32);" TESTS("#[test] fn a() { let s = S(f(1)); assert!(!s.is_empty()); assert_eq!(2.twice(), 4); }"), OLD "pub struct S(u32); pub trait Sized2 { fn is_empty(&self) -> bool; } impl Sized2 for S { fn is_empty(&self) -> bool { false } } pub trait Twice { fn twice(self) -> u32; } impl Twice for u32 { fn twice(self) -> u32 { self * 2 } } impl PartialEq<u32> for S { fn eq(&self, o: &u32) -> bool { self.0 == *o } }" TESTS("#[test] fn a() { let s = S(f(1)); assert!(!s.is_empty()); assert_eq!(2.twice(), 4); }"), NULL, false },
	{ "another == for a type of others", OLD PLAIN, OLD "pub struct Any; impl<T> PartialEq<Any> for Option<T> { fn eq(&self, _: &Any) -> bool { true } }" PLAIN, "types that are not the crate's", false },
	{ "data that a pattern names", OLD TESTS("#[test] fn a() { for c in [\"one\"] { assert_eq!(std::fs::read_to_string(format!(\"cases/{c}.txt\")).unwrap(), \"1\"); } }") "\n//- cases/one.txt\n1\n", OLD TESTS("#[test] fn a() { for c in [\"one\"] { assert_eq!(std::fs::read_to_string(format!(\"cases/{c}.txt\")).unwrap(), \"1\"); } }") "\n//- cases/one.txt\n2\n", "cases/one.txt", false },
	{ "a macro that only tests call", OLD "macro_rules! same { ($a:expr, $b:expr $(,)?) => { let (a, b) = ($a, $b); assert_eq!(a, b) } }" TESTS("#[test] fn a() { same!(f(1), 1); }"), OLD "macro_rules! same { ($a:expr, $b:expr $(,)?) => { let (a, b) = ($a, $b); let _ = (a, b); } }" TESTS("#[test] fn a() { same!(f(1), 1); }"), "changes it", false },
	{ "a macro that other code calls, too", OLD "macro_rules! twice { ($a:expr) => { $a + 1 } } pub fn g() -> u32 { twice!(1) }" TESTS("#[test] fn a() { twice!(1); }"), OLD "macro_rules! twice { ($a:expr) => { $a + $a } } pub fn g() -> u32 { twice!(1) }" TESTS("#[test] fn a() { twice!(1); }"), NULL, false },
	{ "a macro that the crate exports", "#[macro_export] macro_rules! twice { ($a:expr) => { $a + 1 } }" OLD TESTS("#[test] fn a() { twice!(1); }"), "#[macro_export] macro_rules! twice { ($a:expr) => { $a + $a } }" OLD TESTS("#[test] fn a() { twice!(1); }"), NULL, false },
	{ "include! under another name", OLD PLAIN, OLD "use std::include as bring; bring!(\"../notes.txt\");" PLAIN, "other names", false },
	{ "cfg! under another name", OLD PLAIN, OLD "use core::cfg as when; pub fn g() -> bool { when!(test) }" PLAIN, "other names", false },
	{ "cfg! put together by a macro", OLD PLAIN, OLD "macro_rules! pick { ($c:ident) => { cfg!($c) } } pub fn g() -> bool { pick!(test) }" PLAIN, "differs under test", false },
	{ "an attribute put together by a macro", OLD PLAIN, OLD "macro_rules! m { ($a:ident, $b:ident, $i:item) => { #[$a($b)] $i } } m!(cfg, test, pub fn g() {});" PLAIN, "attribute that cannot be followed", false },
	{ "attributes handed on by a macro", OLD PLAIN, OLD "macro_rules! wrap { ($(#[$m:meta])* $n:ident) => { $(#[$m])* pub struct $n; } } wrap!(#[derive(Debug)] W);" PLAIN, NULL, false },
	{ "exit put together by a macro", OLD PLAIN, OLD "macro_rules! call { ($a:ident, $b:ident, $n:expr) => { std::$a::$b($n) } } pub fn g() { call!(process, exit, 0) }" PLAIN, "ends the test runner", false },
	{ "exit as a macro's argument", OLD PLAIN, OLD "macro_rules! call { ($b:ident) => { std::process::$b(0) } } pub fn g() { call!(exit) }" PLAIN, "other names", false },
	{ "a thread's name, put together", OLD PLAIN, OLD "macro_rules! ask { ($a:ident $b:ident) => { std::$a::$b().name().is_some() } } pub fn g() -> bool { ask!(thread current) }" PLAIN, "which test runs", false },
	{ "an own macro with such names", OLD PLAIN, OLD "macro_rules! both { ($a:expr, $b:expr) => { let _ = ($a, $b); } } pub fn g(current: u32, exit: u32, args: u32) { both!(current, exit); both!(args, 1); }" PLAIN, NULL, false },
	{ "a library's module among the examples", OLD PLAIN, OLD "#[cfg_attr(all(), path = \"../examples/e.rs\")] mod e;" PLAIN "\n//- examples/e.rs\npub fn quit() { std::process::exit(0) }\n", "cannot be followed", false },
	{ "a library's module among the programs, by a macro", OLD PLAIN, OLD "macro_rules! load { ($n:ident) => { mod $n; } } load!(bin);" PLAIN "\n//- src/bin/mod.rs\npub fn quit() { std::process::exit(0) }\n", "ends the test runner", false },
	{ "generated code from elsewhere", OLD PLAIN, OLD "include!(concat!(env!(\"OUT_DIR\"), \"/../../../../../crate-3/x.txt\"));" PLAIN, "cannot be followed", false },
	{ "generated code", OLD PLAIN, OLD "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));" PLAIN, NULL, false },
	{ "an enum's variant Some for all", OLD PLAIN, OLD "pub enum Found { Some(u32), Nothing } pub use self::Found::*;" PLAIN, "every module knows", false },
	{ "an enum's variant None by itself", OLD PLAIN, OLD "pub enum Level { None, Low } pub enum Side { Left } use self::Side::*; pub fn g() -> Level { match Left { Left => Level::None } }" PLAIN, NULL, false },
	{ "a new type that equals any number", OLD PLAIN, "pub fn f(_: u32) -> Any { Any } #[derive(Debug)] pub struct Any; impl PartialEq<u32> for Any { fn eq(&self, _: &u32) -> bool { true } }" PLAIN, "`Any` is new and is compared", false },
	{ "a new type that the tests ask for", OLD TESTS("#[test] fn a() { assert_eq!(Money::of(1), 1); }"), OLD "#[derive(Debug)] pub struct Money(u32); impl Money { pub fn of(n: u32) -> Money { Money(n) } } impl PartialEq<u32> for Money { fn eq(&self, n: &u32) -> bool { self.0 == *n } }" TESTS("#[test] fn a() { assert_eq!(Money::of(1), 1); }"), "note: src/lib.rs:2: `Money` says anew what is equal", false },
	{ "an equality by hand", "#[derive(PartialEq)] pub struct P(u32);" OLD PLAIN, "pub struct P(u32); impl PartialEq for P { fn eq(&self, _: &P) -> bool { true } }" OLD PLAIN, "note: src/lib.rs:1: `P` says anew what is equal", false },
	{ "the environment in a library", OLD PLAIN, OLD "pub fn g() -> bool { std::env::var(\"HOME\").is_ok() }" PLAIN, "note: src/lib.rs:2: `var` asks", false },
	{ "an assertion that acts", OLD PLAIN, OLD "pub fn g(n: u32) -> u32 { let mut m = 0; debug_assert!({ m = n; true }); m }" PLAIN, "debug builds only", false },
	{ "an assertion that acts by a method", OLD PLAIN, OLD "pub fn g(n: u32) -> u32 { let m = std::cell::Cell::new(0); debug_assert_eq!(m.replace(n), 0); m.get() }" PLAIN, "debug builds only", false },
	{ "an assertion that only looks", OLD PLAIN, OLD "pub fn g(n: &[u32]) -> bool { debug_assert!(n.len() >= 1 && n.iter().all(|m| *m <= 9 && *m == n[0]), \"{n:?}\"); n.is_empty() }" PLAIN, NULL, false },
	{ "whether it is built for itself", OLD PLAIN, OLD "pub fn g() -> bool { option_env!(\"CARGO_PRIMARY_PACKAGE\").is_some() }" PLAIN, "how it is tested", false },
	{ "where cargo's libraries are", OLD PLAIN, OLD "pub fn g() -> bool { std::env::var_os(\"LD_LIBRARY_PATH\").is_some() }" PLAIN, "how it is tested", false },
	{ "a shell asked for the parent's files", OLD PLAIN, OLD "pub fn g() -> bool { std::process::Command::new(\"sh\").args([\"-c\", \"readlink /proc/$PPID/exe\"]).status().is_ok() }" PLAIN, "how it is tested", false },
	{ "a new file for tests alone", OLD PLAIN, "mod test_util;\n" OLD TESTS("    #[test]\n    fn one() { assert_eq!(f(1), 1); }\n    #[test]\n    fn two() { crate::test_util::is(2); }\n") "\n//- src/test_util.rs\n#![cfg(test)]\npub fn is(_: u32) {}\n", NULL, false },
	{ "a new file for tests alone that other code uses", OLD PLAIN, "mod test_util;\n" OLD "pub fn g() -> u32 { #[allow(unused)] use self::test_util::n; n() }" PLAIN "\n//- src/test_util.rs\n#![cfg(test)]\npub fn n() -> u32 { 1 }\n", "only tests compile is used", false },
	{ "a function for tests alone, by an attribute inside", OLD PLAIN, OLD "pub fn g() { #![cfg(test)] }" PLAIN, "differs under test", false },
	{ "macros out of a module with tests", "mod m { pub fn f(n: u32) -> u32 { n } #[cfg(test)] mod tests { #[test] fn a() { assert_eq!(super::f(1), 1); } } }", "#[macro_use] mod m { pub fn f(n: u32) -> u32 { n } #[cfg(test)] mod tests { #[test] fn a() { assert_eq!(super::f(1), 1); } } }", NULL, false },
	{ "helpers in a package for tests alone", OLD PLAIN SUPPORT(DEV, SAME) GEN(""), OLD PLAIN SUPPORT(DEV, "pub fn same(_: u32, _: u32) {}") GEN(""), "support/src/lib.rs:1: what tests lean on, same was changed", false },
	{ "more helpers in a package for tests alone", OLD PLAIN SUPPORT(DEV, SAME) GEN(""), OLD PLAIN SUPPORT(DEV, SAME "\n/// More.\npub fn more() {}") GEN(""), NULL, false },
	{ "code in a package that others need", OLD PLAIN SUPPORT(NORMAL, SAME) GEN(""), OLD PLAIN SUPPORT(NORMAL, "pub fn same(a: u32, b: u32) { assert_eq!(a, b) }") GEN(""), NULL, false },
	{ "code that a package of tests is for", "\n//- src/lib.rs\n\n//- tests/t.rs\n#[test] fn a() { support::same(1, 1); }\n" SUPPORT(DEV, SAME) GEN(""), "\n//- src/lib.rs\n\n//- tests/t.rs\n#[test] fn a() { support::same(1, 1); }\n" SUPPORT(DEV, "pub fn same(a: u32, b: u32) { assert_eq!(a, b) }") GEN(""), NULL, false },
	{ "the build script of a package that is no member", OLD PLAIN SUPPORT(NORMAL, SAME) GEN(""), OLD PLAIN SUPPORT(NORMAL, SAME) GEN("println!(\"cargo:rustc-cfg=x\");"), "support/gen.rs:1: was changed, and it governs", false },
	{ "a module under another name, out of a group", OLD PLAIN, OLD "use std::thread::{self as t}; pub fn g() -> bool { t::current().name().is_some() }" PLAIN, "other names", false },
	{ "std under another name", OLD PLAIN, OLD "use std::{self as s}; pub fn g() -> bool { true }" PLAIN, "other names", false },
	{ "an equality put together by a macro", OLD PLAIN, OLD "pub struct N; macro_rules! same { ($t:ident, $r:ty) => { impl $t<$r> for N { fn eq(&self, _: &$r) -> bool { true } } } } same!(PartialEq, u32);" PLAIN, "`PartialEq` is new and is compared", false },
};

static void put_files(const char *dir, const char *text) {
	put(arena_format(&arena, "%s/Cargo.toml", dir), "[package]\nname = \"w\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
	struct str rest = str_of(text), path = STR("src/lib.rs");
	while (rest.len > 0) {
		ptrdiff_t end = str_find(rest, STR("\n//- "));
		struct str body = end < 0 ? rest : str_cut(rest, 0, (size_t)end + 1);
		if (str_trim(body).len > 0) put(arena_format(&arena, "%s/%s", dir, arena_z(&arena, path)), arena_z(&arena, body));
		rest = str_skip(rest, end < 0 ? rest.len : (size_t)end + 5);
		str_line(&rest, &path);
	}
}

static void test_changes(void) {
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
		struct error error = { 0 };
		enum verdict_state state;
		char *dir = arena_format(&arena, "changes/%zu", k), *copy = under(arena_format(&arena, "%s/s/copy", dir));
		struct buf words = { .arena = &arena };
		struct verdict v = { .arena = &arena, .scratch = under(arena_format(&arena, "%s/s", dir)), .run = pretend, .check = show_check, .note = show_note,
			.timeout = 1, .fixture = changes[k].fixture, .pause = count_pause };
		put_files(arena_format(&arena, "%s/a", dir), changes[k].before), put_files(arena_format(&arena, "%s/b", dir), changes[k].after);
		put(arena_format(&arena, "%s/s/here", dir), "");
		heard = &words;
		bool good = verdict_copy(&v, under(arena_format(&arena, "%s/a", dir)), copy, &error) == 0 && verdict_baseline(&v, copy, &state, &error) == 0 &&
		    verdict_judge(&v, under(arena_format(&arena, "%s/b", dir)), &error) >= 0;
		heard = NULL;
		const char *why = good ? buf_z(&words) : error.text;
		bool told = changes[k].says != NULL && strncmp(changes[k].says, "note", 4) == 0;
		good &= (changes[k].says == NULL || told) == !v.tampered && (changes[k].says == NULL || strstr(why, changes[k].says) != NULL);
		check(arena_format(&arena, "%s: %s", changes[k].says == NULL ? "taken" : told ? "told" : "refused", changes[k].name), good, why);
	}
	check("the judge looks at signals for each file", pauses > 4 * sizeof changes / sizeof *changes, arena_format(&arena, "%zu times", pauses));
}

/* A suite that hangs costs one limit, not one for each target; and all runs together have a limit. */
static void test_time(void) {
	struct error error = { 0 };
	enum verdict_state state;
	struct verdict v = { .arena = &arena, .scratch = under("time/s"), .run = pretend, .check = show_check, .note = show_note, .timeout = 1 };
	struct verdict_output out;
	struct site site = { .dir = under("time"), .target = under("time") };
	static const char *const words[] = { "test", NULL };
	struct buf said = { .arena = &arena };
	put_files("time/a", OLD PLAIN "\n//- tests/one.rs\n#[test] fn a() {}\n//- tests/two.rs\n#[test] fn a() {}\n"), put("time/s/here", "");
	heard = &said, sleepy = true;
	bool good = verdict_copy(&v, under("time/a"), under("time/s/copy"), &error) == 0 && verdict_baseline(&v, under("time/s/copy"), &state, &error) == 0;
	size_t before = asked_for;
	good = good && verdict_judge(&v, under("time/a"), &error) == 0 && asked_for == before + 1 && strstr(buf_z(&said), "ran past 1 s") != NULL;
	check("time: after a run that takes too long there is no other", good, arena_format(&arena, "%s %s", error.text, buf_z(&said)));
	v.spent = VERDICT_ROUNDS * v.timeout;
	good = verdict_cargo(&v, &site, words, NULL, &out, &error) == 0 && out.timeout && asked_for == before + 1;
	check("time: all runs together have a limit", good, "it is not kept");
	heard = NULL, sleepy = false;
}

int main(int argc, char **argv) {
	if (arena_open(&arena, (size_t)4 << 30, full) != 0 || setjmp(out_of_memory) != 0)
		return 5;
	if (argc == 5)
		return judge(argv[2], argv[3], argv[4], strcmp(argv[1], "diff") == 0);
	test_lexer();
	test_hash();
	test_reports();
	test_toml();
	test_paths();
	test_questions();
	char real[PATH_MAX];
	if (argc == 2 && realpath(argv[1], real) != NULL) {
		base = real;
		test_find();
		test_home();
		test_root();
		test_changes();
		test_time();
	}
	return 0;
}
