/* seatbelt.c - the macOS boundary: a profile for sandbox-exec(1), and the warden that runs a command under it.
 *
 * Seatbelt judges by the object's real path at each call; the last rule that matches decides. Everything is denied,
 * what building needs allowed, homes and volumes denied again; then come the granted paths, then what nothing may
 * widen. Paths reach the profile as parameters, never as its text. Each step is a fresh image:
 *     hsa -> hsa __sandbox-exec SECONDS ...                                  the warden; 3: its line to the host
 *         -> sandbox-exec -p PROFILE -DG0=... hsa __sandbox-exec exec ...    4: "the profile holds"
 *         -> the command */
#ifndef HSA_SEATBELT_C
#define HSA_SEATBELT_C
#include "json.c"
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#ifndef SEATBELT_TOOL /* a test puts another program here */
#define SEATBELT_TOOL "/usr/bin/sandbox-exec"
#endif

/* What callers see of a boundary: the same as in landlock.h, where it is explained. */
enum sandbox_layer { SANDBOX_WRITE, SANDBOX_READ, SANDBOX_NETWORK, SANDBOX_IPC, SANDBOX_METADATA, SANDBOX_PROCESS,
	SANDBOX_DEVICE, SANDBOX_LIFETIME, SANDBOX_LAYERS };
static const char *const sandbox_names[SANDBOX_LAYERS] = { "write", "read", "network", "ipc", "metadata", "process",
	"device", "lifetime" };
enum sandbox_access { SANDBOX_GRANT_READ, SANDBOX_GRANT_WRITE };
#define SANDBOX_GRANTS_MAX 512
struct sandbox_grant { int fd; enum sandbox_access access; bool directory; char *path; };
struct sandbox_policy {
	struct arena *arena;
	unsigned without;
	const char *means[SANDBOX_LAYERS], *lacks[SANDBOX_LAYERS];
	char summary[160], self[PATH_MAX];
	struct sandbox_grant grants[SANDBOX_GRANTS_MAX];
	size_t count;
};
struct sandbox_command {
	char *const *argv, *const *env;
	bool act;
	int cwd, in, out, err;
	unsigned timeout;
	uint64_t memory; /* not enforced here */
};
struct sandbox_run { pid_t warden; int report; };
enum sandbox_how { SANDBOX_EXITED, SANDBOX_SIGNALED, SANDBOX_TIMEOUT, SANDBOX_NOT_STARTED, SANDBOX_REFUSED };
struct sandbox_end { enum sandbox_how how; int code; unsigned left, refusals; char text[512]; };

static int sandbox_open(struct sandbox_policy *policy, struct arena *arena, unsigned without, struct error *error) {
	*policy = (struct sandbox_policy){ .arena = arena, .without = without, .summary = "Seatbelt" };
#ifdef __APPLE__
	uint32_t size = sizeof policy->self;
	bool found = _NSGetExecutablePath(policy->self, &size) == 0;
#else
	bool found = readlink("/proc/self/exe", policy->self, sizeof policy->self - 1) > 0;
#endif
	if (!found || access(SEATBELT_TOOL, X_OK) != 0)
		return error_set(error, 3, "layer %s: %s cannot be run:", *sandbox_names, found ? SEATBELT_TOOL : "this program");
	for (int k = 0; k < SANDBOX_LAYERS; k++)
		policy->means[k] = k == SANDBOX_DEVICE ? "Seatbelt, own session" : "Seatbelt";
	policy->means[SANDBOX_LIFETIME] = "process group";
	policy->lacks[SANDBOX_LIFETIME] = "a process that makes a session of its own lives on; memory has no limit";
	return 0;
}

static int sandbox_grant(struct sandbox_policy *policy, const char *path, enum sandbox_access access,
    struct error *error) {
	char real[PATH_MAX];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool named = fd >= 0 && fstat(fd, &st) == 0;
#ifdef F_GETPATH /* as the kernel will name it: /private/tmp for /tmp, and in the case that is on disk */
	named = named && fcntl(fd, F_GETPATH, real) == 0;
#else
	named = named && realpath(path, real) != NULL;
#endif
	if (!named)
		return error_set(error, 2, "%s cannot be granted:", path);
	close(fd);
	if (policy->count == SANDBOX_GRANTS_MAX)
		return error_set(error, 2, "%s cannot be granted: %d paths are the limit", path, SANDBOX_GRANTS_MAX);
	policy->grants[policy->count++] =
		(struct sandbox_grant){ -1, access, S_ISDIR(st.st_mode), arena_z(policy->arena, str_of(real)) };
	return 0;
}

