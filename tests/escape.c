/* escape.c - tries to get out of the boundary. One function an attempt: 0 when it got what it must not, 1 when it was
 * refused, 77 when this machine cannot show it. Each is run outside first, as the same user; only what works there counts.
 *
 *   escape drive HSA WHO ABI DIR [GROUP [OPTION ...]]
 *                                  the driver: makes the world below DIR, runs the groups outside and inside (with
 *                                  further options of hsa), compares
 *   escape try GROUP FACTS         one group's attempts, each in a process of its own; prints "name result"
 *   escape abi                     Landlock's ABI on this kernel
 *   escape matrix                  what is tried: means by object by route (tests/escape.matrix is this text)
 *
 * Written from the outside: it includes nothing of the program. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CANNOT 77
#define got(call) ((call) >= 0 ? 0 : 1)

/* What an attempt knows of the world outside; the driver writes it to a file in the workspace. */
static struct facts {
	char out[256], ws[256]; /* a directory outside, the workspace; both the user's own */
	pid_t victim;           /* a process of the user outside; it leads a group of its own */
	int victim_fd;          /* a descriptor of it, open on out/secret */
	int port, port6, udp;
	int shm, sem, msg, key;
	char abstract[64], queue[64];
	uint64_t victim_address; /* of 8 bytes in it */
	int abi;
} facts;

static char text[2][PATH_MAX];
static const char *out(const char *name) {
	snprintf(text[0], sizeof text[0], "%s/%s", facts.out, name);
	return text[0];
}
static const char *ws(const char *name) {
	snprintf(text[1], sizeof text[1], "%s/%s", facts.ws, name);
	return text[1];
}

/* ---- the list of attempts -------------------------------------------------------------------------------------------- */

enum { ROOT = 1, USER = 2, X86 = 4 }; /* only as root; only as a user; only there */
struct attempt {
	const char *group, *name, *means, *object, *route;
	int flags, below; /* below this ABI it is said to be missing, and gets through */
	int (*function)(void);
	int argument[3];
};
static struct attempt attempts[1024];
static size_t count;
static const struct attempt *now; /* the one that runs */

#define TRY(group_, name_, means_, object_, route_, flags_, below_) \
	static int name_(void); \
	__attribute__((constructor)) static void add_##name_(void) { \
		attempts[count++] = (struct attempt){ group_, #name_, means_, object_, route_, flags_, below_, name_, { 0 } }; \
	} \
	static int name_(void)

/* ---- write ------------------------------------------------------------------------------------------------------------ */

TRY("write", open_write, "open O_WRONLY", "file", "path", 0, 0) { return got(open(out("file"), O_WRONLY)); }
TRY("write", open_rdwr, "open O_RDWR", "file", "path", 0, 0) { return got(open(out("file"), O_RDWR)); }
TRY("write", open_append, "open O_APPEND", "file", "path", 0, 0) { return got(open(out("file"), O_WRONLY | O_APPEND)); }
TRY("write", open_trunc, "open O_RDONLY|O_TRUNC", "file", "path", 0, 0) { return got(open(out("file"), O_RDONLY | O_TRUNC)); }
TRY("write", open_creat, "open O_CREAT", "new file", "path", 0, 0) { return got(open(out("new"), O_CREAT | O_RDONLY, 0600)); }
TRY("write", open_tmpfile, "open O_TMPFILE", "directory", "path", 0, 0) { return got(open(facts.out, O_TMPFILE | O_RDWR, 0600)); }
TRY("write", open_link, "open O_WRONLY", "file", "link in the workspace", 0, 0) {
	unlink(ws("l1"));
	return symlink(out("file"), ws("l1")) != 0 ? CANNOT : got(open(ws("l1"), O_WRONLY));
}
TRY("write", open_dangling, "open O_CREAT", "new file", "dangling link in the workspace", 0, 0) {
	unlink(ws("l2"));
	return symlink(out("new2"), ws("l2")) != 0 ? CANNOT : got(open(ws("l2"), O_WRONLY | O_CREAT, 0600));
}
TRY("write", open_cwd, "open O_WRONLY", "file", "chdir there", 0, 0) {
	return chdir(facts.out) != 0 ? 1 : got(open("file", O_WRONLY));
}
TRY("write", open_dirfd, "openat O_CREAT", "new file", "O_PATH descriptor of the directory", 0, 0) {
	return got(openat(open(facts.out, O_PATH), "new3", O_CREAT | O_WRONLY, 0600));
}
TRY("write", open_proc_root, "open O_WRONLY", "file", "/proc/self/root", 0, 0) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "/proc/self/root%s", out("file"));
	return got(open(path, O_WRONLY));
}
TRY("write", open_reopen, "open O_RDWR", "file", "/proc/self/fd of an O_PATH descriptor", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", open(out("file"), O_PATH));
	return got(open(path, O_RDWR));
}
TRY("write", open_victim, "open O_RDWR", "file", "/proc/PID/fd of a process outside", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", facts.victim, facts.victim_fd);
	return got(open(path, O_RDWR));
}
TRY("write", openat2_write, "openat2", "file", "path", 0, 0) {
	struct { uint64_t flags, mode, resolve; } how = { O_WRONLY, 0, 0 };
	return got(syscall(437, AT_FDCWD, out("file"), &how, sizeof how));
}
TRY("write", handle_write, "open_by_handle_at", "file", "handle", ROOT, 0) {
	union { struct file_handle h; char room[256]; } u;
	int mount;
	u.h.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, out("file"), &u.h, &mount, 0) != 0)
		return 1;
	return got(open_by_handle_at(open(facts.out, O_RDONLY), &u.h, O_RDWR));
}
TRY("write", truncate_path, "truncate", "file", "path", 0, 0) { return got(truncate(out("file"), 1)); }
TRY("write", unlink_file, "unlink", "file", "path", 0, 0) { return got(unlink(out("gone"))); }
TRY("write", rmdir_dir, "rmdir", "directory", "path", 0, 0) { return got(rmdir(out("empty"))); }
TRY("write", mkdir_dir, "mkdir", "directory", "path", 0, 0) { return got(mkdir(out("newdir"), 0700)); }
TRY("write", mkfifo_out, "mknod S_IFIFO", "new file", "path", 0, 0) { return got(mkfifo(out("fifo"), 0600)); }
TRY("write", mksock_out, "mknod S_IFSOCK", "new file", "path", 0, 0) { return got(mknod(out("sock"), S_IFSOCK | 0600, 0)); }
TRY("write", mknod_reg, "mknod S_IFREG", "new file", "path", 0, 0) { return got(mknod(out("reg"), S_IFREG | 0600, 0)); }
TRY("write", symlink_out, "symlink", "new link", "path", 0, 0) { return got(symlink("/", out("link"))); }
TRY("write", link_out, "link", "new name outside", "path", 0, 0) { return got(link(ws("inside"), out("hard"))); }
TRY("write", link_in, "link, then open O_WRONLY", "file", "new name inside", 0, 0) {
	return link(out("file"), ws("hard")) != 0 ? 1 : got(open(ws("hard"), O_WRONLY));
}
TRY("write", link_fd, "linkat AT_SYMLINK_FOLLOW", "file", "/proc/self/fd", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", open(out("file"), O_PATH));
	return got(linkat(AT_FDCWD, path, AT_FDCWD, ws("hard2"), AT_SYMLINK_FOLLOW));
}
TRY("write", rename_out, "rename", "file inside to outside", "path", 0, 0) { return got(rename(ws("mv1"), out("mv1"))); }
TRY("write", rename_in, "rename", "file outside to inside", "path", 0, 0) { return got(rename(out("mv2"), ws("mv2"))); }
TRY("write", rename_within, "rename", "file outside", "path", 0, 0) { return got(rename(out("mv3"), out("mv3.new"))); }
TRY("write", rename_exchange, "renameat2 RENAME_EXCHANGE", "file", "path", 0, 0) {
	return got(syscall(SYS_renameat2, AT_FDCWD, ws("mv4"), AT_FDCWD, out("mv4"), 2));
}
TRY("write", rename_dir, "renameat2 RENAME_EXCHANGE", "directory", "path", 0, 0) {
	return got(syscall(SYS_renameat2, AT_FDCWD, ws("dir"), AT_FDCWD, out("empty2"), 2));
}
TRY("write", rename_workspace, "rename", "the workspace itself", "path", 0, 0) {
	char aside[PATH_MAX];
	snprintf(aside, sizeof aside, "%s.aside", facts.ws);
	return rename(facts.ws, aside) != 0 ? 1 : got(rename(aside, facts.ws));
}
TRY("write", link_system, "link, then open O_WRONLY", "readable file of the system", "new name inside", ROOT, 0) {
	unlink(ws("hard3"));
	int fd = link("/usr/bin/env", ws("hard3")) != 0 ? -1 : open(ws("hard3"), O_WRONLY);
	unlink(ws("hard3"));
	return got(fd);
}
TRY("write", bind_out, "bind", "new socket", "path", 0, 0) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out("bound"));
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return fd < 0 ? 1 : got(bind(fd, (struct sockaddr *)&a, sizeof a));
}
TRY("write", bind_pair, "socketpair, bind", "new socket", "path", 0, 0) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd[2];
	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out("bound2"));
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0 ? 1 : got(bind(fd[0], (struct sockaddr *)&a, sizeof a));
}
TRY("write", mmap_write, "mmap PROT_WRITE MAP_SHARED", "file", "read-only descriptor", 0, 0) {
	int fd = open(out("file"), O_RDWR);
	return fd < 0 ? 1 : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED;
}
TRY("write", proc_write, "open O_WRONLY", "/proc/self/oom_score_adj", "path", 0, 0) {
	return got(open("/proc/self/oom_score_adj", O_WRONLY));
}
TRY("write", proc_sys, "open O_WRONLY", "/proc/sys/kernel/core_pattern", "path", ROOT, 0) {
	return got(open("/proc/sys/kernel/core_pattern", O_WRONLY));
}
TRY("write", proc_sysrq, "open O_WRONLY", "/proc/sysrq-trigger", "path", ROOT, 0) { return got(open("/proc/sysrq-trigger", O_WRONLY)); }
TRY("write", usr_write, "open O_CREAT", "/usr", "path", ROOT, 0) {
	int fd = open("/usr/.hsa-escape", O_CREAT | O_WRONLY, 0600);
	unlink("/usr/.hsa-escape");
	return got(fd);
}
TRY("write", tmp_write, "open O_CREAT", "/tmp", "path", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/tmp/.hsa-escape.%d", getpid());
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	unlink(path);
	return got(fd);
}
TRY("write", shm_write, "open O_CREAT", "/dev/shm", "path", 0, 0) {
	int fd = open("/dev/shm/hsa-escape", O_CREAT | O_WRONLY, 0600);
	unlink("/dev/shm/hsa-escape");
	return got(fd);
}

static const char *volatile swap_a, *volatile swap_b, *volatile swap_c;
static volatile bool swap_stop;
static void *swapper(void *name) { /* name is now a link to a, now one to b */
	char tmp[PATH_MAX];
	snprintf(tmp, sizeof tmp, "%s.tmp", (const char *)name);
	while (!swap_stop)
		for (int i = 0; i < 2; i++)
			if (symlink(i == 0 ? swap_a : swap_b, tmp) == 0 && rename(tmp, name) != 0)
				unlink(tmp);
	return NULL;
}
static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
#define RACE 0.4 /* seconds a race is run */

TRY("write", race_create, "open O_CREAT", "new file", "directory swapped for a link by a thread", 0, 0) {
	static char name[PATH_MAX], path[PATH_MAX + 8], inside[PATH_MAX], outside[PATH_MAX];
	pthread_t thread;
	snprintf(name, sizeof name, "%s/swap", facts.ws);
	snprintf(inside, sizeof inside, "%s/dir", facts.ws);
	snprintf(outside, sizeof outside, "%s", facts.out);
	swap_a = inside, swap_b = outside;
	pthread_create(&thread, NULL, swapper, name);
	snprintf(path, sizeof path, "%s/race", name);
	bool through = false;
	for (double end = seconds() + RACE; seconds() < end && !through;) {
		int fd = open(path, O_CREAT | O_WRONLY, 0600);
		if (fd >= 0)
			close(fd);
		through = access(out("race"), F_OK) == 0;
	}
	swap_stop = true;
	pthread_join(thread, NULL);
	return !through;
}

