/* report.c - what a person sees and keeps: every event of a run is one JSON line for the log and for --json, and a few lines of
 * words for people. `hsa audit` prints a run again by the same show functions.
 *
 * Nothing foreign (the model, the server, a command, a log) reaches a terminal as it came, and the key is in nothing that is
 * written. What cannot be written ends the run: reporter.fail, which does not return. */
#ifndef HSA_REPORT_C
#define HSA_REPORT_C
#include "json.c"
#include <bearssl.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define KEY_LEAST 8 /* bytes of a key that is masked */

/* ---- 1. words and lines ------------------------------------------------------------------------------------ */

/* Milliseconds of a clock. */
static int64_t report_ms(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Writes all of it. 0, or -1 with errno. */
static int report_write(int fd, struct str s) {
	while (s.len > 0) {
		ssize_t n = write(fd, s.at, s.len);
		if (n < 0 && errno == EAGAIN) poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR) return -1;
		s = str_skip(s, n < 0 ? 0 : (size_t)n);
	}
	return 0;
}

enum style { PLAIN, DIM, BOLD, GREEN, RED, YELLOW };

static struct {
	struct arena *arena;           /* for one event or line at a time */
	struct str key;                /* what is masked wherever it stands; empty: nothing */
	void (*fail)(const struct error *error);

	int fd;                        /* where words go: 1, or 2 under --json */
	bool terminal, colour, utf8;
	volatile sig_atomic_t waiting; /* the line that says what is awaited is on the screen */
	char what[64];
	int64_t since;

	int log;                       /* the log; -1: none */
	const char *log_path;
	br_sha256_context hash;        /* of all that was written to the log */
	bool json, live;               /* live: what streams was shown already as it came */
	bool scripted;                 /* the run is a demo's */
	const char *heading;           /* the last one */
} reporter = { .fd = 1, .log = -1 };

static const char *report_environment(const char *name, const char *otherwise) {
	const char *value = getenv(name);
	return value == NULL || *value == '\0' ? otherwise : value;
}

static void report_open(bool json) {
	const char *locale = report_environment("LC_ALL", report_environment("LC_CTYPE", report_environment("LANG", "C")));
	reporter.fd = json ? 2 : 1;
	reporter.terminal = isatty(reporter.fd) && strcmp(report_environment("TERM", "dumb"), "dumb") != 0;
	reporter.colour = reporter.terminal && *report_environment("NO_COLOR", "") == '\0';
	reporter.utf8 = strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
}

/* One of two forms of a mark: Unicode, or ASCII where the locale is not UTF-8. */
static const char *report_mark(const char *unicode, const char *ascii) {
	return reporter.utf8 ? unicode : ascii;
}

/* Writes "***" over every copy of the key: what a server echoes is not shown. A shorter key is a dummy for a local server, and
 * its letters stand in half the words. */
static struct str report_masked(struct arena *arena, struct str text) {
	struct buf out = { .arena = arena };
	ptrdiff_t hit = reporter.key.len < KEY_LEAST ? -1 : str_find(text, reporter.key);
	if (hit < 0) return text;
	for (; hit >= 0; hit = str_find(text, reporter.key)) {
		buf_add(&out, (struct str){ text.at, (size_t)hit });
		buf_add(&out, STR("***"));
		text = str_skip(text, (size_t)hit + reporter.key.len);
	}
	buf_add(&out, text);
	return buf_str(&out);
}

/* The line that says what is awaited and for how long; drawn again every second by SIGALRM, only on a terminal. */
static void report_draw(int number) {
	int saved = errno;
	char line[96] = "\r\033[K";
	int64_t seconds = (report_ms(CLOCK_MONOTONIC) - reporter.since) / 1000, divisor = 1;
	size_t n = 4;
	(void)number; /* no printf here: not async-signal-safe (signal-safety(7)) */
	for (const char *p = reporter.what; *p != '\0'; p++) line[n++] = *p;
	while (seconds / divisor > 9) divisor *= 10;
	for (line[n++] = ' '; divisor > 0; divisor /= 10) line[n++] = (char)('0' + seconds / divisor % 10);
	line[n++] = 's';
	if (reporter.waiting && write(reporter.fd, line, n) < 0) {} /* the next write says why */
	errno = saved;
}

