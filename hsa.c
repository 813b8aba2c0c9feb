/* hsa - host shell agent: gives a language model one tool, a shell on this machine, without giving it the machine.
 *
 * Read it from top to bottom, in the order of one run:
 *
 *   1. ending       whatever happens, the private directory goes and nothing is left      leave, die
 *   2. options      the command line and the environment; the key leaves /proc            options_read, key_take
 *   3. workspace    the fixture or the person's crate                                     workspace_open
 *   4. boundary     what a command gets: paths, variables; how one is run                 policy_make, contained
 *   5. probes       the boundary is tried, not described                                  probes_run
 *   6. the model    requests, retries, the tool `bash`                                    model_loop
 *   7. the verdict  the host decides                                                      judge
 *   8. commands     exec, probe, verify, fixture, audit, the agent, main
 *
 * The kernel's policy is in landlock.h (Linux) and seatbelt.c (macOS), the verdict's rules in verify.c, TLS and HTTP in http.c,
 * the model's answer in answer.c, what a person sees and the log in report.c, the ground all stand on in json.c.
 * `cc -O2 -o hsa hsa.c -lbearssl` builds it. */
#define HSA_VERSION "1.0"
#include "json.c"
#include "report.c"
#include "answer.c"
#include "verify.c"
#if defined(__linux__)
#include "landlock.h"
#elif defined(__APPLE__)
#include "seatbelt.c"
#else
#error "hsa knows how to confine a command on Linux and macOS only"
#endif
#include "fixture.inc"
#include <arpa/inet.h>
#include <bearssl.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_RED = 1, EXIT_USAGE = 2, EXIT_BOUNDARY = 3, EXIT_MODEL = 4, EXIT_MACHINE = 5, EXIT_TIMEOUT = 124 };

#define ARENA_MAX ((size_t)1 << 32)   /* address space of one arena; what a run may hold in memory is far below */
#define DIFF_MAX ((size_t)256 << 10)  /* bytes of the diff that a run prints and logs */
#define LOG_MAX ((size_t)1 << 30)     /* bytes of a log that audit reads */
#define DISK_LEAST (4u << 20)         /* bytes free, below which a failed build says nothing about the crate */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- 1. Ending --------------------------------------------------------------------------------------------- */

static struct {
	struct arena run, turn, event; /* for the run; for one turn or check; for one event's line */
	char *private;                 /* the private directory, 0700; NULL while there is none */
	bool keep, leaving, started;   /* started: run_started is in the log */
	pid_t victim; int wake[2];     /* a process for the probes to act on; a signal writes here: whoever waits polls wake[0] */
	volatile sig_atomic_t stopped; /* the signal that ended the run */
	char why[sizeof((struct error *)0)->text]; /* the error that ended it */
	int64_t began, requests, input, cached, output, model_ms, command_ms, verdict_ms; /* began: monotonic, ms */
	int64_t *clock, since;         /* which of them counts now, since when */
} host;

static _Noreturn void leave(int status);

/* Counts time for *counter from now on; NULL: for none. Gives the milliseconds that the last one has got. */
static int64_t clock_on(int64_t *counter) {
	int64_t now = report_ms(CLOCK_MONOTONIC), passed = host.clock == NULL ? 0 : now - host.since;
	if (host.clock != NULL) *host.clock += passed;
	host.clock = counter, host.since = now;
	return passed;
}

/* A signal came: the run ends; nothing is said. */
static void check_stopped(void) {
	if (host.stopped) leave(128 + host.stopped);
}

/* Prints the error and ends the run with its status. Nothing is said to a reader that has gone (| head). */
static _Noreturn void die_error(const struct error *error) {
	check_stopped();
	memcpy(host.why, error->text, sizeof host.why);
	if (error->status != 128 + SIGPIPE) report_warn(error->text);
	leave(error->status);
}

/* One line on standard error, "hsa: " before it, and the end. A format that ends in ':' gets strerror(errno). */
#define die(status, ...) do { \
		struct error die_why; \
		error_set(&die_why, status, __VA_ARGS__); \
		die_error(&die_why); \
	} while (0)

/* An arena's handler. What lies in the arenas of the moment is given up, so that there is room to say so and to clean up. */
static void out_of_memory(const char *what) {
	arena_reset(&host.event, 0);
	arena_reset(&host.turn, 0);
	die(EXIT_MACHINE, "%s", what);
}

/* The host holds the key: no core (1, not 0: that stops a piped core_pattern too, core(5)), no debugger, no /proc/PID/mem. */
static void host_secret(void) {
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 1, 1 });
#ifdef PR_SET_DUMPABLE
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

static void on_signal(int number) {
	int saved = errno;
	host.stopped = number;
	if (write(host.wake[1], "", 1) < 0) {} /* full: it is readable already */
	errno = saved;
}