/* set-id bits: by any call, on files of one's own */
static int setid(int fd, const char *path) {
	struct stat st;
	return (path == NULL ? fstat(fd, &st) : stat(path, &st)) != 0 || !(st.st_mode & 06000);
}
static int setid_mode(const char *path, int rc) { return rc < 0 ? 1 : setid(-1, path); }
static const char *own(const char *name) {
	const char *path = ws(name);
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0755));
	return path;
}
TRY("setid", setid_chmod, "chmod 4755", "own file", "path", 0, 0) {
	own("s1");
	return setid_mode(ws("s1"), chmod(ws("s1"), 04755));
}
TRY("setid", setgid_chmod, "chmod 2755", "own file", "path", 0, 0) {
	own("s1");
	return setid_mode(ws("s1"), chmod(ws("s1"), 02755));
}
TRY("setid", setid_fchmod, "fchmod 4755", "own file", "descriptor", 0, 0) {
	own("s2");
	return setid_mode(ws("s2"), fchmod(open(ws("s2"), O_RDONLY), 04755));
}
TRY("setid", setid_fchmodat, "fchmodat 4755", "own file", "path", 0, 0) {
	own("s3");
	return setid_mode(ws("s3"), (int)syscall(SYS_fchmodat, AT_FDCWD, ws("s3"), 04755));
}
TRY("setid", setid_fchmodat2, "fchmodat2 4755", "own file", "path", 0, 0) {
	own("s4");
	return setid_mode(ws("s4"), (int)syscall(452, AT_FDCWD, ws("s4"), 04755, 0));
}
TRY("setid", setid_fchmodat2_empty, "fchmodat2 6755 AT_EMPTY_PATH", "own file", "descriptor", 0, 0) {
	own("s4");
	return setid_mode(ws("s4"), (int)syscall(452, open(ws("s4"), O_RDONLY), "", 06755, AT_EMPTY_PATH));
}
TRY("setid", setid_high, "chmod 4755 with high bits set", "own file", "path", 0, 0) {
	own("s3");
	return setid_mode(ws("s3"), (int)syscall(SYS_fchmodat, AT_FDCWD, ws("s3"), 0xFFFF0000u | 04755));
}
TRY("setid", setid_dir, "chmod 2755", "own directory without the bit", "path", 0, 0) {
	mkdir(ws("sd"), 0755);
	return chmod(ws("sd"), 0755) != 0 ? CANNOT : setid_mode(ws("sd"), chmod(ws("sd"), 02755));
}
TRY("setid", setid_openat, "openat O_CREAT 4755", "new file", "path", 0, 0) {
	unlink(ws("s5"));
	return setid_mode(ws("s5"), openat(AT_FDCWD, ws("s5"), O_CREAT | O_WRONLY, 04755));
}
TRY("setid", setid_tmpfile, "openat O_TMPFILE 4755", "new file", "directory", 0, 0) {
	int fd = openat(AT_FDCWD, facts.ws, O_TMPFILE | O_WRONLY, 04755);
	return fd < 0 ? 1 : setid(fd, NULL);
}
TRY("setid", setid_openat2, "openat2 O_CREAT 4755", "new file", "path", 0, 0) {
	struct { uint64_t flags, mode, resolve; } how = { O_CREAT | O_WRONLY, 04755, 0 };
	unlink(ws("s6"));
	return setid_mode(ws("s6"), (int)syscall(437, AT_FDCWD, ws("s6"), &how, sizeof how));
}
TRY("setid", setid_memfd, "fchmod 4755", "own memory", "descriptor of memfd_create", 0, 0) {
	int fd = (int)syscall(SYS_memfd_create, "hsa", 0);
	return fd < 0 ? CANNOT : fchmod(fd, 04755) != 0 ? 1 : setid(fd, NULL);
}
TRY("setid", setid_mknodat, "mknodat S_IFREG 4755", "new file", "path", 0, 0) {
	unlink(ws("s7"));
	return setid_mode(ws("s7"), (int)syscall(SYS_mknodat, AT_FDCWD, ws("s7"), S_IFREG | 04755, 0));
}
#ifdef SYS_open
TRY("setid", setid_open, "open O_CREAT 4755", "new file", "path", X86, 0) {
	unlink(ws("s8"));
	return setid_mode(ws("s8"), (int)syscall(SYS_open, ws("s8"), O_CREAT | O_WRONLY, 04755));
}
TRY("setid", setid_creat, "creat 4755", "new file", "path", X86, 0) {
	unlink(ws("s9"));
	return setid_mode(ws("s9"), (int)syscall(SYS_creat, ws("s9"), 04755));
}
TRY("setid", setid_mknod, "mknod S_IFREG 2755", "new file", "path", X86, 0) {
	unlink(ws("s10"));
	return setid_mode(ws("s10"), (int)syscall(SYS_mknod, ws("s10"), S_IFREG | 02755, 0));
}
#endif
TRY("setid", setcap_xattr, "setxattr security.capability", "own file", "path", ROOT, 0) {
	static const uint32_t cap[5] = { 0x02000001, 0x400, 0, 0, 0 };
	return got(setxattr(own("s11"), "security.capability", cap, sizeof cap, 0));
}

/* ---- read ------------------------------------------------------------------------------------------------------------- */

TRY("read", read_secret, "open", "secret", "path", 0, 0) { return got(open(out("secret"), O_RDONLY)); }
TRY("read", read_list, "open a directory", "directory", "path", 0, 0) {
	DIR *d = opendir(facts.out);
	return d == NULL || readdir(d) == NULL;
}
TRY("read", read_link, "open", "secret", "link in the workspace", 0, 0) {
	unlink(ws("l3"));
	return symlink(out("secret"), ws("l3")) != 0 ? CANNOT : got(open(ws("l3"), O_RDONLY));
}
TRY("read", read_cwd, "open", "secret", "chdir there", 0, 0) { return chdir(facts.out) != 0 ? 1 : got(open("secret", O_RDONLY)); }
TRY("read", read_opath, "openat", "secret", "O_PATH descriptor of the directory", 0, 0) {
	return got(openat(open(facts.out, O_PATH), "secret", O_RDONLY));
}
TRY("read", read_reopen, "open", "secret", "/proc/self/fd of an O_PATH descriptor", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", open(out("secret"), O_PATH));
	return got(open(path, O_RDONLY));
}
TRY("read", read_exec, "execve", "program outside", "path", 0, 0) {
	pid_t pid = fork();
	if (pid == 0) {
		execl(out("program"), "program", (char *)NULL);
		_exit(1);
	}
	int status;
	return waitpid(pid, &status, 0) != pid || status != 0;
}
TRY("read", read_execveat, "execveat AT_EMPTY_PATH", "program outside", "O_PATH descriptor", 0, 0) {
	pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = { (char[]){ "p" }, NULL };
		syscall(SYS_execveat, open(out("program"), O_PATH), "", argv, argv + 1, AT_EMPTY_PATH);
		_exit(1);
	}
	int status;
	return waitpid(pid, &status, 0) != pid || status != 0;
}
TRY("read", read_interpreter, "execve of a script", "program outside as interpreter", "path", 0, 0) {
	unlink(ws("script"));
	int fd = open(ws("script"), O_CREAT | O_WRONLY, 0755);
	dprintf(fd, "#!%s\n", out("program"));
	close(fd);
	pid_t pid = fork();
	if (pid == 0) {
		execl(ws("script"), "script", (char *)NULL);
		_exit(1);
	}
	int status;
	return waitpid(pid, &status, 0) != pid || status != 0;
}
static int victim_proc(const char *name, int flags) {
	char path[128];
	snprintf(path, sizeof path, "/proc/%d/%s", facts.victim, name);
	int fd = open(path, flags);
	char c;
	return fd < 0 ? 1 : flags & (O_PATH | O_DIRECTORY | O_WRONLY) ? 0 : got(pread(fd, &c, 1, 0)) || 0;
}
TRY("read", read_victim_root, "open", "secret", "/proc/PID/root of a process outside", 0, 0) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "/proc/%d/root%s", facts.victim, out("secret"));
	return got(open(path, O_RDONLY));
}
TRY("read", read_victim_fd, "open", "secret", "/proc/PID/fd of a process outside", 0, 0) {
	char name[32];
	snprintf(name, sizeof name, "fd/%d", facts.victim_fd);
	return victim_proc(name, O_RDONLY);
}
TRY("read", read_shadow, "open", "/etc/shadow", "path", ROOT, 0) { return got(open("/etc/shadow", O_RDONLY)); }
TRY("read", read_sudoers, "open a directory", "/etc", "path", ROOT, 0) { return got(open("/etc", O_RDONLY | O_DIRECTORY)); }
TRY("read", read_root, "open a directory", "/root", "path", ROOT, 0) { return got(open("/root", O_RDONLY | O_DIRECTORY)); }
#define PLACE(name_, path_) TRY("read", name_, "open a directory", path_, "path", 0, 0) { \
	return access(path_, R_OK) != 0 ? CANNOT : got(open(path_, O_RDONLY | O_DIRECTORY)); }
PLACE(read_slash, "/")
PLACE(read_home, "/home")
PLACE(read_mnt, "/mnt")
PLACE(read_media, "/media")
PLACE(read_srv, "/srv")
PLACE(read_var, "/var")
PLACE(read_var_log, "/var/log")
PLACE(read_run, "/run")
PLACE(read_tmp, "/tmp")
PLACE(read_dev, "/dev")
PLACE(read_sys, "/sys")
PLACE(read_shm, "/dev/shm")
#define RAW(name_, path_) TRY("read", name_, "open", path_, "path", ROOT, 0) { \
	return access(path_, F_OK) != 0 ? CANNOT : got(open(path_, O_RDONLY)); }
RAW(read_kmsg, "/dev/kmsg")
RAW(read_kcore, "/proc/kcore")
TRY("read", read_disk, "open", "raw disk", "path", ROOT, 0) {
	static const char *const disks[] = { "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop0", "/dev/mem" };
	for (size_t i = 0; i < 5; i++)
		if (open(disks[i], O_RDONLY) >= 0)
			return 0;
	return 1;
}
TRY("read", read_memory, "open", "/proc/PID/mem", "path", 0, 0) {
	char path[64];
	uint64_t word;
	snprintf(path, sizeof path, "/proc/%d/mem", facts.victim);
	int fd = open(path, O_RDONLY);
	return fd < 0 ? 1 : pread(fd, &word, 8, (off_t)facts.victim_address) != 8;
}
TRY("read", read_environ, "read", "/proc/PID/environ", "path", 0, 0) { return victim_proc("environ", O_RDONLY); }
TRY("read", read_maps, "read", "/proc/PID/maps", "path", 0, 0) { return victim_proc("maps", O_RDONLY); }
TRY("read", read_auxv, "read", "/proc/PID/auxv", "path", 0, 0) { return victim_proc("auxv", O_RDONLY); }
TRY("read", read_fds, "readlink", "/proc/PID/fd/N", "path", 0, 0) {
	char path[64], target[PATH_MAX];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", facts.victim, facts.victim_fd);
	return got(readlink(path, target, sizeof target));
}
TRY("read", read_fdinfo, "read", "/proc/PID/fdinfo/N", "path", 0, 0) {
	char name[64];
	snprintf(name, sizeof name, "fdinfo/%d", facts.victim_fd);
	return victim_proc(name, O_RDONLY);
}
TRY("read", read_cwd_link, "open O_PATH", "/proc/PID/cwd", "path", 0, 0) { return victim_proc("cwd", O_PATH); }
TRY("read", read_exe_link, "open O_PATH", "/proc/PID/exe", "path", 0, 0) { return victim_proc("exe", O_PATH); }
TRY("read", read_map_files, "list", "/proc/PID/map_files", "path", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/map_files", facts.victim);
	DIR *d = opendir(path);
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.')
			return 0;
	return 1;
}
TRY("read", read_stack, "read", "/proc/PID/stack", "path", ROOT, 0) { return victim_proc("stack", O_RDONLY); }
TRY("read", read_syscall, "read", "/proc/PID/syscall", "path", 0, 0) { return victim_proc("syscall", O_RDONLY); }
#define SEEN(name_, file_) TRY("read", name_, "read", "/proc/PID/" file_, "path", 0, 0) { return victim_proc(file_, O_RDONLY); }
SEEN(read_smaps, "smaps")
SEEN(read_numa, "numa_maps")
SEEN(read_io, "io")
SEEN(read_personality, "personality")
TRY("read", read_pagemap, "open", "/proc/PID/pagemap", "path", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/pagemap", facts.victim);
	return got(open(path, O_RDONLY));
}
TRY("read", read_task, "read", "/proc/PID/task/TID/environ", "path", 0, 0) {
	char name[64];
	snprintf(name, sizeof name, "task/%d/environ", facts.victim);
	return victim_proc(name, O_RDONLY);
}
TRY("read", read_namespace, "open", "/proc/PID/ns/mnt", "path", 0, 0) { return victim_proc("ns/mnt", O_PATH); }

