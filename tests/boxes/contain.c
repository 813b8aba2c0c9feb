/* contain - makes surroundings that unshare(1) does not make, and runs a command in them:
 *     contain root | user | landlock | filter | listener | no-landlock | no-seccomp | nocaps COMMAND [ARGUMENT ...] */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fail(const char *what) {
	fprintf(stderr, "contain: %s: %s\n", what, strerror(errno));
	return 99;
}

/* A domain that handles every right up to ABI 3 and grants them all below /: it denies nothing, but it is there. */
static int landlock(void) {
	uint64_t all = 0x7FFF;
	int ruleset = (int)syscall(444, &all, sizeof all, 0), root = open("/", O_PATH | O_CLOEXEC);
	struct { uint64_t allowed; int32_t parent; } __attribute__((packed)) rule = { all, root };
	if (ruleset < 0 || root < 0 || syscall(445, ruleset, 1, &rule, 0) != 0)
		return fail("ruleset");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(446, ruleset, 0) != 0)
		return fail("restrict_self");
	close(ruleset);
	close(root);
	return 0;
}

/* A filter that refuses one call, as container runtimes do; with a listener, that this process keeps open and never reads. */
static int filter(unsigned call, int listener) {
	struct sock_filter code[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0, 0 },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return fail("no_new_privs");
	int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &program);
	if (fd < 0)
		return fail("seccomp");
	return listener && fcntl(fd, F_SETFD, 0) != 0 ? fail("fcntl") : 0;
}

static int user(void) {
	return setgroups(0, NULL) != 0 || setgid(1000) != 0 || setuid(1000) != 0 ? fail("setuid") : 0;
}

static int nothing(void) {
	return 0;
}

static int plain(void) {
	return filter(SYS_bpf, 0);
}

static int listener(void) {
	return filter(SYS_bpf, 1);
}

static int no_landlock(void) {
	return filter(444, 0);
}

static int no_seccomp(void) {
	return filter(SYS_seccomp, 0);
}

static int nocaps(void) {
	struct { uint32_t version; int pid; } head = { 0x20080522, 0 };
	uint32_t none[6] = { 0 };
	for (int cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno != EINVAL)
			return fail("bounding set");
	return syscall(SYS_capset, &head, none) != 0 ? fail("capset") : 0;
}

int main(int argc, char **argv) {
	static const struct { const char *name; int (*make)(void); } places[] = { { "root", nothing }, { "user", user },
		{ "landlock", landlock }, { "filter", plain }, { "listener", listener },
		{ "no-landlock", no_landlock }, { "no-seccomp", no_seccomp }, { "nocaps", nocaps } };
	for (size_t k = 0; argc > 2 && k < sizeof places / sizeof *places; k++)
		if (strcmp(argv[1], places[k].name) == 0) {
			if (places[k].make() != 0)
				return 99;
			execvp(argv[2], argv + 2);
			return fail(argv[2]);
		}
	fputs("usage: contain PLACE COMMAND [ARGUMENT ...]\n", stderr);
	return 99;
}