static void report_hide(void) {
	if (!reporter.waiting) return;
	reporter.waiting = 0;
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	if (report_write(reporter.fd, STR("\r\033[K")) != 0) {} /* the next write says why */
}

static void report_wait(const char *what) {
	if (!reporter.terminal) return;
	report_hide();
	snprintf(reporter.what, sizeof reporter.what, "  %.32s", what); /* fits 40 columns */
	reporter.since = report_ms(CLOCK_MONOTONIC);
	reporter.waiting = 1;
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = report_draw, .sa_flags = SA_RESTART }, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 1, 0 }, { 1, 0 } }, NULL);
}

/* Prints text that may be foreign: cleaned, the key masked, in one style. */
static void report_text(enum style style, struct str text) {
	struct error error;
	static const char *const codes[] = { "", "\033[2m", "\033[1m", "\033[32m", "\033[31m", "\033[33m" };
	size_t used = reporter.arena->used;
	struct buf plain = { .arena = reporter.arena }, out = { .arena = reporter.arena };
	clean(&(struct cleaner){ 0 }, text, true, &plain);
	struct str safe = report_masked(reporter.arena, buf_str(&plain)), line;
	report_hide();
	for (size_t left = safe.len; str_line(&safe, &line); left = safe.len) { /* colour ends with its line */
		bool tint = reporter.colour && style != PLAIN && line.len > 0;
		buf_format(&out, "%s%.*s%s%s", tint ? codes[style] : "", (int)line.len, line.at, tint ? "\033[0m" : "", left - safe.len > line.len ? "\n" : "");
	}
	if (report_write(reporter.fd, buf_str(&out)) != 0) {
		error_set(&error, 5, "standard %s:", reporter.fd == 1 ? "output" : "error");
		reporter.fail(&error);
	}
	arena_reset(reporter.arena, used);
}

__attribute__((format(printf, 2, 3))) static void report_say(enum style style, const char *format, ...) {
	size_t used = reporter.arena->used;
	struct buf text = { .arena = reporter.arena };
	va_list args;
	va_start(args, format);
	buf_vformat(&text, format, args);
	va_end(args);
	report_text(style, buf_str(&text));
	arena_reset(reporter.arena, used);
}

/* "hsa: " and one line on standard error. */
static void report_warn(const char *text) {
	struct buf out = { .arena = reporter.arena };
	report_hide();
	buf_add(&out, STR("hsa: "));
	clean(&(struct cleaner){ 0 }, str_of(text), true, &out);
	for (size_t k = 0; k < out.len; k++)
		if (out.at[k] == '\n') out.at[k] = ' ';
	buf_byte(&out, '\n');
	if (report_write(2, report_masked(reporter.arena, buf_str(&out))) != 0) {} /* nowhere left to say it */
}

/* Output as it comes: the first lines at once, the last ones at the end, and how many were between. */
#define VIEW_HEAD 10
#define VIEW_TAIL 6
#define VIEW_WIDTH 600 /* bytes of one line that are shown */
#define VIEW_SKIP 16384 /* bytes at the end of a piece of output that may be its last lines; more is only counted */
struct report_view {
	struct cleaner cleaner;
	size_t lines, len[VIEW_TAIL + 1];
	char line[VIEW_TAIL + 1][VIEW_WIDTH]; /* the last ones, in a ring, and behind them the one that is not complete */
};

static void report_view_show(const struct report_view *view, size_t slot) {
	report_say(DIM, "  %.*s%s\n", (int)view->len[slot], view->line[slot], view->len[slot] == VIEW_WIDTH ? "..." : "");
}

static void report_view_line(struct report_view *view) {
	size_t slot = view->lines % VIEW_TAIL;
	memcpy(view->line[slot], view->line[VIEW_TAIL], view->len[slot] = view->len[VIEW_TAIL]);
	if (view->lines++ < VIEW_HEAD) report_view_show(view, slot);
	view->len[VIEW_TAIL] = 0;
}

