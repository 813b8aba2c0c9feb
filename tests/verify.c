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
	buf_format(out, "%s{\"name\":\"%.*s\",\"manifest_path\":\"%s/Cargo.toml\",\"dependencies\":[],\"targets\":[",
	    out->at[out->len - 1] == '[' ? "" : ",", (int)name.len, name.at, dir);
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

static int pretend(void *context, const struct verdict_job *job, struct verdict_output *output, struct error *error) {
	static const char *const members[] = { "", "app", "parts/shape", "parts/more" };
	struct buf out = { .arena = &arena };
	(void)context, (void)error;
	if (strcmp(job->argv[1], "metadata") != 0) {
		*output = (struct verdict_output){ .err = STR("error: could not compile `x`\n"), .status = 101 };
		return 0;
	}
	buf_format(&out, "{\"workspace_root\":\"%s\",\"packages\":[", job->dir);
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		put_package(&out, job->dir, members[k]);
	buf_add(&out, STR("]}"));
	*output = (struct verdict_output){ .out = buf_str(&out) };
	return 0;
}

static void show_check(void *context, const char *name, bool passed, const char *reason) {
	(void)context;
	if (strcmp(name, "cargo test passes") == 0 || strncmp(name, "every test", 10) == 0 || strncmp(name, "added tests", 11) == 0)
		return;
	refusals += !passed;
	printf("%s - %s: %s\n", passed ? "passed" : "refused", name, reason);
}

static void show_note(void *context, const char *text) {
	(void)context;
	printf("note - %s\n", text);
}

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

int main(int argc, char **argv) {
	if (arena_open(&arena, (size_t)2 << 30, full) != 0 || setjmp(out_of_memory) != 0)
		return 5;
	if (argc == 5)
		return judge(argv[2], argv[3], argv[4], strcmp(argv[1], "diff") == 0);
	return failures > 0;
}