/* Where programs lie that everybody may run. The profile leaves the system readable: it needs no grants. */
static const char *const sandbox_system[] = { "/bin", "/sbin", "/usr", "/opt", "/System", "/Library", "/Applications" };
static int sandbox_grant_system(struct sandbox_policy *policy, struct error *error) {
	return (void)policy, (void)error, (void)sandbox_system, 0;
}

static void sandbox_close(struct sandbox_policy *policy) {
	policy->count = 0; /* its grants are paths, nothing is open */
}

/* Rules in their order. One stands only while its layer is in force; with `without`, only while it is left out; `late`
 * ones come behind the grants. Operations and filters as in /System/Library/Sandbox/Profiles. */
static const struct { enum sandbox_layer layer; bool without, late; const char *text; } seatbelt_rules[] = {
	{ SANDBOX_WRITE, 0, 0, "(version 1)\n(deny default)\n(allow process-fork process-exec* sysctl-read file-read*)\n"
		"(allow signal (target same-sandbox))\n(allow process-info* (target same-sandbox))\n" },
	{ SANDBOX_READ, 0, 0, "(deny file-read-data file-read-xattr (subpath \"/Users\")"
		" (subpath \"/System/Volumes/Data/Users\") (subpath \"/Volumes\") (subpath \"/Network\") (subpath \"/home\")"
		" (subpath \"/cores\") (subpath \"/private/tmp\")"
		" (subpath \"/private/var/root\") (subpath \"/private/var/tmp\") (subpath \"/private/var/folders\")"
		" (subpath \"/private/var/log\") (subpath \"/private/var/mail\") (subpath \"/private/var/spool\"))\n" },
	{ SANDBOX_DEVICE, 0, 0, "(deny file-read-data file-read-xattr (subpath \"/dev\"))\n" },
	{ SANDBOX_WRITE, 0, 0, "(allow file-read* file-write-data (literal \"/dev/null\") (literal \"/dev/zero\")"
		" (literal \"/dev/random\") (literal \"/dev/urandom\") (literal \"/dev/fd\") (regex #\"^/dev/fd/[0-9]+$\"))\n" },
	/* names of users and groups, the user's temporary directory, changes of time zone and the like, messages for logs */
	{ SANDBOX_WRITE, 0, 0, "(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\")"
		" (global-name \"com.apple.system.opendirectoryd.membership\") (global-name \"com.apple.bsd.dirhelper\")"
		" (global-name \"com.apple.system.notification_center\") (global-name \"com.apple.system.logger\")"
		" (global-name \"com.apple.logd\"))\n"
		"(allow ipc-posix-shm-read* (ipc-posix-name \"apple.shm.notification_center\"))\n" },
	{ SANDBOX_IPC, 1, 0, "(allow mach* ipc*)\n" },
	{ SANDBOX_METADATA, 1, 0,
		"(allow file-write-mode file-write-owner file-write-times file-write-flags file-write-xattr)\n" },
	{ SANDBOX_PROCESS, 1, 0, "(allow signal)\n(allow process-info*)\n" },
	{ SANDBOX_DEVICE, 1, 0, "(allow file-read* file-write-data file-ioctl (subpath \"/dev\"))\n(allow pseudo-tty)\n" },
	{ SANDBOX_READ, 0, 1, "(deny file-read-data (subpath \"/Library/Keychains\") (subpath \"/private/var/db/dslocal\")"
		" (literal \"/private/etc/master.passwd\") (literal \"/private/etc/sudoers\")"
		" (regex #\"^/private/etc/ssh/ssh_host_.*_key$\"))\n" },
	{ SANDBOX_WRITE, 0, 1, "(deny file-write-setugid)\n"
		"(deny file-write-create (vnode-type BLOCK-DEVICE) (vnode-type CHARACTER-DEVICE))\n" },
	{ SANDBOX_NETWORK, 0, 1, "(deny network*)\n" },
	{ SANDBOX_IPC, 1, 1, "(allow network-outbound (remote unix-socket))\n" },
};

