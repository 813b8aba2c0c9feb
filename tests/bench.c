/* bench - what hsa costs, in figures. Each mode prints numbers for tests/bench.sh:
 *     bench times ROUNDS COMMAND ... %% COMMAND ...   the median wall time of each in microseconds, run in turn
 *     bench own COMMAND ...                           the command's own CPU time in microseconds, without its children's
 *     bench turn N HSA DIR SHELL-COMMAND              the host's CPU time in microseconds for N commands of a scripted model, from its
 *                                                     first answer to its last, and the host's peak memory in KiB
 *     bench chmod N FILE                              nanoseconds for one chmod
 *     bench roots ROUNDS FILE                         microseconds to load a bundle of root certificates */
#include "../http.c"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void wrong(const char *what) {
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static pid_t start(char **argv, bool quiet) {
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	if (quiet)
		dup2(null, 2);
	execvp(argv[0], argv);
	wrong(argv[0]);
}

static int by_size(const void *a, const void *b) {
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

#define COMMANDS 8
#define ROUNDS 2000
static int times(size_t rounds, char **words) {
	static int64_t taken[COMMANDS][ROUNDS];
	char **commands[COMMANDS];
	size_t count = 0;
	rounds = rounds > ROUNDS ? ROUNDS : rounds;
	for (char **word = words; *word != NULL && count < COMMANDS; word++) {
		commands[count++] = word;
		while (*word != NULL && strcmp(*word, "%%") != 0)
			word++;
		if (*word == NULL)
			break;
		*word = NULL;
	}
	for (size_t round = 0; round < rounds; round++)
		for (size_t k = 0; k < count; k++) {
			int status;
			int64_t began = now_ns();
			waitpid(start(commands[k], false), &status, 0);
			taken[k][round] = now_ns() - began;
			if (status != 0)
				wrong(commands[k][0]);
		}
	for (size_t k = 0; k < count; k++) {
		qsort(taken[k], rounds, sizeof **taken, by_size);
		printf("%lld%s", (long long)taken[k][rounds / 2] / 1000, k + 1 < count ? " " : "\n");
	}
	return 0;
}

/* Nanoseconds that a process, alive or not yet reaped, has spent on a processor: first field of /proc/PID/schedstat. */
static int64_t cpu_ns(pid_t pid) {
	char name[64];
	long long ns = 0;
	snprintf(name, sizeof name, "/proc/%d/schedstat", (int)pid);
	FILE *file = fopen(name, "r");
	if (file == NULL || fscanf(file, "%lld", &ns) != 1)
		wrong(name);
	fclose(file);
	return ns;
}

static long peak_kib(pid_t pid) {
	char name[64], line[256];
	long kib = -1;
	snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
	FILE *file = fopen(name, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return kib;
}

static int own(char **argv) {
	siginfo_t info;
	pid_t pid = start(argv, true);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0) {}
	printf("%lld\n", (long long)cpu_ns(pid) / 1000);
	return 0;
}

/* Reads one request, head and body as Content-Length says. false: the connection is over. */
static bool request(int fd) {
	static char bytes[1 << 20];
	size_t got = 0, length = 0;
	char *end = NULL;
	while (end == NULL) {
		ssize_t n = read(fd, bytes + got, sizeof bytes - 1 - got);
		if (n <= 0)
			return false;
		bytes[got += (size_t)n] = '\0';
		end = strstr(bytes, "\r\n\r\n");
	}
	char *field = strcasestr(bytes, "\r\ncontent-length:");
	length = field == NULL ? 0 : (size_t)strtoul(field + 17, NULL, 10);
	for (size_t have = got - (size_t)(end + 4 - bytes); have < length;) {
		ssize_t n = read(fd, bytes, sizeof bytes < length - have ? sizeof bytes : length - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

static void answer(int fd, struct arena *arena, int number, const char *command) {
	struct buf item = { .arena = arena };
	buf_format(&item, "{\"id\":\"fc_%d\",\"type\":\"function_call\",\"status\":\"completed\",\"call_id\":\"call_%d\",\"name\":\"bash\","
		"\"arguments\":\"{\\\"command\\\":\\\"%s\\\"}\"}", number, number, command);
	char *body = arena_format(arena, "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":%.*s}\n\n"
		"data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[],"
		"\"usage\":{\"input_tokens\":1,\"output_tokens\":1,\"total_tokens\":2}}}\n\n", (int)item.len, item.at);
	dprintf(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
}

static int turn(struct arena *arena, int count, char *hsa, char *dir, const char *command) {
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&at, size) != 0 || listen(listener, 4) != 0 || getsockname(listener, (struct sockaddr *)&at, &size) != 0)
		wrong("listen");
	char *url = arena_format(arena, "http://127.0.0.1:%u/v1", ntohs(at.sin_port));
	pid_t pid = start((char *[]){ hsa, "--base-url", url, "--max-iterations", "100", dir, NULL }, true);
	int64_t began = 0;
	for (int number = 0, fd = -1; number <= count; number++) {
		while (fd < 0 || !request(fd)) {
			close(fd);
			if ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0)
				wrong("accept");
		}
		if (number == 0)
			began = cpu_ns(pid);
		if (number == count)
			printf("%lld %ld\n", (long long)(cpu_ns(pid) - began) / 1000, peak_kib(pid));
		else
			answer(fd, arena, number, command);
	}
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	return 0;
}

static int modes(long count, const char *file) {
	int64_t began = now_ns();
	for (long k = 0; k < count; k++)
		if (chmod(file, k % 2 == 0 ? 0600 : 0644) != 0)
			wrong(file);
	printf("%lld\n", (long long)(now_ns() - began) / count);
	return 0;
}

static int roots(struct arena *arena, size_t rounds, const char *file) {
	static int64_t taken[ROUNDS];
	for (size_t round = 0; round < rounds && round < ROUNDS; round++) {
		struct http_anchors anchors = { 0 };
		struct error error;
		size_t used = arena->used;
		int64_t began = now_ns();
		if (http_anchors_load(arena, file, &anchors, &error) != 0)
			wrong(error.text);
		taken[round] = now_ns() - began;
		arena_reset(arena, used);
	}
	qsort(taken, rounds, sizeof *taken, by_size);
	printf("%lld\n", (long long)taken[rounds / 2] / 1000);
	return 0;
}

static void full(const char *what) {
	wrong(what);
}

int main(int argc, char **argv) {
	struct arena arena;
	const char *mode = argc > 1 ? argv[1] : "";
	if (arena_open(&arena, (size_t)1 << 30, full) != 0)
		wrong("memory");
	if (argc > 3 && strcmp(mode, "times") == 0)
		return times((size_t)atol(argv[2]), argv + 3);
	if (argc > 2 && strcmp(mode, "own") == 0)
		return own(argv + 2);
	if (argc == 6 && strcmp(mode, "turn") == 0)
		return turn(&arena, atoi(argv[2]), argv[3], argv[4], argv[5]);
	if (argc == 4 && strcmp(mode, "chmod") == 0)
		return modes(atol(argv[2]), argv[3]);
	if (argc == 4 && strcmp(mode, "roots") == 0)
		return roots(&arena, (size_t)atol(argv[2]), argv[3]);
	fputs("usage: see the first lines of tests/bench.c\n", stderr);
	return 2;
}
