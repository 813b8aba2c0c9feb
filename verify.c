/* verify.c - the verdict: does the suite pass, and is it still the same suite?
 *
 * In the order of one run: 1 files, 2 the private copy, 3 the toolchain, 4 Rust tokens, 5 the census of what tests consist of
 * and lean on, 6 what must be as before, 7 cargo and its report, 8 tests that the host adds, 9 the host's own questions to the
 * fixture, 10 the baseline and the judge, 11 the diff. Nothing is executed here but through verdict->run. Two texts are the
 * same when their hashes are, under a key made afresh for each run: nobody can search for a second text. */
#ifndef HSA_VERIFY_C
#define HSA_VERIFY_C
#include "json.c"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERDICT_FILES_MAX 100000              /* limits of a crate: files and directories, */
#define VERDICT_FILE_MAX ((uint64_t)64 << 20) /* bytes of a file, */
#define VERDICT_TREE_MAX ((uint64_t)1 << 30)  /* bytes of all, */
#define VERDICT_DEPTH_MAX 64                  /* levels of directories, of modules, of groups in a `use` */
#define VERDICT_TOKENS_MAX ((size_t)1 << 26)  /* tokens looked at in one census */
#define VERDICT_OUTPUT_MAX ((size_t)16 << 20) /* bytes that one test run prints */
#define VERDICT_MEMORY ((uint64_t)16 << 30)   /* address space of each process of a test run */
#define VERDICT_ADDED 16                      /* tests that the host adds to a target: 12,870 ways to make half of them fail */

struct cargo {       /* the toolchain, found without starting anything */
	char *bin;       /* directory with the real cargo and rustc */
	char **readable; /* what must be readable for it: toolchain, and the registry and git caches it borrows */
	size_t count;
	char *home;      /* the person's CARGO_HOME, or NULL */
};
struct verdict_job {          /* one command inside the boundary */
	const char *dir, *target; /* where it starts; its CARGO_TARGET_DIR (exists); both writable */
	char *const *argv;
	struct str input;         /* standard input */
	unsigned timeout;         /* seconds */
	uint64_t memory;          /* bytes per process, 0: no limit */
	size_t limit;             /* bytes kept of each stream; more is cut */
};
struct verdict_output {
	struct str out, err;
	bool cut, timeout;
	int status; /* exit status, or 128 + signal */
};
struct verdict_file {
	struct str path, link, bytes; /* path in the tree; a link's text; what was loaded */
	struct rust_token *tokens;
	size_t count;
	uint64_t size;
	bool loaded, lexed, reached, built; /* reached: part of a target; built: of a build script */
};
struct verdict_tree {
	const char *root;
	struct verdict_file *files; /* sorted by path */
	size_t count;
};
struct verdict_target {                    /* what cargo makes one test binary of, or one run of doc tests */
	struct str package, kind, name, root;  /* directory of the package ("" or "a/b"); lib, bin, test, doc ...; its first file */
	bool build, modern, harness, compiled; /* a build script; edition 2018 or later; has Rust's own runner; compiles */
	struct str *names, *ignored;           /* its tests, sorted; of doc tests without line numbers */
	size_t count, ignored_count;
};
struct verdict {
	struct arena *arena;
	const char *scratch; /* an empty private directory of the host's */
	int (*run)(void *, const struct verdict_job *, struct verdict_output *, struct error *); /* 0, or -1: status 3, 5, 130 */
	void (*check)(void *, const char *name, bool passed, const char *reason);
	void (*note)(void *, const char *text); /* judges nothing */
	void (*changed)(void *, struct str path, struct str old, struct str now); /* of verdict_diff; at NULL: no such file; or NULL */
	void *context;
	bool allow_manifest, fixture;
	unsigned timeout;    /* seconds, of one cargo run */
	bool tampered;       /* tests or build files were changed: the baseline must be kept */
	/* the judge's own: */
	uint64_t key[2];
	unsigned serial;     /* numbers the directories below scratch */
	struct verdict_tree before;
	struct verdict_target *targets;
	size_t target_count;
	struct str lock;     /* Cargo.lock as cargo writes it from the baseline */
	bool locked, copied, fresh; /* the baseline's Cargo.lock satisfies --locked; verdict_copy was called; there is new test code */
	struct buf watch;    /* lines "hash path" of what acts later, outside: git's hooks and settings, hard links */
	struct census *census; /* of the baseline */
};
enum verdict_state { VERDICT_GREEN, VERDICT_RED, VERDICT_BROKEN /* does not compile */ };

/* ---- 1. words, hashes, files ----------------------------------------------------------------------------------- */

#define STRF(s) (int)((s).len > 200 ? 200 : (s).len), (s).len == 0 ? "" : (s).at /* for "%.*s" in messages */
#define ITEMS(type, buf) ((type *)(void *)(buf).at)   /* an array in a buffer, */
#define COUNT(type, buf) ((buf).len / sizeof(type))   /* its length */

/* Whether word stands in list, where each word has a space on both sides. */
static bool verdict_word(const char *list, struct str word) {
	if (word.len == 0 || word.len > 60 || memchr(word.at, ' ', word.len) != NULL) return false;
	for (const char *p = list; (p = memmem(p, strlen(p), word.at, word.len)) != NULL; p++)
		if (p > list && p[-1] == ' ' && p[word.len] == ' ') return true;
	return false;
}
static struct str str_cut(struct str s, size_t from, size_t to) {
	return (struct str){ s.at + from, to - from };
}
static struct str str_trim(struct str s) {
	while (s.len > 0 && memchr(" \t\r\n", s.at[0], 4) != NULL) s = str_skip(s, 1);
	while (s.len > 0 && memchr(" \t\r\n", s.at[s.len - 1], 4) != NULL) s.len--;
	return s;
}
/* Order of the bytes, for qsort and bsearch; also of whatever begins with a struct str. */
static int verdict_by_str(const void *a, const void *b) {
	const struct str *x = a, *y = b;
	int order = x->len == 0 || y->len == 0 ? 0 : memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);
	return order != 0 ? order : x->len < y->len ? -1 : x->len > y->len;
}
static int verdict_by_hash(const void *a, const void *b) {
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}
static void verdict_sort(void *at, size_t count, size_t size, int (*order)(const void *, const void *)) {
	if (count > 1) qsort(at, count, size, order);
}
static bool verdict_in(struct str key, const struct str *names, size_t count) {
	return count > 0 && bsearch(&key, names, count, sizeof key, verdict_by_str) != NULL;
}
static void verdict_push(struct buf *buf, const void *item, size_t size) {
	buf_add(buf, (struct str){ item, size });
}
/* Mixes s into the keyed hash h; "\r\n" counts as "\n". */
static uint64_t verdict_mix(const struct verdict *v, uint64_t h, struct str s) {
	size_t i = 0;
	do {
		uint64_t w = 0, n = 0;
		for (; n < 8 && i < s.len; i++)
			if (s.at[i] != '\r' || i + 1 == s.len || s.at[i + 1] != '\n') w = w << 8 | (unsigned char)s.at[i], n++;
		__extension__ unsigned __int128 product = (unsigned __int128)(h ^ w ^ v->key[0]) * (v->key[1] + 2 * n + (i < s.len ? 64 : 0));
		h = (uint64_t)product ^ (uint64_t)(product >> 64);
	} while (i < s.len);
	return h;
}
static int verdict_random(void *into, size_t size, struct error *error) {
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, into, size);
	if (fd >= 0) close(fd);
	return got == (ssize_t)size ? 0 : error_set(error, 5, "cannot read /dev/urandom:");
}
/* The bytes of a regular file within the limit, looked up in the directory dir. False: it is none, or cannot be read. */
static bool verdict_read(struct arena *arena, int dir, const char *name, struct str *bytes) {
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= VERDICT_FILE_MAX;
	if (good) {
		char *at = arena_take(arena, (size_t)st.st_size + 1, 1);
		ssize_t n = 1;
		for (*bytes = (struct str){ at, 0 }; n > 0 && bytes->len < (size_t)st.st_size; bytes->len += n > 0 ? (size_t)n : 0)
			n = read(fd, at + bytes->len, (size_t)st.st_size - bytes->len);
		good = n >= 0;
	}
	if (fd >= 0) close(fd);
	return good;
}
/* Writes a file anew, in place of what stands there. */
static int verdict_write(const char *path, struct str bytes, struct error *error) {
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	ssize_t n = fd < 0 ? -1 : 0;
	for (size_t at = 0; n >= 0 && at < bytes.len; at += n < 0 ? 0 : (size_t)n)
		n = write(fd, bytes.at + at, bytes.len - at);
	return (fd >= 0 && close(fd) != 0) || n < 0 ? error_set(error, 5, "cannot write %s:", path) : 0;
}
/* A path for a new directory below scratch; made if asked. NULL with *error. */
static char *verdict_place(struct verdict *v, const char *what, bool make, struct error *error) {
	char *path = arena_format(v->arena, "%s/%s-%u", v->scratch, what, ++v->serial);
	if (!make || mkdir(path, 0700) == 0) return path;
	error_set(error, 5, "cannot make %s:", path);
	return NULL;
}
/* Joins rel to the directory base, both in a tree, and resolves "." and "..". at is NULL when that leaves the tree. */
static struct str verdict_join(struct arena *arena, struct str base, struct str rel) {
	struct str s = str_of(arena_format(arena, "%.*s/%.*s", (int)base.len, base.at, (int)rel.len, rel.at));
	char *out = arena_take(arena, s.len + 1, 1);
	size_t len = 0;
	while (s.len > 0) {
		const char *slash = memchr(s.at, '/', s.len);
		struct str part = { s.at, slash == NULL ? s.len : (size_t)(slash - s.at) };
		s = str_skip(s, part.len + (slash != NULL));
		if (str_eq(part, STR(".."))) {
			if (len == 0) return (struct str){ NULL, 0 };
			while (len > 0 && out[--len] != '/')
				;
		} else if (part.len > 0 && !str_eq(part, STR("."))) {
			if (len > 0) out[len++] = '/';
			memcpy(out + len, part.at, part.len);
			len += part.len;
		}
	}
	return (struct str){ out, len };
}
static struct str str_dirname(struct str path) {
	while (path.len > 0 && path.at[path.len - 1] != '/') path.len--;
	return (struct str){ path.at, path.len == 0 ? 0 : path.len - 1 };
}
static struct str str_basename(struct str path) {
	size_t skip = str_dirname(path).len;
	return skip < path.len && path.at[skip] == '/' ? str_skip(path, skip + 1) : path;
}
static struct verdict_file *verdict_find(const struct verdict_tree *tree, struct str path) {
	return path.at == NULL || tree->count == 0 ? NULL : bsearch(&path, tree->files, tree->count, sizeof *tree->files, verdict_by_str);
}
static struct str verdict_load(struct arena *arena, const struct verdict_tree *tree, struct verdict_file *f) {
	if (!f->loaded && f->link.at == NULL)
		verdict_read(arena, AT_FDCWD, arena_format(arena, "%s/%.*s", tree->root, (int)f->path.len, f->path.at), &f->bytes);
	f->loaded = true;
	return f->link.at != NULL ? f->link : f->bytes;
}
/* Whether a file (NULL: none) is the same in two trees, byte for byte. What is loaded for that alone is given back. */
static bool verdict_same(struct arena *arena, const struct verdict_tree *ta, const struct verdict_file *a,
    const struct verdict_tree *tb, const struct verdict_file *b) {
	if (a == NULL || b == NULL || a->size != b->size || (a->link.at == NULL) != (b->link.at == NULL)) return false;
	size_t mark = arena->used;
	struct verdict_file x = *a, y = *b;
	bool same = str_eq(verdict_load(arena, ta, &x), verdict_load(arena, tb, &y));
	arena_reset(arena, mark);
	return same;
}

/* ---- 2. the private copy --------------------------------------------------------------------------------------- */