/* Adds the profile for a policy. Its parameters: SELF, this program; G0 and so on, the paths of the grants. */
static void seatbelt_profile(const struct sandbox_policy *policy, struct buf *out) {
	for (int late = 0; late < 2; late++) {
		for (size_t k = 0; k < sizeof seatbelt_rules / sizeof *seatbelt_rules; k++)
			if (seatbelt_rules[k].late == late && seatbelt_rules[k].without == (policy->without >> seatbelt_rules[k].layer & 1))
				buf_add(out, str_of(seatbelt_rules[k].text));
		for (size_t k = 0; late == 0 && k < policy->count; k++)
			buf_format(out, "(allow file-read*%s (%s (param \"G%zu\")))\n", policy->grants[k].access == SANDBOX_GRANT_WRITE ?
				" file-write*" : "", policy->grants[k].directory ? "subpath" : "literal", k);
		buf_add(out, late == 0 ? STR("(allow file-read* (literal (param \"SELF\")))\n") : STR(""));
	}
}

/* The words that the warden is started with; the command's own stand last. */
static char **seatbelt_words(struct sandbox_policy *policy, const struct sandbox_command *command) {
	struct arena *arena = policy->arena;
	struct buf profile = { .arena = arena };
	size_t n = 5, argc = 0;
	seatbelt_profile(policy, &profile);
	while (command->argv[argc] != NULL)
		argc++;
	char *const first[] = { policy->self, "__sandbox-exec", arena_format(arena, "%u", command->timeout), SEATBELT_TOOL,
		"-p", buf_z(&profile), arena_format(arena, "-DSELF=%s", policy->self) };
	char *const last[] = { policy->self, "__sandbox-exec", command->act ? "act" : "exec" };
	char **words = arena_take(arena, sizeof *words, argc + policy->count + 11);
	memcpy(words, first, sizeof first);
	for (n = 7; n < policy->count + 7; n++)
		words[n] = arena_format(arena, "-DG%zu=%s", n - 7, policy->grants[n - 7].path);
	memcpy(words + n, last, sizeof last);
	memcpy(words + n + 3, command->argv, argc * sizeof *words);
	return words;
}

static int sandbox_start(struct sandbox_policy *policy, const struct sandbox_command *command, struct sandbox_run *run,
    struct error *error) {
	int line[2];
	char **words = seatbelt_words(policy, command);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, line) != 0 || (run->warden = fork()) < 0)
		return error_set(error, 5, "a command cannot be started:");
	if (run->warden == 0) {
		int from[4] = { command->in < 0 ? open("/dev/null", O_RDONLY) : command->in, command->out, command->err, line[1] };
		bool well = fchdir(command->cwd) == 0;
		for (int k = 0; k < 4; k++) /* above 9 first: one may stand where another belongs */
			from[k] = fcntl(from[k], F_DUPFD_CLOEXEC, 10);
		for (int k = 0; k < 4; k++)
			well = dup2(from[k], k) == k && well;
		if (well)
			execve(policy->self, words, command->env);
		_exit(5);
	}
	close(line[1]);
	fcntl(run->report = line[0], F_SETFD, FD_CLOEXEC);
	return 0;
}

static void sandbox_finish(struct sandbox_run *run, struct sandbox_end *end) {
	size_t got = 0;
	for (ssize_t n = 1; got < sizeof *end && (n > 0 || (n < 0 && errno == EINTR)); got += n > 0 ? (size_t)n : 0)
		n = read(run->report, (char *)end + got, sizeof *end - got);
	close(run->report);
	while (waitpid(run->warden, NULL, 0) < 0 && errno == EINTR) {}
	if (got != sizeof *end)
		*end = (struct sandbox_end){ .how = SANDBOX_REFUSED, .code = 5, .text = "the warden ended without a report" };
}

static void sandbox_stop(const struct sandbox_run *run) {
	shutdown(run->report, SHUT_WR);
}

/* The command, and what ended it: SIGALRM, its time; SIGIO, the host shut its line or is gone; 0, nothing of ours. */
static volatile sig_atomic_t seatbelt_child, seatbelt_ended;
static void seatbelt_kill(int number) {
	seatbelt_ended = number;
	kill(-(pid_t)seatbelt_child, SIGKILL);
	kill((pid_t)seatbelt_child, SIGKILL); /* it may not have its session yet */
}

