/* The macOS boundary as far as another system can show it: the profile's text, and the warden under a stand-in for
 * sandbox-exec that takes the same arguments and enforces nothing. */
#include "../json.c"
#include <unistd.h>
static const char *tool = "/nonexistent";
#define SEATBELT_TOOL tool_path()
static char *tool_path(void) {
	return (char *)(size_t)tool;
}
#include "../seatbelt.c"
#include <poll.h>

static int failures;
static void check(bool well, const char *name, const char *why) {
	printf(well ? "ok - %s\n" : "FAIL - %s: %s\n", name, why);
	fflush(stdout);
	failures += !well;
}
static void full(const char *what) {
	printf("FAIL - memory: %s\n", what);
	exit(1);
}

static struct arena arena;
static char directory[] = "/tmp/hsa-seatbelt.XXXXXX";

/* The profile for a policy that leaves `without` out: workspace writable, a directory and a file readable. */
static struct str profile(unsigned without) {
	static struct sandbox_policy policy;
	struct error error;
	struct buf out = { .arena = &arena };
	char *ws = arena_format(&arena, "%s/ws \"(x)", directory), *file = arena_format(&arena, "%s/file", directory);
	if (sandbox_open(&policy, &arena, without, &error) != 0 ||
	    sandbox_grant(&policy, ws, SANDBOX_GRANT_WRITE, &error) != 0 ||
	    sandbox_grant(&policy, "/usr", SANDBOX_GRANT_READ, &error) != 0 ||
	    sandbox_grant(&policy, file, SANDBOX_GRANT_READ, &error) != 0 || sandbox_grant_system(&policy, &error) != 0)
		full(error.text);
	seatbelt_profile(&policy, &out);
	return buf_str(&out);
}

/* Whether the text is a list of balanced s-expressions of known shape: parentheses close, strings end, nothing outside. */
static bool balanced(struct str text) {
	int depth = 0;
	bool string = false;
	for (size_t k = 0; k < text.len; k++) {
		char c = text.at[k];
		if (string && c == '\\')
			k++;
		else if (c == '"')
			string = !string;
		else if (!string && (c == '(' || c == ')'))
			depth += c == '(' ? 1 : -1;
		else if (!string && depth == 0 && c != '\n')
			return false;
		if (depth < 0)
			return false;
	}
	return depth == 0 && !string;
}

/* Each operation that the profile speaks of is one that Apple's own profiles know. */
static const char *const operations[] = { "version", "deny", "allow", "default", "process-fork", "process-exec*", "sysctl-read",
	"file-read*", "signal", "process-info*", "target", "file-read-data", "file-read-xattr", "subpath", "literal", "regex",
	"file-write-data", "file-write*", "mach-lookup", "global-name", "ipc-posix-shm-read*", "ipc-posix-name", "mach*", "ipc*",
	"file-write-mode", "file-write-owner", "file-write-times", "file-write-flags", "file-write-xattr", "file-ioctl",
	"pseudo-tty", "file-write-setugid", "file-write-create", "vnode-type", "network*", "network-outbound", "remote",
	"unix-socket", "param", "same-sandbox", "BLOCK-DEVICE", "CHARACTER-DEVICE", "1", NULL };

static struct str unknown_word(struct str text) {
	for (size_t k = 0; k < text.len;) {
		if (text.at[k] == '"')
			for (k++; text.at[k] != '"'; k++) {}
		if (strchr("() \n#\"", text.at[k]) != NULL) {
			k++;
			continue;
		}
		size_t end = k, known = 0;
		while (end < text.len && strchr("() \n\"", text.at[end]) == NULL)
			end++;
		struct str word = { text.at + k, end - k };
		while (operations[known] != NULL && !str_eq(word, str_of(operations[known])))
			known++;
		if (operations[known] == NULL)
			return word;
		k = end;
	}
	return (struct str){ 0 };
}

static ptrdiff_t at(struct str text, const char *part) {
	return str_find(text, str_of(part));
}