/* ---- network ------------------------------------------------------------------------------------------------------------ */

static int tcp(int type, int protocol) {
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)facts.port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, type, protocol);
	return fd < 0 ? 1 : got(connect(fd, (struct sockaddr *)&a, sizeof a));
}
TRY("network", net_tcp, "socket, connect", "AF_INET stream", "listener on loopback", 0, 0) { return tcp(SOCK_STREAM, 0); }
TRY("network", net_mptcp, "socket, connect", "AF_INET MPTCP", "listener on loopback", 0, 0) { return tcp(SOCK_STREAM, 262); }
TRY("network", net_tcp6, "socket, connect", "AF_INET6 stream", "listener on loopback", 0, 0) {
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)facts.port6), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	return fd < 0 ? 1 : got(connect(fd, (struct sockaddr *)&a, sizeof a));
}
TRY("network", net_udp, "socket, sendto", "AF_INET datagram", "receiver on loopback", 0, 0) {
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)facts.udp), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	return fd < 0 ? 1 : got(sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof a));
}
TRY("network", net_listen, "socket, bind, listen", "AF_INET stream", "any port", 0, 0) {
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd < 0 ? 1 : got(listen(fd, 1));
}
TRY("network", net_high, "socket", "AF_INET with high bits set", "system call", 0, 0) {
	return got(syscall(SYS_socket, 0x700000000ul | AF_INET, 0x100000000ul | SOCK_STREAM, 0));
}
TRY("network", net_raw, "socket", "AF_INET raw", "system call", ROOT, 0) { return got(socket(AF_INET, SOCK_RAW, 1)); }
TRY("network", net_packet, "socket", "AF_PACKET raw", "system call", ROOT, 0) { return got(socket(AF_PACKET, SOCK_RAW, 0)); }
TRY("network", net_netlink, "socket", "AF_NETLINK", "system call", 0, 0) { return got(socket(AF_NETLINK, SOCK_RAW, 0)); }
TRY("network", net_families, "socket", "every family by every type", "system call", 0, 0) {
	int seen = 1;
	for (int family = 0; family < 64; family++)
		for (int type = 1; type < 11; type++)
			if (family != AF_UNIX && socket(family, type, 0) >= 0)
				seen = 0;
	return seen;
}
TRY("network", net_pairs, "socketpair", "every family but AF_UNIX by every type", "system call", 0, 0) {
	int seen = 1, fd[2], control = now->argument[2];
	for (int family = 0; family < 64; family++)
		for (int type = 1; type < 11; type++)
			if (family != AF_UNIX && socketpair(family, type, 0, fd) == 0)
				seen = 0;
	return seen == 1 && control ? CANNOT : seen; /* AF_TIPC only, where it is built in */
}
TRY("network", net_uring, "io_uring_setup", "ring", "system call", 0, 0) {
	char parameters[256] = { 0 };
	return got(syscall(425, 4, parameters));
}
TRY("network", net_uring_register, "io_uring_register", "ring", "system call", 0, 0) {
	char probe[16 + 8 * 4] = { 0 };
	return syscall(427, -1, 8, probe, 4) >= 0 || errno != ENOSYS ? 0 : 1; /* reaches the kernel's code */
}
#ifdef __x86_64__
TRY("network", net_int80, "int $0x80 socketcall", "AF_INET stream", "32-bit entry", X86, 0) {
	uint32_t *args = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (args == MAP_FAILED)
		return CANNOT;
	args[0] = AF_INET, args[1] = SOCK_STREAM, args[2] = 0;
	long rc = 102;
	__asm__ volatile("int $0x80" : "+a"(rc) : "b"(1L), "c"(args) : "memory", "r8", "r9", "r10", "r11");
	return (int)rc == -ENOSYS ? CANNOT : (int)rc < 0;
}
TRY("network", net_int80_socket, "int $0x80 socket", "AF_INET stream", "32-bit entry", X86, 0) {
	long rc = 359;
	__asm__ volatile("int $0x80" : "+a"(rc) : "b"((long)AF_INET), "c"((long)SOCK_STREAM), "d"(0L) : "memory", "r8", "r9", "r10", "r11");
	return (int)rc == -ENOSYS ? CANNOT : (int)rc < 0;
}
TRY("network", net_x32, "socket", "AF_INET stream", "x32 entry", X86, 0) {
	long fd = syscall(0x40000000 | SYS_socket, AF_INET, SOCK_STREAM, 0);
	return fd < 0 && errno == ENOSYS && now->argument[2] ? CANNOT : got(fd);
}
#endif

/* ---- ipc ------------------------------------------------------------------------------------------------------------------ */

static int unix_to(int type, bool abstract, bool send) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char name[32];
	snprintf(name, sizeof name, "unix.%d", type);
	if (abstract)
		snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%.60s.%d", facts.abstract, type);
	else
		snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out(name));
	socklen_t size = abstract ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(a.sun_path + 1)) : sizeof a;
	int fd[2] = { -1, -1 };
	if (send ? socketpair(AF_UNIX, type, 0, fd) != 0 : (fd[0] = socket(AF_UNIX, type, 0)) < 0)
		return 1;
	return send ? got(sendto(fd[0], "x", 1, MSG_DONTWAIT, (struct sockaddr *)&a, size)) : got(connect(fd[0], (struct sockaddr *)&a, size));
}
TRY("ipc", ipc_stream, "socket, connect", "AF_UNIX stream", "path", 0, 0) { return unix_to(SOCK_STREAM, false, false); }
TRY("ipc", ipc_seqpacket, "socket, connect", "AF_UNIX seqpacket", "path", 0, 0) { return unix_to(SOCK_SEQPACKET, false, false); }
TRY("ipc", ipc_dgram, "socket, connect", "AF_UNIX datagram", "path", 0, 0) { return unix_to(SOCK_DGRAM, false, false); }
TRY("ipc", ipc_abstract, "socket, connect", "AF_UNIX stream", "abstract name", 0, 0) { return unix_to(SOCK_STREAM, true, false); }
TRY("ipc", ipc_abstract_dgram, "socket, connect", "AF_UNIX datagram", "abstract name", 0, 0) { return unix_to(SOCK_DGRAM, true, false); }
TRY("ipc", ipc_pair, "socketpair, sendto", "AF_UNIX datagram", "path", 0, 0) { return unix_to(SOCK_DGRAM, false, true); }
TRY("ipc", ipc_pair_abstract, "socketpair, sendto", "AF_UNIX datagram", "abstract name", 0, 0) { return unix_to(SOCK_DGRAM, true, true); }
TRY("ipc", ipc_pair_raw, "socketpair SOCK_RAW (a datagram in disguise)", "AF_UNIX datagram", "path", 0, 0) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd[2];
	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out("unix.2"));
	return socketpair(AF_UNIX, SOCK_RAW, 0, fd) != 0 ? 1 : got(sendto(fd[0], "x", 1, 0, (struct sockaddr *)&a, sizeof a));
}
TRY("ipc", ipc_pair_flags, "socketpair with flags and high bits", "AF_UNIX datagram", "path", 0, 0) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd[2];
	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out("unix.2"));
	return syscall(SYS_socketpair, 0x100000000ul | AF_UNIX, 0x100000000ul | SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0 ? 1 :
	    got(sendto(fd[0], "x", 1, 0, (struct sockaddr *)&a, sizeof a));
}
TRY("ipc", ipc_pair_connect, "socketpair, connect", "AF_UNIX stream", "path", 0, 0) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd[2];
	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out("unix.2"));
	if (socketpair(AF_UNIX, now->argument[2] ? SOCK_DGRAM : SOCK_STREAM, 0, fd) != 0)
		return 1;
	close(fd[1]);
	return got(connect(fd[0], (struct sockaddr *)&a, sizeof a));
}
TRY("ipc", ipc_shmat, "shmat", "System V shared memory", "identifier", 0, 0) { return shmat(facts.shm, NULL, 0) == (void *)-1; }
TRY("ipc", ipc_shmget, "shmget", "System V shared memory", "new", 0, 0) {
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	if (id >= 0)
		shmctl(id, IPC_RMID, NULL);
	return got(id);
}
TRY("ipc", ipc_shmctl, "shmctl IPC_STAT", "System V shared memory", "identifier", 0, 0) {
	struct shmid_ds ds;
	return got(shmctl(facts.shm, IPC_STAT, &ds));
}
TRY("ipc", ipc_semop, "semop", "System V semaphore", "identifier", 0, 0) {
	struct sembuf op = { 0, 1, IPC_NOWAIT };
	return got(semop(facts.sem, &op, 1));
}
TRY("ipc", ipc_semtimedop, "semtimedop", "System V semaphore", "identifier", 0, 0) {
	struct sembuf op = { 0, 1, IPC_NOWAIT };
	struct timespec t = { 0, 0 };
	return got(syscall(SYS_semtimedop, facts.sem, &op, 1, &t));
}
TRY("ipc", ipc_semctl, "semctl SETVAL", "System V semaphore", "identifier", 0, 0) { return got(syscall(SYS_semctl, facts.sem, 0, SETVAL, 7)); }
TRY("ipc", ipc_msgsnd, "msgsnd", "System V queue", "identifier", 0, 0) {
	struct { long type; char c; } m = { 1, 'x' };
	return got(msgsnd(facts.msg, &m, 1, IPC_NOWAIT));
}
TRY("ipc", ipc_msgrcv, "msgrcv", "System V queue", "identifier", 0, 0) {
	struct { long type; char c[8]; } m;
	return got(msgrcv(facts.msg, &m, 8, 0, IPC_NOWAIT | MSG_NOERROR)) && errno != ENOMSG;
}
TRY("ipc", ipc_msgctl, "msgctl IPC_RMID", "System V queue", "identifier", 0, 0) { return got(msgctl(facts.msg, IPC_RMID, NULL)); }
TRY("ipc", ipc_mq_open, "mq_open", "POSIX queue", "name", 0, 0) {
	return facts.queue[0] == '\0' ? CANNOT : got(syscall(SYS_mq_open, facts.queue, O_RDWR, 0, NULL));
}
TRY("ipc", ipc_mq_new, "mq_open O_CREAT", "POSIX queue", "new name", 0, 0) {
	long rc = facts.queue[0] == '\0' ? -2 : syscall(SYS_mq_open, "hsa-escape-new", O_RDWR | O_CREAT, 0600, NULL);
	syscall(SYS_mq_unlink, "hsa-escape-new");
	return rc == -2 ? CANNOT : got(rc);
}
TRY("ipc", ipc_mq_unlink, "mq_unlink", "POSIX queue", "name", 0, 0) {
	return facts.queue[0] == '\0' ? CANNOT : got(syscall(SYS_mq_unlink, facts.queue));
}
TRY("ipc", ipc_add_key, "add_key", "user keyring", "special identifier", 0, 0) {
	return got(syscall(SYS_add_key, "user", "hsa-escape", "x", 1, -4));
}
TRY("ipc", ipc_keyctl_read, "keyctl KEYCTL_READ", "key", "identifier", 0, 0) {
	char c[16];
	return facts.key == 0 ? CANNOT : got(syscall(SYS_keyctl, 11, facts.key, c, sizeof c));
}
TRY("ipc", ipc_keyctl_join, "keyctl JOIN_SESSION_KEYRING", "keyring", "new", 0, 0) { return got(syscall(SYS_keyctl, 1, "hsa-escape")); }
TRY("ipc", ipc_request_key, "request_key", "key", "description", 0, 0) {
	return facts.key == 0 ? CANNOT : syscall(SYS_request_key, "user", "hsa-escape-key", NULL, -4) < 0 && errno == ENOSYS;
}
TRY("ipc", ipc_fifo, "open O_RDWR", "FIFO", "path", 0, 0) { return got(open(out("pipe"), O_RDWR)); }

