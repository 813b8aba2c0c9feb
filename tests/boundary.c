/* boundary.c - what boundary.sh needs of C: callers and commands of awkward kinds, and the policy itself under test.
 *
 *   boundary above listener|domain COMMAND ...            runs COMMAND below a seccomp listener, in a Landlock domain
 *   boundary stdin unix|seqpacket|dgram|listening|inet|udp COMMAND ...   with such a socket as standard input
 *   boundary bomb N        ends when there are N processes, in sessions of their own, which go on forking
 *   boundary fioasync      asks an ioctl that is not in the list, on a pipe: status 0 if it works
 *   boundary unit DIR      the filter, row by row; grants that are swapped between two commands */
#include "../landlock.h"
#include <netinet/in.h>
#include <sys/syscall.h>

static void full(const char *what) {
	fprintf(stderr, "boundary: %s\n", what);
	_exit(99);
}

static void test(bool good, const char *name, const char *why) {
	printf(good ? "ok - %s\n" : "FAIL - %s: %s\n", name, why);
}

/* ---- the filter, interpreted ---------------------------------------------------------------------------------------- */

static uint32_t filter(const struct sandbox_policy *policy, uint32_t arch, int nr, const uint64_t args[6]) {
	uint32_t data[16] = { (uint32_t)nr, arch }, a = 0;
	memcpy(data + 4, args, 6 * sizeof *args);
	for (size_t pc = 0; pc < policy->length; pc++) {
		const struct sandbox_insn *i = &policy->filter[pc];
		switch (i->code) {
		case 0x20: a = data[i->k / 4]; break;
		case 0x54: a &= i->k; break;
		case 0x15: pc += a == i->k ? i->yes : i->no; break;
		case 0x25: pc += a > i->k ? i->yes : i->no; break;
		case 0x35: pc += a >= i->k ? i->yes : i->no; break;
		case 0x45: pc += a & i->k ? i->yes : i->no; break;
		case 0x06: return i->k;
		default: return 0xBAD;
		}
	}
	return 0xBAD;
}

