/* crate.c - the crate on disk: its files, the private copy that is judged, the toolchain that builds it; and the seam
 * between judge and host; the diff. Nothing is executed here, and no link is followed out of the crate. */
#ifndef HSA_CRATE_C
#define HSA_CRATE_C
#include "json.c"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#define st_ctim st_ctimespec
#endif

#define VERDICT_FILES_MAX 100000              /* limits of a crate: files and directories, */
#define VERDICT_FILE_MAX ((uint64_t)64 << 20) /* bytes of a file, */
#define VERDICT_TREE_MAX ((uint64_t)1 << 30)  /* bytes of all, */
#define VERDICT_DEPTH_MAX 64                  /* levels of directories, of modules, of groups in a `use` */
#define VERDICT_PATH_MAX 2048                 /* bytes of a path in it, */
#define VERDICT_SOURCES_MAX ((uint64_t)64 << 20) /* bytes of its sources, without what is vendored */
#define VERDICT_TOKENS_MAX ((size_t)1 << 26)  /* tokens looked at in one census */
#define VERDICT_ROUNDS 6                      /* all cargo runs of a verdict take at most so many times the limit of one */
#define VERDICT_OUTPUT_MAX ((size_t)16 << 20) /* bytes that one test run prints */
#define VERDICT_MEMORY ((uint64_t)16 << 30)   /* address space of each process of a test run */
/* tests that the host adds to a target: 12,870 ways to make half of them fail */
#define VERDICT_ADDED 16

struct cargo {       /* the toolchain, found without starting anything */
	char *bin;       /* for PATH: the directory of cargo and rustc; of a cargo of the person's choice, and those */
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
	const char *changed; /* the judge's own: a file that the run changed, though it must not; or NULL */
	int status; /* exit status, or 128 + signal */
};
struct verdict_file {
	struct str path, link, bytes; /* path in the tree; a link's text; what was loaded */
	struct rust_token *tokens;
	size_t count;
	uint64_t size;
	/* reached: part of a target; built: of a build script; library: of a target that is no program by itself */
	bool loaded, lexed, reached, built, library;
	bool *tests; /* of each token: whether it is compiled for tests only; NULL: none is */
};
struct verdict_tree {
	const char *root;
	struct verdict_file *files; /* sorted by path */
	size_t count;
};
struct verdict_target {                    /* what cargo makes one test binary of, or one run of doc tests */
	/* directory of the package ("" or "a/b"); lib, bin, test, doc ...; its first file */
	struct str package, kind, name, root;
	bool build, modern, harness, compiled; /* a build script; edition 2018 or later; has Rust's own runner; compiles */
	bool idle, support; /* nothing of it is run; of a package that only tests depend on */
	bool gated, absent; /* needs features of the package; which are off */
	struct str *names, *ignored;           /* its tests, sorted; of doc tests without line numbers */
	struct str *places;                    /* of doc tests: "file:line", sorted */
	size_t count, ignored_count, place_count;
};
struct verdict {
	struct arena *arena;
	const char *scratch; /* an empty private directory of the host's */
	/* 0, or -1: status 3, 5, 130 */
	int (*run)(void *, const struct verdict_job *, struct verdict_output *, struct error *);
	void (*check)(void *, const char *name, bool passed, const char *reason);
	void (*note)(void *, const char *text); /* judges nothing */
	/* of verdict_diff; at NULL: no such file; or NULL */
	void (*changed)(void *, struct str path, struct str old, struct str now);
	void (*pause)(void); /* called between steps; ends the run when a signal came; or NULL */
	void *context;
	bool allow_manifest, fixture, gitless; /* gitless: how .git was before is not known */
	unsigned timeout;    /* seconds, of one cargo run */
	bool tampered;       /* tests or build files were changed: the baseline must be kept */
	const char *why;     /* what is red in the baseline */
	/* the judge's own: */
	uint64_t key[2];
	unsigned serial;     /* numbers the directories below scratch */
	unsigned spent;      /* seconds that cargo has taken */
	bool late;           /* a run took too long */
	bool release;        /* new code may be another in release builds */
	bool sound;          /* the baseline compiles: what its tests call is there */
	struct verdict_tree before;
	struct verdict_target *targets;
	size_t target_count;
	struct str lock;     /* Cargo.lock as cargo writes it from the baseline */
	/* the baseline's Cargo.lock satisfies --locked; verdict_copy was called; there is new test code */
	bool locked, copied, fresh;
	struct buf watch;    /* lines "hash path" of what acts later, outside: git's hooks and settings, hard links */
	struct census *census; /* of the baseline */
};
enum verdict_state { VERDICT_GREEN, VERDICT_RED, VERDICT_BROKEN };
static const char *verdict_state(enum verdict_state state) {
	return state == VERDICT_GREEN ? "green" : state == VERDICT_RED ? "red" : "does not compile";
}