/* ---- metadata: every call by every route ---------------------------------------------------------------------------- */

enum call { C_chmod, C_fchmod, C_fchmodat, C_fchmodat2, C_fchmodat2_empty, C_chown, C_lchown, C_fchown, C_fchownat, C_fchownat_empty,
	C_utime, C_utimes, C_futimesat, C_futimesat_null, C_utimensat, C_utimensat_null, C_utimensat_empty, C_setxattr, C_lsetxattr,
	C_fsetxattr, C_removexattr, C_lremovexattr, C_fremovexattr, C_setxattrat, C_removexattrat, C_file_setattr, C_setflags,
	C_fssetxattr, C_setversion, CALLS };
static const struct { const char *name; bool by_fd, x86; } calls[CALLS] = { { "chmod", false, true }, { "fchmod", true, false },
	{ "fchmodat", false, false }, { "fchmodat2", false, false }, { "fchmodat2 AT_EMPTY_PATH", true, false }, { "chown", false, true },
	{ "lchown", false, true }, { "fchown", true, false }, { "fchownat", false, false }, { "fchownat AT_EMPTY_PATH", true, false },
	{ "utime", false, true }, { "utimes", false, true }, { "futimesat", false, true }, { "futimesat NULL", true, true },
	{ "utimensat", false, false }, { "utimensat NULL", true, false }, { "utimensat AT_EMPTY_PATH", true, false },
	{ "setxattr", false, false }, { "lsetxattr", false, false }, { "fsetxattr", true, false }, { "removexattr", false, false },
	{ "lremovexattr", false, false }, { "fremovexattr", true, false }, { "setxattrat", false, false }, { "removexattrat", false, false },
	{ "file_setattr", false, false }, { "ioctl FS_IOC_SETFLAGS", true, false }, { "ioctl FS_IOC_FSSETXATTR", true, false },
	{ "ioctl FS_IOC_SETVERSION", true, false } };
enum route { R_path, R_relative, R_link, R_dirlink, R_cwd, R_dirfd, R_self_fd, R_thread_fd, R_dev_fd, R_self_root, R_deleted_name, R_prefix,
	R_long, PATHS, R_read = PATHS, R_opath, R_passed, ROUTES };
static const char *const routes[ROUTES] = { "path", "../", "link", "linked directory", "chdir", "O_PATH dirfd", "/proc/self/fd", "/proc/thread-self/fd",
	"/dev/fd", "/proc/self/root", "`ws (deleted)`", "`ws2`", "././././", "read-only fd", "O_PATH fd", "passed fd" };
enum object { O_file, O_dir, O_symlink, OBJECTS };
static const char *const objects[OBJECTS] = { "file", "directory", "symbolic link" };

/* Why a cell of the table is empty; NULL: it is not. */
static const char *no_cell(enum call c, enum object o, enum route r) {
	bool nofollow = c == C_lchown || c == C_lsetxattr || c == C_lremovexattr;
	if (calls[c].by_fd != (r >= PATHS))
		return calls[c].by_fd ? "takes a descriptor" : "takes a path";
	if (r == R_opath && c != C_fchmodat2_empty && c != C_fchownat_empty && c != C_utimensat_empty)
		return "the kernel refuses O_PATH there";
	if (r == R_dirfd && c != C_fchmodat && c != C_fchmodat2 && c != C_fchownat && c != C_futimesat && c != C_utimensat &&
	    c != C_setxattrat && c != C_removexattrat && c != C_file_setattr)
		return "takes no dirfd";
	if (nofollow && (r == R_link || r == R_self_fd || r == R_thread_fd || r == R_dev_fd))
		return "does not follow the last link";
	if (o == O_symlink && !(c == C_lchown || (r == R_opath && c != C_fchmodat2_empty)))
		return "follows links";
	if (o == O_symlink && (r == R_deleted_name || r == R_prefix || r == R_passed))
		return "as a file's";
	if (o == O_dir && (r == R_deleted_name || r == R_prefix || r == R_link || r == R_passed))
		return "as a file's";
	return NULL;
}

static int metadata(void) {
	enum call c = (enum call)now->argument[0];
	enum object o = (enum object)(now->argument[1] >> 8);
	enum route r = (enum route)(now->argument[1] & 0xFF);
	const char *name = o == O_file ? "victim" : o == O_dir ? "victimdir" : "victimlink";
	char path[PATH_MAX], full[PATH_MAX / 2];
	const char *at = path;
	int dir = AT_FDCWD, fd = -1, flags;
	snprintf(full, sizeof full, "%s/%s", facts.out, name);
	snprintf(path, sizeof path, "%s", full);
	switch (r) {
	case R_relative: snprintf(path, sizeof path, "../out/%s", name); break;
	case R_link: unlink(ws("ml")); if (symlink(full, ws("ml")) != 0) return CANNOT; at = ws("ml"); break;
	case R_dirlink:
		unlink(ws("md"));
		if (symlink(facts.out, ws("md")) != 0)
			return CANNOT;
		snprintf(path, sizeof path, "%s/md/%s", facts.ws, name);
		break;
	case R_cwd: if (chdir(facts.out) != 0) return 1; at = name; break;
	case R_dirfd: dir = open(facts.out, O_PATH); at = name; break;
	case R_self_fd: snprintf(path, sizeof path, "/proc/self/fd/%d", open(full, O_PATH)); break;
	case R_thread_fd: snprintf(path, sizeof path, "/proc/thread-self/fd/%d", open(full, O_PATH)); break;
	case R_dev_fd: snprintf(path, sizeof path, "/dev/fd/%d", open(full, O_PATH)); break;
	case R_self_root: snprintf(path, sizeof path, "/proc/self/root%s", full); break;
	case R_deleted_name: snprintf(path, sizeof path, "%s (deleted)/%s", facts.ws, name); break;
	case R_prefix: snprintf(path, sizeof path, "%s2/%s", facts.ws, name); break;
	case R_long: {
		size_t n = (size_t)snprintf(path, sizeof path, "%s", facts.out);
		while (n < PATH_MAX - 32)
			n += (size_t)snprintf(path + n, sizeof path - n, "/.");
		snprintf(path + n, sizeof path - n, "/%s", name);
		break;
	}
	case R_read: fd = open(full, O_RDONLY); break; /* refused inside by `read`: then through a system file below */
	case R_opath: fd = open(full, O_PATH | O_NOFOLLOW); break;
	case R_passed: fd = 0; break;
	default: break;
	}
	if (calls[c].by_fd && fd < 0)
		return 1;
	uid_t uid = getuid();
	gid_t gid = getgid();
	struct timeval tv[2] = { { 1, 2 }, { 3, 4 } };
	struct timespec ts[2] = { { 1, 2 }, { 3, 4 } };
	long tb[2] = { 1, 3 };
	struct { uint64_t value; uint32_t size, flags; } xa = { (uintptr_t)"x", 1, 0 };
	struct { uint64_t xflags; uint32_t a, b, c, d; uint64_t e; } fa = { 0 };
	char fsx[28] = { 0 };
	const char *xname = "user.hsa";
	(void)tv, (void)tb;
	switch (c) {
#ifdef SYS_chmod
	case C_chmod: return got(syscall(SYS_chmod, at, 0777));
	case C_chown: return got(syscall(SYS_chown, at, uid, gid));
	case C_lchown: return got(syscall(SYS_lchown, at, uid, gid));
	case C_utime: return got(syscall(SYS_utime, at, tb));
	case C_utimes: return got(syscall(SYS_utimes, at, tv));
	case C_futimesat: return got(syscall(SYS_futimesat, dir, at, tv));
	case C_futimesat_null: return got(syscall(SYS_futimesat, fd, NULL, tv));
#endif
	case C_fchmod: return got(syscall(SYS_fchmod, fd, 0777));
	case C_fchmodat: return got(syscall(SYS_fchmodat, dir, at, 0777));
	case C_fchmodat2: return got(syscall(452, dir, at, 0777, 0));
	case C_fchmodat2_empty: return got(syscall(452, fd, "", 0777, AT_EMPTY_PATH));
	case C_fchown: return got(syscall(SYS_fchown, fd, uid, gid));
	case C_fchownat: return got(syscall(SYS_fchownat, dir, at, uid, gid, 0));
	case C_fchownat_empty: return got(syscall(SYS_fchownat, fd, "", uid, gid, AT_EMPTY_PATH));
	case C_utimensat: return got(syscall(SYS_utimensat, dir, at, ts, 0));
	case C_utimensat_null: return got(syscall(SYS_utimensat, fd, NULL, ts, 0));
	case C_utimensat_empty: return got(syscall(SYS_utimensat, fd, "", ts, AT_EMPTY_PATH));
	case C_setxattr: return got(setxattr(at, xname, "x", 1, 0));
	case C_lsetxattr: return got(lsetxattr(at, xname, "x", 1, 0));
	case C_fsetxattr: return got(fsetxattr(fd, xname, "x", 1, 0));
	case C_removexattr: return got(removexattr(at, "user.there"));
	case C_lremovexattr: return got(lremovexattr(at, "user.there"));
	case C_fremovexattr: return got(fremovexattr(fd, "user.there"));
	case C_setxattrat: return got(syscall(463, dir, at, 0, xname, &xa, sizeof xa));
	case C_removexattrat: return got(syscall(466, dir, at, 0, "user.there"));
	case C_file_setattr: return got(syscall(469, dir, at, &fa, sizeof fa, 0));
	case C_setflags:
		if (ioctl(fd, 0x80086601, &flags) != 0)
			return 1;
		return got(ioctl(fd, 0x40086602, &flags));
	case C_fssetxattr: return ioctl(fd, 0x801C581F, fsx) != 0 ? 1 : got(ioctl(fd, 0x401C5820, fsx));
	case C_setversion:
		flags = 7;
		return got(ioctl(fd, 0x40087602, &flags));
	default: return CANNOT;
	}
}
__attribute__((constructor(999))) static void add_metadata(void) {
	for (int c = 0; c < CALLS; c++)
		for (int o = 0; o < OBJECTS; o++)
			for (int r = 0; r < ROUTES; r++) {
				if (no_cell((enum call)c, (enum object)o, (enum route)r) != NULL)
					continue;
				char *name;
				if (asprintf(&name, "metadata_%s_%s_%s", calls[c].name, objects[o], routes[r]) < 0)
					abort();
				for (char *p = name; *p != '\0'; p++)
					*p = *p == ' ' ? '-' : *p;
				attempts[count++] = (struct attempt){ r == R_passed ? "passed" : "metadata", name, calls[c].name, objects[o], routes[r],
					calls[c].x86 ? X86 : 0, 0, metadata, { c, o << 8 | r, 0 } };
			}
}