#define ALLOWED 0x7FFF0000u
#define ASKED 0x7FC00000u
#define REFUSED(no) (0x00050000u | (no))
#define HIGH 0x500000000u /* bits that the kernel does not look at */
static const struct { const char *name; long nr; uint64_t args[6]; unsigned layer; uint32_t want; } cases[] = {
#define CASE(name, layer, want, ...) { #name, SYS_##name, { __VA_ARGS__ }, layer, want }
	CASE(read, 99, ALLOWED, 0), CASE(write, 99, ALLOWED, 0), CASE(execve, 99, ALLOWED, 0), CASE(futex, 99, ALLOWED, 0),
	CASE(mmap, 99, ALLOWED, 0), CASE(exit_group, 99, ALLOWED, 0), CASE(sendto, 99, ALLOWED, 0), CASE(sendmsg, 99, ALLOWED, 0),
	CASE(setsockopt, 99, ALLOWED, 0), CASE(shutdown, 99, ALLOWED, 0), CASE(ptrace, 99, ALLOWED, 0), CASE(setrlimit, 99, ALLOWED, 0),
	CASE(openat, 99, ALLOWED, 0, 0, 2, 06777), CASE(openat, 0, REFUSED(EPERM), 0, 0, 0102, 04600), CASE(openat, 0, REFUSED(EPERM), 0, 0, 020200000, 02600),
	CASE(openat, 99, ALLOWED, 0, 0, 0102, 01777), CASE(mknodat, 0, REFUSED(EPERM), 0, 0, 0104600), CASE(mknodat, 99, ALLOWED, 0, 0, 010600),
	CASE(socket, SANDBOX_NETWORK, REFUSED(EACCES), 2, 1), CASE(socket, SANDBOX_NETWORK, REFUSED(EACCES), 16, 3), CASE(socket, SANDBOX_IPC, REFUSED(EACCES), 1, 1),
	CASE(socket, SANDBOX_NETWORK, REFUSED(EACCES), HIGH | 2, 1), CASE(socket, SANDBOX_IPC, REFUSED(EACCES), HIGH | 1, 2),
	CASE(socketpair, 99, ALLOWED, 1, 1), CASE(socketpair, 99, ALLOWED, 1, 02000005), CASE(socketpair, SANDBOX_IPC, REFUSED(EACCES), 1, 2),
	CASE(socketpair, SANDBOX_IPC, REFUSED(EACCES), 1, HIGH | 02000002), CASE(socketpair, SANDBOX_IPC, REFUSED(EACCES), 1, 3),
	CASE(socketpair, SANDBOX_NETWORK, REFUSED(EACCES), 30, 1), CASE(connect, SANDBOX_IPC, REFUSED(EACCES), 0), CASE(bind, SANDBOX_IPC, REFUSED(EACCES), 0),
	CASE(listen, SANDBOX_IPC, REFUSED(EACCES), 0), CASE(accept, SANDBOX_IPC, REFUSED(EACCES), 0), CASE(accept4, SANDBOX_IPC, REFUSED(EACCES), 0),
	CASE(shmget, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(shmat, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(shmctl, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(shmdt, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(semget, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(semop, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(semctl, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(semtimedop, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(msgget, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(msgsnd, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(msgrcv, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(msgctl, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(mq_open, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(mq_unlink, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(mq_timedsend, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(mq_timedreceive, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(mq_notify, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(mq_getsetattr, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(add_key, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(request_key, SANDBOX_IPC, REFUSED(ENOSYS), 0), CASE(keyctl, SANDBOX_IPC, REFUSED(ENOSYS), 0),
	CASE(setxattr, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0), CASE(lsetxattr, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0),
	CASE(fsetxattr, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0), CASE(removexattr, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0),
	CASE(lremovexattr, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0), CASE(fremovexattr, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0),
	CASE(fchmod, SANDBOX_METADATA, ASKED, 0, 0755), CASE(fchmodat, SANDBOX_METADATA, ASKED, 0, 0, 0755), CASE(fchown, SANDBOX_METADATA, ASKED, 0),
	CASE(fchownat, SANDBOX_METADATA, ASKED, 0), CASE(utimensat, SANDBOX_METADATA, ASKED, 0), CASE(getxattr, 99, ALLOWED, 0),
	CASE(prlimit64, 99, ALLOWED, 0, 7, 1), CASE(prlimit64, 99, ALLOWED, 5, 7, 0), CASE(prlimit64, SANDBOX_PROCESS, REFUSED(EPERM), 5, 7, 1),
	CASE(prlimit64, SANDBOX_PROCESS, REFUSED(EPERM), 5, 7, HIGH), CASE(prlimit64, 99, ALLOWED, HIGH, 7, 1),
	CASE(setpriority, 99, ALLOWED, 0, 0, 5), CASE(setpriority, SANDBOX_PROCESS, REFUSED(EPERM), 0, 9, 5), CASE(setpriority, SANDBOX_PROCESS, REFUSED(EPERM), 1, 0, 5),
	CASE(setpriority, SANDBOX_PROCESS, REFUSED(EPERM), 2, 0, 5), CASE(ioprio_set, 99, ALLOWED, 1, 0), CASE(ioprio_set, SANDBOX_PROCESS, REFUSED(EPERM), 1, 9),
	CASE(ioprio_set, SANDBOX_PROCESS, REFUSED(EPERM), 2, 0), CASE(ioprio_set, SANDBOX_PROCESS, REFUSED(EPERM), 3, 0),
	CASE(sched_setaffinity, 99, ALLOWED, 0), CASE(sched_setaffinity, SANDBOX_PROCESS, REFUSED(EPERM), 9), CASE(sched_setscheduler, SANDBOX_PROCESS, REFUSED(EPERM), 9),
	CASE(sched_setparam, SANDBOX_PROCESS, REFUSED(EPERM), 9), CASE(sched_setattr, SANDBOX_PROCESS, REFUSED(EPERM), 9), CASE(migrate_pages, SANDBOX_PROCESS, REFUSED(EPERM), 9),
	CASE(move_pages, SANDBOX_PROCESS, REFUSED(EPERM), 9), CASE(fcntl, 99, ALLOWED, 0, 2, 1), CASE(fcntl, SANDBOX_PROCESS, REFUSED(EPERM), 0, 8, 1),
	CASE(fcntl, SANDBOX_PROCESS, REFUSED(EPERM), 0, HIGH | 8, 1), CASE(fcntl, SANDBOX_PROCESS, REFUSED(EPERM), 0, 15), CASE(fcntl, SANDBOX_PROCESS, REFUSED(EPERM), 0, 1024),
	CASE(ioctl, 99, ALLOWED, 0, 0x5401), CASE(ioctl, 99, ALLOWED, 0, HIGH | 0x5413), CASE(ioctl, SANDBOX_DEVICE, REFUSED(ENOTTY), 0, 0x5412),
	CASE(ioctl, SANDBOX_DEVICE, REFUSED(ENOTTY), 0, HIGH | 0x5412), CASE(ioctl, SANDBOX_DEVICE, REFUSED(ENOTTY), 0, 0x541C), CASE(ioctl, SANDBOX_DEVICE, REFUSED(ENOTTY), 0, 0x540E),
	CASE(fcntl, SANDBOX_PROCESS, REFUSED(EPERM), 0, 10), CASE(fcntl, SANDBOX_METADATA, REFUSED(EPERM), 0, HIGH | 1036, 0),
	CASE(renameat2, 99, ALLOWED, 0, 0, 0, 0, 3), CASE(renameat2, 0, REFUSED(EINVAL), 0, 0, 0, 0, HIGH | 4), CASE(clone, 99, ALLOWED, 17), CASE(clone, 0, REFUSED(EPERM), 0x10000011), CASE(clone, 0, REFUSED(EPERM), 0x00020011), CASE(clone, 0, REFUSED(EPERM), 0x40000011),
	CASE(unshare, 0, REFUSED(EPERM), 0), CASE(setns, 0, REFUSED(EPERM), 0), CASE(mount, 0, REFUSED(EPERM), 0), CASE(umount2, 0, REFUSED(EPERM), 0),
	CASE(pivot_root, 0, REFUSED(EPERM), 0), CASE(chroot, 0, REFUSED(EPERM), 0), CASE(bpf, 0, REFUSED(EPERM), 0), CASE(perf_event_open, 0, REFUSED(EPERM), 0),
	CASE(userfaultfd, 0, REFUSED(EPERM), 0), CASE(fanotify_init, 0, REFUSED(EPERM), 0), CASE(open_by_handle_at, 0, REFUSED(EPERM), 0),
	CASE(init_module, 0, REFUSED(EPERM), 0), CASE(finit_module, 0, REFUSED(EPERM), 0), CASE(delete_module, 0, REFUSED(EPERM), 0), CASE(kexec_load, 0, REFUSED(EPERM), 0),
	CASE(swapon, 0, REFUSED(EPERM), 0), CASE(swapoff, 0, REFUSED(EPERM), 0), CASE(quotactl, 0, REFUSED(EPERM), 0), CASE(acct, 0, REFUSED(EPERM), 0), CASE(reboot, 0, REFUSED(EPERM), 0),
	CASE(settimeofday, 0, REFUSED(EPERM), 0), CASE(clock_settime, 0, REFUSED(EPERM), 0), CASE(clock_adjtime, 0, REFUSED(EPERM), 0), CASE(adjtimex, 0, REFUSED(EPERM), 0),
	CASE(sethostname, 0, REFUSED(EPERM), 0), CASE(setdomainname, 0, REFUSED(EPERM), 0), CASE(syslog, 0, REFUSED(EPERM), 0), CASE(vhangup, 0, REFUSED(EPERM), 0),
#ifdef __x86_64__
	CASE(open, 0, REFUSED(EPERM), 0, 0102, 04600), CASE(creat, 0, REFUSED(EPERM), 0, 02700), CASE(mknod, 0, REFUSED(EPERM), 0, 04700), CASE(chmod, SANDBOX_METADATA, ASKED, 0, 0),
	CASE(chown, SANDBOX_METADATA, ASKED, 0), CASE(lchown, SANDBOX_METADATA, ASKED, 0), CASE(utime, SANDBOX_METADATA, ASKED, 0), CASE(utimes, SANDBOX_METADATA, ASKED, 0),
	CASE(futimesat, SANDBOX_METADATA, ASKED, 0), CASE(iopl, 0, REFUSED(EPERM), 0), CASE(ioperm, 0, REFUSED(EPERM), 0), CASE(modify_ldt, 0, REFUSED(EPERM), 0),
	{ "x32 getpid", 0x40000000 | 39, { 0 }, 0, REFUSED(ENOSYS) },
#endif
#define NEW(name, nr, layer, want, ...) { name, nr, { __VA_ARGS__ }, layer, want }
	NEW("io_uring_setup", 425, 0, REFUSED(ENOSYS), 0), NEW("io_uring_enter", 426, 0, REFUSED(ENOSYS), 0), NEW("io_uring_register", 427, 0, REFUSED(ENOSYS), 0),
	NEW("open_tree", 428, 0, REFUSED(EPERM), 0), NEW("fspick", 433, 0, REFUSED(EPERM), 0), NEW("pidfd_open", 434, 99, ALLOWED, 0), NEW("clone3", 435, 0, REFUSED(ENOSYS), 0),
	NEW("close_range", 436, 99, ALLOWED, 0), NEW("openat2", 437, 0, REFUSED(ENOSYS), 0), NEW("pidfd_getfd", 438, SANDBOX_PROCESS, REFUSED(EPERM), 0),
	NEW("faccessat2", 439, 99, ALLOWED, 0), NEW("process_madvise", 440, SANDBOX_PROCESS, REFUSED(EPERM), 0), NEW("mount_setattr", 442, 0, REFUSED(EPERM), 0),
	NEW("quotactl_fd", 443, 0, REFUSED(EPERM), 0), NEW("landlock_create_ruleset", 444, 99, ALLOWED, 0), NEW("process_mrelease", 448, SANDBOX_PROCESS, REFUSED(EPERM), 0),
	NEW("lsm_set_self_attr", 460, SANDBOX_PROCESS, REFUSED(EPERM), 0), NEW("fchmodat2", 452, SANDBOX_METADATA, ASKED, 0, 0, 0), NEW("setxattrat", 463, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0), NEW("getxattrat", 464, 99, ALLOWED, 0),
	NEW("removexattrat", 466, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0), NEW("open_tree_attr", 467, 0, REFUSED(EPERM), 0),
	NEW("file_setattr", 469, SANDBOX_METADATA, REFUSED(EOPNOTSUPP), 0), NEW("a call of tomorrow", 470, 0, REFUSED(ENOSYS), 0), NEW("a call of another day", 600, 0, REFUSED(ENOSYS), 0) };

static void unit_filter(struct arena *arena) {
	static struct sandbox_policy policy;
	static const uint64_t none[6];
	static const unsigned may[] = { SANDBOX_READ, SANDBOX_IPC, SANDBOX_METADATA, SANDBOX_PROCESS, SANDBOX_DEVICE };
	struct error error;
	char why[256] = "";
	for (unsigned set = 0; set < 32; set++) { /* every choice of layers to leave out */
		policy.without = 0;
		for (int i = 0; i < 5; i++)
			policy.without |= set >> i & 1 ? 1u << may[i] : 0;
		if (sandbox_filter(&policy, &error) != 0)
			snprintf(why, sizeof why, "%.200s", error.text);
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			bool left = cases[i].layer < SANDBOX_LAYERS && policy.without >> cases[i].layer & 1;
			uint32_t got = filter(&policy, SANDBOX_ARCH, (int)cases[i].nr, cases[i].args);
			if (!left && got != cases[i].want)
				snprintf(why, sizeof why, "%s without %x: %x, not %x", cases[i].name, policy.without, got, cases[i].want);
			if (left && got != ALLOWED && !(cases[i].want == ASKED) && strcmp(cases[i].name, "socket") != 0 && strcmp(cases[i].name, "socketpair") != 0 &&
			    strcmp(cases[i].name, "ioctl") != 0)
				snprintf(why, sizeof why, "%s though %x is left out: %x", cases[i].name, policy.without, got);
		}
		static const int chmods[][2] = { { SYS_fchmod, 1 }, { SYS_fchmodat, 2 }, { 452, 2 } };
		for (int i = 0; i < 3; i++) { /* set-id bits: by the warden or by the filter */
			uint64_t args[6] = { 0 };
			args[chmods[i][1]] = HIGH | 04755;
			uint32_t got = filter(&policy, SANDBOX_ARCH, chmods[i][0], args);
			if (got != (policy.without >> SANDBOX_METADATA & 1 ? REFUSED(EPERM) : ASKED))
				snprintf(why, sizeof why, "set-id by call %d without %x: %x", chmods[i][0], policy.without, got);
		}
		if (filter(&policy, 0x40000003, 1, none) != 0x80000000 || filter(&policy, SANDBOX_ARCH ^ 1, 1, none) != 0x80000000)
			snprintf(why, sizeof why, "a foreign architecture is not killed");
	}
	test(why[0] == '\0', "the filter decides as its table says, for every choice of layers", why);
	(void)arena;
}

/* Between two commands of one policy the first swaps what it may write for links to what it may not. */
static void unit_swap(struct arena *arena, const char *dir) {
	static struct sandbox_policy policy;
	struct error error;
	struct sandbox_run run;
	struct sandbox_end end;
	char path[4][512], command[2048];
	static const char *const names[] = { "ws", "extra", "outside", "outside/file" };
	for (int i = 0; i < 4; i++)
		snprintf(path[i], sizeof path[i], "%s/%s", dir, names[i]);
	for (int i = 0; i < 3; i++)
		mkdir(path[i], 0755);
	close(open(path[3], O_CREAT | O_WRONLY, 0644));
	char extra[600];
	snprintf(extra, sizeof extra, "%s/ws/extra", dir);
	mkdir(extra, 0755);
	if (sandbox_open(&policy, arena, 0, &error) != 0 || sandbox_grant_system(&policy, &error) != 0 ||
	    sandbox_grant(&policy, path[0], SANDBOX_GRANT_WRITE, &error) != 0 || sandbox_grant(&policy, extra, SANDBOX_GRANT_WRITE, &error) != 0) {
		test(false, "a policy can be made", error.text);
		return;
	}
	int code[2] = { -1, -1 };
	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof command, i == 0 ? "mv extra old && ln -s '%s' extra && echo y > old/still" :
		    "echo x > extra/file || echo x > extra/new || chmod 777 extra/file || cat extra/file || ls extra/", path[2]);
		char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, command, NULL }, *env[] = { (char[]){ "PATH=/usr/bin:/bin" }, NULL };
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		struct sandbox_command c = { .argv = argv, .env = env, .cwd = policy.grants[0].fd, .in = -1, .out = null, .err = null, .timeout = 20 };
		if (sandbox_start(&policy, &c, &run, &error) != 0) {
			test(false, "a command can be started", error.text);
			return;
		}
		sandbox_finish(&run, &end);
		close(null);
		code[i] = end.how == SANDBOX_EXITED ? end.code : 1000 + (int)end.how;
	}
	struct stat st;
	snprintf(extra, sizeof extra, "%s/new", path[2]);
	bool same = stat(path[3], &st) == 0 && st.st_size == 0 && (st.st_mode & 0777) == 0644 && access(extra, F_OK) != 0;
	test(code[0] == 0 && code[1] != 0 && code[1] < 1000 && same, "what a command swaps widens nothing for the next one", "it does");
	sandbox_close(&policy);
}

/* ---- awkward callers and commands ------------------------------------------------------------------------------------- */

static int above(const char *what, char **argv) {
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(what, "domain") == 0) {
		int fd = sandbox_ruleset(7, 0x1FFF & ~0xEu, 0, 0); /* some rights, not the reading and writing that hsa itself needs */
		struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) rule = { 0x1FFF & ~0xEu, open("/", O_PATH) };
		if (fd < 0 || syscall(445, fd, 1, &rule, 0) != 0 || syscall(446, fd, 0) != 0)
			return 98;
	} else {
		struct sandbox_insn allow = { 6, 0, 0, ALLOWED };
		struct { unsigned short length; struct sandbox_insn *code; } program = { 1, &allow };
		int listener = (int)syscall(SYS_seccomp, 1, 8, &program);
		if (listener < 0 || dup2(listener, 50) != 50) /* without close-on-exec */
			return 98;
	}
	execvp(argv[0], argv);
	return 97;
}

static int with_stdin(const char *what, char **argv) {
	int fd[2] = { -1, -1 };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof a;
	if (strcmp(what, "inet") == 0) {
		int listener = socket(AF_INET, SOCK_STREAM, 0);
		if (bind(listener, (struct sockaddr *)&a, size) != 0 || listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&a, &size) != 0 ||
		    connect(fd[0] = socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&a, size) != 0)
			return 98;
	} else if (strcmp(what, "udp") == 0)
		fd[0] = socket(AF_INET, SOCK_DGRAM, 0);
	else if (strcmp(what, "listening") == 0)
		bind(fd[0] = socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&(sa_family_t){ AF_UNIX }, sizeof(sa_family_t)), listen(fd[0], 1);
	else if (socketpair(AF_UNIX, what[0] == 'd' ? SOCK_DGRAM : what[0] == 's' ? SOCK_SEQPACKET : SOCK_STREAM, 0, fd) != 0 || write(fd[1], "hello\n", 6) != 6)
		return 98;
	if (fd[1] >= 0)
		shutdown(fd[1], SHUT_WR);
	dup2(fd[0], 0);
	execvp(argv[0], argv);
	return 97;
}

/* Ends with 0 as soon as there are so many, which go on forking. */
static int bomb(int wanted) {
	volatile int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (fork() != 0) {
		for (int i = 0; i < 4000 && *count < wanted; i++)
			poll(NULL, 0, 10);
		return *count < wanted;
	}
	for (;; poll(NULL, 0, *count < wanted ? 2 : 1)) { /* they leave others some time */
		pid_t pid = fork();
		if (pid == 0) {
			setsid();
			if (__atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST) > wanted) { /* enough: only renew those that end */
				__atomic_sub_fetch(count, 1, __ATOMIC_SEQ_CST);
				_exit(0);
			}
		} else if (pid > 0)
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
	}
}

int main(int argc, char **argv) {
	if (argc > 1 && strcmp(argv[1], "__sandbox-exec") == 0)
		sandbox_main(argc, argv, NULL);
	if (argc > 3 && strcmp(argv[1], "above") == 0)
		return above(argv[2], argv + 3);
	if (argc > 3 && strcmp(argv[1], "stdin") == 0)
		return with_stdin(argv[2], argv + 3);
	if (argc == 3 && strcmp(argv[1], "bomb") == 0)
		return bomb(atoi(argv[2]));
	if (argc == 2 && strcmp(argv[1], "fioasync") == 0) {
		int fd[2], on = 1;
		return pipe(fd) != 0 || syscall(SYS_ioctl, fd[0], 0x5452, &on) != 0;
	}
	if (argc == 3 && strcmp(argv[1], "unit") == 0) {
		struct arena arena;
		if (arena_open(&arena, (size_t)8 << 20, full) != 0)
			return 99;
		unit_filter(&arena);
		unit_swap(&arena, argv[2]);
		return 0;
	}
	fprintf(stderr, "usage: see boundary.c\n");
	return 2;
}