struct verdict_walk {
	struct verdict *v;
	const char *from, *to; /* to NULL: only listed */
	char real[PATH_MAX];   /* from, without links */
	struct buf files, *watch;
	uint64_t bytes;
	size_t seen;
	struct error *error;
};
/* Keeps in mind one thing that acts later, outside, with a hash of its bytes. */
static void verdict_watch(struct verdict_walk *w, const char *what, int dir, const char *name, const char *path) {
	struct str bytes = { NULL, 0 };
	if (w->watch != NULL && (dir < 0 || verdict_read(w->v->arena, dir, name, &bytes)))
		buf_format(w->watch, "%016llx %s%s\n", (unsigned long long)verdict_mix(w->v, 1, bytes), what, path);
}
/* .git is not copied; what of it acts is watched: settings, attributes, hooks. A file .git is watched itself. */
static void verdict_watch_git(struct verdict_walk *w, int dir, const char *path) {
	static const char *const names[] = { "config", "config.worktree", "info/attributes", "commondir" };
	int git = w->watch == NULL ? -1 : openat(dir, ".git", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (git < 0) verdict_watch(w, "", dir, ".git", path);
	for (size_t k = 0; git >= 0 && k < sizeof names / sizeof *names; k++)
		verdict_watch(w, "", git, names[k], arena_format(w->v->arena, "%s/%s", path, names[k]));
	int hooks = git < 0 ? -1 : openat(git, "hooks", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = hooks < 0 ? NULL : fdopendir(hooks);
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;)
		if (e->d_name[0] != '.' && !str_ends(str_of(e->d_name), STR(".sample")))
			verdict_watch(w, "", hooks, e->d_name, arena_format(w->v->arena, "%s/hooks/%s", path, e->d_name));
	if (list != NULL) closedir(list);
	if (git >= 0) close(git);
}
/* A link is kept as it is when it leads to something inside, or is a bare name that leads nowhere (an editor's lock). */
static int verdict_walk_link(struct verdict_walk *w, int dir, const char *name, const char *path, struct verdict_file *file) {
	char text[PATH_MAX], real[PATH_MAX];
	ssize_t n = readlinkat(dir, name, text, sizeof text - 1);
	size_t len = strlen(w->real);
	text[n < 0 ? 0 : n] = '\0';
	file->link = str_of(arena_format(w->v->arena, "%s", text));
	bool inside = realpath(arena_format(w->v->arena, "%s/%s", w->from, path), real) != NULL ?
	    text[0] != '/' && strncmp(real, w->real, len) == 0 && (real[len] == '/' || real[len] == '\0') :
	    errno == ENOENT && strchr(text, '/') == NULL;
	if (n <= 0 || !inside) return error_set(w->error, 2, "%s is a link that leads out of the crate (%s): remove it", path, text);
	if (w->to == NULL || symlink(text, arena_format(w->v->arena, "%s/%s", w->to, path)) == 0) return 0;
	return error_set(w->error, 5, "cannot make the link %s:", path);
}
static int verdict_walk_file(struct verdict_walk *w, int dir, const char *name, const char *path, struct stat *st) {
	static char block[1 << 16];
	if (!S_ISREG(st->st_mode))
		return error_set(w->error, 2, "%s is a %s, which cannot be judged: remove it", path,
		    S_ISFIFO(st->st_mode) ? "FIFO" : S_ISSOCK(st->st_mode) ? "socket" : "device");
	if ((uint64_t)st->st_size > VERDICT_FILE_MAX) return error_set(w->error, 2, "%s has more than 64 MiB (the limit for a file)", path);
	w->bytes += (uint64_t)st->st_size;
	if (w->bytes > VERDICT_TREE_MAX) return error_set(w->error, 2, "the crate has more than 1 GiB (at %s)", path);
	if (w->to == NULL) return 0;
	if (st->st_nlink > 1) verdict_watch(w, "hard link ", -1, NULL, path);
	int in = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (in < 0) return error_set(w->error, 2, "cannot read %s:", path);
	int out = open(arena_format(w->v->arena, "%s/%s", w->to, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    (st->st_mode & 0111) != 0 ? 0755 : 0644);
	ssize_t n = 0, put = 0;
	for (off_t left = st->st_size; out >= 0 && put >= 0 && left > 0 && (n = read(in, block, sizeof block)) > 0; left -= n)
		for (ssize_t at = 0; at < n && put >= 0; at += put) put = write(out, block + at, (size_t)(n - at));
	close(in);
	if (out < 0 || close(out) != 0 || put < 0) return error_set(w->error, 5, "cannot write the private copy of %s:", path);
	return n < 0 ? error_set(w->error, 2, "cannot read %s:", path) : 0;
}
static int verdict_walk_dir(struct verdict_walk *w, int dir, const char *prefix, unsigned depth);

/* One entry of the directory dir, depth levels down. */
static int verdict_walk_one(struct verdict_walk *w, int dir, const char *name, const char *path, unsigned depth) {
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return error_set(w->error, 2, "cannot look at %s:", path);
	bool directory = S_ISDIR(st.st_mode);
	if (directory && strcmp(name, "target") == 0 && (depth == 0 || faccessat(dir, "target/CACHEDIR.TAG", F_OK, 0) == 0)) return 0;
	if (++w->seen > VERDICT_FILES_MAX) return error_set(w->error, 2, "the crate has more than 100,000 files (at %s)", path);
	if (directory) {
		if (depth + 1 >= VERDICT_DEPTH_MAX) return error_set(w->error, 2, "the crate has more than 64 levels (at %.200s)", path);
		if (w->to != NULL && mkdir(arena_format(w->v->arena, "%s/%s", w->to, path), 0755) != 0)
			return error_set(w->error, 5, "cannot make the private copy of %s:", path);
		return verdict_walk_dir(w, openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		    arena_format(w->v->arena, "%s/", path), depth + 1);
	}
	struct verdict_file file = { .path = str_of(path), .size = (uint64_t)st.st_size };
	int result = S_ISLNK(st.st_mode) ? verdict_walk_link(w, dir, name, path, &file) : verdict_walk_file(w, dir, name, path, &st);
	verdict_push(&w->files, &file, sizeof file);
	return result;
}
/* Walks a directory, and closes it. prefix: its path with "/" at the end, or "". */
static int verdict_walk_dir(struct verdict_walk *w, int dir, const char *prefix, unsigned depth) {
	DIR *list = dir < 0 ? NULL : fdopendir(dir);
	int result = list == NULL ? error_set(w->error, 2, "cannot read the directory %s/%s:", w->from, prefix) : 0;
	for (struct dirent *e; result == 0 && (e = readdir(list)) != NULL;) {
		char *path = arena_format(w->v->arena, "%s%s", prefix, e->d_name);
		if (strcmp(e->d_name, ".git") == 0)
			verdict_watch_git(w, dir, path);
		else if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			result = verdict_walk_one(w, dir, e->d_name, path, depth);
	}
	if (list != NULL)
		closedir(list);
	else if (dir >= 0)
		close(dir);
	return result;
}
/* Lists the crate at from, and copies it to `to` unless that is NULL. -1 with status 2 (what cannot be judged) or 5. */
static int verdict_walk(struct verdict *v, const char *from, const char *to, struct buf *watch, struct verdict_tree *tree,
    struct error *error) {
	struct verdict_walk w = { .v = v, .from = from, .to = to, .watch = watch, .error = error, .files = { .arena = v->arena } };
	if (v->key[0] == 0 && verdict_random(v->key, sizeof v->key, error) != 0) return -1;
	v->key[1] |= (uint64_t)1 << 63 | 1;
	if (realpath(from, w.real) == NULL) return error_set(error, 2, "cannot use %s:", from);
	if (to != NULL && mkdir(to, 0755) != 0) return error_set(error, 5, "cannot make %s:", to);
	if (verdict_walk_dir(&w, open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0) != 0) return -1;
	const char *root = arena_format(v->arena, "%s", to != NULL ? to : from);
	*tree = (struct verdict_tree){ root, ITEMS(struct verdict_file, w.files), COUNT(struct verdict_file, w.files) };
	verdict_sort(tree->files, tree->count, sizeof *tree->files, verdict_by_str);
	return 0;
}
static int verdict_copy(struct verdict *v, const char *from, const char *to, struct error *error) {
	struct verdict_tree tree;
	struct buf *watch = v->copied ? NULL : &v->watch;
	v->copied = true;
	v->watch.arena = v->arena;
	return verdict_walk(v, from, to, watch, &tree, error);
}

/* ---- 3. the toolchain, and as much TOML as that takes ----------------------------------------------------------- */

struct toml {
	struct str rest, table, key, value; /* value: raw, an array over several lines as a whole */
};
/* The text between quotes, or else before a comment. Escapes stay as they are. */
static struct str toml_bare(struct str s) {
	s = str_trim(s);
	bool quoted = s.len >= 2 && (s.at[0] == '"' || s.at[0] == '\'');
	const char *end = s.len == 0 ? NULL : quoted ? memchr(s.at + 1, s.at[0], s.len - 1) : memchr(s.at, '#', s.len);
	return end == NULL ? s : quoted ? str_cut(s, 1, (size_t)(end - s.at)) : str_trim(str_cut(s, 0, (size_t)(end - s.at)));
}
/* The next header (key empty, table new) or key and value. False at the end. */
static bool toml_next(struct toml *t) {
	for (struct str line; str_line(&t->rest, &line);) {
		line = str_trim(line);
		const char *equals = line.len == 0 ? NULL : memchr(line.at, '=', line.len), *end = t->rest.at + t->rest.len, *p;
		t->key = t->value = (struct str){ "", 0 };
		if (line.len > 0 && line.at[0] == '[') {
			ptrdiff_t close = str_find(line, STR("]"));
			struct str name = str_cut(line, 1, close < 0 ? line.len : (size_t)close);
			t->table = toml_bare(str_starts(name, STR("[")) ? str_skip(name, 1) : name);
			return true;
		}
		if (equals == NULL || line.at[0] == '#') continue;
		int open = 0;
		char quote = '\0';
		for (p = equals + 1; p < end && (*p != '\n' || open > 0); p++) {
			if (quote != '\0' || *p == '"' || *p == '\'')
				quote = quote == '\0' ? *p : *p == quote || *p == '\n' ? '\0' : quote;
			else if (*p == '#')
				while (p + 1 < end && p[1] != '\n') p++;
			else
				open += (*p == '[') - (*p == ']');
		}
		t->key = toml_bare(str_cut(line, 0, (size_t)(equals - line.at)));
		t->value = str_trim((struct str){ equals + 1, (size_t)(p - equals - 1) });
		if (p >= t->rest.at) t->rest = (struct str){ p + (p < end), (size_t)(end - p) - (p < end) };
		return true;
	}
	return false;
}
/* The value of key in table, without quotes; at is NULL when there is none. */
static struct str toml_get(struct str text, struct str table, struct str key) {
	for (struct toml t = { .rest = text, .table = { "", 0 } }; toml_next(&t);)
		if (str_eq(t.table, table) && t.key.len > 0 && str_eq(t.key, key)) return toml_bare(t.value);
	return (struct str){ NULL, 0 };
}
/* Whether text has the table, or a table or key inside it. */
static bool toml_has(struct str text, struct str table) {
	for (struct toml t = { .rest = text, .table = { "", 0 } }; toml_next(&t);) {
		struct str name = t.table.len == 0 ? t.key : t.table;
		if (str_starts(name, table) && (name.len == table.len || name.at[table.len] == '.')) return true;
	}
	return false;
}
/* Whether only root or the user can have written a configuration file, named the link that leads to it, or made the .cargo that
 * holds it: a link may lead to anybody's file. */
static bool cargo_trusted(struct arena *arena, const char *path) {
	struct str dir = str_dirname(str_of(path));
	struct stat st[4] = { 0 };
	bool own = str_eq(str_basename(dir), STR(".cargo")), good = lstat(path, &st[0]) == 0 && stat(path, &st[1]) == 0 && S_ISREG(st[1].st_mode);
	if (own) good &= lstat(arena_z(arena, dir), &st[2]) == 0 && stat(arena_z(arena, dir), &st[3]) == 0;
	for (int k = 0; k < (own ? 4 : 2); k++)
		good &= (st[k].st_uid == 0 || st[k].st_uid == geteuid()) && (S_ISLNK(st[k].st_mode) || (st[k].st_mode & 022) == 0);
	return good;
}
static void cargo_readable(struct arena *arena, struct cargo *cargo, const char *path) {
	char real[PATH_MAX];
	cargo->readable = cargo->readable == NULL ? arena_take(arena, sizeof *cargo->readable, 64) : cargo->readable;
	if (realpath(path, real) != NULL && strcmp(real, "/") != 0 && cargo->count < 64)
		cargo->readable[cargo->count++] = arena_format(arena, "%s", real);
}
/* Whether bin holds a cargo and a rustc that are themselves, not rustup in disguise (a link, a hard link, a copy of it). */
static bool cargo_pair(struct arena *arena, const char *bin) {
	struct stat c, r, up;
	char *cargo = arena_format(arena, "%s/cargo", bin), *rustc = arena_format(arena, "%s/rustc", bin);
	if (stat(cargo, &c) != 0 || stat(rustc, &r) != 0 || access(cargo, X_OK) != 0 || access(rustc, X_OK) != 0) return false;
	return S_ISREG(c.st_mode) && S_ISREG(r.st_mode) && !(c.st_ino == r.st_ino && c.st_dev == r.st_dev) &&
	    (stat(arena_format(arena, "%s/rustup", bin), &up) != 0 || (up.st_size != c.st_size && up.st_size != r.st_size));
}
/* Takes bin as the toolchain: it, and where each program really lies, with the lib beside that. */
static int cargo_take(struct arena *arena, struct cargo *cargo, const char *bin) {
	char real[PATH_MAX];
	cargo->bin = arena_format(arena, "%s", bin);
	cargo_readable(arena, cargo, bin);
	for (int k = 0; k < 2; k++)
		if (realpath(arena_format(arena, "%s/%s", bin, k == 0 ? "cargo" : "rustc"), real) != NULL) {
			struct str place = str_dirname(str_of(real)), root = str_dirname(place);
			bool whole = root.len > 1 && access(arena_format(arena, "%.*s/lib/rustlib", (int)root.len, root.at), F_OK) == 0;
			cargo_readable(arena, cargo, arena_z(arena, whole ? root : place));
		}
	return 0;
}
/* The channel for the directory real, in rustup's own order; of a toolchain file only the channel, and never a path. */
static struct str cargo_channel(struct arena *arena, const char *real, struct str settings, const char **why) {
	struct str text, channel = str_of(getenv("RUSTUP_TOOLCHAIN"));
	*why = "RUSTUP_TOOLCHAIN";
	for (struct str at = str_of(real); at.len > 0 && channel.len == 0; at = str_dirname(at)) { /* the nearest directory wins */
		*why = "rustup's override";
		channel = toml_get(settings, STR("overrides"), at);
		for (int k = 0; k < 2 && channel.len == 0; k++) {
			*why = arena_format(arena, "%.*s/rust-toolchain%s", (int)at.len, at.at, k == 0 ? "" : ".toml");
			if (!verdict_read(arena, AT_FDCWD, *why, &text)) continue;
			channel = toml_get(text, STR("toolchain"), STR("channel"));
			if (channel.at == NULL && str_find(text, STR("[")) < 0 && str_line(&text, &channel)) channel = str_trim(channel);
			if (str_find(channel, STR("/")) >= 0) channel.len = 0;
		}
	}
	if (channel.len > 0) return channel;
	*why = "rustup's settings";
	return toml_get(settings, STR(""), STR("default_toolchain"));
}
/* The bin of rustup's toolchain of that name, with or without the host's name behind it, or NULL. */
static char *cargo_rustup(struct arena *arena, const char *up, struct str name) {
	char *best = NULL;
	DIR *list = opendir(arena_format(arena, "%s/toolchains", up));
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
		struct str have = str_of(e->d_name);
		char *bin = arena_format(arena, "%s/toolchains/%s/bin", up, e->d_name);
		bool exact = str_eq(have, name), host = str_starts(have, name) && have.at[name.len] == '-' && have.at[name.len + 1] > '9';
		if ((exact || (host && (best == NULL || strcmp(bin, best) < 0))) && have.at[0] != '.' && cargo_pair(arena, bin)) best = bin;
		if (exact) break;
	}
	if (list != NULL) closedir(list);
	return best;
}
/* The [source] tables of the person's settings and where registries are, never a token, into out; the directories that they
 * name become readable. -1, status 2: others could have written the settings. */
static int cargo_sources(struct arena *arena, const char *home, struct buf *out, struct cargo *cargo, struct error *error) {
	struct str text = { NULL, 0 }, last = { "", 0 };
	for (int k = 0; k < 2 && text.at == NULL; k++) {
		char *path = arena_format(arena, "%s/config%s", home, k == 0 ? ".toml" : "");
		if (verdict_read(arena, AT_FDCWD, path, &text) && !cargo_trusted(arena, path))
			return error_set(error, 2, "%s could have been written by others: chmod go-w it, or remove it", path);
	}
	for (struct toml t = { .rest = text, .table = { "", 0 } }; toml_next(&t);) {
		bool source = str_starts(t.table, STR("source")), index = str_starts(t.table, STR("registries.")) && str_eq(t.key, STR("index"));
		if (t.key.len == 0 || !(source || index) || str_find(t.key, STR("token")) >= 0) continue;
		struct str bare = toml_bare(t.value);
		bool place = source && (str_eq(t.key, STR("directory")) || str_eq(t.key, STR("local-registry")));
		char *path = arena_format(arena, "%s%.*s", str_starts(bare, STR("/")) ? "" : arena_format(arena, "%s/../", home), STRF(bare));
		if (place && cargo != NULL) cargo_readable(arena, cargo, path);
		if (!str_eq(last, t.table)) buf_format(out, "[%.*s]\n", STRF(t.table));
		last = t.table;
		buf_format(out, "%.*s = ", STRF(t.key));
		buf_format(out, place ? "\"%s\"\n" : "%s\n", place ? path : arena_z(arena, t.value));
	}
	return 0;
}
static int cargo_find(struct arena *arena, const char *dir, struct cargo *cargo, struct error *error) {
	const char *home = getenv("HOME"), *up = getenv("RUSTUP_HOME"), *ch = getenv("CARGO_HOME"), *why = "", *path = getenv("PATH");
	char real[PATH_MAX], place[PATH_MAX];
	struct str settings = { NULL, 0 };
	struct buf places = { .arena = arena }, ignored = { .arena = arena };
	*cargo = (struct cargo){ 0 };
	if (realpath(dir, real) == NULL) return error_set(error, 2, "cannot use %s:", dir);
	home = home == NULL || *home != '/' ? "/nonexistent" : home;
	up = up == NULL || *up != '/' ? arena_format(arena, "%s/.rustup", home) : up;
	ch = ch == NULL || *ch != '/' ? arena_format(arena, "%s/.cargo", home) : ch;
	if (access(ch, F_OK) == 0) {
		cargo->home = arena_format(arena, "%s", ch);
		cargo_readable(arena, cargo, arena_format(arena, "%s/registry", ch));
		cargo_readable(arena, cargo, arena_format(arena, "%s/git", ch));
		if (cargo_sources(arena, ch, &ignored, cargo, error) != 0) return -1;
	}
	verdict_read(arena, AT_FDCWD, arena_format(arena, "%s/settings.toml", up), &settings);
	struct str channel = cargo_channel(arena, real, settings, &why);
	if (channel.len > 0 && access(arena_format(arena, "%s/toolchains", up), F_OK) == 0) {
		char *bin = channel.at[0] == '/' ? arena_format(arena, "%.*s/bin", STRF(channel)) : cargo_rustup(arena, up, channel);
		if (bin != NULL && cargo_pair(arena, bin)) return cargo_take(arena, cargo, bin);
		return error_set(error, 5, "the toolchain %.*s (named by %s) is not installed: rustup toolchain install %.*s", STRF(channel), why,
		    STRF(channel));
	}
	buf_format(&places, "%s:", path == NULL ? "" : path);
	DIR *opt = opendir("/opt");
	for (struct dirent *e; opt != NULL && (e = readdir(opt)) != NULL;) buf_format(&places, "/opt/%s/bin:", e->d_name);
	if (opt != NULL) closedir(opt);
	buf_add(&places, STR("/usr/local/bin:/usr/bin:"));
	for (struct str rest = buf_str(&places); rest.len > 0;) {
		size_t len = (size_t)str_find(rest, STR(":")), below = strlen(real);
		char *bin = arena_z(arena, str_cut(rest, 0, len));
		rest = str_skip(rest, len + 1);
		if (*bin == '/' && cargo_pair(arena, bin) && realpath(bin, place) != NULL &&
		    !(strncmp(place, real, below) == 0 && (place[below] == '/' || place[below] == '\0'))) /* nothing of DIR's */
			return cargo_take(arena, cargo, bin);
	}
	return error_set(error, 5, "no cargo and rustc found (rustup's toolchains, PATH, /opt, /usr): install Rust with rustup or the "
	    "system's packages (apt-get install cargo; dnf install cargo; apk add cargo; pacman -S rust)");
}
static int cargo_home_make(struct arena *arena, const struct cargo *cargo, const char *path, struct error *error) {
	struct buf out = { .arena = arena };
	for (int k = 0; k < 2 && cargo->home != NULL; k++) {
		char *from = arena_format(arena, "%s/%s", cargo->home, k == 0 ? "registry" : "git");
		if (access(from, F_OK) == 0 && symlink(from, arena_format(arena, "%s/%s", path, k == 0 ? "registry" : "git")) != 0)
			return error_set(error, 5, "cannot make a link in %s:", path);
	}
	if (cargo->home != NULL && cargo_sources(arena, cargo->home, &out, NULL, error) != 0) return -1;
	return out.len == 0 ? 0 : verdict_write(arena_format(arena, "%s/config.toml", path), buf_str(&out), error);
}
/* What lies above dir and governs what is built in it: refused (2) when others could have written it, and (member) when it is
 * the manifest of a workspace that does not exclude dir. */
static int cargo_above(struct arena *arena, const char *dir, bool member, struct error *error) {
	static const char *const names[] = { ".cargo/config.toml", ".cargo/config", "Cargo.toml" };
	struct str text;
	for (struct str at = str_dirname(str_of(dir)); at.len > 0; at = str_dirname(at))
		for (size_t k = 0; k < 3; k++) {
			char *path = arena_format(arena, "%.*s/%s", (int)at.len, at.at, names[k]);
			if (access(path, F_OK) != 0) continue;
			if (!cargo_trusted(arena, path))
				return error_set(error, 2, "%s governs what is built in %s, and others could have written it: remove it", path, dir);
			if (k < 2 || !member || !verdict_read(arena, AT_FDCWD, path, &text) || !toml_has(text, STR("workspace"))) continue;
			bool excluded = false; /* a directory on the way down to dir stands in the list */
			struct str list = toml_get(text, STR("workspace"), STR("exclude"));
			for (struct str down = str_of(dir); down.len > at.len; down = str_dirname(down))
				excluded |= list.len > 0 && str_find(list, str_of(arena_format(arena, "\"%s\"", arena_z(arena, str_skip(down, at.len + 1))))) >= 0;
			if (!excluded) return error_set(error, 2, "%s is a member of the workspace %.*s: use that directory", dir, (int)at.len, at.at);
		}
	return 0;
}
static int cargo_root_check(struct arena *arena, const char *dir, struct error *error) {
	char real[PATH_MAX];
	struct str text;
	if (realpath(dir, real) == NULL) return error_set(error, 2, "cannot use %s:", dir);
	if (!verdict_read(arena, AT_FDCWD, arena_format(arena, "%s/Cargo.toml", real), &text))
		return error_set(error, 2, "%s holds no Cargo.toml that can be read", dir);
	struct str root = toml_get(text, STR("package"), STR("workspace"));
	if (root.at != NULL) return error_set(error, 2, "%s is a member of the workspace %.*s: use that directory", dir, STRF(root));
	return cargo_above(arena, real, !toml_has(text, STR("workspace")), error);
}

/* ---- 4. Rust tokens (Rust reference, "Lexical structure"; editions 2015 to 2024) -------------------------------- */

enum rust_kind { RUST_IDENT, RUST_LIFETIME, RUST_CHAR, RUST_STRING, RUST_NUMBER, RUST_PUNCT, RUST_DOC, RUST_BAD };

struct rust_token {
	uint32_t at, len, line; /* bytes in the file; line from 1 */
	uint32_t match;         /* of a bracket: its partner's index; itself when it has none */
	uint8_t kind;
	bool idle;              /* a comma before a closing bracket that means nothing */
};
/* Length of the white space at s.at[i] (Pattern_White_Space), 0 if there is none. */
static size_t rust_space(struct str s, size_t i) {
	const unsigned char *p = (const unsigned char *)s.at + i;
	if (*p == ' ' || (*p >= 9 && *p <= 13)) return 1;
	if (*p == 0xC2 && s.len - i >= 2 && p[1] == 0x85) return 2;
	return *p == 0xE2 && s.len - i >= 3 && p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F || p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
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
	for (end += based; rust_digit(s, end) || (end < s.len && (s.at[end] == '_' || (hex && (s.at[end] | 32) >= 'a' && (s.at[end] | 32) <= 'f')));) end++;
	if (end < s.len && s.at[end] == '.' && (end + 1 == s.len || (s.at[end + 1] != '.' && (rust_digit(s, end + 1) || rust_ident(s, end + 1) == end + 1))))
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
/* Behind a string or character with a prefix, or a raw identifier, whose prefix is [i, end); i when it is none of these. */
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
/* Pairs the brackets, and marks commas before a closing one as idle, unless they make a tuple of one. */
static void rust_pair(struct arena *arena, struct str s, struct rust_token *t, size_t count) {
	size_t mark = arena->used, depth = 0;
	struct { uint32_t at, commas; } *open = arena_take(arena, sizeof *open, count + 1);
	for (size_t k = 0; k < count; k++) {
		char c = t[k].kind == RUST_PUNCT && t[k].len == 1 ? s.at[t[k].at] : '\0', o = depth > 0 ? s.at[t[open[depth - 1].at].at] : '\0';
		t[k].match = (uint32_t)k;
		if (c == '(' || c == '[' || c == '{')
			open[depth].at = (uint32_t)k, open[depth++].commas = 0;
		else if (c == ',' && depth > 0)
			open[depth - 1].commas++;
		else if (depth > 0 && ((c == ')' && o == '(') || (c == ']' && o == '[') || (c == '}' && o == '{'))) {
			t[k].match = open[--depth].at;
			t[t[k].match].match = (uint32_t)k;
			t[k - 1].idle = t[k - 1].len == 1 && s.at[t[k - 1].at] == ',' && (c != ')' || open[depth].commas > 1);
		}
	}
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
		struct rust_token token = { (uint32_t)i, (uint32_t)(end - i), line, 0, (uint8_t)kind, false };
		verdict_push(&out, &token, sizeof token);
	}
	*count = COUNT(struct rust_token, out);
	rust_pair(arena, s, ITEMS(struct rust_token, out), *count);
	return ITEMS(struct rust_token, out);
}

/* ---- 5. the census: what tests consist of and lean on ----------------------------------------------------------- */

enum { ATTR_NEUTRAL = 1, ATTR_TEST = 2, ATTR_CFG_TEST = 4, ATTR_CFG = 8 };

struct verdict_unit {      /* one thing that must be there afterwards, too */
	struct str name, path; /* path: of its module, "a::b" */
	uint64_t chain, body;  /* hashes: the modules around it with their attributes; itself */
	struct verdict_file *file;
	struct verdict_target *target;
	size_t from, to;       /* tokens */
	uint32_t line;
	char kind;             /* t test, d doc test, u use, M macro, ! macro call, i impl, f function, o other */
	bool certain, loose;   /* nothing but cfg(test) decides whether it is compiled; cfg(test) outside a test module */
	bool found;
};
struct area {              /* tokens that are compiled for tests only */
	struct verdict_file *file;
	size_t from, to;
};
struct census {
	struct verdict *v;
	struct verdict_tree *tree, *other; /* other: what is the same file there has the same tokens */
	struct buf units, makers; /* makers: names of macros that make tests, each between spaces */
	struct buf areas, opened; /* opened: hashes of modules that cfg(test) opens, each with one of its bare name behind it */
	size_t budget;            /* tokens that may still be looked at */
	bool docs;                /* doc tests of this target are run */
};
struct scope {
	struct verdict_target *target;
	struct str path, dir, file_dir; /* module path; where `mod x;` is looked for; the directory of the file */
	uint64_t chain;
	bool territory, certain, nested; /* inside a test module or tests/; nested: in a module with braces */
	unsigned depth;
};
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
	static const char neutral[] = " allow warn deny expect forbid doc must_use inline cold rustfmt clippy track_caller ";
	static const char makers[] = " bench rstest quickcheck proptest case parameterized test_case ";
	size_t close = f->tokens[open].match, last = open + 1;
	bool test = false, negated = false, other = false;
	struct str first = rust_name(f, last);
	if (!verdict_word(" cfg cfg_attr doc ", first) && verdict_word(neutral, first)) return ATTR_NEUTRAL;
	for (size_t k = open + 2; k < close; k++) {
		struct str name = rust_name(f, k);
		test |= str_eq(name, STR("test")), negated |= str_eq(name, STR("not")), other |= name.len > 0 && !str_eq(name, STR("test"));
	}
	if (str_eq(first, STR("doc"))) return test ? 0 : ATTR_NEUTRAL;
	if (str_eq(first, STR("path"))) *path = rust_string(f, open + 3);
	if (str_eq(first, STR("cfg"))) return test && !negated ? ATTR_CFG_TEST | (other ? ATTR_CFG : 0u) : ATTR_CFG;
	if (str_eq(first, STR("cfg_attr"))) return ATTR_CFG | (test ? ATTR_TEST : 0u);
	while (rust_is(f, last + 1, "::") && last + 2 < close) last += 2;
	struct str name = rust_name(f, last);
	return str_eq(name, STR("test")) ? ATTR_TEST : str_ends(name, STR("test")) || verdict_word(makers, name) ? ATTR_TEST | ATTR_CFG : 0;
}
/* Hashes tokens: no documentation, no idle commas, no attributes that do nothing. */
static uint64_t rust_hash(const struct verdict *v, const struct verdict_file *f, size_t from, size_t to, uint64_t h) {
	struct str path;
	for (size_t k = from; k < to; k++) {
		size_t open = rust_attribute_at(f, k, to);
		if (open > 0 && rust_attribute(f, open, &path) == ATTR_NEUTRAL)
			k = f->tokens[open].match;
		else if (f->tokens[k].kind != RUST_DOC && !f->tokens[k].idle)
			h = verdict_mix(v, h + f->tokens[k].kind, rust_text(f, k));
	}
	return h;
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
/* Reads the item at `at`, its attributes first. */
static void rust_item(const struct verdict_file *f, size_t at, size_t end, struct rust_item *item) {
	static const struct { char kind; const char *words; } kinds[] = { { 'm', " mod " }, { 'f', " fn " }, { 'u', " use " }, { 'M', " macro " },
		{ 'i', " impl trait " }, { 'o', " struct enum union type static const " } };
	*item = (struct rust_item){ .name = { "", 0 } };
	size_t k = at, open;
	for (; k < end && (f->tokens[k].kind == RUST_DOC || (open = rust_attribute_at(f, k, end)) > 0); k++)
		if (f->tokens[k].kind != RUST_DOC) item->flags |= rust_attribute(f, open, &item->path), k = f->tokens[open].match;
	item->head = k;
	for (; k < end; k = rust_opens(f, k, end) ? f->tokens[k].match + 1 : k + 1) { /* what may stand before the word that tells */
		bool next = verdict_word(" fn unsafe async extern ", rust_text(f, k + 1)) || (rust_is(f, k, "extern") && rust_is(f, k + 2, "fn"));
		if (!(verdict_word(" pub default unsafe async safe auto ", rust_text(f, k)) || (next && verdict_word(" const extern ", rust_text(f, k))) ||
		    (k > at && rust_is(f, k, "(") && rust_is(f, k - 1, "pub")) || (k > at && rust_is(f, k - 1, "extern") && rust_is(f, k + 1, "fn")))) break;
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
	item->end = item->kind != 0 ? rust_item_end(f, k, end, !verdict_word(" use type static const ", word) && !ended, &item->body) :
	    rust_opens(f, k, end) ? f->tokens[k].match + 1 : k < end ? k + 1 : end;
	item->body = item->body > item->end ? item->end : item->body;
}
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
				for (u.from = u.to = k; u.to < close && !rust_is(u.file, u.to, ",");) u.to = u.file->tokens[u.to].match > u.to ? u.file->tokens[u.to].match + 1 : u.to + 1;
				if (u.to > u.from) census_use(c, s, u, depth + 1);
			}
			return;
		}
		u.body = verdict_mix(c->v, u.body, rust_text(u.file, k));
	}
	u.name = rust_is(u.file, last, "*") ? STR("*") : rust_is(u.file, last, "self") && last >= 3 ? rust_name(u.file, last - 3) : rust_name(u.file, last);
	census_add(c, s, u);
}
/* The next line of documentation, without its marks, of the tokens [*k, to). rest.at is NULL between two tokens. */
static bool rust_doc_line(const struct verdict_file *f, size_t *k, size_t to, struct str *rest, struct str *line, uint32_t *number) {
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
			if (word.len > 0 && !verdict_word(known, word) && !str_starts(word, STR("edition")) && !str_starts(word, STR("ignore")) &&
			    !(word.at[0] == 'E' && rust_digit(word, 1))) return false;
		}
	return true;
}
struct fence { /* where a run of documentation stands */
	size_t length;
	char mark;
	bool test, blank;
	struct verdict_unit unit;
};
/* One line of Markdown: fences of three or more ` or ~ hold code, and so do lines indented by four. */
static void census_doc_line(struct census *c, const struct scope *s, struct fence *x, struct str line, uint32_t number) {
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
	} else if ((n >= 3 && (text.at[0] == '~' || memchr(text.at + n, '`', text.len - n) == NULL)) || indented) {
		struct str info = indented ? text : str_trim(str_skip(text, n));
		x->unit.line = number, x->unit.name = indented ? text : STR(""), x->unit.body = verdict_mix(c->v, indented ? 'i' : 'd', info);
		x->length = indented ? 0 : n, x->mark = text.at[0], x->test = rust_doc_test(info);
		if (indented) census_add(c, s, x->unit);
	}
	x->blank = text.len == 0 || indented;
}
/* The doc tests of the documentation at token k (comments, or an attribute that includes a file); behind it. */
static size_t census_docs(struct census *c, const struct scope *s, struct verdict_file *f, size_t k, size_t to) {
	struct fence x = { .blank = true, .unit = { .file = f, .kind = 'd' } };
	struct str rest = { NULL, 0 }, line;
	uint32_t number = 0;
	size_t open = rust_attribute_at(f, k, to), start = k;
	if (open > 0 && rust_is(f, open + 1, "doc") && rust_is(f, open + 3, "include_str")) {
		struct verdict_file *g = verdict_find(c->tree, verdict_join(c->v->arena, s->file_dir, rust_string(f, open + 6)));
		for (rest = g == NULL ? STR("") : verdict_load(c->v->arena, c->tree, g); str_line(&rest, &line);)
			census_doc_line(c, s, &x, line, f->tokens[k].line);
		k = f->tokens[open].match + 1;
	}
	while (k < to && (k == start || open == 0) && rust_doc_line(f, &k, to, &rest, &line, &number)) census_doc_line(c, s, &x, line, number);
	if (x.length > 0 && x.test) census_add(c, s, x.unit);
	return k == start ? k + 1 : k;
}
static void census_file(struct census *c, struct scope s, struct str path);
static void census_items(struct census *c, struct scope *s, struct verdict_file *f, size_t at, size_t end);