/* A second thread changes what the path means between the look and the act. */
static char racing[PATH_MAX];
static void *racing_text(void *unused) { /* the bytes of the path itself */
	(void)unused;
	while (!swap_stop) {
		memcpy(racing, swap_a, strlen(swap_a) + 1);
		memcpy(racing, swap_b, strlen(swap_b) + 1);
	}
	return NULL;
}
static int race_mode(void *(*other)(void *), void *context, const char *path) {
	static char inside[PATH_MAX], outside[PATH_MAX];
	struct stat st;
	pthread_t thread;
	bool directory = other == swapper && strstr(path, "/rv") != NULL;
	snprintf(inside, sizeof inside, "%s/%s", facts.ws, directory ? "dir" : "dir/rv");
	snprintf(outside, sizeof outside, "%s%s", facts.out, directory ? "" : "/rv");
	close(open(ws("dir/rv"), O_CREAT | O_WRONLY, 0600));
	swap_a = inside, swap_b = outside, swap_stop = false;
	if (now->argument[2]) { /* the control: without a race */
		swap_a = outside;
		if (other == racing_text)
			memcpy(racing, outside, strlen(outside) + 1);
	}
	pthread_create(&thread, NULL, other, context);
	bool through = false;
	for (double end = seconds() + RACE; seconds() < end && !through;) {
		for (int i = 0; i < 50; i++)
			syscall(SYS_fchmodat, AT_FDCWD, path, 0666);
		through = stat(out("rv"), &st) == 0 && (st.st_mode & 0777) == 0666;
	}
	swap_stop = true;
	pthread_join(thread, NULL);
	return !through;
}
TRY("metadata", race_text, "fchmodat", "file", "path changed in memory by a thread", 0, 0) { return race_mode(racing_text, NULL, racing); }
TRY("metadata", race_link, "fchmodat", "file", "link swapped by a thread", 0, 0) {
	static char name[PATH_MAX];
	snprintf(name, sizeof name, "%s/racelink", facts.ws);
	return race_mode(swapper, name, name);
}
TRY("metadata", race_dir, "fchmodat", "file", "directory swapped for a link by a thread", 0, 0) {
	static char name[PATH_MAX], path[PATH_MAX + 8];
	snprintf(name, sizeof name, "%s/racedir", facts.ws);
	snprintf(path, sizeof path, "%s/rv", name);
	return race_mode(swapper, name, path);
}
static int bare_thread(void *unused) { /* no CLONE_FS, no CLONE_FILES: a directory and descriptors of its own */
	(void)unused;
	return got(syscall(SYS_fchmodat, AT_FDCWD, "rv", 0666)) == 0 ? 0 : 1;
}
TRY("metadata", thread_cwd, "fchmodat", "file", "thread whose directory is not the group's", 0, 0) {
	struct stat st;
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (chdir(facts.out) != 0) /* the thread takes this with it, then the group goes inside */
		return 1;
	static volatile int tid = 1;
	int cloned = clone(bare_thread, stack + 65536, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID,
	    NULL, NULL, NULL, (void *)&tid);
	if (cloned < 0 || chdir(facts.ws) != 0)
		return CANNOT;
	for (double end = seconds() + 5; tid != 0 && seconds() < end;)
		usleep(1000);
	return stat(out("rv"), &st) != 0 || (st.st_mode & 0777) != 0666;
}
TRY("metadata", system_file, "utimensat NULL", "readable file of the system", "read-only fd", ROOT, 0) {
	return got(futimens(open("/usr/bin/env", O_RDONLY), NULL));
}
TRY("metadata", system_mode, "fchmod", "readable file of the system", "read-only fd", ROOT, 0) {
	struct stat st;
	int fd = open("/usr/bin/env", O_RDONLY);
	return fstat(fd, &st) != 0 ? 1 : got(fchmod(fd, st.st_mode & 0777));
}
TRY("metadata", device_mode, "fchmod", "/dev/null", "read-write fd", ROOT, 0) {
	struct stat st;
	int fd = open("/dev/null", O_RDWR);
	return fstat(fd, &st) != 0 ? 1 : got(fchmod(fd, st.st_mode & 0777));
}
TRY("metadata", victim_file, "fchmodat", "file", "/proc/PID/fd of a process outside", 0, 0) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", facts.victim, facts.victim_fd);
	return got(syscall(SYS_fchmodat, AT_FDCWD, path, 0600));
}
TRY("passed", write_hint, "fcntl F_SET_RW_HINT", "file", "passed fd", 0, 0) {
	uint64_t hint = 2; /* RWH_WRITE_LIFE_SHORT */
	return got(fcntl(0, 1036, &hint));
}

/* ---- process ---------------------------------------------------------------------------------------------------------------- */

#define SIGNAL SIGWINCH /* ignored by default */
TRY("process", kill_pid, "kill", "process", "pid", 0, 6) { return got(kill(facts.victim, SIGNAL)); }
TRY("process", kill_zero, "kill 0 (is it there?)", "process", "pid", 0, 6) { return got(kill(facts.victim, 0)); }
TRY("process", kill_group, "kill", "process group", "-pgid", 0, 6) { return got(kill(-facts.victim, SIGNAL)); }
TRY("process", kill_all, "kill", "every process", "-1", 0, 0) { /* found out by the victim's counter; not below ABI 6 */
	if (now->argument[2])
		return got(kill(facts.victim, SIGURG));
	if (facts.abi >= 6)
		kill(-1, SIGURG);
	return 1;
}
TRY("process", tkill_pid, "tkill", "thread", "tid", 0, 6) { return got(syscall(SYS_tkill, facts.victim, SIGNAL)); }
TRY("process", tgkill_pid, "tgkill", "thread", "tid", 0, 6) { return got(syscall(SYS_tgkill, facts.victim, facts.victim, SIGNAL)); }
static siginfo_t queued(void) {
	siginfo_t info;
	memset(&info, 0, sizeof info);
	info.si_signo = SIGNAL;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	return info;
}
TRY("process", sigqueue_pid, "rt_sigqueueinfo", "process", "pid", 0, 6) {
	siginfo_t info = queued();
	return got(syscall(SYS_rt_sigqueueinfo, facts.victim, SIGNAL, &info));
}
TRY("process", tgsigqueue_pid, "rt_tgsigqueueinfo", "thread", "tid", 0, 6) {
	siginfo_t info = queued();
	return got(syscall(SYS_rt_tgsigqueueinfo, facts.victim, facts.victim, SIGNAL, &info));
}
TRY("process", pidfd_signal, "pidfd_send_signal", "process", "pidfd", 0, 6) {
	int fd = (int)syscall(434, facts.victim, 0);
	return fd < 0 ? CANNOT : got(syscall(424, fd, SIGNAL, NULL, 0));
}
TRY("process", pidfd_signal_group, "pidfd_send_signal PIDFD_SIGNAL_PROCESS_GROUP", "process group", "pidfd", 0, 6) {
	int fd = (int)syscall(434, facts.victim, 0);
	long rc = fd < 0 ? -1 : syscall(424, fd, SIGNAL, NULL, 4);
	return rc < 0 && errno == EINVAL ? CANNOT : got(rc);
}
TRY("process", setown, "fcntl F_SETOWN", "process", "SIGIO", 0, 0) {
	int fd[2];
	return pipe(fd) != 0 ? CANNOT : got(fcntl(fd[0], F_SETOWN, facts.victim));
}
TRY("process", setown_high, "fcntl F_SETOWN with high bits set", "process", "SIGIO", 0, 0) {
	int fd[2];
	return pipe(fd) != 0 ? CANNOT : got(syscall(SYS_fcntl, fd[0], 0x100000000ul | F_SETOWN, facts.victim));
}
TRY("process", setown_ex, "fcntl F_SETOWN_EX", "process", "SIGIO", 0, 0) {
	int fd[2];
	struct { int type, pid; } owner = { 1, facts.victim };
	return pipe(fd) != 0 ? CANNOT : got(fcntl(fd[0], 15, &owner));
}
TRY("process", fiosetown, "ioctl FIOSETOWN", "process", "SIGIO", 0, 0) {
	int fd[2], pid = facts.victim;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0 ? CANNOT : got(ioctl(fd[0], 0x8901, &pid));
}
TRY("process", siocspgrp, "ioctl SIOCSPGRP", "process", "SIGIO", 0, 0) {
	int fd[2], pid = facts.victim;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0 ? CANNOT : got(ioctl(fd[0], 0x8902, &pid));
}
TRY("process", setsig, "fcntl F_SETSIG", "process", "SIGKILL in place of SIGIO", 0, 0) {
	int fd[2];
	return pipe(fd) != 0 ? CANNOT : got(fcntl(fd[0], F_SETSIG, SIGKILL));
}
TRY("process", lease, "fcntl F_SETLEASE", "own file", "lease break", 0, 0) {
	own("lease");
	return got(fcntl(open(ws("lease"), O_RDONLY), F_SETLEASE, F_RDLCK));
}
TRY("process", timer_tid, "timer_create SIGEV_THREAD_ID", "thread", "tid", 0, 0) {
	struct sigevent event;
	int timer;
	memset(&event, 0, sizeof event);
	event.sigev_notify = 4;
	event.sigev_signo = SIGNAL;
	((int *)(void *)&event)[4] = now->argument[2] ? (int)syscall(SYS_gettid) : facts.victim; /* the control: itself */
	return got(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
}
TRY("process", prlimit_set, "prlimit64", "process", "pid", 0, 0) {
	struct rlimit limit;
	return prlimit(facts.victim, RLIMIT_NOFILE, NULL, &limit) != 0 ? 1 : got(prlimit(facts.victim, RLIMIT_NOFILE, &limit, NULL));
}
TRY("process", prlimit_high, "prlimit64 with high bits set", "process", "pid", 0, 0) {
	struct rlimit limit = { 900, 900 };
	return got(syscall(SYS_prlimit64, 0xFFFFFFFF00000000ul | (unsigned)facts.victim, RLIMIT_NOFILE, &limit, NULL));
}
TRY("process", core_zero, "setrlimit RLIMIT_CORE 0", "program that core_pattern names", "core of one's own", 0, 0) {
	struct rlimit limit = { 0, 0 };
	setrlimit(RLIMIT_CORE, &limit);
	return getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur != 0;
}
TRY("process", core_prlimit, "prlimit64 RLIMIT_CORE 0", "program that core_pattern names", "core of one's own", 0, 0) {
	struct rlimit limit = { 0, 0 };
	prlimit(getpid(), RLIMIT_CORE, &limit, NULL);
	prlimit(0, RLIMIT_CORE, &limit, NULL);
	return getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur != 0;
}
TRY("process", priority_process, "setpriority PRIO_PROCESS", "process", "pid", 0, 0) { return got(setpriority(PRIO_PROCESS, (id_t)facts.victim, 5)); }
TRY("process", priority_group, "setpriority PRIO_PGRP", "process group", "pgid", 0, 0) { return got(setpriority(PRIO_PGRP, (id_t)facts.victim, 6)); }
TRY("process", priority_user, "setpriority PRIO_USER", "user", "uid", USER, 0) { return got(setpriority(PRIO_USER, 0, 7)); }
TRY("process", ioprio_process, "ioprio_set IOPRIO_WHO_PROCESS", "process", "pid", 0, 0) { return got(syscall(SYS_ioprio_set, 1, facts.victim, 0x4007)); }
TRY("process", ioprio_group, "ioprio_set IOPRIO_WHO_PGRP", "process group", "pgid", 0, 0) { return got(syscall(SYS_ioprio_set, 2, facts.victim, 0x4007)); }
TRY("process", ioprio_user, "ioprio_set IOPRIO_WHO_USER", "user", "uid", USER, 0) { return got(syscall(SYS_ioprio_set, 3, getuid(), 0x4007)); }
TRY("process", affinity, "sched_setaffinity", "process", "pid", 0, 0) {
	cpu_set_t set;
	return sched_getaffinity(facts.victim, sizeof set, &set) != 0 ? CANNOT : got(sched_setaffinity(facts.victim, sizeof set, &set));
}
TRY("process", scheduler, "sched_setscheduler", "process", "pid", 0, 0) {
	struct sched_param p = { 0 };
	return got(syscall(SYS_sched_setscheduler, facts.victim, SCHED_BATCH, &p));
}
TRY("process", schedparam, "sched_setparam", "process", "pid", 0, 0) {
	struct sched_param p = { 0 };
	return got(syscall(SYS_sched_setparam, facts.victim, &p));
}
TRY("process", schedattr, "sched_setattr", "process", "pid", 0, 0) {
	struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t a, b, c; } attr = { 48, 3, 0, 19, 0, 0, 0, 0 };
	return got(syscall(SYS_sched_setattr, facts.victim, &attr, 0));
}
TRY("process", ptrace_attach, "ptrace PTRACE_ATTACH", "process", "pid", 0, 0) {
	long rc = ptrace(PTRACE_ATTACH, facts.victim, NULL, NULL);
	if (rc == 0 && waitpid(facts.victim, NULL, __WALL) > 0)
		ptrace(PTRACE_DETACH, facts.victim, NULL, NULL);
	return got(rc);
}
TRY("process", ptrace_seize, "ptrace PTRACE_SEIZE", "process", "pid", 0, 0) { return got(ptrace(PTRACE_SEIZE, facts.victim, NULL, NULL)); }
TRY("process", vm_read, "process_vm_readv", "memory", "pid", 0, 0) {
	uint64_t word;
	struct iovec here = { &word, 8 }, there = { (void *)(uintptr_t)facts.victim_address, 8 };
	return got(process_vm_readv(facts.victim, &here, 1, &there, 1, 0));
}
TRY("process", vm_write, "process_vm_writev", "memory", "pid", 0, 0) {
	uint64_t word = 7;
	struct iovec here = { &word, 8 }, there = { (void *)(uintptr_t)facts.victim_address, 8 };
	return got(process_vm_writev(facts.victim, &here, 1, &there, 1, 0));
}
TRY("process", mem_write, "open O_RDWR", "/proc/PID/mem", "path", 0, 0) { return victim_proc("mem", O_WRONLY); }
TRY("process", pidfd_rob, "pidfd_getfd", "descriptor", "pidfd", 0, 0) {
	int fd = (int)syscall(434, facts.victim, 0);
	return fd < 0 ? CANNOT : got(syscall(438, fd, facts.victim_fd, 0));
}
TRY("process", madvise_process, "process_madvise", "memory", "pidfd", ROOT, 0) {
	int fd = (int)syscall(434, facts.victim, 0);
	struct iovec there = { (void *)(uintptr_t)(facts.victim_address & ~4095ul), 4096 };
	return fd < 0 ? CANNOT : got(syscall(440, fd, &there, 1, 20 /* MADV_COLD */, 0));
}
TRY("process", move_pages_pid, "move_pages", "memory", "pid", 0, 0) {
	void *page = (void *)(uintptr_t)facts.victim_address;
	int status;
	long rc = syscall(SYS_move_pages, facts.victim, 1ul, &page, NULL, &status, 0);
	return rc < 0 && errno == ENOSYS ? CANNOT : got(rc);
}
TRY("process", migrate_pages_pid, "migrate_pages", "memory", "pid", 0, 0) {
	unsigned long nodes = 1;
	long rc = syscall(SYS_migrate_pages, facts.victim, 2ul, &nodes, &nodes);
	return rc < 0 && errno == ENOSYS ? CANNOT : got(rc);
}
TRY("process", pidfd_namespace, "ioctl PIDFD_GET_MNT_NAMESPACE", "namespace", "pidfd", 0, 0) {
	int fd = (int)syscall(434, facts.victim, 0);
	return fd < 0 ? CANNOT : got(ioctl(fd, 0xFF03, 0));
}
TRY("process", kcmp_pid, "kcmp", "descriptor", "pid", 0, 0) {
	long rc = syscall(SYS_kcmp, getpid(), facts.victim, 0, 0, facts.victim_fd);
	return rc < 0 && errno == ENOSYS ? CANNOT : got(rc);
}
TRY("process", robust_list, "get_robust_list", "memory", "pid", 0, 0) {
	void *head;
	size_t size;
	return got(syscall(SYS_get_robust_list, facts.victim, &head, &size));
}
TRY("process", perf_pid, "perf_event_open", "process", "pid", 0, 0) {
	struct { uint32_t type, size; uint64_t rest[14]; } attr = { 1, sizeof attr, { 0 } };
	return got(syscall(SYS_perf_event_open, &attr, facts.victim, -1, -1, 0));
}
TRY("process", sched_core, "prctl PR_SCHED_CORE", "process", "pid", 0, 0) {
	unsigned long cookie;
	int rc = prctl(62, 0, facts.victim, 0, &cookie);
	return rc < 0 && (errno == EINVAL || errno == ENODEV) ? CANNOT : got(rc);
}
TRY("process", oom_adj, "write", "/proc/PID/oom_score_adj", "path", 0, 0) { return victim_proc("oom_score_adj", O_WRONLY); }
TRY("process", proc_comm, "write", "/proc/PID/comm", "path", 0, 0) { return victim_proc("comm", O_WRONLY); }
TRY("process", proc_clear, "write", "/proc/PID/clear_refs", "path", 0, 0) {
	return access("/proc/self/clear_refs", F_OK) != 0 ? CANNOT : victim_proc("clear_refs", O_WRONLY);
}
TRY("process", proc_timerslack, "write", "/proc/PID/timerslack_ns", "path", 0, 0) { return victim_proc("timerslack_ns", O_WRONLY); }
TRY("process", proc_autogroup, "write", "/proc/PID/autogroup", "path", 0, 0) {
	return access("/proc/self/autogroup", F_OK) != 0 ? CANNOT : victim_proc("autogroup", O_WRONLY);
}