/* ---- 1. words, hashes, files ----------------------------------------------------------------------------------- */

#define STRF(s) (int)((s).len > 200 ? 200 : (s).len), (s).len == 0 ? "" : (s).at /* for "%.*s" in messages */
#define ITEMS(type, buf) ((type *)(void *)(buf).at)   /* an array in a buffer, */
#define COUNT(type, buf) ((buf).len / sizeof(type))   /* its length */

/* Whether word stands in list, where each word has a space on both sides. */
static bool verdict_word(const char *list, struct str word) {
	for (const char *p = word.len == 0 || word.at[0] == '\0' ? NULL : strchr(list, word.at[0]); p != NULL; p = strchr(p + 1, word.at[0]))
		if (p > list && p[-1] == ' ' && strncmp(p, word.at, word.len) == 0 && memchr(word.at, ' ', word.len) == NULL &&
		    p[word.len] == ' ') return true;
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
static void verdict_pause(const struct verdict *v) {
	if (v->pause != NULL) v->pause();
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
		__extension__ unsigned __int128 product = (unsigned __int128)(h ^ w ^ v->key[0]) * (v->key[1] + 2 * n + (i < s.len ?
		    64 : 0));
		h = (uint64_t)product ^ (uint64_t)(product >> 64);
	} while (i < s.len);
	return h;
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
static int verdict_random(void *into, size_t size, struct error *error) {
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, into, size);
	if (fd >= 0) close(fd);
	return got == (ssize_t)size ? 0 : error_set(error, 5, "cannot read /dev/urandom:");
}
/* The bytes of a regular file within the limit, looked up in the directory dir. False: none, or not to be read. */
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
	return path.at == NULL || tree->count == 0 ? NULL : bsearch(&path, tree->files, tree->count, sizeof *tree->files,
	    verdict_by_str);
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
/* A link is kept as it is when it leads to something inside, or is a bare name without a target (an editor's lock). */
static int verdict_walk_link(struct verdict_walk *w, int dir, const char *name, const char *path,
    struct verdict_file *file) {
	char text[PATH_MAX], real[PATH_MAX];
	ssize_t n = readlinkat(dir, name, text, sizeof text - 1);
	size_t len = strlen(w->real);
	text[n < 0 ? 0 : n] = '\0';
	file->link = str_of(arena_format(w->v->arena, "%s", text));
	bool inside = realpath(arena_format(w->v->arena, "%s/%s", w->from, path), real) != NULL ?
	    text[0] != '/' && strncmp(real, w->real, len) == 0 && (real[len] == '/' || real[len] == '\0') :
	    errno == ENOENT && strchr(text, '/') == NULL;
	if (n <= 0 || !inside)
		return error_set(w->error, 2, "%s is a link that leads out of the crate (%s): remove it", path, text);
	if (w->to == NULL || symlink(text, arena_format(w->v->arena, "%s/%s", w->to, path)) == 0) return 0;
	return error_set(w->error, 5, "cannot make the link %s:", path);
}
static int verdict_walk_file(struct verdict_walk *w, int dir, const char *name, const char *path, struct stat *st) {
	static char block[1 << 16];
	if (!S_ISREG(st->st_mode))
		return error_set(w->error, 2, "%s is a %s, which cannot be judged: remove it", path,
		    S_ISFIFO(st->st_mode) ? "FIFO" : S_ISSOCK(st->st_mode) ? "socket" : "device");
	if ((uint64_t)st->st_size > VERDICT_FILE_MAX)
		return error_set(w->error, 2, "%s has more than 64 MiB (the limit for a file)", path);
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
	verdict_pause(w->v);
	if (strlen(path) > VERDICT_PATH_MAX) return error_set(w->error, 2, "%.80s...: the path has more than 2,048 bytes", path);
	if (directory && strcmp(name, "Cargo.lock") == 0) return error_set(w->error, 2, "%s is a directory: remove it", path);
	if (directory && strcmp(name, "target") == 0 && (depth == 0 || faccessat(dir, "target/CACHEDIR.TAG", F_OK, 0) == 0))
		return 0;
	if (++w->seen > VERDICT_FILES_MAX)
		return error_set(w->error, 2, "the crate has more than 100,000 files (at %s)", path);
	if (directory) {
		if (depth + 1 >= VERDICT_DEPTH_MAX)
			return error_set(w->error, 2, "the crate has more than 64 levels (at %.200s)", path);
		if (w->to != NULL && mkdir(arena_format(w->v->arena, "%s/%s", w->to, path), 0755) != 0)
			return error_set(w->error, 5, "cannot make the private copy of %s:", path);
		return verdict_walk_dir(w, openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		    arena_format(w->v->arena, "%s/", path), depth + 1);
	}
	struct verdict_file file = { .path = str_of(path), .size = (uint64_t)st.st_size };
	int result = S_ISLNK(st.st_mode) ? verdict_walk_link(w, dir, name, path, &file) :
	    verdict_walk_file(w, dir, name, path, &st);
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
static int verdict_walk(struct verdict *v, const char *from, const char *to, struct buf *watch,
    struct verdict_tree *tree,
    struct error *error) {
	struct verdict_walk w = { .v = v, .from = from, .to = to, .watch = watch, .error = error,
	    .files = { .arena = v->arena } };
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

/* What tests that run must leave as it is, or those that come later are not what they were: sources, and what was built. */
struct sealed {
	struct str path;
	uint64_t mark; /* which file it is, of what size, and when it was last changed: that time nobody can set */
};
static void seal_add(struct verdict *v, const char *root, struct str path, bool absent, struct buf *seal) {
	struct stat st = { 0 };
	struct sealed one = { .path = str_of(arena_format(v->arena, "%s/%.*s", root, (int)path.len, path.at)), .mark = 0 };
	bool there = lstat(one.path.at, &st) == 0 && !S_ISDIR(st.st_mode);
	uint64_t all[] = { st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_ctim.tv_sec, (uint64_t)st.st_ctim.tv_nsec };
	if (there) one.mark = verdict_mix(v, 11, (struct str){ (const char *)all, sizeof all });
	if (there || absent) verdict_push(seal, &one, sizeof one);
}
static void seal_below(struct verdict *v, const char *dir, struct buf *seal, unsigned depth) {
	DIR *list = depth > 4 ? NULL : opendir(dir);
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
		if (e->d_name[0] == '.') continue;
		seal_add(v, dir, str_of(e->d_name), false, seal);
		seal_below(v, arena_format(v->arena, "%s/%s", dir, e->d_name), seal, depth + 1);
	}
	if (list != NULL) closedir(list);
}
/* Of the sources of tree in the directory at, or (NULL) of what was built in a target directory. */
static struct buf seal_take(struct verdict *v, const char *at, const struct verdict_tree *tree) {
	struct buf seal = { .arena = v->arena };
	static const char *const governs[] = { "Cargo.toml", "Cargo.lock", "build.rs", ".cargo/config.toml", ".cargo/config" };
	for (size_t k = 0; tree != NULL && k < tree->count; k++) {
		struct str path = tree->files[k].path;
		if (str_ends(path, STR(".rs")) || tree->files[k].reached) seal_add(v, at, path, false, &seal);
		for (size_t n = 0; n < sizeof governs / sizeof *governs && str_eq(str_basename(path), STR("Cargo.toml")); n++)
			seal_add(v, at, verdict_join(v->arena, str_dirname(path), str_of(governs[n])), true, &seal);
	}
	for (int k = 0; tree == NULL && k < 2; k++)
		seal_below(v, arena_format(v->arena, "%s/debug/%s", at, k == 0 ? "deps" : "build"), &seal, 0);
	verdict_sort(buf_z(&seal), COUNT(struct sealed, seal), sizeof(struct sealed), verdict_by_str);
	return seal;
}
/* What is no longer so; NULL: nothing. */
static const char *seal_broken(struct verdict *v, const char *at, const struct verdict_tree *tree, const struct buf *seal) {
	struct buf now = seal_take(v, at, tree);
	for (const struct sealed *s = ITEMS(struct sealed, *seal), *end = s + COUNT(struct sealed, *seal); s < end; s++) {
		const struct sealed *same = now.len == 0 ? NULL : bsearch(s, now.at, COUNT(struct sealed, now), sizeof *s, verdict_by_str);
		if (same == NULL || same->mark != s->mark)
			return arena_format(v->arena, "%.*s was changed by what the tests ran", STRF(str_basename(s->path)));
	}
	return NULL;
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
/* Whether only root or the user can have written a configuration file, named the link that leads to it, or made the
 * .cargo that holds it: a link may lead to anybody's file. */
static bool cargo_trusted(struct arena *arena, const char *path) {
	struct str dir = str_dirname(str_of(path));
	struct stat st[4] = { 0 };
	bool own = str_eq(str_basename(dir), STR(".cargo")), good = lstat(path, &st[0]) == 0 && stat(path, &st[1]) == 0 &&
	    S_ISREG(st[1].st_mode);
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
/* Whether bin holds a cargo, whole: and a rustc, that are themselves, not rustup in disguise (a link, a hard link, a copy
 * of it). */
static bool cargo_real(struct arena *arena, const char *bin, bool whole) {
	struct stat c, r, up;
	char *cargo = arena_format(arena, "%s/cargo", bin), *rustc = arena_format(arena, "%s/rustc", bin);
	bool pair = stat(rustc, &r) == 0 && S_ISREG(r.st_mode) && access(rustc, X_OK) == 0;
	if (stat(cargo, &c) != 0 || !S_ISREG(c.st_mode) || access(cargo, X_OK) != 0) return false;
	return (pair || !whole) && !(pair && c.st_ino == r.st_ino && c.st_dev == r.st_dev) &&
	    (stat(arena_format(arena, "%s/rustup", bin), &up) != 0 || (up.st_size != c.st_size && !(pair && up.st_size == r.st_size)));
}
/* Takes bin as the toolchain: it, and where each program really lies, with the lib beside that. */
static int cargo_take(struct arena *arena, struct cargo *cargo, const char *bin) {
	char real[PATH_MAX];
	cargo->bin = arena_format(arena, "%s", bin);
	cargo_readable(arena, cargo, bin);
	for (int k = 0; k < 2; k++)
		if (realpath(arena_format(arena, "%s/%s", bin, k == 0 ? "cargo" : "rustc"), real) != NULL) {
			struct str place = str_dirname(str_of(real)), root = str_dirname(place);
			cargo_readable(arena, cargo, arena_z(arena, place));
			if (access(arena_format(arena, "%.*s/lib/rustlib", STRF(root)), F_OK) != 0) continue;
			cargo_readable(arena, cargo, arena_format(arena, "%.*s/lib", STRF(root))); /* not root: that may be ~/.local */
			cargo_readable(arena, cargo, arena_format(arena, "%.*s/libexec", STRF(root)));
		}
	return 0;
}
/* The channel for the directory real, in rustup's own order; of a toolchain file only the channel, and never a path. */
static struct str cargo_channel(struct arena *arena, const char *real, struct str settings, const char **why) {
	struct str text, channel = str_of(getenv("RUSTUP_TOOLCHAIN"));
	*why = "RUSTUP_TOOLCHAIN";
	/* the nearest directory wins */
	for (struct str at = str_of(real); at.len > 0 && channel.len == 0; at = str_dirname(at)) {
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
		bool exact = str_eq(have, name), host = str_starts(have, name) && have.at[name.len] == '-' &&
		    have.at[name.len + 1] > '9';
		if ((exact || (host && (best == NULL || strcmp(bin, best) < 0))) && have.at[0] != '.' && cargo_real(arena, bin, true))
			best = bin;
		if (exact) break;
	}
	if (list != NULL) closedir(list);
	return best;
}
/* What in text tells of a secret; "//git@" does not, which names a user without a password. NULL: nothing does. */
static const char *cargo_word(struct arena *arena, struct str text) {
	static const char *const words[] = { "token", "secret", "password", "credential" };
	char *all = arena_z(arena, text);
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (strcasestr(all, words[k]) != NULL) return words[k];
	for (const char *at = all; (at = strchr(at, '@')) != NULL; at++)
		if (at - all < 5 || strncmp(at - 5, "//git", 5) != 0) return "@";
	return NULL;
}
/* What of a cargo configuration may be a secret: such a word, or a table that is not known to hold none ([env] is not).
 * NULL: nothing is. */
static const char *cargo_secret(struct arena *arena, struct str text) {
	static const char known[] = " alias build cargo-new doc future-incompat-report http install net patch paths profile "
	    "registries registry resolver source target term unstable ";
	const char *secret = cargo_word(arena, text);
	for (struct toml t = { .rest = text, .table = { "", 0 } }; secret == NULL && toml_next(&t);) {
		struct str name = t.table.len == 0 ? t.key : t.table;
		char *table = arena_format(arena, "%.*s", (int)strcspn(arena_z(arena, name), "."), name.at);
		if (strstr(known, arena_format(arena, " %s ", table)) == NULL) secret = arena_format(arena, "[%s]", table);
	}
	return secret;
}
/* The [source] tables of the person's settings and where registries are, never a secret, into out; the directories that
 * they name become readable. -1, status 2: others could have written the settings. */
static int cargo_sources(struct arena *arena, const char *home, struct buf *out, struct cargo *cargo,
    struct error *error) {
	struct str text = { NULL, 0 }, last = { "", 0 };
	for (int k = 0; k < 2 && text.at == NULL; k++) {
		char *path = arena_format(arena, "%s/config%s", home, k == 0 ? ".toml" : "");
		if (verdict_read(arena, AT_FDCWD, path, &text) && !cargo_trusted(arena, path))
			return error_set(error, 2, "%s could have been written by others: chmod go-w it, or remove it", path);
	}
	for (struct toml t = { .rest = text, .table = { "", 0 } }; toml_next(&t);) {
		bool source = str_starts(t.table, STR("source.")), index = str_starts(t.table, STR("registries.")) &&
		    str_eq(t.key, STR("index"));
		char *key = arena_format(arena, " %.*s ", STRF(t.key));
		source = source && strstr(" replace-with directory local-registry registry git branch tag rev ", key) != NULL;
		if (!(source || index) || cargo_word(arena, t.value) != NULL || cargo_word(arena, t.table) != NULL) continue;
		struct str bare = toml_bare(t.value);
		bool place = source && (str_eq(t.key, STR("directory")) || str_eq(t.key, STR("local-registry")));
		char *path = arena_format(arena, "%s%.*s", str_starts(bare, STR("/")) ? "" : arena_format(arena, "%s/../", home),
		    STRF(bare));
		if (place && cargo != NULL) cargo_readable(arena, cargo, path);
		if (!str_eq(last, t.table)) buf_format(out, "[%.*s]\n", STRF(t.table));
		last = t.table;
		buf_format(out, "%.*s = ", STRF(t.key));
		buf_format(out, place ? "\"%s\"\n" : "%s\n", place ? path : arena_z(arena, t.value));
	}
	return 0;
}
/* The next directory of a list such as PATH; NULL behind the last. */
static char *cargo_next(struct arena *arena, struct str *list) {
	if (list->len == 0) return NULL;
	ptrdiff_t at = str_find(*list, STR(":"));
	size_t len = at < 0 ? list->len : (size_t)at;
	char *bin = arena_z(arena, str_cut(*list, 0, len));
	*list = str_skip(*list, at < 0 ? len : len + 1);
	return bin;
}
/* Whether bin is a directory outside of real (the crate). */
static bool cargo_outside(const char *bin, const char *real) {
	char place[PATH_MAX];
	size_t below = strlen(real);
	return *bin == '/' && realpath(bin, place) != NULL &&
	    !(strncmp(place, real, below) == 0 && (place[below] == '/' || place[below] == '\0'));
}
/* The directory of the first cargo on PATH, where that is neither rustup's nor the system's: the person's choice, with a
 * rustc beside it or not (a wrapper). Else NULL. */
static char *cargo_chosen(struct arena *arena, const char *real, struct str path) {
	char place[PATH_MAX];
	for (char *bin; (bin = cargo_next(arena, &path)) != NULL;)
		if (cargo_outside(bin, real) && access(arena_format(arena, "%s/cargo", bin), X_OK) == 0)
			return cargo_real(arena, bin, false) && realpath(bin, place) != NULL && strcmp(place, "/usr/bin") != 0 &&
			    strcmp(place, "/bin") != 0 ? bin : NULL;
	return NULL;
}
/* Finds the rest of a toolchain: rustup's, or the first on PATH, in /opt or /usr. */
static int cargo_search(struct arena *arena, const char *real, struct str path, const char *home, struct cargo *cargo,
    struct error *error) {
	const char *up = getenv("RUSTUP_HOME"), *why = "";
	struct str settings = { NULL, 0 };
	struct buf places = { .arena = arena };
	up = up == NULL || *up != '/' ? arena_format(arena, "%s/.rustup", home) : up;
	verdict_read(arena, AT_FDCWD, arena_format(arena, "%s/settings.toml", up), &settings);
	struct str channel = cargo_channel(arena, real, settings, &why);
	if (channel.len > 0 && access(arena_format(arena, "%s/toolchains", up), F_OK) == 0) {
		char *bin = channel.at[0] == '/' ? arena_format(arena, "%.*s/bin", STRF(channel)) : cargo_rustup(arena, up, channel);
		if (bin != NULL && cargo_real(arena, bin, true)) return cargo_take(arena, cargo, bin);
		return error_set(error, 5, "the toolchain %.*s (named by %s) is not installed: rustup toolchain install %.*s",
		    STRF(channel), why, STRF(channel));
	}
	buf_format(&places, "%.*s:", STRF(path));
	DIR *opt = opendir("/opt");
	for (struct dirent *e; opt != NULL && (e = readdir(opt)) != NULL;) buf_format(&places, "/opt/%s/bin:", e->d_name);
	if (opt != NULL) closedir(opt);
	buf_add(&places, STR("/usr/local/bin:/usr/bin"));
	struct str rest = buf_str(&places);
	for (char *bin; (bin = cargo_next(arena, &rest)) != NULL;)
		if (cargo_real(arena, bin, true) && cargo_outside(bin, real)) return cargo_take(arena, cargo, bin);
	return error_set(error, 5, "no cargo and rustc found (rustup's toolchains, PATH, /opt, /usr): install Rust with "
	    "rustup or the system's packages (apt-get install cargo; dnf install cargo; apk add cargo; pacman -S rust)");
}
static int cargo_find(struct arena *arena, const char *dir, struct cargo *cargo, struct error *error) {
	const char *home = getenv("HOME"), *ch = getenv("CARGO_HOME"), *path = getenv("PATH");
	char real[PATH_MAX];
	struct buf ignored = { .arena = arena };
	*cargo = (struct cargo){ 0 };
	if (realpath(dir, real) == NULL) return error_set(error, 2, "cannot use %s:", dir);
	home = home == NULL || *home != '/' ? "/nonexistent" : home;
	ch = ch == NULL || *ch != '/' ? arena_format(arena, "%s/.cargo", home) : ch;
	if (access(ch, F_OK) == 0) {
		cargo->home = arena_format(arena, "%s", ch);
		cargo_readable(arena, cargo, arena_format(arena, "%s/registry", ch));
		cargo_readable(arena, cargo, arena_format(arena, "%s/git", ch));
		if (cargo_sources(arena, ch, &ignored, cargo, error) != 0) return -1;
	}
	char *chosen = cargo_chosen(arena, real, str_of(path));
	if (chosen != NULL && cargo_real(arena, chosen, true)) return cargo_take(arena, cargo, chosen);
	if (cargo_search(arena, real, str_of(path), home, cargo, error) != 0) return -1;
	if (chosen == NULL) return 0;
	cargo_readable(arena, cargo, chosen);
	cargo->bin = arena_format(arena, "%s:%s", chosen, cargo->bin);
	return 0;
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
/* What lies above dir and governs what is built in it: refused (2) when others could have written it, and (member)
 * when it is the manifest of a workspace that does not exclude dir. */
static int cargo_above(struct arena *arena, const char *dir, bool member, struct error *error) {
	static const char *const names[] = { ".cargo/config.toml", ".cargo/config", "Cargo.toml" };
	struct str text;
	for (struct str at = str_dirname(str_of(dir)); at.len > 0; at = str_dirname(at))
		for (size_t k = 0; k < 3; k++) {
			char *path = arena_format(arena, "%.*s/%s", (int)at.len, at.at, names[k]);
			if (access(path, F_OK) != 0) continue;
			if (!cargo_trusted(arena, path))
				return error_set(error, 2, "%s governs what is built in %s, and others could have written it: remove it", path,
				    dir);
			if (k < 2 || !member || !verdict_read(arena, AT_FDCWD, path, &text) || !toml_has(text, STR("workspace"))) continue;
			bool excluded = false; /* a directory on the way down to dir stands in the list */
			struct str list = toml_get(text, STR("workspace"), STR("exclude"));
			for (struct str down = str_of(dir); down.len > at.len; down = str_dirname(down))
				excluded |= list.len > 0 && str_find(list, str_of(arena_format(arena, "\"%s\"",
				    arena_z(arena, str_skip(down, at.len + 1))))) >= 0;
			if (!excluded)
				return error_set(error, 2, "%s is a member of the workspace %.*s: use that directory", dir, (int)at.len, at.at);
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
	if (root.at != NULL)
		return error_set(error, 2, "%s is a member of the workspace %.*s: use that directory", dir, STRF(root));
	return cargo_above(arena, real, !toml_has(text, STR("workspace")), error);
}

/* Removes one name below dir: a file, a link or an empty directory. A directory that is not empty is emptied one level:
 * what it holds of directories moves up into top, under names of its own. True when something was removed or moved. */
static bool crate_lift(int top, int dir, const char *name, unsigned *serial, bool first) {
	char moved[32];
	bool moving = false;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
	if (unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0) return true;
	if (fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW) != 0) {} /* a link is never followed: it may lead outside */
	snprintf(moved, sizeof moved, ".gone.%u", (*serial)++);
	if (!first) return renameat(dir, name, top, moved) == 0;
	int sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = sub < 0 ? NULL : fdopendir(sub);
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;)
		moving |= crate_lift(top, sub, e->d_name, serial, false);
	if (list != NULL) closedir(list);
	return unlinkat(dir, name, AT_REMOVEDIR) == 0 || moving;
}

/* Removes a directory and all in it, however deep and whatever the modes; no link is followed. 0, or -1 with errno. */
static int crate_remove(const char *path) {
	unsigned serial = 0;
	if (fchmodat(AT_FDCWD, path, 0700, AT_SYMLINK_NOFOLLOW) != 0) {} /* a command may have closed its own */
	for (bool again = true; again;) {
		int top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		DIR *list = top < 0 ? NULL : fdopendir(top);
		if (list == NULL) return -1;
		again = false;
		for (struct dirent *e; (e = readdir(list)) != NULL;) again |= crate_lift(top, top, e->d_name, &serial, true);
		closedir(list);
	}
	return rmdir(path);
}

/* ---- 4. the diff ------------------------------------------------------------------------------------------------ */

#define DIFF_REACH 400 /* lines that are searched ahead for where two texts meet again */

struct diff { /* two texts in lines; which of them are removed, added */
	struct str *lines[2];
	size_t count[2];
	bool *changed[2];
};
/* Marks the changed lines: from where they differ to the nearest place where two lines in a row (or one, not blank)
 * agree again. */
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
				if (x > na || y > nb || ((x < na || y < nb) && (x >= na || y >= nb ||
				    !str_eq(d->lines[0][x], d->lines[1][y])))) continue;
				if (x + 1 < na && y + 1 < nb && str_trim(d->lines[0][x]).len < 2 && /* a "}" alone is no landmark */
				    !str_eq(d->lines[0][x + 1], d->lines[1][y + 1])) continue;
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
		for (struct str rest = texts[side], line; str_line(&rest, &line); verdict_push(&lines, &line, sizeof line))
			line.len = (size_t)(rest.at - line.at); /* with its line end, if there is one */
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
		buf_format(out, "@@ -%zu,%zu +%zu,%zu @@\n", from + (x - tail > from), x - tail - from, to + (y - tail > to),
		    y - tail - to);
		for (i = from, j = to; i < x - tail || j < y - tail;) {
			bool removed = d.changed[0][i], inserted = !removed && d.changed[1][j];
			struct str line = inserted ? d.lines[1][j] : d.lines[0][i];
			buf_byte(out, removed ? '-' : inserted ? '+' : ' '), buf_add(out, line);
			if (!str_ends(line, STR("\n"))) buf_add(out, STR("\n\\ No newline at end of file\n"));
			i += !inserted, j += !removed;
		}
		a = x, b = y;
	}
}
static void verdict_diff(struct verdict *v, const char *before, const char *after, struct buf *out, size_t limit) {
	struct verdict_tree trees[2];
	struct error error;
	uint64_t left = 0;
	for (int side = 0; side < 2; side++)
		if (verdict_walk(v, side == 0 ? before : after, NULL, NULL, &trees[side], &error) != 0) {
			buf_format(out, "(no diff: %s)\n", error.text);
			return;
		}
	for (size_t i = 0, j = 0; i < trees[0].count || j < trees[1].count;) {
		struct verdict_file *a = i < trees[0].count ? &trees[0].files[i] : NULL, *b = j < trees[1].count ?
		    &trees[1].files[j] : NULL;
		int order = a == NULL ? 1 : b == NULL ? -1 : verdict_by_str(a, b);
		i += order <= 0, j += order >= 0;
		verdict_pause(v);
		if (order == 0 && verdict_same(v->arena, &trees[0], a, &trees[1], b)) continue;
		size_t mark = v->arena->used, from = out->len;
		struct verdict_file none = { .link = STR("") }, x = order > 0 ? none : *a, y = order < 0 ? none : *b;
		struct str texts[2] = { verdict_load(v->arena, &trees[0], &x), verdict_load(v->arena, &trees[1], &y) };
		struct str path = order > 0 ? y.path : x.path;
		if (v->changed != NULL) v->changed(v->context, path, order > 0 ? (struct str){ NULL, 0 } : texts[0], order < 0 ?
		    (struct str){ NULL, 0 } : texts[1]);
		/* cargo's own writing is no news */
		if (order <= 0 || !str_eq(path, STR("Cargo.lock"))) diff_put(v, path, texts, out);
		if (out->len > limit) {
			left += out->len - limit, out->len = limit;
			while (out->len > from && out->at[out->len - 1] != '\n') out->len--, left++;
			limit = out->len;
		}
		if (out->arena != v->arena) arena_reset(v->arena, mark);
	}
	if (left > 0) buf_format(out, "(%llu bytes of the diff left out)\n", (unsigned long long)left);
}
#undef DIFF_REACH
#endif
