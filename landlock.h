/* landlock.h - the Linux boundary: Landlock, seccomp, capabilities, and the warden that watches one command. The host
 * opens what is granted, once, into a ruleset (sections 2 to 4); the warden serves its command, outlives it, and leaves
 * nothing of it (5, 6, 8); the command puts the policy on itself between fork and exec (7). A step works, or the
 * command does not start: nothing tries less when the kernel refuses more. Kernel constants are written out. */
#ifndef HSA_LANDLOCK_H
#define HSA_LANDLOCK_H
#include "json.c"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __x86_64__ && !defined __ILP32__
#define NR(x86_64, aarch64) x86_64
#define SANDBOX_ARCH 0xC000003Eu /* include/uapi/linux/audit.h */
#elif defined __AARCH64EL__ && !defined __ILP32__
#define NR(x86_64, aarch64) aarch64
#define SANDBOX_ARCH 0xC00000B7u
#else
#error "landlock.h knows the system calls of x86_64 and little-endian aarch64 only"
#endif
enum { CALL_SECCOMP = NR(317, 277), CALL_PIDFD_SIGNAL = 424, CALL_PIDFD_OPEN = 434,
	CALL_CLOSE_RANGE = 436, CALL_CREATE_RULESET = 444, CALL_ADD_RULE, CALL_RESTRICT };

/* ---- 1. what the callers see ------------------------------------------------------------------------------- */

enum sandbox_layer { SANDBOX_WRITE, SANDBOX_READ, SANDBOX_NETWORK, SANDBOX_IPC, SANDBOX_METADATA, SANDBOX_PROCESS,
	SANDBOX_DEVICE, SANDBOX_LIFETIME, SANDBOX_LAYERS };
static const char *const sandbox_names[] = { "write", "read", "network", "ipc", "metadata", "process", "device",
	"lifetime" };
#define SANDBOX_MAY_LEAVE \
	(1u << SANDBOX_READ | 1u << SANDBOX_IPC | 1u << SANDBOX_METADATA | 1u << SANDBOX_PROCESS | 1u << SANDBOX_DEVICE)
#define SANDBOX_GRANTS_MAX 512
#define SANDBOX_FILTER_MAX 640

enum sandbox_access { SANDBOX_GRANT_READ, SANDBOX_GRANT_WRITE }; /* read, list, execute; that and every change */
struct sandbox_grant { int fd; enum sandbox_access access; bool directory; char *path; };
struct sandbox_insn { uint16_t code; uint8_t yes, no; uint32_t k; }; /* struct sock_filter, linux/filter.h */

/* What is granted in one run: decided and opened once, before the first command. */
struct sandbox_policy {
	struct arena *arena;
	unsigned without;                  /* bits 1u << layer that are left out */
	const char *means[SANDBOX_LAYERS]; /* what enforces the layer */
	const char *lacks[SANDBOX_LAYERS]; /* what this kernel cannot hold of it, in words; NULL: nothing */
	char summary[160];
	struct sandbox_grant grants[SANDBOX_GRANTS_MAX]; /* without the system's */
	size_t count;
	int abi, ruleset; /* Landlock's, at most HSA_ABI_MAX; a descriptor: all grants */
	uint64_t handled; /* file-system rights that are denied unless granted */
	bool keep;        /* root works on somebody else's files: two capabilities stay */
	struct sandbox_insn filter[SANDBOX_FILTER_MAX];
	size_t length; /* of filter */
};

struct sandbox_command {
	char *const *argv, *const *env; /* NULL-terminated. argv[0] without '/' is looked up in env's PATH */
	bool act;                       /* argv goes to the act function of the role instead of exec (probes) */
	int cwd;                        /* descriptor of the directory it starts in */
	int in, out, err;               /* its standard descriptors; in -1: /dev/null */
	unsigned timeout;               /* seconds; 0: none */
	uint64_t memory;                /* address space per process in bytes (RLIMIT_AS); 0: no limit */
};
struct sandbox_run { pid_t warden; int report; }; /* report becomes readable when the warden is done */
enum sandbox_how { SANDBOX_EXITED, SANDBOX_SIGNALED, SANDBOX_TIMEOUT, SANDBOX_NOT_STARTED, SANDBOX_REFUSED };
struct sandbox_end {
	enum sandbox_how how;
	int code;          /* exit status; signal number; NOT_STARTED: 126 or 127; REFUSED: 3 or 5 */
	unsigned left;     /* processes that were still there when the command ended, and were killed */
	unsigned refusals; /* notified calls that the warden refused */
	char text[512];    /* NOT_STARTED, REFUSED: why, one line */
};

/* Whether layer is in force. */
static bool sandbox_has(const struct sandbox_policy *policy, enum sandbox_layer layer) {
	return !(policy->without & 1u << layer);
}

/* Reads a text of /proc, cut to size and ended by NUL; empty when there is none. */
static void sandbox_proc(const char *dir, const char *file, char *text, size_t size) {
	char name[NAME_MAX + 32];
	snprintf(name, sizeof name, "/proc/%s/%s", dir, file);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
}

/* ---- 2. Landlock (Documentation/userspace-api/landlock.rst) ------------------------------------------------- */

#ifndef HSA_ABI_MAX
#define HSA_ABI_MAX 7 /* a newer kernel is treated as this one; test builds lower it */
#endif
enum { ABI_MIN = 3 /* below, truncate(2) is not mediated */, NET_TCP = 3, SCOPE_ABSTRACT = 1, SCOPE_SIGNAL = 2,
	FS_ALL = 0xFFFF, FS_EXECUTE = 0x1, FS_WRITE_FILE = 0x2, FS_READ_FILE = 0x4, FS_READ_DIR = 0x8, FS_MAKE_CHAR = 0x40,
	FS_MAKE_BLOCK = 0x800, FS_REFER = 0x2000, FS_TRUNCATE = 0x4000, FS_IOCTL_DEV = 0x8000 /* since ABI 5 */,
	FS_READ = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR, FS_NEVER = FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV,
	FS_FILE = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE /* all that may stand on a non-directory */ };

/* A ruleset that denies these rights: net since ABI 4, scoped since ABI 6. Its descriptor, or -1. */
static int sandbox_ruleset(int abi, uint64_t fs, uint64_t net, uint64_t scoped) {
	uint64_t attr[3] = { fs, net, scoped };
	return (int)syscall(CALL_CREATE_RULESET, attr, abi >= 6 ? 24 : abi >= 4 ? 16 : 8, 0);
}

/* Lets rights on what fd is, and below, through. 0, or -1 with errno. */
static int sandbox_rule(const struct sandbox_policy *policy, int fd, bool directory, uint64_t rights) {
	struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) rule = {
		rights & policy->handled & (directory ? ~(uint64_t)FS_NEVER : FS_FILE), fd };
	return rule.allowed == 0 ? 0 : (int)syscall(CALL_ADD_RULE, policy->ruleset, 1 /* PATH_BENEATH */, &rule, 0);
}

/* Opens path (following links once, now) and adds it. -1 with status 2: cannot be opened, or not enforced there. */
static int sandbox_grant(struct sandbox_policy *policy, const char *path, enum sandbox_access access,
    struct error *error) {
	struct stat st;
	struct statfs fs;
	bool change = access == SANDBOX_GRANT_WRITE;
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || fstatfs(fd, &fs) != 0)
		error_set(error, errno == EMFILE || errno == ENFILE || errno == ENOMEM ? 5 : 2, "%s cannot be opened:", path);
	else if (policy->count == SANDBOX_GRANTS_MAX) error_set(error, 2, "more than %d granted paths", SANDBOX_GRANTS_MAX);
	else if (fs.f_type == 0x01021997) /* V9FS_MAGIC: WSL's /mnt/c */
		error_set(error, 2, "%s lies on a 9p file system, where Landlock does not hold; use a directory of Linux", path);
	else if (sandbox_rule(policy, fd, S_ISDIR(st.st_mode), change ? FS_ALL : FS_READ) != 0)
		error_set(error, 2, "Landlock takes no rule for %s:", path);
	else {
		char *copy = arena_z(policy->arena, str_of(path));
		policy->keep = policy->keep || (change && geteuid() == 0 && st.st_uid != 0);
		policy->grants[policy->count++] = (struct sandbox_grant){ fd, access, S_ISDIR(st.st_mode), copy };
		return 0;
	}
	close(fd);
	return -1;
}