/* The host and the warden; outside, one's parents stand for them. */
static pid_t above(int levels) {
	pid_t pid = getppid(); /* the process that runs the group */
	for (levels = now->argument[2] ? 1 : levels; levels > 0; levels--) {
		char path[64], line[512] = "";
		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		FILE *file = fopen(path, "r");
		if (file == NULL || fgets(line, sizeof line, file) == NULL || strrchr(line, ')') == NULL)
			return -1;
		fclose(file);
		sscanf(strrchr(line, ')') + 1, " %*c %d", &pid);
	}
	return pid;
}
static int above_signal(int level) { return above(level) <= 1 ? CANNOT : got(kill(above(level), SIGNAL)); }
static int above_open(int level, const char *name) {
	char path[64], c;
	snprintf(path, sizeof path, "/proc/%d/%s", above(level), name);
	int fd = open(path, O_RDONLY);
	return fd < 0 ? 1 : name[0] == 'm' ? 0 : got(read(fd, &c, 1));
}
TRY("above", warden_signal, "kill", "warden", "pid", 0, 6) { return above_signal(1); }
TRY("above", host_signal, "kill", "host", "pid", 0, 6) { return above_signal(2); }
TRY("above", warden_mem, "open", "/proc/PID/mem of the warden", "path", 0, 0) { return above_open(1, "mem"); }
TRY("above", host_mem, "open", "/proc/PID/mem of the host", "path", 0, 0) { return above_open(2, "mem"); }
TRY("above", warden_environ, "read", "/proc/PID/environ of the warden", "path", 0, 0) { return above_open(1, "environ"); }
TRY("above", host_environ, "read", "/proc/PID/environ of the host", "path", 0, 0) { return above_open(2, "environ"); }
TRY("above", warden_ptrace, "ptrace PTRACE_SEIZE", "warden", "pid", 0, 0) { return got(ptrace(PTRACE_SEIZE, above(1), NULL, NULL)); }
TRY("above", warden_limit, "prlimit64", "warden", "pid", 0, 0) {
	struct rlimit limit;
	return prlimit(above(1), RLIMIT_NOFILE, NULL, &limit) != 0 ? 1 : got(prlimit(above(1), RLIMIT_NOFILE, &limit, NULL));
}
TRY("above", warden_fd, "pidfd_getfd", "descriptors of the warden", "pidfd", 0, 0) {
	int fd = (int)syscall(434, above(1), 0), seen = 1;
	for (int n = 0; n < 64 && fd >= 0; n++)
		seen = syscall(438, fd, n, 0) >= 0 ? 0 : seen;
	return seen;
}

/* ---- device: standard input is a terminal ------------------------------------------------------------------------------------ */