static void profile_tests(void) {
	struct str all = profile(0);
	check(balanced(all), "profile: balanced", "it is not");
	for (unsigned without = 0; without < 1u << SANDBOX_LAYERS; without++) {
		struct str text = profile(without), word = unknown_word(text);
		if (!balanced(text) || word.len != 0)
			check(false, "profile: every set of layers", arena_format(&arena, "%x: %.*s", without, (int)word.len, word.at));
		arena_reset(&arena, 0);
	}
	check(failures == 0, "profile: every set of layers is well formed, of known words", "see above");
	all = profile(0);
	check(str_starts(all, STR("(version 1)\n(deny default)\n")), "profile: begins by denying everything", "it does not");
	ptrdiff_t homes = at(all, "(subpath \"/Users\")"), ws = at(all, "(param \"G0\")"), keys = at(all, "/Library/Keychains");
	check(homes > 0 && homes < ws && ws < keys, "profile: homes denied before the grants, keychains behind them", "wrong order");
	check(at(all, "(deny network*)") > ws && at(all, "(allow network") < 0, "profile: network denied last, allowed nowhere", "no");
	check(at(all, "(deny file-write-setugid)") > ws, "profile: set-user-id bits denied behind the grants", "not there");
	check(at(all, "(allow file-read* file-write* (subpath (param \"G0\")))") > 0, "profile: a workspace is writable", "it is not");
	check(at(all, "(allow file-read* (subpath (param \"G1\")))") > 0, "profile: a readable directory is only read", "it is not");
	check(at(all, "(allow file-read* (literal (param \"G2\")))") > 0, "profile: a file is granted as itself", "it is not");
	check(at(all, directory) < 0 && at(all, "(x)") < 0, "profile: no path of a grant stands in its text", "one does");
	check(at(all, "file-write*") == at(all, "file-write* (subpath (param \"G0\"))"), "profile: nothing else is writable", "something is");
	check(at(all, "(subpath \"/private/tmp\")") > 0 && at(all, "\"/tmp\"") < 0 && at(all, "\"/var/") < 0,
		"profile: real paths of /tmp and /var", "a path through a link never matches");
	check(at(all, "(allow mach-lookup (global-name") > 0 && at(all, "(allow mach*") < 0, "profile: mach services by list", "no list");
	check(at(all, "(allow signal)") < 0 && at(all, "(allow signal (target same-sandbox))") > 0, "profile: signals stay inside", "no");
	static const struct { unsigned layer; const char *gone, *come; } left[] = {
		{ SANDBOX_READ, "/Users", "" }, { SANDBOX_IPC, "", "(allow mach* ipc*)" }, { SANDBOX_PROCESS, "", "(allow signal)\n" },
		{ SANDBOX_METADATA, "", "(allow file-write-mode" }, { SANDBOX_DEVICE, "(deny file-read-data file-read-xattr (subpath \"/dev\"))",
		"(allow pseudo-tty)" } };
	for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
		struct str text = profile(1u << left[k].layer);
		bool gone = *left[k].gone == '\0' || (at(text, left[k].gone) < 0 && at(all, left[k].gone) >= 0);
		bool come = at(text, left[k].come) >= 0 && (*left[k].come == '\0' || at(all, left[k].come) < 0);
		check(gone && come, arena_format(&arena, "profile: --without %s", sandbox_names[left[k].layer]), "the text does not follow");
	}
	struct str ipc = profile(1u << SANDBOX_IPC);
	check(at(ipc, "(allow network-outbound (remote unix-socket))") > at(ipc, "(deny network*)"), "profile: without ipc, unix sockets again", "no");
}

static struct sandbox_policy policy;

