/* verify.c - the verdict: is the suite green, and is it still the same suite?
 *
 * In the order of one run: 1 files, 2 the private copy, 3 TOML and the toolchain, 4 Rust tokens, 5 the census of what tests
 * consist of and lean on, 6 what must be as before, 7 cargo and its report, 8 tests that the host adds, 9 the host's own
 * questions to the fixture, 10 the baseline and the judge, 11 the diff. Nothing is executed here but through verdict->run.
 *
 * A text is "the same" when its hash under a key made afresh for this run is: nobody can search for a second text. */
#ifndef HSA_VERIFY_C
#define HSA_VERIFY_C
#include "json.c"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERDICT_FILES_MAX 100000               /* limits of a crate: files and directories, */
#define VERDICT_FILE_MAX ((uint64_t)64 << 20)  /* bytes of a file, */
#define VERDICT_TREE_MAX ((uint64_t)1 << 30)   /* bytes of all, */
#define VERDICT_DEPTH_MAX 64                   /* levels of directories, and of modules */
#define VERDICT_OUTPUT_MAX ((size_t)16 << 20)  /* bytes of what a test run prints */
#define VERDICT_MEMORY ((uint64_t)16 << 30)    /* address space of cargo and what it starts */
#define VERDICT_ADDED 6                        /* tests that the host adds to a target */

/* ---- the seam ---------------------------------------------------------------------------------------------- */

struct cargo {
	char *bin;       /* directory with the real cargo and rustc */
	char **readable; /* what must be readable for it: toolchain, and the registry and git caches it borrows */
	size_t count;
	char *home;      /* the person's CARGO_HOME, or NULL */
};

struct verdict_job {      /* one command inside the boundary */
	const char *dir;      /* where it starts; writable */
	const char *target;   /* its CARGO_TARGET_DIR (exists); writable */
	char *const *argv;
	struct str input;     /* standard input */
	unsigned timeout;     /* seconds */
	uint64_t memory;      /* bytes per process, 0: no limit */
	size_t limit;         /* bytes kept of each stream; more is cut */
};

struct verdict_output {
	struct str out, err;
	bool cut, timeout;
	int status; /* exit status, or 128 + signal */
};

struct verdict_file {
	struct str path, link, bytes; /* path relative to the tree; a link's text */
	struct rust_token *tokens;
	size_t count;
	uint64_t size;
	bool loaded, lexed, reached, built; /* it is a module of a target, of a build script */
};

struct verdict_tree {
	const char *root;
	struct verdict_file *files; /* sorted by path */
	size_t count;
};

struct verdict_target {           /* what cargo makes one test binary of, or one run of doc tests */
	struct str package, kind, name, root; /* directory of the package ("" or "a/b"), "lib", "doc", ..., name, source file */
	bool build, modern, harness, compiled; /* a build script; edition 2018 or later; with Rust's own runner; it compiles */
	struct str *names, *ignored;          /* its tests by name, sorted */
	size_t count, ignored_count;
};

struct verdict {
	struct arena *arena;
	const char *scratch; /* an empty private directory of the host's */
	int (*run)(void *, const struct verdict_job *, struct verdict_output *, struct error *); /* 0, or -1: 3, 5 or 130 */
	void (*check)(void *, const char *name, bool passed, const char *reason);
	void (*note)(void *, const char *text); /* judges nothing */
	void *context;
	bool allow_manifest, fixture;
	unsigned timeout; /* seconds, one cargo run */
	bool tampered;    /* tests or build files were changed: the baseline must be kept */
	/* the judge's own */
	uint64_t key[2];
	unsigned serial;  /* numbers the directories below scratch */
	struct verdict_tree before;
	struct verdict_target *targets;
	size_t target_count;
	struct str lock;  /* Cargo.lock as cargo itself writes it from the baseline */
	bool locked;      /* the baseline brought a Cargo.lock that --locked accepts */
	struct buf watch; /* lines "path hash" of what acts later, outside: git's settings, hard links */
	bool watched;
};

enum verdict_state { VERDICT_GREEN, VERDICT_RED, VERDICT_BROKEN };

/* ---- 1. files and words ------------------------------------------------------------------------------------ */

/* Whether word stands in list, whose words are each between two spaces. */
static bool verdict_word(const char *list, struct str word) {
	size_t len = word.len;
	if (len == 0 || len > 60 || memchr(word.at, ' ', len) != NULL)
		return false;
	for (const char *p = list; (p = memmem(p, strlen(p), word.at, len)) != NULL; p++)
		if (p > list && p[-1] == ' ' && p[len] == ' ')
			return true;
	return false;
}

static struct str str_cut(struct str s, size_t from, size_t to) {
	return (struct str){ s.at + from, to - from };
}

static struct str str_trim(struct str s) {
	while (s.len > 0 && memchr(" \t\r\n", s.at[0], 4) != NULL)
		s = str_skip(s, 1);
	while (s.len > 0 && memchr(" \t\r\n", s.at[s.len - 1], 4) != NULL)
		s.len--;
	return s;
}

static int str_order(struct str a, struct str b) {
	int order = memcmp(a.at == NULL ? "" : a.at, b.at == NULL ? "" : b.at, a.len < b.len ? a.len : b.len);
	return order != 0 ? order : a.len < b.len ? -1 : a.len > b.len;
}

static int verdict_by_str(const void *a, const void *b) {
	return str_order(*(const struct str *)a, *(const struct str *)b);
}

#define STRF(s) (int)((s).len > 300 ? 300 : (s).len), (s).len == 0 ? "" : (s).at /* for "%.*s" */

/* Mixes s into the keyed hash h. "\r\n" counts as "\n". */
static uint64_t verdict_mix(const uint64_t key[2], uint64_t h, struct str s) {
	const char *cr = s.len == 0 ? NULL : memchr(s.at, '\r', s.len);
	if (cr != NULL && cr + 1 < s.at + s.len && cr[1] == '\n') {
		h = verdict_mix(key, h, str_cut(s, 0, (size_t)(cr - s.at)));
		return verdict_mix(key, h, str_skip(s, (size_t)(cr - s.at) + 1));
	}
	for (size_t i = 0; i <= s.len; i += 8) {
		uint64_t w = 0, n = s.len - i < 8 ? s.len - i : 8;
		memcpy(&w, n == 0 ? "" : s.at + i, n);
		__extension__ unsigned __int128 product = (unsigned __int128)(h ^ w ^ key[0]) * (key[1] + 2 * n + 1);
		h = (uint64_t)product ^ (uint64_t)(product >> 64);
	}
	return h;
}

static int verdict_random(void *into, size_t size, struct error *error) {
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, into, size);
	if (fd >= 0)
		close(fd);
	return got == (ssize_t)size ? 0 : error_set(error, 5, "cannot read /dev/urandom:");
}

/* The bytes of a regular file of at most limit bytes that stands under name in the directory dir. False: it is none. */
static bool verdict_read_at(struct arena *arena, int dir, const char *name, uint64_t limit, struct str *bytes) {
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= limit;
	size_t len = 0;
	if (good) {
		char *at = arena_take(arena, (size_t)st.st_size + 1, 1);
		ssize_t n = 1;
		while (len < (size_t)st.st_size && (n = read(fd, at + len, (size_t)st.st_size - len)) > 0)
			len += (size_t)n;
		good = n >= 0;
		*bytes = (struct str){ at, len };
	}
	if (fd >= 0)
		close(fd);
	return good;
}

static bool verdict_read(struct arena *arena, const char *path, struct str *bytes) {
	return verdict_read_at(arena, AT_FDCWD, path, VERDICT_FILE_MAX, bytes);
}

/* Writes a file anew, in place of what stands there. */
static int verdict_write(const char *path, struct str bytes, struct error *error) {
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	ssize_t n = fd < 0 ? -1 : 0;
	for (size_t at = 0; n >= 0 && at < bytes.len; at += n < 0 ? 0 : (size_t)n)
		n = write(fd, bytes.at + at, bytes.len - at);
	if ((fd >= 0 && close(fd) != 0) || n < 0)
		return error_set(error, 5, "cannot write %s:", path);
	return 0;
}

/* A new directory below scratch, named by what and a number. */
static char *verdict_place(struct verdict *v, const char *what, bool make) {
	char *path = arena_format(v->arena, "%s/%s-%u", v->scratch, what, ++v->serial);
	if (make && mkdir(path, 0700) != 0)
		return NULL;
	return path;
}

/* Joins rel to the directory base, both relative to a tree, and resolves "." and "..". at is NULL when that leaves the tree. */
static struct str verdict_join(struct arena *arena, struct str base, struct str rel) {
	char *out = arena_take(arena, base.len + rel.len + 2, 1);
	size_t len = 0;
	struct str parts[2] = { base, rel };
	for (int k = 0; k < 2; k++)
		for (struct str s = parts[k]; s.len > 0;) {
			const char *slash = memchr(s.at, '/', s.len);
			struct str part = { s.at, slash == NULL ? s.len : (size_t)(slash - s.at) };
			s = str_skip(s, part.len + (slash != NULL));
			if (part.len == 0 || str_eq(part, STR(".")))
				continue;
			if (str_eq(part, STR(".."))) {
				if (len == 0)
					return (struct str){ NULL, 0 };
				while (len > 0 && out[--len] != '/')
					;
				continue;
			}
			if (len > 0)
				out[len++] = '/';
			memcpy(out + len, part.at, part.len);
			len += part.len;
		}
	return (struct str){ out, len };
}

static struct str verdict_dirname(struct str path) {
	while (path.len > 0 && path.at[path.len - 1] != '/')
		path.len--;
	return (struct str){ path.at, path.len == 0 ? 0 : path.len - 1 };
}

static struct str verdict_basename(struct str path) {
	struct str dir = verdict_dirname(path);
	return dir.len == 0 && (path.len == 0 || path.at[0] != '/') ? path : str_skip(path, dir.len + 1);
}

