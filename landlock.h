/* landlock.h - the Linux boundary: Landlock, seccomp, capabilities, and the warden that watches one command.
 *
 * Three processes take part, all of this program (DESIGN: "Processes"):
 *   the host    opens what is granted, once, into a Landlock ruleset          1 to 4  sandbox_open .. sandbox_finish
 *   the warden  a fresh image for each command, no key, no network            5 to 7  sandbox_main, sandbox_warden
 *   the command puts the policy on itself between fork and exec               8       sandbox_enter
 *
 * Nothing here tries less when the kernel refuses more: every step works, or the command does not start. Kernel constants
 * are written out, since kernel headers may be old or missing; sources are named as files of the kernel tree. */
#ifndef HSA_LANDLOCK_H
#define HSA_LANDLOCK_H
#include "json.c"
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__ && !defined __ILP32__
#define NR(x86_64, aarch64) (x86_64)
#define SANDBOX_ARCH 0xC000003Eu /* include/uapi/linux/audit.h */
#elif defined __aarch64__ && !defined __ILP32__ && defined __AARCH64EL__
#define NR(x86_64, aarch64) (aarch64)
#define SANDBOX_ARCH 0xC00000B7u
#else
#error "landlock.h knows the system calls of x86_64 and little-endian aarch64 only"
#endif
#define NR_SECCOMP NR(317, 277)

/* ---- 1. what the callers see ------------------------------------------------------------------------------- */

enum sandbox_layer { SANDBOX_WRITE, SANDBOX_READ, SANDBOX_NETWORK, SANDBOX_IPC, SANDBOX_METADATA, SANDBOX_PROCESS,
	SANDBOX_DEVICE, SANDBOX_LIFETIME, SANDBOX_LAYERS };
static const char *const sandbox_names[SANDBOX_LAYERS] = { "write", "read", "network", "ipc", "metadata", "process",
	"device", "lifetime" };
#define SANDBOX_MAY_LEAVE \
	(1u << SANDBOX_READ | 1u << SANDBOX_IPC | 1u << SANDBOX_METADATA | 1u << SANDBOX_PROCESS | 1u << SANDBOX_DEVICE)

enum sandbox_access { SANDBOX_GRANT_READ, SANDBOX_GRANT_WRITE }; /* READ: read, list, execute. WRITE: that and every change */

struct sandbox_grant {
	int fd; /* O_PATH; -1 where only the rule is kept */
	enum sandbox_access access;
	bool directory;
	char *path;
};
#define SANDBOX_GRANTS_MAX 512

struct sandbox_insn { /* struct sock_filter, include/uapi/linux/filter.h */
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};
#define SANDBOX_FILTER_MAX 1024

/* What is granted in one run: decided and opened once, before the first command. */
struct sandbox_policy {
	struct arena *arena;
	unsigned without;                  /* bits 1u << layer that are left out */
	const char *means[SANDBOX_LAYERS]; /* what enforces the layer */
	const char *lacks[SANDBOX_LAYERS]; /* what this kernel cannot hold of it; NULL: nothing */
	char summary[160];
	struct sandbox_grant grants[SANDBOX_GRANTS_MAX];
	size_t count;
	int abi;                      /* of Landlock: the kernel's, or HSA_ABI_MAX */
	int ruleset, self, null;      /* descriptors: the Landlock ruleset, this program, /dev/null */
	uint64_t handled;             /* file-system rights that the ruleset denies unless granted */
	uint64_t keep;                /* capabilities that the command keeps */
	struct sandbox_insn filter[SANDBOX_FILTER_MAX];
	size_t filter_length;
};

struct sandbox_command {
	char *const *argv, *const *env; /* NULL-terminated. argv[0] without '/' is looked up in env's PATH */
	bool act;                       /* argv goes to the act function of the role instead of exec (probes) */
	int cwd;                        /* descriptor of the directory it starts in */
	int in, out, err;               /* its standard descriptors; in -1: /dev/null */
	unsigned timeout;               /* seconds; 0: none */
	uint64_t memory;                /* address space per process in bytes (RLIMIT_AS); 0: no limit */
};

struct sandbox_run {
	pid_t warden;
	int report; /* becomes readable when the warden is done */
};

enum sandbox_how { SANDBOX_EXITED, SANDBOX_SIGNALED, SANDBOX_TIMEOUT, SANDBOX_NOT_STARTED, SANDBOX_REFUSED };

struct sandbox_end {
	enum sandbox_how how;
	int code;          /* exit status; signal number; NOT_STARTED: 126 or 127; REFUSED: 3 or 5 */
	unsigned left;     /* processes that were still there when the command ended, and were killed */
	unsigned refusals; /* notified calls that the warden refused */
	char text[512];    /* NOT_STARTED, REFUSED: why, one line */
};

/* ---- 2. the kernel's Landlock (Documentation/userspace-api/landlock.rst) ------------------------------------- */

#ifndef HSA_ABI_MAX
#define HSA_ABI_MAX 7 /* a newer kernel is treated as this one; test builds lower it */
#endif
#define ABI_MIN 3     /* below, truncate(2) is not mediated */

#define FS_EXECUTE 0x1u
#define FS_WRITE_FILE 0x2u
#define FS_READ_FILE 0x4u
#define FS_READ_DIR 0x8u
#define FS_MAKE_CHAR 0x40u
#define FS_MAKE_BLOCK 0x800u
#define FS_REFER 0x2000u
#define FS_TRUNCATE 0x4000u
#define FS_IOCTL_DEV 0x8000u
#define FS_READ (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define FS_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE) /* what may stand on a non-directory */
#define FS_NEVER (FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV)           /* granted nowhere */
#define SCOPE_ABSTRACT 1u
#define SCOPE_SIGNAL 2u

/* A ruleset that denies these rights: net since ABI 4, scoped since ABI 6. Its descriptor, or -1. */
static int sandbox_ruleset(int abi, uint64_t fs, uint64_t net, uint64_t scoped) {
	uint64_t attr[3] = { fs, net, scoped };
	return (int)syscall(444, attr, abi >= 6 ? 24 : abi >= 4 ? 16 : 8, 0);
}

/* Whether layer is in force. */
static bool sandbox_has(const struct sandbox_policy *policy, enum sandbox_layer layer) {
	return !(policy->without & 1u << layer);
}

/* Asks for the ABI; -1 with status 3. */
static int sandbox_abi(struct error *error) {
	struct utsname name;
	long abi = syscall(444, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
	const char *why = abi >= 0 ? NULL : errno == EOPNOTSUPP ?
	    "is switched off at boot (add landlock to the lsm= boot parameter; see /sys/kernel/security/lsm)" :
	    errno == ENOSYS ? "is not in this kernel, or hidden by a filter around hsa" : strerror(errno);
	const char *kernel = uname(&name) == 0 ? name.release : "unknown";
	if (why != NULL)
		return error_set(error, 3, "write: Landlock %s; Linux %s here, needed is Landlock ABI %d (Linux 6.2)", why, kernel, ABI_MIN);
	if (abi > HSA_ABI_MAX)
		abi = HSA_ABI_MAX;
	if (abi < ABI_MIN)
		return error_set(error, 3, "write: Linux %s has Landlock ABI %ld, needed is ABI %d (Linux 6.2 or later; see `uname -r`)",
		    kernel, abi, ABI_MIN);
	return (int)abi;
}

/* Adds a rule: rights on what fd is, and below. 0, or -1 with errno. */
static int sandbox_rule(const struct sandbox_policy *policy, int fd, bool directory, uint64_t rights) {
	struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) rule = {
		rights & policy->handled & (directory ? ~(uint64_t)0 : FS_FILE) & ~(uint64_t)FS_NEVER, fd };
	return rule.allowed == 0 ? 0 : (int)syscall(445, policy->ruleset, 1 /* PATH_BENEATH */, &rule, 0);
}