/* What building needs of the system. Of /etc entries that hold no secret, by name; of /var what compilers keep. */
static const char *const sandbox_system[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt",
	"/nix/store", "/gnu/store", "/proc", "/var/lib/ghc", "/etc/alternatives", "/etc/crypto-policies", "/etc/gitconfig",
	"/etc/group", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
	"/etc/ld-musl-" NR("x86_64", "aarch64") ".path", "/etc/locale.alias", "/etc/localtime", "/etc/mime.types",
	"/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/perl", "/etc/pki/ca-trust/extracted",
	"/etc/pki/tls/openssl.cnf", "/etc/protocols", "/etc/python3.9", "/etc/python3.10", "/etc/python3.11",
	"/etc/python3.12", "/etc/python3.13", "/etc/python3.14", "/etc/resolv.conf", "/etc/services", "/etc/ssl/certs",
	"/etc/ssl/openssl.cnf", "/etc/terminfo" };

/* Grants the system, of which only the rules are kept. What does not exist is left out. */
static int sandbox_grant_system(struct sandbox_policy *policy, struct error *error) {
	static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom" };
	enum { PATHS = sizeof sandbox_system / sizeof *sandbox_system, DEVICES = sizeof devices / sizeof *devices };
	for (size_t i = 0; i < PATHS + DEVICES; i++) {
		const char *path = i < PATHS ? sandbox_system[i] : devices[i - PATHS];
		char link[4];
		struct stat st;
		if (i < 6 && readlink(path, link, 4) == 4 && memcmp(link, "usr/", 4) == 0) continue; /* merged into /usr */
		int fd = open(path, O_PATH | O_CLOEXEC), rc = 0;
		if (fd >= 0 && fstat(fd, &st) == 0 && (i < PATHS || S_ISCHR(st.st_mode))) /* a plain file is no /dev/null */
			rc = sandbox_rule(policy, fd, S_ISDIR(st.st_mode), i < PATHS ? FS_READ : FS_READ_FILE | FS_WRITE_FILE);
		close(fd);
		if (rc != 0) return error_set(error, 3, "read: Landlock takes no rule for %s:", path);
	}
	return 0;
}

/* ---- 3. the filter: its tables ----------------------------------------------------------------------------- */

#define ALWAYS SANDBOX_WRITE

/* Calls that are refused whatever their arguments are, with which errno. ENOSYS where callers fall back: clone3 and
 * openat2 hide flags and mode in memory, io_uring makes sockets past any filter. EACCES is what resolvers and event
 * loops cope with, EOPNOTSUPP what cp, tar and install do. -1: this architecture has no such call; 0 ends a list. */
static const struct { enum sandbox_layer layer; int refusal; int16_t nr[64]; } sandbox_refused[] = {
	{ ALWAYS, ENOSYS, { 425, 426, 427, 435, 437 } }, /* io_uring_ setup enter register; clone3 openat2 */
	{ SANDBOX_IPC, EACCES, { NR(41, 198), NR(42, 203), NR(49, 200), NR(50, 201), /* socket connect bind listen */
		NR(43, 202), NR(288, 242) } },                                       /* accept accept4 */
	{ SANDBOX_IPC, ENOSYS, { NR(29, 194), NR(30, 196), NR(31, 195), NR(67, 197), /* shm- get at ctl dt */
		NR(64, 190), NR(65, 193), NR(66, 191), NR(220, 192),                 /* sem- get op ctl timedop */
		NR(68, 186), NR(69, 189), NR(70, 188), NR(71, 187),                  /* msg- get snd rcv ctl */
		NR(240, 180), NR(241, 181), NR(242, 182), NR(243, 183),              /* mq_ open unlink timedsend timedreceive */
		NR(244, 184), NR(245, 185),                                          /* mq_ notify getsetattr */
		NR(248, 217), NR(249, 218), NR(250, 219) } },                        /* add_key request_key keyctl */
	{ SANDBOX_METADATA, EOPNOTSUPP, { NR(188, 5), NR(189, 6), NR(190, 7), 463,   /* setxattr, with l- f- -at */
		NR(197, 14), NR(198, 15), NR(199, 16), 466, 469 } },                 /* removexattr, so, too; file_setattr */
	{ SANDBOX_PROCESS, EPERM, { 438, 440, 448, 460 } }, /* pidfd_getfd; process_ madvise mrelease; lsm_set_self_attr */
	{ ALWAYS, EPERM, { NR(272, 97), NR(308, 268),                                /* namespaces: unshare setns */
		NR(165, 40), NR(166, 39), NR(155, 41), NR(161, 51),                  /* mounts: mount umount2 pivot_root chroot */
		428, 429, 442, 467, 430, 431, 432, 433, /* open_tree move_mount mount_setattr open_tree_attr; fs- open config mount pick */
		NR(321, 280), NR(298, 241), NR(323, 282),                            /* the kernel: bpf perf_event_open userfaultfd */
		NR(175, 105), NR(313, 273), NR(176, 106), NR(246, 104), NR(320, 294), /* init_ finit_ delete_module, kexec_load -file_load */
		NR(300, 262), NR(304, 265),                                          /* any file: fanotify_init open_by_handle_at */
		NR(167, 224), NR(168, 225), NR(179, 60), 443, NR(163, 89),           /* disks: swapon swapoff quotactl quotactl_fd acct */
		NR(164, 170), NR(227, 112), NR(305, 266), NR(159, 171),              /* time: settimeofday clock_settime -adjtime adjtimex */
		NR(169, 142), NR(103, 116), NR(153, 58), NR(170, 161), NR(171, 162), /* reboot syslog vhangup sethostname setdomainname */
		NR(212, 18), NR(172, -1), NR(173, -1), NR(134, -1), NR(154, -1) } }, /* lookup_dcookie iopl ioperm uselib modify_ldt */
};
#define LAST_CALL 469 /* numbers above are unknown here, or x32's (from 0x40000000): ENOSYS */

/* Calls that are refused for some arguments. The low 32 bits are compared: the kernel reads no more of an int, even
 * where the caller sets higher bits. Rows of one call are asked in order; what no row refuses is allowed. */
enum sandbox_test { REFUSE, NOTIFY, /* always; never: the warden does it */
	ONLY, NEVER, NONE_OF, /* unless the argument is value; if it is value; if it has a bit of value */
	STREAMS,  /* unless it is a socket type SOCK_STREAM or SOCK_SEQPACKET */
	CREATING, /* if it has O_CREAT or O_TMPFILE, and the argument behind it a bit of value */
	ASKING,   /* unless it is 0 (the caller), or the third is NULL (prlimit(2): nothing is set) */
	SETTING,  /* if it is value, and the third argument is not NULL */
	IOCTLS }; /* unless it is in sandbox_ioctls */