/* Forks what goes into the profile: a session of its own, no signal setting, and no descriptor but 0, 1, 2, and 4. */
static void seatbelt_fork(char **argv, const int inside[2]) {
	sigset_t none;
	sigemptyset(&none);
	if ((seatbelt_child = fork()) == 0) {
		for (int number = 1; number < NSIG; number++)
			signal(number, SIG_DFL);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (setsid() > 0 && dup2(inside[1], 4) == 4 && close(inside[1]) == 0 && close(3) == 0)
			execv(argv[0], argv);
		_exit(5);
	}
	sigprocmask(SIG_SETMASK, &none, NULL);
	close(inside[1]);
	for (int fd = 0; fd < 3; fd++)
		close(fd); /* the output ends when the command has ended, whatever the warden does */
}

/* argv as seatbelt_words makes it. The warden MUST leave the host's session, close what it was not given and catch its
 * own signals before it starts anything, and MUST NOT end while a process of the command's group lives. */
static _Noreturn void sandbox_main(int argc, char **argv, int (*act)(char *const *argv)) {
	struct sandbox_end end = { 0 };
	int inside[2], status = 0, said[2] = { 0 }; /* said from inside: that the profile holds; errno of exec */
	siginfo_t info;
	sigset_t all;
	if (argc > 3 && (strcmp(argv[2], "exec") == 0 || strcmp(argv[2], "act") == 0)) { /* inside the profile */
		if (write(4, said, sizeof *said) < 0 || fcntl(4, F_SETFD, FD_CLOEXEC) != 0)
			_exit(5);
		if (argv[2][0] == 'a')
			_exit(act(argv + 3));
		execvp(argv[3], argv + 3);
		_exit(write(4, &errno, sizeof errno) > 0 ? 126 : 5);
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int number = 1; number < NSIG; number++)
		signal(number, number == SIGALRM || number == SIGIO ? seatbelt_kill : number == SIGCHLD ? SIG_DFL : SIG_IGN);
	for (int fd = getdtablesize(); fd > 3; fd--)
		close(fd);
	if (argc < 8 || setsid() < 0 || setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) != 0 || pipe(inside) != 0 ||
	    fcntl(inside[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(3, F_SETOWN, getpid()) != 0 || fcntl(3, F_SETFL, O_ASYNC) != 0)
		_exit(5);
	seatbelt_fork(argv + 3, inside);
	alarm((unsigned)strtoul(argv[2], NULL, 10));
	if (recv(3, said, 1, MSG_PEEK | MSG_DONTWAIT) == 0) /* it was shut before anyone listened */
		seatbelt_kill(SIGIO);
	while (waitid(P_PID, (id_t)seatbelt_child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
	alarm(0);
	kill(-(pid_t)seatbelt_child, SIGKILL); /* while its number is still taken */
	while (waitpid((pid_t)seatbelt_child, &status, 0) < 0 && errno == EINTR) {}
	for (; kill(-(pid_t)seatbelt_child, SIGKILL) == 0; end.left = 1)
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	ssize_t n = read(inside[0], said, sizeof said);
	bool failed = n == sizeof said;
	end.how = seatbelt_ended == SIGALRM ? SANDBOX_TIMEOUT : seatbelt_ended != 0 ? SANDBOX_SIGNALED :
		n < 1 ? SANDBOX_REFUSED : failed ? SANDBOX_NOT_STARTED : WIFEXITED(status) ? SANDBOX_EXITED : SANDBOX_SIGNALED;
	end.code = end.how == SANDBOX_REFUSED ? 3 : failed ? (said[1] == ENOENT ? 127 : 126) : WIFEXITED(status) ?
		WEXITSTATUS(status) : WTERMSIG(status);
	if (end.how == SANDBOX_NOT_STARTED || end.how == SANDBOX_REFUSED)
		snprintf(end.text, sizeof end.text, "%s", failed ? strerror(said[1]) : "sandbox-exec did not take the profile");
	_exit(write(3, &end, sizeof end) == sizeof end ? 0 : 5);
}
#undef SEATBELT_TOOL
#endif
