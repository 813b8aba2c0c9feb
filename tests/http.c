/* The wire's parsers, without a network: each table is a rule (of an RFC, of WHATWG, of DESIGN.md) by a way of keeping or breaking
 * it. Every input lies flush against an unmapped page, and is also fed byte by byte. */
#include "../answer.c"
#include <setjmp.h>

static struct arena arena;
static void full(const char *what) {
	printf("FAIL - memory: %s\n", what);
	exit(1);
}

static int checks;
static char failure[500];

/* Notes what went wrong with one row of a table. */
__attribute__((format(printf, 2, 3))) static void row(bool well, const char *format, ...) {
	checks++;
	if (well || failure[0] != '\0')
		return;
	va_list args;
	va_start(args, format);
	vsnprintf(failure, sizeof failure, format, args);
	va_end(args);
}

static void table_end(const char *name) {
	printf(failure[0] == '\0' ? "ok - %s (%d)\n" : "FAIL - %s (%d): %s\n", name, checks, failure);
	failure[0] = '\0';
	checks = 0;
}

/* A copy of s whose last byte lies at the end of a page, with nothing mapped behind it. */
static struct str flush(struct str s) {
	static char *last;
	static size_t last_size;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (s.len / page + 1) * page;
	if (last != NULL)
		munmap(last, last_size);
	last_size = size + page;
	last = mmap(NULL, last_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
	if (last == MAP_FAILED || mprotect(last + size, page, PROT_NONE) != 0)
		exit(1);
	if (s.len > 0)
		memcpy(last + size - s.len, s.at, s.len);
	return (struct str){ last + size - s.len, s.len };
}

/* ---- URLs (RFC 3986) ---- */

static void urls(void) {
	static const struct { const char *text, *want; bool proxy; } table[] = {
		{ "https://api.openai.com/v1", "https api.openai.com 443 /v1", false },
		{ "https://api.openai.com/v1/", "https api.openai.com 443 /v1", false },
		{ "http://localhost:8080", "http localhost 8080 ", false },
		{ "http://localhost:8080///", "http localhost 8080 ", false },
		{ "HTTP://EXAMPLE.Org./A", "http example.org 80 /A", false },
		{ "https://127.0.0.1:1/x", "https =127.0.0.1 1 /x", false },
		{ "https://[::1]:8443/v1", "https =::1 8443 /v1", false },
		{ "https://[2001:DB8::1]", "https =2001:db8::1 443 ", false },
		{ "https://h:", "https h 443 ", false },
		{ "https://my_host-1.x/", "https my_host-1.x 443 ", false },
		{ "https://xn--bcher-kva.example/", "https xn--bcher-kva.example 443 ", false },
		{ "https://h/a//b/%20c", "https h 443 /a//b/%20c", false },
		{ "https://h/@x", "https h 443 /@x", false },
		{ "", "!is empty", false }, { "h", "!must begin", false }, { "ftp://h", "!must begin", false }, { "https:/h", "!must begin", false },
		{ "https://", "!malformed host", false }, { "https:///v1", "!malformed host", false }, { "https://:80", "!malformed host", false },
		{ "https://a b", "!space", false }, { "https://a\tb", "!space", false }, { "https://a\nb", "!space", false },
		{ "https://b\xC3\xBC" "cher.example", "!space or another byte", false }, { "https://a\\b", "!space or another byte", false },
		{ "https://h?x", "!'?'", false }, { "https://h/#x", "!'#'", false },
		{ "https://user@h", "!user name", false }, { "https://user:secret@h/", "!user name", false }, { "https://a@b@h/", "!user name", false },
		{ "https://h:0", "!port", false }, { "https://h:65536", "!port", false }, { "https://h:-1", "!port", false }, { "https://h:8x", "!port", false },
		{ "https://h:80:80", "!port", false }, { "https://h:99999999999999999999", "!port", false },
		{ "https://::1/", "!malformed host", false }, { "https://[::1", "!brackets", false }, { "https://[::1]x", "!brackets", false },
		{ "https://[::1]80", "!brackets", false }, { "https://[127.0.0.1]", "!brackets", false }, { "https://[h]", "!malformed host", false },
		{ "https://[fe80::1%25eth0]/", "!malformed host", false }, { "https://[]", "!malformed host", false },
		{ "https://a..b", "!malformed host", false }, { "https://.a", "!malformed host", false }, { "https://a_b!c", "!malformed host", false },
		{ "https://127.1", "!malformed host", false }, { "https://1.2.3.256", "!malformed host", false }, { "https://2130706433", "!malformed host", false },
		{ "https://1.2.3.4.", "https =1.2.3.4 443 ", false }, { "https://h%41/", "!malformed host", false },
		{ "http://proxy:3128", "http proxy 3128 ", true }, { "proxy:3128", "http proxy 3128 ", true }, { "proxy", "http proxy 80 ", true },
		{ "http://u:p@proxy:3128/", "http proxy 3128  u:p", true }, { "u:p@proxy", "http proxy 80  u:p", true },
		{ "http://a%40b:c%3Ad@proxy", "http proxy 80  a@b:c:d", true }, { "http://a@b@proxy", "http proxy 80  a@b", true },
		{ "http://u:%@proxy", "!malformed or too long", true }, { "http://u:%4@proxy", "!malformed or too long", true },
		{ "http://u:%0A@proxy", "!malformed or too long", true }, { "http://u:%zz@proxy", "!malformed or too long", true },
		{ "http://u:a/b@proxy", "!%2F", true }, { "https://proxy", "!must begin", true }, { "socks5://proxy", "!must begin", true } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct http_url url;
		struct error error = { 0 };
		char got[2100];
		if (http_url_read(flush(str_of(table[k].text)), table[k].proxy, &url, &error) != 0)
			snprintf(got, sizeof got, "!%.300s", error.text);
		else
			snprintf(got, sizeof got, "%s %s%s %u %s%s%s", url.tls ? "https" : "http", url.literal ? "=" : "", url.host, url.port, url.path,
			    url.user[0] != '\0' ? " " : "", url.user);
		bool refused = table[k].want[0] == '!';
		row(refused ? got[0] == '!' && strstr(got, table[k].want + 1) != NULL && error.status == 2 && strstr(got, "secret") == NULL :
		    strcmp(got, table[k].want) == 0, "%s gave %.200s", table[k].text, got);
	}
	char text[2000];
	struct http_url url;
	struct error error;
	snprintf(text, sizeof text, "https://%0300d.x/", 0);
	row(http_url_read(str_of(text), false, &url, &error) != 0, "a host of 302 bytes");
	snprintf(text, sizeof text, "https://h/%01100d", 0);
	row(http_url_read(str_of(text), false, &url, &error) != 0 && strstr(error.text, "path that is too long") != NULL, "a path of 1101 bytes");
	snprintf(text, sizeof text, "http://%0600d@h/", 0);
	row(http_url_read(str_of(text), true, &url, &error) != 0, "a user name of 600 bytes");
	row(http_url_read((struct str){ "https://h\0/", 11 }, false, &url, &error) != 0, "a NUL");
	table_end("URLs are read, or refused in words that hold no credentials");
}

static void no_proxy(void) {
	static const struct { const char *list, *host; bool want; unsigned port; } table[] = {
		{ "", "h", false, 443 }, { "*", "h", true, 443 }, { "x, *", "h", true, 443 }, { ",, ,", "h", false, 443 },
		{ "example.com", "example.com", true, 443 }, { "EXAMPLE.com", "example.com", true, 443 }, { "example.com", "api.example.com", true, 443 },
		{ ".example.com", "api.example.com", true, 443 }, { ".example.com", "example.com", true, 443 }, { "*.example.com", "a.example.com", true, 443 },
		{ "example.com", "notexample.com", false, 443 }, { "example.com", "example.com.evil", false, 443 }, { "com", "example.com", true, 443 },
		{ ".", "h", false, 443 }, { "api.example.com", "example.com", false, 443 }, { "a b example.com", "example.com", true, 443 },
		{ "localhost,127.0.0.1", "127.0.0.1", true, 80 }, { "127.0.0.1", "127.0.0.2", false, 80 }, { "127.0.0.1", "localhost", false, 80 },
		{ "::1", "::1", true, 80 }, { "[::1]", "::1", true, 80 }, { "0:0:0:0:0:0:0:1", "::1", true, 80 }, { "::2", "::1", false, 80 },
		{ "10.0.0.0/8", "10.1.2.3", true, 80 }, { "10.0.0.0/8", "11.1.2.3", false, 80 }, { "10.0.0.0/9", "10.128.0.1", false, 80 },
		{ "0.0.0.0/0", "1.2.3.4", true, 80 }, { "10.0.0.0/33", "10.0.0.1", false, 80 }, { "10.0.0.0/x", "10.0.0.0", false, 80 },
		{ "fd00::/8", "fd12::1", true, 80 }, { "fd00::/8", "10.0.0.1", false, 80 }, { "10.0.0.0/8", "h", false, 80 },
		{ "h:443", "h", true, 443 }, { "h:80", "h", false, 443 }, { "h:x", "h", false, 443 }, { "127.0.0.1:80", "127.0.0.1", true, 80 },
		{ "[::1]:80", "::1", true, 80 }, { "[::1]:81", "::1", false, 80 }, { "0.1", "10.0.0.1", false, 80 }, { "[", "h", false, 80 },
		{ "[]", "h", false, 80 }, { ":", "h", false, 80 }, { "/", "10.0.0.1", false, 80 } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		row(http_no_proxy(flush(str_of(table[k].list)), table[k].host, table[k].port) == table[k].want, "NO_PROXY=%s, %s:%u", table[k].list,
		    table[k].host, table[k].port);
	table_end("NO_PROXY: names, suffixes, addresses, networks, ports, *");
}

/* ---- heads (RFC 9110, 9112) ---- */

/* A head's meaning as text, or "!" and what is wrong. The bytes are a copy, since folded lines are joined in place. */
static void head_say(struct str bytes, char *out, size_t size) {
	struct http_head h;
	struct str copy = flush(bytes);
	const char *wrong = http_head_read((char *)(size_t)copy.at, copy.len, &h);
	if (wrong != NULL) {
		snprintf(out, size, "!%s", wrong);
		return;
	}
	struct http_frame f;
	http_frame_begin(&f, &h);
	snprintf(out, size, "%d%s%s%s %s len=%lld type=%s%s%s%s retry=%ld/%d reason=%s location=%s", h.status, h.event_stream ? " sse" : "",
	    h.json ? " json" : "", h.close ? " close" : "", f.step == HTTP_END ? "none" : f.kind == HTTP_CHUNKED ? "chunked" : f.kind == HTTP_LENGTH ?
	    "length" : "to-close", (long long)h.length, h.type, h.encoding[0] != '\0' ? " encoding=" : "", h.encoding, "", h.retry_after_ms,
	    h.should_retry, h.reason, h.location);
}

static void heads(void) {
#define OK "HTTP/1.1 200 OK\r\n"
	static const struct { struct str bytes; const char *want; } table[] = {
		/* 9112, 4: status line */
		{ STR(OK "\r\n"), "200 to-close len=-1" }, { STR("HTTP/1.1 200 \r\n\r\n"), "200 to-close" }, { STR("HTTP/1.1 200\r\n\r\n"), "200 to-close" },
		{ STR("HTTP/1.0 200 OK\r\n\r\n"), "200 close to-close" }, { STR("HTTP/1.1 404 Not  Found\r\n\r\n"), "404 to-close*reason=Not  Found" },
		{ STR("HTTP/1.1 200 O\xC3\xA9\r\n\r\n"), "200*reason=O??" }, { STR("HTTP/2 200 OK\r\n\r\n"), "!status line" },
		{ STR("HTTP/1.2 200 OK\r\n\r\n"), "!status line" }, { STR("http/1.1 200 OK\r\n\r\n"), "!status line" }, { STR("HTTP/1.1  200 OK\r\n\r\n"), "!status line" },
		{ STR("HTTP/1.1 20 OK\r\n\r\n"), "!status line" }, { STR("HTTP/1.1 2000 OK\r\n\r\n"), "!status line" }, { STR("HTTP/1.1 099 OK\r\n\r\n"), "!none" },
		{ STR("HTTP/1.1 600 OK\r\n\r\n"), "!none" }, { STR("HTTP/1.1 -20 OK\r\n\r\n"), "!none" }, { STR(" HTTP/1.1 200 OK\r\n\r\n"), "!status line" },
		{ STR("\r\n\r\n"), "!status line" }, { STR("HTTP/1.1 200"), "!status line" }, { STR("HTTP/1.1 20"), "!status line" }, { STR(""), "!status line" },
		/* 9112, 2.2: line ends and control bytes */
		{ STR("HTTP/1.1 200 OK\n\n"), "!control" }, { STR(OK "A: b\n\r\n"), "!control" }, { STR(OK "A: b\rc\r\n\r\n"), "!control" },
		{ STR(OK "A: b\0c\r\n\r\n"), "!control" }, { STR(OK "A: \x1B[31m\r\n\r\n"), "!control" }, { STR(OK "A: \x7F\r\n\r\n"), "!control" },
		{ STR(OK "A: b\tc\r\n\r\n"), "200" }, { STR(OK "A: \xE2\x82\xAC\r\n\r\n"), "200" }, { STR(OK "A: b\r"), "!control" },
		/* 9112, 5: fields */
		{ STR(OK "A : b\r\n\r\n"), "!field" }, { STR(OK ": b\r\n\r\n"), "!field" }, { STR(OK "A\r\n\r\n"), "!field" }, { STR(OK "A b: c\r\n\r\n"), "!field" },
		{ STR(OK "A\x80: c\r\n\r\n"), "!field" }, { STR(OK "A(b): c\r\n\r\n"), "!field" }, { STR(OK "A:\r\n\r\n"), "200" }, { STR(OK "A:b:c\r\n\r\n"), "200" },
		{ STR(OK "content-type:text/event-stream\r\n\r\n"), "200 sse" }, { STR(OK "CONTENT-TYPE: \t Text/Event-Stream ; charset=utf-8 \r\n\r\n"), "200 sse" },
		{ STR(OK "Content-Type: application/json\r\n\r\n"), "200 json" }, { STR(OK "Content-Type: application/problem+json;x\r\n\r\n"), "200 json" },
		{ STR(OK "Content-Type: text/html\r\n\r\n"), "200 to-close*type=text/html" }, { STR(OK "Content-Type:\r\n\r\n"), "200 to-close" },
		{ STR(OK "Content-Type: text/event-streams\r\n\r\n"), "200 to-close" },
		/* 9112, 5.2: a folded line is one line */
		{ STR(OK "Content-Type: text/\r\n event-stream\r\n\r\n"), "200 to-close" }, { STR(OK "Content-Type:\r\n  text/event-stream\r\n\r\n"), "200 sse" },
		{ STR(OK "A: b\r\n Content-Length: 5\r\n\r\n"), "200 to-close len=-1" },
		/* 9110, 8.6; 9112, 6: Content-Length */
		{ STR(OK "Content-Length: 5\r\n\r\n"), "200 length len=5" }, { STR(OK "Content-Length: 0\r\n\r\n"), "200 none len=0" },
		{ STR(OK "Content-Length: 05\r\n\r\n"), "200 length len=5" }, { STR(OK "Content-Length: 5, 5\r\n\r\n"), "200 length len=5" },
		{ STR(OK "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"), "200 length len=5" }, { STR(OK "Content-Length: 5, 6\r\n\r\n"), "!differ" },
		{ STR(OK "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), "!differ" }, { STR(OK "Content-Length: -5\r\n\r\n"), "!Content-Length" },
		{ STR(OK "Content-Length: +5\r\n\r\n"), "!Content-Length" }, { STR(OK "Content-Length: 5x\r\n\r\n"), "!Content-Length" },
		{ STR(OK "Content-Length: 0x5\r\n\r\n"), "!Content-Length" }, { STR(OK "Content-Length: 5 5\r\n\r\n"), "!Content-Length" },
		{ STR(OK "Content-Length:\r\n\r\n"), "!Content-Length" }, { STR(OK "Content-Length: ,5\r\n\r\n"), "!Content-Length" },
		{ STR(OK "Content-Length: 18446744073709551617\r\n\r\n"), "!Content-Length" }, { STR(OK "Content-Length: 9223372036854775807\r\n\r\n"), "200 length" },
		/* 9112, 6.1: Transfer-Encoding */
		{ STR(OK "Transfer-Encoding: chunked\r\n\r\n"), "200 chunked" }, { STR(OK "transfer-encoding: Chunked\r\n\r\n"), "200 chunked" },
		{ STR(OK "Transfer-Encoding: gzip, chunked\r\n\r\n"), "!Transfer-Encoding" }, { STR(OK "Transfer-Encoding: identity\r\n\r\n"), "!Transfer-Encoding" },
		{ STR(OK "Transfer-Encoding: chunked, chunked\r\n\r\n"), "!Transfer-Encoding" }, { STR(OK "Transfer-Encoding: xchunked\r\n\r\n"), "!Transfer-Encoding" },
		{ STR(OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), "!Transfer-Encoding" }, { STR(OK "Transfer-Encoding:\r\n\r\n"), "!Transfer-Encoding" },
		{ STR(OK "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"), "!both" }, { STR(OK "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), "!both" },
		{ STR("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), "!HTTP/1.0" },
		/* 9112, 6.3: no body */
		{ STR("HTTP/1.1 204 No\r\nContent-Length: 7\r\n\r\n"), "204 none" }, { STR("HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n"), "304 none" },
		/* 9112, 9.3: persistence */
		{ STR(OK "Connection: close\r\nContent-Length: 1\r\n\r\n"), "200 close length" }, { STR(OK "Connection: keep-alive, Close\r\nContent-Length: 1\r\n\r\n"), "200 close length" },
		{ STR(OK "Connection: closed\r\nContent-Length: 1\r\n\r\n"), "200 length" }, { STR(OK "Connection:\r\nContent-Length: 1\r\n\r\n"), "200 length" },
		/* 9110, 8.4 */
		{ STR(OK "Content-Encoding: gzip\r\n\r\n"), "200*encoding=gzip" }, { STR(OK "Content-Encoding: identity\r\n\r\n"), "200 to-close len=-1 type= retry" },
		/* retries */
		{ STR(OK "Retry-After: 3\r\n\r\n"), "*retry=3000/-1" }, { STR(OK "Retry-After: 1.5\r\n\r\n"), "*retry=1500/-1" }, { STR(OK "retry-after-ms: 250\r\n\r\n"), "*retry=250/-1" },
		{ STR(OK "retry-after-ms: 250\r\nRetry-After: 3\r\n\r\n"), "*retry=250/-1" }, { STR(OK "Retry-After: 3\r\nretry-after-ms: 250.7\r\n\r\n"), "*retry=250/-1" },
		{ STR(OK "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n\r\n"), "*retry=-1/-1" }, { STR(OK "Retry-After: -1\r\n\r\n"), "*retry=-1/-1" },
		{ STR(OK "Retry-After: 99999999999999999\r\n\r\n"), "*retry=31536000000/-1" }, { STR(OK "Retry-After:\r\n\r\n"), "*retry=-1/-1" },
		{ STR(OK "x-should-retry: true\r\n\r\n"), "*retry=-1/1" }, { STR(OK "X-Should-Retry: false\r\n\r\n"), "*retry=-1/0" }, { STR(OK "x-should-retry: 1\r\n\r\n"), "*retry=-1/-1" },
		{ STR("HTTP/1.1 302 Found\r\nLocation: https://evil.example/x\r\n\r\n"), "302*location=https://evil.example/x" } };
#undef OK
	char got[2000];
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		const char *want = table[k].want, *star = strchr(want, '*');
		head_say(table[k].bytes, got, sizeof got);
		bool well = want[0] == '!' ? got[0] == '!' && strstr(got, want + 1) != NULL :
		    strncmp(got, want, star == NULL ? strlen(want) : (size_t)(star - want)) == 0 && (star == NULL || strstr(got, star + 1) != NULL);
		row(well, "%.60s gave %.200s, wanted %s", table[k].bytes.at, got, want);
	}
	table_end("heads: rule by way of keeping or breaking it");
}

static void targets(void) {
	static const struct { const char *location, *want; } table[] = {
		{ "https://b.example/x", "b.example" }, { "https://b.example:8443?x", "b.example:8443" }, { "HTTP://u:p@b.example", "b.example" },
		{ "https://a@b@c.example/", "c.example" }, { "//b.example/x", "b.example" }, { "/x", "self" }, { "x", "self" }, { "", "self" }, { "?a=https://b.example", "self" },
		{ "/x?u=https://b.example/", "self" }, { "https://b.example/@self", "b.example" }, { "https://b.example#@self", "b.example" },
		{ "https://b.example\\@self", "b.example" }, { "https:b.example", "self" }, { "https://[::1]:8/x", "[::1]:8" } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct str got = http_target(table[k].location, "self");
		row(str_eq(got, str_of(table[k].want)), "%s gave %.*s", table[k].location, (int)got.len, got.at);
	}
	table_end("the host that a redirect means (RFC 3986, 4.2)");
}

/* ---- bodies ---- */

/* What a body of that frame gives when fed in pieces of `step` bytes, and asked for at most `max` at a time. */
static void body_say(int kind, struct str bytes, size_t step, size_t max, char *out, size_t size) {
	struct http_frame f;
	struct http_head h = { .status = 200, .length = kind == HTTP_LENGTH ? 5 : -1, .coded = kind == HTTP_CHUNKED };
	size_t n = 0;
	http_frame_begin(&f, &h);
	for (size_t i = 0; i < bytes.len && f.step != HTTP_END;) {
		struct str piece = flush((struct str){ bytes.at + i, bytes.len - i < step ? bytes.len - i : step }), in = piece, data;
		while (in.len > 0 && f.step != HTTP_END) {
			const char *wrong = http_frame_feed(&f, &in, max, &data);
			if (wrong != NULL) {
				snprintf(out, size, "!%s", wrong);
				return;
			}
			if (data.len > max || n + data.len + 20 > size) {
				snprintf(out, size, "too much data");
				return;
			}
			memcpy(out + n, data.at, data.len);
			n += data.len;
		}
		i += piece.len - in.len;
	}
	snprintf(out + n, size - n, "%s", f.step == HTTP_END ? "." : "...");
}

static void bodies(void) {
	static const struct { struct str bytes; const char *want; } table[] = {
		{ STR("5\r\nhello\r\n0\r\n\r\n"), "hello." }, { STR("5\r\nhello\r\n0\r\n\r\nmore"), "hello." }, { STR("1\r\na\r\n1\r\nb\r\n0\r\n\r\n"), "ab." },
		{ STR("A\r\n0123456789\r\n0\r\n\r\n"), "0123456789." }, { STR("a\r\n0123456789\r\n00\r\n\r\n"), "0123456789." }, { STR("0\r\n\r\n"), "." },
		{ STR("05\r\nhello\r\n0\r\n\r\n"), "hello." }, { STR("5;x=y\r\nhello\r\n0;z\r\n\r\n"), "hello." }, { STR("5 ; x=\"a;b\"\r\nhello\r\n0\r\n\r\n"), "hello." },
		{ STR("5\t;x\r\nhello\r\n0\r\n\r\n"), "hello." }, { STR("5;\r\nhello\r\n0\r\n\r\n"), "hello." },
		{ STR("5\r\nhello\r\n0\r\nTrailer: x\r\nMore: y\r\n\r\n"), "hello." }, { STR("0\r\nContent-Length: 9\r\n\r\n"), "." },
		{ STR("5\r\nhel"), "hel..." }, { STR("5\r\nhello"), "hello..." }, { STR("5\r\nhello\r\n"), "hello..." }, { STR("5\r\nhello\r\n0\r\n"), "hello..." },
		{ STR("5\r\nhello\r\n0\r\n\r"), "hello..." }, { STR("5\nhello\n0\n\n"), "!control" }, { STR("5\r\nhello\n0\r\n\r\n"), "!control" },
		{ STR("5\rhello\r\n"), "!control" }, { STR("5\r\r\nhello\r\n"), "!control" }, { STR("\r\nhello"), "!chunk size" }, { STR("x\r\nhello"), "!chunk size" },
		{ STR("-5\r\nhello"), "!chunk size" }, { STR("+5\r\nhello"), "!chunk size" }, { STR("0x5\r\nhello"), "!chunk size" }, { STR("5 5\r\nhello"), "!chunk size" },
		{ STR(";x\r\nhello"), "!chunk size" }, { STR("5g\r\nhello"), "!chunk size" }, { STR("5@\r\n"), "!chunk size" }, { STR("1\x10\r\n"), "!control" },
		{ STR("5;\x01\r\nhello"), "!control" }, { STR("5;\x7F\r\nhello"), "!control" }, { STR("FFFFFFFFFFFFFFF\r\nx"), "x..." },
		{ STR("FFFFFFFFFFFFFFFF\r\nx"), "!chunk size" }, { STR("10000000000000000\r\nx"), "!chunk size" }, { STR("0000000000000000\r\n"), "!chunk size" },
		{ STR("5\r\nhello!\r\n"), "!longer" }, { STR("5\r\nhello0\r\n\r\n"), "!longer" }, { STR("3\r\nhello\r\n"), "!longer" },
		{ STR("0\r\nA: b\n\r\n"), "!control" }, { STR("0\r\nA: \0\r\n\r\n"), "!control" } };
	char got[400];
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		for (size_t step = 1; step <= 32; step += step < 4 ? 1 : 28)
			for (size_t max = 1; max <= 100; max += 99) {
				body_say(HTTP_CHUNKED, table[k].bytes, step, max, got, sizeof got);
				row(table[k].want[0] == '!' ? got[0] == '!' && strstr(got, table[k].want + 1) != NULL : strcmp(got, table[k].want) == 0,
				    "%.40s by %zu gave %.100s, wanted %s", table[k].bytes.at, step, got, table[k].want);
			}
	body_say(HTTP_LENGTH, STR("helloHTTP/1.1"), 3, 2, got, sizeof got);
	row(strcmp(got, "hello.") == 0, "Content-Length gave %s", got);
	body_say(HTTP_LENGTH, STR("hell"), 1, 100, got, sizeof got);
	row(strcmp(got, "hell...") == 0, "a short Content-Length gave %s", got);
	struct buf long_line = { .arena = &arena }, trailers = { .arena = &arena };
	for (int k = 0; k < 5000; k++)
		buf_add(&long_line, k == 0 ? STR("5;") : STR("x"));
	for (int k = 0; k < 70; k++) {
		buf_add(&trailers, k == 0 ? STR("0\r\nA: ") : STR("A: "));
		for (int i = 0; i < 1000; i++)
			buf_byte(&trailers, 'x');
		buf_add(&trailers, STR("\r\n"));
	}
	body_say(HTTP_CHUNKED, buf_str(&long_line), 100, 100, got, sizeof got);
	row(strstr(got, "!a line between chunks larger than 4 KiB") != NULL, "a long extension gave %s", got);
	body_say(HTTP_CHUNKED, buf_str(&trailers), 1000, 100, got, sizeof got);
	row(strstr(got, "!trailers larger than 64 KiB") != NULL, "long trailers gave %s", got);
	table_end("bodies: chunks, extensions, trailers, lengths, in any pieces");
}

/* ---- server-sent events (WHATWG) ---- */

static int say_event(void *out, struct str type, struct str data, struct error *error) {
	if (str_eq(data, STR("stop")))
		return error_set(error, 4, "stopped");
	buf_format(out, "[%.*s|%.*s]", (int)type.len, type.len == 0 ? "" : type.at, (int)data.len, data.len == 0 ? "" : data.at);
	return 0;
}

static void events(void) {
	static const struct { struct str bytes; const char *want; } table[] = {
		{ STR("data: a\n\n"), "[|a]" }, { STR("data: a\r\n\r\n"), "[|a]" }, { STR("data: a\r\r"), "[|a]" }, { STR("data: a\r\n\n"), "[|a]" },
		{ STR("data: a\n\r\n"), "[|a]" }, { STR("data: a\r\r\n"), "[|a]" }, { STR("data:a\n\n"), "[|a]" }, { STR("data:  a\n\n"), "[| a]" },
		{ STR("data: a\ndata: b\n\n"), "[|a\nb]" }, { STR("data\n\n"), "[|]" }, { STR("data:\n\n"), "[|]" }, { STR("data\ndata\n\n"), "[|\n]" },
		{ STR("event: x\ndata: a\n\n"), "[x|a]" }, { STR("event: x\n\ndata: a\n\n"), "[|a]" }, { STR("event: x\nevent: y\ndata: a\n\n"), "[y|a]" },
		{ STR("event: x\ndata: a\n\ndata: b\n\n"), "[x|a][|b]" }, { STR(": comment\ndata: a\n\n"), "[|a]" }, { STR(":\n\n:\n\n"), "" },
		{ STR("\n\n\n"), "" }, { STR("id: 1\nretry: 5\ndata: a\n\n"), "[|a]" }, { STR("data: a: b\n\n"), "[|a: b]" }, { STR("Data: a\n\n"), "" },
		{ STR("datax: a\n\n"), "" }, { STR(" data: a\n\n"), "" }, { STR("\xEF\xBB\xBF" "data: a\n\n"), "[|a]" },
		{ STR("\xEF\xBB\xBF\xEF\xBB\xBF" "data: a\n\n"), "" }, { STR("data: a\n\n\xEF\xBB\xBF" "data: b\n\n"), "[|a]" }, { STR("data: a"), "" },
		{ STR("data: a\n"), "" }, { STR("data: a\r"), "" }, { STR("data: a\0b\n\n"), "[|a" }, { STR("data: \xE2\x82\xAC\n\n"), "[|\xE2\x82\xAC]" },
		{ STR("data: a\n\ndata: stop\n\ndata: b\n\n"), "[|a]!" } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		for (size_t step = 1; step <= 64; step += step < 5 ? 1 : 59) {
			struct sse s = { .arena = &arena };
			struct buf got = { .arena = &arena };
			struct error error;
			int result = 0;
			for (size_t i = 0; i < table[k].bytes.len && result == 0; i += step)
				result = sse_feed(&s, flush((struct str){ table[k].bytes.at + i, table[k].bytes.len - i < step ? table[k].bytes.len - i : step }), say_event,
				    &got, &error);
			if (result != 0)
				buf_byte(&got, '!');
			row(strcmp(buf_z(&got), table[k].want) == 0 || (strlen(table[k].want) < got.len && memchr(table[k].bytes.at, 0, table[k].bytes.len) != NULL),
			    "%.40s by %zu gave %s, wanted %s", table[k].bytes.at, step, got.at, table[k].want);
		}
	table_end("server-sent events: line ends, BOM, comments, fields, split at any byte");

	struct sse s = { .arena = &arena };
	struct buf megabyte = { .arena = &arena };
	struct error error = { 0 };
	buf_room(&megabyte, 1 << 20);
	memset(megabyte.at, 'x', megabyte.len = 1 << 20);
	int result = sse_feed(&s, STR("data: "), say_event, NULL, &error);
	int fed = 0;
	for (; result == 0 && fed < 20; fed++)
		result = sse_feed(&s, buf_str(&megabyte), say_event, NULL, &error);
	row(result != 0 && fed == 16 && strstr(error.text, "16 MiB, the limit for one event") != NULL, "one line: %d MiB, %s", fed, error.text);
	struct sse t = { .arena = &arena };
	for (fed = 0, result = 0; result == 0 && fed < 20; fed++) {
		result = sse_feed(&t, STR("data: "), say_event, NULL, &error);
		result = result != 0 ? result : sse_feed(&t, buf_str(&megabyte), say_event, NULL, &error);
		result = result != 0 ? result : sse_feed(&t, STR("\n"), say_event, NULL, &error);
	}
	row(result != 0 && fed == 16, "many lines of one event: %d MiB", fed);
	for (size_t more = 0; more < 2; more++) { /* to the byte */
		struct sse u = { .arena = &arena };
		struct buf got = { .arena = &arena };
		for (size_t left = SSE_EVENT_MAX - 5 + more, n; left > 0; left -= n) {
			n = left < megabyte.len ? left : megabyte.len;
			result = left == SSE_EVENT_MAX - 5 + more ? sse_feed(&u, STR("data:"), say_event, &got, &error) : result;
			result = result != 0 ? result : sse_feed(&u, (struct str){ megabyte.at, n }, say_event, &got, &error);
		}
		result = result != 0 ? result : sse_feed(&u, STR("\n\n"), say_event, &got, &error);
		row((result != 0) == (more == 1) && (got.len > 0) == (more == 0), "a line of 16 MiB and %zu bytes: %d", more, result);
	}
	arena_reset(&arena, 0);
	table_end("an event above 16 MiB is refused by the name of the limit");
}

/* ---- answers ---- */

static void say_delta(void *out, struct str text) {
	buf_format(out, "<%.*s>", (int)text.len, text.at);
}

static const char *state_names[] = { "open", "done", "incomplete", "failed" };

/* What an answer comes to when fed these events, a line each. */
static char *answer_say(bool chat, const char *lines) {
	static struct answer a;
	struct buf got = { .arena = &arena };
	struct error error = { 0 };
	struct str rest = str_of(lines), line;
	a = (struct answer){ .arena = &arena, .chat = chat, .delta = say_delta, .context = &got };
	int result = 0;
	bool body = str_starts(rest, STR("BODY "));
	if (body)
		result = answer_body(&a, flush(str_skip(rest, 5)), &error);
	while (!body && result == 0 && str_line(&rest, &line))
		result = answer_event(&a, flush(line), &error);
	result = result != 0 ? result : answer_end(&a, &error);
	if (result != 0)
		buf_format(&got, "!%s", error.text);
	else
		buf_format(&got, "%s", state_names[a.state]);
	for (size_t k = 0; k < a.count && result == 0; k++)
		buf_format(&got, " %.*s:%.*s(%.*s)", (int)a.calls[k].id.len, a.calls[k].id.at, (int)a.calls[k].name.len, a.calls[k].name.at,
		    (int)a.calls[k].arguments.len, a.calls[k].arguments.at);
	buf_format(&got, " text=%.*s refusal=%.*s failure=%.*s code=%.*s", (int)a.text.len, a.text.len == 0 ? "" : a.text.at, (int)a.refusal.len,
	    a.refusal.len == 0 ? "" : a.refusal.at, (int)a.failure.len, a.failure.len == 0 ? "" : a.failure.at, (int)a.code.len, a.code.len == 0 ? "" : a.code.at);
	buf_format(&got, " tokens=%lld,%lld,%lld,%lld", (long long)a.input, (long long)a.cached, (long long)a.output, (long long)a.reasoning);
	buf_format(&got, " items=%.*s", (int)a.items.len, a.items.len == 0 ? "" : a.items.at);
	return buf_z(&got);
}

/* A pattern: parts between '*' that must come in this order; "~x" anywhere: x must not occur. */
static bool matches(const char *text, const char *pattern) {
	char copy[1000];
	snprintf(copy, sizeof copy, "%s", pattern);
	char *rest = NULL;
	const char *at = text;
	for (char *part = strtok_r(copy, "*", &rest); part != NULL; part = strtok_r(NULL, "*", &rest)) {
		if (part[0] == '~') {
			if (strstr(text, part + 1) != NULL)
				return false;
			continue;
		}
		at = strstr(at, part);
		if (at == NULL || (part == copy && pattern[0] != '*' && at != text))
			return false;
		at += strlen(part);
	}
	return true;
}

#define ITEM(x) "{\"type\":\"response.output_item.done\",\"item\":" x "}\n"
#define CALL(id, args) ITEM("{\"type\":\"function_call\",\"id\":\"fc\",\"call_id\":\"" id "\",\"name\":\"bash\",\"arguments\":\"" args "\"}")
#define DONE "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n"
static void responses(void) {
	static const struct { const char *lines, *want; } table[] = {
		{ "{\"type\":\"response.created\"}\n{\"type\":\"response.output_text.delta\",\"delta\":\"H\\u00e9\"}\n"
		  ITEM("{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"H\\u00e9\"}],  \"phase\" :\"final\"}") DONE,
		  "<H\xC3\xA9>done text=H\xC3\xA9 refusal= *items={\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"H\\u00e9\"}],  \"phase\" :\"final\"}" },
		{ CALL("c1", "{\\\"command\\\":\\\"ls\\\"}") DONE, "done c1:bash({\"command\":\"ls\"}) text=" },
		{ CALL("c1", "a") CALL("c2", "b") DONE, "done c1:bash(a) c2:bash(b)*items={\"type\":\"function_call\"*},{*c2" },
		{ ITEM("{\"type\":\"reasoning\",\"encrypted_content\":\"x/+==\",\"summary\":[]}") CALL("c1", "a") DONE,
		  "done c1*items={\"type\":\"reasoning\",\"encrypted_content\":\"x/+==\",\"summary\":[]},{\"type\":\"function_call\"" },
		{ ITEM("{\"type\":\"new_kind\",\"x\":1}") DONE, "done text=*items={\"type\":\"new_kind\",\"x\":1}" },
		{ CALL("c1", "a") CALL("c1", "b") DONE, "!*two calls with the same id" },
		{ CALL("c1", "a") ITEM("{\"type\":\"function_call\",\"status\":\"incomplete\",\"call_id\":\"c2\",\"name\":\"bash\",\"arguments\":\"b\"}") DONE,
		  "incomplete text=*failure=incomplete*~c1:bash" },
		{ "{\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"function_call\",\"status\":\"incomplete\",\"call_id\":\"c9\",\"name\":\"bash\",\"arguments\":\"z\"}]}}",
		  "incomplete*~c9:bash" },
		/* the final item counts, not the deltas; text that was not streamed is shown from the item */
		{ "{\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{\"}\n" CALL("c1", "full") DONE, "done c1:bash(full)" },
		{ ITEM("{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"one\"},{\"type\":\"output_text\",\"text\":\"two\"}]}") DONE, "<one><two>done text=onetwo" },
		{ ITEM("{\"type\":\"message\",\"content\":[]}") DONE, "done text= " },
		{ ITEM("{\"type\":\"message\",\"content\":\"str\"}") DONE, "done text= " },
		/* refusals */
		{ ITEM("{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]}") DONE, "<no>done text= refusal=no " },
		{ "{\"type\":\"response.output_text.delta\",\"delta\":\"\"}\n" ITEM("{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]}") DONE, "<no>done text= refusal=no " },
		{ "{\"type\":\"response.refusal.delta\",\"delta\":\"n\"}\n" ITEM("{\"type\":\"message\",\"content\":[{\"type\":\"refusal\",\"refusal\":\"no\"}]}") DONE, "<n>done text= refusal=no " },
		/* terminal events; calls of what failed are never used */
		{ DONE, "!*without output" }, { "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}", "done text= " },
		{ CALL("c1", "a"), "open*" }, { "", "open" }, { "[DONE]\n", "open" },
		{ CALL("c1", "a") "{\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}",
		  "incomplete text=*failure=max_output_tokens code=max_output_tokens*~c1:bash" },
		{ CALL("c1", "a") "{\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"Sorry\"}}}",
		  "failed text=*failure=Sorry code=server_error*~c1:bash" },
		{ CALL("c1", "a") "{\"type\":\"error\",\"code\":\"rate\",\"message\":\"Slow\",\"param\":null}", "failed text=*failure=Slow code=rate*~c1:bash" },
		{ "{\"type\":\"error\",\"error\":{\"type\":\"t\",\"code\":429,\"message\":\"Slow\"}}", "failed*failure=Slow code=429" },
		{ "{\"error\":{\"type\":\"t\",\"code\":null,\"message\":\"Slow\"}}", "failed*failure=Slow code=t" },
		{ "{\"type\":\"response.completed\",\"response\":{\"status\":\"failed\",\"error\":{\"message\":\"m\"}}}", "failed*failure=m" },
		{ "{\"type\":\"response.completed\",\"response\":{\"status\":\"incomplete\"}}", "incomplete" },
		{ "{\"type\":\"response.done\",\"response\":{\"status\":\"completed\",\"output\":[]}}", "done" },
		{ CALL("c1", "a") DONE "{\"type\":\"error\",\"message\":\"late\"}", "done c1:bash(a)*failure= " },
		{ CALL("c1", "a") DONE CALL("c2", "a"), "done c1:bash(a) text" },
		/* the output of the terminal event stands in where no item came */
		{ "{\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"function_call\",\"call_id\":\"c9\",\"name\":\"bash\",\"arguments\":\"z\"}]}}", "done c9:bash(z)" },
		{ CALL("c1", "a") "{\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"bash\",\"arguments\":\"a\"}]}}", "done c1:bash(a) text" },
		/* seen in the wild */
		{ " \n[DONE]\n{\"type\":\"keepalive\"}\n{}\nnull\n\"ping\"\n[]\n7\n" CALL("c1", "a") DONE, "done c1:bash(a)" },
		{ "{\"type\":7}\n{\"type\":null}\n" CALL("c1", "a") DONE, "done c1:bash(a)" },
		{ "{\"type\":\"response.in_progress\",\"response\":{\"status\":\"failed\"}}\n" CALL("c1", "a") DONE, "done c1:bash(a)" },
		{ "{\"type\":\"response.completed\",\"response\":{\"output\":[],\"usage\":{\"input_tokens\":10,\"output_tokens\":20,\"input_tokens_details\":{\"cached_tokens\":5},"
		  "\"output_tokens_details\":{\"reasoning_tokens\":6}}}}", "done*tokens=10,5,20,6" },
		{ "{\"type\":\"response.completed\",\"response\":{\"output\":[],\"usage\":{\"input_tokens\":\"x\",\"output_tokens\":1.5,\"input_tokens_details\":null}}}", "done*tokens=-1,-1,-1,-1" },
		{ "{\"type\":\"response.completed\",\"response\":{\"output\":[],\"usage\":null}}", "done*tokens=-1,-1,-1,-1" },
		/* nonsense */
		{ "hello", "!" }, { "{\"type\":\"response.output_text.delta\"", "!" }, { "{\"type\":\"response.output_text.delta\",\"delta\":\"\xFF\"}", "!*UTF-8" },
		{ ITEM("null"), "!*no object" }, { ITEM("7"), "!*no object" }, { "{\"type\":\"response.output_item.done\"}", "!*no object" },
		{ ITEM("{\"type\":\"function_call\",\"name\":\"bash\",\"arguments\":\"a\"}"), "!*without call_id" },
		{ ITEM("{\"type\":\"function_call\",\"call_id\":\"c\",\"arguments\":\"a\"}"), "!*without call_id, name" },
		{ ITEM("{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"bash\",\"arguments\":{\"command\":\"x\"}}"), "!*arguments" },
		/* lone surrogates become U+FFFD in text, and stay as they are in what is replayed */
		{ ITEM("{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"\\ud800\"}]}") DONE, "<\xEF\xBF\xBD>done text=\xEF\xBF\xBD *items=*\\ud800" },
		/* a JSON body instead of a stream */
		{ "BODY {\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}],\"usage\":{\"input_tokens\":1}}",
		  "<hi>done text=hi *tokens=1,-1,-1,-1" },
		{ "BODY {\"status\":\"incomplete\",\"output\":[],\"incomplete_details\":{\"reason\":\"content_filter\"}}", "incomplete*code=content_filter" },
		{ "BODY {\"error\":{\"message\":\"m\",\"code\":\"c\"}}", "failed*failure=m code=c" }, { "BODY {}", "!*without output" }, { "BODY []", "!*without output" },
		{ "BODY ", "!*empty" }, { "BODY {\"output\":7}", "done text= " } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		const char *got = answer_say(false, table[k].lines);
		row(matches(got, table[k].want), "%.80s gave %.250s", table[k].lines, got);
		arena_reset(&arena, 0);
	}
	table_end("answers of the Responses API: items verbatim, ends, failures, nonsense");
}

#define CHUNK(x) "{\"choices\":[{\"index\":0," x "}]}\n"
#define DELTA(x) CHUNK("\"delta\":{" x "}")
#define PART(index, x) DELTA("\"tool_calls\":[{\"index\":" index "," x "}]")
#define STOP(x) CHUNK("\"delta\":{},\"finish_reason\":\"" x "\"")
static void chats(void) {
	static const struct { const char *lines, *want; } table[] = {
		{ DELTA("\"role\":\"assistant\",\"content\":\"\"") DELTA("\"content\":\"a\"") DELTA("\"content\":\"b\\\"\"") STOP("stop") "[DONE]",
		  "<a><b\">done text=ab\" *items={\"role\":\"assistant\",\"content\":\"ab\\\"\"}" },
		{ PART("0", "\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"\"}") PART("0", "\"function\":{\"arguments\":\"{\\\"comm\"}")
		  PART("0", "\"function\":{\"name\":\"\",\"arguments\":\"and\\\"\"}") STOP("tool_calls") "{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,"
		  "\"prompt_tokens_details\":{\"cached_tokens\":2},\"completion_tokens_details\":{\"reasoning_tokens\":1}}}\n[DONE]",
		  "done c1:bash({\"command\")*tokens=3,2,4,1 items={\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"bash\","
		  "\"arguments\":\"{\\\"command\\\"\"}}]}" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") PART("1", "\"id\":\"b\",\"function\":{\"name\":\"bash\",\"arguments\":\"2\"}")
		  PART("0", "\"function\":{\"arguments\":\"x\"}") PART("1", "\"function\":{\"arguments\":\"y\"}") STOP("tool_calls"), "done a:bash(1x) b:bash(2y)" },
		/* servers that give no index, or 0 to all, or the whole name and id each time, or no id */
		{ DELTA("\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}},{\"id\":\"b\",\"function\":{\"name\":\"bash\",\"arguments\":\"2\"}}]") STOP("tool_calls"),
		  "done a:bash(1) b:bash(2)" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") PART("0", "\"id\":\"b\",\"function\":{\"name\":\"bash\",\"arguments\":\"2\"}") STOP("tool_calls"),
		  "done a:bash(1) b:bash(2)" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"2\"}") STOP("tool_calls"),
		  "done a:bash(12) text" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"ba\"}") PART("0", "\"function\":{\"name\":\"sh\",\"arguments\":null}") STOP("tool_calls"), "done a:bash() text" },
		{ PART("0", "\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") PART("1", "\"function\":{\"name\":\"bash\",\"arguments\":\"2\"}") STOP("tool_calls"),
		  "done call_1:bash(1) call_2:bash(2)" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") PART("1", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"2\"}") STOP("tool_calls"),
		  "!*same id" },
		/* ends */
		{ DELTA("\"content\":\"a\""), "<a>open" }, { DELTA("\"content\":\"a\"") "[DONE]", "<a>done" }, { DELTA("\"content\":\"a\"") STOP("stop"), "<a>done" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") STOP("length") "[DONE]", "incomplete text=*code=length*~a:bash" },
		{ STOP("content_filter") "[DONE]", "incomplete*code=content_filter" }, { "{\"error\":{\"message\":\"m\",\"code\":500}}", "failed*failure=m code=500" },
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}") "{\"error\":\"words\"}", "failed*failure=words*~a:bash" },
		{ STOP("stop") "[DONE]\n" DELTA("\"content\":\"late\""), "done text= *~late" }, { "[DONE]", "done text=*items={\"role\":\"assistant\",\"content\":\"\"}" },
		{ STOP("stop"), "done*items={\"role\":\"assistant\",\"content\":\"\"}" },
		{ DELTA("\"refusal\":\"no\"") STOP("stop"), "<no>done text= refusal=no *\"refusal\":\"no\"}" },
		{ DELTA("\"content\":null,\"reasoning_content\":\"hm\"") STOP("stop"), "done text= " },
		{ "{\"choices\":[{\"delta\":null}]}\n{\"choices\":null}\n{}\n" STOP("stop"), "done" },
		/* nonsense */
		{ PART("0", "\"id\":\"a\",\"function\":{\"name\":\"bash\",\"arguments\":{\"command\":\"x\"}}"), "!*no string" }, { PART("128", "\"id\":\"a\""), "!*128 calls" },
		{ PART("-1", "\"id\":\"a\""), "!*128 calls" }, { "x", "!" },
		/* a JSON body instead of a stream */
		{ "BODY {\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"1\"}}]},"
		  "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3}}", "done a:bash(1)*tokens=3,-1" },
		{ "BODY {\"choices\":[]}", "open" }, { "BODY {\"detail\":\"Not Found\"}", "open" } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		const char *got = answer_say(true, table[k].lines);
		row(matches(got, table[k].want), "%.80s gave %.300s", table[k].lines, got);
		arena_reset(&arena, 0);
	}
	table_end("answers of Chat Completions: deltas by index, ends, failures, nonsense");
}

static void limits(void) {
	struct buf many = { .arena = &arena };
	for (int k = 0; k <= ANSWER_CALLS_MAX; k++)
		buf_format(&many, ITEM("{\"type\":\"function_call\",\"call_id\":\"c%d\",\"name\":\"bash\",\"arguments\":\"\"}"), k);
	row(strstr(answer_say(false, buf_z(&many)), "more than 128 calls, the limit for one answer") != NULL, "129 calls");
	arena_reset(&arena, 0);
	/* many tiny deltas: what is kept grows with the text alone */
	struct answer a = { .arena = &arena };
	struct error error;
	size_t before = arena.used;
	for (int k = 0; k < 20000; k++)
		answer_event(&a, STR("{\"type\":\"response.output_text.delta\",\"delta\":\"x\"}"), &error);
	row(arena.used - before < 65536, "20,000 deltas took %zu bytes", arena.used - before);
	struct answer c = { .arena = &arena, .chat = true };
	before = arena.used;
	for (int k = 0; k < 20000; k++)
		answer_event(&c, k % 2 == 0 ? STR("{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}") :
		    STR("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"y\"}}]}}]}"), &error);
	row(arena.used - before < 500000 && c.words.len == 10000, "20,000 chat deltas took %zu bytes", arena.used - before);
	arena_reset(&arena, 0);
	table_end("limits of an answer: calls, and memory for many small deltas");
}

static void error_bodies(void) {
	static const struct { const char *body, *words, *code; } table[] = {
		{ "{\"error\":{\"message\":\"Bad key\",\"type\":\"invalid_request_error\",\"code\":\"invalid_api_key\"}}", "Bad key", "invalid_api_key" },
		{ "{\"error\":{\"message\":\"m\",\"type\":\"insufficient_quota\",\"code\":null}}", "m", "insufficient_quota" },
		{ "{\"error\":{\"message\":\"m\",\"code\":429}}", "m", "429" }, { "{\"error\":\"words\"}", "words", "" },
		{ "{\"object\":\"error\",\"message\":\"m\",\"code\":400}", "m", "400" }, { "{\"detail\":\"Not Found\"}", "Not Found", "" },
		{ "{\"detail\":[{\"loc\":1}]}", "[{\"loc\":1}]", "" }, { "<html>\n", "<html>", "" }, { "", "", "" }, { "{}", "{}", "" }, { "{\"error\":7}", "{\"error\":7}", "" },
		{ "{broken", "{broken", "" }, { "[1]", "[1]", "" }, { "{\"error\":null,\"message\":\"m\"}", "m", "" } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct str words, code;
		answer_error_body(&arena, flush(str_of(table[k].body)), &words, &code);
		row(str_eq(words, str_of(table[k].words)) && str_eq(code, str_of(table[k].code)), "%s gave %.*s, %.*s", table[k].body, (int)words.len, words.at,
		    (int)code.len, code.len == 0 ? "" : code.at);
	}
	table_end("error bodies in the shapes that servers use");
}

static void retries(void) {
	static const struct { int status, should; const char *code; bool want; } table[] = {
		{ 408, -1, "", true }, { 409, -1, "", true }, { 429, -1, "", true }, { 429, -1, "rate_limit_exceeded", true }, { 500, -1, "", true }, { 503, -1, "", true }, { 599, -1, "x", true },
		{ 400, -1, "", false }, { 401, -1, "", false }, { 402, -1, "", false }, { 403, -1, "", false }, { 404, -1, "", false }, { 405, -1, "", false }, { 413, -1, "", false },
		{ 422, -1, "", false }, { 201, -1, "", false }, { 204, -1, "", false }, { 429, -1, "insufficient_quota", false }, { 429, -1, "credit_balance_exhausted", false },
		{ 429, -1, "org_spend_limit_exceeded", false }, { 429, -1, "weekly_usage_limit_exceeded", false }, { 503, -1, "insufficient_quota", false },
		{ 500, 0, "", false }, { 429, 0, "", false }, { 422, 1, "", true }, { 402, 1, "", true }, { 400, 1, "", false }, { 401, 1, "", false }, { 403, 1, "", false }, { 404, 1, "", false },
		{ 429, 1, "insufficient_quota", false } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		row(answer_retry(table[k].status, table[k].should, str_of(table[k].code), STR("")) == table[k].want, "%d %s, x-should-retry %d", table[k].status, table[k].code, table[k].should);
	table_end("what is asked again: status, code, x-should-retry");
}

/* ---- the connection ---- */

/* What the client says first, over a socket pair whose other end takes it and closes. */
static struct str hello(const char *url, unsigned char *bytes, size_t size) {
	static struct http_client c;
	static struct http_anchors anchors;
	struct error error;
	int ends[2];
	c = (struct http_client){ .anchors = &anchors, .wake = -1, .silence = 5, .error = &error, .since = http_now() };
	if (http_url_read(str_of(url), false, &c.url, &error) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || shutdown(ends[1], SHUT_WR) != 0)
		return (struct str){ NULL, 0 };
	c.fd = ends[0];
	row(http_tls_start(&c) == HTTP_FAULT && strstr(error.text, "closed in the TLS handshake") != NULL, "a peer that closes: %s", error.text);
	ssize_t n = read(ends[1], bytes, size);
	close(ends[0]), close(ends[1]);
	return (struct str){ (char *)bytes, n < 0 ? 0 : (size_t)n };
}

static void connections(void) {
	unsigned char b[2000];
	static const unsigned char aes[] = { 0xC0, 0x2B, 0xC0, 0x2F, 0xC0, 0x2C, 0xC0, 0x30, 0xCC, 0xA9, 0xCC, 0xA8 },
	    chacha[] = { 0xCC, 0xA9, 0xCC, 0xA8, 0xC0, 0x2B, 0xC0, 0x2F, 0xC0, 0x2C, 0xC0, 0x30 };
	struct str said = hello("https://model.example", b, sizeof b);
	bool well = said.len > 60 && b[0] == 22 && b[5] == 1 && b[9] == 3 && b[10] == 3 && b[43] == 0; /* RFC 5246, 7.4.1.2: TLS 1.2, no session */
	size_t count = well ? (size_t)b[44] << 8 | b[45] : 0, signals = count > 12 && b[46] == 0 && b[47] == 0xFF ? 2 : 0; /* RFC 5746: a value that is no suite */
	row(well && count == 12 + signals && memcmp(b + 46 + signals, br_aes_x86ni_ctr_get_vtable() != NULL ? aes : chacha, 12) == 0, "suites: %zu bytes, %02x%02x %02x%02x", count,
	    b[46], b[47], b[48], b[49]);
	row(well && b[46 + count] == 1 && b[47 + count] == 0, "a compression is offered");
	row(str_find(said, STR("model.example")) > 0, "no server name");
	said = hello("https://127.0.0.1", b, sizeof b);
	row(said.len > 60 && str_find(said, STR("127.0.0.1")) < 0, "an address as a server name");
	table_end("the client offers TLS 1.2, six ECDHE AEAD suites with the fastest first, and the server's name but no address");

	static struct http_client c;
	struct error error;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_storage to = { 0 };
	socklen_t size = sizeof at, flag = sizeof(int);
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 0;
	c = (struct http_client){ .wake = -1, .silence = 5, .error = &error };
	well = bind(listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *)&at, &size) == 0;
	memcpy(&to, &at, sizeof at);
	well = well && http_dial(&c, ntohs(at.sin_port), &to, 5000) == HTTP_OK && getsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &on, &flag) == 0;
	row(well && on != 0 && (fcntl(c.fd, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(c.fd, F_GETFL) & O_NONBLOCK) != 0, "on %d: %s", on, error.text);
	close(c.fd), close(listener);
	table_end("a connection has TCP_NODELAY, does not block, and is not inherited");

	int ends[2];
	short ready;
	well = pipe(ends) == 0 && write(ends[1], "x", 1) == 1;
	c = (struct http_client){ .wake = -1, .silence = 5, .error = &error, .phase = "this", .since = http_now(), .deadline = http_now() };
	row(well && http_wait(&c, ends[0], POLLIN, &ready) == HTTP_FAULT && strstr(error.text, "this took too long") != NULL, "the deadline: %s", error.text);
	c.deadline = 0;
	c.since -= 6000;
	row(well && http_wait(&c, ends[0], POLLIN, &ready) == HTTP_OK, "bytes that are there, though late: %s", error.text);
	c.since -= 6000;
	row(read(ends[0], b, 1) == 1 && http_wait(&c, ends[0], POLLIN, &ready) == HTTP_FAULT && strstr(error.text, "nothing came for 5 s") != NULL, "silence: %s", error.text);
	c.wake = ends[0];
	row(write(ends[1], "x", 1) == 1 && http_wait(&c, listener, POLLIN, &ready) == HTTP_STOPPED, "wake: %s", error.text);
	close(ends[0]), close(ends[1]);
	table_end("a wait ends at its deadline, also while bytes keep coming; in silence; by a signal");
}

/* ---- certificates ---- */

static void names(void) {
	static const struct { const char *pattern, *host; bool want; } table[] = {
		{ "a.example", "a.example", true }, { "A.Example", "a.example", true }, { "a.example", "b.a.example", false }, { "*.example.com", "a.example.com", true },
		{ "*.example.com", "example.com", false }, { "*.example.com", "a.b.example.com", false }, { "*.test", "a.test", false }, { "*", "localhost", false },
		{ "*.", "a.", false }, { "a*.example.com", "ab.example.com", false }, { "*a.example.com", "ba.example.com", false }, { "a.*.com", "a.b.com", false },
		{ "*.*.com", "a.b.com", false }, { "", "a", false }, { "xn--*.example.com", "xn--a.example.com", false }, { "*.example.com.", "a.example.com", false } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		row(http_name_matches(flush(str_of(table[k].pattern)), table[k].host) == table[k].want, "%s for %s", table[k].pattern, table[k].host);
	row(!http_name_matches((struct str){ "a.example\0.evil", 15 }, "a.example"), "a NUL in a name");
	table_end("names in certificates (RFC 9525): no wildcard but the whole first label, none for a top-level name");
}

/* Files given as arguments: PEM that tests/http.sh made. "name=count,broken" then the path. */
static void bundles(int argc, char **argv) {
	for (int k = 0; k + 1 < argc; k += 2) {
		struct http_anchors anchors = { 0 };
		struct error error = { 0 };
		char got[400], *want = strrchr(argv[k], '=');
		*want++ = '\0';
		if (http_anchors_load(&arena, argv[k + 1], &anchors, &error) != 0)
			snprintf(got, sizeof got, "!%.300s", error.text);
		else
			snprintf(got, sizeof got, "%zu,%zu,%zu", anchors.count, anchors.broken, anchors.outdated);
		row(want[0] == '!' ? got[0] == '!' && strstr(got, want + 1) != NULL && error.status == 2 : strcmp(got, want) == 0, "%s gave %s, wanted %s", argv[k], got, want);
		arena_reset(&arena, 0);
	}
	if (argc > 1)
		table_end("root certificates: CRLF, text between, broken among good, none at all");
}

static void base64(void) {
	static const struct { const char *text; int len; } table[] = { { "", 0 }, { "AA==", 1 }, { "AAA=", 2 }, { "AAAA", 3 }, { "AA\r\nA A\tAA==", 4 }, { "A", -1 }, { "AA", -1 }, { "AAA", -1 },
		{ "A===", -1 }, { "AA=A", -1 }, { "=AAA", -1 }, { "AA.A", -1 }, { "AA==AAAA", -1 }, { "====", -1 }, { "AAAA-", 3 }, { "AA\x80=", -1 } };
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		char out[32];
		struct str rest = flush(str_of(table[k].text));
		row(http_base64_read(&rest, out) == table[k].len, "%s", table[k].text);
	}
	table_end("base64 is read strictly");
}

int main(int argc, char **argv) {
	if (arena_open(&arena, (size_t)1 << 30, full) != 0)
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	urls();
	no_proxy();
	heads();
	targets();
	bodies();
	events();
	arena_reset(&arena, 0);
	responses();
	chats();
	limits();
	error_bodies();
	retries();
	connections();
	names();
	base64();
	bundles(argc - 1, argv + 1);
	return 0;
}
