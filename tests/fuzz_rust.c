/* fuzz_rust.c - libFuzzer on the lexer and the census: any bytes end in bounded time, tokens lie in order inside the text, brackets
 * pair with each other, and a tree of one file is counted without reading past it. With -DHSA_FUZZ_ONCE: runs files by name. */
#include "../verify.c"

static struct arena arena;

static void full(const char *what) {
	(void)what;
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	if (arena.at == NULL && arena_open(&arena, (size_t)1 << 30, full) != 0)
		abort();
	struct str text = { (const char *)data, size };
	struct verdict v = { .arena = &arena, .key = { 1, 3 }, .sound = true };
	size_t count, end = 0;
	struct rust_token *t = rust_lex(&arena, text, &count);
	for (size_t k = 0; k < count; k++) {
		if (t[k].len == 0 || t[k].at < end || t[k].at + t[k].len > size || t[k].match >= count || t[t[k].match].match != k)
			abort();
		end = t[k].at + t[k].len;
	}
	struct verdict_file file = { .path = STR("src/lib.rs"), .bytes = text, .loaded = true, .size = size };
	struct verdict_tree tree = { "/nonexistent", &file, 1 };
	struct verdict_target targets[] = { { .package = { "", 0 }, .kind = STR("lib"), .name = STR("x"), .root = STR("src/lib.rs") },
		{ .package = { "", 0 }, .kind = STR("doc"), .name = STR("x"), .root = STR("src/lib.rs") } };
	struct hashes sets[3] = { census_names(verdict_census(&v, &tree, targets, 2)), { NULL, 0 }, { NULL, 0 } };
	verdict_types(&v, &tree, &sets[1], &sets[2]);
	struct buf tricks = { .arena = &arena };
	verdict_tricks_of(&v, &file, sets, &tricks);
	struct outcome r = { .output = { .out = text } };
	verdict_read_report(&v, (size & 1) != 0, &r);
	for (struct toml toml = { .rest = text, .table = { "", 0 } }; toml_next(&toml);)
		;
	arena_reset(&arena, 0);
	return 0;
}