static void signals_catch(void) {
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	void (*hangup)(int) = signal(SIGHUP, SIG_DFL);
	sigset_t none;
	if (pipe(host.wake) != 0) die(EXIT_MACHINE, "pipe:");
	for (int k = 0; k < 2; k++) fcntl(host.wake[k], F_SETFD, FD_CLOEXEC), fcntl(host.wake[k], F_SETFL, O_NONBLOCK);
	for (size_t k = 0; k < COUNT(caught); k++)
		sigaction(caught[k], &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
	if (hangup == SIG_IGN) signal(SIGHUP, SIG_IGN); /* nohup(1) */
	signal(SIGPIPE, SIG_IGN), signal(SIGXFSZ, SIG_IGN); /* an error of write(2), then */
	sigemptyset(&none), sigprocmask(SIG_SETMASK, &none, NULL);
}

static void fail_ignored(const struct error *error) { (void)error; }

/* Ends the run: nothing runs, nothing is left, the log is closed. Everything that ends the program goes through here. */
static _Noreturn void leave(int status) {
	struct error error;
	if (host.leaving) _exit(status);
	host.leaving = true;
	if (host.victim > 0) kill(host.victim, SIGKILL);
	report_standard_restore(), reporter.fail = fail_ignored; /* what cannot be said any more keeps nothing from being cleaned up */
	clock_on(NULL);
	if (host.started)
		report_event("run_ended", "'status':%d,'requests':%d,'input_tokens':%d,'cached_tokens':%d,'output_tokens':%d,'model_ms':%d,"
		    "'command_ms':%d,'verdict_ms':%d,'total_ms':%d,'error':%s", (int64_t)status, host.requests, host.input, host.cached,
		    host.output, host.model_ms, host.command_ms, host.verdict_ms, report_ms(CLOCK_MONOTONIC) - host.began, host.why);
	if (report_log_close(&error) != 0) {
		report_warn(error.text);
		status = status == 0 ? EXIT_MACHINE : status;
	}
	if (host.private != NULL && host.keep) report_say(PLAIN, "kept: %s\n", host.private);
	else if (host.private != NULL && crate_remove(host.private) != 0) {
		error_set(&error, EXIT_MACHINE, "cannot remove %s:", host.private);
		report_warn(error.text);
	}
	report_hide();
	_exit(status);
}

/* ---- 2. Options -------------------------------------------------------------------------------------------- */

#define LIST_MAX 64
struct list {
	char *at[LIST_MAX];
	size_t count;
};

static struct {
	bool interactive, ask, allow_manifest, json, keep, read_only, help, version;
	const char *task, *model, *base_url, *api, *effort, *ca_file, *demo, *log, *against, *dir;
	long iterations, silence, timeout, output_limit;
	struct list writable, readable, without;
} opt = { .api = "responses", .iterations = 16, .silence = 300, .output_limit = 24576 };

enum { AGENT = 1, EXEC = 2, PROBE = 4, VERIFY = 8, FIXTURE = 16, AUDIT = 32, BOUNDARY = AGENT | EXEC | PROBE | VERIFY, ANY = 63 };

/* Words in DIR's place: commands, which stand first, and what is easily taken for one where there is no such directory. */
static const struct {
	const char *name;
	int command;
	const char *meant;
} command_names[] = {
	{ "exec", EXEC, "exec" }, { "probe", PROBE, "probe" }, { "verify", VERIFY, "verify" }, { "fixture", FIXTURE, "fixture" },
	{ "audit", AUDIT, "audit" }, { "help", 0, "--help" }, { "version", 0, "--version" }, { "demo", 0, "--demo" },
	{ "fix", 0, "--demo=fix" }, { "liar", 0, "--demo=liar" }, { "escape", 0, "--demo=escape" },
};

/* One option: where it goes, what it takes, and the commands that know it. One of the four pointers is set. */
static const struct option {
	const char *name;
	char letter;
	int commands;
	bool *flag;
	const char **text;
	long *number, least, most;
	struct list *list;
} options[] = {
	{ .name = "interactive", .letter = 'i', .commands = AGENT, .flag = &opt.interactive },
	{ .name = "task", .letter = 't', .commands = AGENT, .text = &opt.task },
	{ .name = "model", .letter = 'm', .commands = AGENT, .text = &opt.model },
	{ .name = "base-url", .commands = AGENT, .text = &opt.base_url },
	{ .name = "api", .commands = AGENT, .text = &opt.api },
	{ .name = "effort", .commands = AGENT, .text = &opt.effort },
	{ .name = "ca-file", .commands = AGENT, .text = &opt.ca_file },
	{ .name = "max-iterations", .commands = AGENT, .number = &opt.iterations, .least = 1, .most = 1000 },
	{ .name = "model-timeout", .commands = AGENT, .number = &opt.silence, .least = 1, .most = 86400 },
	{ .name = "demo", .commands = AGENT, .text = &opt.demo }, { .name = "ask", .commands = AGENT, .flag = &opt.ask },
	{ .name = "allow-manifest", .commands = AGENT | VERIFY, .flag = &opt.allow_manifest },
	{ .name = "log", .commands = AGENT, .text = &opt.log }, { .name = "keep", .commands = AGENT, .flag = &opt.keep },
	{ .name = "json", .commands = AGENT | PROBE | VERIFY, .flag = &opt.json },
	{ .name = "writable", .commands = BOUNDARY, .list = &opt.writable },
	{ .name = "readable", .commands = BOUNDARY, .list = &opt.readable },
	{ .name = "read-only", .commands = BOUNDARY, .flag = &opt.read_only },
	{ .name = "without", .commands = BOUNDARY, .list = &opt.without },
	{ .name = "timeout", .commands = BOUNDARY, .number = &opt.timeout, .least = 1, .most = 864000 },
	{ .name = "output-limit", .commands = BOUNDARY, .number = &opt.output_limit, .least = 256, .most = 1 << 20 },
	{ .name = "against", .commands = VERIFY, .text = &opt.against },
	{ .name = "directory", .letter = 'C', .commands = EXEC | PROBE, .text = &opt.dir },
	{ .name = "version", .commands = ANY, .flag = &opt.version },
	{ .name = "help", .letter = 'h', .commands = ANY, .flag = &opt.help },
};

static const char usage[] =
	"hsa [options] [DIR]               repair the Rust suite in DIR, then judge it\n"
	"hsa exec [-C DIR] -- COMMAND ...  run one command inside the boundary\n"
	"hsa probe [-C DIR] [--json]       try to cross the boundary, print what happens\n"
	"hsa verify [--against DIR0] DIR   only the verdict; DIR0: the crate as it was\n"
	"hsa fixture DIR                   write the failing crate to DIR\n"
	"hsa audit LOG                     print a run again from its log\n"
	"  --demo[=NAME]       no key, no network: fix (default), liar, escape: scripted\n"
	"  -i, --interactive   ask for the task        -t, --task TEXT    the task\n"
	"  -m, --model NAME    (gpt-5.6-terra)         --base-url URL     of the server\n"
	"  --api NAME          responses or chat       --effort LEVEL     of reasoning\n"
	"  --max-iterations N  times it is asked (16)  --model-timeout S  silence (300)\n"
	"  --ca-file FILE      roots to trust          --ask              before commands\n"
	"  --log FILE          of the run, JSON Lines  --json             to the output\n"
	"  --keep              private directory       --allow-manifest   new Cargo.toml\n"
	"The boundary (agent, exec, probe, verify):\n"
	"  --writable PATH     one more to write       --readable PATH    one to read\n"
	"  --read-only         not even DIR            --timeout S        a command (120)\n"
	"  --without LAYER,... leave out read, ipc, metadata, process or device\n"
	"  --output-limit N    bytes of a command's output shown to the model (24576)\n"
	"Options stand before or behind DIR, also as --name=value; -- ends them.\n"
	"The key is $OPENAI_API_KEY. Ends with 0: passes, 1: does not, 2: usage,\n"
	"3: no boundary, 4: the model, 5: this machine. All of it: man ./hsa.1\n";

static void option_set(const struct option *o, const char *name, char *value) {
	if (o->number != NULL) {
		char *end;
		errno = 0;
		*o->number = strtol(value, &end, 10);
		if (*value < '0' || *value > '9' || *end != '\0' || errno != 0 || *o->number < o->least || *o->number > o->most)
			die(EXIT_USAGE, "%s: '%s' is not a number from %ld to %ld", name, value, o->least, o->most);
	} else if (o->list != NULL) {
		if (o->list->count == LIST_MAX) die(EXIT_USAGE, "%s: more than %d", name, LIST_MAX);
		o->list->at[o->list->count++] = value;
	} else *o->text = value;
}

/* Reads one option at args[0]; gives how many arguments it took, 1 or 2. */
static int option_read(char **args, int command) {
	bool is_long = args[0][1] == '-';
	char *arg = args[0], *name = arg + (is_long ? 2 : 1), *equals = is_long ? strchr(name, '=') : NULL, *value = NULL;
	size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
	const struct option *o = options, *end = options + COUNT(options);
	while (o < end && !(is_long ? strlen(o->name) == len && memcmp(o->name, name, len) == 0 : o->letter == *name && *name != '\0'))
		o++;
	if (o == end || (o->commands & command) == 0)
		die(EXIT_USAGE, "%s: unknown option%s; see hsa --help", arg, o == end ? "" : " for this command");
	if (equals != NULL) value = equals + 1;
	else if (!is_long && name[1] != '\0') value = name + 1;
	if (o->flag != NULL) {
		if (value != NULL) die(EXIT_USAGE, "%s: takes no value", arg);
		*o->flag = true;
		return 1;
	}
	static char fix[] = "fix"; /* --demo alone */
	if (o->text == &opt.demo && value == NULL) value = fix;
	int used = value == NULL ? 2 : 1;
	if (value == NULL && (value = args[1]) == NULL) die(EXIT_USAGE, "%s: needs a value", arg);
	option_set(o, arg, value);
	return used;
}

/* Reads all options; what is none of them goes to rest. For exec the first such word, or "--", begins the command. */
static char **options_read(char **args, int command, struct list *rest) {
	while (*args != NULL) {
		if (strcmp(*args, "--") == 0) {
			args++;
			break;
		}
		if ((*args)[0] == '-' && (*args)[1] != '\0') args += option_read(args, command);
		else if (command == EXEC) break;
		else if (rest->count < LIST_MAX) rest->at[rest->count++] = *args++;
		else die(EXIT_USAGE, "too many arguments; see hsa --help");
	}
	for (; command != EXEC && *args != NULL && rest->count < LIST_MAX; args++) rest->at[rest->count++] = *args;
	return args;
}

/* The layers named by --without, as bits. */
#define SANDBOX_ALWAYS (1u << SANDBOX_WRITE | 1u << SANDBOX_NETWORK | 1u << SANDBOX_LIFETIME)
static unsigned without_bits(void) {
	unsigned bits = 0;
	for (size_t k = 0; k < opt.without.count; k++)
		for (const char *name = opt.without.at[k]; name != NULL; name = strchr(name, ',') == NULL ? NULL : strchr(name, ',') + 1) {
			size_t len = strcspn(name, ","), layer = 0;
			while (layer < SANDBOX_LAYERS && !(strlen(sandbox_names[layer]) == len && memcmp(sandbox_names[layer], name, len) == 0))
				layer++;
			if (layer == SANDBOX_LAYERS)
				die(EXIT_USAGE, "--without %.*s: no such layer; read, ipc, metadata, process or device", (int)len, name);
			if ((SANDBOX_ALWAYS & 1u << layer) != 0)
				die(EXIT_USAGE, "--without %s: cannot be left out: it is what the program is for", sandbox_names[layer]);
			bits |= 1u << layer;
		}
	return bits;
}

/* Takes the key out of the environment and writes over it there, so that /proc shows it no longer (proc_pid_environ(5)). */
static void key_take(void) {
	char *value = getenv("OPENAI_API_KEY");
	if (value == NULL) return;
	reporter.key = (struct str){ arena_z(&host.run, str_of(value)), strlen(value) };
	memset(value, 'x', reporter.key.len);
	unsetenv("OPENAI_API_KEY");
}

/* ---- 3. Workspace ------------------------------------------------------------------------------------------ */

static struct {
	char *path;        /* absolute, links resolved */
	bool fixture;
} workspace;

static char *join(const char *dir, const char *name) {
	return arena_format(&host.run, "%s/%s", dir, name);
}

static void directory_make(const char *path) {
	if (mkdir(path, 0777) != 0) die(EXIT_USAGE, "%s:", path);
}

/* Whether the regular file dir/name holds exactly text. */
static bool file_is(const char *dir, const char *name, const char *text) {
	char space[4096];
	size_t len = strlen(text);
	int fd = open(join(dir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, space, sizeof space);
	if (fd >= 0) close(fd);
	return n == (ssize_t)len && memcmp(space, text, len) == 0;
}

/* Writes a file that must not exist yet. */
static void file_make(const char *dir, const char *name, const char *text) {
	char *path = join(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0 || report_write(fd, str_of(text)) != 0 || close(fd) != 0)
		die(errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG ? EXIT_MACHINE : EXIT_USAGE, "%s:", path);
}

static void fixture_write(const char *dir) {
	directory_make(join(dir, "src"));
	file_make(dir, "Cargo.toml", fixture_manifest);
	file_make(dir, "src/lib.rs", fixture_lib);
}

/* Sets src/lib.rs of a fixture back to its failing state; what was there stays beside it. */
static void fixture_reset(const char *dir) {
	struct stat st;
	char *src = join(dir, "src"), *lib = join(src, "lib.rs");
	if (lstat(src, &st) != 0) directory_make(src);
	else if (!S_ISDIR(st.st_mode)) die(EXIT_USAGE, "%s: is not a directory; move it away", src);
	if (file_is(src, "lib.rs", fixture_lib)) return;
	if (lstat(lib, &st) == 0) {
		char *kept = join(src, "lib.rs.before");
		for (unsigned k = 2; lstat(kept, &st) == 0; k++) kept = arena_format(&host.run, "%s/lib.rs.before.%u", src, k);
		if (rename(lib, kept) != 0) die(EXIT_USAGE, "%s:", lib);
		report_say(PLAIN, "src/lib.rs is set back to its failing state; what was there is %s\n", kept);
	}
	file_make(src, "lib.rs", fixture_lib);
}

static bool directory_empty(const char *path) {
	DIR *list = opendir(path);
	size_t names = 0;
	if (list == NULL) die(EXIT_USAGE, "%s:", path);
	while (readdir(list) != NULL) names++;
	closedir(list);
	return names <= 2; /* "." and ".." */
}

/* What DIR is (DESIGN: "DIR"); nothing is made yet. option: by which it was named, or "". Gives whether it is missing or empty,
 * and is to get the fixture, where that may be. */
static bool workspace_open(const char *option, const char *dir, bool may_write) {
	struct stat st;
	struct error error;
	const char *named = arena_format(&host.run, "%s%s", option, dir);
	if (*dir == '\0') die(EXIT_USAGE, "%sDIR is empty; name a directory", option);
	if (lstat(dir, &st) != 0) {
		if (errno != ENOENT || !may_write) die(EXIT_USAGE, "%s:", named);
		return true;
	}
	if (stat(dir, &st) != 0) die(EXIT_USAGE, "%s: a link that leads nowhere", named);
	if (!S_ISDIR(st.st_mode)) die(EXIT_USAGE, "%s: is not a directory", named);
	workspace.path = arena_take(&host.run, PATH_MAX, 1);
	if (realpath(dir, workspace.path) == NULL) die(EXIT_USAGE, "%s:", named);
	if (may_write && access(workspace.path, W_OK | X_OK) != 0) die(EXIT_USAGE, "%s: cannot be written:", named);
	if (may_write && directory_empty(workspace.path)) return true;
	if (lstat(join(workspace.path, "Cargo.toml"), &st) != 0)
		die(EXIT_USAGE, "%s: holds files but no Cargo.toml; name a crate, or an empty directory for the fixture", named);
	workspace.fixture = file_is(workspace.path, "Cargo.toml", fixture_manifest);
	if (!workspace.fixture && cargo_root_check(&host.run, workspace.path, &error) != 0) die_error(&error);
	return false;
}

/* Writes the fixture to a directory that is missing or empty. */
static void workspace_make(const char *dir) {
	if (mkdir(dir, 0777) != 0 && errno != EEXIST) die(EXIT_USAGE, "%s:", dir);
	workspace.path = arena_take(&host.run, PATH_MAX, 1);
	if (realpath(dir, workspace.path) == NULL) die(EXIT_USAGE, "%s:", dir);
	workspace.fixture = true;
	fixture_write(workspace.path);
}

/* Whether path is dir or lies below it; both absolute and resolved. */
static bool path_inside(const char *path, const char *dir) {
	size_t n = strlen(dir);
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0' || (n > 0 && dir[n - 1] == '/'));
}

/* Whether path, which is resolved, is one of those that an option names, or lies below it. */
static bool path_named(const struct list *named, const char *path) {
	char real[PATH_MAX];
	bool found = false;
	for (size_t k = 0; k < named->count && !found; k++)
		found = realpath(named->at[k], real) != NULL && path_inside(path, real);
	return found;
}

/* Whether a command may write there. */
static bool path_granted(const char *path) {
	return (workspace.path != NULL && path_inside(path, workspace.path)) || path_named(&opt.writable, path);
}

/* Makes the private directory, 0700, where no command may write but in what place_open grants. below: what to make in it. */
static void private_make(const char *const *below) {
	const char *bases[] = { report_environment("TMPDIR", "/tmp"), "/tmp", "/var/tmp" };
	bool granted = false;
	for (size_t k = 0; k < 2 * COUNT(bases) && host.private == NULL; k++) { /* first where commands may not even read */
		char base[PATH_MAX], *path = realpath(bases[k % COUNT(bases)], base) == NULL ? NULL : arena_format(&host.run, "%s/hsa-XXXXXX", base);
		if (path == NULL || (k < COUNT(bases) && path_named(&opt.readable, base))) continue;
		if (path_granted(base)) granted = true;
		else if (mkdtemp(path) != NULL) host.private = path;
	}
	if (host.private == NULL)
		die(granted ? EXIT_USAGE : EXIT_MACHINE, "no place for a private directory: TMPDIR, /tmp and /var/tmp are missing, cannot be "
		    "written, or commands may write there; set TMPDIR");
	for (; *below != NULL; below++)
		if (mkdir(join(host.private, *below), 0700) != 0) die(EXIT_MACHINE, "%s/%s:", host.private, *below);
}

/* For one command all of it is the command's; for the rest the command's part is tmp. */
static const char *const private_one[] = { "home", NULL }, *const private_run[] = { "tmp", "tmp/home", "outside", "judge", NULL };

/* ---- 4. Boundary ------------------------------------------------------------------------------------------- */

/* Where a command works. Below tmp are its HOME (home) and CARGO_HOME (cargo). */
struct place {
	const char *dir, *tmp, *target;
	bool read_only;
};

/* cargo reads settings in every directory above the crate, and stops where it may not: those files are granted, unless
 * somebody else could have written them, or they hold a secret. */
static void policy_above(struct sandbox_policy *policy, const char *dir) {
	static const char *const names[] = { "Cargo.toml", ".cargo/config.toml", ".cargo/config" };
	char *above = arena_z(&host.run, str_of(dir));
	struct error error;
	struct str text;
	for (char *slash; (slash = strrchr(above, '/')) != NULL && above[1] != '\0';) {
		slash[slash == above] = '\0';
		for (size_t k = 0; k < COUNT(names); k++) {
			char *path = join(above[1] == '\0' ? "" : above, names[k]);
			if (access(path, F_OK) != 0) continue;
			struct stat st, around; /* a link may be an earlier command's, to somebody's secret */
			if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || (k > 0 && (lstat(join(above, ".cargo"), &around) != 0 || !S_ISDIR(around.st_mode))) ||
			    !cargo_trusted(&host.turn, path) || !verdict_read(&host.turn, AT_FDCWD, path, &text))
				die(EXIT_USAGE, "%s: governs what cargo builds in %s, and is a link or others could have written it; move it away", path, dir);
			const char *secret = k == 0 || path_named(&opt.readable, path) ? NULL : cargo_secret(&host.turn, text);
			if (secret != NULL)
				die(EXIT_USAGE, "%s: may hold a secret (%s), and cargo must read it to build in %s; move that to credentials.toml or your "
				    "environment, or name the file with --readable", path, secret, dir);
			if (sandbox_grant(policy, path, SANDBOX_GRANT_READ, &error) != 0) die_error(&error);
		}
	}
}

/* Everything a command at that place gets, decided and opened now. cargo: the toolchain, NULL: none. */
static void policy_make(struct sandbox_policy *policy, const struct place *place, const struct cargo *cargo) {
	struct error error;
	bool ok = sandbox_open(policy, &host.run, without_bits(), &error) == 0 && sandbox_grant_system(policy, &error) == 0 &&
	    sandbox_grant(policy, place->dir, place->read_only ? SANDBOX_GRANT_READ : SANDBOX_GRANT_WRITE, &error) == 0 &&
	    sandbox_grant(policy, place->tmp, SANDBOX_GRANT_WRITE, &error) == 0 &&
	    (path_inside(place->target, place->tmp) || sandbox_grant(policy, place->target, SANDBOX_GRANT_WRITE, &error) == 0);
	if (!ok) die_error(&error);
	const struct { const char *option; char *const *at; size_t count; enum sandbox_access access; } more[] = {
		{ "", cargo == NULL ? NULL : cargo->readable, cargo == NULL ? 0 : cargo->count, SANDBOX_GRANT_READ },
		{ "--writable ", opt.writable.at, opt.writable.count, SANDBOX_GRANT_WRITE },
		{ "--readable ", opt.readable.at, opt.readable.count, SANDBOX_GRANT_READ } };
	for (size_t m = 0; m < COUNT(more); m++)
		for (size_t k = 0; k < more[m].count; k++)
			if (sandbox_grant(policy, more[m].at[k], more[m].access, &error) != 0) {
				sandbox_close(policy); /* descriptors may be what is missing, also for cleaning up */
				die(error.status, "%s%s", more[m].option, error.text);
			}
	policy_above(policy, place->dir);
}

/* PATH of a command: the toolchain, then what of ours it may read; an entry it may not read would answer "permission denied"
 * before the next one is tried. */
static char *path_make(const struct sandbox_policy *policy, const struct cargo *cargo) {
	struct buf out = { .arena = &host.run };
	buf_format(&out, "%s", cargo == NULL ? "" : cargo->bin);
	const char *entry = report_environment("PATH", "/usr/local/bin:/usr/bin:/bin");
	for (size_t len; *entry != '\0'; entry += len + (entry[len] == ':')) {
		len = strcspn(entry, ":");
		char real[PATH_MAX];
		if (*entry != '/' || realpath(arena_z(&host.run, (struct str){ entry, len }), real) == NULL) continue;
		bool readable = (policy->without & 1u << SANDBOX_READ) != 0;
		for (size_t k = 0; k < policy->count && !readable; k++) readable = path_inside(real, policy->grants[k].path);
		for (size_t k = 0; k < COUNT(sandbox_system) && !readable; k++) readable = path_inside(real, sandbox_system[k]);
		if (readable && !path_granted(real)) /* what a command can write, the next one, and the judge, would run */
			buf_format(&out, "%s%.*s", out.len > 0 ? ":" : "", (int)len, entry);
	}
	return out.len == 0 ? arena_z(&host.run, STR("/usr/bin:/bin")) : buf_z(&out);
}

/* The environment of a command: an allow list of names, and what is private to it. NULL-terminated. */
static char **env_make(const struct sandbox_policy *policy, const struct place *place, const struct cargo *cargo, bool person) {
	static const char *const passed[] = { "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "RUST_BACKTRACE", "SOURCE_DATE_EPOCH" };
	static const char *const terminal[] = { "TERM", "COLUMNS", "LINES", "COLORTERM", "NO_COLOR" };
	static const char *const fixed[] = { "CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never", "CARGO_INCREMENTAL=0", "GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1=hsa",
		"GIT_CONFIG_KEY_2=user.email", "GIT_CONFIG_VALUE_2=hsa@localhost", "GIT_TERMINAL_PROMPT=0" };
	char **env = arena_take(&host.run, sizeof *env, 48);
	size_t n = 0;
	for (size_t k = 0; k < COUNT(passed); k++)
		if (getenv(passed[k]) != NULL) env[n++] = arena_format(&host.run, "%s=%s", passed[k], getenv(passed[k]));
	for (size_t k = 0; person && k < COUNT(terminal); k++)
		if (getenv(terminal[k]) != NULL) env[n++] = arena_format(&host.run, "%s=%s", terminal[k], getenv(terminal[k]));
	if (!person) env[n++] = arena_z(&host.run, STR("TERM=dumb"));
	for (size_t k = 0; k < COUNT(fixed); k++) env[n++] = arena_z(&host.run, str_of(fixed[k]));
	env[n++] = arena_format(&host.run, "PATH=%s", path_make(policy, cargo));
	env[n++] = arena_format(&host.run, "HOME=%s/home", place->tmp);
	env[n++] = arena_format(&host.run, "TMPDIR=%s", place->tmp);
	env[n++] = arena_format(&host.run, "CARGO_HOME=%s/cargo", place->tmp);
	env[n++] = arena_format(&host.run, "CARGO_TARGET_DIR=%s", place->target);
	return env;
}

/* Takes the bytes of a command's output as they come. */
struct sink {
	void (*take)(void *context, struct str bytes);
	void *context;
};

static void drain(int fd, const struct sink *sink, bool *open) {
	char bytes[65536];
	ssize_t n = read(fd, bytes, sizeof bytes);
	if (n > 0) sink->take(sink->context, (struct str){ bytes, (size_t)n });
	else if (n == 0 || (errno != EAGAIN && errno != EINTR)) *open = false;
}

/* Runs a command inside the boundary to its end. Its output goes to sinks[0], its errors to sinks[1]; nsinks 1: both to the
 * first, in the order they come; 0: command's own descriptors. Ends the run where a signal came or the boundary refused. */
static void contained(struct sandbox_policy *policy, struct sandbox_command command, const struct sink *sinks, size_t nsinks,
    struct sandbox_end *end) {
	struct sandbox_run run = { .report = -1 };
	struct error error;
	int pipes[2][2];
	bool open[2] = { nsinks > 0, nsinks > 1 }, told = false;
	check_stopped();
	for (size_t k = 0; k < nsinks; k++) {
		if (pipe(pipes[k]) != 0) die(EXIT_MACHINE, "pipe:");
		for (int i = 0; i < 2; i++) fcntl(pipes[k][i], F_SETFD, FD_CLOEXEC);
		fcntl(pipes[k][0], F_SETFL, O_NONBLOCK);
	}
	if (nsinks > 0) command.out = pipes[0][1], command.err = pipes[nsinks - 1][1];
	if (sandbox_start(policy, &command, &run, &error) != 0) die_error(&error);
	for (size_t k = 0; k < nsinks; k++) close(pipes[k][1]);
	for (bool ended = false; !ended;) {
		struct pollfd fds[4] = { { .fd = run.report, .events = POLLIN }, { .fd = told ? -1 : host.wake[0], .events = POLLIN },
			{ .fd = open[0] ? pipes[0][0] : -1, .events = POLLIN }, { .fd = open[1] ? pipes[1][0] : -1, .events = POLLIN } };
		if (poll(fds, 4, -1) < 0) continue;
		if (host.stopped && !told) sandbox_stop(&run);
		told = host.stopped != 0;
		for (size_t k = 0; k < nsinks; k++) if (open[k] && fds[k + 2].revents != 0) drain(pipes[k][0], &sinks[k], &open[k]);
		ended = fds[0].revents != 0;
	}
	sandbox_finish(&run, end); /* nothing of the command lives any more: what is in the pipes is all */
	for (size_t k = 0; k < nsinks; k++) {
		while (open[k] && poll(&(struct pollfd){ .fd = pipes[k][0], .events = POLLIN }, 1, 1000) > 0)
			drain(pipes[k][0], &sinks[k], &open[k]);
		close(pipes[k][0]);
	}
	check_stopped();
	if (end->how == SANDBOX_REFUSED) die(end->code, "%s", end->text);
}

/* ---- 5. Probes --------------------------------------------------------------------------------------------- */

enum act { ACT_WRITE, ACT_READ, ACT_INET, ACT_UNIX, ACT_MODE, ACT_SIGNAL, ACT_PRIORITY, ACT_DEVICE, ACT_DAEMON };

static const struct probe {
	enum sandbox_layer layer;
	enum act act;
	bool works; /* the act is meant to succeed inside; no control then */
	const char *name;
} probes[] = {
	{ SANDBOX_WRITE, ACT_WRITE, true, "write in the workspace" },
	{ SANDBOX_WRITE, ACT_WRITE, false, "create a file outside" },
	{ SANDBOX_READ, ACT_READ, false, "read a secret outside" },
	{ SANDBOX_NETWORK, ACT_INET, false, "connect to a TCP port" },
	{ SANDBOX_IPC, ACT_UNIX, false, "connect to a unix socket" },
	{ SANDBOX_METADATA, ACT_MODE, false, "change a mode outside" },
	{ SANDBOX_PROCESS, ACT_SIGNAL, false, "signal a process outside" },
	{ SANDBOX_PROCESS, ACT_PRIORITY, false, "lower a priority outside" },
	{ SANDBOX_DEVICE, ACT_DEVICE, false, "open a terminal device" },
	{ SANDBOX_LIFETIME, ACT_DAEMON, false, "outlive the command" },
};

/* Connects a stream socket to a port of loopback or to a unix socket. 0, or -1 with errno. */
static int act_connect(int family, const char *object) {
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(object)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	snprintf(un.sun_path, sizeof un.sun_path, "%s", object); /* the host has looked that it fits */
	int fd = socket(family, SOCK_STREAM, 0);
	return fd < 0 ? -1 : connect(fd, family == AF_INET ? (struct sockaddr *)&in : (struct sockaddr *)&un, family == AF_INET ? sizeof in : sizeof un);
}

/* Leaves a process of another session behind, and tells its number. 0, or -1 with errno. */
static int act_daemon(void) {
	pid_t child = fork();
	if (child == 0) {
		setsid();
		signal(SIGALRM, SIG_DFL);
		close(0), close(1), close(2);
		for (alarm(30);;) pause();
	}
	return child < 0 || dprintf(1, "%d", (int)child) < 0 ? -1 : 0;
}

/* Does the act number args[0] on args[1], a path, a port or a process: inside the boundary in place of a command, and outside,
 * in a child of the host, as the control. Gives 0 where it succeeded, else errno. */
static int probe_act(char *const *args) {
	const char *object = args[1];
	char byte;
	int done = -1;
	switch ((enum act)atoi(args[0])) {
	case ACT_WRITE: done = open(object, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) < 0 ? -1 : unlink(object); break;
	case ACT_READ: done = (done = open(object, O_RDONLY | O_CLOEXEC)) < 0 ? -1 : read(done, &byte, 1) == 1 ? 0 : -1; break;
	case ACT_INET: done = act_connect(AF_INET, object); break;
	case ACT_UNIX: done = act_connect(AF_UNIX, object); break;
	case ACT_MODE: done = chmod(object, 0640); break;
	case ACT_SIGNAL: done = kill((pid_t)atoi(object), SIGCONT); break;
	case ACT_PRIORITY: done = setpriority(PRIO_PROCESS, (id_t)atoi(object), 19); break;
	case ACT_DEVICE: done = open(object, O_RDWR | O_NOCTTY | O_CLOEXEC) < 0 ? -1 : 0; break;
	case ACT_DAEMON: done = act_daemon(); break;
	}
	return done == 0 ? 0 : errno;
}

/* Does the act outside. Gives 0 or errno; what it printed goes to out. */
static int probe_control(char *const *args, struct buf *out) {
	int pipes[2], status;
	if (pipe(pipes) != 0) die(EXIT_MACHINE, "pipe:");
	pid_t child = fork();
	if (child == 0) {
		dup2(pipes[1], 1);
		_exit(probe_act(args));
	}
	close(pipes[1]);
	if (child < 0) die(EXIT_MACHINE, "fork:");
	ssize_t n = read(pipes[0], buf_room(out, 32), 32);
	out->len += n < 0 ? 0 : (size_t)n;
	close(pipes[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* Whether the process that a daemon act told of is still there; it is ended. */
static bool probe_alive(struct buf *told) {
	pid_t pid = told->len == 0 ? 0 : (pid_t)atoi(buf_z(told));
	return pid > 1 && kill(pid, SIGKILL) == 0;
}

/* Tries one probe and reports it. Gives whether the boundary failed. */
static bool probe_one(struct sandbox_policy *policy, struct sandbox_command command, const struct probe *probe, const char *object) {
	char *args[] = { arena_format(&host.run, "%d", (int)probe->act), arena_z(&host.run, str_of(object == NULL ? "" : object)), NULL };
	struct buf outside = { .arena = &host.turn };
	struct report_kept inside = { .buf = { .arena = &host.turn }, .limit = 64 };
	bool daemon = probe->act == ACT_DAEMON, in_force = (policy->without & 1u << probe->layer) == 0;
	int control = probe->works || !in_force ? 0 : probe_control(args, &outside);
	const char *result = "left out", *detail = "";
	bool failed = false;
	if (daemon && !probe_alive(&outside)) control = control == 0 ? ESRCH : control;
	if (control != 0) {
		result = "cannot be shown here";
		detail = object == NULL ? "every place for a secret is --readable" :
		    arena_format(&host.turn, "outside it fails too: %s", strerror(control));
	} else if (in_force) {
		struct sandbox_end end;
		command.act = true, command.argv = args;
		contained(policy, command, &(struct sink){ report_keep, &inside }, 1, &end);
		int code = end.how == SANDBOX_EXITED ? end.code : EINTR;
		if (daemon) code = probe_alive(&inside.buf) ? 0 : ESRCH;
		bool missing = code == 0 && !probe->works && !daemon && policy->lacks[probe->layer] != NULL;
		failed = missing ? false : probe->works ? code != 0 : code == 0;
		result = probe->works ? code == 0 ? "works" : "FAILS" : code != 0 ? "refused" : missing ? "NOT in force" : "went through";
		detail = missing ? policy->lacks[probe->layer] : code == 0 ? "" : daemon ? "it was killed" : strerror(code);
	}
	report_event("probe", "'layer':%s,'act':%s,'control':%s,'result':%s,'detail':%s,'means':%s,'lacks':%s", sandbox_names[probe->layer],
	    probe->works && opt.read_only ? "write in TMPDIR" : probe->name, probe->works ? "none" : !in_force ? "not tried" :
	    control == 0 ? "succeeded" : "failed", result, detail, policy->means[probe->layer],
	    policy->lacks[probe->layer] == NULL ? "" : policy->lacks[probe->layer]);
	return failed;
}

/* A listening socket of the family, bound to path or to a free port of loopback, which is told. -1 where there can be none. */
static int probe_listen(int family, const char *path, unsigned *port) {
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = sizeof in;
	int fd = socket(family, SOCK_STREAM, 0);
	if (fd < 0 || (family == AF_UNIX && strlen(path) >= sizeof un.sun_path)) return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (family == AF_UNIX) memcpy(un.sun_path, path, strlen(path));
	if (bind(fd, family == AF_UNIX ? (struct sockaddr *)&un : (struct sockaddr *)&in, family == AF_UNIX ? sizeof un : sizeof in) != 0 ||
	    listen(fd, 8) != 0 || (family == AF_INET && getsockname(fd, (struct sockaddr *)&in, &len) != 0))
		return -1;
	*port = ntohs(in.sin_port);
	return fd;
}

/* Tries every probe; the run ends with 3 where one gets through. */
static void probes_run(struct sandbox_policy *policy, const struct place *place, struct sandbox_command command) {
	char *outside = join(host.private, "outside"), *unix_path = join(outside, "socket");
	unsigned port = 0, unused;
	file_make(outside, "secret", "secret\n");
	int inet = probe_listen(AF_INET, NULL, &port), unix_fd = probe_listen(AF_UNIX, unix_path, &unused);
	host.victim = fork(); /* a process outside, which ends by itself if the host cannot end it */
	if (host.victim == 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGALRM, SIG_DFL);
		for (alarm(60);;) pause();
	}
	char *secret = join(outside, "secret"), *victim = arena_format(&host.run, "%d", (int)host.victim);
	const char *objects[COUNT(probes)] = { join(opt.read_only ? place->tmp : place->dir, ".hsa-probe"), join(outside, "new"),
		path_named(&opt.readable, outside) ? NULL : secret, arena_format(&host.run, "%u", port), strlen(unix_path) < 100 ? unix_path : "",
		secret, victim, victim, "/dev/ptmx", "" };
	const struct probe *failed = NULL;
	for (size_t k = 0; k < COUNT(probes); k++) {
		size_t used = host.turn.used;
		if (probe_one(policy, command, &probes[k], objects[k])) failed = &probes[k];
		arena_reset(&host.turn, used);
	}
	if (host.victim > 0 && kill(host.victim, SIGKILL) == 0) waitpid(host.victim, NULL, 0), host.victim = 0;
	close(inet), close(unix_fd);
	if (failed != NULL)
		die(EXIT_BOUNDARY, "%s: '%s' did not come out as promised: nothing is run here%s%s", sandbox_names[failed->layer], failed->name,
		    (SANDBOX_ALWAYS & 1u << failed->layer) != 0 ? "" : "; to do without that layer: --without ",
		    (SANDBOX_ALWAYS & 1u << failed->layer) != 0 ? "" : sandbox_names[failed->layer]);
}

/* ---- 6. The model ------------------------------------------------------------------------------------------ */

#define RETRIES 4                        /* times a request is sent again */
#define ERROR_BODY_MAX ((size_t)1 << 20) /* bytes of an error's body that are read */
#define WAIT_MAX_MS 60000                /* longest wait that a server may ask for */

static const char instructions[] =
	"You repair a Rust crate whose test suite fails. You have one tool, `bash`: it runs a command in the crate's directory, in a "
	"sandbox without network. Only the crate, $TMPDIR and cargo's target directory can be written. Find out why the suite fails and "
	"repair the code under test. Do not change, remove, ignore or switch off tests, the build files, or what tests lean on: the "
	"host compares them and runs the suite itself, whatever you say. When you are done, answer in a few words without a call.";
static const char default_task[] = "The test suite of this crate fails. Find out why and fix it.";
#define TOOL_SCHEMA "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\",\"description\":\"The command, for bash -c\"}}," \
	"\"required\":[\"command\"],\"additionalProperties\":false}"
static const char tool_says[] = "Runs a command with bash in the crate's directory and gives its exit status and output.";

static struct {
	struct http_client client;
	struct http_url proxy;
	struct http_anchors anchors;
	struct buf body;          /* the request but for the "]}" at its end: it only ever grows */
	size_t logged;            /* bytes of it whose items are in the log */
	bool chat;
	int64_t received;         /* bytes of the answer's body */
	const struct demo_turn *demo;
	char *shell;              /* bash, or sh where there is no bash */
} model;

static void model_open(const char *missing) {
	struct error error;
	const char *url = opt.base_url;
	model.chat = strcmp(opt.api, "chat") == 0;
	struct http_client *client = &model.client;
	client->wake = host.wake[0];
	client->silence = (unsigned)opt.silence;
	if (http_url_read(str_of(url), false, &client->url, &error) != 0) die_error(&error);
	if (client->url.tls && reporter.key.len == 0)
		die(EXIT_USAGE, "no key: set OPENAI_API_KEY, or try hsa --demo, which needs none%s%s%s", missing == NULL ? "" : "; and there is no ",
		    missing == NULL ? "" : missing, missing == NULL ? "" : ", which would get the fixture");
	for (size_t k = 0; k < reporter.key.len; k++)
		if (reporter.key.at[k] <= ' ' || reporter.key.at[k] > '~' || strchr("\"\\", reporter.key.at[k]) != NULL)
			die(EXIT_USAGE, "OPENAI_API_KEY: holds a space, a line end or another character that no key has; set it anew");
	if (client->url.tls && http_anchors_load(&host.run, opt.ca_file, &model.anchors, &error) != 0) die_error(&error);
	client->anchors = &model.anchors;
	const char *proxy = client->url.tls ? report_environment("HTTPS_PROXY", report_environment("https_proxy", NULL)) :
	    report_environment("HTTP_PROXY", report_environment("http_proxy", NULL));
	const char *direct = report_environment("NO_PROXY", report_environment("no_proxy", ""));
	if (proxy != NULL && !http_no_proxy(str_of(direct), client->url.host, client->url.port)) {
		char line[800];
		if (http_url_read(str_of(proxy), true, &model.proxy, &error) != 0) die_error(&error);
		client->proxy = &model.proxy;
		http_proxy_line(&model.proxy, line, sizeof line);
		struct str password = str_of(model.proxy.user), sent = http_trim(str_of(arena_z(&host.run, str_of(line))));
		http_until(&password, ":"), http_until(&sent, " "), http_until(&sent, " ");
		reporter.proxy[0] = password, reporter.proxy[1] = sent;
	}
}

/* The fixed beginning of every request, up to and with the first items of the conversation's array. */
static void body_begin(const char *task) {
	struct buf *b = &model.body;
	bool openai = strcmp(model.client.url.host, "api.openai.com") == 0;
	const char *effort = opt.effort != NULL ? opt.effort : openai && !model.chat ? "medium" : NULL;
	json_format(b, "{'model':%s,'stream':true,'tool_choice':'auto',", opt.model);
	if (openai)
		json_format(b, "'prompt_cache_key':%s,", arena_format(&host.run, "hsa-%llx", (unsigned long long)report_ms(CLOCK_REALTIME)));
	if (model.chat) {
		if (effort != NULL) json_format(b, "'reasoning_effort':%s,", effort);
		json_format(b, "'stream_options':{'include_usage':true},'tools':[{'type':'function','function':{'name':'bash','strict':true,"
		    "'description':%s,'parameters':%r}}],'messages':[", tool_says, STR(TOOL_SCHEMA));
		model.logged = b->len;
		json_format(b, "{'role':'system','content':%s},{'role':'user','content':%s}", instructions, task);
		return;
	}
	if (effort != NULL) json_format(b, "'reasoning':{'effort':%s},'include':['reasoning.encrypted_content'],", effort);
	json_format(b, "'store':false,'parallel_tool_calls':false,'instructions':%s,'tools':[{'type':'function','name':'bash','strict':true,"
	    "'description':%s,'parameters':%r}],'input':[", instructions, tool_says, STR(TOOL_SCHEMA));
	model.logged = b->len;
	json_format(b, "{'type':'message','role':'user','content':%s}", task);
}

static int on_event(void *context, struct str type, struct str data, struct error *error) {
	(void)type;
	model.client.deadline = http_now() + 4000 * (uint64_t)opt.silence;
	return answer_event(context, data, error);
}

/* Waits before a request is sent again; a signal ends it at once. */
static void retry_wait(size_t attempt, long wait_ms, const char *reason) {
	if (wait_ms > WAIT_MAX_MS)
		die(EXIT_MODEL, "%s; the server asks to wait %ld s, longer than %d s: try again later", reason, (wait_ms + 999) / 1000, WAIT_MAX_MS / 1000);
	if (wait_ms < 0) {
		wait_ms = 500L << attempt > 8000 ? 8000 : 500L << attempt;
		wait_ms -= (long)(report_ms(CLOCK_REALTIME) % 100) * wait_ms / 400; /* jitter: up to a quarter less */
	}
	report_event("retry", "'attempt':%d,'wait_ms':%d,'reason':%s", (int64_t)attempt + 1, (int64_t)wait_ms, reason);
	poll(&(struct pollfd){ .fd = host.wake[0], .events = POLLIN }, 1, (int)wait_ms);
	check_stopped();
}

/* Reads the answer's body into *answer. HTTP_FAULT: may be asked again. */
static enum http_result answer_read(struct answer *answer, const struct http_head *head, struct error *error) {
	struct sse sse = { .arena = &host.turn };
	struct buf whole = { .arena = &host.turn };
	char bytes[16384];
	size_t got = 1;
	model.client.deadline = http_now() + 4000 * (uint64_t)opt.silence;
	while (got > 0 && answer->state == ANSWER_OPEN) {
		enum http_result r = http_body(&model.client, bytes, sizeof bytes, &got, error);
		if (r == HTTP_FAULT && http_now() >= model.client.deadline)
			return (enum http_result)(error_set(error, EXIT_MODEL, "the model sends nothing but comments: given up after %ld s; "
			    "--model-timeout S allows more", 4 * opt.silence), HTTP_FATAL);
		if (r != HTTP_OK) return r;
		model.received += (int64_t)got;
		if (!head->event_stream) buf_add(&whole, (struct str){ bytes, got });
		else if (sse_feed(&sse, (struct str){ bytes, got }, on_event, answer, error) != 0) return HTTP_FATAL;
	}
	if (got > 0) { /* the terminal event came; the connection stays good if its body ends within a second */
		model.client.deadline = http_now() + 1000;
		while (http_body(&model.client, bytes, sizeof bytes, &got, error) == HTTP_OK && got > 0) {}
	}
	if (!head->event_stream && !head->json && !str_starts(http_trim(buf_str(&whole)), STR("{")))
		return (enum http_result)(error_set(error, EXIT_MODEL, "the answer is %s, neither JSON nor an event stream: is --base-url right?",
		    head->type[0] == '\0' ? "of no type" : head->type), HTTP_FATAL);
	if (!head->event_stream && answer_body(answer, buf_str(&whole), error) != 0) return HTTP_FATAL;
	if (answer_end(answer, error) != 0) return HTTP_FATAL;
	if (answer->state == ANSWER_OPEN)
		return (enum http_result)(error_set(error, EXIT_MODEL, "the stream ended before the answer did"), HTTP_FAULT);
	return HTTP_OK;
}

/* The words of a failure as they are shown: clean, without the key, not too long. */
static char *failure_words(struct str words) {
	struct buf out = { .arena = &host.turn };
	clean(&(struct cleaner){ 0 }, words, true, &out);
	struct str safe = report_masked(&host.turn, buf_str(&out));
	return safe.len == 0 ? "no words" : arena_format(&host.turn, "%.*s", safe.len > 600 ? 600 : (int)safe.len, safe.at);
}

/* Asks the model once, retries included, and gives its whole answer. */
static void model_ask(struct answer *answer) {
	struct error error;
	struct buf headers = { .arena = &host.turn };
	if (reporter.key.len > 0) buf_format(&headers, "Authorization: Bearer %.*s\r\n", (int)reporter.key.len, reporter.key.at);
	for (size_t attempt = 0, mark = host.turn.used;; attempt++) {
		struct http_head head = { 0 };
		long wait_ms = -1;
		arena_reset(&host.turn, mark);
		*answer = (struct answer){ .arena = &host.turn, .chat = model.chat, .delta = report_stream, .input = -1, .cached = -1,
			.output = -1, .reasoning = -1, .items = { .arena = &host.turn } };
		report_stream_open(&host.turn);
		model.received = 0;
		host.requests++;
		report_wait("waiting for the model");
		buf_add(&model.body, STR("]}"));
		enum http_result r = http_post(&model.client, model.chat ? "/chat/completions" : "/responses", buf_str(&headers),
		    buf_str(&model.body), &head, &error);
		model.body.len -= 2;
		if (r == HTTP_OK && head.status == 200) {
			r = answer_read(answer, &head, &error);
			report_stream(NULL, STR(""));
		} else if (r == HTTP_OK) {
			struct buf body = { .arena = &host.turn };
			struct str words, code;
			size_t got = 1;
			while (r == HTTP_OK && got > 0 && body.len <= ERROR_BODY_MAX) {
				r = http_body(&model.client, buf_room(&body, 16384), 16384, &got, &error);
				body.len += r == HTTP_OK ? got : 0;
			}
			if (r != HTTP_OK || got > 0) http_close(&model.client);
			check_stopped();
			answer_error_body(&host.turn, buf_str(&body), &words, &code);
			if (body.len > ERROR_BODY_MAX) words = STR("(its words are larger than 1 MiB, the limit for an error's body)");
			if (!answer_retry(head.status, head.should_retry, code, words))
				die(EXIT_MODEL, "the server refused (%d%s%.*s): %s%s", head.status, code.len > 0 ? ", " : "", code.len > 60 ? 60 : (int)code.len,
				    code.at == NULL ? "" : code.at, failure_words(words), answer_hint(head.status, code, words, model.chat, reporter.key.len > 0));
			error_set(&error, EXIT_MODEL, head.status == 429 ? "rate limited" : "the server answered %d", head.status);
			if (attempt == RETRIES) die(EXIT_MODEL, "%s, %d times: %s", error.text, RETRIES + 1, failure_words(words));
			wait_ms = head.retry_after_ms;
		}
		report_hide();
		check_stopped();
		if (r == HTTP_FAULT && http_now() >= model.client.since + 1000 * (uint64_t)opt.silence) /* again would be as long again */
			die(EXIT_MODEL, "%s; --model-timeout S allows more", error.text);
		if (r == HTTP_OK && head.status == 200) break;
		if (r != HTTP_OK) http_close(&model.client);
		if ((r != HTTP_OK && r != HTTP_FAULT) || attempt == RETRIES) die_error(&error);
		retry_wait(attempt, wait_ms, arena_format(&host.turn, "%s", error.text));
	}
	if (answer->state != ANSWER_DONE)
		die(EXIT_MODEL, "the model's answer %s: %s%s", answer->state == ANSWER_FAILED ? "failed" : "is incomplete",
		    failure_words(answer->failure), answer_hint(200, answer->code, answer->failure, model.chat, true));
}

/* The scripted stand-in: the next turn of the demo as if a model had said it. */
static void demo_ask(struct answer *answer) {
	const struct demo_turn *turn = model.demo++;
	*answer = (struct answer){ .arena = &host.turn, .state = ANSWER_DONE, .text = str_of(turn->say), .items = { .arena = &host.turn },
		.calls = arena_take(&host.turn, sizeof *answer->calls, 8) };
	for (; answer->count < 7 && turn->commands[answer->count] != NULL; answer->count++) {
		struct buf args = { .arena = &host.turn };
		json_format(&args, "{'command':%s}", turn->commands[answer->count]);
		answer->calls[answer->count] = (struct answer_call){ STR("demo"), STR("bash"), buf_str(&args) };
	}
}

/* What the answer of a command says first. */
static char *ended_text(const struct sandbox_end *end, unsigned timeout, int64_t ms) {
	const char *how = end->how == SANDBOX_EXITED ? arena_format(&host.turn, "exit status %d", end->code) :
	    end->how == SANDBOX_SIGNALED ? arena_format(&host.turn, "killed by signal %d (%s)", end->code, strsignal(end->code)) :
	    end->how == SANDBOX_TIMEOUT ? arena_format(&host.turn, "timed out after %u s and was killed", timeout) :
	    arena_format(&host.turn, "could not be started: %s", end->text);
	return arena_format(&host.turn, "%s, %.1f s%s", how, (double)ms / 1e3, end->left > 0 ? ", what it left running was killed" : "");
}

/* Reads one line from standard input; false at its end. */
static bool line_read(struct buf *line) {
	bool terminal = isatty(0);
	char c;
	for (line->len = 0;;) {
		struct pollfd fds[2] = { { .fd = 0, .events = POLLIN }, { .fd = host.wake[0], .events = POLLIN } };
		poll(fds, 2, -1);
		check_stopped();
		ssize_t n = fds[0].revents == 0 ? -1 : read(0, &c, 1);
		if (terminal && n <= 0 && (fds[0].revents & POLLHUP) != 0) host.stopped = SIGHUP; /* it may be seen before the signal comes */
		check_stopped();
		bool end = n == 0 || (n < 0 && fds[0].revents != 0 && errno != EINTR && errno != EAGAIN);
		if (end || (n == 1 && c == '\n')) {
			if (reporter.column > 0 && !(reporter.terminal && terminal)) report_say(PLAIN, "\n");
			reporter.column = 0; /* behind the prompt: the terminal has echoed the line's end */
			return !end || line->len > 0;
		}
		if (n == 1 && line->len < COMMAND_MAX) buf_byte(line, c);
	}
}

/* --ask: whether the person lets a command run. */
static bool ask_person(void) {
	struct buf line = { .arena = &host.turn };
	while (opt.ask) {
		report_say(YELLOW, "Run it? y (yes), n (no), a (this and all from now on): ");
		if (!line_read(&line)) die(EXIT_USAGE, "--ask: standard input ended before an answer");
		char c = line.len == 1 ? line.at[0] : '\0';
		if (c == 'a') opt.ask = false;
		if (c == 'y' || c == 'a' || c == 'n') return c != 'n';
	}
	return true;
}

/* The shell of the commands: bash, else sh, on their PATH. */
static char *shell_find(const struct sandbox_policy *policy) {
	static const char *const names[] = { "bash", "sh" };
	for (size_t k = 0; k < COUNT(names); k++)
		for (const char *entry = path_make(policy, NULL); *entry != '\0'; entry += strcspn(entry, ":"), entry += *entry == ':') {
			char *path = arena_format(&host.run, "%.*s/%s", (int)strcspn(entry, ":"), entry, names[k]);
			if (access(path, X_OK) == 0) return path;
		}
	die(EXIT_MACHINE, "no bash and no sh on PATH: the model's commands need one; install bash");
}

/* What commands may change, in words. */
static char *writable_words(const struct place *place) {
	struct buf out = { .arena = &host.turn };
	if (!opt.read_only) buf_format(&out, "%s%s", place->dir, opt.writable.count > 0 ? ", " : " and ");
	for (size_t k = 0; k < opt.writable.count; k++)
		buf_format(&out, "%s%s", opt.writable.at[k], k + 1 < opt.writable.count ? ", " : " and ");
	buf_format(&out, "%s", place->tmp);
	return buf_z(&out);
}

/* Runs one call of the tool; gives what the model is answered. */
static struct str tool_answer(struct sandbox_policy *policy, struct sandbox_command command, const struct place *place,
    const struct answer_call *call) {
	const char *why, *ended;
	char *text = answer_command(&host.turn, call, &why);
	struct str output = { NULL, 0 };
	int64_t ms = 0;
	struct report_capture capture = { .total = 0 };
	report_command(text != NULL ? str_of(text) : call->arguments);
	if (text != NULL && !ask_person()) why = "the person at the terminal did not let this command run";
	if (why != NULL) ended = arena_format(&host.turn, "error: %s", why);
	else {
		struct sandbox_end end;
		char *with_bash[] = { model.shell, "--noprofile", "--norc", "-c", text, NULL }, *with_sh[] = { model.shell, "-c", text, NULL };
		report_capture_open(&capture, &host.turn, (size_t)opt.output_limit);
		command.argv = str_ends(str_of(model.shell), STR("/bash")) ? with_bash : with_sh;
		report_wait("running");
		clock_on(&host.command_ms);
		contained(policy, command, &(struct sink){ report_capture_add, &capture }, 1, &end);
		ms = clock_on(NULL);
		report_hide();
		output = report_capture_text(&capture, &host.turn);
		ended = ended_text(&end, command.timeout, ms);
		if (end.refusals > 0 || ((end.how != SANDBOX_EXITED || end.code != 0) && (str_find(output, STR("ermission denied")) >= 0 ||
		    str_find(output, STR("not permitted")) >= 0)))
			ended = arena_format(&host.turn, "%s. The sandbox may have refused something: only %s can be changed, and there is no "
			    "network", ended, writable_words(place));
	}
	report_event("command", "'call_id':%S,'command':%S,'ran':%b,'ended':%s,'ms':%d,'bytes':%d,'output':%S", call->id, text != NULL ? str_of(text) :
	    call->arguments, why == NULL, ended, ms, (int64_t)capture.total, output);
	struct buf answer = { .arena = &host.turn };
	buf_format(&answer, "%s\n", ended);
	buf_add(&answer, output);
	return buf_str(&answer);
}

/* The loop: asks, runs what is called, answers, until a message without a call or the last iteration. */
static void model_loop(struct sandbox_policy *policy, struct sandbox_command command, const struct place *place) {
	model.body = (struct buf){ .arena = &host.run };
	if (model.demo == NULL) body_begin(opt.task);
	for (long k = 0; k < opt.iterations; k++) {
		struct answer answer;
		arena_reset(&host.turn, 0);
		report_event("request", "'number':%d,'bytes':%d,'items':%r", (int64_t)k + 1, (int64_t)model.body.len + 2,
		    report_items(&host.turn, str_skip(buf_str(&model.body), model.logged)));
		model.logged = model.body.len;
		clock_on(&host.model_ms);
		if (model.demo != NULL) demo_ask(&answer);
		else model_ask(&answer);
		int64_t ms = clock_on(NULL);
		host.input += answer.input > 0 ? answer.input : 0;
		host.cached += answer.cached > 0 ? answer.cached : 0;
		host.output += answer.output > 0 ? answer.output : 0;
		report_event("response", "'number':%d,'ms':%d,'bytes':%d,'text':%S,'refusal':%S,'calls':%d,'input_tokens':%d,'cached_tokens':%d,"
		    "'output_tokens':%d,'items':%r", (int64_t)k + 1, ms, model.received, answer.text, answer.refusal,
		    (int64_t)answer.count, answer.input, answer.cached, answer.output, report_items(&host.turn, buf_str(&answer.items)));
		if (answer.count == 0) return;
		if (model.demo == NULL) json_format(&model.body, ",%r", buf_str(&answer.items));
		for (size_t i = 0; i < answer.count; i++) {
			struct str output = tool_answer(policy, command, place, &answer.calls[i]);
			if (model.demo != NULL) continue;
			json_format(&model.body, model.chat ? ",{'role':'tool','tool_call_id':%S,'content':%S}" :
			    ",{'type':'function_call_output','call_id':%S,'output':%S}", answer.calls[i].id, output);
		}
		if (model.body.len > HTTP_ANSWER_MAX)
			die(EXIT_MODEL, "the conversation is larger than 64 MiB, the limit for one request");
	}
	report_event("note", "'text':%s", arena_format(&host.turn, "the model was asked %s (--max-iterations); the verdict decides",
	    report_count(opt.iterations, "time")));
}

/* ---- 7. The verdict ---------------------------------------------------------------------------------------- */

static struct {
	struct verdict verdict;
	struct cargo cargo;
	char *before;             /* how the crate was: a copy that no command may write */
	char *start;              /* how DIR was, also where the judge takes the fixture for what was before */
	struct buf files;         /* what changed, as JSON */
	unsigned job;             /* numbers the private places of the jobs */
} court;

/* Makes CARGO_HOME, where there is something to borrow from the real one; else cargo makes it. 0, or -1. */
static int borrow(const struct place *place, struct error *error) {
	if (court.cargo.bin == NULL || court.cargo.home == NULL) return 0;
	char *home = join(place->tmp, "cargo");
	directory_make(home);
	return cargo_home_make(&host.run, &court.cargo, home, error);
}

/* Runs one job of the verdict inside the boundary, in a private place of its own. (verdict.run) */
static int job_run(void *context, const struct verdict_job *job, struct verdict_output *out, struct error *error) {
	(void)context;
	char *own = arena_format(&host.run, "%s/judge/job.%u", host.private, court.job++);
	struct place place = { .dir = job->dir, .tmp = join(own, "tmp"), .target = job->target };
	struct sandbox_policy *policy = arena_take(&host.run, sizeof *policy, 1);
	struct report_kept kept[2] = { { { .arena = &host.run }, job->limit, false }, { { .arena = &host.run }, job->limit, false } };
	struct sink sinks[2] = { { report_keep, &kept[0] }, { report_keep, &kept[1] } };
	struct sandbox_end end;
	char *input = join(own, "input");
	directory_make(own), directory_make(place.tmp), directory_make(join(place.tmp, "home"));
	if (borrow(&place, error) != 0) return -1;
	policy_make(policy, &place, &court.cargo);
	int in = job->input.len == 0 ? -1 : open(input, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (job->input.len > 0 && (in < 0 || report_write(in, job->input) != 0 || lseek(in, 0, SEEK_SET) != 0))
		return error_set(error, EXIT_MACHINE, "%s:", input);
	struct sandbox_command command = { .argv = job->argv, .env = env_make(policy, &place, &court.cargo, false), .in = in,
		.cwd = open(job->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .timeout = job->timeout, .memory = job->memory };
	contained(policy, command, sinks, 2, &end);
	close(in), close(command.cwd), sandbox_close(policy);
	if (end.how == SANDBOX_NOT_STARTED) return error_set(error, EXIT_MACHINE, "%s", end.text);
	struct statvfs disk;
	if ((end.how != SANDBOX_EXITED || end.code != 0) && statvfs(host.private, &disk) == 0 && disk.f_bavail * disk.f_frsize < DISK_LEAST)
		return error_set(error, EXIT_MACHINE, "the disk that holds %s is full: make room, or set TMPDIR", host.private);
	*out = (struct verdict_output){ .out = buf_str(&kept[0].buf), .err = buf_str(&kept[1].buf), .cut = kept[0].cut || kept[1].cut,
		.timeout = end.how == SANDBOX_TIMEOUT, .status = end.how == SANDBOX_SIGNALED ? 128 + end.code : end.code };
	return crate_remove(own) == 0 ? 0 : error_set(error, EXIT_MACHINE, "%s:", own);
}

static void on_check(void *context, const char *name, bool passed, const char *reason) {
	(void)context, check_stopped();
	report_event("check", "'name':%s,'passed':%b,'reason':%s", name, passed, reason);
}

static void on_note(void *context, const char *text) {
	(void)context, report_event("note", "'text':%s", text);
}

/* One changed file for the log: its path, and its SHA-256 before and after, empty where there was none. (verdict.changed) */
static void on_changed(void *context, struct str path, struct str old, struct str now) {
	char hex[2][REPORT_HEX] = { "", "" };
	(void)context;
	if (old.at != NULL) report_hex(old, hex[0]);
	if (now.at != NULL) report_hex(now, hex[1]);
	json_format(&court.files, "%r{'path':%S,'before':%s,'after':%s}", court.files.len > 0 ? STR(",") : STR(""), path, hex[0], hex[1]);
}

/* Prepares the judge: the toolchain, and how the crate in dir is before (dir NULL: the embedded fixture). start: what changes are
 * shown against, or NULL: that crate. Gives how it fares. */
static enum verdict_state court_open(const char *dir, const char *start) {
	enum verdict_state state;
	struct error error;
	court.before = join(host.private, "before");
	court.verdict = (struct verdict){ .arena = &host.run, .scratch = join(host.private, "judge"), .run = job_run, .check = on_check,
		.note = on_note, .changed = on_changed, .pause = check_stopped, .allow_manifest = opt.allow_manifest,
		.fixture = dir == NULL || file_is(dir, "Cargo.toml", fixture_manifest),
		.timeout = (unsigned)(opt.timeout > 0 ? opt.timeout : 600) };
	if (dir == NULL) {
		directory_make(court.before);
		fixture_write(court.before);
	} else if (verdict_copy(&court.verdict, dir, court.before, &error) != 0) die_error(&error);
	court.start = start == NULL ? court.before : join(host.private, "start");
	if (start != NULL && verdict_copy(&court.verdict, start, court.start, &error) != 0) die_error(&error);
	if (court.cargo.bin == NULL && cargo_find(&host.run, court.before, &court.cargo, &error) != 0) die_error(&error);
	report_wait("the suite before");
	if (verdict_baseline(&court.verdict, court.before, &state, &error) != 0) die_error(&error);
	report_hide();
	report_event("baseline", "'state':%s,'reason':%s", verdict_state(state), court.verdict.why);
	return state;
}

/* The verdict on the crate in dir, and what changed in it. Gives the exit status. */
static int judge(const char *dir) {
	struct error error;
	report_wait("judging");
	clock_on(&host.verdict_ms);
	int passed = verdict_judge(&court.verdict, dir, &error);
	report_hide();
	clock_on(NULL);
	if (passed < 0) die_error(&error);
	struct buf diff = court.files = (struct buf){ .arena = &host.turn };
	verdict_diff(&court.verdict, court.start, dir, &diff, DIFF_MAX);
	report_event("diff", "'text':%S,'files':[%r]", buf_str(&diff), buf_str(&court.files));
	return passed ? 0 : EXIT_RED;
}

/* ---- 8. Commands ------------------------------------------------------------------------------------------ */

static struct sandbox_policy policy;

/* The place, the policy and the command's frame for what a person or the model runs. */
static struct place place_open(struct sandbox_command *command, const char *tmp, bool person) {
	struct error error;
	struct place place = { .dir = workspace.path, .tmp = tmp, .target = join(tmp, "target"), .read_only = opt.read_only };
	const struct cargo *cargo = court.cargo.bin == NULL ? NULL : &court.cargo;
	if (borrow(&place, &error) != 0) die_error(&error);
	policy_make(&policy, &place, cargo);
	int cwd = open(place.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cwd < 0 || faccessat(cwd, ".", X_OK, 0) != 0) die(EXIT_USAGE, "%s: commands cannot start there:", place.dir);
	*command = (struct sandbox_command){ .env = env_make(&policy, &place, cargo, person), .in = -1,
		.cwd = cwd, .timeout = (unsigned)(opt.timeout > 0 ? opt.timeout : 120) };
	return place;
}

/* The workspace of exec and probe: any directory. */
static struct place anywhere_open(struct sandbox_command *command, bool probe) {
	struct error error;
	const char *dir = opt.dir == NULL ? "." : opt.dir, *option = opt.dir == NULL ? "" : "-C ";
	char real[PATH_MAX];
	struct stat st;
	if (realpath(dir, real) == NULL || stat(real, &st) != 0) die(EXIT_USAGE, "%s%s:", option, dir);
	if (!S_ISDIR(st.st_mode)) die(EXIT_USAGE, "%s%s: is not a directory", option, dir);
	if (probe && !opt.read_only && access(real, W_OK | X_OK) != 0) die(EXIT_USAGE, "%s%s: cannot be written; --read-only does without:", option, dir);
	if (strcmp(real, "/") == 0) die(EXIT_USAGE, "/: everything would be writable; name a directory with -C");
	workspace.path = arena_z(&host.run, str_of(real));
	private_make(probe ? private_run : private_one);
	if (cargo_find(&host.run, workspace.path, &court.cargo, &error) != 0)
		court.cargo.bin = NULL; /* no toolchain: the command does without */
	return place_open(command, probe ? join(host.private, "tmp") : host.private, true);
}

static _Noreturn void command_exec(char **argv) {
	struct sandbox_command command;
	struct sandbox_end end;
	if (argv[0] == NULL) die(EXIT_USAGE, "exec: no command; hsa exec -- COMMAND [ARG ...]");
	anywhere_open(&command, false);
	command.argv = argv, command.in = 0, command.out = 1, command.err = 2;
	report_standard_save();
	contained(&policy, command, NULL, 0, &end);
	if (end.how == SANDBOX_TIMEOUT)
		die(EXIT_TIMEOUT, "%s: timed out after %u s and was killed; --timeout S allows more", argv[0], command.timeout);
	if (end.how == SANDBOX_NOT_STARTED)
		die(end.code, "%s%s", end.text, argv[1] == NULL && strchr(argv[0], ' ') != NULL ? "; a line for a shell: hsa exec -- sh -c 'LINE'" : "");
	leave(end.how == SANDBOX_SIGNALED ? 128 + end.code : end.code);
}

/* Says what the policy does not hold. */
static void say_lacks(void) {
	for (size_t k = 0; k < SANDBOX_LAYERS; k++)
		if ((policy.without & 1u << k) != 0 || policy.lacks[k] != NULL)
			report_say(YELLOW, "NOT in force  %s: %s\n", sandbox_names[k], policy.lacks[k] != NULL ? policy.lacks[k] : "left out by --without");
}

static _Noreturn void command_probe(void) {
	struct sandbox_command command;
	struct place place = anywhere_open(&command, true);
	report_say(PLAIN, "boundary   %s\n", policy.summary);
	reporter.means = true;
	probes_run(&policy, &place, command);
	say_lacks();
	leave(0);
}

static _Noreturn void command_verify(const char *dir) {
	if (dir == NULL) die(EXIT_USAGE, "verify: no DIR; hsa verify [--against DIR0] DIR");
	struct error error;
	if (opt.against != NULL) workspace_open("--against ", opt.against, false);
	workspace_open("", dir, false);
	if (sandbox_open(&policy, &host.run, without_bits(), &error) != 0) die_error(&error);
	private_make(private_run);
	report_say(PLAIN, "crate      %s\nagainst    %s\n", workspace.path, opt.against != NULL ? opt.against :
	    "the embedded fixture (--against DIR0: another crate)");
	say_lacks();
	court_open(opt.against, NULL);
	struct stat git;
	court.verdict.gitless = opt.against == NULL || lstat(join(opt.against, ".git"), &git) != 0 || !S_ISDIR(git.st_mode);
	if (opt.against == NULL && !workspace.fixture)
		report_event("note", "'text':%s", "this is not the embedded fixture, which it is judged against: give --against DIR0, the crate as it was");
	int status = judge(workspace.path);
	report_say(PLAIN, "\n");
	report_verdict(status);
	leave(status);
}

static _Noreturn void command_fixture(const char *dir) {
	if (dir == NULL) die(EXIT_USAGE, "fixture: no DIR; hsa fixture DIR");
	if (!workspace_open("", dir, true)) die(EXIT_USAGE, "%s: holds a crate already; name a new directory", dir);
	workspace_make(dir);
	leave(0);
}

static _Noreturn void command_audit(const char *path) {
	struct error error;
	struct buf text = { .arena = &host.run };
	br_sha256_context hash;
	bool whole = false;
	if (path == NULL) die(EXIT_USAGE, "audit: no LOG; hsa audit LOG");
	signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL); /* nothing to clean up, and a pipe may never end */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a FIFO that nobody writes to is empty */
	ssize_t n = -1;
	if (fd >= 0) fcntl(fd, F_SETFL, 0);
	while (fd >= 0 && text.len <= LOG_MAX && (n = read(fd, buf_room(&text, 65536), 65536)) > 0) text.len += (size_t)n;
	if (n < 0) die(EXIT_USAGE, "%s:", path);
	if (n > 0) die(EXIT_USAGE, "%s: is longer than 1 GiB (the log limit)", path);
	br_sha256_init(&hash), br_sha256_update(&hash, text.at, text.len), report_hash(path, &hash);
	struct str rest = buf_str(&text), line;
	for (size_t k = 1; str_line(&rest, &line) || k == 1; k++) {
		arena_reset(&host.event, 0);
		const struct json *e = text.len == 0 ? NULL : json_read(&host.event, line, &error);
		if (text.len == 0) die(EXIT_RED, "%s: is empty, not a log", path);
		if (e == NULL || report_member(e, "event").len == 0 || (k == 1 && !report_is(e, "event", "run_started")))
			die(EXIT_RED, "%s: line %zu is not an event of a log%s%s", path, k, e == NULL ? ": " : "", e == NULL ? error.text : "");
		if (rest.len == 0 && line.at[line.len] != '\n') die(EXIT_RED, "%s: line %zu is cut: the log ends too early", path, k);
		report_show(e);
		whole = report_is(e, "event", "run_ended");
	}
	if (!whole) report_say(YELLOW, "The log ends before its run did.\n");
	leave(0);
}

static void task_read(void) {
	struct buf line = { .arena = &host.run };
	if (isatty(0)) report_say(PLAIN, "Task: ");
	if (!line_read(&line) || strspn(buf_z(&line), " \t\r") == line.len)
		die(EXIT_USAGE, "the task is empty; say what to do, or leave -i out for the default");
	opt.task = buf_z(&line);
}

/* The options that do not go together; what a demo is. */
static void agent_check(const char *dir) {
	for (size_t k = 0; opt.demo != NULL && k < COUNT(demos); k++)
		if (strcmp(opt.demo, demos[k].name) == 0) model.demo = demos[k].turns;
	if (opt.demo != NULL && model.demo == NULL)
		die(EXIT_USAGE, "--demo=%s: no such demo; fix, liar or escape", opt.demo);
	for (size_t k = 0; dir != NULL && access(dir, F_OK) != 0 && k < COUNT(command_names); k++)
		if (strcmp(dir, command_names[k].name) == 0)
			die(EXIT_USAGE, "%s: is it hsa %s%s? (A new directory of that name: ./%s)", dir, command_names[k].meant,
			    command_names[k].command != 0 ? ", before all options" : "", dir);
	if (opt.demo != NULL && (opt.task != NULL || opt.interactive || opt.model != NULL || opt.base_url != NULL))
		die(EXIT_USAGE, "--demo: does not go with -t, -i, -m or --base-url: it asks no model");
	if (opt.interactive && opt.task != NULL) die(EXIT_USAGE, "-i and -t: one or the other");
	if (strcmp(opt.api, "responses") != 0 && strcmp(opt.api, "chat") != 0)
		die(EXIT_USAGE, "--api %s: responses or chat", opt.api);
	opt.model = opt.model != NULL ? opt.model : report_environment("HSA_MODEL", "gpt-5.6-terra");
	opt.base_url = opt.base_url != NULL ? opt.base_url : report_environment("OPENAI_BASE_URL", "https://api.openai.com/v1");
	opt.ca_file = opt.ca_file != NULL ? opt.ca_file : report_environment("SSL_CERT_FILE", NULL);
	if (opt.task != NULL && opt.task[strspn(opt.task, " \t\r\n")] == '\0')
		die(EXIT_USAGE, "the task is empty; leave -t out for the default");
	if (*opt.model == '\0') die(EXIT_USAGE, "--model: is empty; leave it out for the default");
}

static void event_started(void) {
	struct utsname kernel;
	struct buf layers = { .arena = &host.turn }, grants = { .arena = &host.turn };
	for (size_t k = 0; k < SANDBOX_LAYERS; k++) {
		bool left_out = (policy.without & 1u << k) != 0;
		json_format(&layers, "%r{'layer':%s,'in_force':%b,'means':%s", k > 0 ? STR(",") : STR(""), sandbox_names[k], !left_out, policy.means[k]);
		if (left_out || policy.lacks[k] != NULL)
			json_format(&layers, ",'lacks':%s", left_out ? "left out by --without" : policy.lacks[k]);
		buf_byte(&layers, '}');
	}
	for (size_t k = 0; k < policy.count; k++)
		json_format(&grants, "%r{'path':%s,'access':%s}", k > 0 ? STR(",") : STR(""), policy.grants[k].path,
		    policy.grants[k].access == SANDBOX_GRANT_WRITE ? "write" : "read");
	uname(&kernel);
	const struct http_url *url = &model.client.url;
	bool loopback = strcmp(url->host, "localhost") == 0 || strcmp(url->host, "::1") == 0 || (url->literal && strncmp(url->host, "127.", 4) == 0);
	bool bare = model.demo == NULL && !url->tls && reporter.key.len > 0 && (!loopback || model.client.proxy != NULL);
	host.started = true;
	report_event("run_started", "'version':%s,'scripted':%b,'model':%s,'host':%s,'api':%s,'task':%s,'workspace':%s,'fixture':%b,'kernel':%s,"
	    "'boundary':%s,'warning':%s,'timeout':%d,'output_limit':%d,'layers':[%r],'grants':[%r]", HSA_VERSION, model.demo != NULL,
	    model.demo != NULL ? opt.demo : opt.model, model.demo != NULL ? "" : model.client.url.host, opt.api, opt.task, workspace.path,
	    workspace.fixture, arena_format(&host.turn, "%s %s %s", kernel.sysname, kernel.release, kernel.machine), policy.summary,
	    bare ? "the key is sent over http, unprotected: anyone on the way can read it" : "",
	    (int64_t)(opt.timeout > 0 ? opt.timeout : 120), (int64_t)opt.output_limit, buf_str(&layers), buf_str(&grants));
}

static _Noreturn void command_agent(const char *dir) {
	struct sandbox_command command;
	struct error error;
	agent_check(dir);
	bool fresh = dir != NULL && workspace_open("", dir, true);
	if (model.demo == NULL) model_open(fresh && workspace.path == NULL ? dir : NULL);
	if (fresh) workspace_make(dir);
	if (opt.demo != NULL && dir != NULL && !workspace.fixture)
		die(EXIT_USAGE, "--demo: only for the fixture; leave DIR out, or name an empty directory");
	if (opt.interactive) task_read();
	if (opt.task == NULL) opt.task = default_task;
	if (opt.log != NULL && report_log_open(opt.log, &error) != 0) die_error(&error);
	private_make(private_run);
	host.keep = opt.keep;
	if (dir == NULL) {
		workspace.path = join(host.private, "ws");
		workspace.fixture = true;
		directory_make(workspace.path);
		fixture_write(workspace.path);
	} else if (workspace.fixture) fixture_reset(workspace.path);
	if (cargo_find(&host.run, workspace.path, &court.cargo, &error) != 0) die_error(&error);
	struct place place = place_open(&command, join(host.private, "tmp"), false);
	model.shell = shell_find(&policy);
	event_started();
	reporter.live = true;
	if (court_open(workspace.fixture ? NULL : workspace.path, workspace.fixture && dir != NULL ? workspace.path : NULL) == VERDICT_GREEN) {
		report_event("note", "'text':%s", "nothing to repair. Tests and build files were taken as they are now; to compare them with how "
		    "they were: hsa verify --against DIR0 DIR");
		leave(0);
	}
	probes_run(&policy, &place, command);
	model_loop(&policy, command, &place);
	http_close(&model.client);
	int status = judge(workspace.path);
	if (court.verdict.tampered && dir != NULL) {
		static const char *const needless[] = { "tmp", "outside", "judge" };
		for (size_t k = 0; k < COUNT(needless) && !host.keep; k++) crate_remove(join(host.private, needless[k]));
		host.keep = true;
		report_event("note", "'text':%s", arena_format(&host.turn, "tests or build files were changed, and a later run may take them as "
		    "given; to judge against how they were: hsa verify --against '%s' '%s'", court.before, workspace.path));
	}
	leave(status);
}

/* Descriptors 0 to 2 that are closed would be taken by the next file opened: they become /dev/null. Output that is closed is
 * an error, said once it is known where. */
static bool standard_open(void) {
	bool out = fcntl(1, F_GETFD) >= 0;
	for (int fd = 0; fd < 3; fd++) if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) _exit(EXIT_MACHINE);
	return out;
}

int main(int argc, char **argv) {
	if (argc > 1 && strcmp(argv[1], "__sandbox-exec") == 0) {
		sandbox_main(argc, argv, probe_act);
		_exit(report_write(2, STR("hsa: __sandbox-exec: only hsa itself starts this; see hsa exec\n")) == 0 ? EXIT_USAGE : 5);
	}
	bool out = standard_open();
	if (arena_open(&host.event, ARENA_MAX / 4, out_of_memory) != 0 || arena_open(&host.run, ARENA_MAX, out_of_memory) != 0 ||
	    arena_open(&host.turn, ARENA_MAX / 4, out_of_memory) != 0)
		_exit(report_write(2, STR("hsa: no address space: 6 GiB are reserved, little is used; see ulimit -v\n")) == 0 ? EXIT_MACHINE : 5);
	host_secret();
	reporter.arena = &host.event;
	reporter.fail = die_error;
	key_take();
	signals_catch();
	host.began = report_ms(CLOCK_MONOTONIC);
	struct list rest = { .count = 0 };
	struct error error;
	int command = AGENT;
	for (size_t k = 0; argc > 1 && k < COUNT(command_names); k++)
		if (strcmp(argv[1], command_names[k].name) == 0 && command_names[k].command != 0) command = command_names[k].command;
	char **argument = options_read(argv + (argc > 0) + (command != AGENT), command, &rest);
	report_open(opt.json);
	reporter.json = opt.json;
	if (!out && command != EXEC) die(EXIT_MACHINE, "standard output is closed");
	if (opt.help) report_say(PLAIN, "%s", usage);
	else if (opt.version)
		report_say(PLAIN, "hsa " HSA_VERSION " (%s)\n", sandbox_open(&policy, &host.run, 0, &error) == 0 ? policy.summary : "no boundary here");
	if (opt.help || opt.version) leave(0);
	if (rest.count > (command == PROBE ? 0 : 1)) die(EXIT_USAGE, "too many arguments; see hsa --help");
	const char *word = rest.count > 0 ? rest.at[0] : NULL;
	without_bits(); /* what is wrong with --without is said before anything is made */
	switch (command) {
	case EXEC: command_exec(argument);
	case PROBE: command_probe();
	case VERIFY: command_verify(word);
	case FIXTURE: command_fixture(word);
	case AUDIT: command_audit(word);
	default: command_agent(word);
	}
}