struct sandbox_row { int nr; enum sandbox_layer layer; enum sandbox_test test; int arg, refusal; uint32_t value; };
#define SETID 06000u
#define SELF(arg, value, x86_64, aarch64) { NR(x86_64, aarch64), SANDBOX_PROCESS, ONLY, arg, EPERM, value }
#define FCNTL(command) { NR(72, 25), SANDBOX_PROCESS, NEVER, 1, EPERM, command }
#define IOCTL(layer, request) { NR(16, 29), layer, NEVER, 1, ENOTTY, request }
static const struct sandbox_row sandbox_rows[] = {
	/* set-id bits also come by the mode of a new file: open openat creat mknod mknodat */
	{ NR(2, -1), ALWAYS, CREATING, 1, EPERM, SETID }, { NR(257, 56), ALWAYS, CREATING, 2, EPERM, SETID },
	{ NR(85, -1), ALWAYS, NONE_OF, 1, EPERM, SETID }, { NR(133, -1), ALWAYS, NONE_OF, 1, EPERM, SETID },
	{ NR(259, 33), ALWAYS, NONE_OF, 2, EPERM, SETID },
	{ NR(316, 276), ALWAYS, NONE_OF, 4, EINVAL, 4 }, /* renameat2: RENAME_WHITEOUT makes a device node */
	/* socket socketpair. A datagram pair reaches any datagram socket by its name: only connected kinds */
	{ NR(41, 198), SANDBOX_NETWORK, ONLY, 0, EACCES, AF_UNIX }, { NR(53, 199), SANDBOX_NETWORK, ONLY, 0, EACCES, AF_UNIX },
	{ NR(53, 199), SANDBOX_IPC, STREAMS, 1, EACCES, 0 },
	/* Landlock's signal scope leaves these alone; 0 is the caller itself */
	{ NR(302, 261), SANDBOX_PROCESS, ASKING, 0, EPERM, 0 },                 /* prlimit64 */
	SELF(0, 0, 141, 140), SELF(1, 0, 141, 140),                             /* setpriority: PRIO_PROCESS 0 */
	SELF(0, 1, 251, 30), SELF(1, 0, 251, 30),                               /* ioprio_set: IOPRIO_WHO_PROCESS 0 */
	SELF(0, 0, 142, 118), SELF(0, 0, 144, 119), SELF(0, 0, 203, 122), SELF(0, 0, 314, 274), /* sched_set- param scheduler
		affinity attr */
	SELF(0, 0, 256, 238), SELF(0, 0, 279, 239),                             /* migrate_pages move_pages */
	/* RLIMIT_CORE stays 1, at which no core goes to a program outside (core(5)): prlimit64, setrlimit. Answered as if
	 * done (errno 0): sanitizers set it and insist */
	{ NR(302, 261), ALWAYS, SETTING, 1, 0, 4 }, { NR(160, 164), ALWAYS, NEVER, 0, 0, 4 },
	FCNTL(8), FCNTL(10), FCNTL(15),                  /* F_SETOWN F_SETSIG F_SETOWN_EX: SIGIO to whom it may not kill */
	FCNTL(1024), FCNTL(1040),                        /* F_SETLEASE F_SETDELEG: hold up open(2) outside */
	{ NR(72, 25), SANDBOX_METADATA, NEVER, 1, EPERM, 1036 }, /* F_SET_RW_HINT: the file's, by any descriptor */
	IOCTL(SANDBOX_PROCESS, 0x8901), IOCTL(SANDBOX_PROCESS, 0x8902), /* FIOSETOWN SIOCSPGRP: SIGIO */
	IOCTL(SANDBOX_METADATA, 0x40086602), IOCTL(SANDBOX_METADATA, 0x401C5820), IOCTL(SANDBOX_METADATA, 0x40087602), /* FS_IOC_
		SETFLAGS FSSETXATTR SETVERSION: by any descriptor */
	{ NR(16, 29), SANDBOX_DEVICE, IOCTLS, 1, ENOTTY, 0 },
	{ NR(56, 220), ALWAYS, NONE_OF, 0, EPERM, 0x7E020000 }, /* clone: CLONE_NEW* */
};

/* What terminals, pipes, files and build tools ask: nothing that types, takes a terminal over, or changes a file. */
static const uint32_t sandbox_ioctls[] = {
	0x5401, 0x5402, 0x5403, 0x5404, 0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D, /* TC- GETS SETS SETSW SETSF; with 2 */
	0x5409, 0x540B, 0x540F, 0x5410, 0x5413, 0x5429, 0x5411, /* TC- SBRK FLSH; TIOC- GPGRP SPGRP GWINSZ GSID OUTQ */
	0x541B, 0x5421, 0x5450, 0x5451, 0x5460, 0x2, /* FIO- NREAD NBIO NCLEX CLEX QSIZE; FIGETBSZ */
	0x40049409, 0x4020940D, 0xC020660B, 0x80086601, 0x801C581F, 0x80087601 }; /* FICLONE FICLONERANGE; FS_IOC_ FIEMAP
	GETFLAGS FSGETXATTR GETVERSION */

/* Calls that change mode, owner or times: which argument holds what (-1: none; flags -2: as if AT_SYMLINK_NOFOLLOW). */
enum sandbox_kind { CHANGE_MODE, CHANGE_OWNER, CHANGE_UTIME, CHANGE_TIMEVAL, CHANGE_TIMESPEC };
struct sandbox_change { int nr; enum sandbox_kind kind; int dir, path, value, flags; };
static const struct sandbox_change sandbox_changes[] = {
	{ NR(90, -1), CHANGE_MODE, -1, 0, 1, -1 }, { NR(91, 52), CHANGE_MODE, 0, -1, 1, -1 },    /* chmod fchmod */
	{ NR(268, 53), CHANGE_MODE, 0, 1, 2, -1 }, { 452, CHANGE_MODE, 0, 1, 2, 3 },             /* fchmodat fchmodat2 */
	{ NR(92, -1), CHANGE_OWNER, -1, 0, 1, -1 }, { NR(94, -1), CHANGE_OWNER, -1, 0, 1, -2 },  /* chown lchown */
	{ NR(93, 55), CHANGE_OWNER, 0, -1, 1, -1 }, { NR(260, 54), CHANGE_OWNER, 0, 1, 2, 4 },   /* fchown fchownat */
	{ NR(132, -1), CHANGE_UTIME, -1, 0, 1, -1 }, { NR(235, -1), CHANGE_TIMEVAL, -1, 0, 1, -1 },     /* utime utimes */
	{ NR(261, -1), CHANGE_TIMEVAL, 0, 1, 2, -1 }, { NR(280, 88), CHANGE_TIMESPEC, 0, 1, 2, 3 } }; /* futimesat utimensat */
enum { ROWS = sizeof sandbox_rows / sizeof *sandbox_rows, CHANGES = sizeof sandbox_changes / sizeof *sandbox_changes,
	LISTED = sizeof sandbox_ioctls / sizeof *sandbox_ioctls, LISTS = sizeof sandbox_refused / sizeof *sandbox_refused };

/* Instructions (linux/bpf_common.h) and what a filter gives (linux/seccomp.h). */
enum { LOAD = 0x20, IS = 0x15, ABOVE = 0x25, HAS = 0x45, AND = 0x54, GIVE = 0x06 };
enum { ALLOW = 0x7FFF0000, ASK = 0x7FC00000 /* SECCOMP_RET_USER_NOTIF */, FAIL = 0x00050000 /* SECCOMP_RET_ERRNO */ };
#define EMIT(...) sandbox_emit(policy, (const struct sandbox_insn[]){ __VA_ARGS__ }, \
	sizeof((const struct sandbox_insn[]){ __VA_ARGS__ }) / sizeof(struct sandbox_insn))

static void sandbox_emit(struct sandbox_policy *policy, const struct sandbox_insn *code, size_t count) {
	for (size_t i = 0; i < count; i++, policy->length++)
		if (policy->length < SANDBOX_FILTER_MAX) /* else sandbox_filter refuses the whole */
			policy->filter[policy->length] = code[i];
}

/* Makes the comparison at `at` lead, when it fails, behind what has been emitted since. */
static void sandbox_land(struct sandbox_policy *policy, size_t at) {
	size_t distance = policy->length - at - 1;
	if (at >= SANDBOX_FILTER_MAX || distance > UINT8_MAX) policy->length = SANDBOX_FILTER_MAX + 1;
	else policy->filter[at].no = (uint8_t)distance;
}

static void sandbox_emit_row(struct sandbox_policy *policy, const struct sandbox_row *row) {
	const struct sandbox_insn fail = { GIVE, 0, 0, FAIL | (uint32_t)row->refusal };
	const struct sandbox_insn load = { LOAD, 0, 0, 16 + 8 * (uint32_t)row->arg }; /* low halves stand first */
	uint32_t value = row->value;
	if (row->test == REFUSE) EMIT(fail);
	if (row->test == NOTIFY) EMIT({ GIVE, 0, 0, ASK });
	if (row->test == ONLY) EMIT(load, { IS, 1, 0, value }, fail);
	if (row->test == NEVER) EMIT(load, { IS, 0, 1, value }, fail);
	if (row->test == NONE_OF) EMIT(load, { HAS, 0, 1, value }, fail);
	if (row->test == STREAMS)
		EMIT(load, { AND, 0, 0, 0xF }, { IS, 2, 0, SOCK_STREAM }, { IS, 1, 0, SOCK_SEQPACKET }, fail);
	if (row->test == CREATING) /* O_CREAT, __O_TMPFILE: asm-generic/fcntl.h */
		EMIT(load, { HAS, 0, 3, 0100 | 020000000 }, { LOAD, 0, 0, load.k + 8 }, { HAS, 0, 1, value }, fail);
	bool asking = row->test == ASKING;
	if (asking || row->test == SETTING) /* and the third argument is not NULL */
		EMIT(load, { IS, asking ? 5 : 0, asking ? 0 : 5, value }, { LOAD, 0, 0, 32 }, { IS, 0, 2, 0 }, { LOAD, 0, 0, 36 },
		    { IS, 1, 0, 0 }, fail);
	if (row->test != IOCTLS) return;
	EMIT(load);
	for (size_t left = LISTED; left > 0; left--) EMIT({ IS, (uint8_t)left, 0, sandbox_ioctls[left - 1] });
	EMIT(fail);
}