/* Runs a command under the stand-in; gives its output. kill_after: the host stops it once it has written something. */
static struct str run(char *const *argv, bool act, unsigned seconds, bool stop, struct sandbox_end *end) {
	static char output[4096];
	static char *env[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
	struct sandbox_run running = { 0 };
	struct error error;
	int pipes[2];
	size_t got = 0;
	if (pipe(pipes) != 0)
		full("pipe");
	fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
	int cwd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sandbox_command command = { .argv = argv, .env = env, .act = act, .cwd = cwd, .in = -1, .out = pipes[1], .err = pipes[1],
		.timeout = seconds };
	if (sandbox_start(&policy, &command, &running, &error) != 0)
		full(error.text);
	close(pipes[1]);
	close(cwd);
	for (ssize_t n; (n = read(pipes[0], output + got, sizeof output - got)) > 0; got += (size_t)n)
		if (stop)
			sandbox_stop(&running);
	close(pipes[0]);
	sandbox_finish(&running, end);
	return (struct str){ output, got };
}

static void ended(const char *name, const char *const *argv, unsigned seconds, bool stop, enum sandbox_how how, int code, const char *want) {
	struct sandbox_end end;
	struct str got = run((char *const *)(size_t)argv, false, seconds, stop, &end);
	check(end.how == how && end.code == code && (want == NULL || str_eq(got, str_of(want))), name,
		arena_format(&arena, "how %d, code %d, %s, output %.*s", end.how, end.code, end.text, (int)got.len, got.at));
}
#define ENDED(name, seconds, stop, how, code, want, ...) \
	ended(name, (const char *const[]){ __VA_ARGS__, NULL }, seconds, stop, how, code, want)

static void warden_tests(void) {
	struct error error;
	struct sandbox_end end;
	if (sandbox_open(&policy, &arena, 0, &error) != 0)
		full(error.text);
	if (sandbox_grant(&policy, directory, SANDBOX_GRANT_WRITE, &error) != 0)
		full(error.text);
	ENDED("warden: exit status and output", 0, false, SANDBOX_EXITED, 7, "x y|\n", "sh", "-c", "echo \"$1|\"; exit 7", "sh", "x y");
	ENDED("warden: a signal", 0, false, SANDBOX_SIGNALED, 15, NULL, "sh", "-c", "kill -TERM $$");
	ENDED("warden: a command that is not there", 0, false, SANDBOX_NOT_STARTED, 127, "", "no-such-command");
	ENDED("warden: a command that cannot be run", 0, false, SANDBOX_NOT_STARTED, 126, "", "/etc/passwd");
	ENDED("warden: time", 1, false, SANDBOX_TIMEOUT, 9, "", "sleep", "1000");
	ENDED("warden: stopped by the host", 0, true, SANDBOX_SIGNALED, 9, "a\n", "sh", "-c", "trap '' TERM INT; echo a; sleep 1000");
	ENDED("warden: the environment is the one given", 0, false, SANDBOX_EXITED, 0, "this\n", "sh", "-c", "echo \"$ONLY$HOME$USER\"");
	ENDED("warden: starts in its directory, without input", 0, false, SANDBOX_EXITED, 0, "file", "sh", "-c", "cat; printf %s f*e");
	ENDED("warden: no descriptor but three", 0, false, SANDBOX_EXITED, 0, "012", "sh", "-c",
		"for f in 0 1 2 3 4 5 6 7 8 9; do (: >&$f) 2>/dev/null && printf $f; done; :");
	ENDED("warden: what runs on in its group is killed", 0, false, SANDBOX_EXITED, 0, "", "sh", "-c", "sleep 1000 & exit 0");
	char *const probe[] = { "probe", "this", NULL };
	struct str got = run(probe, true, 0, false, &end);
	check(end.how == SANDBOX_EXITED && end.code == 42 && str_eq(got, STR("act this")), "warden: an act", end.text);
	tool = arena_format(&arena, "%s/refuses", directory);
	ENDED("warden: a profile that is not taken is a refusal", 0, false, SANDBOX_REFUSED, 3, "", "echo", "ran");
	tool = "/nonexistent";
	check(sandbox_open(&policy, &arena, 0, &error) == -1 && error.status == 3, "no sandbox-exec is exit 3", error.text);
}

static int act(char *const *argv) {
	printf("act %s", argv[1]);
	fflush(stdout);
	return 42;
}

static void script(const char *name, const char *text) {
	char *path = arena_format(&arena, "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0 || chmod(path, 0755) != 0)
		full(path);
}

int main(int argc, char **argv) {
	if (argc > 1 && strcmp(argv[1], "__sandbox-exec") == 0)
		sandbox_main(argc, argv, act);
	if (arena_open(&arena, (size_t)1 << 28, full) != 0 || mkdtemp(directory) == NULL)
		full("no place to work in");
	script("file", "");
	script("runs", "#!/bin/sh\n[ \"$1\" = -p ] || exit 64\nshift 2\nwhile case $1 in -D*) ;; *) false ;; esac; do shift; done\nexec \"$@\"\n");
	script("refuses", "#!/bin/sh\nexit 65\n");
	mkdir(arena_format(&arena, "%s/ws \"(x)", directory), 0700);
	size_t mark = arena.used;
	tool = "/bin/sh";
	profile_tests();
	arena_reset(&arena, mark);
	tool = arena_format(&arena, "%s/runs", directory);
	warden_tests();
	execlp("rm", "rm", "-rf", directory, (char *)NULL);
	return 1;
}