/* Opens path (following links once, now) and adds it. -1 with status 2: cannot be opened, or cannot be enforced there. */
static int sandbox_grant(struct sandbox_policy *policy, const char *path, enum sandbox_access access, struct error *error) {
	struct stat st;
	struct statfs fs;
	if (policy->count == SANDBOX_GRANTS_MAX)
		return error_set(error, 2, "more than %d granted paths", SANDBOX_GRANTS_MAX);
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || fstatfs(fd, &fs) != 0) {
		error_set(error, 2, "%s cannot be opened:", path);
		goto failed;
	}
	if (fs.f_type == 0x01021997) {
		error_set(error, 2, "%s lies on a 9p file system, where Landlock does not hold; use a directory of this system", path);
		goto failed;
	}
	bool directory = S_ISDIR(st.st_mode);
	if (sandbox_rule(policy, fd, directory, access == SANDBOX_GRANT_WRITE ? ~(uint64_t)0 : FS_READ) != 0) {
		error_set(error, 2, "Landlock takes no rule for %s:", path);
		goto failed;
	}
	if (access == SANDBOX_GRANT_WRITE && geteuid() == 0 && st.st_uid != 0)
		policy->keep = 1u << 1 | 1u << 3; /* CAP_DAC_OVERRIDE, CAP_FOWNER: root works on somebody else's files */
	policy->grants[policy->count++] = (struct sandbox_grant){ fd, access, directory, arena_z(policy->arena, str_of(path)) };
	return 0;
failed:
	if (fd >= 0)
		close(fd);
	return -1;
}

/* What building needs of the system. Of /etc only entries that hold no secret, by name; of /var what compilers keep there. */
static const char *const sandbox_system[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt",
	"/nix/store", "/gnu/store", "/proc", "/var/lib/ghc",
	"/etc/alternatives", "/etc/bash.bashrc", "/etc/bash_completion.d", "/etc/bashrc", "/etc/ca-certificates", "/etc/ca-certificates.conf",
	"/etc/crypto-policies", "/etc/debian_version", "/etc/environment", "/etc/ethertypes", "/etc/fedora-release", "/etc/fonts",
	"/etc/gai.conf", "/etc/gdb", "/etc/group", "/etc/host.conf", "/etc/hostname", "/etc/hosts", "/etc/inputrc", "/etc/issue",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path",
	"/etc/locale.alias", "/etc/locale.conf", "/etc/locale.gen", "/etc/localtime", "/etc/login.defs", "/etc/lsb-release",
	"/etc/magic", "/etc/mailcap", "/etc/mime.types", "/etc/mtab", "/etc/nanorc", "/etc/networks", "/etc/nsswitch.conf",
	"/etc/openssl", "/etc/os-release", "/etc/passwd", "/etc/perl", "/etc/pki/ca-trust/extracted", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem",
	"/etc/pki/tls/openssl.cnf", "/etc/profile", "/etc/profile.d", "/etc/protocols", "/etc/python3", "/etc/redhat-release",
	"/etc/resolv.conf", "/etc/rpc", "/etc/services", "/etc/shells", "/etc/ssl/cert.pem", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
	"/etc/ssl1.1", "/etc/terminfo", "/etc/timezone", "/etc/vim", "/etc/xdg" };
static const struct { const char *path; uint64_t rights; } sandbox_devices[] = {
	{ "/dev/null", FS_READ_FILE | FS_WRITE_FILE }, { "/dev/zero", FS_READ_FILE | FS_WRITE_FILE },
	{ "/dev/full", FS_READ_FILE | FS_WRITE_FILE }, { "/dev/random", FS_READ_FILE }, { "/dev/urandom", FS_READ_FILE } };

/* Grants the system. What does not exist is left out; only the rules are kept. */
static int sandbox_grant_system(struct sandbox_policy *policy, struct error *error) {
	size_t paths = sizeof sandbox_system / sizeof *sandbox_system, devices = sizeof sandbox_devices / sizeof *sandbox_devices;
	for (size_t i = 0; i < paths + devices; i++) {
		bool device = i >= paths;
		const char *path = device ? sandbox_devices[i - paths].path : sandbox_system[i];
		struct stat st;
		int fd = open(path, O_PATH | O_CLOEXEC);
		if (fd < 0)
			continue;
		int rc = fstat(fd, &st);
		if (rc == 0 && (!device || S_ISCHR(st.st_mode))) /* a /dev/null that is a plain file is none */
			rc = sandbox_rule(policy, fd, S_ISDIR(st.st_mode), device ? sandbox_devices[i - paths].rights : FS_READ);
		if (rc != 0)
			error_set(error, 3, "read: Landlock takes no rule for %s:", path);
		close(fd);
		if (rc != 0)
			return -1;
	}
	return 0;
}

/* ---- 3. the filter: one table -------------------------------------------------------------------------------- */

/* What a row asks. The low 32 bits of an argument are compared: the kernel reads no more of an int, also where the caller
 * sets higher bits. Rows of one call are asked in order; what no row refuses is allowed. */
enum sandbox_test {
	REFUSE,   /* always */
	ONLY,     /* unless the argument is value */
	NEVER,    /* if the argument is value */
	NONE_OF,  /* if the argument has a bit of value */
	STREAMS,  /* unless the socket type is SOCK_STREAM or SOCK_SEQPACKET */
	CREATING, /* if argument `arg` has O_CREAT or O_TMPFILE and the one behind it a bit of value */
	OWN,      /* unless the argument is 0 (the caller) or the third argument is NULL (prlimit(2): only asks) */
	IOCTLS,   /* unless the argument is in sandbox_ioctls */
	NOTIFY    /* the warden does it; with `metadata` left out: as NONE_OF */
};

struct sandbox_row {
	int nr; /* -1: this architecture has no such call */
	uint8_t layer, test, arg;
	uint16_t refusal; /* errno */
	uint32_t value;
};
#define SETID 06000u /* set-user-id and set-group-id: not by any call */
#define ALWAYS SANDBOX_WRITE

#define NO(layer, refusal, x86_64, aarch64) { NR(x86_64, aarch64), layer, REFUSE, 0, refusal, 0 }
#define IPC(x86_64, aarch64) NO(SANDBOX_IPC, ENOSYS, x86_64, aarch64)
#define XATTR(x86_64, aarch64) NO(SANDBOX_METADATA, EOPNOTSUPP, x86_64, aarch64)
#define KERNEL(x86_64, aarch64) NO(ALWAYS, EPERM, x86_64, aarch64)