/* Rows [from, to), sorted by number: a binary search with a few comparisons at each leaf. */
static void sandbox_emit_tree(struct sandbox_policy *policy, const struct sandbox_row *rows, size_t from, size_t to) {
	size_t middle = from + (to - from) / 2, at = policy->length;
	while (middle > from && middle < to && rows[middle].nr == rows[middle - 1].nr) middle++;
	if (to - from > 3 && middle < to) {
		EMIT({ ABOVE, 0, 0, (uint32_t)rows[middle].nr - 1 });
		sandbox_emit_tree(policy, rows, middle, to);
		sandbox_land(policy, at);
		sandbox_emit_tree(policy, rows, from, middle);
		return;
	}
	while (from < to) {
		at = policy->length;
		EMIT({ IS, 0, 0, (uint32_t)rows[from].nr });
		do sandbox_emit_row(policy, &rows[from]);
		while (++from < to && rows[from].nr == rows[from - 1].nr);
		if (rows[from - 1].test > NOTIFY) EMIT({ GIVE, 0, 0, ALLOW });
		sandbox_land(policy, at);
	}
	EMIT({ GIVE, 0, 0, ALLOW });
}

/* Puts a row where its number belongs, behind the others of its call, if its layer is in force. */
static void sandbox_insert(const struct sandbox_policy *policy, struct sandbox_row *rows, size_t *count,
    struct sandbox_row row) {
	if (row.nr < 0 || !sandbox_has(policy, row.layer)) return;
	size_t k = (*count)++;
	for (; k > 0 && rows[k - 1].nr > row.nr; k--) rows[k] = rows[k - 1];
	rows[k] = row;
}

/* Makes the filter of the layers in force. 0, or -1 with status 5. */
static int sandbox_filter(struct sandbox_policy *policy, struct error *error) {
	struct sandbox_row rows[LISTS * 64 + ROWS + CHANGES];
	size_t count = 0;
	for (size_t i = 0; i < ROWS; i++) sandbox_insert(policy, rows, &count, sandbox_rows[i]);
	for (size_t i = 0; i < LISTS * 64; i++)
		if (sandbox_refused[i / 64].nr[i % 64] != 0)
			sandbox_insert(policy, rows, &count, (struct sandbox_row){ sandbox_refused[i / 64].nr[i % 64],
			    sandbox_refused[i / 64].layer, REFUSE, 0, sandbox_refused[i / 64].refusal, 0 });
	for (const struct sandbox_change *c = sandbox_changes; c < sandbox_changes + CHANGES; c++)
		if (sandbox_has(policy, SANDBOX_METADATA))
			sandbox_insert(policy, rows, &count, (struct sandbox_row){ c->nr, SANDBOX_METADATA, NOTIFY, 0, 0, 0 });
		else if (c->kind == CHANGE_MODE) /* no set-id bits even so */
			sandbox_insert(policy, rows, &count, (struct sandbox_row){ c->nr, ALWAYS, NONE_OF, c->value, EPERM, SETID });
	policy->length = 0;
	EMIT({ LOAD, 0, 0, 4 }, { IS, 1, 0, SANDBOX_ARCH }, { GIVE, 0, 0, 0x80000000 }, /* KILL_PROCESS: came by int $0x80 */
	    { LOAD, 0, 0, 0 }, { ABOVE, 0, 1, LAST_CALL }, { GIVE, 0, 0, FAIL | ENOSYS });
	sandbox_emit_tree(policy, rows, 0, count);
	return policy->length <= SANDBOX_FILTER_MAX ? 0 :
	    error_set(error, 5, "the system-call filter is longer than %d instructions", SANDBOX_FILTER_MAX);
}

/* ---- 4. the host ------------------------------------------------------------------------------------------- */

/* Asks the kernel; makes the empty ruleset and the filter. 0, or -1 with status 3 (5: a fault of this machine). */
static int sandbox_open(struct sandbox_policy *policy, struct arena *arena, unsigned without, struct error *error) {
	struct utsname name;
	struct statfs fs;
	uint32_t action = ASK;
	int abi = (int)syscall(CALL_CREATE_RULESET, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
	const char *why = errno == EOPNOTSUPP ? "is switched off at boot (add it to lsm=; see /sys/kernel/security/lsm)" :
	    errno == ENOSYS ? "is not in this kernel, or hidden by a filter around hsa" :
	    errno == EPERM ? "is kept away by a filter around hsa (a container's?)" : strerror(errno);
	const char *kernel = uname(&name) == 0 ? name.release : "unknown";
	char text[8];
	memset(policy, 0, sizeof *policy);
	policy->arena = arena;
	policy->without = without & SANDBOX_MAY_LEAVE;
	policy->abi = abi = abi > HSA_ABI_MAX ? HSA_ABI_MAX : abi;
	if (abi < 0)
		return error_set(error, 3, "write: Landlock %s; `uname -r`: %s, needed is ABI %d (Linux 6.2)", why, kernel, ABI_MIN);
	if (abi < ABI_MIN)
		return error_set(error, 3, "write: Linux %s has Landlock ABI %d, needed is ABI %d (Linux 6.2; see `uname -r`)",
		    kernel, abi, ABI_MIN);
	bool reads = sandbox_has(policy, SANDBOX_READ), device = sandbox_has(policy, SANDBOX_DEVICE) && abi >= 5;
	policy->handled = FS_ALL & ~(uint64_t)((reads ? 0 : FS_READ) | (device ? 0 : FS_IOCTL_DEV));
	policy->ruleset = sandbox_ruleset(abi, policy->handled, NET_TCP, (sandbox_has(policy, SANDBOX_IPC) ? SCOPE_ABSTRACT :
	    0u) | (sandbox_has(policy, SANDBOX_PROCESS) ? SCOPE_SIGNAL : 0u));
	if (policy->ruleset < 0)
		return error_set(error, 3, "write: Linux %s says Landlock ABI %d, but refuses its rights:", kernel, abi);
	if (policy->ruleset < 3) return error_set(error, 5, "a standard descriptor is closed");
	if (syscall(CALL_SECCOMP, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &action) != 0)
		return error_set(error, 3, "network, metadata: seccomp with notification cannot be had on Linux %s:", kernel);
	if (statfs("/proc", &fs) != 0 || fs.f_type != 0x9FA0 /* PROC_SUPER_MAGIC */)
		return error_set(error, 3, "lifetime, metadata: /proc is not mounted, and the warden needs it");
	sandbox_proc("sys/kernel/yama", "ptrace_scope", text, sizeof text);
	if (sandbox_has(policy, SANDBOX_METADATA) && text[0] > '1')
		return error_set(error, 3, "metadata: kernel.yama.ptrace_scope is %c, so that the warden could not read what a "
		    "command asks for; set it to 1, or run --without metadata", text[0]);
	/* A core limit of 1, not 0, also keeps the core from a program of core_pattern (core(5)), not from a socket there. */
	bool kept = syscall(SYS_prlimit64, 0, 4 /* RLIMIT_CORE */, (uint64_t[2]){ 1, 1 }, NULL) == 0;
	sandbox_proc("sys/kernel", "core_pattern", text, sizeof text);
	const char *core = text[0] == '@' || (text[0] == '|' && !kept) ?
	    "a crash is told to the program that core_pattern names" : NULL, *end = abi >= 6 && sandbox_has(policy,
	    SANDBOX_PROCESS) ? NULL : abi >= 6 ? "a command that kills hsa itself goes on (the process layer is left out)" :
	    "a command that kills hsa itself, or as root forks faster than /proc is read, goes on (Landlock ABI 6, Linux 6.12)";
	char *landlock = arena_format(arena, "Landlock ABI %d", abi), *both = arena_format(arena, "%s, seccomp", landlock);
	const char *means[SANDBOX_LAYERS] = { both, landlock, abi >= 4 ? both : "seccomp", abi >= 6 ? both : "seccomp",
		"seccomp notification", both, abi >= 5 ? both : "seccomp", abi >= 6 ? "warden, Landlock signal scope" : "warden" };
	memcpy(policy->means, means, sizeof means);
	policy->lacks[SANDBOX_PROCESS] = abi >= 6 ? NULL : "signals to processes outside (Landlock ABI 6, Linux 6.12)";
	policy->lacks[SANDBOX_LIFETIME] = core == NULL ? end : end == NULL ? core : arena_format(arena, "%s; %s", end, core);
	policy->lacks[SANDBOX_DEVICE] = abi >= 5 ? NULL : "the listed ioctls on device nodes (Landlock ABI 5, Linux 6.10)";
	snprintf(policy->summary, sizeof policy->summary, "%s", both);
	return sandbox_filter(policy, error);
}

/* Closes what the policy holds. */
static void sandbox_close(struct sandbox_policy *policy) {
	for (; policy->count > 0; policy->count--) close(policy->grants[policy->count - 1].fd);
	close(policy->ruleset);
}

/* A socket handed on as a standard descriptor must not be a door out. A connected stream of the unix family carries
 * bytes to whoever passed it, as a pipe does (CI runners, sshd, node); any other could be connected anew, or address
 * others. */
static int sandbox_check_standard(int fd, const char *name, struct error *error) {
	struct stat st;
	int family = -1, type = -1, listens = 1;
	socklen_t size = sizeof(int);
	if (fstat(fd, &st) != 0) return error_set(error, 2, "standard %s is closed", name);
	if (!S_ISSOCK(st.st_mode) || (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family == AF_UNIX &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && (type == SOCK_STREAM || type == SOCK_SEQPACKET) &&
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens == 0))
		return 0;
	return error_set(error, 3, "network: standard %s is a socket other than a connected unix stream, which would be a way "
	    "out; put a pipe between (`... | hsa exec`, `hsa exec ... | cat`)", name);
}

/* What the warden is told. Descriptors keep their numbers; the words of the command are a fresh image's own. */
struct sandbox_plan {
	struct sandbox_policy policy;
	struct sandbox_command command;
	pid_t host;
	int channel; /* the warden's end of a socket pair: the plan comes by it, how it ended goes by it */
};
struct sandbox_launch { struct sandbox_plan plan; char **argv; int failed; /* errno */ };

/* Puts the command's standard descriptors at 0, 1 and 2. */
static bool sandbox_line_up(const struct sandbox_command *command) {
	int from[3] = { command->in, command->out, command->err };
	bool good = true;
	for (int i = 0; i < 3; i++) /* first out of each other's way */
		good = good && (from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3)) >= 3;
	for (int i = 0; i < 3; i++) good = good && dup2(from[i], i) == i && close(from[i]) == 0;
	return good;
}