static void census_enter(struct census *c, struct scope *s, struct str name) {
	s->chain = verdict_mix(c->v, s->chain, name);
	s->path = str_of(arena_format(c->v->arena, "%.*s%s%.*s", STRF(s->path), s->path.len > 0 ? "::" : "", STRF(name)));
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
static void census_one(struct census *c, const struct scope *s, struct verdict_file *f, size_t at, struct rust_item *item) {
	struct scope in = *s;
	bool cfg_test = (item->flags & ATTR_CFG_TEST) != 0, test = item->kind == 'f' && (item->flags & ATTR_TEST) != 0;
	in.territory |= cfg_test;
	in.certain &= (item->flags & ATTR_CFG) == 0;
	in.chain = item->kind == 'm' || item->kind == 'i' ? rust_hash(c->v, f, at, item->kind == 'm' ? item->head : item->body, s->chain) : s->chain;
	if (item->kind == 'm') {
		census_enter(c, &in, item->name);
		uint64_t h[2] = { in.chain, verdict_mix(c->v, 3, item->name) };
		struct area area = { f, item->body, item->end };
		if (in.territory && !s->territory) verdict_push(&c->opened, h, sizeof h), verdict_push(&c->areas, &area, sizeof area);
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
	if (item->kind == 0 || !(in.territory || test || (strchr("!M", item->kind) != NULL && census_makes(c, f, at, item->end)))) return;
	struct verdict_unit u = { .name = item->name, .file = f, .from = at, .to = item->end, .line = f->tokens[item->head].line, .certain = true,
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
		s->territory |= (flags & ATTR_CFG_TEST) != 0, s->certain &= (flags & ATTR_CFG) == 0;
		s->chain = rust_hash(c->v, f, at, f->tokens[open].match + 1, s->chain);
		at = f->tokens[open].match;
	}
	while (c->docs && begin < at) begin = census_docs(c, s, f, begin, at);
	for (; at < end; at = item.end) {
		rust_item(f, at, end, &item);
		census_one(c, s, f, at, &item);
		bool inner = item.kind == 'm' || (item.kind == 'i' && !s->territory && (item.flags & ATTR_CFG_TEST) == 0);
		for (size_t k = at; c->docs && k < (inner ? item.body : item.end);) k = census_docs(c, s, f, k, item.end);
	}
}
/* A file of the tree, with its tokens; NULL: none. A link leads to another. */
static struct verdict_file *census_open(struct census *c, struct str path) {
	struct verdict_file *f = verdict_find(c->tree, path);
	for (int hops = 0; f != NULL && f->link.at != NULL; hops++)
		f = hops == 8 ? NULL : verdict_find(c->tree, verdict_join(c->v->arena, str_dirname(f->path), f->link));
	if (f != NULL && !f->lexed) {
		struct verdict_file *twin = c->other == NULL ? NULL : verdict_find(c->other, f->path);
		verdict_load(c->v->arena, c->tree, f);
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
	f->reached = true, f->built |= s.target->build;
	s.nested = false, s.file_dir = str_dirname(path);
	struct area area = { f, 0, f->count };
	if (s.territory) verdict_push(&c->areas, &area, sizeof area);
	census_items(c, &s, f, 0, f->count);
}
static struct census *verdict_census(struct verdict *v, struct verdict_tree *tree, struct verdict_target *targets, size_t count) {
	struct census *c = arena_take(v->arena, sizeof *c, 1);
	*c = (struct census){ .v = v, .tree = tree, .other = tree == &v->before ? NULL : &v->before, .units = { .arena = v->arena }, .makers = { .arena = v->arena },
		.areas = { .arena = v->arena }, .opened = { .arena = v->arena }, .budget = VERDICT_TOKENS_MAX };
	buf_add(&c->makers, STR(" quickcheck proptest "));
	for (size_t n = 0; n < 2 * tree->count; n++) { /* macros that make tests; twice, since macros call macros */
		struct verdict_file *f = &tree->files[n % tree->count];
		if (!str_ends(f->path, STR(".rs")) || str_find(verdict_load(v->arena, tree, f), STR("macro_rules")) < 0 || (f = census_open(c, f->path)) == NULL) continue;
		for (size_t k = 0; k + 3 < f->count; k++)
			if (rust_is(f, k, "macro_rules") && rust_opens(f, k + 3, f->count) && !verdict_word(buf_z(&c->makers), rust_name(f, k + 2)) &&
			    census_makes(c, f, k + 3, f->tokens[k + 3].match)) buf_format(&c->makers, "%.*s ", STRF(rust_name(f, k + 2)));
	}
	for (struct verdict_target *t = targets; t < targets + count; t++) {
		bool doc = str_eq(t->kind, STR("doc"));
		if (doc && t > targets && str_eq(t[-1].kind, STR("lib")) && str_eq(t[-1].package, t->package)) continue;
		struct scope s = { .target = t, .path = { "", 0 }, .dir = str_dirname(t->root), .certain = true, .territory = str_eq(t->kind, STR("test")) };
		s.chain = verdict_mix(v, verdict_mix(v, verdict_mix(v, 7, t->package), doc ? STR("lib") : t->kind), t->name);
		c->docs = doc || (str_eq(t->kind, STR("lib")) && t + 1 < targets + count && str_eq(t[1].kind, STR("doc")));
		census_file(c, s, t->root);
	}
	return c;
}

/* ---- 6. what must be as before ---------------------------------------------------------------------------------- */

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
	v->check(v->context, name, fault->count == 0, fault->count == 0 ? good : arena_format(v->arena, "%s%s", fault->text, more));
	return fault->count == 0;
}
struct hashes { /* sorted; may repeat */
	uint64_t *at;
	size_t count;
};
static struct hashes hashes_of(struct buf *buf) {
	struct hashes set = { ITEMS(uint64_t, *buf), COUNT(uint64_t, *buf) };
	verdict_sort(set.at, set.count, sizeof *set.at, verdict_by_hash);
	return set;
}
static bool hashes_hold(const struct hashes *set, uint64_t h) {
	return set->count > 0 && bsearch(&h, set->at, set->count, sizeof h, verdict_by_hash) != NULL;
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
/* What the units use: names under the chain of their module; under 0 the macros that they call; under 1 the modules
 * themselves; under 2 the macros called at the level of items in a module. */
static struct hashes census_names(struct census *c) {
	struct buf out = { .arena = c->v->arena };
	const struct verdict_unit *u = ITEMS(struct verdict_unit, c->units), *end = u + COUNT(struct verdict_unit, c->units);
	for (; u < end; u++) {
		uint64_t h[2] = { u->chain ^ 1, verdict_mix(c->v, u->chain ^ 2, u->name) };
		if (u->kind != 'd') verdict_push(&out, h, u->kind == '!' ? sizeof h : sizeof *h);
		for (size_t k = u->from; k < u->to && u->kind != 'd'; k++) {
			struct str name = rust_name(u->file, k);
			h[0] = verdict_mix(c->v, u->chain, name), h[1] = verdict_mix(c->v, 0, name);
			if (name.len > 0) verdict_push(&out, h, rust_is(u->file, k + 1, "!") ? sizeof h : sizeof *h);
		}
	}
	return hashes_of(&out);
}
/* A unit of the baseline that is no longer there: says what became of it. */
static void verdict_missing(struct verdict *v, const struct verdict_unit *u, struct verdict_unit *const *after, size_t count, struct fault *fault) {
	const struct verdict_unit *hit = NULL;
	for (size_t k = 0; k < count && fault->count == 0; k++)
		if (after[k]->kind == u->kind && !after[k]->found && str_eq(after[k]->name, u->name) && (hit == NULL || after[k]->chain == u->chain)) hit = after[k];
	const struct verdict_unit *at = hit == NULL ? u : hit;
	(void)v;
	verdict_wrong(fault, "%.*s:%u: %s%.*s%s%.*s was %s", STRF(at->file->path), at->line, u->kind == 'd' ? "the doc test " : u->kind == 't' ? "the test " :
	    "what tests lean on, ", STRF(u->path), u->path.len > 0 ? "::" : "", STRF(u->name), hit == NULL ? "changed or removed, or is no longer reached" :
	    hit->chain == u->chain ? "changed" : "moved, or an attribute or module around it was changed");
}
/* A unit that the baseline does not have: it may add tests, but not come between the old ones and what they mean. types: names
 * of new types, under the chain of their module. */
static void verdict_extra(struct verdict *v, const struct verdict_unit *u, const struct hashes *names, const struct hashes *types, struct fault *fault) {
	bool known = hashes_hold(names, u->chain ^ 1);
	const char *why = u->loose ? "is new code that differs under cfg(test)" :
	    known && str_eq(u->name, STR("*")) ? "is a new glob import among the tests" :
	    known && u->kind == '!' && !hashes_hold(names, verdict_mix(v, u->chain ^ 2, u->name)) ? "is a new macro call among the tests" :
	    known && strchr("utMfo", u->kind) != NULL && hashes_hold(names, verdict_mix(v, u->chain, u->name)) ? "takes a name that the tests use" : NULL;
	for (size_t k = u->from, type; k < u->to && u->kind != 'd'; k++) { /* an impl acts everywhere: only for types that came with it */
		if (!rust_is(u->file, k, "impl") || (k > u->from && u->file->tokens[k - 1].kind != RUST_DOC && !verdict_word(" ; } { ] unsafe ", rust_text(u->file, k - 1)))) continue;
		bool open = rust_is(u->file, k + 1, "<") && u->file->tokens[k + 2].kind != RUST_LIFETIME; /* for any type */
		for (type = k + 1; k < u->to && !rust_is(u->file, k, "{"); k++)
			if (rust_is(u->file, k, "for")) type = k + 1;
		if (open || !hashes_hold(types, verdict_mix(v, u->chain, rust_name(u->file, type)))) why = "is new test code with an impl for a type of the crate";
	}
	if (why != NULL) verdict_wrong(fault, "%.*s:%u: %.*s %s", STRF(u->file->path), u->line, STRF(u->name), why);
}
/* How often tokens lead into a module of the set. */
static size_t verdict_mentions(struct verdict *v, const struct hashes *set, const struct verdict_file *f, size_t from, size_t to) {
	size_t count = 0;
	for (size_t k = from; k < to; k++) count += rust_is(f, k + 1, "::") && hashes_hold(set, verdict_mix(v, 3, rust_name(f, k)));
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
		if (after->tree->files[k].reached) total += verdict_mentions(v, &set, &after->tree->files[k], 0, after->tree->files[k].count);
	for (; set.count > 0 && area < end; area++) total -= verdict_mentions(v, &set, area->file, area->from, area->to);
	if (total != 0) verdict_wrong(fault, "a new module that only tests compile is used by other code, which so differs under test");
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
			beside = str_eq(v->targets[t].kind, STR("test")) && str_starts(f->path, verdict_join(v->arena, v->targets[t].package, STR("tests/"))) ;
		if (!f->reached && (beside || data[k]) && !verdict_same(v->arena, c->tree, f, after, now))
			verdict_wrong(fault, "%.*s: a file that tests use was %s", STRF(f->path), now == NULL ? "removed" : "changed");
	}
}
/* Point 1: tests, and what they lean on. */
static bool verdict_intact(struct verdict *v, struct census *before, struct census *after, const struct hashes *names) {
	struct fault fault = { 0 };
	struct buf types = { .arena = v->arena };
	size_t nb, na, tests = 0;
	struct verdict_unit **b = census_sorted(before, &nb), **a = census_sorted(after, &na);
	const struct verdict_unit *old = ITEMS(struct verdict_unit, before->units), *new = ITEMS(struct verdict_unit, after->units);
	for (size_t i = 0, j = 0; i < nb && j < na;) {
		if (b[i]->chain == a[j]->chain && b[i]->body == a[j]->body)
			b[i++]->found = a[j++]->found = true;
		else if (a[j]->chain < b[i]->chain || (a[j]->chain == b[i]->chain && a[j]->body < b[i]->body))
			j++;
		else
			i++;
	}
	if (before->budget == 0 || after->budget == 0) verdict_wrong(&fault, "the modules are too deep or too large, or include one another");
	for (size_t k = 0; k < nb; tests += strchr("td!", old[k].kind) != NULL, k++)
		if (!old[k].found) verdict_missing(v, &old[k], a, na, &fault);
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
	return verdict_report(v, "tests intact", &fault, arena_format(v->arena, "%zu tests token by token, and what they lean on", tests));
}
/* Whether a file governs how the crate is built. vendored: the last directory seen that holds a vendored crate. */
static bool verdict_builds(struct verdict *v, const struct verdict_file *f, struct str *vendored) {
	struct str name = str_basename(f->path), manifest = verdict_join(v->arena, str_dirname(f->path), STR("Cargo.toml"));
	if (str_eq(name, STR(".cargo-checksum.json"))) *vendored = str_dirname(f->path);
	return verdict_word(" Cargo.toml rust-toolchain rust-toolchain.toml .cargo-checksum.json ", name) || f->built ||
	    (str_eq(name, STR("build.rs")) && verdict_find(&v->before, manifest) != NULL) ||
	    str_find(str_of(arena_format(v->arena, "/%.*s/", (int)f->path.len, f->path.at)), STR("/.cargo/")) >= 0 ||
	    (vendored->len > 0 && str_starts(f->path, *vendored) && f->path.at[vendored->len] == '/');
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
	for (size_t side = 0; side < 2; side++)
		for (size_t k = 0; k < trees[side]->count; k++) {
			static struct str vendored;
			vendored = k == 0 ? STR("") : vendored;
			struct verdict_file *f = &trees[side]->files[k], *other = verdict_find(trees[1 - side], f->path);
			if (!verdict_builds(v, f, &vendored) || (side == 1 && other != NULL) || verdict_same(v->arena, trees[side], f, trees[1 - side], other)) continue;
			size_t line = other == NULL ? 1 : verdict_differ(verdict_load(v->arena, before, f), verdict_load(v->arena, after, other));
			const char *what = side == 1 ? "is new" : other == NULL ? "was removed" : "was changed";
			if (v->allow_manifest && str_eq(str_basename(f->path), STR("Cargo.toml")))
				buf_format(&allowed, "%s%.*s:%zu %s: allowed", allowed.len > 0 ? "; " : "", STRF(f->path), line, what);
			else
				verdict_wrong(&fault, "%.*s:%zu: %s, and it governs how the crate is built", STRF(f->path), line, what);
		}
	return verdict_report(v, "build files intact", &fault, buf_z(&allowed));
}
struct trick {
	uint64_t hash;
	struct verdict_file *file;
	uint32_t line;
	struct str what;
	const char *why;
};
/* Words that are a trick wherever they are new; in: 'a' only in attributes, 'l' only in libraries. */
static const struct { char in; const char *words, *why; } verdict_tricky[] = {
	{ '*', " link_section no_mangle export_name global_asm naked_asm asm global_allocator panic_handler lang_items ",
	    "puts code or symbols where the linker, libc or the test runner finds them" },
	{ '*', " no_main test_runner custom_test_frameworks reexport_test_harness_main rustc_main rustc_test_marker ", "replaces the test runner" },
	{ '*', " _exit _Exit quick_exit atexit __cxa_atexit __libc_start_main dlsym execve execvp fork vfork dup2 syscall longjmp pthread_exit ", "acts on the test runner's process" },
	{ 'a', " link link_name used start main ctor dtor linkage naked plugin no_link ", "puts code where the linker or libc finds it" },
	{ 'l', " current_exe args_os set_hook take_hook force_capture ", "lets a library find out, or change, how it is tested" } };
static const char verdict_asserts[] = " assert assert_eq assert_ne assert_matches debug_assert debug_assert_eq debug_assert_ne unreachable todo unimplemented include ";
static const char verdict_prelude[] = " std core alloc test Option Some None Ok Err Vec String Box bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128"
    " isize f32 f64 Clone Copy PartialEq PartialOrd Eq Ord Iterator IntoIterator Default ToString From Into Drop Fn FnMut FnOnce ";

/* Whether the cfg at k makes code differ under test, and does not just open a module of tests, or a test. */
static bool verdict_cfg(const struct verdict_file *f, size_t k) {
	size_t open = k + 1 + rust_is(f, k + 1, "!"), close, bracket;
	bool differs = false, plain = rust_is(f, k, "cfg") && open == k + 1 && k > 1 && rust_is(f, k - 1, "[");
	struct str path;
	if (!(rust_is(f, open, "(") || rust_is(f, open, "{")) || !rust_opens(f, open, f->count)) return false;
	close = f->tokens[open].match;
	for (size_t n = open; n < close; n++) {
		differs |= verdict_word(" test debug_assertions doctest miri overflow_checks ", rust_name(f, n));
		plain &= !rust_is(f, n, "not");
	}
	if (!differs || !plain) return differs;
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
/* Why the identifier at k is one of the tricks, or NULL. attribute: inside one; import: inside `use` or `extern crate`. */
static const char *verdict_trick(struct verdict *v, const struct verdict_file *f, size_t k, bool attribute, bool import, const struct hashes *names) {
	struct str name = rust_name(f, k), before = k > 0 ? rust_text(f, k - 1) : STR("");
	bool program = str_eq(str_basename(f->path), STR("main.rs")) || str_find(f->path, STR("src/bin/")) >= 0;
	bool defined = (str_eq(before, STR("!")) && rust_is(f, k - 2, "macro_rules")) || str_eq(before, STR("macro"));
	bool renamed = import && str_eq(before, STR("as"));
	for (size_t n = 0; n < sizeof verdict_tricky / sizeof *verdict_tricky; n++)
		if (verdict_word(verdict_tricky[n].words, name) && (verdict_tricky[n].in == '*' || (verdict_tricky[n].in == 'l' && !program) ||
		    (verdict_tricky[n].in == 'a' && attribute && verdict_word(" [ ( , :: ", before)))) return verdict_tricky[n].why;
	bool path = str_eq(before, STR("::")), called = rust_is(f, k + 1, "(") && !verdict_word(" . fn ", before);
	if (!program && str_eq(name, STR("exit")) && (path || import || called)) return "ends the test runner's process";
	if (!program && str_eq(name, STR("args")) && (path || import)) return "lets a library find out how it is tested";
	if (verdict_word(verdict_asserts, name) && !rust_is(f, k + 1, "!")) return "takes the name of an assertion";
	if ((defined || renamed) && (str_eq(name, STR("panic")) || hashes_hold(names, verdict_mix(v, 0, name)))) return "takes the name of a macro that tests call";
	if (verdict_word(verdict_prelude, name) && (renamed || verdict_word(" struct enum union type trait mod ", before) || (import && str_eq(name, STR("test")))))
		return "takes a name that every module knows";
	if (path && k > 1 && ((str_eq(name, STR("current")) && rust_is(f, k - 2, "thread")) || (str_eq(name, STR("caller")) && rust_is(f, k - 2, "Location"))))
		return "lets code find out which test runs";
	if (verdict_word(" cfg cfg_attr cfg_select cfg_match ", name) && verdict_cfg(f, k)) return "is code that differs under test";
	if (str_eq(name, STR("include")) && rust_is(f, k + 1, "!") && !str_ends(rust_string(f, k + 3), STR(".rs")) &&
	    !(rust_is(f, k + 3, "concat") && rust_is(f, k + 6, "env"))) return "includes code that cannot be followed";
	if (attribute && str_eq(name, STR("path")) && rust_is(f, k + 1, "=") && !str_ends(rust_string(f, k + 2), STR(".rs")))
		return "includes code that cannot be followed";
	return NULL;
}
/* Collects what could make an assertion or the runner lie; each with a hash of the ten tokens from there. */
static void verdict_tricks_of(struct verdict *v, struct verdict_file *f, const struct hashes *names, struct buf *out) {
	static const char *const signs[] = { "/proc/self", "/proc/thread-self", "CARGO_MANIFEST_DIR", "CARGO_TARGET", "RUST_TEST" };
	size_t attribute = 0, open;
	bool import = false;
	for (size_t k = 0; k < f->count; k++) {
		const char *why = NULL;
		if (f->tokens[k].kind == RUST_PUNCT && (open = rust_attribute_at(f, k, f->count)) > 0 && f->tokens[open].match > attribute)
			attribute = f->tokens[open].match;
		import = (import && !rust_is(f, k, ";")) || rust_is(f, k, "use") || (rust_is(f, k, "crate") && k > 0 && rust_is(f, k - 1, "extern"));
		if (f->tokens[k].kind == RUST_IDENT)
			why = verdict_trick(v, f, k, k < attribute, import, names);
		else if (f->tokens[k].kind == RUST_STRING)
			for (size_t n = 0; n < 5; n++) why = str_find(rust_text(f, k), str_of(signs[n])) >= 0 ? "lets code find out how it is tested" : why;
		if (why == NULL) continue;
		struct trick trick = { rust_hash(v, f, k, k + 10 < f->count ? k + 10 : f->count, 't'), f, f->tokens[k].line, rust_text(f, k), why };
		verdict_push(out, &trick, sizeof trick);
	}
}
/* Point 2, second half: what is newly introduced in the sources to make an assertion, or the runner, lie. */
static bool verdict_tricks(struct verdict *v, struct census *before, struct census *after, const struct hashes *names) {
	struct fault fault = { 0 };
	struct buf found[2] = { { .arena = v->arena }, { .arena = v->arena } };
	struct verdict_tree *trees[2] = { before->tree, after->tree };
	struct census *sides[2] = { before, after };
	for (size_t side = 0; side < 2; side++)
		for (size_t k = 0; k < trees[side]->count; k++) {
			struct verdict_file *f = &trees[side]->files[k], *other = verdict_find(trees[1 - side], f->path);
			if (f->link.at != NULL || !(str_ends(f->path, STR(".rs")) || f->reached) || (other != NULL && other->reached == f->reached &&
			    verdict_same(v->arena, trees[side], f, trees[1 - side], other))) continue;
			verdict_tricks_of(v, census_open(sides[side], f->path), names, &found[side]);
		}
	struct trick *b = ITEMS(struct trick, found[0]), *a = ITEMS(struct trick, found[1]);
	size_t nb = COUNT(struct trick, found[0]), na = COUNT(struct trick, found[1]);
	verdict_sort(b, nb, sizeof *b, verdict_by_hash);
	verdict_sort(a, na, sizeof *a, verdict_by_hash);
	for (size_t i = 0, j = 0; j < na; j++) {
		while (i < nb && b[i].hash < a[j].hash) i++;
		if (i < nb && b[i].hash == a[j].hash)
			i++;
		else
			verdict_wrong(&fault, "%.*s:%u: `%.*s` is new and %s", STRF(a[j].file->path), a[j].line, STRF(a[j].what), a[j].why);
	}
	return verdict_report(v, "no tricks in the sources", &fault, "");
}

/* ---- 7. cargo and its report ------------------------------------------------------------------------------------ */

struct site { /* a copy that cargo works in */
	const char *dir, *target;
	bool locked;
};
struct outcome {
	bool whole, broken, absent;     /* the closing line is there; it does not compile; its features are off */
	long passed, failed, ignored;
	struct str *failures;           /* names of failed tests */
	size_t failure_count;
	struct verdict_output output;
};
/* Runs `cargo WORD ... [--locked] MORE ...` at a site; both lists end in NULL. */
static int verdict_cargo(struct verdict *v, const struct site *site, const char *const *words, const char *const *more, struct verdict_output *out,
    struct error *error) {
	const char *argv[24] = { "cargo" };
	size_t n = 1;
	while (*words != NULL) argv[n++] = *words++;
	if (site->locked) argv[n++] = "--locked";
	while (more != NULL && *more != NULL) argv[n++] = *more++;
	struct verdict_job job = { .dir = site->dir, .target = site->target, .argv = (char *const *)(uintptr_t)argv, .timeout = v->timeout,
		.memory = VERDICT_MEMORY, .limit = VERDICT_OUTPUT_MAX };
	*out = (struct verdict_output){ 0 };
	return v->run(v->context, &job, out, error);
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
/* The targets of one package: those that `cargo test` runs, its doc tests, and its build script. False: *words says why not. */
static bool verdict_package(struct verdict *v, const struct json *p, struct str root, struct buf *list, struct str *words) {
	struct arena *a = v->arena;
	struct str manifest = json_text(a, json_get(p, "manifest_path")), package;
	const struct json *deps = json_get(p, "dependencies"), *all = json_get(p, "targets");
	*words = STR("a member of the workspace lies outside the crate");
	if (!str_starts(manifest, root) || manifest.len <= root.len) return false;
	package = str_dirname(str_skip(manifest, root.len + 1));
	for (const struct json *d = deps == NULL ? NULL : deps->child; d != NULL; d = d->next) {
		struct str path = json_text(a, json_get(d, "path"));
		if (path.len == 0 || (str_starts(path, root) && (path.len == root.len || path.at[root.len] == '/'))) continue;
		*words = str_of(arena_format(a, "the path dependency %.*s lies outside the crate: vendor it, or move it in", STRF(json_text(a, json_get(d, "name")))));
		return false;
	}
	for (const struct json *t = all == NULL ? NULL : all->child; t != NULL; t = t->next) {
		const struct json *kinds = json_get(t, "kind"), *test = json_get(t, "test"), *doctest = json_get(t, "doctest");
		struct str kind = json_text(a, kinds == NULL ? NULL : kinds->child), src = json_text(a, json_get(t, "src_path"));
		struct verdict_target target = { .package = package, .kind = kind, .name = json_text(a, json_get(t, "name")), .root =
		    str_starts(src, root) && src.len > root.len ? str_skip(src, root.len + 1) : src, .build = str_eq(kind, STR("custom-build")),
			.modern = !str_eq(json_text(a, json_get(t, "edition")), STR("2015")) };
		if (verdict_word(" rlib dylib cdylib staticlib proc-macro ", kind)) target.kind = STR("lib");
		if (target.build || (test != NULL && test->kind == JSON_TRUE)) verdict_push(list, &target, sizeof target);
		target.kind = STR("doc");
		if (doctest != NULL && doctest->kind == JSON_TRUE) verdict_push(list, &target, sizeof target);
	}
	return true;
}
/* The targets of the workspace at a site. 1; 0: cargo cannot read it, *words says why; -1. */
static int verdict_metadata(struct verdict *v, const struct site *site, struct verdict_target **targets, size_t *count, struct str *words,
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
	*targets = ITEMS(struct verdict_target, list);
	*count = COUNT(struct verdict_target, list);
	return packages != NULL;
}
/* `cargo test` for one target: NULL: only builds; else runs with the runner's arguments (which end in NULL). */
static int verdict_test(struct verdict *v, const struct site *site, const struct verdict_target *t, const char *const *args, struct verdict_output *out,
    struct error *error) {
	const char *words[] = { "test", "--offline", "--manifest-path", arena_format(v->arena, "%.*s%sCargo.toml", (int)t->package.len, t->package.at,
	    t->package.len > 0 ? "/" : ""), arena_format(v->arena, "--%.*s", STRF(t->kind)), NULL, NULL };
	const char *more[5] = { args == NULL ? "--no-run" : "--" };
	if (!verdict_word(" lib doc ", t->kind)) words[5] = arena_z(v->arena, t->name);
	for (size_t k = 0; args != NULL && args[k] != NULL; k++) more[k + 1] = args[k];
	return verdict_cargo(v, site, words, more, out, error);
}
/* Reads `test result: ok. 3 passed; 0 failed; 1 ignored; ...`. */
static bool verdict_summary(struct str line, long counts[3]) {
	char text[160], word[8];
	int end = 0;
	if (line.len >= sizeof text || !str_starts(line, STR("test result: "))) return false;
	snprintf(text, sizeof text, "%.*s", STRF(line));
	return sscanf(text, "test result: %7[okFAILED]. %ld passed; %ld failed; %ld ignored; %n", word, &counts[0], &counts[1], &counts[2], &end) == 4 &&
	    end > 0 && counts[0] >= 0 && counts[1] >= 0 && counts[2] >= 0 && (strcmp(word, "ok") == 0) == (counts[1] == 0);
}
/* What a runner said: its last closing line (of doc tests: the sum of all) and the list of failures before that. What tests
 * print stands before both, and is not taken for them; a report that is forged as a whole, the added tests find out (8). */
static void verdict_read_report(struct verdict *v, bool doc, struct outcome *r) {
	struct str rest = r->output.out, line, list = { NULL, 0 }, name;
	long counts[3];
	struct buf names = { .arena = v->arena };
	while (str_line(&rest, &line)) {
		if (str_eq(line, STR("failures:"))) list = rest;
		if (!verdict_summary(line, counts)) continue;
		r->whole = true;
		r->passed = counts[0] + (doc ? r->passed : 0), r->failed = counts[1] + (doc ? r->failed : 0), r->ignored = counts[2] + (doc ? r->ignored : 0);
		list.len = list.at == NULL || list.at > line.at ? 0 : (size_t)(line.at - list.at);
		for (names.len = 0; counts[1] > 0 && str_line(&list, &name);)
			if (str_starts(name, STR("    "))) name = str_trim(name), verdict_push(&names, &name, sizeof name);
	}
	r->failures = ITEMS(struct str, names);
	r->failure_count = COUNT(struct str, names);
}
/* The sorted names in a listing; of doc tests without their line numbers. False: it is none. */
static bool verdict_names(struct verdict *v, struct str text, bool doc, struct str **names, size_t *count) {
	struct buf out = { .arena = v->arena };
	bool closed = false;
	for (struct str line; str_line(&text, &line);) {
		closed |= str_find(line, STR(" benchmarks")) >= 0 || str_find(line, STR(" benchmark")) >= 0;
		if (!str_ends(line, STR(": test"))) continue;
		ptrdiff_t at = doc ? str_find(line, STR(" (line ")) : -1;
		line.len = at >= 0 ? (size_t)at : line.len - 6;
		verdict_push(&out, &line, sizeof line);
	}
	*names = ITEMS(struct str, out);
	*count = COUNT(struct str, out);
	verdict_sort(*names, *count, sizeof **names, verdict_by_str);
	return closed;
}
/* Lists and runs the tests of one target. 0 with what came out in *r and the names in *t, or -1. */
static int verdict_target_run(struct verdict *v, const struct site *site, struct verdict_target *t, struct outcome *r, struct error *error) {
	static const char *const list[] = { "--list", NULL }, *const ignored[] = { "--list", "--ignored", NULL }, *const all[] = { NULL };
	struct verdict_output out;
	bool doc = str_eq(t->kind, STR("doc"));
	*r = (struct outcome){ 0 };
	if (verdict_test(v, site, t, list, &r->output, error) != 0) return -1;
	r->absent = str_find(r->output.err, STR("requires the features")) >= 0;
	r->broken = !r->absent && (r->output.timeout || (r->output.status != 0 && str_find(r->output.err, STR("test failed")) < 0));
	t->compiled = !r->absent && !r->broken;
	t->harness = t->compiled && verdict_names(v, r->output.out, doc, &t->names, &t->count) && r->output.status == 0;
	r->whole = t->harness && t->count == 0;
	if (!t->compiled || r->whole) return 0;
	if (verdict_test(v, site, t, all, &r->output, error) != 0) return -1;
	if (t->harness) verdict_read_report(v, doc, r);
	if (!t->harness || (r->whole && r->ignored == 0)) return 0;
	if (verdict_test(v, site, t, ignored, &out, error) != 0) return -1;
	verdict_names(v, out.out, doc, &t->ignored, &t->ignored_count);
	return 0;
}
static const char *verdict_title(struct verdict *v, const struct verdict_target *t) {
	return arena_format(v->arena, "%.*s%s%.*s %.*s", STRF(t->package), t->package.len > 0 ? ": " : "", STRF(t->kind), STRF(t->name));
}
/* How a run of one target was not all green; NULL when it was. */
static const char *verdict_red(struct verdict *v, const struct verdict_target *t, const struct outcome *r) {
	const char *title = verdict_title(v, t);
	struct arena *a = v->arena;
	int status = r->output.status;
	if (r->absent) return NULL;
	if (r->output.timeout) return arena_format(a, "%s: ran past %u s", title, v->timeout);
	if (r->broken) return arena_format(a, "%s: does not compile: %.*s", title, STRF(verdict_words(r->output.err)));
	if (r->output.cut) return arena_format(a, "%s: prints more than 16 MiB", title);
	if (!t->harness) return status == 0 ? NULL : arena_format(a, "%s: ended with status %d", title, status);
	if (r->failure_count > 0) return arena_format(a, "%.*s failed%s", STRF(r->failures[0]), r->failure_count == 1 ? "" :
	    arena_format(a, ", and %zu more", r->failure_count - 1));
	if (!r->whole) return arena_format(a, "%s: the runner ended early, with status %d", title, status);
	if (status != 0 || r->failed != 0) return arena_format(a, "%s: status %d and %ld failures do not agree", title, status, r->failed);
	if ((size_t)(r->passed + r->ignored) != t->count || (size_t)r->ignored != t->ignored_count)
		return arena_format(a, "%s: %ld passed and %ld ignored, of %zu tests with %zu marked to be ignored", title, r->passed, r->ignored, t->count, t->ignored_count);
	return NULL;
}

/* ---- 8. tests that the host adds --------------------------------------------------------------------------------- */

/* Appends tests with random names to the first file of a target, so that no line moves. Each compares a byte that only it
 * knows with one in a file that is written after the build: neither the sources nor that file tell alone what must fail. */
static int verdict_add(struct verdict *v, const struct site *site, const struct verdict_target *t, const unsigned char *seed, struct error *error) {
	struct buf text = { .arena = v->arena };
	struct str bytes = { NULL, 0 };
	unsigned long long name;
	memcpy(&name, seed, sizeof name);
	char *path = arena_format(v->arena, "%s/%.*s", site->dir, (int)t->root.len, t->root.at);
	if (!verdict_read(v->arena, AT_FDCWD, path, &bytes)) return error_set(error, 5, "cannot read %s:", path);
	buf_add(&text, bytes);
	for (unsigned k = 0; k < VERDICT_ADDED; k++)
		buf_format(&text, "\n#[%stest]\n#[allow(unused_extern_crates, unused_qualifications)]\nfn t%016llx_%u() {\n\textern crate std as s;\n\tlet b = s::fs::read(\"t%016llx\").unwrap();\n"
		    "\ts::option::Option::Some(()).filter(|_| b[%u] == %u).unwrap();\n}\n", t->modern ? "::core::prelude::v1::" : "", name, k, name, k, seed[8 + k]);
	return verdict_write(path, buf_str(&text), error);
}
/* Runs them: half must fail, and exactly those that were made to. */
static int verdict_added_run(struct verdict *v, const struct site *site, const struct verdict_target *t, const unsigned char *seed, struct fault *fault,
    struct error *error) {
	static const char *const all[] = { NULL };
	unsigned char made[VERDICT_ADDED];
	unsigned long long name;
	uint32_t bits = 0;
	struct outcome r = { 0 };
	memcpy(&name, seed, sizeof name);
	while (__builtin_popcount(bits) != VERDICT_ADDED / 2)
		if (verdict_random(&bits, 2, error) != 0) return -1;
	for (unsigned k = 0; k < VERDICT_ADDED; k++) made[k] = (unsigned char)(seed[8 + k] ^ ((bits >> k & 1) == 0 ? 0 : 1 + seed[8 + k] % 255));
	char *path = arena_format(v->arena, "%s/%.*s/t%016llx", site->dir, (int)t->package.len, t->package.at, name);
	if (verdict_write(path, (struct str){ (const char *)made, sizeof made }, error) != 0 || verdict_test(v, site, t, all, &r.output, error) != 0) return -1;
	verdict_read_report(v, false, &r);
	if (!r.whole || r.output.status == 0 || r.output.timeout || r.output.cut || (size_t)(r.passed + r.failed + r.ignored) != t->count + VERDICT_ADDED)
		verdict_wrong(fault, "%s: with tests added, half made to fail, the runner's report is not what it must be (status %d)", verdict_title(v, t), r.output.status);
	for (unsigned k = 0; k < VERDICT_ADDED && fault->count == 0; k++) {
		char *test = arena_format(v->arena, "t%016llx_%u", name, k);
		bool failed = false, meant = (bits >> k & 1) != 0;
		for (size_t i = 0; i < r.failure_count; i++) failed |= str_eq(r.failures[i], str_of(test));
		if (failed != meant) verdict_wrong(fault, "%s: a test that the host made to %s is reported otherwise", verdict_title(v, t), meant ? "fail" : "pass");
	}
	return 0;
}
/* Point 4, second half: in a second copy, built before it is decided what must fail. */
static int verdict_added(struct verdict *v, const struct site *site, struct verdict_target *targets, size_t count, struct fault *fault, struct error *error) {
	unsigned char (*seeds)[8 + VERDICT_ADDED] = arena_take(v->arena, sizeof *seeds, count + 1);
	struct verdict_output out;
	size_t done = 0;
	for (int step = 0; step < 3 && fault->count == 0; step++)
		for (size_t k = 0; k < count && fault->count == 0; k++) {
			struct verdict_target *t = &targets[k];
			if (!t->harness || t->count == 0 || str_eq(t->kind, STR("doc"))) continue;
			if (step == 0 && (verdict_random(seeds[k], sizeof seeds[k], error) != 0 || verdict_add(v, site, t, seeds[k], error) != 0)) return -1;
			if (step == 1 && verdict_test(v, site, t, NULL, &out, error) != 0) return -1;
			if (step == 1 && out.status != 0)
				verdict_wrong(fault, "%s: does not compile with tests added: %.*s", verdict_title(v, t), STRF(verdict_words(out.err)));
			if (step == 2 && verdict_added_run(v, site, t, seeds[k], fault, error) != 0) return -1;
			done++;
		}
	return 0;
}

/* ---- 9. the host's own questions to the fixture ------------------------------------------------------------------- */

static const char verdict_driver[] =
	"use std::io::{BufRead, Write};\n"
	"fn main() {\n"
	"    let (stdin, mut out) = (std::io::stdin(), Vec::new());\n"
	"    for line in stdin.lock().lines() {\n"
	"        let line = line.unwrap();\n"
	"        let mut words = line.split(' ');\n"
	"        let kind = words.next().unwrap();\n"
	"        let size: usize = words.next().unwrap().parse().unwrap();\n"
	"        let numbers = words.clone().map(|w| w.parse::<usize>());\n"
	"        match kind {\n"
	"            \"c\" => writeln!(out, \"{}\", chunker::chunk_count(numbers.last().unwrap().unwrap(), size)),\n"
	"            \"n\" => writeln!(out, \"{:?}\", chunker::chunks(&numbers.map(|n| n.unwrap()).collect::<Vec<_>>(), size)),\n"
	"            _ => writeln!(out, \"{:?}\", chunker::chunks(&words.map(String::from).collect::<Vec<_>>(), size)),\n"
	"        }\n"
	"        .unwrap();\n"
	"    }\n"
	"    std::io::stdout().write_all(&out).unwrap();\n"
	"}\n";

static uint64_t verdict_next(uint64_t *seed) { /* splitmix64 */
	uint64_t z = *seed += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}
static void verdict_ask_count(struct buf *ask, struct buf *want, unsigned long long len, unsigned long long size) {
	if (len > UINT64_MAX - size) return;
	buf_format(ask, "c %llu %llu\n", size, len);
	buf_format(want, "%llu\n", size == 0 ? 0 : len / size + (len % size != 0));
}
static void verdict_ask_chunks(struct buf *ask, struct buf *want, uint64_t len, uint64_t size, uint64_t *seed) {
	bool text = len > 0 && (verdict_next(seed) & 1) != 0, none = len == 0 || size == 0;
	buf_format(ask, "%c %llu", text ? 's' : 'n', (unsigned long long)size);
	buf_add(want, none ? STR("[]\n") : STR("["));
	for (uint64_t k = 0; k < len; k++) {
		unsigned long long item = verdict_next(seed) >> (verdict_next(seed) & 63);
		buf_format(ask, text ? " %llx" : " %llu", item);
		if (none) continue;
		buf_format(want, "%s%s", k == 0 ? "" : k % size == 0 ? "], " : ", ", k % size == 0 ? "[" : "");
		buf_format(want, text ? "\"%llx\"" : "%llu", item);
	}
	buf_byte(ask, '\n');
	buf_add(want, none ? STR("") : STR("]]\n"));
}
/* A few thousand questions and the right answers: at and around every edge, and random ones. */
static void verdict_questions(struct buf *ask, struct buf *want, uint64_t seed) {
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 5, 7, 10, 11, 13, 100, 101, 8, 9, 16, 17, 31, 32, 64, 97, 127, 255, 256, 257, 1000, 1009, 65535, 65536 };
	const size_t n = sizeof edges / sizeof *edges;
	for (size_t i = 0; i < n * n; i++) verdict_ask_count(ask, want, edges[i / n], edges[i % n]);
	for (uint64_t i = 3 * 16; i < 3 * 64; i++) {
		uint64_t power = ((uint64_t)1 << i / 3) - 1 + i % 3;
		for (size_t j = 0; j < 12; j++) verdict_ask_count(ask, want, power, edges[j]), verdict_ask_count(ask, want, edges[j], power);
		verdict_ask_count(ask, want, power, (uint64_t)1 << verdict_next(&seed) % 63);
		verdict_ask_count(ask, want, power, verdict_next(&seed) >> (1 + verdict_next(&seed) % 63));
	}
	for (int i = 0; i < 1500; i++) {
		uint64_t len = verdict_next(&seed) >> (verdict_next(&seed) & 63);
		verdict_ask_count(ask, want, len, verdict_next(&seed) >> (verdict_next(&seed) & 63));
	}
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t size = i < 20 ? i : 1 + verdict_next(&seed) % 70;
		verdict_ask_chunks(ask, want, i % 4 == 0 ? size * (verdict_next(&seed) % 5) : verdict_next(&seed) % 200, size, &seed);
	}
}
/* Point 5: the driver is built against the copy of the fixture in around/chunker, and its answers are compared here. */
static int verdict_ask(struct verdict *v, const char *around, struct fault *fault, struct error *error) {
	static const char *const build[] = { "build", "--offline", "--manifest-path", "driver/Cargo.toml", NULL };
	struct arena *a = v->arena;
	struct site site = { around, verdict_place(v, "target", true, error), false };
	struct verdict_output out;
	struct buf ask = { .arena = a }, want = { .arena = a };
	uint64_t seed;
	char *driver = arena_format(a, "%s/driver", around), *sources = arena_format(a, "%s/src", driver);
	if (site.target == NULL) return -1;
	if (mkdir(driver, 0700) != 0 || mkdir(sources, 0700) != 0) return error_set(error, 5, "cannot make %s:", sources);
	if (verdict_write(arena_format(a, "%s/Cargo.toml", driver), STR("[package]\nname = \"driver\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n"
	    "chunker = { path = \"../chunker\" }\n\n[workspace]\n"), error) != 0 || verdict_write(arena_format(a, "%s/main.rs", sources),
	    str_of(verdict_driver), error) != 0 || verdict_random(&seed, sizeof seed, error) != 0 || verdict_cargo(v, &site, build, NULL, &out, error) != 0) return -1;
	if (out.status != 0) verdict_wrong(fault, "the driver does not build against the library: %.*s", STRF(verdict_words(out.err)));
	if (out.status != 0) return 0;
	verdict_questions(&ask, &want, seed);
	char *argv[] = { arena_format(a, "%s/debug/driver", site.target), NULL };
	struct verdict_job job = { around, site.target, argv, buf_str(&ask), 20, (uint64_t)1 << 30, want.len + 4096 };
	out = (struct verdict_output){ 0 };
	if (v->run(v->context, &job, &out, error) != 0) return -1;
	struct str left = buf_str(&want), asked = buf_str(&ask), given = out.out, w, q, g;
	if (out.timeout) verdict_wrong(fault, "no answers within 20 s");
	while (fault->count == 0 && str_line(&left, &w) && str_line(&asked, &q)) {
		bool answered = str_line(&given, &g);
		if (answered && str_eq(g, w)) continue;
		verdict_wrong(fault, "%s: `size%s %.60s`: %.80s is right, the answer is %.80s", q.at[0] == 'c' ? "chunk_count" : "chunks", q.at[0] == 'c' ? ", len" : ", items",
		    arena_z(a, str_skip(q, 2)), arena_z(a, w), answered ? arena_z(a, g) : "missing");
	}
	if (given.len > 0 || out.cut) verdict_wrong(fault, "there are more answers than questions");
	if (out.status != 0) verdict_wrong(fault, "the driver ended with status %d", out.status);
	return 0;
}

/* ---- 10. the baseline and the judge -------------------------------------------------------------------------------- */

/* A copy of the crate for cargo to work in, with the baseline's Cargo.lock or none. */
static int verdict_site(struct verdict *v, const char *from, struct site *site, struct error *error) {
	struct verdict_tree tree;
	struct verdict_file *old = verdict_find(&v->before, STR("Cargo.lock"));
	*site = (struct site){ verdict_place(v, "crate", false, error), verdict_place(v, "target", true, error), v->locked && !v->allow_manifest };
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
static int verdict_baseline_run(struct verdict *v, struct site *site, struct verdict_target *t, enum verdict_state *state, struct error *error) {
	static const char *const offline[] = { "no matching package named", "failed to download", "failed to get `", "unable to update", "failed to load source",
		"failed to fetch", "can't checkout from", "attempting to make an HTTP request", NULL };
	struct outcome r;
	if (verdict_target_run(v, site, t, &r, error) != 0) return -1;
	if (r.broken && site->locked && str_find(r.output.err, STR("--locked")) >= 0) { /* a Cargo.lock that is out of date */
		site->locked = false;
		if (verdict_target_run(v, site, t, &r, error) != 0) return -1;
	}
	struct str words = verdict_words(r.output.err);
	if (r.broken && verdict_sign(v, r.output.err, offline) != NULL)
		return error_set(error, 2, "the dependencies cannot be had offline (run `cargo fetch` or `cargo vendor` in the crate first): %.*s", STRF(words));
	if (r.broken && !r.output.timeout && str_find(r.output.err, STR("could not compile")) < 0 && str_find(r.output.err, STR("error[")) < 0)
		return error_set(error, 2, "cargo cannot build the crate: %.*s", STRF(words));
	const char *refused = verdict_refused(v, &r);
	if (refused != NULL) return error_set(error, 2, "the test %s needs what the boundary refuses (sockets, files outside): it cannot be judged here", refused);
	*state = r.broken ? VERDICT_BROKEN : *state == VERDICT_GREEN && verdict_red(v, t, &r) != NULL ? VERDICT_RED : *state;
	return 0;
}
static int verdict_baseline(struct verdict *v, const char *before, enum verdict_state *state, struct error *error) {
	struct site site;
	struct str words = STR("cargo names no packages");
	size_t tests = 0;
	char real[PATH_MAX];
	*state = VERDICT_GREEN;
	if (realpath(v->scratch, real) == NULL) return error_set(error, 5, "cannot use %s:", v->scratch);
	if (cargo_above(v->arena, real, false, error) != 0 || verdict_walk(v, before, NULL, NULL, &v->before, error) != 0 ||
	    verdict_site(v, before, &site, error) != 0) return -1;
	int got = verdict_metadata(v, &site, &v->targets, &v->target_count, &words, error);
	if (got <= 0) return got < 0 ? -1 : error_set(error, 2, "this crate cannot be judged: %.*s", STRF(words));
	site.locked = verdict_find(&v->before, STR("Cargo.lock")) != NULL;
	for (struct verdict_target *t = v->targets; t < v->targets + v->target_count; t++) {
		if (!t->build && verdict_baseline_run(v, &site, t, state, error) != 0) return -1;
		tests += t->count + (!t->harness && t->compiled);
	}
	v->locked = site.locked;
	verdict_read(v->arena, AT_FDCWD, arena_format(v->arena, "%s/Cargo.lock", site.dir), &v->lock);
	v->census = verdict_census(v, &v->before, v->targets, v->target_count);
	for (size_t k = 0; k < COUNT(struct verdict_unit, v->census->units); k++)
		tests += strchr("td!", ITEMS(struct verdict_unit, v->census->units)[k].kind) != NULL;
	return tests > 0 ? 0 : error_set(error, 2, "the crate has no tests: there is nothing to judge it by");
}
/* What acts later, outside: reported, not judged. */
static void verdict_notes(struct verdict *v, struct verdict_tree *after, struct buf *watch) {
	static const char names[] = " .gitattributes .gitmodules .gitconfig .editorconfig .envrc .env .vimrc .exrc .nvimrc .nvim.lua .bashrc .bash_profile .profile .zshrc"
	    " .zshenv .dir-locals.el .pre-commit-config.yaml .tool-versions .mise.toml ";
	static const char dirs[] = " .vscode .idea .helix .zed .devcontainer .fleet .githooks .husky ";
	struct str rest = buf_str(&v->watch), line;
	struct buf had = { .arena = v->arena };
	while (str_line(&rest, &line)) verdict_push(&had, &line, sizeof line);
	verdict_sort(had.at, COUNT(struct str, had), sizeof line, verdict_by_str);
	for (rest = buf_str(watch); str_line(&rest, &line);)
		if (!verdict_in(line, ITEMS(struct str, had), COUNT(struct str, had)))
			v->note(v->context, arena_format(v->arena, "%.*s is new or was changed: it acts outside, when git is used here or the file is written", STRF(str_skip(line, 17))));
	for (size_t k = 0; k < after->count; k++) {
		struct verdict_file *f = &after->files[k];
		bool sharp = verdict_word(names, str_basename(f->path));
		for (struct str at = str_dirname(f->path); at.len > 0 && !sharp; at = str_dirname(at)) sharp = verdict_word(dirs, str_basename(at));
		if (sharp && !verdict_same(v->arena, after, f, &v->before, verdict_find(&v->before, f->path)))
			v->note(v->context, arena_format(v->arena, "%.*s is new or was changed: an editor, a shell or git may act on it later", STRF(f->path)));
	}
}
/* What of the baseline's target t must be among the tests that are run now: by name; of what did not compile, by its units. */
static void verdict_all_there(struct verdict *v, const struct verdict_target *t, const struct verdict_target *now, struct census *c, struct fault *fault) {
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
	for (; u < end && !t->compiled; u++) {
		if (u->kind != 't' || !u->certain || u->target != t) continue;
		struct str name = str_of(arena_format(v->arena, "%.*s%s%.*s", STRF(u->path), u->path.len > 0 ? "::" : "", STRF(u->name)));
		if (now == NULL || (now->harness && !verdict_in(name, now->names, now->count))) verdict_wrong(fault, "%.*s is not run", STRF(name));
	}
	if (t->compiled && !t->harness && (now == NULL || !now->compiled)) verdict_wrong(fault, "%s is no longer run", verdict_title(v, t));
}
/* Point 4, first half: every test, target by target. */
static int verdict_suite(struct verdict *v, const struct site *site, struct verdict_target *targets, size_t count, struct census *before, struct error *error) {
	struct fault fault = { 0 }, gone = { 0 };
	struct outcome r;
	long passed = 0, ignored = 0;
	for (struct verdict_target *t = targets; t < targets + count; t++) {
		if (t->build) continue;
		if (verdict_target_run(v, site, t, &r, error) != 0) return -1;
		const char *red = verdict_red(v, t, &r);
		if (red != NULL) verdict_wrong(&fault, "%s", red);
		passed += r.passed, ignored += r.ignored;
	}
	for (struct verdict_target *t = v->targets; t < v->targets + v->target_count; t++) {
		const struct verdict_target *now = targets;
		while (now < targets + count && !(str_eq(t->package, now->package) && str_eq(t->kind, now->kind) && str_eq(t->name, now->name) && str_eq(t->root, now->root))) now++;
		if (!t->build) verdict_all_there(v, t, now == targets + count ? NULL : now, before, &gone);
	}
	if (v->fresh && fault.count == 0) { /* what leans on new test code is no repair */
		static const char *const plain[] = { "check", "--offline", "--workspace", NULL };
		if (verdict_cargo(v, site, plain, NULL, &r.output, error) != 0) return -1;
		if (r.output.status != 0) verdict_wrong(&fault, "the crate does not build without its tests: %.*s", STRF(verdict_words(r.output.err)));
	}
	bool good = verdict_report(v, "cargo test passes", &fault, arena_format(v->arena, "%ld passed, %ld ignored as before", passed, ignored));
	return verdict_report(v, "every test of the baseline ran", &gone, "") && good;
}
/* Cargo.lock: as it was, or as cargo itself writes it. written: what cargo made of the baseline's. */
static bool verdict_lock(struct verdict *v, struct verdict_tree *after, struct str written) {
	struct fault fault = { 0 };
	struct verdict_file *now = verdict_find(after, STR("Cargo.lock")), *old = verdict_find(&v->before, STR("Cargo.lock"));
	struct str bytes = now == NULL ? STR("") : verdict_load(v->arena, after, now), was = old == NULL ? STR("") : verdict_load(v->arena, &v->before, old);
	if (now != NULL && !str_eq(bytes, was) && !str_eq(bytes, written) && !str_eq(bytes, v->lock))
		verdict_wrong(&fault, "Cargo.lock:%zu: changed by hand (cargo would not write it so)", verdict_differ(bytes, written.len > 0 ? written : was));
	return verdict_report(v, "Cargo.lock", &fault, "");
}
/* The checks that need no run: tests, build files, tricks. */
static bool verdict_compare(struct verdict *v, struct census *before, struct census *after) {
	struct hashes names = census_names(before);
	bool intact = verdict_intact(v, before, after, &names), build = verdict_build(v, before->tree, after->tree);
	bool tricks = verdict_tricks(v, before, after, &names);
	v->tampered = !intact || !build || !tricks;
	return !v->tampered;
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
	if (verdict_walk(v, dir, copy, &watch, &after, error) != 0) {
		v->tampered = true;
		if (error->status == 2) v->check(v->context, "private copy", false, error->text);
		return error->status == 2 ? 0 : -1;
	}
	v->check(v->context, "private copy", true, arena_format(v->arena, "%zu files", after.count));
	if (verdict_site(v, copy, &site, error) != 0) return -1;
	int got = verdict_metadata(v, &site, &targets, &count, &words, error);
	if (got < 0) return -1;
	a = verdict_census(v, &after, targets, count);
	bool good = verdict_compare(v, v->census, a);
	verdict_notes(v, &after, &watch);
	if (got == 0) {
		v->check(v->context, "cargo test passes", false, arena_z(v->arena, words));
		return 0;
	}
	int suite = verdict_suite(v, &site, targets, count, v->census, error);
	if (suite < 0) return -1;
	verdict_read(v->arena, AT_FDCWD, arena_format(v->arena, "%s/Cargo.lock", site.dir), &written);
	bool lock = verdict_lock(v, &after, written);
	v->tampered |= !lock;
	if (verdict_site(v, copy, &second, error) != 0 || verdict_added(v, &second, targets, count, &added, error) != 0) return -1;
	good = verdict_report(v, "added tests come out as made", &added, "") && good && lock && suite == 1;
	if (!v->fixture) return good;
	if ((around = verdict_place(v, "questions", true, error)) == NULL || verdict_walk(v, copy, arena_format(v->arena, "%s/chunker", around), NULL, &tree, error) != 0 ||
	    verdict_ask(v, around, &asked, error) != 0) return -1;
	return verdict_report(v, "the host's own questions", &asked, "") && good;
}

/* ---- 11. the diff ------------------------------------------------------------------------------------------------ */

#define DIFF_REACH 400 /* lines that are searched ahead for where two texts meet again */

struct diff { /* two texts in lines; which of them are removed, added */
	struct str *lines[2];
	size_t count[2];
	bool *changed[2];
};
/* Marks the changed lines: from where they differ to the nearest place where two lines in a row (or one, not blank) agree again. */
static void diff_mark(struct diff *d) {
	size_t a = 0, b = 0, na = d->count[0], nb = d->count[1];
	while (na > 0 && nb > 0 && str_eq(d->lines[0][na - 1], d->lines[1][nb - 1])) na--, nb--;
	while (a < na || b < nb) {
		if (a < na && b < nb && str_eq(d->lines[0][a], d->lines[1][b])) {
			a++, b++;
			continue;
		}
		size_t skip = na - a, add = nb - b;
		for (size_t n = 1; n <= DIFF_REACH && n < skip + add; n++)
			for (size_t i = 0; i <= n; i++) {
				size_t x = a + i, y = b + n - i;
				if (x > na || y > nb || ((x < na || y < nb) && (x >= na || y >= nb || str_trim(d->lines[0][x]).len < 2 || !str_eq(d->lines[0][x], d->lines[1][y])))) continue;
				skip = i, add = n - i;
				break;
			}
		memset(d->changed[0] + a, 1, skip), memset(d->changed[1] + b, 1, add);
		a += skip, b += add;
	}
}
static void diff_put(struct verdict *v, struct str path, const struct str texts[2], struct buf *out) {
	struct diff d;
	for (int side = 0; side < 2; side++) {
		struct buf lines = { .arena = v->arena };
		for (struct str rest = texts[side], line; str_line(&rest, &line);) verdict_push(&lines, &line, sizeof line);
		d.lines[side] = ITEMS(struct str, lines), d.count[side] = COUNT(struct str, lines);
		d.changed[side] = arena_take(v->arena, 1, d.count[side] + 1);
	}
	if (str_find(texts[0], STR("\0")) >= 0 || str_find(texts[1], STR("\0")) >= 0) {
		buf_format(out, "Binary file %.*s differs\n", (int)path.len, path.at);
		return;
	}
	diff_mark(&d);
	buf_format(out, "--- a/%.*s\n+++ b/%.*s\n", (int)path.len, path.at, (int)path.len, path.at);
	for (size_t a = 0, b = 0; a < d.count[0] || b < d.count[1];) {
		if (!d.changed[0][a] && !d.changed[1][b]) {
			a++, b++;
			continue;
		}
		size_t lead = a < 3 ? a : 3, x = a, y = b, still = 0; /* the hunk ends when more than six lines stay as they are */
		while ((x < d.count[0] || y < d.count[1]) && still < 7) {
			bool removed = d.changed[0][x], inserted = !removed && d.changed[1][y];
			x += !inserted, y += !removed;
			still = removed || inserted ? 0 : still + 1;
		}
		size_t tail = still > 3 ? still - 3 : 0, from = a - lead, to = b - lead, i, j;
		buf_format(out, "@@ -%zu,%zu +%zu,%zu @@\n", from + (x - tail > from), x - tail - from, to + (y - tail > to), y - tail - to);
		for (i = from, j = to; i < x - tail || j < y - tail;) {
			bool removed = d.changed[0][i], inserted = !removed && d.changed[1][j];
			struct str line = inserted ? d.lines[1][j] : d.lines[0][i];
			buf_byte(out, removed ? '-' : inserted ? '+' : ' '), buf_add(out, line), buf_byte(out, '\n');
			i += !inserted, j += !removed;
		}
		a = x, b = y;
	}
}
static void verdict_diff(struct verdict *v, const char *before, const char *after, struct buf *out, size_t limit) {
	struct verdict_tree trees[2];
	struct error error;
	struct buf all = { .arena = v->arena };
	for (int side = 0; side < 2; side++)
		if (verdict_walk(v, side == 0 ? before : after, NULL, NULL, &trees[side], &error) != 0) {
			buf_format(out, "(no diff: %s)\n", error.text);
			return;
		}
	for (size_t i = 0, j = 0; i < trees[0].count || j < trees[1].count;) {
		struct verdict_file *a = i < trees[0].count ? &trees[0].files[i] : NULL, *b = j < trees[1].count ? &trees[1].files[j] : NULL;
		int order = a == NULL ? 1 : b == NULL ? -1 : verdict_by_str(a, b);
		i += order <= 0, j += order >= 0;
		if (order == 0 && verdict_same(v->arena, &trees[0], a, &trees[1], b)) continue;
		struct str texts[2] = { order > 0 ? (struct str){ NULL, 0 } : verdict_load(v->arena, &trees[0], a),
			order < 0 ? (struct str){ NULL, 0 } : verdict_load(v->arena, &trees[1], b) }, path = order > 0 ? b->path : a->path;
		if (v->changed != NULL) v->changed(v->context, path, texts[0], texts[1]);
		if (order <= 0 || !str_eq(path, STR("Cargo.lock"))) diff_put(v, path, texts, &all); /* cargo's own writing is no news */
	}
	size_t keep = all.len < limit ? all.len : limit;
	while (keep < all.len && keep > 0 && all.at[keep - 1] != '\n') keep--;
	buf_add(out, (struct str){ all.at, keep });
	if (keep < all.len) buf_format(out, "(%zu bytes of the diff left out)\n", all.len - keep);
}

#undef STRF
#undef ITEMS
#undef COUNT
#undef DIFF_REACH
#endif