TRY("tty", tty_sti, "ioctl TIOCSTI", "terminal", "standard input", ROOT, 0) { return got(ioctl(0, TIOCSTI, "x")); }
TRY("tty", tty_sti_high, "ioctl TIOCSTI with high bits set", "terminal", "standard input", ROOT, 0) {
	return got(syscall(SYS_ioctl, 0, 0xFFFFFFFF00000000ul | TIOCSTI, "x"));
}
TRY("tty", tty_ctty, "ioctl TIOCSCTTY", "terminal", "standard input", 0, 0) {
	setsid();
	return got(ioctl(0, TIOCSCTTY, 1));
}
TRY("tty", tty_reopen, "open /proc/self/fd/0", "terminal", "standard input", 0, 0) { return got(open("/proc/self/fd/0", O_RDWR | O_NOCTTY)); }
TRY("tty", tty_name, "open", "terminal", "path", 0, 0) {
	char name[64] = "";
	return ttyname_r(0, name, sizeof name) != 0 ? 1 : got(open(name, O_RDWR | O_NOCTTY));
}
TRY("tty", tty_winsize, "ioctl TIOCSWINSZ", "terminal", "standard input", 0, 0) {
	struct winsize size = { 24, 80, 0, 0 };
	return got(ioctl(0, TIOCSWINSZ, &size));
}
TRY("tty", tty_line, "ioctl TIOCSETD", "terminal", "standard input", 0, 0) {
	int discipline = 0;
	return got(ioctl(0, TIOCSETD, &discipline));
}
TRY("tty", tty_excl, "ioctl TIOCEXCL", "terminal", "standard input", 0, 0) { return got(ioctl(0, TIOCEXCL)); }
TRY("tty", tty_cons, "ioctl TIOCCONS", "terminal", "standard input", ROOT, 0) {
	int rc = ioctl(0, TIOCCONS);
	if (rc == 0)
		ioctl(open("/dev/console", O_RDWR | O_NOCTTY), TIOCCONS);
	return got(rc);
}
TRY("device", dev_ptmx, "open", "/dev/ptmx", "path", 0, 0) { return got(open("/dev/ptmx", O_RDWR | O_NOCTTY)); }
TRY("device", dev_random_ioctl, "ioctl RNDADDTOENTCNT", "/dev/urandom", "descriptor", ROOT, 0) {
	int n = 0;
	return got(ioctl(open("/dev/urandom", O_RDONLY), 0x40045201, &n));
}
TRY("device", dev_fuse, "open", "/dev/fuse", "path", ROOT, 0) { return access("/dev/fuse", F_OK) != 0 ? CANNOT : got(open("/dev/fuse", O_RDWR)); }
TRY("device", dev_tun, "open", "/dev/net/tun", "path", ROOT, 0) { return access("/dev/net/tun", F_OK) != 0 ? CANNOT : got(open("/dev/net/tun", O_RDWR)); }
TRY("device", dev_mknod_char, "mknod S_IFCHR", "new device node", "path inside", ROOT, 0) {
	unlink(ws("nodec"));
	return got(mknod(ws("nodec"), S_IFCHR | 0600, 0x0105));
}
TRY("device", dev_mknod_block, "mknod S_IFBLK", "new device node", "path inside", ROOT, 0) {
	unlink(ws("nodeb"));
	return got(mknod(ws("nodeb"), S_IFBLK | 0600, 0x0700));
}
TRY("device", dev_whiteout, "renameat2 RENAME_WHITEOUT", "new device node", "path inside", 0, 0) {
	char to[PATH_MAX];
	snprintf(to, sizeof to, "%s/white2", facts.ws);
	own("white1");
	return got(syscall(SYS_renameat2, AT_FDCWD, ws("white1"), AT_FDCWD, to, 4));
}
TRY("device", dev_node_ioctl, "ioctl TCGETS", "device node that stood in the workspace", "path", ROOT, 5) {
	struct termios t; /* /dev/console by its number: made by the driver */
	int fd = open(ws("tty"), O_RDWR | O_NOCTTY);
	return fd < 0 ? CANNOT : got(tcgetattr(fd, &t));
}
TRY("device", fd_inherited, "read", "descriptor that the caller left open", "number", 0, 0) {
	for (int fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return 0;
	return 1;
}
TRY("device", fs_freeze, "ioctl FIFREEZE", "file system", "descriptor", ROOT, 0) {
	int fd = open(facts.ws, O_RDONLY);
	long rc = ioctl(fd, now->argument[2] ? 0x80086601 : 0xC0045877, &fd); /* the control only asks for flags */
	return got(rc);
}

/* ---- what stays open: README's threat model says so, and this is what it says -------------------------------------------------- */

#define REMAINS 99 /* as if a Landlock of tomorrow held it */
TRY("remains", remains_stat, "stat", "secret", "path", 0, REMAINS) {
	struct stat st;
	return got(stat(out("secret"), &st));
}
TRY("remains", remains_link, "readlink", "symbolic link", "path", 0, REMAINS) {
	char target[64];
	return got(readlink(out("victimlink"), target, sizeof target));
}
TRY("remains", remains_attribute, "getxattr", "file", "path", 0, REMAINS) {
	char value[8];
	return got(getxattr(out("victim"), "user.there", value, sizeof value));
}
TRY("remains", remains_inotify, "inotify_add_watch", "directory", "path", 0, REMAINS) {
	return got(inotify_add_watch(inotify_init(), facts.out, IN_CREATE));
}
TRY("remains", remains_lock, "flock", "readable file of the system", "read-only fd", 0, REMAINS) {
	return got(flock(open("/usr/bin/env", O_RDONLY), LOCK_SH | LOCK_NB));
}
TRY("remains", remains_words, "read", "/proc/PID/cmdline", "path", 0, REMAINS) { return victim_proc("cmdline", O_RDONLY); }
TRY("remains", remains_status, "read", "/proc/PID/status", "path", 0, REMAINS) { return victim_proc("status", O_RDONLY); }
TRY("remains", remains_mounts, "read", "/proc/PID/mountinfo", "path", 0, REMAINS) { return victim_proc("mountinfo", O_RDONLY); }
TRY("remains", remains_sysctl, "open", "/proc/sys/net/ipv4/tcp_fastopen_key", "path", ROOT, REMAINS) {
	return access("/proc/sys/net/ipv4/tcp_fastopen_key", F_OK) != 0 ? CANNOT : got(open("/proc/sys/net/ipv4/tcp_fastopen_key", O_RDONLY));
}
TRY("remains", remains_setid, "mmap PROT_WRITE MAP_SHARED", "set-id program that lay in the workspace", "path", 0, REMAINS) {
	struct stat st; /* the driver has made it; write(2) would clear the bit */
	int fd = open(ws("setid"), O_RDWR);
	char *at = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return 1;
	memcpy(at, "other", 5);
	return fstat(fd, &st) != 0 || !(st.st_mode & 04000);
}

/* ---- kernel surface: whether a call reaches the kernel's own code ------------------------------------------------------------- */

static const struct { const char *name; long nr; int flags; long args[5]; } surface[] = {
	{ "unshare CLONE_NEWUSER", SYS_unshare, 0, { 0x10000000 } }, { "unshare CLONE_NEWNS", SYS_unshare, ROOT, { 0x00020000 } },
	{ "unshare CLONE_NEWNET", SYS_unshare, ROOT, { 0x40000000 } }, { "unshare CLONE_FS", SYS_unshare, 0, { 0x200 } },
	{ "clone CLONE_NEWUSER", SYS_clone, 0, { 0x10000000 | SIGCHLD } }, { "clone CLONE_NEWPID", SYS_clone, ROOT, { 0x20000000 | SIGCHLD } },
	{ "clone3", 435, 0, { 0, 0 } }, { "setns", SYS_setns, 0, { -1, 0 } }, { "mount", SYS_mount, ROOT, { 0, 0, 0, 0, 0 } },
	{ "umount2", SYS_umount2, ROOT, { (long)"/nowhere", 0 } }, { "pivot_root", SYS_pivot_root, ROOT, { 0, 0 } },
	{ "chroot", SYS_chroot, ROOT, { (long)"/nowhere" } }, { "open_tree", 428, 0, { AT_FDCWD, (long)"/", 0 } },
	{ "move_mount", 429, ROOT, { -1, 0, -1, 0, 0 } }, { "fsopen", 430, ROOT, { 0, 0 } }, { "fsconfig", 431, 0, { -1, 0, 0, 0, 0 } },
	{ "fsmount", 432, ROOT, { -1, 0, 0 } }, { "fspick", 433, ROOT, { AT_FDCWD, 0, 0 } }, { "mount_setattr", 442, 0, { -1, 0, 0, 0, 0 } },
	{ "open_tree_attr", 467, 0, { AT_FDCWD, (long)"/", 0, 0, 0 } }, { "bpf", SYS_bpf, ROOT, { 99, 0, 0 } },
	{ "perf_event_open", SYS_perf_event_open, 0, { 0, 0, -1, -1, 0 } }, { "userfaultfd", SYS_userfaultfd, ROOT, { 0 } },
	{ "fanotify_init", SYS_fanotify_init, 0, { 0x200, 0 } }, { "open_by_handle_at", SYS_open_by_handle_at, ROOT, { -1, 0, 0 } },
	{ "init_module", SYS_init_module, ROOT, { 0, 0, 0 } }, { "finit_module", SYS_finit_module, ROOT, { -1, 0, 0 } },
	{ "delete_module", SYS_delete_module, ROOT, { 0, 0 } }, { "kexec_load", SYS_kexec_load, ROOT, { 0, 99, 0, 99 } },
	{ "kexec_file_load",
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#else
	294,
#endif
	ROOT, { -1, -1, 0, 0, 99 } },
	{ "swapon", SYS_swapon, ROOT, { 0, 0 } }, { "swapoff", SYS_swapoff, ROOT, { 0 } }, { "quotactl", SYS_quotactl, 0, { -1, 0, 0, 0 } },
	{ "quotactl_fd", 443, 0, { -1, 0, 0, 0 } }, { "acct", SYS_acct, ROOT, { (long)"/nowhere" } }, { "reboot", SYS_reboot, ROOT, { 0, 0, 0, 0 } },
	{ "settimeofday", SYS_settimeofday, ROOT, { 1, 0 } }, { "clock_settime", SYS_clock_settime, 0, { 99, 0 } },
	{ "clock_adjtime", SYS_clock_adjtime, 0, { 0, 0 } }, { "adjtimex", SYS_adjtimex, 0, { 0 } }, { "sethostname", SYS_sethostname, ROOT, { 0, -1 } },
	{ "setdomainname", SYS_setdomainname, ROOT, { 0, -1 } }, { "syslog", SYS_syslog, 0, { 10, 0, 0 } }, { "vhangup", SYS_vhangup, 0, { 0 } },
	{ "seccomp with listener", SYS_seccomp, 0, { 1, 8, 0 } }, { "io_uring_enter", 426, 0, { -1, 0, 0, 0, 0 } },
	{ "lsm_set_self_attr", 460, 0, { 100, 0, 0, 0 } }, { "process_mrelease", 448, 0, { -1, 0 } },
#ifdef SYS_iopl
	{ "iopl", SYS_iopl, X86, { 0 } }, { "ioperm", SYS_ioperm, X86, { 0, 1, 0 } }, { "modify_ldt", SYS_modify_ldt, X86, { 0, 0, 0 } },
#endif
};
static int surface_try(void) {
	long nr = surface[now->argument[0]].nr;
	const long *a = surface[now->argument[0]].args;
	if (nr == SYS_vhangup && now->argument[2]) /* the control would hang up */
		return geteuid() == 0 ? 0 : CANNOT;
	errno = 0;
	long rc = syscall(nr, a[0], a[1], a[2], a[3], a[4]);
	int why = errno;
	if (nr == SYS_clone && rc == 0)
		_exit(0);
	if (nr == SYS_seccomp) { /* NULL filter: EFAULT everywhere; what counts is that a listener is impossible below one */
		struct { unsigned short code; unsigned char jt, jf; unsigned k; } allow = { 6, 0, 0, 0x7fff0000 };
		struct { unsigned short n; void *code; } program = { 1, &allow };
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		return got(syscall(SYS_seccomp, 1, 8, &program));
	}
	if (rc < 0 && why == ENOSYS && now->argument[2])
		return CANNOT;
	return rc >= 0 || (why != EPERM && why != ENOSYS) ? 0 : 1;
}
__attribute__((constructor(998))) static void add_surface(void) {
	for (size_t i = 0; i < sizeof surface / sizeof *surface; i++) {
		char *name;
		if (asprintf(&name, "kernel_%s", surface[i].name) < 0)
			abort();
		for (char *p = name; *p != '\0'; p++)
			*p = *p == ' ' ? '-' : *p;
		attempts[count++] = (struct attempt){ "kernel", name, surface[i].name, "kernel", "system call", surface[i].flags, 0, surface_try,
			{ (int)i, 0, 0 } };
	}
}
TRY("kernel", caps_none, "capget", "capabilities", "effective and permitted", ROOT, 0) {
	struct { uint32_t version; int pid; } head = { 0x20080522, 0 };
	struct { uint32_t effective, permitted, inheritable; } sets[2];
	return syscall(SYS_capget, &head, sets) != 0 || (sets[0].effective | sets[0].permitted | sets[1].effective | sets[1].permitted) == 0;
}
TRY("kernel", caps_exec, "execve", "capabilities", "of a program that root starts", ROOT, 0) {
	return system("grep -q '^CapEff:.*[1-9a-f]' /proc/self/status") != 0;
}
TRY("kernel", suspend_seccomp, "ptrace PTRACE_O_SUSPEND_SECCOMP", "filter", "tracer of an own child", ROOT, 0) {
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	long rc = ptrace(PTRACE_SEIZE, pid, NULL, (void *)0x200000);
	int why = errno;
	kill(pid, SIGKILL);
	return rc < 0 && why == EINVAL ? CANNOT : got(rc);
}
TRY("kernel", caps_setuid, "execve", "set-user-id program", "path", USER, 0) {
	if (access("/usr/bin/su", X_OK) != 0 && access("/bin/mount", X_OK) != 0)
		return CANNOT;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/* ---- the runner and the driver -------------------------------------------------------------------------------------------------- */

static bool fits(const struct attempt *a) { return !(a->flags & (geteuid() == 0 ? USER : ROOT)); }

static void give_attribute(void) {
	char other[PATH_MAX];
	setxattr(out("victim"), "user.there", "x", 1, 0);
	setxattr(out("victimdir"), "user.there", "x", 1, 0);
	snprintf(other, sizeof other, "%s2/victim", facts.ws);
	setxattr(other, "user.there", "x", 1, 0);
	snprintf(other, sizeof other, "%s (deleted)/victim", facts.ws);
	setxattr(other, "user.there", "x", 1, 0);
}

static int run_group(const char *group, const char *file, bool control) {
	FILE *in = fopen(file, "r");
	if (in == NULL || fread(&facts, sizeof facts, 1, in) != 1)
		return 99;
	fclose(in);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < count; i++) {
		int status;
		if (strcmp(attempts[i].group, group) != 0 || !fits(&attempts[i]))
			continue;
		fflush(stdout);
		attempts[i].argument[2] = control;
		pid_t pid = fork();
		if (pid == 0) {
			now = &attempts[i];
			if (control && now->function == metadata) /* an earlier attempt has removed it */
				give_attribute();
			alarm(20);
			_exit(now->function());
		}
		if (waitpid(pid, &status, 0) != pid)
			return 98;
		printf("%s %d\n", attempts[i].name, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
	return 0;
}

static char world[200];
static void sh(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void sh(const char *format, ...) {
	char command[4096];
	va_list args;
	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	if (system(command) != 0)
		fprintf(stderr, "escape: failed: %s\n", command);
}

static volatile uint64_t victims_word = 42;
static void victim_counts(int sig) { victims_word += (uint64_t)(sig > 0); }
/* The world outside: what is there to be attacked. */
static void make_world(void) {
	sh("cd '%s' && rm -rf out ws 'ws (deleted)' ws2 && mkdir -m 755 out ws 'ws (deleted)' ws2 && mkdir ws/dir out/empty out/empty2 out/victimdir && "
	   "echo x > ws/inside && for f in 1 2 3 4; do echo x > ws/mv$f; echo x > out/mv$f; done && for f in file gone victim rv; do echo x > out/$f; done && "
	   "ln -s victim out/victimlink && echo x > 'ws (deleted)/victim' && echo x > ws2/victim && echo secret > out/secret && chmod 600 out/secret out/rv && "
	   "cp /bin/true out/program && mkfifo out/pipe && rm -f ws/mv2 && cp /proc/%d/exe ws/escape", world, getpid());
	sh("cd '%s/ws' && echo x > setid && chmod 4755 setid", world);
	if (geteuid() == 0)
		sh("mknod '%s/ws/tty' c 5 1", world);
	give_attribute();
	sh("cd '%s' && touch -d 2001-01-01 out/* 'ws (deleted)/victim' ws2/victim && touch -h -d 2001-01-01 out/victimlink", world);
}

static int listen_unix(int type, bool abstract) {
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char name[32];
	snprintf(name, sizeof name, "unix.%d", type);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (abstract)
		snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%.60s.%d", facts.abstract, type);
	else
		snprintf(a.sun_path, sizeof a.sun_path, "%.100s", out(name));
	socklen_t size = abstract ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(a.sun_path + 1)) : sizeof a;
	if (!abstract)
		unlink(out(name));
	if (bind(fd, (struct sockaddr *)&a, size) != 0 || (type != SOCK_DGRAM && listen(fd, 64) != 0))
		fprintf(stderr, "escape: no unix socket: %s\n", strerror(errno));
	return fd;
}

static int listen_inet(int family, int type, int *port) {
	struct sockaddr_in6 a = { .sin6_family = (sa_family_t)family };
	if (family == AF_INET)
		((struct sockaddr_in *)(void *)&a)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		a.sin6_addr = in6addr_loopback;
	socklen_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof a;
	int fd = socket(family, type | SOCK_CLOEXEC, 0);
	if (bind(fd, (struct sockaddr *)&a, size) != 0 || (type == SOCK_STREAM && listen(fd, 64) != 0))
		return -1;
	getsockname(fd, (struct sockaddr *)&a, &size);
	*port = ntohs(a.sin6_port);
	return fd;
}

static void make_ipc(void) {
	static int sockets[16], n;
	for (; n > 0; n--)
		close(sockets[n - 1]);
	sockets[n++] = listen_unix(SOCK_STREAM, false);
	sockets[n++] = listen_unix(SOCK_DGRAM, false);
	sockets[n++] = listen_unix(SOCK_SEQPACKET, false);
	sockets[n++] = listen_unix(SOCK_STREAM, true);
	sockets[n++] = listen_unix(SOCK_DGRAM, true);
	if (facts.msg > 0 && msgctl(facts.msg, IPC_RMID, NULL) == 0)
		facts.msg = 0;
	facts.msg = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	struct { long type; char c; } m = { 1, 'x' };
	msgsnd(facts.msg, &m, 1, IPC_NOWAIT);
	snprintf(facts.queue, sizeof facts.queue, "hsa-escape-%d", getpid());
	if (syscall(SYS_mq_open, facts.queue, O_RDWR | O_CREAT | O_CLOEXEC, 0600, NULL) < 0)
		facts.queue[0] = '\0';
}

/* What the world outside looks like, as text: names, modes, owners, times, sizes, contents, attributes; and the victim's state. */
static char *snapshot(void) {
	char command[4096];
	static char *line;
	size_t size = 0;
	char *all = NULL;
	FILE *mem = open_memstream(&all, &size);
	snprintf(command, sizeof command, "cd '%s' && find out 'ws (deleted)' ws2 -printf '%%p %%m %%U %%G %%s %%T@ %%n %%l\\n' | sort; cat out/file out/victim "
	    "out/secret; getfattr -d -R out 2>/dev/null; lsattr -d out/* 2>/dev/null", world);
	FILE *pipe = popen(command, "r");
	for (size_t room = 0; pipe != NULL && getline(&line, &room, pipe) > 0;)
		fputs(line, mem);
	pclose(pipe);
	struct rlimit limit = { 0, 0 };
	cpu_set_t set;
	prlimit(facts.victim, RLIMIT_NOFILE, NULL, &limit);
	sched_getaffinity(facts.victim, sizeof set, &set);
	uint64_t word = 0;
	struct iovec here = { &word, 8 }, there = { (void *)(uintptr_t)facts.victim_address, 8 };
	process_vm_readv(facts.victim, &here, 1, &there, 1, 0);
	fprintf(mem, "victim alive %d nice %d files %lu policy %d cpus %d io %ld word %lu\n", kill(facts.victim, 0),
	    getpriority(PRIO_PROCESS, (id_t)facts.victim), (unsigned long)limit.rlim_cur, sched_getscheduler(facts.victim), CPU_COUNT(&set),
	    syscall(SYS_ioprio_get, 1, facts.victim), (unsigned long)word);
	fprintf(mem, "sem %d shm %d queue %ld\n", semctl(facts.sem, 0, GETVAL), shmctl(facts.shm, IPC_STAT, &(struct shmid_ds){ 0 }),
	    facts.queue[0] == '\0' ? 0 : syscall(SYS_close, syscall(SYS_mq_open, facts.queue, O_RDONLY, 0, NULL)));
	fclose(mem);
	return all;
}

static void make_victim(void) {
	int ready[2];
	if (facts.victim > 0) {
		kill(facts.victim, SIGKILL);
		waitpid(facts.victim, NULL, 0);
	}
	if (pipe(ready) != 0)
		abort();
	facts.victim = fork();
	if (facts.victim == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGURG, victim_counts);
		dup2(ready[1], 3);
		ready[1] = 3;
		syscall(436, 4, ~0u, 0);
		int fd = open(out("secret"), O_RDWR);
		dup2(fd, 77);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		close(ready[1]);
		for (;;)
			pause();
	}
	char c;
	if (read(ready[0], &c, 1) != 1)
		abort();
	close(ready[0]);
	close(ready[1]);
	facts.victim_fd = 77;
	facts.victim_address = (uintptr_t)&victims_word;
}

static void write_facts(void) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/ws/facts", world);
	FILE *file = fopen(path, "w");
	if (file == NULL || fwrite(&facts, sizeof facts, 1, file) != 1 || fclose(file) != 0)
		abort();
}

static int terminal(void) { /* the slave side of a terminal whose other side stays open */
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0)
		return -1;
	return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* Runs a group outside (hsa NULL) or inside; fills results by attempt (-1: did not run). Gives the exit status. */
static int run(const char *hsa, const char *group, char *const *options, int *results) {
	char escape[PATH_MAX], file[PATH_MAX], *line = NULL;
	size_t room = 0;
	int pipes[2], status = -1;
	make_world();
	make_victim();
	make_ipc();
	write_facts();
	snprintf(escape, sizeof escape, "%s/ws/escape", world);
	snprintf(file, sizeof file, "%s/ws/facts", world);
	int in = strcmp(group, "tty") == 0 ? terminal() : strcmp(group, "passed") == 0 ? open(out("victim"), O_RDONLY | O_CLOEXEC) : open("/dev/null", O_RDONLY);
	for (size_t i = 0; i < count; i++)
		results[i] = -1;
	if (in < 0 || pipe(pipes) != 0)
		return -1;
	char *before = snapshot();
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in, 0);
		dup2(pipes[1], 1);
		close(pipes[0]);
		close(pipes[1]);
		dup2(open(out("secret"), O_RDWR), 200); /* left open by a careless caller */
		if (hsa == NULL) {
			if (chdir(facts.ws) != 0)
				_exit(1);
			execl(escape, "escape", "control", group, file, (char *)NULL);
		} else {
			const char *argv[64] = { "hsa", "exec", "-C", facts.ws };
			int n = 4;
			while (options != NULL && *options != NULL && n < 50)
				argv[n++] = *options++;
			const char *const rest[] = { "--", escape, "try", group, file, NULL };
			memcpy(argv + n, rest, sizeof rest);
			execv(hsa, (char *const *)argv);
		}
		_exit(127);
	}
	close(pipes[1]);
	FILE *output = fdopen(pipes[0], "r");
	while (getline(&line, &room, output) > 0) {
		char name[256];
		int result;
		for (size_t i = 0; sscanf(line, "%255s %d", name, &result) == 2 && i < count; i++)
			if (strcmp(attempts[i].name, name) == 0)
				results[i] = result;
	}
	fclose(output);
	free(line);
	waitpid(pid, &status, 0);
	close(in);
	if (hsa != NULL) {
		char *after = snapshot();
		bool same = strcmp(before, after) == 0;
		if (!same)
			fprintf(stderr, "--- before\n%s--- after\n%s", before, after);
		printf("%s - %s: %s: nothing outside has changed%s\n", same ? "ok" : "FAIL", geteuid() == 0 ? "root" : "user", group,
		    same ? "" : ": it has");
		free(after);
	}
	free(before);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int drive(const char *hsa, const char *who, int abi, const char *directory, char *const *more) {
	static const char *const groups[] = { "write", "setid", "read", "network", "ipc", "metadata", "passed", "process", "above", "tty", "device", "kernel",
		"remains" };
	static int outside[1024], inside[1024];
	snprintf(world, sizeof world, "%s", directory);
	facts.abi = abi;
	snprintf(facts.out, sizeof facts.out, "%s/out", world);
	snprintf(facts.ws, sizeof facts.ws, "%s/ws", world);
	snprintf(facts.abstract, sizeof facts.abstract, "hsa-escape-%d", getpid());
	setvbuf(stdout, NULL, _IOLBF, 0);
	umask(022);
	int held[3] = { listen_inet(AF_INET, SOCK_STREAM, &facts.port), listen_inet(AF_INET6, SOCK_STREAM, &facts.port6),
		listen_inet(AF_INET, SOCK_DGRAM, &facts.udp) };
	facts.shm = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	facts.sem = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	long key = syscall(SYS_add_key, "user", "hsa-escape-key", "secret", 6, -4 /* KEY_SPEC_USER_KEYRING */);
	facts.key = key < 0 ? 0 : (int)key;
	int bad = 0, cannots = 0;
	size_t room;
	char *words;
	FILE *cannot = open_memstream(&words, &room);
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
		if (more[0] != NULL && strcmp(more[0], groups[g]) != 0)
			continue;
		run(NULL, groups[g], NULL, outside);
		int status = run(hsa, groups[g], more[0] == NULL ? NULL : more + 1, inside);
		if (status != 0)
			printf("FAIL - %s: %s: the group ran inside: status %d\n", who, groups[g], status), bad++;
		for (size_t i = 0; i < count; i++) {
			const struct attempt *a = &attempts[i];
			if (strcmp(a->group, groups[g]) != 0 || !fits(a))
				continue;
			bool missing = abi < a->below, out_of = inside[i] == 0;
			if (outside[i] != 0) {
				fprintf(cannot, "%s%s, %s by %s", ftell(cannot) > 0 ? "; " : "", a->means, a->object, a->route);
				cannots++;
				continue;
			}
			printf("%s - %s: %s, %s by %s", out_of == missing ? "ok" : "FAIL", who, a->means, a->object, a->route);
			if (missing)
				printf("%s", out_of && a->below == REMAINS ? " (gets through, as the threat model says)" :
				    out_of ? " (gets through, as said: this ABI lacks it)" : ": was said to be missing, but does not get through");
			else
				printf("%s", out_of ? ": got out" : "");
			printf("\n");
			bad += out_of != missing;
		}
	}
	fclose(cannot);
	if (cannots > 0)
		printf("skipped - %s: %d attempts that this machine cannot show outside either: %s\n", who, cannots, words);
	shmctl(facts.shm, IPC_RMID, NULL);
	semctl(facts.sem, 0, IPC_RMID);
	msgctl(facts.msg, IPC_RMID, NULL);
	if (facts.queue[0] != '\0')
		syscall(SYS_mq_unlink, facts.queue);
	if (facts.key != 0)
		syscall(SYS_keyctl, 9 /* UNLINK */, facts.key, -4);
	kill(facts.victim, SIGKILL);
	(void)held;
	return bad > 100 ? 100 : bad;
}