/* Becomes a fresh warden: this program again, with the command's environment, and no descriptor but the plan's. */
static int sandbox_launch(void *context) {
	struct sandbox_launch *launch = context;
	const struct sandbox_policy *policy = &launch->plan.policy;
	int kept[3] = { launch->plan.channel, policy->ruleset, launch->plan.command.cwd };
	bool good = sandbox_line_up(&launch->plan.command) && syscall(CALL_CLOSE_RANGE, 3, ~0u, 4 /* CLOEXEC */) == 0;
	for (size_t i = 0; i < 3 + policy->count; i++)
		good = good && fcntl(i < 3 ? kept[i] : policy->grants[i - 3].fd, F_SETFD, 0) == 0;
	if (good) execve("/proc/self/exe", launch->argv, launch->plan.command.env);
	launch->failed = errno;
	return 127;
}

/* Runs fn as a process that shares this one's memory and waits until it has ended or become another program: vfork(2),
 * on a stack of its own. Its pid, or -1. */
static pid_t sandbox_spawn(int (*fn)(void *), void *context, int flags) {
	size_t size = (size_t)256 << 10;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED) return -1;
	pid_t pid = clone(fn, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD | flags, context);
	munmap(stack, size);
	return pid;
}

/* Starts the warden with the command: this program again, as `__sandbox-exec`. -1 with *error. */
static int sandbox_start(struct sandbox_policy *policy, const struct sandbox_command *command, struct sandbox_run *run,
    struct error *error) {
	static const char *const names[3] = { "input", "output", "error" };
	size_t mark = policy->arena->used, argc = 0;
	struct sandbox_launch *launch = arena_take(policy->arena, sizeof *launch, 1);
	int pair[2] = { -1, -1 }, null = command->in < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1, rc = 0;
	const int standard[3] = { command->in < 0 ? null : command->in, command->out, command->err };
	sigset_t all, before;
	for (int i = 0; i < 3 && rc == 0; i++) rc = sandbox_check_standard(standard[i], names[i], error);
	if (rc == 0 && (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0))
		rc = error_set(error, 5, "lifetime: nothing to hear of the command by:");
	*run = (struct sandbox_run){ -1, pair[0] };
	launch->plan = (struct sandbox_plan){ *policy, *command, getpid(), pair[1] };
	launch->plan.command.in = standard[0];
	while (command->argv[argc] != NULL) argc++;
	launch->argv = arena_take(policy->arena, sizeof(char *), argc + 4);
	memcpy(launch->argv + 3, command->argv, argc * sizeof(char *));
	launch->argv[0] = launch->argv[1] = arena_format(policy->arena, "__sandbox-exec");
	launch->argv[2] = arena_format(policy->arena, "%d", pair[1]);
	if (rc == 0) { /* the warden begins with every signal blocked: none is lost, none ends it */
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &before);
		run->warden = sandbox_spawn(sandbox_launch, launch, 0);
		if (run->warden < 0 || launch->failed != 0 ||
		    send(pair[0], &launch->plan, sizeof launch->plan, MSG_NOSIGNAL) != (ssize_t)sizeof launch->plan) {
			errno = launch->failed != 0 ? launch->failed : errno;
			rc = error_set(error, 5, "lifetime: the warden cannot be started:");
		}
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	close(null);
	close(pair[1]);
	if (rc != 0) close(pair[0]); /* the warden reads an end, and ends */
	if (rc != 0 && run->warden > 0) waitpid(run->warden, NULL, __WALL);
	arena_reset(policy->arena, mark);
	return rc;
}

/* Asks the warden to end the command now; sandbox_finish then reports SIGNALED. */
static void sandbox_stop(const struct sandbox_run *run) {
	kill(run->warden, SIGTERM);
}

/* ---- 5. the end of a tree ---------------------------------------------------------------------------------- */

/* The number behind a name in /proc/PID/status, or otherwise. In the first line, the command's own, a line feed is
 * written as \n. */
static int sandbox_status(const char *text, const char *name, int otherwise) {
	const char *at = strstr(text, name);
	return at == NULL ? otherwise : atoi(at + strlen(name));
}

/* Sends SIGKILL to what descends from this process, as /proc shows it; all: or else only where it descends from a child
 * that carries more filters than this process, which a command cannot take off. New ones have higher numbers: they are
 * met later in the same pass, or in the next. Gives how many there are, and of them, alive. */