static const struct sandbox_row sandbox_rows[] = {
	/* write: set-id bits also come by the mode of a new file; openat2 hides its mode in memory */
	{ NR(2, -1), ALWAYS, CREATING, 1, EPERM, SETID },               /* open */
	{ NR(257, 56), ALWAYS, CREATING, 2, EPERM, SETID },             /* openat */
	{ NR(85, -1), ALWAYS, NONE_OF, 1, EPERM, SETID },               /* creat */
	{ NR(133, -1), ALWAYS, NONE_OF, 1, EPERM, SETID },              /* mknod */
	{ NR(259, 33), ALWAYS, NONE_OF, 2, EPERM, SETID },              /* mknodat */
	NO(ALWAYS, ENOSYS, 437, 437),                                   /* openat2 */
	/* network: no socket but the pairs; EACCES is what resolvers and event loops cope with. io_uring makes sockets past
	 * any filter; ENOSYS, so that runtimes fall back */
	{ NR(41, 198), SANDBOX_NETWORK, ONLY, 0, EACCES, AF_UNIX },     /* socket */
	{ NR(53, 199), SANDBOX_NETWORK, ONLY, 0, EACCES, AF_UNIX },     /* socketpair */
	NO(SANDBOX_NETWORK, ENOSYS, 425, 425), NO(SANDBOX_NETWORK, ENOSYS, 426, 426), NO(SANDBOX_NETWORK, ENOSYS, 427, 427),
	/* ipc: a datagram pair reaches any datagram socket by its name, so only connected kinds */
	NO(SANDBOX_IPC, EACCES, 41, 198),                               /* socket */
	{ NR(53, 199), SANDBOX_IPC, STREAMS, 1, EACCES, 0 },            /* socketpair */
	NO(SANDBOX_IPC, EACCES, 42, 203), NO(SANDBOX_IPC, EACCES, 49, 200), NO(SANDBOX_IPC, EACCES, 50, 201), /* connect bind listen */
	NO(SANDBOX_IPC, EACCES, 43, 202), NO(SANDBOX_IPC, EACCES, 288, 242),      /* accept accept4 */
	IPC(29, 194), IPC(30, 196), IPC(31, 195), IPC(67, 197),                   /* shmget shmat shmctl shmdt */
	IPC(64, 190), IPC(65, 193), IPC(66, 191), IPC(220, 192),                  /* semget semop semctl semtimedop */
	IPC(68, 186), IPC(69, 189), IPC(70, 188), IPC(71, 187),                   /* msgget msgsnd msgrcv msgctl */
	IPC(240, 180), IPC(241, 181), IPC(242, 182), IPC(243, 183),               /* mq_open mq_unlink mq_timedsend mq_timedreceive */
	IPC(244, 184), IPC(245, 185), IPC(248, 217), IPC(249, 218), IPC(250, 219), /* mq_notify mq_getsetattr add_key request_key keyctl */
	/* metadata: attributes and flags are unsupported; cp, tar, install cope (mode, owner, times: sandbox_changes) */
	XATTR(188, 5), XATTR(189, 6), XATTR(190, 7), XATTR(463, 463),             /* setxattr lsetxattr fsetxattr setxattrat */
	XATTR(197, 14), XATTR(198, 15), XATTR(199, 16), XATTR(466, 466),          /* removexattr lremovexattr fremovexattr removexattrat */
	XATTR(469, 469),                                                          /* file_setattr */
	{ NR(16, 29), SANDBOX_METADATA, NEVER, 1, ENOTTY, 0x40086602 }, /* ioctl FS_IOC_SETFLAGS */
	{ NR(16, 29), SANDBOX_METADATA, NEVER, 1, ENOTTY, 0x401C5820 }, /* ioctl FS_IOC_FSSETXATTR */
	{ NR(16, 29), SANDBOX_METADATA, NEVER, 1, ENOTTY, 0x40087602 }, /* ioctl FS_IOC_SETVERSION */
	/* process: Landlock's signal scope leaves these alone; 0 is the caller itself */
	{ NR(302, 261), SANDBOX_PROCESS, OWN, 0, EPERM, 0 },            /* prlimit64 */
	{ NR(141, 140), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* setpriority PRIO_PROCESS */
	{ NR(141, 140), SANDBOX_PROCESS, ONLY, 1, EPERM, 0 },
	{ NR(251, 30), SANDBOX_PROCESS, ONLY, 0, EPERM, 1 },            /* ioprio_set IOPRIO_WHO_PROCESS */
	{ NR(251, 30), SANDBOX_PROCESS, ONLY, 1, EPERM, 0 },
	{ NR(142, 118), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* sched_setparam */
	{ NR(144, 119), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* sched_setscheduler */
	{ NR(203, 122), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* sched_setaffinity */
	{ NR(314, 274), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* sched_setattr */
	{ NR(256, 238), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* migrate_pages */
	{ NR(279, 239), SANDBOX_PROCESS, ONLY, 0, EPERM, 0 },           /* move_pages */
	NO(SANDBOX_PROCESS, EPERM, 440, 440), NO(SANDBOX_PROCESS, EPERM, 448, 448), /* process_madvise process_mrelease */
	NO(SANDBOX_PROCESS, EPERM, 438, 438),                           /* pidfd_getfd */
	{ NR(72, 25), SANDBOX_PROCESS, NEVER, 1, EPERM, 8 },            /* fcntl F_SETOWN: SIGIO to anybody */
	{ NR(72, 25), SANDBOX_PROCESS, NEVER, 1, EPERM, 15 },           /* fcntl F_SETOWN_EX */
	{ NR(72, 25), SANDBOX_PROCESS, NEVER, 1, EPERM, 1024 },         /* fcntl F_SETLEASE: holds up others' open(2) */
	{ NR(72, 25), SANDBOX_PROCESS, NEVER, 1, EPERM, 1040 },         /* fcntl F_SETDELEG (Linux 6.19) */
	{ NR(16, 29), SANDBOX_PROCESS, NEVER, 1, ENOTTY, 0x8901 },      /* ioctl FIOSETOWN */
	{ NR(16, 29), SANDBOX_PROCESS, NEVER, 1, ENOTTY, 0x8902 },      /* ioctl SIOCSPGRP */
	{ NR(16, 29), SANDBOX_DEVICE, IOCTLS, 1, ENOTTY, 0 },           /* ioctl */
	/* kernel surface, whatever privileges the user has. clone3 hides its flags in memory: libcs fall back to clone */
	{ NR(56, 220), ALWAYS, NONE_OF, 0, EPERM, 0x7E020000 },         /* clone: CLONE_NEW* */
	NO(ALWAYS, ENOSYS, 435, 435), KERNEL(272, 97), KERNEL(308, 268),          /* clone3 unshare setns */
	KERNEL(165, 40), KERNEL(166, 39), KERNEL(155, 41), KERNEL(161, 51),       /* mount umount2 pivot_root chroot */
	KERNEL(428, 428), KERNEL(429, 429), KERNEL(430, 430), KERNEL(431, 431),   /* open_tree move_mount fsopen fsconfig */
	KERNEL(432, 432), KERNEL(433, 433), KERNEL(442, 442), KERNEL(467, 467),   /* fsmount fspick mount_setattr open_tree_attr */
	KERNEL(321, 280), KERNEL(298, 241), KERNEL(323, 282), KERNEL(300, 262),   /* bpf perf_event_open userfaultfd fanotify_init */
	KERNEL(175, 105), KERNEL(313, 273), KERNEL(176, 106), KERNEL(304, 265),   /* init_, finit_, delete_module open_by_handle_at */
	KERNEL(246, 104), KERNEL(320, 294), KERNEL(167, 224), KERNEL(168, 225),   /* kexec_load kexec_file_load swapon swapoff */
	KERNEL(179, 60), KERNEL(443, 443), KERNEL(163, 89), KERNEL(169, 142),     /* quotactl quotactl_fd acct reboot */
	KERNEL(164, 170), KERNEL(227, 112), KERNEL(305, 266), KERNEL(159, 171),   /* settimeofday clock_settime clock_adjtime adjtimex */
	KERNEL(170, 161), KERNEL(171, 162), KERNEL(103, 116), KERNEL(153, 58),    /* sethostname setdomainname syslog vhangup */
	KERNEL(212, 18), KERNEL(172, -1), KERNEL(173, -1), KERNEL(134, -1), KERNEL(154, -1), /* lookup_dcookie iopl ioperm uselib modify_ldt */
};
#undef NO
#undef IPC
#undef XATTR
#undef KERNEL
#define LAST_CALL 469 /* calls above are unknown here (and x32's, from 0x40000000): ENOSYS */

/* What terminals, pipes, files and build tools ask; nothing that types, takes a terminal over or changes a file. */
static const uint32_t sandbox_ioctls[] = {
	0x5401, 0x5402, 0x5403, 0x5404, /* TCGETS, TCSETS, TCSETSW, TCSETSF */
	0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D, /* TCGETS2, TCSETS2, TCSETSW2, TCSETSF2 */
	0x5405, 0x5409, 0x540A, 0x540B, /* TCGETA, TCSBRK, TCXONC, TCFLSH */
	0x5413, 0x540F, 0x5410, 0x5429, /* TIOCGWINSZ, TIOCGPGRP, TIOCSPGRP, TIOCGSID */
	0x5411, 0x541B, 0x5421, 0x5450, 0x5451, 0x5460, /* TIOCOUTQ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOQSIZE */
	0x40049409, 0x4020940D, 0xC020660B, 0x2, /* FICLONE, FICLONERANGE, FS_IOC_FIEMAP, FIGETBSZ */
	0x80086601, 0x801C581F, 0x80087601, /* FS_IOC_GETFLAGS, FSGETXATTR, GETVERSION */
};

/* Calls that change mode, owner or times: which argument holds what (-1: none). */
enum sandbox_kind { CHANGE_MODE, CHANGE_OWNER, CHANGE_UTIME, CHANGE_TIMEVAL, CHANGE_TIMESPEC };
struct sandbox_change {
	int nr;
	enum sandbox_kind kind;
	int8_t dir, path, value, flags;
	int fixed; /* flags that the call implies */
	bool no_path; /* a NULL path means the descriptor itself */
};
static const struct sandbox_change sandbox_changes[] = {
	{ NR(90, -1), CHANGE_MODE, -1, 0, 1, -1, 0, false },                      /* chmod */
	{ NR(91, 52), CHANGE_MODE, 0, -1, 1, -1, 0, false },                      /* fchmod */
	{ NR(268, 53), CHANGE_MODE, 0, 1, 2, -1, 0, false },                      /* fchmodat */
	{ NR(452, 452), CHANGE_MODE, 0, 1, 2, 3, 0, false },                      /* fchmodat2 */
	{ NR(92, -1), CHANGE_OWNER, -1, 0, 1, -1, 0, false },                     /* chown */
	{ NR(94, -1), CHANGE_OWNER, -1, 0, 1, -1, AT_SYMLINK_NOFOLLOW, false },   /* lchown */
	{ NR(93, 55), CHANGE_OWNER, 0, -1, 1, -1, 0, false },                     /* fchown */
	{ NR(260, 54), CHANGE_OWNER, 0, 1, 2, 4, 0, false },                      /* fchownat */
	{ NR(132, -1), CHANGE_UTIME, -1, 0, 1, -1, 0, false },                    /* utime */
	{ NR(235, -1), CHANGE_TIMEVAL, -1, 0, 1, -1, 0, false },                  /* utimes */
	{ NR(261, -1), CHANGE_TIMEVAL, 0, 1, 2, -1, 0, true },                    /* futimesat */
	{ NR(280, 88), CHANGE_TIMESPEC, 0, 1, 2, 3, 0, true },                    /* utimensat */
};

#define LOAD(n) { 0x20, 0, 0, (uint32_t)(n) }     /* BPF_LD | BPF_W | BPF_ABS, offset in struct seccomp_data */
#define ARGUMENT(n) LOAD(16 + 8 * (n))            /* its low half: both architectures are little-endian */
#define GOTO(n) { 0x05, 0, 0, (uint32_t)(n) }
#define IS(value, yes, no) { 0x15, (uint8_t)(yes), (uint8_t)(no), (uint32_t)(value) }
#define ABOVE(value, yes, no) { 0x25, (uint8_t)(yes), (uint8_t)(no), (uint32_t)(value) }
#define FROM(value, yes, no) { 0x35, (uint8_t)(yes), (uint8_t)(no), (uint32_t)(value) }
#define HAS(value, yes, no) { 0x45, (uint8_t)(yes), (uint8_t)(no), (uint32_t)(value) }
#define AND(value) { 0x54, 0, 0, (uint32_t)(value) }
#define GIVE(value) { 0x06, 0, 0, (uint32_t)(value) }
#define ALLOW GIVE(0x7FFF0000)
#define FAIL(code) GIVE(0x00050000 | (code))      /* SECCOMP_RET_ERRNO */
#define KILL GIVE(0x80000000)                     /* SECCOMP_RET_KILL_PROCESS */
#define ASK GIVE(0x7FC00000)                      /* SECCOMP_RET_USER_NOTIF */
#define EMIT(...) sandbox_emit(policy, (const struct sandbox_insn[]){ __VA_ARGS__ }, \
	sizeof((const struct sandbox_insn[]){ __VA_ARGS__ }) / sizeof(struct sandbox_insn))

static void sandbox_emit(struct sandbox_policy *policy, const struct sandbox_insn *code, size_t count) {
	for (size_t i = 0; i < count; i++, policy->filter_length++)
		if (policy->filter_length < SANDBOX_FILTER_MAX) /* else sandbox_filter refuses the whole */
			policy->filter[policy->filter_length] = code[i];
}

static void sandbox_emit_row(struct sandbox_policy *policy, const struct sandbox_row *row) {
	unsigned no = row->refusal, arg = row->arg;
	switch ((enum sandbox_test)row->test) {
	case REFUSE: EMIT(FAIL(no)); break;
	case ONLY: EMIT(ARGUMENT(arg), IS(row->value, 1, 0), FAIL(no)); break;
	case NEVER: EMIT(ARGUMENT(arg), IS(row->value, 0, 1), FAIL(no)); break;
	case NONE_OF: EMIT(ARGUMENT(arg), HAS(row->value, 0, 1), FAIL(no)); break;
	case STREAMS: EMIT(ARGUMENT(arg), AND(0xF), IS(SOCK_STREAM, 2, 0), IS(SOCK_SEQPACKET, 1, 0), FAIL(no)); break;
	case CREATING: /* O_CREAT, __O_TMPFILE: include/uapi/asm-generic/fcntl.h */
		EMIT(ARGUMENT(arg), HAS(0100 | 020000000, 0, 3), ARGUMENT(arg + 1), HAS(row->value, 0, 1), FAIL(no));
		break;
	case OWN:
		EMIT(ARGUMENT(arg), IS(0, 5, 0), ARGUMENT(2), IS(0, 0, 2), LOAD(16 + 8 * 2 + 4), IS(0, 1, 0), FAIL(no));
		break;
	case IOCTLS:
		EMIT(ARGUMENT(arg));
		for (size_t left = sizeof sandbox_ioctls / sizeof *sandbox_ioctls; left > 0; left--)
			EMIT(IS(sandbox_ioctls[left - 1], left, 0));
		EMIT(FAIL(no));
		break;
	case NOTIFY:
		if (!(policy->without & 1u << SANDBOX_METADATA))
			EMIT(ASK);
		else if (row->value != 0)
			EMIT(ARGUMENT(arg), HAS(row->value, 0, 1), FAIL(no));
		break;
	}
}

/* The rows of [from, to), sorted by number, as a binary search with a few comparisons at each leaf. */
static void sandbox_emit_tree(struct sandbox_policy *policy, const struct sandbox_row *rows, size_t from, size_t to) {
	size_t middle = from + (to - from) / 2, at = policy->filter_length;
	while (middle < to && middle > from && rows[middle].nr == rows[middle - 1].nr)
		middle++;
	if (to - from > 3 && middle < to) {
		EMIT(FROM(rows[middle].nr, 0, 1), GOTO(0));
		sandbox_emit_tree(policy, rows, from, middle);
		if (at + 1 < SANDBOX_FILTER_MAX)
			policy->filter[at + 1].k = (uint32_t)(policy->filter_length - (at + 2));
		sandbox_emit_tree(policy, rows, middle, to);
		return;
	}
	while (from < to) {
		int nr = rows[from].nr;
		at = policy->filter_length;
		EMIT(IS(nr, 0, 0));
		for (; from < to && rows[from].nr == nr; from++)
			sandbox_emit_row(policy, &rows[from]);
		if (rows[from - 1].test != REFUSE)
			EMIT(ALLOW);
		if (at < SANDBOX_FILTER_MAX)
			policy->filter[at].jf = (uint8_t)(policy->filter_length - (at + 1));
	}
	EMIT(ALLOW);
}

/* Makes the filter of the layers in force. 0, or -1 with status 5. */
static int sandbox_filter(struct sandbox_policy *policy, struct error *error) {
	enum { STATIC = sizeof sandbox_rows / sizeof *sandbox_rows, CHANGES = sizeof sandbox_changes / sizeof *sandbox_changes };
	struct sandbox_row rows[STATIC + CHANGES];
	size_t count = 0;
	for (size_t i = 0; i < STATIC + CHANGES; i++) {
		struct sandbox_row row;
		if (i < STATIC)
			row = sandbox_rows[i];
		else {
			const struct sandbox_change *change = &sandbox_changes[i - STATIC];
			row = (struct sandbox_row){ change->nr, ALWAYS, NOTIFY, (uint8_t)change->value, EPERM, change->kind == CHANGE_MODE ? SETID : 0 };
		}
		if (row.nr < 0 || policy->without & 1u << row.layer)
			continue;
		size_t k = count++;
		for (; k > 0 && rows[k - 1].nr > row.nr; k--) /* insertion keeps the order of a call's rows */
			rows[k] = rows[k - 1];
		rows[k] = row;
	}
	policy->filter_length = 0;
	EMIT(LOAD(4), IS(SANDBOX_ARCH, 1, 0), KILL, LOAD(0), ABOVE(LAST_CALL, 0, 1), FAIL(ENOSYS));
	sandbox_emit_tree(policy, rows, 0, count);
	if (policy->filter_length > SANDBOX_FILTER_MAX)
		return error_set(error, 5, "the system-call filter has %zu instructions, room is for %d", policy->filter_length, SANDBOX_FILTER_MAX);
	return 0;
}

/* ---- 4. the host ------------------------------------------------------------------------------------------- */

/* What the warden is told, in a memory file. Descriptors keep their numbers; the policy's pointers mean nothing there; words
 * are offsets until the warden adds where the plan lies. */
struct sandbox_plan {
	struct sandbox_policy policy;
	struct sandbox_command command;
	size_t size, argc, count;
	pid_t host;
	int report;
	char *words[]; /* argv, NULL, env, NULL; then the strings */
};

/* Asks the kernel; makes the empty ruleset and the filter. 0, or -1 with status 3 (5: this machine's fault). */
static int sandbox_open(struct sandbox_policy *policy, struct arena *arena, unsigned without, struct error *error) {
	struct statfs fs;
	uint32_t action = 0x7FC00000;
	memset(policy, 0, sizeof *policy);
	policy->arena = arena;
	policy->without = without & SANDBOX_MAY_LEAVE;
	policy->ruleset = policy->self = policy->null = -1;
	int abi = policy->abi = sandbox_abi(error);
	if (abi < 0)
		return -1;
	policy->handled = (abi >= 5 ? 0xFFFF : 0x7FFF) & ~(uint64_t)((sandbox_has(policy, SANDBOX_READ) ? 0 : FS_READ) |
	    (sandbox_has(policy, SANDBOX_DEVICE) ? 0 : FS_IOCTL_DEV));
	policy->ruleset = sandbox_ruleset(abi, policy->handled, 3 /* BIND_TCP, CONNECT_TCP */,
	    (sandbox_has(policy, SANDBOX_IPC) ? SCOPE_ABSTRACT : 0) | (sandbox_has(policy, SANDBOX_PROCESS) ? SCOPE_SIGNAL : 0));
	if (policy->ruleset < 0)
		return error_set(error, 3, "write: Landlock says ABI %d but refuses its rights:", abi);
	if (syscall(NR_SECCOMP, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &action) != 0)
		return error_set(error, 3, "network, metadata: seccomp with notification cannot be had here:");
	if (statfs("/proc/self/fd", &fs) != 0 || fs.f_type != 0x9FA0 /* PROC_SUPER_MAGIC */)
		return error_set(error, 3, "lifetime, metadata: /proc is not mounted, the warden needs it (mount -t proc proc /proc)");
	policy->self = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	policy->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (policy->self < 3 || policy->null < 3 || policy->ruleset < 3)
		return error_set(error, 5, "/proc/self/exe or /dev/null cannot be opened, or a standard descriptor is closed");
	const char *landlock = arena_format(arena, "Landlock ABI %d", abi), *both = arena_format(arena, "%s, seccomp", landlock);
	const char *means[SANDBOX_LAYERS] = { both, landlock, abi >= 4 ? both : "seccomp", abi >= 6 ? both : "seccomp",
		"seccomp notification", both, abi >= 5 ? both : "seccomp", abi >= 6 ? "warden, Landlock signal scope" : "warden" };
	memcpy(policy->means, means, sizeof means);
	if (abi < 6)
		policy->lacks[SANDBOX_PROCESS] = "signals to processes outside (needs Landlock ABI 6, Linux 6.12)";
	if (abi < 5)
		policy->lacks[SANDBOX_DEVICE] = "the listed ioctls on device nodes (needs Landlock ABI 5, Linux 6.10)";
	snprintf(policy->summary, sizeof policy->summary, "%s", both);
	return sandbox_filter(policy, error);
}

/* Closes what the policy holds. */
static void sandbox_close(struct sandbox_policy *policy) {
	for (size_t i = 0; i < policy->count; i++)
		close(policy->grants[i].fd);
	close(policy->ruleset);
	close(policy->self);
	close(policy->null);
	policy->count = 0;
}

/* A socket handed on as a standard descriptor must not be a door out. A connected stream of the unix family carries bytes
 * to whoever passed it, as a pipe does (CI runners, sshd, node); any other could be connected anew, or address others. */
static int sandbox_check_socket(int fd, const char *name, struct error *error) {
	struct stat st;
	int family = -1, type = -1, listens = 1;
	socklen_t size = sizeof(int);
	if (fstat(fd, &st) != 0)
		return error_set(error, 2, "standard %s is closed", name);
	if (!S_ISSOCK(st.st_mode) || (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_UNIX &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && (type == SOCK_STREAM || type == SOCK_SEQPACKET) &&
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens == 0))
		return 0;
	return error_set(error, 3, "network: standard %s is a socket other than a connected unix stream, which would be a way out; "
	    "put a pipe between (`... | hsa exec`, `hsa exec ... | cat`)", name);
}

/* The plan, in the policy's arena. */
static struct sandbox_plan *sandbox_plan(struct sandbox_policy *policy, const struct sandbox_command *command) {
	size_t argc = 0, count = 0, size = 0, n = 0;
	for (; command->argv[argc] != NULL; argc++)
		size += strlen(command->argv[argc]) + 1;
	for (; command->env[count] != NULL; count++)
		size += strlen(command->env[count]) + 1;
	count += argc + 2;
	size_t at = sizeof(struct sandbox_plan) + count * sizeof(char *);
	struct sandbox_plan *plan = arena_take(policy->arena, at + size, 1);
	plan->policy = *policy;
	plan->command = *command;
	plan->size = at + size;
	plan->argc = argc;
	plan->count = count;
	plan->host = getpid();
	for (; n < count; n++) {
		const char *word = n <= argc ? command->argv[n] : command->env[n - argc - 1];
		if (word == NULL)
			continue;
		plan->words[n] = (char *)(uintptr_t)at;
		memcpy((char *)plan + at, word, strlen(word) + 1);
		at += strlen(word) + 1;
	}
	return plan;
}

/* Runs fn as a process of its own that shares this one's memory, and waits until it ended or became another program: as
 * cheap as vfork(2), on a stack of its own. Its pid, or -1. */
static pid_t sandbox_spawn(int (*fn)(void *), void *context, int flags) {
	size_t size = (size_t)256 << 10;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return -1;
	pid_t pid = clone(fn, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD | flags, context);
	munmap(stack, size);
	return pid;
}

struct sandbox_launch {
	const struct sandbox_plan *plan;
	int memory; /* descriptor of the plan */
	int failed; /* errno */
};

/* Becomes the warden: the host's own image, no environment, no descriptor but those of the plan. */
static int sandbox_launch(void *context) {
	struct sandbox_launch *launch = context;
	const struct sandbox_policy *policy = &launch->plan->policy;
	const struct sandbox_command *command = &launch->plan->command;
	int standard[3] = { command->in < 0 ? policy->null : command->in, command->out, command->err };
	int kept[4] = { launch->memory, launch->plan->report, policy->ruleset, command->cwd };
	char number[16], *argv[] = { (char[]){ "hsa" }, (char[]){ "__sandbox-exec" }, number, NULL }, *env[] = { NULL };
	snprintf(number, sizeof number, "%d", launch->memory);
	bool good = true;
	for (int i = 0; i < 3; i++)
		good = good && (standard[i] = fcntl(standard[i], F_DUPFD, 3)) >= 3;
	good = good && syscall(436, 3, ~0u, 4) == 0; /* close_range: CLOSE_RANGE_CLOEXEC */
	for (int i = 0; i < 3; i++)
		good = good && dup2(standard[i], i) == i;
	for (int i = 0; i < 4; i++)
		good = good && fcntl(kept[i], F_SETFD, 0) == 0;
	for (size_t i = 0; i < policy->count; i++)
		good = good && (policy->grants[i].access == SANDBOX_GRANT_READ || fcntl(policy->grants[i].fd, F_SETFD, 0) == 0);
	if (good)
		syscall(NR(322, 281), policy->self, "", argv, env, AT_EMPTY_PATH); /* execveat */
	launch->failed = errno;
	return 127;
}

/* Starts the warden (this program again, as `__sandbox-exec`) with the command. -1 with *error. */
static int sandbox_start(struct sandbox_policy *policy, const struct sandbox_command *command, struct sandbox_run *run, struct error *error) {
	if ((command->in >= 0 && sandbox_check_socket(command->in, "input", error) != 0) ||
	    sandbox_check_socket(command->out, "output", error) != 0 || sandbox_check_socket(command->err, "error", error) != 0)
		return -1;
	int report[2];
	size_t mark = policy->arena->used;
	if (pipe2(report, O_CLOEXEC) != 0)
		return error_set(error, 5, "lifetime: no pipe for the warden:");
	struct sandbox_plan *plan = sandbox_plan(policy, command);
	plan->report = report[1];
	struct sandbox_launch launch = { plan, (int)syscall(NR(319, 279), "plan", 9), 0 }; /* memfd_create: CLOEXEC, NOEXEC_SEAL */
	if (launch.memory < 0 && errno == EINVAL)
		launch.memory = (int)syscall(NR(319, 279), "plan", 1); /* before Linux 6.3 */
	sigset_t all, before;
	sigfillset(&all);
	if (launch.memory < 3 || write(launch.memory, plan, plan->size) != (ssize_t)plan->size ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 || sigprocmask(SIG_SETMASK, &all, &before) != 0)
		launch.failed = errno;
	else { /* the warden begins with every signal blocked: none is lost, none ends it */
		run->warden = sandbox_spawn(sandbox_launch, &launch, 0);
		launch.failed = run->warden < 0 ? errno : launch.failed;
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (run->warden > 0 && launch.failed != 0)
			waitpid(run->warden, NULL, __WALL);
	}
	close(report[1]);
	close(launch.memory);
	arena_reset(policy->arena, mark);
	run->report = report[0];
	if (launch.failed == 0)
		return 0;
	close(report[0]);
	errno = launch.failed;
	return error_set(error, 5, "lifetime: the warden cannot be started:");
}

/* Asks the warden to end the command now; sandbox_finish then reports SIGNALED. */
static void sandbox_stop(const struct sandbox_run *run) {
	kill(run->warden, SIGTERM);
}

/* ---- 5. the end of a tree ------------------------------------------------------------------------------------ */

#define PID_LIMIT (1u << 22) /* include/linux/threads.h */

/* Sends SIGKILL to every process that descends from this one, as /proc shows them. New ones have higher numbers and are
 * met later in the same pass, or in the next. */
static void sandbox_kill_tree(void) {
	unsigned char *ours = mmap(NULL, PID_LIMIT / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	while (ours != MAP_FAILED && proc != NULL && (entry = readdir(proc)) != NULL) {
		char name[300], text[512];
		unsigned pid = (unsigned)strtoul(entry->d_name, NULL, 10), parent = 0;
		snprintf(name, sizeof name, "/proc/%s/stat", entry->d_name);
		int fd = pid == 0 || pid >= PID_LIMIT ? -1 : open(name, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
		close(fd);
		text[n < 0 ? 0 : n] = '\0';
		const char *behind = strrchr(text, ')'); /* the name may hold anything: proc_pid_stat(5) */
		if (behind == NULL || sscanf(behind + 1, " %*c %u", &parent) != 1 || parent >= PID_LIMIT ||
		    ((pid_t)parent != getpid() && !(ours[parent / 8] & 1u << parent % 8)))
			continue;
		ours[pid / 8] |= (unsigned char)(1u << pid % 8);
		kill((pid_t)pid, SIGKILL);
	}
	if (proc != NULL)
		closedir(proc);
	if (ours != MAP_FAILED)
		munmap(ours, PID_LIMIT / 8);
}

/* Kills all that is left of this process's tree, and reaps until there is nothing. In a signal-scoped Landlock domain of its
 * own, -1 means just that tree; without, /proc is walked. Gives how many were killed, main not counted. */
static unsigned sandbox_clear(bool scoped, pid_t main) {
	for (unsigned left = 0;;) {
		int status;
		pid_t pid;
		if (scoped)
			kill(-1, SIGKILL);
		else
			sandbox_kill_tree();
		while ((pid = waitpid(-1, &status, __WALL | (scoped ? 0 : WNOHANG))) > 0)
			left += pid != main && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		if (pid < 0 && errno == ECHILD)
			return left;
		poll(NULL, 0, 1);
	}
}

/* After report became readable (or blocking): reads how it ended, reaps the warden, closes report. A warden that died
 * without a word: REFUSED 5; its tree has become the caller's, all of whose children are then killed. */
static void sandbox_finish(struct sandbox_run *run, struct sandbox_end *end) {
	ssize_t n;
	while ((n = read(run->report, end, sizeof *end)) < 0 && errno == EINTR)
		;
	while (waitpid(run->warden, NULL, __WALL) < 0 && errno == EINTR)
		;
	close(run->report);
	if (n == (ssize_t)sizeof *end)
		return;
	*end = (struct sandbox_end){ .how = SANDBOX_REFUSED, .code = 5, .text = "lifetime: the warden was killed; the command was ended" };
	end->left = sandbox_clear(false, 0);
}

/* ---- 6. the warden: changes of mode, owner and times ----------------------------------------------------------- */

struct sandbox_notice { /* struct seccomp_notif, include/uapi/linux/seccomp.h */
	uint64_t id;
	uint32_t pid, flags;
	int nr;
	uint32_t arch;
	uint64_t ip, args[6];
};

/* Reads size bytes of the caller's memory; text: up to and with its NUL, page by page, since the next may not be there. */
static int sandbox_peek(int memory, uint64_t at, void *into, size_t size, bool text) {
	for (size_t have = 0; have < size;) {
		size_t step = text ? 4096 - (at + have) % 4096 : size;
		step = step > size - have ? size - have : step;
		if (at + have > INT64_MAX || pread(memory, (char *)into + have, step, (off_t)(at + have)) != (ssize_t)step)
			return EFAULT;
		if (text && memchr((char *)into + have, '\0', step) != NULL)
			return 0;
		have += step;
	}
	return text ? ENAMETOOLONG : 0;
}

/* Opens (O_PATH) what the call is about, as the caller would find it. 0 and *fd, or errno. */
static int sandbox_pin(const struct sandbox_notice *notice, const struct sandbox_change *change, int memory, int flags, int *fd) {
	static const struct { const char *own, *real; } links[] = { { "/proc/self", "/proc/%u" }, { "/proc/thread-self", "/proc/%u" },
		{ "/dev/fd", "/proc/%u/fd" }, { "/dev/stdin", "/proc/%u/fd/0" }, { "/dev/stdout", "/proc/%u/fd/1" },
		{ "/dev/stderr", "/proc/%u/fd/2" } }; /* these mean the caller's, not the warden's */
	char from[64], path[PATH_MAX], *rest = path;
	uint64_t at = change->path < 0 ? 0 : notice->args[change->path];
	int dir = change->dir < 0 ? AT_FDCWD : (int)notice->args[change->dir], base = -1;
	bool itself = change->path < 0 || (at == 0 && change->no_path);
	int wrong = itself ? 0 : sandbox_peek(memory, at, path, sizeof path, true);
	if (wrong != 0)
		return wrong;
	if (itself && dir == AT_FDCWD)
		return change->path < 0 ? EBADF : EFAULT;
	itself = itself || (path[0] == '\0' && flags & AT_EMPTY_PATH);
	snprintf(from, sizeof from, dir == AT_FDCWD ? "/proc/%u/cwd" : "/proc/%u/fd/%d", notice->pid, dir);
	if (itself)
		*fd = open(from, O_PATH | O_CLOEXEC);
	if (itself || (path[0] != '/' && (base = open(from, O_PATH | O_CLOEXEC | O_DIRECTORY)) < 0))
		return (itself ? *fd : base) >= 0 ? 0 : errno == ENOENT ? EBADF : errno;
	for (size_t i = 0; i < sizeof links / sizeof *links && path[0] == '/'; i++) {
		size_t n = strlen(links[i].own);
		if (strncmp(path, links[i].own, n) != 0 || (path[n] != '/' && path[n] != '\0'))
			continue;
		snprintf(from, sizeof from, links[i].real, notice->pid);
		base = open(from, O_PATH | O_CLOEXEC);
		for (rest = path + n; *rest == '/';)
			rest++;
		if (*rest == '\0') { /* the link itself, followed */
			*fd = base;
			return base < 0 ? errno : 0;
		}
		break;
	}
	*fd = openat(base, rest, O_PATH | O_CLOEXEC | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0));
	wrong = *fd < 0 ? errno : 0;
	close(base);
	return wrong;
}

/* Whether what fd pins lies in a writable grant: by the kernel's own path of it and of the granted directory, both as they
 * are now. Nothing inside can be moved out (Landlock denies it), so the answer stays true. */
static bool sandbox_inside(const struct sandbox_policy *policy, int fd, const struct stat *st) {
	char name[32], object[PATH_MAX], root[PATH_MAX];
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(name, object, sizeof object), n;
	for (size_t i = 0; i < policy->count; i++) {
		const struct sandbox_grant *grant = &policy->grants[i];
		struct stat other;
		if (grant->access != SANDBOX_GRANT_WRITE)
			continue;
		if (!grant->directory) {
			if (fstat(grant->fd, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
				return true;
			continue;
		}
		snprintf(name, sizeof name, "/proc/self/fd/%d", grant->fd);
		n = readlink(name, root, sizeof root);
		if (n == 1 && root[0] == '/')
			n = 0;
		if (n >= 0 && length >= n && length < PATH_MAX && object[0] == '/' && memcmp(object, root, (size_t)n) == 0 &&
		    (length == n || object[n] == '/'))
			return true;
	}
	return false;
}

/* Makes the change on what fd pins. 0 or errno. */
static int sandbox_apply(const struct sandbox_notice *notice, const struct sandbox_change *change, int fd, const struct stat *st,
    const int64_t *when) {
	char name[32];
	uint64_t value = notice->args[change->value], scale = change->kind == CHANGE_TIMEVAL ? 1000 : 1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	if (change->kind == CHANGE_MODE) { /* a directory may keep the set-id bits it has: no program runs by them */
		if (value & SETID & ~(S_ISDIR(st->st_mode) ? st->st_mode : 0))
			return EPERM;
		return chmod(name, (mode_t)(value & 07777)) == 0 ? 0 : errno;
	}
	if (change->kind == CHANGE_OWNER)
		return fchownat(fd, "", (uid_t)value, (gid_t)notice->args[change->value + 1], AT_EMPTY_PATH) == 0 ? 0 : errno;
	struct timespec times[2] = { { when[0], when[1] * (int64_t)scale }, { when[2], when[3] * (int64_t)scale } };
	if (change->kind == CHANGE_UTIME)
		times[1] = (struct timespec){ when[1], 0 }, times[0].tv_nsec = 0;
	if (scale != 1 && (when[1] < 0 || when[1] > 999999 || when[3] < 0 || when[3] > 999999))
		return EINVAL;
	return utimensat(fd, "", value == 0 ? NULL : times, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

/* Serves one notified call. What was read and opened counts only while the kernel says that the same call still waits: then
 * pid is the caller's thread, and its memory was its own (seccomp_unotify(2)). Never answered with CONTINUE. */
static void sandbox_serve(const struct sandbox_policy *policy, int listener, struct sandbox_end *end) {
	union { struct sandbox_notice notice; char room[256]; } in = { .room = { 0 } };
	union { struct { uint64_t id; int64_t value; int32_t error; uint32_t flags; } answer; char room[256]; } out = { .room = { 0 } };
	const struct sandbox_change *change = sandbox_changes, *last = change + sizeof sandbox_changes / sizeof *sandbox_changes;
	const struct sandbox_notice *notice = &in.notice;
	struct stat st;
	char name[32];
	int64_t when[4] = { 0 };
	if (syscall(SYS_ioctl, listener, 0xC0502100u, &in) != 0) /* SECCOMP_IOCTL_NOTIF_RECV */
		return;
	while (change < last - 1 && change->nr != notice->nr)
		change++;
	int flags = change->fixed | (change->flags < 0 ? 0 : (int)notice->args[change->flags]), fd = -1;
	snprintf(name, sizeof name, "/proc/%u/mem", notice->pid);
	int memory = open(name, O_RDONLY | O_CLOEXEC);
	int wrong = change->nr != notice->nr ? ENOSYS : memory < 0 ? EPERM : flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) ? EINVAL : 0;
	if (wrong == 0 && change->kind >= CHANGE_UTIME && notice->args[change->value] != 0)
		wrong = sandbox_peek(memory, notice->args[change->value], when, change->kind == CHANGE_UTIME ? 16 : 32, false);
	if (wrong == 0)
		wrong = sandbox_pin(notice, change, memory, flags, &fd);
	bool waits = syscall(SYS_ioctl, listener, 0x40082102u, &notice->id) == 0; /* SECCOMP_IOCTL_NOTIF_ID_VALID */
	if (waits && wrong == 0)
		wrong = fstat(fd, &st) != 0 ? errno : !sandbox_inside(policy, fd, &st) ? EPERM : sandbox_apply(notice, change, fd, &st, when);
	end->refusals += waits && wrong == EPERM;
	close(fd);
	close(memory);
	out.answer.id = notice->id;
	out.answer.error = -wrong;
	if (waits)
		syscall(SYS_ioctl, listener, 0xC0182101u, &out); /* SECCOMP_IOCTL_NOTIF_SEND; fails when the caller was killed */
}

/* ---- 7. the command: between fork and exec --------------------------------------------------------------------- */

struct sandbox_child {
	const struct sandbox_plan *plan;
	int (*act)(char *const *argv);
	pid_t warden, main; /* main: the process whose end is the command's */
	int listener;
	struct sandbox_end end; /* REFUSED or NOT_STARTED, when it could not be */
};

/* Fills *end with a refusal that names the layer, the step and errno. */
static int sandbox_refuse(struct sandbox_end *end, enum sandbox_layer layer, const char *step) {
	const char *why = strcmp(step, "listener") == 0 && errno == EBUSY ? "another seccomp listener is in force above hsa" : strerror(errno);
	*end = (struct sandbox_end){ .how = SANDBOX_REFUSED, .code = 3 };
	snprintf(end->text, sizeof end->text, "%s: %s failed: %s%s%s", sandbox_names[layer], step, why,
	    SANDBOX_MAY_LEAVE >> layer & 1 ? "; to do without: --without " : "", SANDBOX_MAY_LEAVE >> layer & 1 ? sandbox_names[layer] : "");
	return 1;
}

/* Lowers a limit, never raises one. */
static int sandbox_limit(int which, uint64_t most) {
	struct { uint64_t now, hard; } limit; /* struct rlimit64 */
	if (syscall(SYS_prlimit64, 0, which, NULL, &limit) != 0)
		return -1;
	limit.hard = limit.hard < most ? limit.hard : most;
	limit.now = limit.now < limit.hard ? limit.now : limit.hard;
	return (int)syscall(SYS_prlimit64, 0, which, &limit, NULL);
}

/* Makes this process the first choice of the out-of-memory killer. */
static int sandbox_expendable(void) {
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, "1000", 4);
	close(fd);
	return n == 4 ? 0 : -1;
}

/* Becomes the command; argv[0] without '/' is looked for along the PATH of its environment. Returns only on failure. */
static int sandbox_exec(struct sandbox_child *child) {
	char *const *argv = child->plan->words, *const *env = argv + child->plan->argc + 1, file[PATH_MAX];
	const char *at = "/usr/bin:/bin";
	int why = ENOENT;
	for (char *const *e = env; *e != NULL; e++)
		at = strncmp(*e, "PATH=", 5) == 0 ? *e + 5 : at;
	if (strchr(argv[0], '/') != NULL) {
		execve(argv[0], argv, env);
		why = errno;
	} else
		for (const char *end = at; *argv[0] != '\0' && end != NULL; at = end + 1) {
			end = strchr(at, ':');
			int n = end == NULL ? (int)strlen(at) : (int)(end - at);
			if (snprintf(file, sizeof file, "%.*s%s%s", n, at, n > 0 ? "/" : "", argv[0]) < PATH_MAX)
				execve(file, argv, env);
			why = errno == ENOENT || errno == ENOTDIR ? why : errno;
			if (end == NULL)
				break;
		}
	child->end = (struct sandbox_end){ .how = SANDBOX_NOT_STARTED, .code = why == ENOENT ? 127 : 126 };
	snprintf(child->end.text, sizeof child->end.text, "%s: %s", argv[0], why == ENOENT ? "not found" : strerror(why));
	return 127;
}

#define STEP(layer, what, call) do { if ((call) < 0) return sandbox_refuse(&child->end, layer, what); } while (0)
#define FILE_LIMIT ((uint64_t)4 << 30) /* bytes of one file */

/* All that happens before the policy is in force in the command, in order. It runs in the warden's memory, single-threaded:
 *  - a step that fails MUST end it: nothing is tried less;
 *  - the directory MUST be entered, and /proc written, before Landlock; no_new_privs MUST stand before Landlock and seccomp;
 *  - the filter MUST come last: a notified call would wait for the warden, which waits for us;
 *  - the listener MUST be made while the descriptors are still shared with the warden, and everything but 0, 1, 2 MUST be
 *    closed, in a table of our own, after it and before the first byte of the command runs.
 * The warden has dropped the capabilities, reset the signals, and entered its own domain already. */
static int sandbox_enter(void *context) {
	struct sandbox_child *child = context;
	const struct sandbox_plan *plan = child->plan;
	const struct sandbox_policy *policy = &plan->policy;
	bool notify = sandbox_has(policy, SANDBOX_METADATA);
	struct { unsigned short length; const struct sandbox_insn *code; } filter = { (unsigned short)policy->filter_length, policy->filter };
	sigset_t none;
	sigemptyset(&none);
	STEP(SANDBOX_LIFETIME, "PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
	STEP(SANDBOX_LIFETIME, "the warden has ended: getppid", getppid() == child->warden ? 0 : -1);
	STEP(SANDBOX_LIFETIME, "setsid", setsid());
	STEP(SANDBOX_LIFETIME, "writing /proc/self/oom_score_adj", sandbox_expendable());
	STEP(SANDBOX_LIFETIME, "RLIMIT_CORE", sandbox_limit(RLIMIT_CORE, 1)); /* 1, not 0: that also stops a piped core_pattern */
	STEP(SANDBOX_LIFETIME, "RLIMIT_FSIZE", sandbox_limit(RLIMIT_FSIZE, FILE_LIMIT));
	STEP(SANDBOX_LIFETIME, "RLIMIT_AS", plan->command.memory == 0 ? 0 : sandbox_limit(RLIMIT_AS, plan->command.memory));
	STEP(SANDBOX_WRITE, "fchdir", fchdir(plan->command.cwd));
	STEP(SANDBOX_WRITE, "no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1);
	STEP(SANDBOX_WRITE, "landlock_restrict_self", syscall(446, policy->ruleset, 0));
	STEP(SANDBOX_LIFETIME, "sigprocmask", sigprocmask(SIG_SETMASK, &none, NULL));
	child->listener = (int)syscall(NR_SECCOMP, 1 /* SECCOMP_SET_MODE_FILTER */, notify ? 8 | 32 : 0, &filter); /* NEW_LISTENER,
	                                                                                                      WAIT_KILLABLE_RECV */
	STEP(notify ? SANDBOX_METADATA : SANDBOX_NETWORK, notify ? "listener" : "seccomp", child->listener);
	STEP(SANDBOX_DEVICE, "close_range", syscall(436, 3, ~0u, 2 /* CLOSE_RANGE_UNSHARE */));
	if (!plan->command.act)
		return sandbox_exec(child);
	child->main = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* an act runs while the warden serves it: in memory of its own */
	if (child->main == 0)
		_exit(child->act(plan->words));
	STEP(SANDBOX_LIFETIME, "fork", child->main);
	return 0;
}

/* ---- 8. the warden ------------------------------------------------------------------------------------------- */

/* Drops every capability but those of keep, from the bounding set too where that is allowed; no_new_privs does the rest. */
static int sandbox_drop(uint64_t keep) {
	struct { uint32_t version; int pid; } head = { 0x20080522, 0 }; /* _LINUX_CAPABILITY_VERSION_3 */
	struct { uint32_t effective, permitted, inheritable; } sets[2];
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int cap = 0; cap < 64; cap++)
		if (!(keep >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
			break; /* EINVAL: behind the last; EPERM: not ours to drop */
	if (syscall(SYS_capget, &head, sets) != 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		sets[i].permitted &= (uint32_t)(keep >> 32 * i);
		sets[i].effective = sets[i].permitted;
		sets[i].inheritable = 0;
	}
	return (int)syscall(SYS_capset, &head, sets);
}

/* Prepares the warden itself; 0, or the step that failed, in *end. */
static int sandbox_guard(const struct sandbox_plan *plan, bool scoped, struct sandbox_end *end) {
	for (int sig = 1; sig < 65; sig++)
		signal(sig, SIG_DFL); /* what the host ignored; refused for SIGKILL, SIGSTOP and libc's own */
	/* Every layer of a process that has a file-system layer too refuses renames between directories unless it grants REFER
	 * (measured on 6.18: `rename` gives EXDEV); so this one grants it everywhere. */
	int ruleset = scoped ? sandbox_ruleset(plan->policy.abi, FS_REFER, 0, SCOPE_SIGNAL) : -1, root = open("/", O_PATH | O_CLOEXEC);
	struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) refer = { FS_REFER, root };
	const struct { enum sandbox_layer layer; const char *what; long result; } steps[] = {
		{ SANDBOX_LIFETIME, "PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) },
		{ SANDBOX_LIFETIME, "the host has ended: getppid", getppid() == plan->host ? 0 : -1 },
		{ SANDBOX_LIFETIME, "setsid", setsid() },
		{ SANDBOX_LIFETIME, "PR_SET_CHILD_SUBREAPER", prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) },
		{ SANDBOX_PROCESS, "dropping capabilities", sandbox_drop(plan->policy.keep) },
		{ SANDBOX_WRITE, "PR_SET_NO_NEW_PRIVS", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) },
		{ SANDBOX_METADATA, "PR_SET_DUMPABLE", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) },
		{ SANDBOX_PROCESS, "a Landlock rule for /", scoped ? syscall(445, ruleset, 1 /* PATH_BENEATH */, &refer, 0) : 0 },
		{ SANDBOX_PROCESS, "a signal-scoped Landlock domain", scoped ? syscall(446, ruleset, 0) : 0 },
	};
	prctl(PR_SET_NAME, "hsa-warden", 0, 0, 0);
	close(ruleset);
	close(root);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i].result < 0)
			return sandbox_refuse(end, steps[i].layer, steps[i].what);
	return 0;
}

/* Serves the command until it has ended, time is up, or the host wants it gone. */
static void sandbox_watch(const struct sandbox_plan *plan, const struct sandbox_child *child, int signals, struct sandbox_end *end) {
	struct pollfd fds[2] = { { signals, POLLIN, 0 }, { child->listener, POLLIN, 0 } };
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t until = now.tv_sec * 1000 + now.tv_nsec / 1000000 + (int64_t)plan->command.timeout * 1000;
	for (;;) {
		int status;
		pid_t pid;
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t left = until - (now.tv_sec * 1000 + now.tv_nsec / 1000000);
		if (plan->command.timeout != 0 && left <= 0) {
			end->how = SANDBOX_TIMEOUT;
			return;
		}
		poll(fds, 2, plan->command.timeout == 0 ? -1 : left > INT_MAX ? INT_MAX : (int)left);
		if (fds[1].revents & POLLIN)
			sandbox_serve(&plan->policy, child->listener, end);
		else if (fds[1].revents != 0)
			fds[1].fd = -1; /* no process has the filter any more */
		struct signalfd_siginfo info;
		while (fds[0].revents & POLLIN && read(signals, &info, sizeof info) == (ssize_t)sizeof info)
			if (info.ssi_signo != SIGCHLD) {
				end->how = SANDBOX_SIGNALED;
				end->code = SIGTERM;
				return;
			}
		while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
			if (pid == child->main && (WIFEXITED(status) || WIFSIGNALED(status))) { /* not: stopped, if traced by us */
				end->how = WIFEXITED(status) ? SANDBOX_EXITED : SANDBOX_SIGNALED;
				end->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
				return;
			}
	}
}

/* The role `__sandbox-exec`; never returns. act: runs a probe inside the policy and gives its exit status. */
static _Noreturn void sandbox_main(int argc, char **argv, int (*act)(char *const *argv)) {
	struct stat st;
	int memory = argc == 3 ? atoi(argv[2]) : -1;
	size_t size = fstat(memory, &st) == 0 ? (size_t)st.st_size : 0;
	struct sandbox_plan *plan = size < sizeof *plan ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, memory, 0);
	if (plan == MAP_FAILED || plan->size != size)
		_exit(5); /* the host says that the warden died */
	for (size_t i = 0; i < plan->count; i++)
		plan->words[i] = plan->words[i] == NULL ? NULL : (char *)plan + (uintptr_t)plan->words[i];
	bool scoped = plan->policy.abi >= 6 && sandbox_has(&plan->policy, SANDBOX_PROCESS);
	struct sandbox_child child = { .plan = plan, .act = act, .warden = getpid(), .listener = -1 };
	struct sandbox_end end = { .how = SANDBOX_EXITED };
	if (sandbox_guard(plan, scoped, &end) == 0) {
		sigset_t all;
		sigfillset(&all);
		int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
		pid_t pid = signals < 0 ? -1 : sandbox_spawn(sandbox_enter, &child, CLONE_FILES);
		child.main = child.main > 0 ? child.main : pid;
		syscall(436, 0, 2, 0); /* close_range: what ends with the command must not be held open here */
		if (pid < 0)
			sandbox_refuse(&end, SANDBOX_LIFETIME, "clone");
		else if (child.end.text[0] == '\0')
			sandbox_watch(plan, &child, signals, &end);
		end.left = sandbox_clear(scoped, child.main);
		if (child.end.text[0] != '\0')
			end = child.end;
	}
	ssize_t n = write(plan->report, &end, sizeof end);
	_exit(n == (ssize_t)sizeof end ? 0 : 5);
}



#endif