static void report_view_add(struct report_view *view, struct str text, bool last) {
	size_t used = reporter.arena->used, *len = &view->len[VIEW_TAIL];
	struct buf out = { .arena = reporter.arena };
	for (struct str line; view->lines > VIEW_HEAD && text.len > VIEW_SKIP && str_line(&text, &line);) { /* far from the end */
		view->lines++;
		view->cleaner.state = CLEAN_TEXT;
		view->cleaner.nheld = *len = 0;
	}
	clean(&view->cleaner, text, last, &out);
	for (size_t k = 0; k < out.len; k++) {
		if (out.at[k] == '\n') report_view_line(view);
		else if (*len < VIEW_WIDTH) view->line[VIEW_TAIL][(*len)++] = out.at[k];
	}
	arena_reset(reporter.arena, used);
	if (!last) return;
	if (*len > 0) report_view_line(view);
	size_t left = view->lines < VIEW_HEAD ? 0 : view->lines - VIEW_HEAD, tail = left < VIEW_TAIL ? left : VIEW_TAIL;
	if (left > tail) report_say(DIM, "  (%zu lines not shown)\n", left - tail);
	for (size_t k = view->lines - tail; k < view->lines; k++) report_view_show(view, k % VIEW_TAIL);
}

/* ---- 2. events --------------------------------------------------------------------------------------------- */

static void report_show(const struct json *e);

/* One event: logged, printed, shown. format as json_format's: the members behind "event" and "time". A log that cannot be
 * written ends the run, and is valid up to there. */
static void report_event(const char *name, const char *format, ...) {
	struct error error;
	size_t used = reporter.arena->used;
	struct buf line = { .arena = reporter.arena };
	va_list args;
	json_format(&line, "{'event':%s,'time':%d,", name, report_ms(CLOCK_REALTIME));
	va_start(args, format);
	json_vformat(&line, format, &args);
	va_end(args);
	buf_add(&line, STR("}\n"));
	struct str whole = report_masked(reporter.arena, buf_str(&line));
	if (reporter.log >= 0) {
		off_t before = lseek(reporter.log, 0, SEEK_CUR);
		if (report_write(reporter.log, whole) != 0) {
			error_set(&error, 5, "--log %s:", reporter.log_path);
			if (before >= 0 && ftruncate(reporter.log, before) != 0) {} /* a device: nothing to cut */
			reporter.log = -1;
			reporter.fail(&error);
		}
		br_sha256_update(&reporter.hash, whole.at, whole.len);
	}
	if (reporter.json && report_write(1, whole) != 0) {
		reporter.json = false;
		error_set(&error, 5, "standard output:");
		reporter.fail(&error);
	}
	report_show(json_read(reporter.arena, whole, &error));
	arena_reset(reporter.arena, used);
}

/* The SHA-256 of bytes, in hexadecimal with a NUL. */
#define REPORT_HEX (2 * br_sha256_SIZE + 1)
static void report_hex_of(const br_sha256_context *hash, char hex[REPORT_HEX]) {
	unsigned char sum[br_sha256_SIZE];
	br_sha256_out(hash, sum);
	for (size_t k = 0; k < sizeof sum; k++) snprintf(hex + 2 * k, 3, "%02x", sum[k]);
}

static void report_hex(struct str bytes, char hex[REPORT_HEX]) {
	br_sha256_context hash;
	br_sha256_init(&hash);
	br_sha256_update(&hash, bytes.at, bytes.len);
	report_hex_of(&hash, hex);
}

static void report_hash(const char *what, const br_sha256_context *hash) {
	char hex[REPORT_HEX];
	report_hex_of(hash, hex);
	report_say(PLAIN, "%s  SHA-256 %s\n", what, hex);
}

/* Opens the log, which must be new, empty, or no regular file. 0, or -1 with status 2. */
static int report_log_open(const char *path, struct error *error) {
	struct stat st;
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, fd = open(path, flags);
	if (fd < 0 && errno == ENOENT) fd = open(path, flags | O_CREAT | O_EXCL, 0600); /* never made through a link */
	if (fd < 0 || fstat(fd, &st) != 0) return error_set(error, 2, "--log %s:", path);
	if (S_ISREG(st.st_mode) && st.st_size > 0) return error_set(error, 2, "--log %s: holds something already; name a new file", path);
	fcntl(fd, F_SETFL, O_APPEND);
	reporter.log = fd;
	reporter.log_path = path;
	br_sha256_init(&reporter.hash);
	return 0;
}