static unsigned sandbox_kill_tree(bool all, unsigned *alive) {
	enum { PIDS = 1 << 22 }; /* PID_MAX_LIMIT, linux/threads.h */
	static const char filters[] = "\nSeccomp_filters:\t";
	char *ours = mmap(NULL, PIDS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[4096];
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	unsigned seen = 0;
	sandbox_proc("self", "status", text, sizeof text);
	int own = sandbox_status(text, filters, 0), me = getpid();
	*alive = ours == MAP_FAILED || proc == NULL; /* not known to be clear: tried again */
	while (ours != MAP_FAILED && proc != NULL && (entry = readdir(proc)) != NULL) {
		int pid = atoi(entry->d_name);
		if (pid <= 0 || pid >= PIDS) continue;
		int handle = (int)syscall(CALL_PIDFD_OPEN, pid, 0); /* its number's next owner is not hit */
		sandbox_proc(entry->d_name, "status", text, sizeof text);
		int parent = sandbox_status(text, "\nPPid:\t", 0);
		const char *state = strstr(text, "\nState:\t");
		ours[pid] = parent == me ? all || sandbox_status(text, filters, INT_MAX) > own : parent > 0 && ours[parent];
		if (ours[pid]) {
			seen++;
			*alive += state != NULL && state[8] != 'Z' && state[8] != 'X';
			syscall(CALL_PIDFD_SIGNAL, handle, SIGKILL, NULL, 0);
		}
		close(handle);
	}
	if (proc != NULL) closedir(proc);
	if (ours != MAP_FAILED) munmap(ours, PIDS);
	return seen;
}

/* Kills what a command has left below this process, and reaps until there is nothing. Scoped: this process is in a
 * Landlock domain of its own for signals, where -1 means just that tree; otherwise all as above. Gives how many were
 * killed, known not counted. */
static unsigned sandbox_clear(bool scoped, bool all, const pid_t known[2]) {
	unsigned left = 0, seen = 1, alive = 0;
	/* Without a child there is no tree, since orphans come to us. */
	if (syscall(SYS_waitid, P_ALL, 0, NULL, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) != 0) return 0;
	/* Killed first, reaped then: what is killed forks no more. Without the scope nobody is reaped while somebody lives:
	 * those who fork and exit faster than /proc is read run out of numbers. A pass that sees nobody ends it: a child of
	 * ours, which each of them descends from, stays until we reap it. */
	for (pid_t pid = 0; pid >= 0 && seen > 0;) {
		int status;
		if (scoped) kill(-1, SIGKILL);
		else seen = sandbox_kill_tree(all, &alive);
		if (alive > 0) poll(NULL, 0, 1);
		for (int k = scoped ? 256 : 1 << 16; alive == 0 && k > 0; k--) {
			if ((pid = waitpid(-1, &status, __WALL | (scoped ? 0 : WNOHANG))) <= 0) break;
			left += pid != known[0] && pid != known[1] && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		}
	}
	return left;
}

/* After report became readable (or blocking): reads how it ended, reaps the warden, closes report. A warden that died
 * without a word: REFUSED 5; its tree is the caller's then, and is ended here. */
static void sandbox_finish(struct sandbox_run *run, struct sandbox_end *end) {
	ssize_t n;
	while ((n = recv(run->report, end, sizeof *end, MSG_WAITALL)) < 0 && errno == EINTR) ;
	while (waitpid(run->warden, NULL, __WALL) < 0 && errno == EINTR) ;
	close(run->report);
	if (n == (ssize_t)sizeof *end) return;
	*end = (struct sandbox_end){ .how = SANDBOX_REFUSED, .code = 5, .left = sandbox_clear(false, false, (pid_t[2]){ 0 }) };
	snprintf(end->text, sizeof end->text, "lifetime: the warden was killed, and the command with it");
}

/* ---- 6. the warden: changes of mode, owner and times ------------------------------------------------------- */

/* struct seccomp_notif, linux/seccomp.h */
struct sandbox_notice { uint64_t id; uint32_t pid, flags; int nr; uint32_t arch; uint64_t ip, args[6]; };

/* Reads the caller's memory; text: up to its NUL, page by page, since the next page may not be there. 0 or errno. */
static int sandbox_peek(int memory, uint64_t at, void *into, size_t size, bool text) {
	for (size_t have = 0; have < size;) {
		size_t step = text ? 4096 - (at + have) % 4096 : size;
		step = step > size - have ? size - have : step;
		if (at > INT64_MAX - size || pread(memory, (char *)into + have, step, (off_t)(at + have)) != (ssize_t)step)
			return EFAULT;
		if (text && memchr((char *)into + have, '\0', step) != NULL) return 0;
		have += step;
	}
	return text ? ENAMETOOLONG : 0;
}

/* Opens (O_PATH) what the call is about, as its caller would find it. 0 and *fd, or errno. */
static int sandbox_pin(const struct sandbox_notice *notice, const struct sandbox_change *change, int memory, int flags,
    int *fd) {
	static const struct { const char *own, *real; } links[] = { /* these mean the caller's, not the warden's */
		{ "/proc/self", "/proc/%u%s" }, { "/proc/thread-self", "/proc/%u%s" }, { "/dev/fd", "/proc/%u/fd%s" },
		{ "/dev/stdin", "/proc/%u/fd/0%s" }, { "/dev/stdout", "/proc/%u/fd/1%s" }, { "/dev/stderr", "/proc/%u/fd/2%s" } };
	char from[64], path[PATH_MAX] = "", full[PATH_MAX + 64];
	uint64_t at = change->path < 0 ? 0 : notice->args[change->path];
	int dir = change->dir < 0 ? AT_FDCWD : (int)notice->args[change->dir], base = AT_FDCWD;
	bool itself = change->path < 0 || (at == 0 && change->kind >= CHANGE_UTIME && dir != AT_FDCWD); /* futimens(3) */
	int wrong = itself ? 0 : sandbox_peek(memory, at, path, sizeof path, true);
	if (wrong != 0 || (dir < 0 && dir != AT_FDCWD && path[0] != '/')) return wrong != 0 ? wrong : EBADF;
	itself = itself || (path[0] == '\0' && flags & AT_EMPTY_PATH);
	snprintf(from, sizeof from, dir == AT_FDCWD ? "/proc/%u/cwd" : "/proc/%u/fd/%d", notice->pid, dir);
	snprintf(full, sizeof full, "%s", itself ? from : path);
	for (size_t i = 0; i < sizeof links / sizeof *links && !itself; i++) {
		size_t n = strlen(links[i].own);
		if (strncmp(path, links[i].own, n) == 0 && (path[n] == '/' || path[n] == '\0'))
			snprintf(full, sizeof full, links[i].real, notice->pid, path + n);
	}
	if (path[0] != '/' && !itself && (base = open(from, O_PATH | O_CLOEXEC | O_DIRECTORY)) < 0)
		return errno == ENOENT ? EBADF : errno;
	*fd = openat(base, full, O_PATH | O_CLOEXEC | (flags & AT_SYMLINK_NOFOLLOW && !itself ? O_NOFOLLOW : 0));
	wrong = *fd >= 0 ? 0 : itself && errno == ENOENT ? EBADF : errno;
	close(base);
	return wrong;
}

/* The kernel's own path of what fd is; its length. */
static ssize_t sandbox_path(int fd, char path[PATH_MAX]) {
	char name[32];
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return readlink(name, path, PATH_MAX);
}

/* Whether what fd pins lies in a writable grant, as both are now. Nothing inside can be moved out (Landlock), so that
 * the answer stays true; paths of what is no file do not begin with '/'. */
static bool sandbox_inside(const struct sandbox_policy *policy, int fd, const struct stat *st) {
	char object[PATH_MAX], root[PATH_MAX];
	ssize_t length = sandbox_path(fd, object), n;
	for (const struct sandbox_grant *grant = policy->grants; grant < policy->grants + policy->count; grant++) {
		struct stat other;
		if (grant->access != SANDBOX_GRANT_WRITE) continue;
		if (!grant->directory && fstat(grant->fd, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
			return true;
		if (!grant->directory || (n = sandbox_path(grant->fd, root)) < 1 || length < n || length == PATH_MAX) continue;
		n = n == 1 ? 0 : n; /* "/" */
		if (memcmp(object, root, (size_t)n) == 0 && object[0] == '/' && (length == n || object[n] == '/')) return true;
	}
	return false;
}

/* Makes the change on what fd pins. 0 or errno. */
static int sandbox_apply(const struct sandbox_notice *notice, const struct sandbox_change *change, int fd,
    const struct stat *st, const int64_t *when) {
	char name[32];
	uint64_t value = notice->args[change->value];
	int64_t unit = change->kind == CHANGE_TIMEVAL ? 1000 : 1;
	if (change->kind == CHANGE_MODE) { /* a directory keeps the set-id bits it has: no program runs by them */
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		if (value & SETID & ~(S_ISDIR(st->st_mode) ? st->st_mode : 0)) return EPERM;
		return chmod(name, value & 07777) == 0 ? 0 : errno;
	}
	if (change->kind == CHANGE_OWNER)
		return fchownat(fd, "", (uid_t)value, (gid_t)notice->args[change->value + 1], AT_EMPTY_PATH) == 0 ? 0 : errno;
	struct timespec times[2] = { { when[0], when[1] * unit }, { when[2], when[3] * unit } };
	if (unit != 1 && ((uint64_t)when[1] > 999999 || (uint64_t)when[3] > 999999)) return EINVAL;
	if (change->kind == CHANGE_UTIME) times[0].tv_nsec = 0, times[1] = (struct timespec){ when[1], 0 };
	return utimensat(fd, "", value == 0 ? NULL : times, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

/* Serves one notified call. What was read and opened counts only if the kernel says behind it that the same call still
 * waits: then pid was its caller's thread all the time (seccomp_unotify(2)). Never answered with CONTINUE. */
static void sandbox_serve(const struct sandbox_policy *policy, int listener, unsigned *refusals) {
	struct sandbox_notice notice = { 0 };
	struct { uint64_t id; int64_t value; int32_t error; uint32_t flags; } answer = { 0 };
	const struct sandbox_change *change = sandbox_changes;
	struct stat st;
	char name[32];
	int64_t when[4] = { 0 };
	if (syscall(SYS_ioctl, listener, 0xC0502100u, &notice) != 0) return; /* SECCOMP_IOCTL_NOTIF_RECV; its caller is gone */
	while (change < sandbox_changes + CHANGES - 1 && change->nr != notice.nr) change++;
	int flags = change->flags == -2 ? AT_SYMLINK_NOFOLLOW : change->flags < 0 ? 0 : (int)notice.args[change->flags];
	int fd = -1, wrong = 0;
	snprintf(name, sizeof name, "/proc/%u/mem", notice.pid);
	int memory = open(name, O_RDONLY | O_CLOEXEC);
	if (memory < 0 || change->nr != notice.nr || flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		wrong = memory < 0 ? EPERM : EINVAL;
	else if (change->kind >= CHANGE_UTIME && notice.args[change->value] != 0)
		wrong = sandbox_peek(memory, notice.args[change->value], when, change->kind == CHANGE_UTIME ? 16 : 32, false);
	if (wrong == 0) wrong = sandbox_pin(&notice, change, memory, flags, &fd);
	close(memory);
	if (syscall(SYS_ioctl, listener, 0x40082102u, &notice.id) == 0) { /* SECCOMP_IOCTL_NOTIF_ID_VALID */
		if (wrong == 0)
			wrong = fstat(fd, &st) != 0 ? errno : !sandbox_inside(policy, fd, &st) ? EPERM :
			    sandbox_apply(&notice, change, fd, &st, when);
		*refusals += wrong == EPERM;
		answer.id = notice.id;
		answer.error = -wrong;
		syscall(SYS_ioctl, listener, 0xC0182101u, &answer); /* SECCOMP_IOCTL_NOTIF_SEND; fails if its caller is gone */
	}
	close(fd);
}

/* ---- 7. the command: between fork and exec ------------------------------------------------------------------ */

struct sandbox_child {
	const struct sandbox_plan *plan;
	int (*act)(char *const *argv), listener;
	pid_t warden, main, deputy; /* main: the process whose end is the command's */
	unsigned *refusals;         /* counted by the deputy, in memory of both */
	struct sandbox_end end; /* REFUSED or NOT_STARTED, with its text, where it could not be */
};

/* Fills *end with a refusal that names the layer, the step and errno. */
static int sandbox_refuse(struct sandbox_end *end, enum sandbox_layer layer, const char *step) {
	const char *why = layer == SANDBOX_METADATA && errno == EBUSY ? "a listener is above hsa already" : strerror(errno);
	bool may = SANDBOX_MAY_LEAVE >> layer & 1;
	bool machine = errno == EAGAIN || errno == ENOMEM || errno == EMFILE || errno == ENFILE;
	*end = (struct sandbox_end){ .how = SANDBOX_REFUSED, .code = machine ? 5 : 3 };
	snprintf(end->text, sizeof end->text, "%s: %s failed: %s%s%s", sandbox_names[layer], step, why,
	    may ? "; to run without it: --without " : "", may ? sandbox_names[layer] : "");
	return 1;
}
#define STEP(layer, what, call) do { if ((call) < 0) return sandbox_refuse(end, layer, what); } while (0)

/* Makes this process the first choice of the out-of-memory killer, and lowers its limits (asm-generic/resource.h): FSIZE,
 * RTPRIO, NPROC, AS. CORE was in sandbox_open. */
static int sandbox_bound(uint64_t memory) {
	const struct { int which; uint64_t most; } limits[] = { { 1, (uint64_t)4 << 30 }, { 14, 0 }, { 6, 16384 },
		{ 9, memory == 0 ? UINT64_MAX : memory } };
	char now[4];
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC), why = errno;
	bool good = fd >= 0 && write(fd, "1000", 4) == 4;
	if (fd < 0 && (fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC)) >= 0) /* in another hsa exec it is so */
		good = read(fd, now, 4) == 4 && memcmp(now, "1000", 4) == 0, errno = why;
	for (int i = 0; i < 4; i++) {
		struct { uint64_t now, hard; } limit = { 0, 0 }; /* struct rlimit64 */
		good = good && syscall(SYS_prlimit64, 0, limits[i].which, NULL, &limit) == 0;
		limit.hard = limit.hard < limits[i].most ? limit.hard : limits[i].most;
		limit.now = limit.now < limit.hard ? limit.now : limit.hard;
		good = good && syscall(SYS_prlimit64, 0, limits[i].which, &limit, NULL) == 0;
	}
	close(fd);
	return good ? 0 : -1;
}

/* Becomes the command; argv[0] without '/' is looked for along PATH. Returns only on failure. */
static int sandbox_exec(char *const *argv, char *const *env, struct sandbox_end *end) {
	char file[PATH_MAX];
	const char *at = "/usr/bin:/bin", *stop = "";
	bool direct = strchr(argv[0], '/') != NULL;
	int why = ENOENT;
	for (char *const *e = env; *e != NULL; e++) at = strncmp(*e, "PATH=", 5) == 0 ? *e + 5 : at;
	for (; argv[0][0] != '\0' && stop != NULL; at = stop == NULL ? at : stop + 1) {
		stop = direct ? NULL : strchr(at, ':');
		int n = direct ? 0 : stop == NULL ? (int)strlen(at) : (int)(stop - at);
		if (snprintf(file, sizeof file, "%.*s%s%s", n, at, n > 0 ? "/" : "", argv[0]) < PATH_MAX) execve(file, argv, env);
		why = errno == ENOENT || errno == ENOTDIR ? why : errno;
	}
	*end = (struct sandbox_end){ .how = SANDBOX_NOT_STARTED, .code = why == ENOENT ? 127 : 126 };
	snprintf(end->text, sizeof end->text, "%s: %s", argv[0], why == ENOENT ? "not found" : strerror(why));
	return 127;
}

/* All that happens before the policy is in force in the command, in order, in the warden's memory and single-threaded:
 *  - a step that fails MUST end it: nothing is tried less;
 *  - the directory MUST be entered, and /proc written, before Landlock; no_new_privs MUST stand before both layers;
 *  - the filter MUST come last: a notified call would wait for the warden, which waits for us;
 *  - the listener MUST be made while descriptors are shared with the warden, which thereby has it; then everything but
 *    0, 1 and 2 MUST be closed, in a table of our own, before the first byte of the command runs.
 * The warden has dropped capabilities, reset signals and entered its own Landlock domain before. */
static int sandbox_enter(void *context) {
	struct sandbox_child *child = context;
	struct sandbox_end *end = &child->end;
	const struct sandbox_command *command = &child->plan->command;
	const struct sandbox_policy *policy = &child->plan->policy;
	struct { uint16_t length; const struct sandbox_insn *code; } filter = { (uint16_t)policy->length, policy->filter };
	bool notify = sandbox_has(policy, SANDBOX_METADATA);
	sigset_t none;
	sigemptyset(&none);
	STEP(SANDBOX_LIFETIME, "PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
	STEP(SANDBOX_LIFETIME, "finding the warden", getppid() == child->warden ? 0 : -1);
	STEP(SANDBOX_LIFETIME, "setsid", setsid());
	STEP(SANDBOX_LIFETIME, "setting oom_score_adj and limits", sandbox_bound(command->memory));
	STEP(SANDBOX_LIFETIME, "fchdir", fchdir(command->cwd));
	STEP(SANDBOX_LIFETIME, "sigprocmask", sigprocmask(SIG_SETMASK, &none, NULL));
	STEP(SANDBOX_WRITE, "no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1);
	STEP(SANDBOX_WRITE, "landlock_restrict_self", syscall(CALL_RESTRICT, policy->ruleset, 0));
	child->listener = (int)syscall(CALL_SECCOMP, 1, notify ? 8 | 32 : 0, &filter); /* NEW_LISTENER, WAIT_KILLABLE_RECV */
	STEP(notify ? SANDBOX_METADATA : SANDBOX_NETWORK, notify ? "a filter with listener" : "the filter", child->listener);
	STEP(SANDBOX_DEVICE, "close_range", syscall(CALL_CLOSE_RANGE, 3, ~0u, 2 /* CLOSE_RANGE_UNSHARE */));
	if (!command->act) return sandbox_exec(command->argv, command->env, end);
	child->main = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* in memory of its own, while the warden serves it */
	if (child->main == 0) return child->act(command->argv); /* becomes its exit status */
	STEP(SANDBOX_LIFETIME, "fork", child->main);
	return 0;
}

/* ---- 8. the warden ------------------------------------------------------------------------------------------ */

/* Drops every capability, but CAP_DAC_OVERRIDE and CAP_FOWNER where root works on somebody else's files. The bounding
 * set goes too, where that is allowed; no_new_privs does the rest. */
static int sandbox_drop(bool keep) {
	struct { uint32_t version; int pid; } head = { 0x20080522, 0 }; /* _LINUX_CAPABILITY_VERSION_3 */
	struct { uint32_t effective, permitted, inheritable; } sets[2];
	uint32_t kept = keep ? 1u << 1 | 1u << 3 : 0;
	prctl(47 /* PR_CAP_AMBIENT */, 4 /* CLEAR_ALL */, 0, 0, 0);
	for (unsigned cap = 0; cap < 64; cap++) /* EINVAL: behind the last; EPERM: not ours to drop */
		if ((cap >= 32 || !(kept >> cap & 1)) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) break;
	if (syscall(SYS_capget, &head, sets) != 0) return -1;
	sets[0].permitted = sets[0].effective = sets[0].permitted & kept;
	sets[1].permitted = sets[1].effective = sets[0].inheritable = sets[1].inheritable = 0;
	return (int)syscall(SYS_capset, &head, sets);
}

/* Prepares the warden itself. 0, or 1 with a refusal in *end. */
static int sandbox_guard(const struct sandbox_plan *plan, bool scoped, struct sandbox_end *end) {
	/* A domain of its own keeps the warden, too, out of the processes outside (the ptrace rule); with the signal scope
	 * kill(-1) reaches the command's tree alone. Beside a layer for files each layer refuses renames between directories
	 * (Linux 6.18: EXDEV; mv hides it by copying, cargo fails) unless it grants REFER: so this one does, everywhere. */
	int root = open("/", O_PATH | O_CLOEXEC);
	int domain = sandbox_ruleset(plan->policy.abi, FS_REFER, 0, scoped ? SCOPE_SIGNAL : 0);
	struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) refer = { FS_REFER, root };
	for (int sig = 1; sig < 65; sig++)
		signal(sig, SIG_DFL); /* what the host set or ignored; refused for SIGKILL, SIGSTOP, and libc's own */
	STEP(SANDBOX_LIFETIME, "PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0));
	STEP(SANDBOX_LIFETIME, "finding the host", getppid() == plan->host ? 0 : -1);
	STEP(SANDBOX_LIFETIME, "setsid", setsid());
	STEP(SANDBOX_LIFETIME, "PR_SET_CHILD_SUBREAPER", prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
	STEP(SANDBOX_PROCESS, "dropping capabilities", sandbox_drop(plan->policy.keep));
	STEP(SANDBOX_WRITE, "PR_SET_NO_NEW_PRIVS", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	STEP(SANDBOX_METADATA, "PR_SET_DUMPABLE", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); /* else /proc is closed to it */
	STEP(SANDBOX_PROCESS, "a Landlock rule for /", syscall(CALL_ADD_RULE, domain, 1 /* PATH_BENEATH */, &refer, 0));
	STEP(SANDBOX_PROCESS, "a domain of the warden's", syscall(CALL_RESTRICT, domain, 0));
	if (scoped) STEP(SANDBOX_LIFETIME, "reading back the scope", kill(plan->host, 0) != 0 && errno == EPERM ? 0 : -1);
	close(domain);
	close(root);
	return 0;
}

/* The deputy answers the notifications, from the first one on: file-system work can wait as long as a command likes (for
 * the lock of a file that is being written), and who keeps time and kills must not. It has the warden's domain and
 * rights. */
static pid_t sandbox_deputy(const struct sandbox_child *child) {
	pid_t pid = fork();
	if (pid != 0) {
		close(child->listener); /* if the deputy dies, notified calls fail: nobody waits for ever */
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != child->warden) _exit(1);
	for (struct pollfd fd = { child->listener, POLLIN, 0 }; poll(&fd, 1, -1) < 0 || (fd.revents & POLLIN) != 0;)
		if (fd.revents & POLLIN) sandbox_serve(&child->plan->policy, child->listener, child->refusals);
	_exit(0);
}

/* Serves the command until it has ended, time is up, or the host wants it gone. */
static void sandbox_watch(struct sandbox_child *child, int signals, struct sandbox_end *end) {
	struct pollfd fds[2] = { { signals, POLLIN, 0 }, { child->listener > 0 ? child->listener : -1, POLLIN, 0 } };
	struct signalfd_siginfo info;
	int status;
	bool more = false;
	alarm(child->plan->command.timeout);
	for (pid_t pid;;) {
		poll(fds, 2, more ? 0 : -1);
		if (fds[1].revents & POLLIN) child->deputy = sandbox_deputy(child);
		if (fds[1].revents != 0) fds[1].fd = -1; /* served elsewhere now, or no process has the filter any more */
		while (fds[0].revents & POLLIN && read(signals, &info, sizeof info) == (ssize_t)sizeof info)
			if (info.ssi_signo == SIGALRM || info.ssi_signo == SIGTERM) { /* TERM: of the host, or of its death */
				end->how = info.ssi_signo == SIGALRM ? SANDBOX_TIMEOUT : SANDBOX_SIGNALED;
				end->code = (int)info.ssi_signo;
				return;
			}
		more = true; /* a storm of zombies keeps nobody from the clock: some at a time */
		for (int k = 0; k < 64 && more; k++) {
			more = (pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0;
			if (pid == child->main && (WIFEXITED(status) || WIFSIGNALED(status))) { /* not: stopped, traced by us */
				end->how = WIFEXITED(status) ? SANDBOX_EXITED : SANDBOX_SIGNALED;
				end->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
				return;
			}
		}
	}
}

/* The whole life of a warden. plan NULL: it could not be prepared. */
static _Noreturn void sandbox_warden(const struct sandbox_plan *plan, int (*act)(char *const *argv)) {
	if (plan == NULL) _exit(5); /* without a word: the host knows what that means */
	bool scoped = plan->policy.abi >= 6 && sandbox_has(&plan->policy, SANDBOX_PROCESS);
	struct sandbox_child child = { .plan = plan, .act = act, .warden = getpid(), .listener = -1,
		.refusals = mmap(NULL, sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
	if (child.refusals == MAP_FAILED) _exit(5);
	struct sandbox_end end = { .how = SANDBOX_EXITED };
	sigset_t all;
	sigfillset(&all);
	if (sandbox_guard(plan, scoped, &end) == 0) {
		int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
		pid_t pid = signals < 0 ? -1 : sandbox_spawn(sandbox_enter, &child, CLONE_FILES);
		child.main = child.main > 0 ? child.main : pid;
		syscall(CALL_CLOSE_RANGE, 0, 2, 0); /* what ends with the command must not be held open here */
		if (pid < 0) sandbox_refuse(&end, SANDBOX_LIFETIME, "starting the command");
		else if (child.end.text[0] == '\0') sandbox_watch(&child, signals, &end);
		end.left = sandbox_clear(scoped, true, (pid_t[2]){ child.main, child.deputy });
		end.refusals = *child.refusals;
	}
	if (child.end.text[0] != '\0') end = child.end;
	_exit(send(plan->channel, &end, sizeof end, MSG_NOSIGNAL) == (ssize_t)sizeof end ? 0 : 5);
}

/* The role `__sandbox-exec`: argv[2] is the channel, then comes the command, whose environment is ours. Returns only if
 * it was not hsa that started it. act: runs a probe inside the policy and gives its exit status. */
static void sandbox_main(int argc, char **argv, int (*act)(char *const *argv)) {
	static struct sandbox_plan plan;
	ssize_t n = argc > 3 ? recv(atoi(argv[2]), &plan, sizeof plan, MSG_WAITALL) : -1;
	if (n < 0) return;
	plan.command.argv = argv + 3;
	plan.command.env = environ;
	sandbox_warden(n == (ssize_t)sizeof plan ? &plan : NULL, act);
}

#undef NR
#undef ALWAYS
#undef LAST_CALL
#undef SETID
#undef SELF
#undef FCNTL
#undef IOCTL
#undef EMIT
#undef STEP
#endif
