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
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define KEY_LEAST 8  /* bytes of a key that is masked */
#define KEY_PIECE 16 /* bytes of a piece of it that is masked */
#define WORD_MAX 64  /* bytes of a word that is shown as one while it streams */

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
	struct str key, proxy[2];      /* what is masked wherever it stands: the key, a proxy's password, its credentials as they are sent */
	void (*fail)(const struct error *error);

	int fd;                        /* where words go: 1, or 2 under --json */
	bool terminal, colour, utf8;
	size_t column, hang;           /* where the next word goes; where a line that is too long goes on */
	volatile sig_atomic_t waiting, drawn, busy; /* something is awaited; its line is on the screen; words are being written */
	char what[64];
	int64_t since;

	int log;                       /* the log; -1: none */
	const char *log_path;
	br_sha256_context hash;        /* of all that was written to the log */
	bool json, live, means;        /* live: what streams was shown already as it came; means: what enforces a layer is said */
	bool scripted;                 /* the run is a demo's */
	unsigned checks, failed;       /* of the verdict */
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

/* The terminal and the flags of descriptors 0 to 2 as the person had them: a command that is given them may change both. */
static struct { struct termios mode; int flags; bool terminal; } report_standard[3];

static void report_standard_save(void) {
	for (int fd = 0; fd < 3; fd++)
		report_standard[fd].flags = fcntl(fd, F_GETFL), report_standard[fd].terminal = tcgetattr(fd, &report_standard[fd].mode) == 0;
}

static void report_standard_restore(void) {
	signal(SIGTTOU, SIG_IGN);
	for (int fd = 0; fd < 3; fd++) {
		if (report_standard[fd].flags > 0) fcntl(fd, F_SETFL, report_standard[fd].flags);
		if (report_standard[fd].terminal) tcsetattr(fd, TCSANOW, &report_standard[fd].mode);
	}
}

/* One of two forms of a mark: Unicode, or ASCII where the locale is not UTF-8. */
static const char *report_mark(const char *unicode, const char *ascii) {
	return reporter.utf8 ? unicode : ascii;
}

/* How many bytes of text from `at` on stand in the key, in one piece. */
static size_t report_piece(struct str key, struct str text, size_t at) {
	size_t most = 0;
	for (size_t k = 0, n; k < key.len; k++, most = n > most ? n : most)
		for (n = 0; k + n < key.len && at + n < text.len && key.at[k + n] == text.at[at + n];) n++;
	return most;
}

static struct str report_without(struct arena *arena, struct str text, struct str key) {
	struct buf out = { .arena = arena };
	size_t least = key.len < KEY_PIECE ? key.len : KEY_PIECE, block = least / 2, done = 0;
	for (size_t i = 0; key.len >= KEY_LEAST && i + block <= text.len; i += block) { /* one block at least lies in a piece */
		if (memmem(key.at, key.len, text.at + i, block) == NULL) continue;
		size_t from = i < done + block ? done : i - block + 1, n = 0;
		while (from <= i && (n = report_piece(key, text, from)) < least) from++;
		if (from > i) continue;
		buf_add(&out, (struct str){ text.at + done, from - done });
		buf_add(&out, STR("***"));
		done = from + n;
		i = done - block;
	}
	if (done == 0) return text;
	buf_add(&out, str_skip(text, done));
	return buf_str(&out);
}

/* Writes "***" over every copy of a secret and every longer piece of it: what a server echoes is not shown, nor what some limit
 * leaves of that. A shorter key is a dummy for a local server, and its letters stand in half the words. */
static struct str report_masked(struct arena *arena, struct str text) {
	for (int k = 0; k < 2; k++) text = report_without(arena, text, reporter.proxy[k]);
	return report_without(arena, text, reporter.key);
}

/* The line that says what is awaited and for how long; drawn anew every second by SIGALRM, between lines, only on a terminal. */
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
	if (reporter.waiting && !reporter.busy && reporter.column == 0 && write(reporter.fd, line, n) > 0) reporter.drawn = 1;
	errno = saved;
}

static void report_erase(void) {
	if (reporter.drawn && report_write(reporter.fd, STR("\r\033[K")) != 0) {} /* the next write says why */
	reporter.drawn = 0;
}