static void matrix(void) {
	printf("# What tests/escape.c tries: means | object | route | as | below this Landlock ABI it is said to be missing\n");
	for (size_t i = 0; i < count; i++)
		if (attempts[i].function != metadata)
			printf("%s | %s | %s | %s | %s | %s\n", attempts[i].group, attempts[i].means, attempts[i].object, attempts[i].route,
			    attempts[i].flags & ROOT ? "root" : attempts[i].flags & USER ? "user" : "root, user",
			    attempts[i].below == REMAINS ? "always" : attempts[i].below == 6 ? "6" : attempts[i].below == 5 ? "5" : "-");
	printf("\n# metadata: call by object by route; x: tried as root and as a user; else why not\n");
	for (int c = 0; c < CALLS; c++)
		for (int o = 0; o < OBJECTS; o++) {
			printf("%s | %s", calls[c].name, objects[o]);
			for (int r = 0; r < ROUTES; r++) {
				const char *why = no_cell((enum call)c, (enum object)o, (enum route)r);
				printf(" | %s: %s", routes[r], why == NULL ? "x" : why);
			}
			printf("\n");
		}
}

int main(int argc, char **argv) {
	if (argc == 2 && strcmp(argv[1], "matrix") == 0)
		return matrix(), 0;
	if (argc == 4 && (strcmp(argv[1], "try") == 0 || strcmp(argv[1], "control") == 0))
		return run_group(argv[2], argv[3], strcmp(argv[1], "control") == 0);
	if (argc >= 6 && strcmp(argv[1], "drive") == 0)
		return drive(argv[2], argv[3], atoi(argv[4]), argv[5], argv + 6);
	if (argc == 2 && strcmp(argv[1], "abi") == 0)
		return printf("%ld\n", syscall(444, NULL, 0, 1)) < 0;
	fprintf(stderr, "usage: escape drive HSA WHO ABI DIR [GROUP [OPTION ...]] | escape try GROUP FACTS | escape abi | escape matrix\n");
	return 2;
}