static struct verdict_file *verdict_find(const struct verdict_tree *tree, struct str path) {
	size_t low = 0, high = tree->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = str_order(path, tree->files[mid].path);
		if (order == 0)
			return &tree->files[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static struct str verdict_load(struct arena *arena, const struct verdict_tree *tree, struct verdict_file *file) {
	if (!file->loaded && file->link.at == NULL)
		verdict_read(arena, arena_format(arena, "%s/%.*s", tree->root, (int)file->path.len, file->path.at), &file->bytes);
	file->loaded = true;
	return file->bytes;
}

/* Whether a file is byte for byte the same in both trees (a link: the same text). */
static bool verdict_same(struct arena *arena, const struct verdict_tree *ta, struct verdict_file *a,
    const struct verdict_tree *tb, struct verdict_file *b) {
	if (b == NULL || a->size != b->size || !str_eq(a->link, b->link) || (a->link.at == NULL) != (b->link.at == NULL))
		return false;
	size_t mark = arena->used;
	bool keep = a->loaded && b->loaded;
	bool same = str_eq(verdict_load(arena, ta, a), verdict_load(arena, tb, b));
	if (!keep && a->size > (1 << 20) && !a->lexed && !b->lexed) { /* data: not kept in memory */
		a->loaded = b->loaded = false;
		a->bytes = b->bytes = (struct str){ NULL, 0 };
		arena->used = mark;
	}
	return same;
}

/* ---- 2. the private copy ----------------------------------------------------------------------------------- */

struct verdict_walk {
	struct verdict *v;
	const char *from, *to; /* to NULL: only listed */
	char real[PATH_MAX];   /* from, without links */
	struct buf files, *watch;
	uint64_t bytes;
	size_t seen;
	struct error *error;
};

static int verdict_by_path(const void *a, const void *b) {
	return str_order(((const struct verdict_file *)a)->path, ((const struct verdict_file *)b)->path);
}

/* Notes one thing that acts later, outside, with a hash of its bytes. */
static void verdict_watch(struct verdict_walk *w, const char *what, int dir, const char *name, const char *path) {
	struct str bytes = { NULL, 0 };
	if (w->watch == NULL)
		return;
	if (dir >= 0 && !verdict_read_at(w->v->arena, dir, name, 1 << 20, &bytes))
		return;
	buf_format(w->watch, "%s%s %016llx\n", what, path, (unsigned long long)verdict_mix(w->v->key, 1, bytes));
}

/* .git is not copied; its hooks and settings are watched. */
static void verdict_watch_git(struct verdict_walk *w, int dir, const char *path) {
	static const char *const names[] = { "config", "config.worktree", "info/attributes", "commondir", "HEAD.lock" };
	int git = openat(dir, ".git", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->watch == NULL || git < 0) {
		verdict_watch(w, "", git < 0 ? dir : -1, ".git", path);
		if (git >= 0)
			close(git);
		return;
	}
	for (size_t k = 0; k + 1 < sizeof names / sizeof *names; k++)
		verdict_watch(w, "", git, names[k], arena_format(w->v->arena, "%s/%s", path, names[k]));
	int hooks = openat(git, "hooks", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = hooks < 0 ? NULL : fdopendir(hooks);
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;)
		if (e->d_name[0] != '.' && !str_ends(str_of(e->d_name), STR(".sample")))
			verdict_watch(w, "", dirfd(list), e->d_name, arena_format(w->v->arena, "%s/hooks/%s", path, e->d_name));
	if (list != NULL)
		closedir(list);
	else if (hooks >= 0)
		close(hooks);
	close(git);
}

/* A link: kept as it is when it leads to something inside, or is a bare name that leads nowhere (an editor's lock). */
static int verdict_walk_link(struct verdict_walk *w, int dir, const char *name, const char *path, struct verdict_file *file) {
	char text[PATH_MAX], real[PATH_MAX];
	ssize_t n = readlinkat(dir, name, text, sizeof text - 1);
	if (n <= 0)
		return error_set(w->error, 2, "cannot read the link %s:", path);
	text[n] = '\0';
	file->link = str_of(arena_format(w->v->arena, "%s", text));
	bool inside = false;
	if (realpath(arena_format(w->v->arena, "%s/%s", w->from, path), real) != NULL) {
		size_t len = strlen(w->real);
		inside = text[0] != '/' && strncmp(real, w->real, len) == 0 && (real[len] == '/' || real[len] == '\0');
	} else
		inside = errno == ENOENT && strchr(text, '/') == NULL && strcmp(text, "..") != 0;
	if (!inside)
		return error_set(w->error, 2, "%s is a link that leads out of the crate (%s): remove it", path, text);
	if (w->to != NULL && symlink(text, arena_format(w->v->arena, "%s/%s", w->to, path)) != 0)
		return error_set(w->error, 5, "cannot make the link %s:", path);
	return 0;
}

static int verdict_walk_file(struct verdict_walk *w, int dir, const char *name, const char *path, struct stat *st) {
	if (!S_ISREG(st->st_mode))
		return error_set(w->error, 2, "%s is a %s, which cannot be judged: remove it", path,
		    S_ISFIFO(st->st_mode) ? "FIFO" : S_ISSOCK(st->st_mode) ? "socket" : "device");
	if ((uint64_t)st->st_size > VERDICT_FILE_MAX)
		return error_set(w->error, 2, "%s has more than 64 MiB (the limit for a file)", path);
	w->bytes += (uint64_t)st->st_size;
	if (w->bytes > VERDICT_TREE_MAX)
		return error_set(w->error, 2, "the crate has more than 1 GiB (at %s)", path);
	if (w->to == NULL)
		return 0;
	if (st->st_nlink > 1)
		verdict_watch(w, "hard link: ", -1, NULL, path);
	static char block[1 << 16];
	int in = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (in < 0 || fstat(in, st) != 0 || !S_ISREG(st->st_mode)) {
		if (in >= 0)
			close(in);
		return error_set(w->error, 2, "cannot read %s:", path);
	}
	int out = open(arena_format(w->v->arena, "%s/%s", w->to, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    (st->st_mode & 0111) != 0 ? 0755 : 0644);
	ssize_t n = 0, put = 0;
	uint64_t left = (uint64_t)st->st_size;
	for (; out >= 0 && left > 0 && (n = read(in, block, left < sizeof block ? left : sizeof block)) > 0; left -= (uint64_t)n)
		for (ssize_t at = 0; at < n; at += put)
			if ((put = write(out, block + at, (size_t)(n - at))) < 0)
				goto full;
full:
	close(in);
	if (out < 0 || put < 0 || close(out) != 0)
		return error_set(w->error, 5, "cannot write the private copy of %s:", path);
	return n < 0 ? error_set(w->error, 2, "cannot read %s:", path) : 0;
}

/* Walks one directory (closed at the end). prefix: its path with a "/" at the end, or "". */
static int verdict_walk_dir(struct verdict_walk *w, int dir, const char *prefix, unsigned depth) {
	DIR *list = dir < 0 ? NULL : fdopendir(dir);
	if (list == NULL) {
		error_set(w->error, 2, "cannot read the directory %s%s:", w->from, *prefix == '\0' ? "" : prefix - 1);
		if (dir >= 0)
			close(dir);
		return -1;
	}
	int result = 0;
	struct dirent *entry;
	while (result == 0 && (errno = 0, entry = readdir(list)) != NULL) {
		const char *name = entry->d_name;
		struct stat st;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		char *path = arena_format(w->v->arena, "/%s%s", prefix, name) + 1; /* the '/' before serves messages */
		if (strcmp(name, ".git") == 0) {
			verdict_watch_git(w, dir, path);
			continue;
		}
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			result = error_set(w->error, 2, "cannot look at %s:", path);
		else if (S_ISDIR(st.st_mode) && strcmp(name, "target") == 0 &&
		    (depth == 0 || faccessat(dir, "target/CACHEDIR.TAG", F_OK, 0) == 0))
			continue;
		else if (++w->seen > VERDICT_FILES_MAX)
			result = error_set(w->error, 2, "the crate has more than 100,000 files (at %s)", path);
		else if (S_ISDIR(st.st_mode)) {
			if (depth + 1 >= VERDICT_DEPTH_MAX)
				result = error_set(w->error, 2, "the crate has more than 64 levels of directories (at %.200s)", path);
			else if (w->to != NULL && mkdir(arena_format(w->v->arena, "%s/%s", w->to, path), 0755) != 0)
				result = error_set(w->error, 5, "cannot make the private copy of %s:", path);
			else
				result = verdict_walk_dir(w, openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
				    arena_format(w->v->arena, "/%s/", path) + 1, depth + 1);
		} else {
			struct verdict_file file = { .path = str_of(path), .size = (uint64_t)st.st_size };
			result = S_ISLNK(st.st_mode) ? verdict_walk_link(w, dir, name, path, &file)
			                             : verdict_walk_file(w, dir, name, path, &st);
			buf_add(&w->files, (struct str){ (const char *)&file, sizeof file });
		}
	}
	if (result == 0 && errno != 0)
		result = error_set(w->error, 5, "cannot read the directory %s%s:", w->from, *prefix == '\0' ? "" : prefix - 1);
	closedir(list);
	return result;
}

/* Lists the crate at from, and copies it to `to` unless that is NULL. */
static int verdict_walk(struct verdict *v, const char *from, const char *to, struct buf *watch, struct verdict_tree *tree,
    struct error *error) {
	struct verdict_walk w = { .v = v, .from = from, .to = to, .watch = watch, .error = error, .files = { .arena = v->arena } };
	if (v->key[0] == 0 && verdict_random(v->key, sizeof v->key, error) != 0)
		return -1;
	v->key[1] |= (uint64_t)1 << 63;
	if (realpath(from, w.real) == NULL)
		return error_set(error, 2, "cannot use %s:", from);
	if (to != NULL && mkdir(to, 0755) != 0)
		return error_set(error, 5, "cannot make %s:", to);
	if (verdict_walk_dir(&w, open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0) != 0)
		return -1;
	*tree = (struct verdict_tree){ to != NULL ? to : from, (struct verdict_file *)(void *)w.files.at,
		w.files.len / sizeof *tree->files };
	if (tree->count > 0)
		qsort(tree->files, tree->count, sizeof *tree->files, verdict_by_path);
	return 0;
}

static int verdict_copy(struct verdict *v, const char *from, const char *to, struct error *error) {
	struct verdict_tree tree;
	bool first = !v->watched;
	v->watched = true;
	v->watch.arena = v->arena;
	return verdict_walk(v, from, arena_z(v->arena, str_of(to)), first ? &v->watch : NULL, &tree, error);
}

/* ---- 3. TOML, as far as it is needed, and the toolchain ------------------------------------------------------ */

struct toml {
	struct str rest, table;
};

/* The text between quotes, or s itself. Escapes stay as they are. */
static struct str toml_bare(struct str s) {
	s = str_trim(s);
	if (s.len >= 2 && (s.at[0] == '"' || s.at[0] == '\'')) {
		const char *end = memchr(s.at + 1, s.at[0], s.len - 1);
		return end == NULL ? s : (struct str){ s.at + 1, (size_t)(end - s.at - 1) };
	}
	const char *comment = s.len == 0 ? NULL : memchr(s.at, '#', s.len);
	return comment == NULL ? s : str_trim(str_cut(s, 0, (size_t)(comment - s.at)));
}

/* The next header (key empty, table new) or `key = value` (raw; an array over several lines as a whole). False at the end. */
static bool toml_next(struct toml *toml, struct str *key, struct str *value) {
	struct str line;
	while (str_line(&toml->rest, &line)) {
		const char *start = line.at;
		line = str_trim(line);
		if (line.len == 0 || line.at[0] == '#')
			continue;
		*key = *value = (struct str){ line.at, 0 };
		if (line.at[0] == '[') {
			const char *end = memchr(line.at, ']', line.len);
			struct str name = { line.at + 1, (size_t)((end == NULL ? line.at + line.len : end) - line.at - 1) };
			if (name.len > 0 && name.at[0] == '[')
				name = str_skip(name, 1);
			toml->table = toml_bare(name);
			return true;
		}
		const char *equals = memchr(line.at, '=', line.len);
		if (equals == NULL)
			continue;
		*key = toml_bare(str_cut(line, 0, (size_t)(equals - line.at)));
		int open = 0;
		char quote = 0;
		const char *end = toml->rest.at + toml->rest.len, *p = equals + 1;
		for (; p < end && (*p != '\n' || open > 0); p++) {
			if (quote != 0)
				quote = *p == quote || *p == '\n' ? 0 : quote;
			else if (*p == '"' || *p == '\'')
				quote = *p;
			else if (*p == '#')
				while (p + 1 < end && p[1] != '\n')
					p++;
			else
				open += (*p == '[') - (*p == ']');
		}
		(void)start;
		*value = str_trim((struct str){ equals + 1, (size_t)(p - equals - 1) });
		if (p >= toml->rest.at)
			toml->rest = (struct str){ p < end ? p + 1 : p, (size_t)(end - p) - (p < end) };
		return true;
	}
	return false;
}

/* The value of key in table, without quotes; at is NULL when there is none. */
static struct str toml_get(struct str text, const char *table, const char *key) {
	struct toml toml = { text, { NULL, 0 } };
	for (struct str k, value; toml_next(&toml, &k, &value);)
		if (str_eq(toml.table, str_of(table)) && k.len > 0 && str_eq(k, str_of(key)))
			return toml_bare(value);
	return (struct str){ NULL, 0 };
}

static void cargo_readable(struct arena *arena, struct cargo *cargo, const char *path) {
	char real[PATH_MAX];
	if (realpath(path, real) == NULL || strcmp(real, "/") == 0)
		return;
	for (size_t k = 0; k < cargo->count; k++)
		if (strcmp(cargo->readable[k], real) == 0)
			return;
	if ((cargo->count & (cargo->count - 1)) == 0) { /* room doubles at powers of two */
		char **more = arena_take(arena, sizeof *more, cargo->count == 0 ? 1 : 2 * cargo->count);
		if (cargo->count > 0)
			memcpy(more, cargo->readable, cargo->count * sizeof *more);
		cargo->readable = more;
	}
	cargo->readable[cargo->count++] = arena_format(arena, "%s", real);
}

static bool cargo_program(const char *path, struct stat *st) {
	return stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0;
}

/* Whether bin holds a cargo and a rustc that are themselves and not rustup in disguise (a link, a hard link, or a copy). */
static bool cargo_pair(struct arena *arena, const char *bin) {
	struct stat c, r, up;
	if (!cargo_program(arena_format(arena, "%s/cargo", bin), &c) || !cargo_program(arena_format(arena, "%s/rustc", bin), &r))
		return false;
	if (c.st_ino == r.st_ino && c.st_dev == r.st_dev)
		return false;
	return stat(arena_format(arena, "%s/rustup", bin), &up) != 0 || (up.st_size != c.st_size && up.st_size != r.st_size);
}

/* Takes bin as the toolchain. */
static int cargo_take(struct arena *arena, struct cargo *cargo, const char *bin) {
	static const char *const programs[] = { "cargo", "rustc" };
	char real[PATH_MAX];
	cargo->bin = arena_z(arena, str_of(bin));
	cargo_readable(arena, cargo, bin);
	for (size_t k = 0; k < 2; k++) {
		if (realpath(arena_format(arena, "%s/%s", bin, programs[k]), real) == NULL)
			continue;
		struct str place = verdict_dirname(str_of(real)), root = verdict_dirname(place);
		char *lib = arena_format(arena, "%.*s/lib", (int)root.len, root.at);
		if (str_eq(verdict_basename(place), STR("bin")) && access(lib, F_OK) == 0 && root.len > 1)
			cargo_readable(arena, cargo, arena_z(arena, root));
		else
			cargo_readable(arena, cargo, arena_z(arena, place));
	}
	return 0;
}

/* The channel for dir: rustup's own order, but of a toolchain file only the channel. *why says where it comes from. */
static struct str cargo_channel(struct arena *arena, const char *dir, struct str settings, const char **why) {
	static const char *const names[] = { "rust-toolchain", "rust-toolchain.toml" };
	char real[PATH_MAX];
	struct str best = str_of(getenv("RUSTUP_TOOLCHAIN")), key, value, text;
	*why = "RUSTUP_TOOLCHAIN";
	if (best.len > 0)
		return best;
	if (realpath(dir, real) == NULL)
		snprintf(real, sizeof real, "%s", dir);
	for (struct str at = str_of(real); at.len > 0; at = verdict_dirname(at)) { /* the nearest directory wins */
		struct toml toml = { settings, { NULL, 0 } };
		*why = "rustup's override";
		while (toml_next(&toml, &key, &value))
			if (str_eq(toml.table, STR("overrides")) && key.len > 0 && str_eq(key, at))
				return toml_bare(value);
		for (size_t k = 0; k < 2; k++) {
			*why = arena_format(arena, "%.*s/%s", (int)at.len, at.at, names[k]);
			if (!verdict_read(arena, *why, &text) || text.len > 65536)
				continue;
			best = toml_get(text, "toolchain", "channel");
			if (best.at == NULL && memchr(text.at, '[', text.len) == NULL)
				str_line(&text, &best), best = str_trim(best);
			if (best.len > 0)
				return best;
		}
	}
	*why = "rustup's settings";
	return toml_get(settings, "", "default_toolchain");
}

/* rustup's toolchain of that name, with or without the host behind it. */
static char *cargo_rustup(struct arena *arena, const char *home, struct str name, struct str host) {
	char *best = NULL, *all = arena_format(arena, "%s/toolchains", home);
	for (size_t k = 0; k < name.len; k++)
		if (strchr("/\\\n", name.at[k]) != NULL || name.at[0] == '.')
			return NULL;
	if (host.len > 0) {
		char *bin = arena_format(arena, "%s/%.*s-%.*s/bin", all, STRF(name), STRF(host));
		if (cargo_pair(arena, bin))
			return bin;
	}
	DIR *list = opendir(all);
	for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
		struct str have = str_of(e->d_name);
		bool exact = str_eq(have, name);
		if (!exact && !(str_starts(have, name) && have.at[name.len] == '-' && strchr("0123456789", have.at[name.len + 1]) == NULL))
			continue;
		char *bin = arena_format(arena, "%s/%s/bin", all, e->d_name);
		if (cargo_pair(arena, bin) && (best == NULL || exact || strcmp(bin, best) < 0))
			best = bin;
		if (exact && best == bin)
			break;
	}
	if (list != NULL)
		closedir(list);
	return best;
}

/* A file that others could have written governs nothing here. */
static bool cargo_trusted(const char *path) {
	struct stat st;
	return stat(path, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) && (st.st_mode & 022) == 0;
}

/* Directories that the person's source settings name, and the borrowed caches. */
static void cargo_borrowed(struct arena *arena, struct cargo *cargo) {
	static const char *const parts[] = { "registry", "git", "config.toml", "config" };
	struct str text, key, value;
	for (size_t k = 0; k < 4; k++) {
		char *path = arena_format(arena, "%s/%s", cargo->home, parts[k]);
		if (k < 2)
			cargo_readable(arena, cargo, path);
		else if (verdict_read(arena, path, &text)) {
			for (struct toml toml = { text, { NULL, 0 } }; toml_next(&toml, &key, &value);)
				if (str_starts(toml.table, STR("source")) && (str_ends(key, STR("directory")) || str_ends(key, STR("local-registry")))) {
					value = toml_bare(value);
					cargo_readable(arena, cargo, value.len > 0 && value.at[0] == '/' ? arena_z(arena, value) :
					    arena_format(arena, "%s/../%.*s", cargo->home, STRF(value)));
				}
			return;
		}
	}
}

static int cargo_find(struct arena *arena, const char *dir, struct cargo *cargo, struct error *error) {
	static const char *const fixed[] = { "/opt/rust/bin", "/opt/cargo/bin", "/usr/local/bin", "/usr/bin" };
	const char *home = getenv("HOME"), *up = getenv("RUSTUP_HOME"), *ch = getenv("CARGO_HOME"), *why = "";
	char real[PATH_MAX], bin[PATH_MAX];
	struct stat st;
	struct str settings = { NULL, 0 };
	*cargo = (struct cargo){ 0 };
	home = home == NULL || *home != '/' ? "/nonexistent" : home;
	up = up == NULL || *up != '/' ? arena_format(arena, "%s/.rustup", home) : up;
	ch = ch == NULL || *ch != '/' ? arena_format(arena, "%s/.cargo", home) : ch;
	if (stat(ch, &st) == 0 && S_ISDIR(st.st_mode)) {
		cargo->home = arena_z(arena, str_of(ch));
		cargo_borrowed(arena, cargo);
	}
	verdict_read(arena, arena_format(arena, "%s/settings.toml", up), &settings);
	struct str channel = cargo_channel(arena, dir, settings, &why);
	if (channel.len > 0 && access(arena_format(arena, "%s/toolchains", up), F_OK) == 0) {
		char *found = channel.at[0] == '/' ? arena_format(arena, "%.*s/bin", STRF(channel)) :
		    cargo_rustup(arena, up, channel, toml_get(settings, "", "default_host_triple"));
		if (found != NULL && !(channel.at[0] == '/' && strstr(why, "/rust-toolchain") != NULL) && cargo_pair(arena, found))
			return cargo_take(arena, cargo, found);
		return error_set(error, 5, "the toolchain %.*s (named by %s) is not installed: rustup toolchain install %.*s",
		    STRF(channel), why, STRF(channel));
	}
	if (realpath(dir, real) == NULL)
		snprintf(real, sizeof real, "%s", dir);
	for (struct str path = str_of(getenv("PATH")); path.len > 0;) {
		const char *colon = memchr(path.at, ':', path.len);
		struct str part = { path.at, colon == NULL ? path.len : (size_t)(colon - path.at) };
		path = str_skip(path, part.len + (colon != NULL));
		char *place = arena_z(arena, part);
		if (*place != '/' || !cargo_pair(arena, place) || realpath(place, bin) == NULL)
			continue;
		if (strncmp(bin, real, strlen(real)) != 0 || (bin[strlen(real)] != '/' && bin[strlen(real)] != '\0')) /* not DIR's */
			return cargo_take(arena, cargo, place);
	}
	DIR *opt = opendir("/opt");
	for (struct dirent *e; opt != NULL && (e = readdir(opt)) != NULL;) {
		snprintf(bin, sizeof bin, "/opt/%s/bin", e->d_name);
		if (e->d_name[0] != '.' && cargo_pair(arena, bin)) {
			closedir(opt);
			return cargo_take(arena, cargo, bin);
		}
	}
	if (opt != NULL)
		closedir(opt);
	for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
		if (cargo_pair(arena, fixed[k]))
			return cargo_take(arena, cargo, fixed[k]);
	return error_set(error, 5, "no cargo and rustc found (rustup's toolchains, PATH, /opt, /usr): install Rust with rustup or "
	    "the system's packages (apt-get install cargo; dnf install cargo; apk add cargo; pacman -S rust)");
}

/* Links to every entry of home/part below path/part. */
static int cargo_links(struct arena *arena, const char *home, const char *path, const char *part, struct error *error) {
	char *from = arena_format(arena, "%s/%s", home, part), *to = arena_format(arena, "%s/%s", path, part);
	DIR *list = opendir(from);
	if (list == NULL)
		return 0;
	int result = mkdir(to, 0700) == 0 || errno == EEXIST ? 0 : error_set(error, 5, "cannot make %s:", to);
	for (struct dirent *e; result == 0 && (e = readdir(list)) != NULL;)
		if (e->d_name[0] != '.' && symlink(arena_format(arena, "%s/%s", from, e->d_name),
		    arena_format(arena, "%s/%s", to, e->d_name)) != 0 && errno != EEXIST)
			result = error_set(error, 5, "cannot make a link in %s:", to);
	closedir(list);
	return result;
}

/* The [source] tables of the person's settings, and where registries are; never a token. */
static void cargo_sources(struct arena *arena, const struct cargo *cargo, struct str text, struct buf *out) {
	struct toml toml = { text, { NULL, 0 } };
	struct str last = { "", 0 };
	for (struct str key, value; toml_next(&toml, &key, &value);) {
		bool source = str_starts(toml.table, STR("source")), registry = str_starts(toml.table, STR("registries."));
		if (key.len == 0 || (!source && !(registry && str_eq(key, STR("index")))) || str_find(key, STR("token")) >= 0)
			continue;
		if (!str_eq(last, toml.table))
			buf_format(out, "[%.*s]\n", (int)toml.table.len, toml.table.at);
		last = toml.table;
		struct str bare = toml_bare(value);
		if ((str_eq(key, STR("directory")) || str_eq(key, STR("local-registry"))) && bare.len > 0 && bare.at[0] != '/')
			buf_format(out, "%.*s = \"%s/../%.*s\"\n", STRF(key), cargo->home, STRF(bare));
		else
			buf_format(out, "%.*s = %.*s\n", STRF(key), (int)value.len, value.at);
	}
	(void)arena;
}

static int cargo_home_make(struct arena *arena, const struct cargo *cargo, const char *path, struct error *error) {
	static const char *const parts[] = { "registry", "git", "git/db", "git/checkouts", "registry/index", "registry/cache" };
	struct str text;
	struct buf out = { .arena = arena };
	if (cargo->home == NULL)
		return 0;
	for (size_t k = 0; k < 6; k++) {
		char *from = arena_format(arena, "%s/%s", cargo->home, parts[k]), *to = arena_format(arena, "%s/%s", path, parts[k]);
		if (access(from, F_OK) == 0 && (k < 2 ? mkdir(to, 0700) : symlink(from, to)) != 0)
			return error_set(error, 5, "cannot make %s:", to);
	}
	char *src = arena_format(arena, "%s/registry/src", cargo->home); /* each unpacked crate by itself: cargo may unpack more */
	DIR *list = opendir(src);
	int result = list == NULL || mkdir(arena_format(arena, "%s/registry/src", path), 0700) == 0 ? 0 :
	    error_set(error, 5, "cannot make %s/registry/src:", path);
	for (struct dirent *e; result == 0 && list != NULL && (e = readdir(list)) != NULL;)
		if (e->d_name[0] != '.')
			result = cargo_links(arena, cargo->home, path, arena_format(arena, "registry/src/%s", e->d_name), error);
	if (list != NULL)
		closedir(list);
	for (int k = 0; k < 2 && out.len == 0; k++) {
		char *config = arena_format(arena, "%s/%s", cargo->home, k == 0 ? "config.toml" : "config");
		if (verdict_read(arena, config, &text)) {
			if (!cargo_trusted(config))
				return error_set(error, 2, "%s could have been written by others: chmod go-w it, or remove it", config);
			cargo_sources(arena, cargo, text, &out);
		}
	}
	if (result == 0 && out.len > 0)
		result = verdict_write(arena_format(arena, "%s/config.toml", path), buf_str(&out), error);
	return result;
}

/* Whether the workspace at root leaves dir out by name. */
static bool cargo_excluded(struct arena *arena, struct str root, struct str text, const char *dir) {
	struct str list = toml_get(text, "workspace", "exclude");
	for (size_t at = 0; at < list.len;) {
		const char *open = memchr(list.at + at, '"', list.len - at);
		const char *close = open == NULL ? NULL : memchr(open + 1, '"', (size_t)(list.at + list.len - open - 1));
		if (close == NULL)
			return false;
		char *path = arena_format(arena, "%.*s/%.*s", (int)root.len, root.at, (int)(close - open - 1), open + 1);
		size_t len = strlen(path);
		while (len > 1 && path[len - 1] == '/')
			path[--len] = '\0';
		if (strncmp(dir, path, len) == 0 && (dir[len] == '/' || dir[len] == '\0'))
			return true;
		at = (size_t)(close - list.at) + 1;
	}
	return false;
}

static bool cargo_has_table(struct str text, const char *table) {
	struct toml toml = { text, { NULL, 0 } };
	for (struct str key, value; toml_next(&toml, &key, &value);)
		if (str_eq(toml.table, str_of(table)) || (str_starts(toml.table, str_of(table)) && toml.table.at[strlen(table)] == '.') ||
		    (toml.table.len == 0 && str_starts(key, str_of(table))))
			return true;
	return false;
}

static int cargo_root_check(struct arena *arena, const char *dir, struct error *error) {
	char real[PATH_MAX];
	struct str text, root;
	if (realpath(dir, real) == NULL)
		return error_set(error, 2, "cannot use %s:", dir);
	if (!verdict_read(arena, arena_format(arena, "%s/Cargo.toml", real), &text))
		return error_set(error, 2, "%s holds no Cargo.toml that can be read", dir);
	root = toml_get(text, "package", "workspace");
	if (root.at != NULL)
		return error_set(error, 2, "%s is a member of the workspace %.*s: use that directory", dir, STRF(root));
	bool own = cargo_has_table(text, "workspace");
	for (struct str at = verdict_dirname(str_of(real)); at.len > 0; at = verdict_dirname(at)) {
		static const char *const names[] = { ".cargo/config.toml", ".cargo/config", "Cargo.toml" };
		for (size_t k = 0; k < 3; k++) {
			char *path = arena_format(arena, "%.*s/%s", (int)at.len, at.at, names[k]);
			if (access(path, F_OK) != 0)
				continue;
			if (!cargo_trusted(path))
				return error_set(error, 2, "%s governs what is built in %s, and others could have written it: remove it", path, dir);
			if (k == 2 && !own && verdict_read(arena, path, &text) && cargo_has_table(text, "workspace") &&
			    !cargo_excluded(arena, at, text, real))
				return error_set(error, 2, "%s is a member of the workspace %.*s: use that directory", dir, (int)at.len, at.at);
		}
	}
	return 0;
}

/* ---- 4. Rust tokens (Rust reference, chapter "Lexical structure"; editions 2015 to 2024) ---------------------- */

enum rust_kind { RUST_IDENT, RUST_LIFETIME, RUST_CHAR, RUST_STRING, RUST_NUMBER, RUST_PUNCT, RUST_DOC, RUST_BAD };

struct rust_token {
	uint32_t at, len, line; /* bytes in the file; line from 1 */
	uint32_t match;         /* of a bracket: its partner's index; itself when it has none */
	uint8_t kind;
	bool idle;              /* a comma before a closing bracket that means nothing */
};

/* Length of the white space at s.at[i], 0 if there is none: Pattern_White_Space. */
static size_t rust_space(struct str s, size_t i) {
	const unsigned char *p = (const unsigned char *)s.at + i;
	if (*p == ' ' || (*p >= 9 && *p <= 13))
		return 1;
	if (*p == 0xC2 && s.len - i >= 2 && p[1] == 0x85)
		return 2;
	return *p == 0xE2 && s.len - i >= 3 && p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F || p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
}

/* Where the identifier (with digits) that begins at i ends. Beyond ASCII everything but white space counts as a letter. */
static size_t rust_ident(struct str s, size_t i) {
	while (i < s.len) {
		unsigned char c = (unsigned char)s.at[i];
		size_t next = i;
		if (c < 0x80 ? !(c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'))
		             : rust_space(s, i) > 0 || utf8_next(s, &next) == UTF8_BAD)
			break;
		i = c < 0x80 ? i + 1 : next;
	}
	return i;
}

static bool rust_digit(struct str s, size_t i) {
	return i < s.len && s.at[i] >= '0' && s.at[i] <= '9';
}

static size_t rust_number(struct str s, size_t i) {
	bool based = s.at[i] == '0' && i + 1 < s.len && strchr("xob", s.at[i + 1]) != NULL && s.at[i + 1] != '\0';
	size_t end = i + 1;
	if (based)
		return rust_ident(s, i);
	while (end < s.len && (rust_digit(s, end) || s.at[end] == '_'))
		end++;
	if (end < s.len && s.at[end] == '.' && (end + 1 == s.len || (s.at[end + 1] != '.' && (rust_digit(s, end + 1) || rust_ident(s, end + 1) == end + 1))))
		for (end++; end < s.len && (rust_digit(s, end) || (s.at[end] == '_' && rust_digit(s, end - 1)));)
			end++;
	size_t sign = end + 1;
	if (end < s.len && (s.at[end] | 32) == 'e' && sign < s.len && (s.at[sign] == '+' || s.at[sign] == '-'))
		for (sign++; sign < s.len && s.at[sign] == '_';)
			sign++;
	return sign > end + 1 && rust_digit(s, sign) ? rust_ident(s, sign) : rust_ident(s, end);
}

/* Where the quoted text whose opening quote is at i ends (behind the quote), or 0. */
static size_t rust_quoted(struct str s, size_t i) {
	char quote = s.at[i];
	for (i++; i < s.len; i++) {
		if (s.at[i] == '\\')
			i++;
		else if (s.at[i] == quote)
			return i + 1;
	}
	return 0;
}

/* A raw string whose hashes begin at i: where it ends; 0 when it does not end; i when it is no raw string. */
static size_t rust_raw(struct str s, size_t i) {
	size_t hashes = i, n;
	while (hashes < s.len && s.at[hashes] == '#')
		hashes++;
	if (hashes == s.len || s.at[hashes] != '"')
		return i;
	n = hashes - i;
	for (const char *p = s.at + hashes + 1, *end = s.at + s.len; (p = memchr(p, '"', (size_t)(end - p))) != NULL;) {
		size_t k = 0;
		for (p++; k < n && p + k < end && p[k] == '#';)
			k++;
		if (k == n)
			return (size_t)(p - s.at) + n;
	}
	return 0;
}

/* A quote: a character or a lifetime. */
static size_t rust_quote(struct str s, size_t i, enum rust_kind *kind) {
	size_t next = i + 1;
	*kind = RUST_CHAR;
	if (next == s.len || s.at[next] == '\\' || s.at[next] == '\'')
		return next == s.len || s.at[next] == '\'' ? 0 : rust_quoted(s, i);
	uint32_t point = utf8_next(s, &next);
	if (next < s.len && s.at[next] == '\'' && point != '\n')
		return next + 1;
	size_t end = rust_ident(s, i + 1);
	if (end == i + 1 || rust_digit(s, i + 1))
		return 0;
	if (end == i + 2 && s.at[i + 1] == 'r' && end < s.len && s.at[end] == '#' && rust_ident(s, end + 1) > end + 1)
		end = rust_ident(s, end + 1);
	*kind = RUST_LIFETIME;
	return end;
}

/* A comment that begins at i: its end (0: it has none); *kind is RUST_DOC when it is documentation, else RUST_BAD. */
static size_t rust_comment(struct str s, size_t i, enum rust_kind *kind) {
	bool line = s.at[i + 1] == '/';
	char a = i + 2 < s.len ? s.at[i + 2] : '\0', b = i + 3 < s.len ? s.at[i + 3] : '\0';
	*kind = a == '!' || (line ? a == '/' && b != '/' : a == '*' && b != '*' && b != '/') ? RUST_DOC : RUST_BAD;
	if (line) {
		const char *end = memchr(s.at + i, '\n', s.len - i);
		return end == NULL ? s.len : (size_t)(end - s.at);
	}
	size_t depth = 0;
	for (; i + 1 < s.len; i++) {
		bool open = s.at[i] == '/' && s.at[i + 1] == '*', close = s.at[i] == '*' && s.at[i + 1] == '/';
		if (open || close) {
			depth = open ? depth + 1 : depth - 1;
			i++;
		}
		if (depth == 0)
			return i + 1;
	}
	return 0;
}

/* The token at s.at[i], which is no white space: its end. */
static size_t rust_token_end(struct str s, size_t i, enum rust_kind *kind) {
	static const char joined[] = " <<= >>= ... ..= :: -> => == != <= >= += -= *= /= %= ^= &= |= && || << .. ";
	char c = s.at[i];
	size_t end = rust_ident(s, i), q = i;
	if (c >= '0' && c <= '9') {
		*kind = RUST_NUMBER;
		return rust_number(s, i);
	}
	if (end > i && end < s.len && end - i <= 2 && memchr("\"'#", s.at[end], 3) != NULL) { /* a prefix? */
		struct str prefix = str_cut(s, i, end);
		if (s.at[end] == '\'' && str_eq(prefix, STR("b"))) {
			q = rust_quote(s, end, kind);
			*kind = q == 0 ? RUST_BAD : RUST_CHAR;
			return q == 0 ? end + 1 : q;
		}
		if (s.at[end] == '"' && verdict_word(" b c ", prefix))
			q = rust_quoted(s, end);
		else if (verdict_word(" r br cr ", prefix) && (q = rust_raw(s, end)) == end)
			q = i;
		if (q != i) {
			*kind = q == 0 ? RUST_BAD : RUST_STRING;
			return q == 0 ? s.len : q;
		}
		if (str_eq(prefix, STR("r")) && s.at[end] == '#' && rust_ident(s, end + 1) > end + 1)
			end = rust_ident(s, end + 1);
	}
	*kind = RUST_IDENT;
	if (end > i)
		return end;
	*kind = c == '"' ? RUST_STRING : RUST_CHAR;
	if (c == '"' || c == '\'')
		end = c == '"' ? rust_quoted(s, i) : rust_quote(s, i, kind);
	if (c == '"' && end == 0)
		end = s.len, *kind = RUST_BAD;
	if (end > i)
		return end;
	*kind = c < 0x20 || c > 0x7E || c == '\'' || c == '\\' || c == '`' ? RUST_BAD : RUST_PUNCT;
	for (size_t n = 3; *kind == RUST_PUNCT && n > 1; n--)
		if (s.len - i >= n && !(c == '>' && s.at[i + 1] == '>') && verdict_word(joined, str_cut(s, i, i + n)))
			return i + n;
	return i + 1;
}

/* Pairs the brackets, and marks commas before a closing one as idle, unless they make a tuple of one. */
static void rust_pair(struct arena *arena, struct str s, struct rust_token *t, size_t count) {
	size_t mark = arena->used, depth = 0;
	struct { uint32_t at, commas; } *open = arena_take(arena, sizeof *open, count + 1);
	for (size_t k = 0; k < count; k++) {
		char c = t[k].kind == RUST_PUNCT && t[k].len == 1 ? s.at[t[k].at] : '\0';
		t[k].match = (uint32_t)k;
		if (c == '(' || c == '[' || c == '{') {
			open[depth].at = (uint32_t)k;
			open[depth++].commas = 0;
		} else if (c == ',' && depth > 0)
			open[depth - 1].commas++;
		else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
			char o = s.at[t[open[depth - 1].at].at];
			if ((o == '(') != (c == ')') || (o == '[') != (c == ']'))
				continue;
			depth--;
			t[k].match = open[depth].at;
			t[open[depth].at].match = (uint32_t)k;
			t[k - 1].idle = t[k - 1].len == 1 && s.at[t[k - 1].at] == ',' && (c != ')' || open[depth].commas > 1);
		}
	}
	arena_reset(arena, mark);
}

/* The tokens of any bytes: linear in time and memory. Comments and white space are left out, documentation is kept. */
static struct rust_token *rust_lex(struct arena *arena, struct str s, size_t *count) {
	struct buf out = { .arena = arena };
	uint32_t line = 1;
	size_t i = str_starts(s, STR("\xEF\xBB\xBF")) ? 3 : 0, counted = 0;
	if (str_starts(str_skip(s, i), STR("#!"))) { /* a shebang, unless an attribute follows */
		size_t k = i + 2, n;
		enum rust_kind kind = RUST_BAD;
		while (k < s.len && kind == RUST_BAD)
			if ((n = rust_space(s, k)) > 0)
				k += n;
			else if (s.at[k] == '/' && k + 1 < s.len && (s.at[k + 1] == '/' || s.at[k + 1] == '*') && (n = rust_comment(s, k, &kind)) > 0)
				k = n;
			else
				break;
		const char *end = memchr(s.at + i, '\n', s.len - i);
		if (k == s.len || s.at[k] != '[')
			i = end == NULL ? s.len : (size_t)(end - s.at);
	}
	while (i < s.len) {
		size_t space = rust_space(s, i), end = 0;
		if (space > 0) {
			i += space;
			continue;
		}
		enum rust_kind kind = RUST_IDENT;
		bool comment = s.at[i] == '/' && i + 1 < s.len && (s.at[i + 1] == '/' || s.at[i + 1] == '*');
		end = comment ? rust_comment(s, i, &kind) : rust_token_end(s, i, &kind);
		for (const char *p; counted < i && (p = memchr(s.at + counted, '\n', i - counted)) != NULL; line++)
			counted = (size_t)(p - s.at) + 1;
		struct rust_token token = { (uint32_t)i, (uint32_t)((end == 0 ? s.len : end) - i), line, 0, (uint8_t)kind, false };
		if (!comment || kind == RUST_DOC || end == 0)
			buf_add(&out, (struct str){ (const char *)&token, sizeof token });
		counted = counted < i ? i : counted;
		i += token.len;
	}
	*count = out.len / sizeof(struct rust_token);
	struct rust_token *tokens = (struct rust_token *)(void *)out.at;
	rust_pair(arena, s, tokens, *count);
	return tokens;
}

/* ---- 5. the census: what tests consist of and lean on -------------------------------------------------------- */

enum { ATTR_NEUTRAL = 1, ATTR_TEST = 2, ATTR_CFG_TEST = 4, ATTR_CFG = 8 };

struct verdict_unit {        /* one thing that must be there afterwards, too */
	uint64_t chain, body;    /* hashes: the modules around it with their attributes; itself */
	struct verdict_file *file;
	size_t from, to;         /* tokens; of a doc test: lines of documentation */
	struct str name, path;   /* path: of its module, "a::b" */
	struct verdict_target *target;
	uint32_t line;
	char kind;               /* t test, d doc test, u use, M macro, ! macro call, i impl, f function, o other */
	bool certain, loose;     /* only cfg(test) decides about it; cfg(test) outside a test module */
	bool found;
};

struct census {
	struct verdict *v;
	struct verdict_tree *tree;
	struct buf units, makers; /* makers: names of macros that make tests, each between spaces */
	size_t budget;            /* tokens that may still be looked at */
	bool docs;                /* a file was seen that holds doc tests */
};

struct scope {
	struct verdict_target *target;
	struct str path, dir, file_dir; /* module path; where `mod x;` and #[path] are looked for */
	uint64_t chain;
	bool territory, certain, inline_path;
	unsigned depth;
};

struct rust_item {
	size_t head, body, end; /* tokens: behind the attributes; the '{' or end; behind it */
	char kind;              /* m module, f, M, !, i, u, o, 0 stray */
	unsigned flags;
	struct str name, path;  /* path: of #[path] */
};

static struct str rust_text(const struct verdict_file *f, size_t k) {
	return k < f->count ? (struct str){ f->bytes.at + f->tokens[k].at, f->tokens[k].len } : (struct str){ "", 0 };
}

static bool rust_is(const struct verdict_file *f, size_t k, const char *text) {
	return str_eq(rust_text(f, k), str_of(text));
}

/* An identifier without r#; empty for anything else. */
static struct str rust_name(const struct verdict_file *f, size_t k) {
	struct str text = rust_text(f, k);
	if (k >= f->count || f->tokens[k].kind != RUST_IDENT)
		return (struct str){ "", 0 };
	return str_starts(text, STR("r#")) ? str_skip(text, 2) : text;
}

/* What lies between the quotes of a string; its escapes stay. */
static struct str rust_string(const struct verdict_file *f, size_t k) {
	struct str s = rust_text(f, k);
	const char *open = s.len == 0 ? NULL : memchr(s.at, '"', s.len);
	if (k >= f->count || f->tokens[k].kind != RUST_STRING || open == NULL)
		return (struct str){ NULL, 0 };
	size_t from = (size_t)(open - s.at) + 1, to = s.len;
	while (to > from && s.at[to - 1] != '"')
		to--;
	return str_cut(s, from, to > from ? to - 1 : from);
}

/* What the attribute whose bracket is `open` does. */
static unsigned rust_attribute(const struct verdict_file *f, size_t open, struct str *path) {
	static const char neutral[] = " allow warn deny expect forbid doc must_use inline cold rustfmt clippy track_caller ";
	static const char makers[] = " bench rstest quickcheck proptest case parameterized test_case ";
	size_t close = f->tokens[open].match, last = open + 1;
	bool test = false, negated = false, other = false;
	for (size_t k = open + 1; k < close; k++) {
		struct str name = rust_name(f, k);
		test |= str_eq(name, STR("test"));
		negated |= str_eq(name, STR("not"));
		other |= k > open + 3 && name.len > 0 && !str_eq(name, STR("test"));
	}
	struct str first = rust_name(f, open + 1);
	if (verdict_word(neutral, first) && !(test && str_eq(first, STR("doc"))))
		return ATTR_NEUTRAL;
	if (str_eq(first, STR("path")) && rust_is(f, open + 2, "="))
		*path = rust_string(f, open + 3);
	if (str_eq(first, STR("cfg")))
		return test && !negated ? ATTR_CFG_TEST | (other ? ATTR_CFG : 0u) : ATTR_CFG;
	if (str_eq(first, STR("cfg_attr")))
		return ATTR_CFG | (test ? ATTR_TEST : 0u);
	while (rust_is(f, last + 1, "::") && last + 2 < close)
		last += 2;
	struct str name = rust_name(f, last);
	return str_ends(name, STR("test")) || verdict_word(makers, name) ? ATTR_TEST : 0;
}

/* Hashes tokens: no documentation, no idle commas, no attributes that do nothing. */
static uint64_t rust_hash(struct verdict *v, const struct verdict_file *f, size_t from, size_t to, uint64_t h) {
	struct str path;
	for (size_t k = from; k < to; k++) {
		const struct rust_token *t = &f->tokens[k];
		size_t bracket = k + 1 + rust_is(f, k + 1, "!");
		if (t->kind == RUST_PUNCT && rust_is(f, k, "#") && rust_is(f, bracket, "[") && f->tokens[bracket].match < to &&
		    rust_attribute(f, bracket, &path) == ATTR_NEUTRAL)
			k = f->tokens[bracket].match;
		else if (t->kind != RUST_DOC && !t->idle)
			h = verdict_mix(v->key, h + t->kind, rust_text(f, k));
	}
	return h;
}

/* Where the item ends that is at k: behind ";", or (brace) behind the first group in braces, whose '{' is put in *body. */
static size_t rust_item_end(const struct verdict_file *f, size_t k, size_t end, bool brace, size_t *body) {
	for (; k < end; k++) {
		if (rust_is(f, k, ";"))
			return k + 1;
		if (brace && rust_is(f, k, "{")) {
			*body = k;
			return f->tokens[k].match + 1 < end && f->tokens[k].match > k ? f->tokens[k].match + 1 : end;
		}
		if (f->tokens[k].match > k)
			k = f->tokens[k].match;
	}
	return end;
}

/* Reads one item at `at`, its attributes first. */
static void rust_item(const struct verdict_file *f, size_t at, size_t end, struct rust_item *item) {
	static const char skipped[] = " pub default unsafe async safe auto crate ";
	static const char others[] = " struct enum union type static const extern ";
	*item = (struct rust_item){ .head = at, .name = { "", 0 } };
	size_t k = at;
	for (; k < end; k++) {
		if (f->tokens[k].kind == RUST_DOC)
			continue;
		size_t open = k + 1 + (rust_is(f, k, "#") && rust_is(f, k + 1, "!"));
		if (!rust_is(f, k, "#") || !rust_is(f, open, "[") || f->tokens[open].match <= open || f->tokens[open].match >= end)
			break;
		item->flags |= rust_attribute(f, open, &item->path);
		k = f->tokens[open].match;
	}
	item->head = k;
	while (k < end && (verdict_word(skipped, rust_text(f, k)) || (rust_is(f, k, "(") && rust_is(f, k - 1, "pub")) ||
	    (rust_is(f, k, "const") && verdict_word(" fn unsafe async extern ", rust_text(f, k + 1))) ||
	    (rust_is(f, k, "extern") && (rust_is(f, k + 1, "fn") || (f->tokens[k].kind == RUST_IDENT && k + 2 < end &&
	    f->tokens[k + 1].kind == RUST_STRING && rust_is(f, k + 2, "fn")))) || (f->tokens[k].kind == RUST_STRING && rust_is(f, k - 1, "extern"))))
		k = f->tokens[k].match + 1;
	struct str word = rust_text(f, k);
	item->body = item->end = end;
	if (k >= end)
		return;
	bool bang = rust_is(f, k + 1, "!");
	size_t path = k;
	while (f->tokens[path].kind == RUST_IDENT && rust_is(f, path + 1, "::"))
		path += 2;
	if (str_eq(word, STR("mod")))
		item->kind = 'm';
	else if (str_eq(word, STR("fn")))
		item->kind = 'f';
	else if (str_eq(word, STR("use")))
		item->kind = 'u';
	else if (str_eq(word, STR("macro")) || (str_eq(word, STR("macro_rules")) && bang))
		item->kind = 'M';
	else if (verdict_word(" impl trait ", word) || (str_eq(word, STR("extern")) && !rust_is(f, k + 1, "crate")))
		item->kind = 'i';
	else if (verdict_word(others, word) && !bang)
		item->kind = 'o';
	else if (rust_name(f, path).len > 0 && rust_is(f, path + 1, "!"))
		item->kind = '!';
	item->name = rust_name(f, item->kind == '!' ? path : item->kind == 'M' && bang ? k + 2 :
	    rust_is(f, k + 1, "mut") || rust_is(f, k + 1, "crate") ? k + 2 : k + 1);
	if (item->kind == 'f')
		item->name = rust_text(f, k + 1);
	bool brace = item->kind != 'u' && !verdict_word(" type static const ", word);
	item->end = item->kind == 0 ? (f->tokens[k].match > k && f->tokens[k].match < end ? f->tokens[k].match + 1 : k + 1)
	                            : rust_item_end(f, k, end, brace, &item->body);
}

static void census_add(struct census *c, struct scope *s, struct verdict_file *f, char kind, struct str name, size_t from,
    size_t to, uint32_t line, uint64_t body, bool certain, bool loose) {
	struct verdict_unit unit = { s->chain, body, f, from, to, name, s->path, s->target, line, kind, certain && s->certain, loose, false };
	buf_add(&c->units, (struct str){ (const char *)&unit, sizeof unit });
}

/* `use a::{b, c as d};` is two units, so that their order and grouping is free. */
static void census_use(struct census *c, struct scope *s, struct verdict_file *f, size_t at, size_t end, uint64_t h, bool loose, unsigned depth) {
	size_t last = at;
	for (size_t k = at; k < end && depth < VERDICT_DEPTH_MAX; k++) {
		if (rust_is(f, k, "{") && f->tokens[k].match > k && f->tokens[k].match < end) {
			for (size_t from = k + 1, close = f->tokens[k].match; from < close;) {
				size_t to = from;
				while (to < close && !rust_is(f, to, ","))
					to = f->tokens[to].match > to ? f->tokens[to].match + 1 : to + 1;
				if (to > from)
					census_use(c, s, f, from, to, h, loose, depth + 1);
				from = to + 1;
			}
			return;
		}
		h = verdict_mix(c->v->key, h, rust_text(f, k));
		last = k;
	}
	struct str name = rust_is(f, last, "*") ? STR("*") : rust_is(f, last, "self") && last >= 2 ? rust_name(f, last - 3) : rust_name(f, last);
	census_add(c, s, f, 'u', name, at, end, f->tokens[at].line, h, false, loose);
}

/* Takes the next line of documentation, without its marks, off tokens [*k, to). */
static bool rust_doc_line(const struct verdict_file *f, size_t *k, size_t to, struct str *rest, struct str *line, uint32_t *number) {
	while (rest->at == NULL) {
		if (*k >= to || f->tokens[*k].kind != RUST_DOC)
			return false;
		*rest = str_skip(rust_text(f, *k), 3);
		*number = f->tokens[*k].line;
		if (rest->len >= 2 && f->bytes.at[f->tokens[*k].at + 1] == '*')
			rest->len -= 2;
		if (rest->len == 0) {
			*rest = (struct str){ NULL, 0 };
			*line = STR("");
			++*k;
			return true;
		}
	}
	bool block = f->bytes.at[f->tokens[*k].at + 1] == '*';
	str_line(rest, line);
	if (block) {
		*line = str_trim(*line);
		if (line->len > 0 && line->at[0] == '*')
			*line = str_skip(*line, 1);
	}
	if (rest->len == 0) {
		*rest = (struct str){ NULL, 0 };
		++*k;
	}
	return true;
}

/* Whether code with that fence is a test: empty, or words that rustdoc knows. */
static bool rust_doc_test(struct str info) {
	static const char known[] = " rust should_panic no_run compile_fail test_harness standalone standalone_crate ";
	for (size_t i = 0, start = 0; i <= info.len; i++)
		if (i == info.len || strchr(" ,\t", info.at[i]) != NULL) {
			struct str word = str_cut(info, start, i);
			if (word.len > 0 && !verdict_word(known, word) && !str_starts(word, STR("edition")) && !str_starts(word, STR("ignore")) &&
			    !(word.at[0] == 'E' && rust_digit(word, 1)))
				return false;
			start = i + 1;
		}
	return true;
}

/* The doc tests in one run of documentation: fences, and code that is indented by four. */
static size_t census_docs(struct census *c, struct scope *s, struct verdict_file *f, size_t k, size_t to) {
	struct str rest = { NULL, 0 }, line, info = { "", 0 }, first = { "", 0 };
	uint32_t number = 0, start = 0;
	uint64_t h = 0;
	size_t fence = 0, from = k;
	char mark = 0;
	bool blank = true, test = false;
	while (rust_doc_line(f, &k, to, &rest, &line, &number)) {
		struct str text = str_trim(line);
		size_t n = 0;
		while (n < text.len && (text.at[0] == '`' || text.at[0] == '~') && text.at[n] == text.at[0])
			n++;
		bool indented = fence == 0 && text.len > 0 && line.len > 5 && memcmp(line.at, "     ", 5) == 0 && blank;
		if (fence > 0 && n >= fence && text.at[0] == mark && n == text.len) {
			if (test)
				census_add(c, s, f, 'd', first, from, k, start, h, false, false);
			fence = 0;
		} else if (fence > 0) {
			h = text.len == 0 ? h : verdict_mix(c->v->key, h, text);
			first = first.len == 0 ? text : first;
		} else if (n >= 3 && (text.at[0] == '~' || memchr(text.at + n, '`', text.len - n) == NULL)) {
			fence = n, mark = text.at[0], start = number, info = str_trim(str_skip(text, n)), first = STR("");
			test = rust_doc_test(info);
			h = verdict_mix(c->v->key, 'd', info);
		} else if (indented && n < 3)
			census_add(c, s, f, 'd', text, from, k, number, verdict_mix(c->v->key, 'i', text), false, false);
		blank = text.len == 0 || indented;
	}
	if (fence > 0 && test)
		census_add(c, s, f, 'd', first, from, k, start, h, false, false);
	return k;
}

static void census_file(struct census *c, struct scope *s, struct str path);
static void census_items(struct census *c, struct scope *s, struct verdict_file *f, size_t at, size_t end);

/* `mod name;`: its file, found as rustc does. */
static void census_module(struct census *c, struct scope *s, struct str name, struct str path, struct str file_dir) {
	static const char *const shapes[] = { "%.*s.rs", "%.*s/mod.rs" };
	struct arena *arena = c->v->arena;
	struct scope in = *s;
	if (path.len > 0) {
		struct str full = verdict_join(arena, s->inline_path ? s->dir : file_dir, path);
		in.dir = verdict_dirname(full);
		census_file(c, &in, full);
		return;
	}
	for (int k = 0; k < 2; k++) {
		char *rel = k == 0 ? arena_format(arena, shapes[0], STRF(name)) : arena_format(arena, shapes[1], STRF(name));
		struct str full = verdict_join(arena, s->dir, str_of(rel));
		in.dir = verdict_join(arena, s->dir, name);
		if (full.at != NULL && verdict_find(c->tree, full) != NULL)
			census_file(c, &in, full);
	}
}

/* A macro call may hold modules (cfg_if!) or read a file (include!). */
static void census_call(struct census *c, struct scope *s, struct verdict_file *f, const struct rust_item *item) {
	for (size_t k = item->head; k < item->end; k++) {
		struct scope in = *s;
		if (k + 2 < item->end && rust_is(f, k, "mod") && rust_name(f, k + 1).len > 0 && rust_is(f, k + 2, ";")) {
			in.chain = verdict_mix(c->v->key, rust_hash(c->v, f, item->head, item->end, s->chain), rust_name(f, k + 1));
			in.path = str_of(arena_format(c->v->arena, "%.*s%s%.*s", STRF(s->path), s->path.len > 0 ? "::" : "", STRF(rust_name(f, k + 1))));
			in.certain = false;
			census_module(c, &in, rust_name(f, k + 1), (struct str){ NULL, 0 }, verdict_dirname(f->path));
		}
		if (k == item->head && str_eq(item->name, STR("include")) && rust_string(f, k + 3).len > 0) {
			struct str full = verdict_join(c->v->arena, verdict_dirname(f->path), rust_string(f, k + 3));
			in.dir = verdict_dirname(full);
			census_file(c, &in, full);
		}
	}
}

/* Whether tokens hold `#[test]` or the like, or call a macro that makes tests. */
static bool census_makes(struct census *c, struct verdict_file *f, size_t from, size_t to) {
	struct str path;
	c->makers.at = buf_z(&c->makers);
	for (size_t k = from; k + 1 < to; k++)
		if (rust_is(f, k, "#") && rust_is(f, k + 1, "[") ? (rust_attribute(f, k + 1, &path) & (ATTR_TEST | ATTR_CFG_TEST)) != 0
		    : rust_is(f, k + 1, "!") && verdict_word(c->makers.at, rust_name(f, k)))
			return true;
	return false;
}

static void census_one(struct census *c, struct scope *s, struct verdict_file *f, size_t at, struct rust_item *item) {
	struct scope in = *s;
	bool cfg_test = (item->flags & ATTR_CFG_TEST) != 0, test = item->kind == 'f' && (item->flags & ATTR_TEST) != 0;
	bool loose = cfg_test && !s->territory;
	in.territory |= cfg_test;
	in.certain &= (item->flags & ATTR_CFG) == 0;
	if (item->kind == 'm') {
		in.chain = verdict_mix(c->v->key, rust_hash(c->v, f, at, item->head, s->chain), item->name);
		in.path = str_of(arena_format(c->v->arena, "%.*s%s%.*s", STRF(s->path), s->path.len > 0 ? "::" : "", STRF(item->name)));
		if (item->body == item->end) {
			census_module(c, &in, item->name, item->path, verdict_dirname(f->path));
			return;
		}
		in.dir = verdict_join(c->v->arena, s->dir, item->path.len > 0 ? item->path : item->name);
		in.inline_path = true;
		census_items(c, &in, f, item->body + 1, item->end - 1);
		return;
	}
	if (item->kind == 'i' && !in.territory) { /* methods may be under cfg(test) */
		in.chain = rust_hash(c->v, f, at, item->body, s->chain);
		census_items(c, &in, f, item->body + 1, item->end - 1);
		return;
	}
	if (item->kind == '!')
		census_call(c, &in, f, item);
	if (item->kind == 0 || !(in.territory || test || ((item->kind == '!' || item->kind == 'M') && census_makes(c, f, at, item->end))))
		return;
	uint64_t h = rust_hash(c->v, f, at, item->end, (uint64_t)item->kind);
	if (item->kind == 'u')
		census_use(c, &in, f, item->head, item->end - 1, rust_hash(c->v, f, at, item->head, 'u'), loose, 0);
	else
		census_add(c, &in, f, test ? 't' : item->kind, item->name, at, item->end, f->tokens[item->head].line, h,
		    (item->flags & ATTR_CFG) == 0, loose && !test);
}

static void census_items(struct census *c, struct scope *s, struct verdict_file *f, size_t at, size_t end) {
	struct rust_item item;
	if (at > end || c->budget < end - at || s->depth > VERDICT_DEPTH_MAX) {
		c->budget = 0;
		return;
	}
	s->depth++;
	c->budget -= end - at;
	for (size_t k = at; k < end;) { /* attributes of the module itself */
		if (f->tokens[k].kind == RUST_DOC)
			k++;
		else if (rust_is(f, k, "#") && rust_is(f, k + 1, "!") && rust_is(f, k + 2, "[") && f->tokens[k + 2].match < end) {
			struct str path;
			unsigned flags = rust_attribute(f, k + 2, &path);
			s->territory |= (flags & ATTR_CFG_TEST) != 0;
			s->certain &= (flags & ATTR_CFG) == 0;
			s->chain = rust_hash(c->v, f, k, f->tokens[k + 2].match + 1, s->chain);
			k = f->tokens[k + 2].match + 1;
		} else
			break;
	}
	for (; at < end; at = item.end) {
		rust_item(f, at, end, &item);
		census_one(c, s, f, at, &item);
		bool nested = item.kind == 'm' || (item.kind == 'i' && !s->territory && (item.flags & ATTR_CFG_TEST) == 0);
		for (size_t k = at, to = nested ? item.body : item.end; c->docs && k < to;)
			k = f->tokens[k].kind == RUST_DOC ? census_docs(c, s, f, k, to) : k + 1;
	}
}

static void census_file(struct census *c, struct scope *s, struct str path) {
	struct verdict_file *f = path.at == NULL ? NULL : verdict_find(c->tree, path);
	if (f == NULL || f->link.at != NULL)
		return;
	verdict_load(c->v->arena, c->tree, f);
	if (!f->lexed)
		f->tokens = rust_lex(c->v->arena, f->bytes, &f->count);
	f->lexed = f->reached = true;
	f->built |= s->target->build;
	s->inline_path = false;
	census_items(c, s, f, 0, f->count);
}

/* Names of macros in this tree that make tests; twice, since macros call macros. */
static void census_makers(struct census *c) {
	for (int pass = 0; pass < 2; pass++)
		for (size_t n = 0; n < c->tree->count; n++) {
			struct verdict_file *f = &c->tree->files[n];
			if (!str_ends(f->path, STR(".rs")) || f->link.at != NULL)
				continue;
			verdict_load(c->v->arena, c->tree, f);
			if (memmem(f->bytes.at, f->bytes.len, "macro", 5) == NULL)
				continue;
			if (!f->lexed)
				f->tokens = rust_lex(c->v->arena, f->bytes, &f->count);
			f->lexed = true;
			for (size_t k = 0; k + 3 < f->count; k++)
				if (rust_is(f, k, "macro_rules") && rust_is(f, k + 1, "!") && f->tokens[k + 3].match > k + 3 &&
				    census_makes(c, f, k + 3, f->tokens[k + 3].match))
					buf_format(&c->makers, "%.*s ", STRF(rust_name(f, k + 2)));
		}
}

static void verdict_census(struct verdict *v, struct verdict_tree *tree, struct verdict_target *targets, size_t count, struct census *c) {
	*c = (struct census){ .v = v, .tree = tree, .units = { .arena = v->arena }, .makers = { .arena = v->arena }, .budget = (size_t)1 << 26 };
	buf_add(&c->makers, STR(" quickcheck proptest "));
	census_makers(c);
	for (size_t k = 0; k < count; k++) {
		struct verdict_target *t = &targets[k];
		struct scope s = { .target = t, .path = { "", 0 }, .certain = true, .dir = verdict_dirname(t->root), .territory = str_eq(t->kind, STR("test")) };
		bool doc = str_eq(t->kind, STR("doc"));
		if (doc && k > 0 && str_eq(t[-1].kind, STR("lib")) && str_eq(t[-1].package, t->package))
			continue;
		s.chain = verdict_mix(v->key, verdict_mix(v->key, verdict_mix(v->key, 7, t->package), t->kind), t->name);
		c->docs = doc || (str_eq(t->kind, STR("lib")) && k + 1 < count && str_eq(t[1].kind, STR("doc")));
		census_file(c, &s, t->root);
	}
}

/* ---- 6. what must be as before ------------------------------------------------------------------------------- */

struct verdict_fault { /* the first thing that is wrong, and how many there are */
	size_t count;
	char text[700];
};

__attribute__((format(printf, 2, 3))) static void verdict_wrong(struct verdict_fault *fault, const char *format, ...) {
	va_list args;
	va_start(args, format);
	if (fault->count++ == 0)
		vsnprintf(fault->text, sizeof fault->text, format, args);
	va_end(args);
}

/* Reports a check; true when it passed. */
static bool verdict_report(struct verdict *v, const char *name, const struct verdict_fault *fault, const char *good) {
	if (fault->count > 1)
		v->check(v->context, name, false, arena_format(v->arena, "%s (and %zu more)", fault->text, fault->count - 1));
	else
		v->check(v->context, name, fault->count == 0, fault->count == 0 ? good : fault->text);
	return fault->count == 0;
}

static int verdict_by_unit(const void *a, const void *b) {
	const struct verdict_unit *x = *(struct verdict_unit *const *)a, *y = *(struct verdict_unit *const *)b;
	return x->chain != y->chain ? (x->chain < y->chain ? -1 : 1) : x->body != y->body ? (x->body < y->body ? -1 : 1) :
	    x->line < y->line ? -1 : x->line > y->line;
}

static int verdict_by_hash(const void *a, const void *b) {
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

struct hashes { /* sorted */
	uint64_t *at;
	size_t count;
};

static struct hashes hashes_sort(struct buf *buf) {
	struct hashes set = { (uint64_t *)(void *)buf->at, buf->len / sizeof(uint64_t) };
	if (set.count > 0)
		qsort(set.at, set.count, sizeof *set.at, verdict_by_hash);
	return set;
}

static bool hashes_hold(const struct hashes *set, uint64_t h) {
	return set->count > 0 && bsearch(&h, set->at, set->count, sizeof h, verdict_by_hash) != NULL;
}

static struct verdict_unit **census_sorted(struct census *c, size_t *count) {
	*count = c->units.len / sizeof(struct verdict_unit);
	struct verdict_unit **sorted = arena_take(c->v->arena, sizeof *sorted, *count + 1);
	for (size_t k = 0; k < *count; k++)
		sorted[k] = (struct verdict_unit *)(void *)c->units.at + k;
	qsort(sorted, *count, sizeof *sorted, verdict_by_unit);
	return sorted;
}

/* Every name that tests and their helpers use: under the module's chain, and (macros called) under 0. */
static struct hashes census_names(struct census *c) {
	struct buf out = { .arena = c->v->arena };
	const struct verdict_unit *units = (const struct verdict_unit *)(void *)c->units.at;
	for (size_t n = 0; n < c->units.len / sizeof *units; n++)
		for (size_t k = units[n].from; k < units[n].to && units[n].kind != 'd'; k++) {
			struct str name = rust_name(units[n].file, k);
			uint64_t h[2] = { verdict_mix(c->v->key, units[n].chain, name), verdict_mix(c->v->key, 0, name) };
			if (name.len > 0)
				buf_add(&out, (struct str){ (const char *)h, rust_is(units[n].file, k + 1, "!") ? sizeof h : sizeof *h });
		}
	return hashes_sort(&out);
}

static const char *verdict_path_of(struct verdict *v, const struct verdict_unit *u) {
	return arena_format(v->arena, "%s %.*s%s%.*s", u->kind == 'd' ? "the doc test" : u->kind == 't' ? "the test" : "what tests lean on,",
	    STRF(u->path), u->path.len > 0 ? "::" : "", STRF(u->name));
}

/* A unit of the baseline that is no longer there: says what became of it. */
static void verdict_missing(struct verdict *v, const struct verdict_unit *u, struct verdict_unit *const *after, size_t count, struct verdict_fault *fault) {
	const struct verdict_unit *hit = NULL;
	for (size_t k = 0; k < count && fault->count == 0; k++)
		if (after[k]->kind == u->kind && str_eq(after[k]->name, u->name) && (hit == NULL || after[k]->chain == u->chain))
			hit = after[k];
	const char *what = hit == NULL ? "was removed, or is no longer reached" : hit->chain == u->chain ? "was changed" :
	    "was moved, or an attribute or module around it was changed";
	const struct verdict_unit *at = hit == NULL ? u : hit;
	verdict_wrong(fault, "%.*s:%u: %s %s", STRF(at->file->path), at->line, verdict_path_of(v, u), what);
}

/* A unit that the baseline does not have: it may add tests, but not come between the old ones and what they mean. */
static void verdict_extra(struct verdict *v, const struct verdict_unit *u, struct census *before, const struct hashes *names,
    struct census *after, struct verdict_fault *fault) {
	const struct verdict_unit *old = (const struct verdict_unit *)(void *)before->units.at, *new = (const struct verdict_unit *)(void *)after->units.at;
	bool same_module = false, same_call = false, own_type = false;
	for (size_t k = 0; k < before->units.len / sizeof *old; k++)
		if (old[k].chain == u->chain && old[k].kind != 'd') {
			same_module = true;
			same_call |= old[k].kind == '!' && str_eq(old[k].name, u->name);
		}
	const char *why = NULL;
	size_t impl = u->to;
	for (size_t k = u->from; k < u->to && u->kind != 'd' && impl == u->to; k++)
		if (rust_is(u->file, k, "impl") && (k == u->from || verdict_word(" ; } { ] unsafe ", rust_text(u->file, k - 1))))
			impl = k;
	if (impl < u->to) { /* an impl acts everywhere: only for types that came with it */
		struct str type = rust_name(u->file, impl + 1);
		for (size_t k = impl; k < u->to && !rust_is(u->file, k, "{"); k++)
			if (rust_is(u->file, k, "for"))
				type = rust_name(u->file, k + 1);
		for (size_t k = 0; k < after->units.len / sizeof *new; k++)
			own_type |= !new[k].found && new[k].kind == 'o' && new[k].chain == u->chain && str_eq(new[k].name, type);
		for (size_t k = u->from; k + 1 < u->to; k++)
			own_type |= verdict_word(" struct enum ", rust_text(u->file, k)) && str_eq(rust_name(u->file, k + 1), type);
		why = own_type ? NULL : "is new test code with an impl for a type of the crate";
	}
	if (u->loose)
		why = "is new code that differs under cfg(test)";
	else if (same_module && u->kind == 'u' && str_eq(u->name, STR("*")))
		why = "is a new glob import among the tests";
	else if (same_module && u->kind == '!' && !same_call)
		why = "is a new macro call among the tests";
	else if (same_module && strchr("utMfo", u->kind) != NULL && hashes_hold(names, verdict_mix(v->key, u->chain, u->name)))
		why = "takes a name that the tests use";
	if (why != NULL)
		verdict_wrong(fault, "%.*s:%u: %.*s %s", STRF(u->file->path), u->line, STRF(u->name), why);
}

/* Whether a file that tests name by a string, or that lies beside them, is data of theirs. */
static void verdict_data(struct verdict *v, struct census *c, struct verdict_tree *after, struct verdict_fault *fault) {
	struct verdict_tree *before = c->tree;
	const struct verdict_unit *units = (const struct verdict_unit *)(void *)c->units.at;
	bool *data = arena_take(v->arena, sizeof *data, before->count + 1);
	for (size_t n = 0; n < c->units.len / sizeof *units; n++) {
		const struct verdict_unit *u = &units[n];
		struct str bases[3] = { verdict_dirname(u->file->path), u->target->package, { "", 0 } };
		for (size_t k = u->from; k < u->to && u->kind != 'd'; k++) {
			struct str text = rust_string(u->file, k);
			for (size_t b = 0; b < 3 && text.len > 0 && text.len < 512 && memchr(text.at, '\n', text.len) == NULL; b++) {
				struct str path = verdict_join(v->arena, bases[b], text);
				struct verdict_file *hit = path.len == 0 ? NULL : verdict_find(before, path);
				if (hit != NULL)
					data[hit - before->files] = true;
				size_t low = 0, high = hit != NULL || path.len == 0 ? 0 : before->count;
				while (low < high) { /* a directory: all below it */
					size_t mid = low + (high - low) / 2;
					if (str_order(before->files[mid].path, path) < 0)
						low = mid + 1;
					else
						high = mid;
				}
				for (; path.len > 0 && hit == NULL && low < before->count && str_starts(before->files[low].path, path); low++)
					if (before->files[low].path.at[path.len] == '/' && !str_ends(before->files[low].path, STR(".rs")))
						data[low] = true;
			}
		}
	}
	for (size_t k = 0; k < before->count; k++) {
		struct verdict_file *f = &before->files[k];
		bool beside = str_ends(f->path, STR(".snap"));
		for (size_t t = 0; t < v->target_count && !beside; t++)
			beside = str_eq(v->targets[t].kind, STR("test")) && str_starts(f->path, verdict_join(v->arena, v->targets[t].package, STR("tests/")));
		if (!f->reached && (beside || data[k]) && !verdict_same(v->arena, before, f, after, verdict_find(after, f->path)))
			verdict_wrong(fault, "%.*s: a file that tests use was %s", STRF(f->path), verdict_find(after, f->path) == NULL ? "removed" : "changed");
	}
}

/* Point 1: tests, and what they lean on. */
static bool verdict_intact(struct verdict *v, struct census *before, struct census *after, const struct hashes *names) {
	struct verdict_fault fault = { 0 };
	size_t nb, na, i = 0, j = 0;
	struct verdict_unit **b = census_sorted(before, &nb), **a = census_sorted(after, &na);
	while (i < nb && j < na) {
		bool same = b[i]->chain == a[j]->chain && b[i]->body == a[j]->body;
		if (same)
			b[i++]->found = a[j++]->found = true;
		else if (a[j]->chain < b[i]->chain || (a[j]->chain == b[i]->chain && a[j]->body < b[i]->body))
			j++;
		else
			i++;
	}
	const struct verdict_unit *units = (const struct verdict_unit *)(void *)before->units.at, *more = (const struct verdict_unit *)(void *)after->units.at;
	if (before->budget == 0 || after->budget == 0)
		verdict_wrong(&fault, "the modules are too deep, too large, or include one another");
	for (size_t k = 0; k < nb; k++)
		if (!units[k].found)
			verdict_missing(v, &units[k], a, na, &fault);
	for (size_t k = 0; k < na && fault.count < 100; k++)
		if (!more[k].found && more[k].kind != 'd')
			verdict_extra(v, &more[k], before, names, after, &fault);
	verdict_data(v, before, after->tree, &fault);
	size_t tests = 0;
	for (size_t k = 0; k < nb; k++)
		tests += units[k].kind == 't' || units[k].kind == 'd';
	return verdict_report(v, "tests intact", &fault, arena_format(v->arena, "%zu tests token by token, and what they lean on", tests));
}

/* Whether the file at path governs how the crate is built. */
static bool verdict_builds(const struct verdict_tree *tree, const struct verdict_file *f, struct str *vendored) {
	static const char names[] = " Cargo.toml build.rs rust-toolchain rust-toolchain.toml .cargo-checksum.json ";
	(void)tree;
	if (verdict_word(names, verdict_basename(f->path)) || f->built || str_starts(f->path, STR(".cargo/")) || str_find(f->path, STR("/.cargo/")) >= 0)
		return true;
	return vendored->len > 0 && str_starts(f->path, *vendored) && f->path.at[vendored->len] == '/';
}

static size_t verdict_first_difference(struct str a, struct str b) {
	size_t line = 1;
	for (size_t k = 0; k < a.len && k < b.len && a.at[k] == b.at[k]; k++)
		line += a.at[k] == '\n';
	return line;
}

/* Point 2a: files that govern the build. */
static bool verdict_build(struct verdict *v, struct verdict_tree *before, struct verdict_tree *after) {
	struct verdict_fault fault = { 0 };
	struct buf allowed = { .arena = v->arena };
	struct verdict_tree *trees[2] = { before, after };
	for (int side = 0; side < 2; side++) {
		struct str vendored = { "", 0 };
		for (size_t k = 0; k < trees[side]->count; k++) {
			struct verdict_file *f = &trees[side]->files[k], *other = verdict_find(trees[1 - side], f->path);
			if (str_eq(verdict_basename(f->path), STR(".cargo-checksum.json")))
				vendored = verdict_dirname(f->path);
			if (!verdict_builds(trees[side], f, &vendored) || (side == 1 && other != NULL) || verdict_same(v->arena, trees[side], f, trees[1 - side], other))
				continue;
			size_t line = other == NULL ? 1 : verdict_first_difference(verdict_load(v->arena, before, f), verdict_load(v->arena, after, other));
			const char *what = side == 1 ? "is new" : other == NULL ? "was removed" : "was changed";
			if (v->allow_manifest && str_eq(verdict_basename(f->path), STR("Cargo.toml")))
				buf_format(&allowed, "%s%.*s:%zu %s: allowed", allowed.len > 0 ? "; " : "", STRF(f->path), line, what);
			else
				verdict_wrong(&fault, "%.*s:%zu: %s, and it governs how the crate is built", STRF(f->path), line, what);
		}
	}
	return verdict_report(v, "build files intact", &fault, allowed.len > 0 ? buf_z(&allowed) : "");
}

struct verdict_trick {
	uint64_t hash;
	struct verdict_file *file;
	uint32_t line;
	const char *what, *why;
};

static const struct { const char *words, *why; } verdict_idents[] = {
	{ " link_section no_mangle export_name global_asm naked_asm global_allocator panic_handler lang_items ",
	    "puts code or symbols where the linker, libc or the test runner finds them" },
	{ " no_main test_runner custom_test_frameworks reexport_test_harness_main rustc_main rustc_test_marker ", "replaces the test runner" },
	{ " _exit _Exit quick_exit atexit __cxa_atexit __libc_start_main dlsym execve execvp fork vfork dup2 ", "acts on the test runner's process" },
	{ " current_exe ", "lets code find out that it is tested" } };
static const char verdict_attributes[] = " link used start main ctor dtor linkage naked plugin no_link ";
static const char verdict_asserts[] = " assert assert_eq assert_ne assert_matches debug_assert debug_assert_eq debug_assert_ne unreachable todo unimplemented ";
static const char verdict_prelude[] = " std core alloc test Option Some None Ok Err Vec String Box bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128"
    " isize f32 f64 Clone Copy PartialEq PartialOrd Eq Ord Iterator IntoIterator Default ToString From Into Drop Fn FnMut FnOnce ";

/* Whether the cfg at k makes code differ under test, and is not just what opens a module of tests, or a test. */
static bool verdict_cfg(const struct verdict_file *f, size_t k) {
	size_t open = k + 1 + rust_is(f, k + 1, "!"), close;
	bool differs = false, negated = false;
	if (!rust_is(f, open, "(") || f->tokens[open].match <= open)
		return false;
	close = f->tokens[open].match;
	for (size_t n = open; n < close; n++) {
		differs |= verdict_word(" test debug_assertions doctest miri overflow_checks ", rust_name(f, n));
		negated |= rust_is(f, n, "not");
	}
	if (!differs || negated || !rust_is(f, k, "cfg") || open != k + 1 || k < 2 || !rust_is(f, k - 1, "["))
		return differs;
	for (size_t n = close + 2; n < f->count; n++) { /* behind the attribute */
		struct str path;
		if (rust_is(f, n, "#") && rust_is(f, n + 1, "[") && f->tokens[n + 1].match > n) {
			if ((rust_attribute(f, n + 1, &path) & ATTR_TEST) != 0)
				return false;
			n = f->tokens[n + 1].match;
		} else if (rust_is(f, n, "pub") && rust_is(f, n + 1, "("))
			n = f->tokens[n + 1].match;
		else if (!rust_is(f, n, "pub") && f->tokens[n].kind != RUST_DOC)
			return !rust_is(f, n, "mod");
	}
	return true;
}

static const char *verdict_ident_trick(struct verdict *v, const struct verdict_file *f, size_t k, bool attribute, bool import, const struct hashes *names) {
	struct str name = rust_name(f, k);
	for (size_t n = 0; n < sizeof verdict_idents / sizeof *verdict_idents; n++)
		if (verdict_word(verdict_idents[n].words, name))
			return verdict_idents[n].why;
	if (attribute && verdict_word(verdict_attributes, name) && (rust_is(f, k - 1, "[") || rust_is(f, k - 1, "(") || rust_is(f, k - 1, "::") || rust_is(f, k - 1, ",")))
		return "puts code where the linker or libc finds it";
	bool defined = k >= 2 && rust_is(f, k - 1, "!") && rust_is(f, k - 2, "macro_rules");
	defined |= k >= 1 && rust_is(f, k - 1, "macro");
	bool renamed = import && k >= 1 && rust_is(f, k - 1, "as");
	if (verdict_word(verdict_asserts, name) && !rust_is(f, k + 1, "!"))
		return "takes the name of an assertion";
	if ((defined || renamed) && (str_eq(name, STR("panic")) || hashes_hold(names, verdict_mix(v->key, 0, name))))
		return "takes the name of a macro that tests call";
	if (verdict_word(verdict_prelude, name) && (renamed || (k >= 1 && verdict_word(" struct enum union type trait mod ", rust_text(f, k - 1))) ||
	    (import && str_eq(name, STR("test")))))
		return "takes a name that every module knows";
	if (str_eq(name, STR("name")) && k > 4 && rust_is(f, k - 1, ".") && rust_is(f, k - 4, "current"))
		return "lets code find out which test runs";
	if (verdict_word(" cfg cfg_attr cfg_select ", name) && verdict_cfg(f, k))
		return "is code that differs under test";
	if (verdict_word(" include include_str include_bytes ", name) && rust_is(f, k + 1, "!") && str_eq(name, STR("include")) &&
	    !str_ends(rust_string(f, k + 3), STR(".rs")) && !(rust_is(f, k + 3, "concat") && rust_is(f, k + 6, "env")))
		return "includes code that cannot be followed";
	if (attribute && str_eq(name, STR("path")) && rust_is(f, k + 1, "=") && !str_ends(rust_string(f, k + 2), STR(".rs")))
		return "includes code that cannot be followed";
	return NULL;
}

/* Collects what could make an assertion or the runner lie. */
static void verdict_tricks_of(struct verdict *v, struct verdict_file *f, const struct hashes *names, struct buf *out) {
	size_t attribute = 0;
	bool import = false;
	for (size_t k = 0; k < f->count; k++) {
		const char *why = NULL;
		size_t open = k + 1 + rust_is(f, k + 1, "!");
		if (f->tokens[k].kind == RUST_PUNCT) {
			if (rust_is(f, k, "#") && rust_is(f, open, "[") && f->tokens[open].match > attribute)
				attribute = f->tokens[open].match;
			import &= !rust_is(f, k, ";");
		} else if (f->tokens[k].kind == RUST_IDENT) {
			import |= rust_is(f, k, "use") || rust_is(f, k, "crate");
			why = verdict_ident_trick(v, f, k, k < attribute, import, names);
		} else if (f->tokens[k].kind == RUST_STRING && str_find(rust_text(f, k), STR("/proc/self")) >= 0)
			why = "lets code look at its own process";
		if (why == NULL)
			continue;
		struct verdict_trick trick = { rust_hash(v, f, k, k + 6 < f->count ? k + 6 : f->count, 't'), f, f->tokens[k].line,
			arena_z(v->arena, rust_text(f, k)), why };
		buf_add(out, (struct str){ (const char *)&trick, sizeof trick });
	}
}

/* Point 2b: what is newly introduced in the sources to make an assertion, or the runner, lie. */
static bool verdict_tricks(struct verdict *v, struct verdict_tree *before, struct verdict_tree *after, const struct hashes *names) {
	struct verdict_fault fault = { 0 };
	struct buf found[2] = { { .arena = v->arena }, { .arena = v->arena } }, old = { .arena = v->arena };
	struct verdict_tree *trees[2] = { before, after };
	for (int side = 0; side < 2; side++)
		for (size_t k = 0; k < trees[side]->count; k++) {
			struct verdict_file *f = &trees[side]->files[k], *other = verdict_find(trees[1 - side], f->path);
			if (f->link.at != NULL || !(str_ends(f->path, STR(".rs")) || f->reached) ||
			    (other != NULL && other->reached == f->reached && verdict_same(v->arena, trees[side], f, trees[1 - side], other)))
				continue;
			verdict_load(v->arena, trees[side], f);
			if (!f->lexed)
				f->tokens = rust_lex(v->arena, f->bytes, &f->count);
			f->lexed = true;
			verdict_tricks_of(v, f, names, &found[side]);
		}
	const struct verdict_trick *b = (const struct verdict_trick *)(void *)found[0].at, *a = (const struct verdict_trick *)(void *)found[1].at;
	for (size_t k = 0; k < found[0].len / sizeof *b; k++)
		buf_add(&old, (struct str){ (const char *)&b[k].hash, sizeof b[k].hash });
	struct hashes set = hashes_sort(&old);
	for (size_t k = 0; k < found[1].len / sizeof *a; k++)
		if (!hashes_hold(&set, a[k].hash))
			verdict_wrong(&fault, "%.*s:%u: `%.60s` is new and %s", STRF(a[k].file->path), a[k].line, a[k].what, a[k].why);
	return verdict_report(v, "no tricks in the sources", &fault, "");
}

/* ---- 7. cargo and its report --------------------------------------------------------------------------------- */

struct verdict_place {   /* a copy that cargo works in */
	const char *dir, *target;
	bool locked;
};

struct verdict_result {
	bool whole, broken, timeout, cut, absent; /* whole: the runner's closing line is there */
	int status;
	long passed, failed, ignored;
	struct str *failures; /* names of failed tests */
	size_t failure_count;
	struct str out, err;
};

/* Runs `cargo WORD ...` in place; words and more end in NULL. */
static int verdict_cargo(struct verdict *v, const struct verdict_place *place, const char *const *words, const char *const *more, struct verdict_output *out, struct error *error) {
	const char *argv[24] = { "cargo" };
	size_t n = 1;
	for (size_t k = 0; words[k] != NULL; k++)
		argv[n++] = words[k];
	if (place->locked)
		argv[n++] = "--locked";
	for (size_t k = 0; more != NULL && more[k] != NULL; k++)
		argv[n++] = more[k];
	struct verdict_job job = { .dir = place->dir, .target = place->target, .argv = (char *const *)(uintptr_t)argv, .timeout = v->timeout,
		.memory = VERDICT_MEMORY, .limit = VERDICT_OUTPUT_MAX };
	*out = (struct verdict_output){ 0 };
	return v->run(v->context, &job, out, error);
}

/* cargo's first line of error, for messages. */
static struct str verdict_words(struct str err) {
	struct str line, first = STR("cargo said nothing");
	while (str_line(&err, &line))
		if (str_starts(line, STR("error")))
			return line;
		else if (line.len > 0)
			first = line;
	return first;
}

/* The targets of the workspace in place, sorted by package and kind. 1; 0: cargo cannot read it (*words says why); -1. */
static int verdict_metadata(struct verdict *v, const struct verdict_place *place, struct verdict_target **targets, size_t *count, struct str *words, struct error *error) {
	static const char *const args[] = { "metadata", "--offline", "--no-deps", "--format-version", "1", NULL };
	struct verdict_output out;
	struct buf list = { .arena = v->arena };
	if (verdict_cargo(v, place, args, NULL, &out, error) != 0)
		return -1;
	*words = verdict_words(out.err);
	struct json *json = out.status != 0 ? NULL : json_read(v->arena, out.out, error);
	struct str root = json_text(v->arena, json_get(json, "workspace_root"));
	const struct json *packages = json_get(json, "packages");
	if (packages == NULL)
		return 0;
	for (const struct json *p = packages->child; p != NULL; p = p->next) {
		struct str manifest = json_text(v->arena, json_get(p, "manifest_path"));
		if (!str_starts(manifest, root) || manifest.len <= root.len)
			return *words = STR("a member of the workspace lies outside"), 0;
		struct str package = verdict_dirname(str_skip(manifest, root.len + 1));
		const struct json *deps = json_get(p, "dependencies");
		for (const struct json *d = deps == NULL ? NULL : deps->child; d != NULL; d = d->next) {
			struct str path = json_text(v->arena, json_get(d, "path"));
			if (path.len > 0 && !(str_starts(path, root) && (path.len == root.len || path.at[root.len] == '/'))) {
				*words = str_of(arena_format(v->arena, "the path dependency %.*s lies outside", STRF(json_text(v->arena, json_get(d, "name")))));
				return 0;
			}
		}
		const struct json *all = json_get(p, "targets");
		for (const struct json *t = all == NULL ? NULL : all->child; t != NULL; t = t->next) {
			const struct json *kinds = json_get(t, "kind"), *test = json_get(t, "test"), *doctest = json_get(t, "doctest");
			struct str kind = kinds == NULL ? STR("") : json_text(v->arena, kinds->child), src = json_text(v->arena, json_get(t, "src_path"));
			struct verdict_target target = { .package = package, .kind = kind, .name = json_text(v->arena, json_get(t, "name")),
				.root = str_starts(src, root) && src.len > root.len ? str_skip(src, root.len + 1) : src, .build = str_eq(kind, STR("custom-build")),
				.modern = !str_eq(json_text(v->arena, json_get(t, "edition")), STR("2015")) };
			if (verdict_word(" lib rlib dylib cdylib staticlib proc-macro ", kind))
				target.kind = STR("lib");
			if (target.build || (test != NULL && test->kind == JSON_TRUE))
				buf_add(&list, (struct str){ (const char *)&target, sizeof target });
			target.kind = STR("doc");
			if (doctest != NULL && doctest->kind == JSON_TRUE)
				buf_add(&list, (struct str){ (const char *)&target, sizeof target });
		}
	}
	*targets = (struct verdict_target *)(void *)list.at;
	*count = list.len / sizeof **targets;
	return 1;
}

/* `cargo test` for one target, with the runner's arguments. */
static int verdict_test(struct verdict *v, const struct verdict_place *place, const struct verdict_target *t, bool build_only, const char *const *args, struct verdict_output *out, struct error *error) {
	struct arena *a = v->arena;
	const char *words[] = { "test", "--offline", "--manifest-path", arena_format(a, "%.*s%sCargo.toml", (int)t->package.len, t->package.at,
	    t->package.len > 0 ? "/" : ""), arena_format(a, "--%.*s", STRF(t->kind)), NULL, NULL };
	const char *more[6] = { build_only ? "--no-run" : "--", NULL };
	if (!verdict_word(" lib doc ", t->kind))
		words[5] = arena_z(a, t->name);
	for (size_t k = 0; args != NULL && args[k] != NULL; k++)
		more[k + 1] = args[k];
	return verdict_cargo(v, place, words, more, out, error);
}

/* Reads `test result: ok. 3 passed; 0 failed; 1 ignored; ...`. */
static bool verdict_summary(struct str line, struct verdict_result *r) {
	char text[160], word[8];
	int end = 0;
	long passed, failed, ignored;
	if (line.len >= sizeof text || !str_starts(line, STR("test result: ")))
		return false;
	snprintf(text, sizeof text, "%.*s", STRF(line));
	if (sscanf(text, "test result: %7[okFAILED]. %ld passed; %ld failed; %ld ignored; %n", word, &passed, &failed, &ignored, &end) != 4 || end == 0)
		return false;
	if (passed < 0 || failed < 0 || ignored < 0 || (strcmp(word, "ok") == 0) != (failed == 0))
		return false;
	r->passed = passed, r->failed = failed, r->ignored = ignored;
	return true;
}

/* What a runner said: its last closing line (doc tests: all of them), and the list of failures before it. What tests print
 * stands before these, so it is not taken for them; what a whole forged report says, the added tests find out (8). */
static void verdict_read_report(struct verdict *v, bool doc, struct verdict_result *r) {
	struct str rest = r->out, line;
	struct verdict_result one = { 0 };
	struct buf names = { .arena = v->arena };
	const char *list = NULL;
	while (str_line(&rest, &line)) {
		if (str_eq(line, STR("failures:")))
			list = rest.at;
		if (!verdict_summary(line, &one))
			continue;
		r->passed = one.passed + (doc ? r->passed : 0);
		r->failed = one.failed + (doc ? r->failed : 0);
		r->ignored = one.ignored + (doc ? r->ignored : 0);
		r->whole = true;
		struct str block = { list, list == NULL ? 0 : (size_t)(line.at - list) }, name;
		names = (struct buf){ .arena = v->arena };
		while (one.failed > 0 && str_line(&block, &name))
			if (str_starts(name, STR("    "))) {
				name = str_trim(name);
				buf_add(&names, (struct str){ (const char *)&name, sizeof name });
			}
	}
	r->failures = (struct str *)(void *)names.at;
	r->failure_count = names.len / sizeof *r->failures;
}

/* The sorted names in a listing; of doc tests without their line numbers. False: this is no listing. */
static bool verdict_names(struct verdict *v, struct str text, bool doc, struct str **names, size_t *count) {
	struct buf out = { .arena = v->arena };
	bool closed = false;
	for (struct str line; str_line(&text, &line);) {
		closed |= str_find(line, STR(" tests, ")) >= 0 || str_find(line, STR(" test, ")) >= 0 || str_find(line, STR("0 benchmarks")) >= 0;
		if (!str_ends(line, STR(": test")))
			continue;
		line.len -= 6;
		ptrdiff_t at = doc ? str_find(line, STR(" (line ")) : -1;
		line.len = at >= 0 ? (size_t)at : line.len;
		buf_add(&out, (struct str){ (const char *)&line, sizeof line });
	}
	*names = (struct str *)(void *)out.at;
	*count = out.len / sizeof **names;
	if (*count > 0)
		qsort(*names, *count, sizeof **names, verdict_by_str);
	return closed || *count > 0;
}

/* Lists and runs the tests of one target. 0, with what came out in *r and the names in *t; or -1. */
static int verdict_target_run(struct verdict *v, const struct verdict_place *place, struct verdict_target *t, struct verdict_result *r, struct error *error) {
	static const char *const list[] = { "--list", NULL }, *const ignored[] = { "--list", "--ignored", NULL };
	struct verdict_output out;
	bool doc = str_eq(t->kind, STR("doc"));
	*r = (struct verdict_result){ 0 };
	t->compiled = t->harness = false;
	if (verdict_test(v, place, t, false, list, &out, error) != 0)
		return -1;
	r->err = out.err;
	r->timeout = out.timeout;
	r->absent = str_find(out.err, STR("requires the features")) >= 0;
	r->broken = !r->absent && (out.timeout || (out.status != 0 && str_find(out.err, STR("test failed")) < 0));
	if (r->absent || r->broken)
		return 0;
	t->compiled = true;
	t->harness = verdict_names(v, out.out, doc, &t->names, &t->count) && out.status == 0;
	if (t->harness && t->count == 0) {
		r->whole = true;
		return 0;
	}
	if (verdict_test(v, place, t, false, NULL, &out, error) != 0)
		return -1;
	r->out = out.out;
	r->err = out.err;
	r->status = out.status;
	r->timeout = out.timeout;
	r->cut = out.cut;
	if (!t->harness)
		return 0;
	verdict_read_report(v, doc, r);
	if (r->ignored == 0 && r->whole)
		return 0;
	if (verdict_test(v, place, t, false, ignored, &out, error) != 0)
		return -1;
	verdict_names(v, out.out, doc, &t->ignored, &t->ignored_count);
	return 0;
}

static bool verdict_listed(const struct str *names, size_t count, struct str name) {
	return count > 0 && bsearch(&name, names, count, sizeof *names, verdict_by_str) != NULL;
}

static const char *verdict_target_name(struct verdict *v, const struct verdict_target *t) {
	return arena_format(v->arena, "%.*s%s%.*s %.*s", STRF(t->package), t->package.len > 0 ? ": " : "", STRF(t->kind), STRF(t->name));
}

/* How a run of one target was not all green; NULL when it was. */
static const char *verdict_red(struct verdict *v, const struct verdict_target *t, const struct verdict_result *r) {
	const char *name = verdict_target_name(v, t);
	if (r->absent)
		return NULL;
	if (r->timeout)
		return arena_format(v->arena, "%s: ran past %u s", name, v->timeout);
	if (r->broken)
		return arena_format(v->arena, "%s: does not compile: %.*s", name, STRF(verdict_words(r->err)));
	if (r->cut)
		return arena_format(v->arena, "%s: prints more than 16 MiB", name);
	if (!t->harness)
		return r->status == 0 ? NULL : arena_format(v->arena, "%s: ended with status %d", name, r->status);
	if (r->failure_count > 0)
		return arena_format(v->arena, "%.*s failed%s", STRF(r->failures[0]), r->failure_count == 1 ? "" :
		    arena_format(v->arena, ", and %zu more", r->failure_count - 1));
	if (!r->whole)
		return arena_format(v->arena, "%s: the runner ended early, with status %d", name, r->status);
	if (r->status != 0 || r->failed != 0)
		return arena_format(v->arena, "%s: status %d and %ld failures do not agree", name, r->status, r->failed);
	if (t->count > 0 && (size_t)(r->passed + r->ignored) != t->count)
		return arena_format(v->arena, "%s: %ld passed and %ld ignored are not the %zu tests there are", name, r->passed, r->ignored, t->count);
	if (t->count > 0 && (size_t)r->ignored != t->ignored_count)
		return arena_format(v->arena, "%s: %ld tests were ignored, %zu are marked so", name, r->ignored, t->ignored_count);
	return NULL;
}

/* ---- 8. tests that the host adds ------------------------------------------------------------------------------ */

/* Appends tests with random names to target t's root file in place. Each reads one byte of a file that does not exist yet. */
static int verdict_add(struct verdict *v, const struct verdict_place *place, const struct verdict_target *t, uint64_t seed, struct error *error) {
	struct str bytes = { NULL, 0 };
	struct buf text = { .arena = v->arena };
	char *path = arena_format(v->arena, "%s/%.*s", place->dir, (int)t->root.len, t->root.at);
	if (!verdict_read(v->arena, path, &bytes))
		return error_set(error, 5, "cannot read %s:", path);
	buf_add(&text, bytes);
	for (unsigned k = 0; k < VERDICT_ADDED; k++)
		buf_format(&text, "\n#[%stest]\n#[allow(unused_extern_crates)]\nfn hsa_%016llx_%u() {\n\textern crate std as s;\n\tlet b = s::fs::read(\"hsa-%016llx\")"
		    ".unwrap();\n\ts::option::Option::Some(()).filter(|_| b[%u] == 43).unwrap();\n}\n", t->modern ? "::core::prelude::v1::" : "",
		    (unsigned long long)seed, k, (unsigned long long)seed, k);
	return verdict_write(path, buf_str(&text), error);
}

/* Point 4, second half: the added tests must come out as they were made, which is decided after they were built. */
static int verdict_added(struct verdict *v, struct verdict_place *place, struct verdict_target *targets, size_t count, struct verdict_fault *fault, struct error *error) {
	struct verdict_output out;
	uint64_t *seeds = arena_take(v->arena, sizeof *seeds, count + 1), bits = 0;
	size_t done = 0;
	for (int step = 0; step < 3; step++)
		for (size_t k = 0; k < count; k++) {
			struct verdict_target *t = &targets[k];
			if (!t->harness || t->count == 0 || str_eq(t->kind, STR("doc")))
				continue;
			if (step == 0 && (verdict_random(&seeds[k], sizeof seeds[k], error) != 0 || verdict_add(v, place, t, seeds[k], error) != 0))
				return -1;
			if (step == 1 && verdict_test(v, place, t, true, NULL, &out, error) != 0)
				return -1;
			if (step == 1 && out.status != 0)
				verdict_wrong(fault, "%s: does not compile with tests added: %.*s", verdict_target_name(v, t), STRF(verdict_words(out.err)));
			if (step < 2 || fault->count > 0)
				continue;
			char made[VERDICT_ADDED + 1] = "";
			do {
				if (verdict_random(&bits, sizeof bits, error) != 0)
					return -1;
			} while (__builtin_popcountll(bits & 63) != VERDICT_ADDED / 2);
			for (unsigned n = 0; n < VERDICT_ADDED; n++)
				made[n] = (bits >> n & 1) != 0 ? '+' : '-';
			if (verdict_write(arena_format(v->arena, "%s/%.*s/hsa-%016llx", place->dir, (int)t->package.len, t->package.at, (unsigned long long)seeds[k]),
			    str_of(made), error) != 0 || verdict_test(v, place, t, false, NULL, &out, error) != 0)
				return -1;
			struct verdict_result r = { .out = out.out };
			verdict_read_report(v, false, &r);
			if (!r.whole || out.status == 0 || out.timeout || out.cut || (size_t)(r.passed + r.failed + r.ignored) != t->count + VERDICT_ADDED)
				verdict_wrong(fault, "%s: with %d tests added, half made to fail, the runner's report is not what it must be (status %d)",
				    verdict_target_name(v, t), VERDICT_ADDED, out.status);
			for (unsigned n = 0; n < VERDICT_ADDED && fault->count == 0; n++) {
				char *name = arena_format(v->arena, "hsa_%016llx_%u", (unsigned long long)seeds[k], n);
				size_t hits = 0;
				for (size_t i = 0; i < r.failure_count; i++)
					hits += str_eq(r.failures[i], str_of(name));
				if (hits != (made[n] == '-' ? 1u : 0u))
					verdict_wrong(fault, "%s: a test added by the host was made to %s, and is reported otherwise", verdict_target_name(v, t),
					    made[n] == '-' ? "fail" : "pass");
			}
			done++;
		}
	if (done == 0 && fault->count == 0)
		verdict_wrong(fault, "there is no target that tests could be added to");
	return 0;
}

/* ---- 9. the host's own questions to the fixture ------------------------------------------------------------- */

static const char verdict_driver[] =
	"use std::io::{BufRead, Write};\n"
	"fn main() {\n"
	"    let stdin = std::io::stdin();\n"
	"    let mut out = Vec::new();\n"
	"    for line in stdin.lock().lines() {\n"
	"        let line = line.unwrap();\n"
	"        let mut words = line.split(' ');\n"
	"        let kind = words.next().unwrap();\n"
	"        let size: usize = words.next().unwrap().parse().unwrap();\n"
	"        if kind == \"c\" {\n"
	"            writeln!(out, \"{}\", chunker::chunk_count(words.next().unwrap().parse().unwrap(), size)).unwrap();\n"
	"        } else if kind == \"n\" {\n"
	"            let items: Vec<u64> = words.map(|w| w.parse().unwrap()).collect();\n"
	"            writeln!(out, \"{:?}\", chunker::chunks(&items, size)).unwrap();\n"
	"        } else {\n"
	"            let items: Vec<String> = words.map(String::from).collect();\n"
	"            writeln!(out, \"{:?}\", chunker::chunks(&items, size)).unwrap();\n"
	"        }\n"
	"    }\n"
	"    std::io::stdout().write_all(&out).unwrap();\n"
	"}\n";

static uint64_t verdict_next(uint64_t *seed) { /* splitmix64 */
	uint64_t z = *seed += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static void verdict_ask_count(struct buf *ask, struct buf *want, uint64_t len, uint64_t size) {
	if (len > UINT64_MAX - size)
		return;
	buf_format(ask, "c %llu %llu\n", (unsigned long long)size, (unsigned long long)len);
	buf_format(want, "%llu\n", (unsigned long long)(size == 0 ? 0 : len / size + (len % size != 0)));
}

static void verdict_ask_chunks(struct buf *ask, struct buf *want, uint64_t len, uint64_t size, uint64_t *seed) {
	bool text = (verdict_next(seed) & 1) != 0 && len > 0;
	buf_format(ask, "%s %llu", text ? "s" : "n", (unsigned long long)size);
	buf_add(want, STR("["));
	for (uint64_t k = 0; k < len; k++) {
		unsigned long long item = verdict_next(seed) >> (verdict_next(seed) & 63);
		buf_format(ask, text ? " %llx" : " %llu", item);
		buf_format(want, text ? "%s%s\"%llx\"" : "%s%s%llu", k == 0 ? "" : k % size == 0 ? "], " : ", ", k % size == 0 ? "[" : "", item);
	}
	buf_add(ask, STR("\n"));
	buf_add(want, len > 0 ? STR("]]\n") : STR("]\n"));
}

static void verdict_questions(struct buf *ask, struct buf *want, uint64_t seed) {
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 16, 17, 31, 32, 64, 97, 100, 101, 127, 255, 256, 257, 1000, 1009, 65535, 65536 };
	const size_t n = sizeof edges / sizeof *edges;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			verdict_ask_count(ask, want, edges[i], edges[j]);
	for (int i = 16; i < 64; i++)
		for (uint64_t d = 0; d < 3; d++) {
			uint64_t power = ((uint64_t)1 << i) - 1 + d;
			for (size_t j = 0; j < 12; j++) {
				verdict_ask_count(ask, want, power, edges[j]);
				verdict_ask_count(ask, want, edges[j], power);
			}
			verdict_ask_count(ask, want, power, (uint64_t)1 << (verdict_next(&seed) % 63));
			verdict_ask_count(ask, want, power, verdict_next(&seed) >> (1 + verdict_next(&seed) % 63));
		}
	for (int i = 0; i < 1500; i++) {
		uint64_t len = verdict_next(&seed) >> (verdict_next(&seed) & 63);
		verdict_ask_count(ask, want, len, verdict_next(&seed) >> (verdict_next(&seed) & 63));
	}
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t size = 1 + (i < 20 ? i : verdict_next(&seed) % 70);
		verdict_ask_chunks(ask, want, i % 4 == 0 ? size * (verdict_next(&seed) % 5) : verdict_next(&seed) % 200, size, &seed);
	}
}

/* Point 5. dir is a fresh copy of the crate, in a directory of its own. */
static int verdict_ask(struct verdict *v, const char *around, const char *crate, struct verdict_fault *fault, struct error *error) {
	static const char *const build[] = { "build", "--offline", "--manifest-path", "driver/Cargo.toml", NULL };
	struct arena *a = v->arena;
	struct verdict_place place = { around, verdict_place(v, "target", true), false };
	struct verdict_output out;
	struct buf ask = { .arena = a }, want = { .arena = a };
	uint64_t seed;
	char *driver = arena_format(a, "%s/driver", around), *manifest = arena_format(a, "[package]\nname = \"driver\"\nversion = \"0.0.0\"\n"
	    "edition = \"2021\"\n[dependencies]\nchunker = { path = \"../%s\" }\n[workspace]\n", crate);
	if (place.target == NULL || mkdir(driver, 0700) != 0 || mkdir(arena_format(a, "%s/src", driver), 0700) != 0)
		return error_set(error, 5, "cannot make %s:", driver);
	if (verdict_write(arena_format(a, "%s/Cargo.toml", driver), str_of(manifest), error) != 0 || verdict_random(&seed, sizeof seed, error) != 0 ||
	    verdict_write(arena_format(a, "%s/src/main.rs", driver), str_of(verdict_driver), error) != 0 || verdict_cargo(v, &place, build, NULL, &out, error) != 0)
		return -1;
	if (out.status != 0) {
		verdict_wrong(fault, "the driver does not build against the library: %.*s", STRF(verdict_words(out.err)));
		return 0;
	}
	verdict_questions(&ask, &want, seed);
	const char *argv[] = { arena_format(a, "%s/debug/driver", place.target), NULL };
	struct verdict_job job = { around, place.target, (char *const *)(uintptr_t)argv, buf_str(&ask), 20, (uint64_t)1 << 30, want.len + 4096 };
	out = (struct verdict_output){ 0 };
	if (v->run(v->context, &job, &out, error) != 0)
		return -1;
	struct str left = buf_str(&want), asked = buf_str(&ask), given = out.out, w, q, g;
	if (out.timeout)
		verdict_wrong(fault, "no answers within 20 s");
	else if (out.status != 0)
		verdict_wrong(fault, "the driver ended with status %d instead of answering", out.status);
	while (fault->count == 0 && str_line(&left, &w) && str_line(&asked, &q)) {
		bool answered = str_line(&given, &g);
		if (!answered || !str_eq(g, w))
			verdict_wrong(fault, "%s(%s%.40s%s: %.60s is right, the answer is %.60s", q.at[0] == 'c' ? "chunk_count" : "chunks", q.at[0] == 'c' ? "size len: " : "size items: ",
			    arena_z(a, str_skip(q, 2)), q.len > 42 ? "...)" : ")", arena_z(a, w), answered ? arena_z(a, g) : "missing");
	}
	if (fault->count == 0 && (given.len > 0 || out.cut))
		verdict_wrong(fault, "there are more answers than questions");
	return 0;
}

/* ---- 10. the baseline and the judge --------------------------------------------------------------------------- */

/* A copy of tree in scratch with a target directory; Cargo.lock is the baseline's (or none). */
static int verdict_place_make(struct verdict *v, const char *from, struct verdict_place *place, struct error *error) {
	struct verdict_tree tree;
	*place = (struct verdict_place){ verdict_place(v, "crate", false), verdict_place(v, "target", true), v->locked };
	if (place->target == NULL)
		return error_set(error, 5, "cannot make a directory in %s:", v->scratch);
	return verdict_walk(v, from, place->dir, NULL, &tree, error);
}

static bool verdict_offline(struct str err) {
	static const char *const signs[] = { "no matching package named", "failed to download", "--offline", "failed to get `", "unable to update",
		"failed to load source", "failed to fetch", "can't checkout from" };
	for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
		if (str_find(err, str_of(signs[k])) >= 0)
			return true;
	return false;
}

/* A failed test of the baseline that the boundary refuses something: its name, or NULL. */
static const char *verdict_refused(struct verdict *v, const struct verdict_result *r) {
	static const char *const signs[] = { "Os { code: 13,", "Os { code: 1,", "(os error 13)", "(os error 1)" };
	for (size_t k = 0; k < r->failure_count; k++) {
		char *head = arena_format(v->arena, "---- %.*s stdout ----\n", STRF(r->failures[k]));
		ptrdiff_t at = str_find(r->out, str_of(head));
		struct str block = at < 0 ? STR("") : str_skip(r->out, (size_t)at + strlen(head));
		ptrdiff_t end = str_find(block, STR("\n---- "));
		block.len = end < 0 ? block.len : (size_t)end;
		for (size_t n = 0; n < 4; n++)
			if (str_find(block, str_of(signs[n])) >= 0)
				return arena_z(v->arena, r->failures[k]);
	}
	return NULL;
}

static int verdict_baseline(struct verdict *v, const char *before, enum verdict_state *state, struct error *error) {
	struct verdict_place place;
	struct verdict_result r;
	struct census census;
	struct str words, lock = { NULL, 0 };
	size_t tests = 0;
	*state = VERDICT_GREEN;
	if (verdict_walk(v, before, NULL, NULL, &v->before, error) != 0 || verdict_place_make(v, before, &place, error) != 0)
		return -1;
	place.locked = verdict_find(&v->before, STR("Cargo.lock")) != NULL;
	int got = verdict_metadata(v, &place, &v->targets, &v->target_count, &words, error);
	if (got < 0)
		return -1;
	if (got == 0)
		return error_set(error, 2, "this crate cannot be judged: %.*s", STRF(words));
	for (size_t k = 0; k < v->target_count; k++) {
		struct verdict_target *t = &v->targets[k];
		if (t->build)
			continue;
		if (verdict_target_run(v, &place, t, &r, error) != 0)
			return -1;
		if (r.broken && place.locked && str_find(r.err, STR("--locked")) >= 0) { /* a lock that is out of date */
			place.locked = false;
			if (verdict_target_run(v, &place, t, &r, error) != 0)
				return -1;
		}
		if (r.broken && verdict_offline(r.err))
			return error_set(error, 2, "the dependencies cannot be had offline (run `cargo fetch` or `cargo vendor` in the crate first): %.*s", STRF(verdict_words(r.err)));
		const char *refused = verdict_refused(v, &r);
		if (refused != NULL)
			return error_set(error, 2, "the test %s needs what the boundary refuses (sockets, files outside): it cannot be judged here", refused);
		tests += t->count + (!t->harness && t->compiled);
		if (r.broken)
			*state = VERDICT_BROKEN;
		else if (verdict_red(v, t, &r) != NULL && *state == VERDICT_GREEN)
			*state = VERDICT_RED;
	}
	v->locked = place.locked;
	verdict_read(v->arena, arena_format(v->arena, "%s/Cargo.lock", place.dir), &lock);
	v->lock = lock;
	verdict_census(v, &v->before, v->targets, v->target_count, &census);
	for (size_t k = 0; k < census.units.len / sizeof(struct verdict_unit); k++)
		tests += ((struct verdict_unit *)(void *)census.units.at)[k].kind == 't';
	return tests > 0 ? 0 : error_set(error, 2, "the crate has no tests: there is nothing to judge it by");
}

/* What acts later, outside: reported, not judged. */
static void verdict_notes(struct verdict *v, struct verdict_tree *after, const struct buf *watch) {
	static const char names[] = " .gitattributes .gitmodules .gitconfig .editorconfig .envrc .env .vimrc .exrc .nvimrc .nvim.lua .bashrc .bash_profile .profile .zshrc .zshenv .dir-locals.el"
	    " .pre-commit-config.yaml .tool-versions .mise.toml ";
	static const char dirs[] = " .vscode .idea .helix .zed .devcontainer .fleet .githooks .husky ";
	struct str rest = buf_str(watch), line, old;
	while (str_line(&rest, &line)) {
		bool known = false;
		for (struct str had = buf_str(&v->watch); !known && str_line(&had, &old);)
			known = str_eq(line, old);
		if (!known)
			v->note(v->context, arena_format(v->arena, "%.*s is new or was changed: look at it before you use git here or change the file", (int)(line.len < 17 ? 0 : line.len - 17), line.at));
	}
	for (size_t k = 0; k < after->count; k++) {
		struct verdict_file *f = &after->files[k];
		bool sharp = verdict_word(names, verdict_basename(f->path));
		for (struct str at = verdict_dirname(f->path); at.len > 0 && !sharp; at = verdict_dirname(at))
			sharp = verdict_word(dirs, verdict_basename(at));
		if (sharp && !verdict_same(v->arena, after, f, &v->before, verdict_find(&v->before, f->path)))
			v->note(v->context, arena_format(v->arena, "%.*s is new or was changed: an editor, a shell or git may act on it later", STRF(f->path)));
	}
}

static const struct verdict_target *verdict_twin(const struct verdict_target *t, const struct verdict_target *among, size_t count) {
	for (size_t k = 0; k < count; k++)
		if (str_eq(t->package, among[k].package) && str_eq(t->kind, among[k].kind) && str_eq(t->name, among[k].name) && str_eq(t->root, among[k].root))
			return &among[k];
	return NULL;
}

/* The tests of the baseline that must be among the new listing, by name (doc tests: as often as before). */
static void verdict_all_there(struct verdict *v, const struct verdict_target *t, const struct verdict_target *now, struct census *c, struct verdict_fault *fault) {
	const struct verdict_unit *units = (const struct verdict_unit *)(void *)c->units.at;
	for (size_t i = 0, j = 0; i < t->count; i++) {
		if (verdict_listed(t->ignored, t->ignored_count, t->names[i]))
			continue;
		while (now != NULL && j < now->count && str_order(now->names[j], t->names[i]) < 0)
			j++;
		if (now == NULL || j == now->count || !str_eq(now->names[j], t->names[i]))
			verdict_wrong(fault, "%.*s is no longer run", STRF(t->names[i]));
		else if (verdict_listed(now->ignored, now->ignored_count, t->names[i]))
			verdict_wrong(fault, "%.*s is ignored now", STRF(t->names[i]));
		else
			j++;
	}
	for (size_t k = 0; k < c->units.len / sizeof *units && !t->compiled; k++) {
		if (units[k].kind != 't' || !units[k].certain || units[k].target != t)
			continue;
		struct str name = str_of(arena_format(v->arena, "%.*s%s%.*s", STRF(units[k].path), units[k].path.len > 0 ? "::" : "", STRF(units[k].name)));
		if (now != NULL && now->harness && !verdict_listed(now->names, now->count, name))
			verdict_wrong(fault, "%.*s is not run", STRF(name));
	}
	if (now == NULL && !t->harness && t->compiled)
		verdict_wrong(fault, "%s is no longer run", verdict_target_name(v, t));
}

/* Point 4, first half: every test, target by target. */
static int verdict_suite(struct verdict *v, struct verdict_place *place, struct verdict_target *targets, size_t count, struct census *before, struct error *error) {
	struct verdict_fault fault = { 0 }, names = { 0 };
	struct verdict_result r;
	size_t ran = 0, ignored = 0;
	for (size_t k = 0; k < count; k++) {
		if (targets[k].build)
			continue;
		if (verdict_target_run(v, place, &targets[k], &r, error) != 0)
			return -1;
		const char *red = verdict_red(v, &targets[k], &r);
		if (red != NULL)
			verdict_wrong(&fault, "%s", red);
		ran += (size_t)r.passed;
		ignored += (size_t)r.ignored;
	}
	for (size_t k = 0; k < v->target_count; k++)
		if (!v->targets[k].build)
			verdict_all_there(v, &v->targets[k], verdict_twin(&v->targets[k], targets, count), before, &names);
	bool good = verdict_report(v, "cargo test passes", &fault, arena_format(v->arena, "%zu passed, %zu ignored as before", ran, ignored));
	return verdict_report(v, "every test of the baseline ran", &names, "") && good;
}

/* Cargo.lock: as it was, or as cargo itself writes it. written: what cargo made of the baseline's in place. */
static bool verdict_lock(struct verdict *v, struct verdict_tree *after, struct str written) {
	struct verdict_fault fault = { 0 };
	struct verdict_file *now = verdict_find(after, STR("Cargo.lock")), *old = verdict_find(&v->before, STR("Cargo.lock"));
	struct str bytes = now == NULL ? STR("") : verdict_load(v->arena, after, now), was = old == NULL ? STR("") : verdict_load(v->arena, &v->before, old);
	if (now != NULL && !str_eq(bytes, was) && !str_eq(bytes, written) && !str_eq(bytes, v->lock))
		verdict_wrong(&fault, "Cargo.lock:%zu: was changed by hand (cargo would not write it so)", verdict_first_difference(bytes, written.len > 0 ? written : was));
	return verdict_report(v, "Cargo.lock", &fault, "");
}

/* Puts the baseline's Cargo.lock, or none, in place. */
static int verdict_relock(struct verdict *v, struct verdict_place *place, struct error *error) {
	struct verdict_file *old = verdict_find(&v->before, STR("Cargo.lock"));
	char *path = arena_format(v->arena, "%s/Cargo.lock", place->dir);
	unlink(path);
	place->locked = v->locked && !v->allow_manifest;
	return old == NULL ? 0 : verdict_write(path, verdict_load(v->arena, &v->before, old), error);
}

static int verdict_judge(struct verdict *v, const char *dir, struct error *error) {
	struct verdict_tree after;
	struct verdict_place place, second;
	struct verdict_target *targets = NULL;
	struct census b, a;
	struct buf watch = { .arena = v->arena };
	struct str words, written = { NULL, 0 };
	struct verdict_fault added = { 0 }, asked = { 0 };
	size_t count = 0;
	char *copy = verdict_place(v, "after", false);
	if (verdict_walk(v, dir, copy, &watch, &after, error) != 0) {
		if (error->status != 2)
			return -1;
		v->check(v->context, "private copy", false, error->text);
		v->tampered = true;
		return 0;
	}
	v->check(v->context, "private copy", true, arena_format(v->arena, "%zu files", after.count));
	if (verdict_place_make(v, copy, &place, error) != 0 || verdict_relock(v, &place, error) != 0)
		return -1;
	int got = verdict_metadata(v, &place, &targets, &count, &words, error);
	if (got < 0)
		return -1;
	verdict_census(v, &v->before, v->targets, v->target_count, &b);
	verdict_census(v, &after, targets, count, &a);
	struct hashes names = census_names(&b);
	bool intact = verdict_intact(v, &b, &a, &names);
	bool build = verdict_build(v, &v->before, &after), tricks = verdict_tricks(v, &v->before, &after, &names);
	verdict_notes(v, &after, &watch);
	v->tampered = !intact || !build || !tricks;
	if (got == 0) {
		v->check(v->context, "cargo test passes", false, arena_z(v->arena, words));
		return 0;
	}
	int suite = verdict_suite(v, &place, targets, count, &b, error);
	if (suite < 0)
		return -1;
	verdict_read(v->arena, arena_format(v->arena, "%s/Cargo.lock", place.dir), &written);
	bool lock = verdict_lock(v, &after, written);
	v->tampered |= !lock;
	if (verdict_place_make(v, copy, &second, error) != 0 || verdict_relock(v, &second, error) != 0 ||
	    verdict_added(v, &second, targets, count, &added, error) != 0)
		return -1;
	bool good = verdict_report(v, "added tests come out as made", &added, "");
	if (v->fixture) {
		char *around = verdict_place(v, "questions", true);
		struct verdict_tree tree;
		if (around == NULL || verdict_walk(v, copy, arena_format(v->arena, "%s/chunker", around), NULL, &tree, error) != 0 ||
		    verdict_ask(v, around, "chunker", &asked, error) != 0)
			return -1;
		good = verdict_report(v, "the host's own questions", &asked, "") && good;
	}
	return intact && build && tricks && suite == 1 && lock && good;
}

/* ---- 11. the diff --------------------------------------------------------------------------------------------- */

#define DIFF_MAX 1000 /* lines of edit script that are searched for; beyond, the middle is replaced as a whole */

struct diff {
	struct str *lines[2];
	size_t count[2];
	bool *changed[2]; /* by line: it is removed, added */
};

static void diff_lines(struct arena *arena, struct str bytes, struct diff *d, int side) {
	struct buf out = { .arena = arena };
	for (struct str line; str_line(&bytes, &line);)
		buf_add(&out, (struct str){ (const char *)&line, sizeof line });
	d->lines[side] = (struct str *)(void *)out.at;
	d->count[side] = out.len / sizeof(struct str);
	d->changed[side] = arena_take(arena, 1, d->count[side] + 1);
}

/* Marks what changed in lines [a, ae) and [b, be): Myers' greedy algorithm (1986), its trace kept. */
static void diff_mark(struct arena *arena, struct diff *d, size_t a, size_t ae, size_t b, size_t be) {
	while (a < ae && b < be && str_eq(d->lines[0][a], d->lines[1][b]))
		a++, b++;
	while (a < ae && b < be && str_eq(d->lines[0][ae - 1], d->lines[1][be - 1]))
		ae--, be--;
	long n = (long)(ae - a), m = (long)(be - b), max = n + m < DIFF_MAX ? n + m : DIFF_MAX, step, x = 0, y = 0;
	size_t mark = arena->used, width = 2 * (size_t)max + 3;
	long *trace = arena_take(arena, sizeof *trace, width), *rows = arena_take(arena, sizeof *rows, (size_t)(max + 1) * (size_t)(max + 2));
	long *at = trace + max + 1;
	bool done = n + m == 0;
	for (step = 0; step <= max && !done; step++) {
		for (long k = -step; k <= step && !done; k += 2) {
			x = k == -step || (k != step && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1;
			for (y = x - k; x < n && y < m && str_eq(d->lines[0][a + (size_t)x], d->lines[1][b + (size_t)y]); y++)
				x++;
			at[k] = x;
			done = x >= n && y >= m;
		}
		for (long k = -step; k <= step; k++)
			rows[(size_t)step * (size_t)(step + 1) + (size_t)(k + step)] = at[k]; /* the row of step begins at step * (step + 1) - step... */
	}
	if (!done) {
		memset(d->changed[0] + a, 1, (size_t)n);
		memset(d->changed[1] + b, 1, (size_t)m);
	}
	(void)mark;
	for (x = n, y = m, step--; done && step > 0; step--) {
		const long *row = rows + (size_t)(step - 1) * (size_t)step + (size_t)(step - 1);
		long k = x - y;
		bool down = k == -step || (k != step && row[k - 1] < row[k + 1]);
		long px = row[down ? k + 1 : k - 1], py = px - (down ? k + 1 : k - 1);
		if (down)
			d->changed[1][b + (size_t)py] = true;
		else
			d->changed[0][a + (size_t)px] = true;
		x = px, y = py;
	}
	arena_reset(arena, mark);
}

static void diff_put(struct verdict *v, struct str path, struct str old, struct str new, struct buf *out) {
	struct diff d;
	size_t a = 0, b = 0, context = 3;
	if (memchr(old.at == NULL ? "" : old.at, '\0', old.len) != NULL || memchr(new.at == NULL ? "" : new.at, '\0', new.len) != NULL) {
		buf_format(out, "Binary file %.*s differs\n", STRF(path));
		return;
	}
	diff_lines(v->arena, old, &d, 0);
	diff_lines(v->arena, new, &d, 1);
	diff_mark(v->arena, &d, 0, d.count[0], 0, d.count[1]);
	buf_format(out, "--- a/%.*s\n+++ b/%.*s\n", STRF(path), STRF(path));
	while (a < d.count[0] || b < d.count[1]) {
		if (!d.changed[0][a] && !d.changed[1][b]) {
			a++, b++;
			continue;
		}
		size_t lead = a < context ? a : context, x = a, y = b, still = 0;
		while ((x < d.count[0] || y < d.count[1]) && still <= 2 * context) { /* the hunk ends when enough stays the same */
			bool removed = x < d.count[0] && d.changed[0][x], inserted = y < d.count[1] && d.changed[1][y];
			x += removed || !inserted;
			y += inserted && !removed ? 1 : !removed;
			still = removed || inserted ? 0 : still + 1;
		}
		size_t tail = still > context ? still - context : 0, oldlen = x - tail - (a - lead), newlen = y - tail - (b - lead);
		buf_format(out, "@@ -%zu,%zu +%zu,%zu @@\n", oldlen == 0 ? a - lead : a - lead + 1, oldlen, newlen == 0 ? b - lead : b - lead + 1, newlen);
		for (size_t i = a - lead, j = b - lead; i < x - tail || j < y - tail;) {
			bool removed = i < x - tail && d.changed[0][i], inserted = !removed && j < y - tail && d.changed[1][j];
			struct str line = inserted ? d.lines[1][j] : d.lines[0][i];
			buf_format(out, "%c%.*s\n", removed ? '-' : inserted ? '+' : ' ', (int)(line.len > 4000 ? 4000 : line.len), line.at);
			i += !inserted;
			j += !removed;
		}
		a = x;
		b = y;
	}
}

static void verdict_diff(struct verdict *v, const char *before, const char *after, struct buf *out, size_t limit) {
	struct verdict_tree trees[2];
	struct error error;
	struct buf all = { .arena = v->arena };
	if (verdict_walk(v, before, NULL, NULL, &trees[0], &error) != 0 || verdict_walk(v, after, NULL, NULL, &trees[1], &error) != 0) {
		buf_format(out, "(no diff: %s)\n", error.text);
		return;
	}
	size_t i = 0, j = 0;
	while (i < trees[0].count || j < trees[1].count) {
		struct verdict_file *a = i < trees[0].count ? &trees[0].files[i] : NULL, *b = j < trees[1].count ? &trees[1].files[j] : NULL;
		int order = a == NULL ? 1 : b == NULL ? -1 : str_order(a->path, b->path);
		i += order <= 0;
		j += order >= 0;
		if (order == 0 && verdict_same(v->arena, &trees[0], a, &trees[1], b))
			continue;
		struct str old = order > 0 ? STR("") : a->link.at != NULL ? a->link : verdict_load(v->arena, &trees[0], a);
		struct str new = order < 0 ? STR("") : b->link.at != NULL ? b->link : verdict_load(v->arena, &trees[1], b);
		diff_put(v, order > 0 ? b->path : a->path, old, new, &all);
	}
	size_t keep = all.len < limit ? all.len : limit;
	while (keep < all.len && keep > 0 && all.at[keep - 1] != '\n')
		keep--;
	buf_add(out, (struct str){ all.at, keep });
	if (keep < all.len)
		buf_format(out, "(%zu bytes of the diff left out)\n", all.len - keep);
}

#undef STRF
#undef DIFF_MAX
#endif