/* Whether the log, if it is a regular file, still holds what was written, no more and no less: it may lie where commands write. */
static bool report_log_whole(void) {
	struct stat st, now;
	char bytes[16384], hex[2][REPORT_HEX];
	br_sha256_context hash;
	ssize_t n = 0;
	if (fstat(reporter.log, &st) != 0 || !S_ISREG(st.st_mode)) return true;
	int fd = open(reporter.log_path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool same = fd >= 0 && fstat(fd, &now) == 0 && now.st_dev == st.st_dev && now.st_ino == st.st_ino;
	for (br_sha256_init(&hash); same && (n = read(fd, bytes, sizeof bytes)) > 0;) br_sha256_update(&hash, bytes, (size_t)n);
	if (fd >= 0) close(fd);
	report_hex_of(&hash, hex[0]), report_hex_of(&reporter.hash, hex[1]);
	return same && n == 0 && strcmp(hex[0], hex[1]) == 0;
}

/* Closes the log and prints its SHA-256. 0, or -1 with status 5 where it cannot be synced, or was changed meanwhile. */
static int report_log_close(struct error *error) {
	if (reporter.log < 0) return 0;
	int failed = fsync(reporter.log) != 0 && errno != EINVAL && errno != EROFS ? error_set(error, 5, "--log %s:", reporter.log_path) : 0;
	report_hash(reporter.log_path, &reporter.hash);
	if (failed == 0 && !report_log_whole())
		return error_set(error, 5, "--log %s: was changed while the run wrote it; keep it where no command can write", reporter.log_path);
	return failed;
}

/* Members of an event: its text, also NUL-terminated, its number, whether it is true, whether it is that text. */
static struct str report_member(const struct json *e, const char *name) {
	return json_text(reporter.arena, json_get(e, name));
}
static const char *report_words(const struct json *e, const char *name) {
	return arena_z(reporter.arena, report_member(e, name));
}
static long long report_number(const struct json *e, const char *name) {
	return json_integer(json_get(e, name), 0);
}
static bool report_truth(const struct json *e, const char *name) {
	return json_get(e, name) != NULL && json_get(e, name)->kind == JSON_TRUE;
}
static bool report_is(const struct json *e, const char *name, const char *text) {
	return str_eq(report_member(e, name), str_of(text));
}

/* A heading, unless it stands there already. */
static void report_heading(const char *words) {
	if (reporter.heading == words) return;
	report_say(BOLD, "\n%s\n", words);
	reporter.heading = words;
}

static void report_show_started(const struct json *e) {
	time_t at = (time_t)(report_number(e, "time") / 1000);
	struct tm *date = gmtime(&at);
	char text[32] = "";
	if (date == NULL || strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", date) == 0) *text = '\0';
	reporter.scripted = report_truth(e, "scripted");
	report_say(BOLD, "hsa %s  %s", report_words(e, "version"), report_words(e, "model"));
	report_say(PLAIN, reporter.scripted ? "  (scripted: no model, no network; all else is real)\n" : "  at %s\n", report_words(e, "host"));
	report_say(PLAIN, "started    %s\nworkspace  %s%s\n", text, report_words(e, "workspace"), report_truth(e, "fixture") ? "  (the fixture)" : "");
	if (!reporter.scripted) report_say(PLAIN, "task       %s\n", report_words(e, "task"));
	report_say(PLAIN, "boundary   %s, on %s\nin force  ", report_words(e, "boundary"), report_words(e, "kernel"));
	const struct json *layers = json_get(e, "layers"), *first = layers == NULL ? NULL : layers->child;
	for (const struct json *l = first; l != NULL; l = l->next)
		if (report_truth(l, "in_force")) report_say(PLAIN, " %s", report_words(l, "layer"));
	report_say(PLAIN, "\n");
	for (const struct json *l = first; l != NULL; l = l->next)
		if (json_get(l, "lacks") != NULL) report_say(YELLOW, "NOT in force  %s: %s\n", report_words(l, "layer"), report_words(l, "lacks"));
	if (report_member(e, "warning").len > 0) report_say(YELLOW, "WARNING  %s\n", report_words(e, "warning"));
}

static void report_show_probe(const struct json *e) {
	bool refused = report_is(e, "result", "refused"), held = refused || report_is(e, "result", "works");
	bool through = report_is(e, "result", "went through") || report_is(e, "result", "FAILS");
	const char *detail = refused ? "" : report_words(e, "detail");
	report_heading("The boundary, tried: each act outside, where it works, then inside");
	report_say(held ? GREEN : through ? RED : YELLOW, "  %s", held ? report_mark("\u2713", "ok") : through ? report_mark("\u2717", "!!") : "--");
	report_say(PLAIN, " %-9s %s: %s", report_words(e, "layer"), report_words(e, "act"), report_words(e, "result"));
	report_say(DIM, " (%s%s%s)\n", detail, *detail != '\0' ? "; " : "", report_words(e, "means"));
}

static void report_line(enum style style, const char *before, struct str text) {
	report_say(style, "%s", before);
	report_text(style, text);
	report_say(PLAIN, "\n");
}

static void report_show_command(const struct json *e) {
	struct report_view view = { .lines = 0 };
	if (!reporter.live) report_line(BOLD, "$ ", report_member(e, "command"));
	if (!reporter.live) report_view_add(&view, report_member(e, "output"), true);
	report_say(DIM, "  %s\n", report_words(e, "ended"));
}

static void report_show_diff(const struct json *e) {
	struct str rest = report_member(e, "text"), line;
	report_heading(rest.len > 0 ? "What changed" : "Nothing changed.");
	while (str_line(&rest, &line))
		report_line(str_starts(line, STR("+")) ? GREEN : str_starts(line, STR("-")) ? RED : PLAIN, "  ", line);
}

static void report_show_ended(const struct json *e) {
	int status = (int)report_number(e, "status");
	report_say(PLAIN, "\n");
	if (report_number(e, "requests") > 0)
		report_say(PLAIN, "%lld requests, %lld tokens in (%lld cached), %lld out\n", report_number(e, "requests"), report_number(e, "input_tokens"),
		    report_number(e, "cached_tokens"), report_number(e, "output_tokens"));
	report_say(PLAIN, "%.1f s: model %.1f, commands %.1f, verdict %.1f\n", (double)report_number(e, "total_ms") / 1e3,
	    (double)report_number(e, "model_ms") / 1e3, (double)report_number(e, "command_ms") / 1e3, (double)report_number(e, "verdict_ms") / 1e3);
	report_say(status == 0 ? GREEN : RED, status == 0 ? "The suite passes, checked from the host.\n" : status == 1 ?
	    "NOT passed: the suite fails, or a check did.\n" : "Ended with status %d.\n", status);
}

static void report_show_response(const struct json *e) {
	if (report_member(e, "text").len > 0 && (reporter.scripted || !reporter.live))
		report_line(PLAIN, reporter.scripted ? "[scripted] " : "", report_member(e, "text"));
	if (report_member(e, "refusal").len > 0 && !reporter.live) report_line(PLAIN, "", report_member(e, "refusal"));
	if (report_member(e, "refusal").len > 0) report_say(YELLOW, "The model refuses.\n");
}

static void report_show_check(const struct json *e) {
	bool passed = report_truth(e, "passed");
	report_heading("The verdict");
	report_say(passed ? GREEN : RED, "  %s", passed ? report_mark("\u2713", "ok") : report_mark("\u2717", "FAILED"));
	report_say(PLAIN, " %s%s%s\n", report_words(e, "name"), report_member(e, "reason").len > 0 ? ": " : "", report_words(e, "reason"));
}

/* Shows one event to people. Events that are not known are passed over. */
static void report_show(const struct json *e) {
	if (report_is(e, "event", "run_started")) report_show_started(e);
	else if (report_is(e, "event", "probe")) report_show_probe(e);
	else if (report_is(e, "event", "baseline")) report_say(PLAIN, "The suite before: %s\n", report_words(e, "state"));
	else if (report_is(e, "event", "request")) report_say(PLAIN, "\n");
	else if (report_is(e, "event", "response")) report_show_response(e);
	else if (report_is(e, "event", "retry"))
		report_say(YELLOW, "waiting %.1f s: %s\n", (double)report_number(e, "wait_ms") / 1e3, report_words(e, "reason"));
	else if (report_is(e, "event", "command")) report_show_command(e);
	else if (report_is(e, "event", "check")) report_show_check(e);
	else if (report_is(e, "event", "note")) report_say(YELLOW, "note: %s\n", report_words(e, "text"));
	else if (report_is(e, "event", "diff")) report_show_diff(e);
	else if (report_is(e, "event", "run_ended")) report_show_ended(e);
}

#undef KEY_LEAST
#undef VIEW_HEAD
#undef VIEW_TAIL
#undef VIEW_WIDTH
#undef VIEW_SKIP
#endif