/* Nothing is awaited any more. */
static void report_hide(void) {
	if (!reporter.waiting) return;
	reporter.waiting = 0;
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	report_erase();
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

/* What stands before the model's words. */
static const char *report_bar(void) {
	return report_mark("\u2502 ", "| ");
}

/* Columns that text takes from a column on. By the first byte of each code point: U+3000 to U+DFFF and emoji are wide, nearly all. */
static size_t report_columns(struct str text, size_t column) {
	size_t begin = column;
	for (size_t k = 0; k < text.len; k++) {
		unsigned char c = (unsigned char)text.at[k];
		column += c == '\t' ? 8 - column % 8 : (c >= 0xe3 && c <= 0xed) || c == 0xf0 ? 2 : (c & 0xc0) != 0x80;
	}
	return column - begin;
}

/* What surrounds the words of a line: colour, and what stands before each line. */
struct report_frame {
	const char *on, *off, *gutter, *further; /* further: before what is left of a line */
	size_t width; /* columns of the terminal; SIZE_MAX: lines are as long as they are */
};

/* Adds words to out. A word that does not fit begins the next line, below where the words of the first began: behind its
 * indentation or, in a table, its first columns. A word too long for any line is broken behind a gutter; else it is a path or a
 * line to copy, and left to the terminal. */
static void report_fold(struct buf *out, const struct report_frame *frame, struct str words) {
	for (size_t blank, n, gutter = report_columns(str_of(frame->gutter), 0); words.len > 0; words = str_skip(words, n)) {
		for (blank = 0; blank < words.len && (words.at[blank] == ' ' || words.at[blank] == '\t'); blank++) {}
		for (n = blank; n < words.len && words.at[n] != ' ' && words.at[n] != '\t'; n++) {}
		size_t start = reporter.column + report_columns((struct str){ words.at, blank }, reporter.column);
		size_t len = report_columns((struct str){ words.at + blank, n - blank }, start);
		if ((blank > 1 || reporter.column == gutter) && start <= 16 && start * 2 < frame->width) reporter.hang = start;
		bool broken = gutter > 0 && reporter.hang + len > frame->width;
		bool next = broken ? start + 8 > frame->width : reporter.hang + len <= frame->width;
		if (start + len > frame->width && reporter.column > reporter.hang && next) {
			buf_format(out, "%s\n%s%s%*s", frame->off, frame->on, frame->further, (int)(reporter.hang - gutter), "");
			words = str_skip(words, blank), n -= blank, start = reporter.hang;
		}
		while (broken && len > 0 && start + len > frame->width) len -= report_columns((struct str){ &words.at[--n], 1 }, start);
		buf_add(out, (struct str){ words.at, n });
		for (reporter.column = start + len; reporter.column > frame->width;) reporter.column -= frame->width;
	}
}

/* Prints text that may be foreign: cleaned, the key masked, in one style, each of its lines behind the gutter. */
static void report_text(enum style style, const char *gutter, struct str text) {
	struct error error;
	static const char *const codes[] = { "", "\033[2m", "\033[1m", "\033[32m", "\033[31m", "\033[33m" };
	struct winsize size = { 0 };
	size_t used = reporter.arena->used;
	struct buf plain = { .arena = reporter.arena }, out = { .arena = reporter.arena };
	clean(&(struct cleaner){ 0 }, text, true, &plain);
	struct str safe = report_masked(reporter.arena, buf_str(&plain)), line;
	bool tint = reporter.colour && style != PLAIN, wide = reporter.terminal && ioctl(reporter.fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
	bool same = *gutter == '\0' || strcmp(gutter, report_bar()) == 0; /* the others mark the first line alone */
	struct report_frame frame = { tint ? codes[style] : "", tint ? "\033[0m" : "", gutter, same ? gutter : "  ", wide ? size.ws_col : SIZE_MAX };
	reporter.busy = 1;
	report_erase();
	for (size_t left = safe.len; str_line(&safe, &line); left = safe.len) { /* colour ends with its line */
		bool ends = left - safe.len > line.len, shown = line.len > 0 || (reporter.column == 0 && *gutter != '\0' && *gutter != ' ');
		if (shown) buf_format(&out, "%s", frame.on);
		if (shown && reporter.column == 0) {
			buf_format(&out, "%s", gutter);
			reporter.column = reporter.hang = report_columns(str_of(gutter), 0);
		}
		report_fold(&out, &frame, line);
		buf_format(&out, "%s%s", shown ? frame.off : "", ends ? "\n" : "");
		if (ends) reporter.column = 0;
	}
	int failed = report_write(reporter.fd, buf_str(&out));
	reporter.busy = 0;
	if (failed != 0) {
		error_set(&error, errno == EPIPE ? 128 + SIGPIPE : 5, "standard %s:", reporter.fd == 1 ? "output" : "error");
		reporter.fail(&error);
	}
	arena_reset(reporter.arena, used);
}

/* "1 line", "2 lines". */
static const char *report_count(long long n, const char *thing) {
	struct buf text = { .arena = reporter.arena };
	buf_format(&text, "%lld %s%s", n, thing, n == 1 ? "" : "s");
	return buf_z(&text);
}

/* The same for one line, and for words of our own. */
static void report_line(enum style style, const char *gutter, struct str text) {
	report_text(style, gutter, text);
	report_text(PLAIN, "", STR("\n"));
}

__attribute__((format(printf, 2, 3))) static void report_say(enum style style, const char *format, ...) {
	size_t used = reporter.arena->used;
	struct buf text = { .arena = reporter.arena };
	va_list args;
	va_start(args, format);
	buf_vformat(&text, format, args);
	va_end(args);
	report_text(style, "", buf_str(&text));
	arena_reset(reporter.arena, used);
}

/* "hsa: " and one line on standard error. */
static void report_warn(const char *text) {
	struct buf out = { .arena = reporter.arena };
	report_hide();
	buf_add(&out, reporter.terminal && reporter.column > 0 ? STR("\nhsa: ") : STR("hsa: "));
	clean(&(struct cleaner){ 0 }, str_of(text), true, &out);
	for (size_t k = 1; k < out.len; k++)
		if (out.at[k] == '\n') out.at[k] = ' ';
	buf_byte(&out, '\n');
	if (report_write(2, report_masked(reporter.arena, buf_str(&out))) != 0) {} /* nowhere left to say it */
}

/* What the model says: behind a bar, so that it cannot pass for the host's own words. last: it has said all. */
static void report_model(struct str text, bool last) {
	report_text(PLAIN, report_bar(), text);
	if (last && reporter.column > 0) report_text(PLAIN, "", STR("\n"));
}

/* What the model says as it streams, by words; what may become the key is held back until it cannot. No text: it has said all. */
static struct { struct buf held; struct cleaner cleaner; } report_streamed;

static void report_stream_open(struct arena *arena) {
	report_streamed.held = (struct buf){ .arena = arena };
	report_streamed.cleaner = (struct cleaner){ 0 };
}

static void report_stream(void *context, struct str text) {
	struct buf *held = &report_streamed.held;
	(void)context;
	clean(&report_streamed.cleaner, text, text.len == 0, held);
	size_t keep = 0, len = held->len, most = text.len == 0 ? 0 : len < WORD_MAX + reporter.key.len ? len : WORD_MAX + reporter.key.len;
	while (keep < most && held->at[len - keep - 1] != ' ' && held->at[len - keep - 1] != '\n') keep++;
	while (keep > 0 && keep < len && ((unsigned char)held->at[len - keep] & 0xc0) == 0x80) keep++; /* no part of a code point */
	for (size_t n = len < reporter.key.len ? len : reporter.key.len; text.len > 0 && n > keep; n--)
		if (n < reporter.key.len && memcmp(held->at + len - n, reporter.key.at, n) == 0) keep = n;
	report_model((struct str){ held->at, len - keep }, text.len == 0);
	if (keep > 0) memmove(held->at, held->at + len - keep, keep);
	held->len = keep;
}

/* A command, its further lines as a shell shows them. What cleaning would take away is made visible: it would hide a part of
 * what runs from the person who is asked. */
static void report_command(struct str command) {
	const char *gutter = "$ ";
	struct buf text = { .arena = reporter.arena };
	for (size_t i = 0; i < command.len;) {
		size_t start = i;
		uint32_t p = utf8_next(command, &i);
		bool control = (p < ' ' && p != '\n' && p != '\t') || (p >= 0x7f && p < 0xa0);
		if (control) buf_format(&text, "^%c", p < 0x80 ? (char)(p ^ 0x40) : '?');
		else buf_add(&text, (struct str){ command.at + start, i - start });
	}
	command = buf_str(&text);
	for (struct str line; str_line(&command, &line); gutter = "> ") report_line(BOLD, gutter, line);
}

/* Output as it comes: the first lines at once, the last ones at the end, and how many were between. */
#define VIEW_HEAD 10
#define VIEW_TAIL 6
#define VIEW_WIDTH 600 /* bytes of one line that are shown */
#define VIEW_SKIP 16384 /* bytes at the end of a piece of output that may be its last lines; more is only counted */
struct report_view {
	struct cleaner cleaner;
	size_t lines, blank, len[VIEW_TAIL + 1]; /* blank: lines without words that came since; at the end they say nothing */
	char line[VIEW_TAIL + 1][VIEW_WIDTH]; /* the last ones, in a ring, and behind them the one that is not complete */
};

static void report_view_show(const struct report_view *view, size_t slot) {
	report_text(DIM, "  ", (struct str){ view->line[slot], view->len[slot] });
	report_say(DIM, "%s\n", view->len[slot] == VIEW_WIDTH ? "..." : "");
}

static void report_view_line(struct report_view *view) {
	size_t *len = &view->len[VIEW_TAIL];
	view->blank += *len == 0;
	for (size_t slot; *len > 0; view->blank -= view->blank > 0) {
		slot = view->lines % VIEW_TAIL, view->len[slot] = view->blank > 0 ? 0 : *len;
		memcpy(view->line[slot], view->line[VIEW_TAIL], view->len[slot]);
		if (view->lines++ < VIEW_HEAD) report_view_show(view, slot);
		if (view->blank == 0) *len = 0;
	}
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
	if (left > tail) report_say(DIM, "  (%s not shown)\n", report_count((long long)(left - tail), "line"));
	for (size_t k = view->lines - tail; k < view->lines; k++) report_view_show(view, k % VIEW_TAIL);
}

/* A command's output: all of it is shown as it comes; the first and last half of a limit are kept for the model. */
struct report_capture {
	struct report_view view;
	char *head, *ring;
	size_t half, total;
};

static void report_capture_open(struct report_capture *c, struct arena *arena, size_t limit) {
	*c = (struct report_capture){ .half = limit / 2 };
	c->head = arena_take(arena, c->half, 1);
	c->ring = arena_take(arena, c->half, 1);
}

static void report_capture_add(void *context, struct str bytes) {
	struct report_capture *c = context;
	report_view_add(&c->view, bytes, false);
	for (; bytes.len > 0 && c->total < c->half; bytes = str_skip(bytes, 1)) c->head[c->total++] = *bytes.at;
	if (bytes.len > c->half) { /* only the end of it can stay in the ring */
		c->total += bytes.len - c->half;
		bytes = str_skip(bytes, bytes.len - c->half);
	}
	for (size_t n; bytes.len > 0; bytes = str_skip(bytes, n), c->total += n) {
		size_t at = (c->total - c->half) % c->half;
		n = bytes.len < c->half - at ? bytes.len : c->half - at;
		memcpy(c->ring + at, bytes.at, n);
	}
}

/* All has come: the kept output, cleaned for the model, with the count of what was left out between two characters. */
static struct str report_capture_text(struct report_capture *c, struct arena *arena) {
	struct buf raw = { .arena = arena }, end = { .arena = arena }, out = { .arena = arena };
	struct str head = { c->head, c->total < c->half ? c->total : c->half }, tail;
	size_t rest = c->total - head.len, kept = rest < c->half ? rest : c->half, at = rest <= c->half ? 0 : rest % c->half;
	report_view_add(&c->view, (struct str){ NULL, 0 }, true);
	buf_add(&end, (struct str){ c->ring + at, kept - at });
	buf_add(&end, (struct str){ c->ring, at });
	tail = buf_str(&end);
	if (rest > kept) {
		for (size_t k = 1, i = 0; k < 4 && k <= head.len && i == 0; k++)
			if ((unsigned char)head.at[head.len - k] >= 0xC2 && utf8_next(str_skip(head, head.len - k), &i) == UTF8_BAD) head.len -= k;
		for (int k = 0; k < 3 && tail.len > 0 && (*tail.at & 0xC0) == 0x80; k++) tail = str_skip(tail, 1);
	}
	buf_add(&raw, head);
	if (rest > kept) buf_format(&raw, "\n[%zu bytes left out here]\n", c->total - head.len - tail.len);
	buf_add(&raw, tail);
	clean(&(struct cleaner){ .model = true }, buf_str(&raw), true, &out);
	return buf_str(&out);
}

/* Output of which the first bytes are kept as they are, and shown nowhere. */
struct report_kept {
	struct buf buf;
	size_t limit;
	bool cut;
};

static void report_keep(void *context, struct str bytes) {
	struct report_kept *kept = context;
	size_t room = kept->limit - kept->buf.len;
	kept->cut |= bytes.len > room;
	buf_add(&kept->buf, (struct str){ bytes.at, bytes.len > room ? room : bytes.len });
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

/* Items of the conversation for the log: written anew, on one line, and no spelling of the key survives. */
static struct str report_items(struct arena *arena, struct str items) {
	struct error error;
	struct buf text = { .arena = arena }, out = { .arena = arena };
	/* at least as deep, and as many values, as they become in a line of the log: who reads that has the same limits */
	json_format(&text, "[[%r],0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", str_starts(items, STR(",")) ? str_skip(items, 1) : items);
	const struct json *list = json_read(arena, buf_str(&text), &error);
	if (list == NULL) return STR("[]");
	json_put_value(&out, list->child);
	return buf_str(&out);
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
	report_say(PLAIN, "SHA256 (%s) = %s\n", what, hex); /* as sha256sum -c takes it */
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

/* Members of an event: its text, also on one line with a NUL, its number, whether it is true, whether it is that text. On one line,
 * since a line end in the name of a file would begin a line that looks like ours. */
static struct str report_member(const struct json *e, const char *name) {
	return json_text(reporter.arena, json_get(e, name));
}
static const char *report_words(const struct json *e, const char *name) {
	char *words = arena_z(reporter.arena, report_member(e, name));
	for (char *end = words; (end = strchr(end, '\n')) != NULL;) *end = ' ';
	return words;
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
	report_say(PLAIN, "boundary   %s, on %s\nin force   ", report_words(e, "boundary"), report_words(e, "kernel"));
	const struct json *layers = json_get(e, "layers"), *first = layers == NULL ? NULL : layers->child;
	for (const struct json *l = first; l != NULL; l = l->next)
		if (report_truth(l, "in_force")) report_say(PLAIN, "%s%s", report_words(l, "layer"), l->next == NULL ? "" : " ");
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
	report_say(held ? GREEN : through ? RED : YELLOW, "  %s", held ? report_mark("\u2713", "ok") :
	    through ? report_mark("\u2717", "!!") : report_mark("-", "--"));
	report_say(PLAIN, " %-9s %s: %s", report_words(e, "layer"), report_words(e, "act"), report_words(e, "result"));
	const char *means = reporter.means ? report_words(e, "means") : "";
	bool both = *detail != '\0' && *means != '\0';
	if (*detail != '\0' || *means != '\0') report_say(DIM, " (%s%s%s)", detail, both ? "; " : "", means);
	report_say(PLAIN, "\n");
}

static void report_show_command(const struct json *e) {
	struct report_view view = { .lines = 0 };
	if (!reporter.live) report_command(report_member(e, "command"));
	if (!reporter.live) report_view_add(&view, report_member(e, "output"), true);
	report_line(DIM, report_mark("\u2514 ", "= "), report_member(e, "ended"));
}

static void report_show_diff(const struct json *e) {
	struct str rest = report_member(e, "text"), line;
	report_heading(rest.len > 0 ? "What changed" : "Nothing changed.");
	while (str_line(&rest, &line))
		report_line(str_starts(line, STR("+")) ? GREEN : str_starts(line, STR("-")) ? RED : PLAIN, "  ", line);
	reporter.heading = NULL;
}

static void report_verdict(int status) {
	if (status == 0) report_say(GREEN, "The suite passes, checked from the host.\n");
	else if (status == 1) report_say(RED, "NOT passed: %u of %s failed.\n", reporter.failed, report_count(reporter.checks, "check"));
	else report_say(RED, "Ended with status %d; no verdict.\n", status);
}

static void report_show_ended(const struct json *e) {
	int status = (int)report_number(e, "status");
	if (!reporter.live && report_member(e, "error").len > 0) report_say(PLAIN, "hsa: %s\n", report_words(e, "error"));
	report_say(PLAIN, "\n");
	if (report_number(e, "requests") > 0)
		report_say(PLAIN, "%s, %lld tokens in (%lld cached), %lld out\n", report_count(report_number(e, "requests"), "request"),
		    report_number(e, "input_tokens"), report_number(e, "cached_tokens"), report_number(e, "output_tokens"));
	report_say(PLAIN, "%.1f s: model %.1f, commands %.1f, verdict %.1f\n", (double)report_number(e, "total_ms") / 1e3,
	    (double)report_number(e, "model_ms") / 1e3, (double)report_number(e, "command_ms") / 1e3, (double)report_number(e, "verdict_ms") / 1e3);
	report_verdict(status);
}

static void report_show_response(const struct json *e) {
	if (reporter.scripted && report_member(e, "text").len > 0) report_model(STR("[scripted] "), false);
	if (reporter.scripted || !reporter.live) report_model(report_member(e, "text"), true);
	if (!reporter.live) report_model(report_member(e, "refusal"), true);
	if (report_member(e, "refusal").len > 0) report_say(YELLOW, "The model refuses.\n");
}

static void report_show_check(const struct json *e) {
	bool passed = report_truth(e, "passed");
	report_heading("The verdict");
	reporter.checks++, reporter.failed += !passed;
	report_say(passed ? GREEN : RED, "  %s", passed ? report_mark("\u2713", "ok    ") : report_mark("\u2717", "FAILED"));
	reporter.hang = reporter.column + 1;
	report_say(PLAIN, " %s%s%s\n", report_words(e, "name"), report_member(e, "reason").len > 0 ? ": " : "", report_words(e, "reason"));
}

/* Shows one event to people. Events that are not known are passed over. */
static void report_show(const struct json *e) {
	if (report_is(e, "event", "run_started")) report_show_started(e);
	else if (report_is(e, "event", "probe")) report_show_probe(e);
	else if (report_is(e, "event", "baseline"))
		report_say(PLAIN, "baseline   %s%s%s\n", report_words(e, "state"), report_member(e, "reason").len > 0 ? ": " : "", report_words(e, "reason"));
	else if (report_is(e, "event", "request")) report_say(PLAIN, "\n");
	else if (report_is(e, "event", "response")) report_show_response(e);
	else if (report_is(e, "event", "retry"))
		report_say(YELLOW, "waiting %.1f s: %s\n", (double)report_number(e, "wait_ms") / 1e3, report_words(e, "reason"));
	else if (report_is(e, "event", "command")) report_show_command(e);
	else if (report_is(e, "event", "check")) report_show_check(e);
	else if (report_is(e, "event", "note"))
		report_say(YELLOW, reporter.checks > 0 && reporter.heading != NULL ? "  note: %s\n" : "\nnote: %s\n", report_words(e, "text"));
	else if (report_is(e, "event", "diff")) report_show_diff(e);
	else if (report_is(e, "event", "run_ended")) report_show_ended(e);
}

#undef KEY_LEAST
#undef KEY_PIECE
#undef WORD_MAX
#undef VIEW_HEAD
#undef VIEW_TAIL
#undef VIEW_WIDTH
#undef VIEW_SKIP
#endif
