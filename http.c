/* http.c - the model's wire: URLs and NO_PROXY, certificates, sockets and TLS over BearSSL, HTTP/1.1, server-sent events, and
 * the model's answer in both protocols (Responses, Chat Completions).
 *
 * Every byte from the network is hostile until parsed. The parsers (http_url_read, http_no_proxy, http_anchors_read,
 * http_certificate_read, http_head_parse, http_frame, sse_feed, answer_event) are functions over bytes and do no input or output. Every
 * wait has a limit, and ends at once when the descriptor `wake` becomes readable. No globals; errors have status 4 unless said. */
#ifndef HSA_HTTP_C
#define HSA_HTTP_C
#include "json.c"
#include <arpa/inet.h>
#include <bearssl.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HTTP_HEAD_MAX ((size_t)64 << 10)   /* bytes of one response head; of all trailers of one body */
#define HTTP_ANSWER_MAX ((size_t)64 << 20) /* bytes of one body */
#define SSE_LINE_MAX ((size_t)16 << 20)    /* bytes of one line, and of the data, of an event */
#define ANSWER_CALLS_MAX 128               /* calls in one answer */
#define HTTP_INTERIM_MAX 32                /* 1xx heads before one answer */
#define HTTP_ADDRESSES_MAX 16              /* addresses of one name that are tried */
#define HTTP_PEM_MAX ((size_t)16 << 20)    /* bytes of a bundle of roots */
#define HTTP_CERT_MAX ((size_t)32 << 10)   /* bytes of one certificate of a server */
#define HTTP_CONNECT_MS 10000              /* for each address; 4 s while there are more */
#define HTTP_SETUP_MS 30000                /* name lookup; proxy and TLS handshake together */
#define HTTP_FAIL(result, ...) (error_set(error, 4, __VA_ARGS__), (result))

/* ---- 1. URLs and NO_PROXY (RFC 3986) ----------------------------------------------------------------------- */

/* literal: the host is an IP address, without brackets. path: without its last '/'. user: "name:password", decoded; proxies only. */
struct http_url {
	bool tls, literal;
	char host[256];
	unsigned port;
	char path[1024];
	char user[512];
};

/* The bytes of an IP address in text: 4 or 16 of them, or 0 if it is none. */
static size_t http_address(struct str text, unsigned char bytes[16]) {
	char z[64];
	if (text.len == 0 || text.len >= sizeof z)
		return 0;
	memcpy(z, text.at, text.len);
	z[text.len] = '\0';
	return inet_pton(AF_INET, z, bytes) == 1 ? 4 : inet_pton(AF_INET6, z, bytes) == 1 ? 16 : 0;
}

/* A decimal number of digits only, or -1 for anything else and for what is above max. */
static int64_t http_decimal(struct str s, int64_t max) {
	int64_t n = s.len == 0 ? -1 : 0;
	for (size_t i = 0; i < s.len; i++) {
		int digit = s.at[i] - '0';
		if (digit < 0 || digit > 9 || n > (max - digit) / 10)
			return -1;
		n = n * 10 + digit;
	}
	return n;
}

static bool http_same(struct str s, const char *z) {
	return s.len == strlen(z) && strncasecmp(s.at == NULL ? "" : s.at, z, s.len) == 0;
}

static struct str http_trim(struct str s) {
	while (s.len > 0 && strchr(" \t\r\n", s.at[0]) != NULL && s.at[0] != '\0')
		s = str_skip(s, 1);
	while (s.len > 0 && strchr(" \t\r\n", s.at[s.len - 1]) != NULL && s.at[s.len - 1] != '\0')
		s.len--;
	return s;
}

/* "name:password" with its %XX decoded; NULL or what is wrong. */
static const char *http_url_user(struct str s, char *out, size_t size) {
	size_t n = 0;
	for (size_t i = 0; i < s.len; i++) {
		int c = (unsigned char)s.at[i];
		if (c == '%') {
			char hex[5] = { '0', '0', i + 2 < s.len ? s.at[i + 1] : 'x', i + 2 < s.len ? s.at[i + 2] : 'x', 0 };
			c = json_hex(hex);
			i += 2;
		}
		if (c < 0x20 || c == 0x7F || n + 1 >= size)
			return "holds a user name or password that is malformed or too long";
		out[n++] = (char)c;
	}
	out[n] = '\0';
	return NULL;
}

/* The host of an authority: a name (lower case, no last dot) or an address. NULL or what is wrong. */
static const char *http_url_host(struct str host, bool bracketed, struct http_url *url) {
	unsigned char address[16];
	if (!bracketed && host.len > 0 && host.at[host.len - 1] == '.')
		host.len--;
	if (host.len == 0 || host.len >= sizeof url->host - 2)
		return host.len == 0 ? "has no host" : "has a host that is too long";
	for (size_t i = 0; i < host.len; i++)
		url->host[i] = host.at[i] >= 'A' && host.at[i] <= 'Z' ? (char)(host.at[i] + 32) : host.at[i];
	url->host[host.len] = '\0';
	size_t bytes = http_address(host, address);
	url->literal = bytes > 0;
	if (bytes > 0 || bracketed)
		return bracketed == (bytes == 16) ? NULL : "has a malformed IPv6 address (it belongs in brackets)";
	size_t label = 0;
	bool digits = true;
	for (size_t i = 0; i <= host.len; i++) {
		char c = url->host[i];
		if (c == '.' || c == '\0') {
			if (label == 0 || label > 63 || (c == '\0' && digits))
				return "has a malformed host";
			label = 0;
			digits = true;
			continue;
		}
		label++;
		digits = digits && c >= '0' && c <= '9';
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
			return "has a malformed host";
	}
	return NULL;
}

/* NULL or what is wrong with the URL. */
static const char *http_url_parts(struct str s, bool proxy, struct http_url *url) {
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.at[i] <= 0x20 || (unsigned char)s.at[i] >= 0x7F || strchr("\\\"<>", s.at[i]) != NULL)
			return "holds a space or a byte that no URL has";
	ptrdiff_t colon = str_find(s, STR("://"));
	struct str scheme = { s.at, colon < 0 ? 0 : (size_t)colon };
	url->tls = http_same(scheme, "https");
	if (proxy && colon >= 0 && !http_same(scheme, "http"))
		return "must begin with http:// (proxies reached by TLS or SOCKS are not supported)";
	if (!proxy && !url->tls && !http_same(scheme, "http"))
		return "must begin with https:// or http://";
	s = str_skip(s, colon < 0 ? 0 : (size_t)colon + 3);
	size_t end = 0, at = 0, host = 0;
	for (; end < s.len && strchr("/?#", s.at[end]) == NULL; end++)
		at = s.at[end] == '@' ? end + 1 : at;
	struct str path = str_skip(s, end), authority = { s.at + at, end - at };
	if (memchr(path.at, '?', path.len) != NULL || memchr(path.at, '#', path.len) != NULL)
		return "holds a '?' or '#', to which no path can be added";
	if (at > 0 && !proxy)
		return "holds a user name, which is not supported: the key is taken from OPENAI_API_KEY";
	const char *wrong = at > 0 ? http_url_user((struct str){ s.at, at - 1 }, url->user, sizeof url->user) : NULL;
	if (wrong != NULL)
		return wrong;
	bool bracketed = authority.len > 0 && authority.at[0] == '[';
	while (host < authority.len && authority.at[host] != (bracketed ? ']' : ':'))
		host++;
	struct str port = str_skip(authority, host < authority.len && bracketed ? host + 1 : host);
	if (bracketed && host == authority.len)
		return "has an IPv6 address without its closing bracket";
	wrong = http_url_host((struct str){ authority.at + bracketed, host - bracketed }, bracketed, url);
	if (wrong != NULL)
		return wrong;
	int64_t number = port.len <= 1 ? (url->tls ? 443 : 80) : http_decimal(str_skip(port, 1), 65535);
	if (number <= 0 || (port.len > 0 && port.at[0] != ':'))
		return "has a port that is not a number from 1 to 65535";
	url->port = (unsigned)number;
	while (path.len > 0 && path.at[path.len - 1] == '/')
		path.len--;
	if (path.len >= sizeof url->path)
		return "has a path that is too long";
	if (path.len > 0)
		memcpy(url->path, path.at, path.len);
	return NULL;
}

/* Reads a base URL, or a proxy's (whose "http://" may be missing). 0, or -1 with status 2; credentials are never in the words. */
static int http_url_read(struct str text, bool proxy, struct http_url *url, struct error *error) {
	memset(url, 0, sizeof *url);
	const char *wrong = http_url_parts(text, proxy, url);
	return wrong == NULL ? 0 : error_set(error, 2, "the %s URL %s", proxy ? "proxy's" : "base", wrong);
}

/* Whether one entry of NO_PROXY means host: "*", a name and all below it, an address, a network ("10.0.0.0/8"), each with ":port" or not. */
static bool http_no_proxy_entry(struct str entry, struct str host, unsigned port) {
	unsigned char have[16], want[16];
	size_t bytes = http_address(host, have), colons = 0, last = 0;
	for (size_t i = 0; i < entry.len; i++)
		if (entry.at[i] == ':') {
			colons++;
			last = i;
		}
	if (colons == 1 || (colons > 1 && entry.at[0] == '[' && entry.at[last - 1] == ']')) {
		if (http_decimal(str_skip(entry, last + 1), 65535) != (int64_t)port)
			return false;
		entry.len = last;
	}
	if (entry.len > 1 && entry.at[0] == '[' && entry.at[entry.len - 1] == ']')
		entry = (struct str){ entry.at + 1, entry.len - 2 };
	if (http_same(entry, "*"))
		return true;
	if (bytes > 0) {
		const char *slash = memchr(entry.at, '/', entry.len);
		struct str address = { entry.at, slash == NULL ? entry.len : (size_t)(slash - entry.at) };
		int64_t bits = slash == NULL ? (int64_t)bytes * 8 : http_decimal(str_skip(entry, address.len + 1), (int64_t)bytes * 8);
		if (http_address(address, want) != bytes || bits < 0)
			return false;
		size_t whole = (size_t)bits / 8, rest = (size_t)bits % 8;
		return memcmp(have, want, whole) == 0 && (rest == 0 || ((have[whole] ^ want[whole]) >> (8 - rest)) == 0);
	}
	while (entry.len > 0 && (entry.at[0] == '.' || entry.at[0] == '*'))
		entry = str_skip(entry, 1);
	if (entry.len > 0 && entry.at[entry.len - 1] == '.')
		entry.len--;
	if (entry.len == 0 || host.len < entry.len || strncasecmp(host.at + host.len - entry.len, entry.at, entry.len) != 0)
		return false;
	return host.len == entry.len || host.at[host.len - entry.len - 1] == '.';
}

/* Whether list (NO_PROXY: entries between commas or spaces) says that host is reached without a proxy. */
static bool http_no_proxy(struct str list, const char *host, unsigned port) {
	while (list.len > 0) {
		size_t n = 0;
		while (n < list.len && list.at[n] != ',' && list.at[n] != ' ' && list.at[n] != '\t')
			n++;
		if (n > 0 && http_no_proxy_entry((struct str){ list.at, n }, str_of(host), port))
			return true;
		list = str_skip(list, n < list.len ? n + 1 : n);
	}
	return false;
}

/* Bytes of a stranger's as printable ASCII; what does not fit is cut (it is only shown). Gives out. */
static const char *http_plain(struct str s, char *out, size_t size) {
	size_t n = 0;
	for (; n < s.len && n + 1 < size; n++)
		out[n] = s.at[n] >= 0x20 && s.at[n] < 0x7F ? s.at[n] : '?';
	out[n] = '\0';
	return out;
}

/* ---- 2. certificates (RFC 5280, DER of X.690) -------------------------------------------------------------- */

/* What is looked at of a certificate: all but the dates are slices of it. */
struct http_certificate {
	struct str issuer, subject;     /* whole names */
	struct str names, usages;       /* contents of the extensions subjectAltName, extKeyUsage; at NULL: absent */
	char from[16], until[16];       /* YYYYMMDDHHMMSS */
	bool signs;                     /* keyUsage allows digitalSignature, or is absent */
};

/* Takes the next element off *rest: its tag, or 0 at the end and for what is malformed; *value gets its content, *whole all of it. */
static unsigned der_next(struct str *rest, struct str *value, struct str *whole) {
	const unsigned char *p = (const unsigned char *)rest->at;
	size_t len, head = 2;
	if (rest->len < 2 || (p[0] & 0x1F) == 0x1F)
		return 0;
	len = p[1];
	if (len >= 0x80) {
		size_t count = len & 0x7F;
		if (count == 0 || count > 4 || rest->len < 2 + count)
			return 0;
		for (len = 0; head < 2 + count; head++)
			len = len << 8 | p[head];
	}
	if (len > rest->len - head)
		return 0;
	*value = (struct str){ rest->at + head, len };
	if (whole != NULL)
		*whole = (struct str){ rest->at, head + len };
	*rest = str_skip(*rest, head + len);
	return p[0];
}

/* UTCTime or GeneralizedTime as YYYYMMDDHHMMSS. */
static bool der_time(struct str *rest, char out[16]) {
	struct str s;
	unsigned tag = der_next(rest, &s, NULL);
	if (!(tag == 0x17 && s.len == 13) && !(tag == 0x18 && s.len == 15))
		return false;
	size_t n = tag == 0x17 ? 2 : 0;
	if (n > 0)
		memcpy(out, s.at[0] < '5' ? "20" : "19", 2);
	memcpy(out + n, s.at, s.len - 1);
	out[14] = '\0';
	return strspn(out, "0123456789") == 14;
}

static void http_extension(struct http_certificate *c, struct str oid, struct str value) {
	struct str inside;
	unsigned tag = der_next(&value, &inside, NULL);
	if (tag == 0x30 && str_eq(oid, STR("\x55\x1D\x11")))
		c->names = inside;
	if (tag == 0x30 && str_eq(oid, STR("\x55\x1D\x25")))
		c->usages = inside;
	if (tag == 0x03 && str_eq(oid, STR("\x55\x1D\x0F")))
		c->signs = inside.len > 1 && (inside.at[1] & 0x80) != 0;
}

/* Reads the certificate in der; false if it is malformed. */
static bool http_certificate_read(struct str der, struct http_certificate *c) {
	struct str all, tbs, value, extension, oid, content;
	*c = (struct http_certificate){ .signs = true };
	if (der_next(&der, &all, NULL) != 0x30 || der_next(&all, &tbs, NULL) != 0x30)
		return false;
	if (tbs.len > 0 && (unsigned char)tbs.at[0] == 0xA0)
		der_next(&tbs, &value, NULL);
	if (der_next(&tbs, &value, NULL) != 0x02 || der_next(&tbs, &value, NULL) != 0x30 || der_next(&tbs, &value, &c->issuer) != 0x30
	    || der_next(&tbs, &value, NULL) != 0x30 || !der_time(&value, c->from) || !der_time(&value, c->until)
	    || der_next(&tbs, &value, &c->subject) != 0x30 || der_next(&tbs, &value, NULL) != 0x30)
		return false;
	unsigned tag;
	while ((tag = der_next(&tbs, &value, NULL)) != 0 && tag != 0xA3)
		continue;
	if (tag == 0 || der_next(&value, &all, NULL) != 0x30)
		return true; /* no extensions */
	while (der_next(&all, &extension, NULL) == 0x30) {
		if (der_next(&extension, &oid, NULL) != 0x06)
			return false;
		while ((tag = der_next(&extension, &content, NULL)) != 0 && tag != 0x04)
			continue;
		if (tag == 0x04)
			http_extension(c, oid, content);
	}
	return true;
}

struct http_anchors {
	br_x509_trust_anchor *at;
	size_t count, broken, outdated; /* usable ones; those that could not be read; those outside of their dates now */
};

/* Now, as certificates write it. */
static void http_clock(char out[16]) {
	time_t now = time(NULL);
	struct tm tm;
	if (gmtime_r(&now, &tm) == NULL || strftime(out, 16, "%Y%m%d%H%M%S", &tm) != 14)
		memcpy(out, "19700101000000", 15);
}

/* Decodes base64 (RFC 4648; line breaks and blanks are skipped) from *rest up to the first '-' into out; the bytes written, or -1. */
static ptrdiff_t http_base64_read(struct str *rest, char *out) {
	size_t n = 0, i = 0, pads = 0, digits = 0;
	uint32_t group = 0;
	for (; i < rest->len && rest->at[i] != '-'; i++) {
		unsigned char c = (unsigned char)rest->at[i];
		if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
			continue;
		unsigned value = c >= 'A' && c <= 'Z' ? c - 'A' + 0u : c >= 'a' && c <= 'z' ? c - 'a' + 26u
			: c >= '0' && c <= '9' ? c - '0' + 52u : c == '+' ? 62 : c == '/' ? 63 : c == '=' ? 64 : 65;
		if (value == 65 || (value < 64 && pads > 0) || (value == 64 && ++pads > 2)) {
			*rest = str_skip(*rest, i);
			return -1;
		}
		group = group << 6 | (value & 63);
		if (++digits % 4 == 0)
			for (int shift = 16; shift >= 0; shift -= 8)
				out[n++] = (char)(group >> shift);
	}
	*rest = str_skip(*rest, i);
	return digits % 4 != 0 ? -1 : (ptrdiff_t)(n - pads);
}

/* The key of a certificate, copied into the arena. false if BearSSL cannot read it. */
static bool http_anchor_key(struct arena *arena, struct str der, br_x509_trust_anchor *anchor) {
	br_x509_decoder_context decoder;
	br_x509_decoder_init(&decoder, NULL, NULL);
	br_x509_decoder_push(&decoder, der.at, der.len);
	const br_x509_pkey *key = br_x509_decoder_get_pkey(&decoder);
	if (key == NULL)
		return false;
	anchor->flags = br_x509_decoder_isCA(&decoder) ? BR_X509_TA_CA : 0;
	anchor->pkey = *key;
#define COPY(from, size) ((unsigned char *)arena_z(arena, (struct str){ (const char *)key->key.from, key->key.size }))
	if (key->key_type == BR_KEYTYPE_EC)
		anchor->pkey.key.ec.q = COPY(ec.q, ec.qlen);
	else {
		anchor->pkey.key.rsa.n = COPY(rsa.n, rsa.nlen);
		anchor->pkey.key.rsa.e = COPY(rsa.e, rsa.elen);
	}
#undef COPY
	return true;
}

/* Reads the certificates of a PEM text as trust anchors: lines may end in CRLF, text may stand between, broken ones are counted. */
static void http_anchors_read(struct arena *arena, struct str pem, struct http_anchors *anchors) {
	const struct str begin = STR("-----BEGIN CERTIFICATE-----"), end = STR("-----END CERTIFICATE-----");
	char now[16], *space = arena_take(arena, 1, pem.len + 3); /* decoded bytes are fewer than encoded ones */
	size_t room = 0;
	ptrdiff_t at;
	for (struct str s = pem; (at = str_find(s, begin)) >= 0; room++)
		s = str_skip(s, (size_t)at + begin.len);
	*anchors = (struct http_anchors){ .at = arena_take(arena, sizeof *anchors->at, room) };
	http_clock(now);
	while ((at = str_find(pem, begin)) >= 0) {
		struct http_certificate c;
		br_x509_trust_anchor *anchor = &anchors->at[anchors->count];
		pem = str_skip(pem, (size_t)at + begin.len);
		ptrdiff_t len = http_base64_read(&pem, space);
		struct str der = { space, len < 0 ? 0 : (size_t)len };
		if (!str_starts(pem, end) || !http_certificate_read(der, &c) || !http_anchor_key(arena, der, anchor))
			anchors->broken++;
		else if (strcmp(now, c.from) < 0 || strcmp(now, c.until) > 0)
			anchors->outdated++;
		else {
			anchor->dn = (br_x500_name){ (unsigned char *)arena_z(arena, c.subject), c.subject.len };
			anchors->count++;
		}
	}
}

/* Loads the roots in file (NULL: the system's bundle) into the arena. 0, or -1 with status 2. */
static int http_anchors_load(struct arena *arena, const char *file, struct http_anchors *anchors, struct error *error) {
	static const char *const bundles[] = { "/etc/ssl/certs/ca-certificates.crt", /* Debian, Alpine, Arch */
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt", /* Fedora */
		"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem" /* openSUSE; macOS, Alpine */ };
	int fd = file != NULL ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	for (size_t k = 0; file == NULL && fd < 0 && k < sizeof bundles / sizeof *bundles; k++)
		fd = open(bundles[k], O_RDONLY | O_CLOEXEC);
	if (fd < 0 && file == NULL)
		return error_set(error, 2, "no root certificates found: install the package ca-certificates, or give --ca-file FILE");
	if (fd < 0)
		return error_set(error, 2, "the root certificates in %s cannot be read:", file);
	struct buf pem = { .arena = arena };
	ssize_t n;
	while ((n = read(fd, buf_room(&pem, 65536), 65536)) > 0 && pem.len <= HTTP_PEM_MAX)
		pem.len += (size_t)n;
	int cause = errno;
	close(fd);
	errno = cause;
	file = file == NULL ? "the system's bundle" : file;
	if (n != 0)
		return n < 0 ? error_set(error, 2, "the root certificates in %s cannot be read:", file)
			: error_set(error, 2, "%s is larger than 16 MiB, the limit for root certificates", file);
	http_anchors_read(arena, buf_str(&pem), anchors);
	if (anchors->count > 0)
		return 0;
	return anchors->outdated > 0 ? error_set(error, 2, "all certificates in %s are outside of their dates: is this machine's clock right?", file)
		: error_set(error, 2, "%s holds no usable certificate (PEM is expected: \"-----BEGIN CERTIFICATE-----\")", file);
}

/* BearSSL's validation of the chain, and around it what that leaves out: names and usages (RFC 9525), dates in words. */
struct http_check {
	const br_x509_class *vtable; /* first: this is what BearSSL sees */
	br_x509_minimal_context chain;
	const struct http_url *url;
	const struct http_anchors *anchors;
	size_t count, len;           /* certificates so far; bytes of the current one */
	bool name, usage, own;       /* the leaf has the host's name; usages allow a server; the last one was issued by itself */
	char dates[64];              /* "expired on 2024-01-31" of the first one that is; empty: none */
	char names[160], issuer[96]; /* the leaf's names; who issued the last one: printable */
	char now[16], cert[HTTP_CERT_MAX];
};

/* The common name (else the last part) of a distinguished name, printable. */
static void http_name(struct str dn, char *out, size_t size) {
	struct str list = { 0 }, set, pair, oid, value;
	der_next(&dn, &list, NULL);
	out[0] = '\0';
	while (der_next(&list, &set, NULL) == 0x31)
		while (der_next(&set, &pair, NULL) == 0x30)
			if (der_next(&pair, &oid, NULL) == 0x06 && der_next(&pair, &value, NULL) != 0) {
				http_plain(value, out, size);
				if (str_eq(oid, STR("\x55\x04\x03")))
					return;
			}
}

/* Whether a dNSName means host: the same name, or "*" for the first label, with at least two labels behind it. */
static bool http_name_matches(struct str pattern, const char *host) {
	const char *rest = strchr(host, '.');
	if (!str_starts(pattern, STR("*.")))
		return http_same(pattern, host);
	return rest != NULL && strchr(rest + 1, '.') != NULL && http_same(str_skip(pattern, 1), rest);
}

/* Looks through the leaf's names: dNSName (tag 0x82), or for an address iPAddress (0x87). */
static void http_check_names(struct http_check *k, struct str names) {
	unsigned char address[16];
	size_t bytes = k->url->literal ? http_address(str_of(k->url->host), address) : 0, used = 0;
	struct str name;
	for (unsigned tag; (tag = der_next(&names, &name, NULL)) != 0;) {
		char text[64] = "";
		if (tag == 0x82) {
			k->name = k->name || (bytes == 0 && http_name_matches(name, k->url->host));
			http_plain(name, text, sizeof text);
		} else if (tag == 0x87 && (name.len == 4 || name.len == 16)) {
			k->name = k->name || (bytes == name.len && memcmp(name.at, address, bytes) == 0);
			inet_ntop(name.len == 4 ? AF_INET : AF_INET6, name.at, text, sizeof text);
		}
		if (text[0] != '\0' && used + strlen(text) + 3 < sizeof k->names)
			used += (size_t)snprintf(k->names + used, sizeof k->names - used, "%s%s", used > 0 ? ", " : "", text);
	}
}

static void http_check_start_chain(const br_x509_class **context, const char *name) {
	struct http_check *k = (struct http_check *)(void *)context;
	(void)name; /* BearSSL would take the common name too, and wildcards for a top-level name */
	br_x509_minimal_init(&k->chain, &br_sha256_vtable, k->anchors->at, k->anchors->count);
	br_x509_minimal_set_rsa(&k->chain, br_rsa_pkcs1_vrfy_get_default());
	br_x509_minimal_set_ecdsa(&k->chain, br_ec_get_default(), br_ecdsa_vrfy_asn1_get_default());
	br_x509_minimal_set_hash(&k->chain, br_sha256_ID, &br_sha256_vtable);
	br_x509_minimal_set_hash(&k->chain, br_sha384_ID, &br_sha384_vtable);
	br_x509_minimal_set_hash(&k->chain, br_sha512_ID, &br_sha512_vtable);
	br_x509_minimal_set_minrsa(&k->chain, 256);
	time_t now = time(NULL);
	br_x509_minimal_set_time(&k->chain, (uint32_t)(now / 86400 + 719528), (uint32_t)(now % 86400)); /* days from year 0 */
	http_clock(k->now);
	k->count = k->len = 0;
	k->name = k->own = false;
	k->usage = true;
	k->dates[0] = k->names[0] = k->issuer[0] = '\0';
	k->chain.vtable->start_chain(&k->chain.vtable, NULL);
}

static void http_check_start_cert(const br_x509_class **context, uint32_t length) {
	struct http_check *k = (struct http_check *)(void *)context;
	k->len = 0;
	k->chain.vtable->start_cert(&k->chain.vtable, length);
}

static void http_check_append(const br_x509_class **context, const unsigned char *bytes, size_t len) {
	struct http_check *k = (struct http_check *)(void *)context;
	size_t room = sizeof k->cert - k->len, part = len < room ? len : room;
	memcpy(k->cert + k->len, bytes, part);
	k->len += part; /* one that is cut here does not parse below */
	k->chain.vtable->append(&k->chain.vtable, bytes, len);
}

static void http_check_end_cert(const br_x509_class **context) {
	struct http_check *k = (struct http_check *)(void *)context;
	struct http_certificate c;
	struct str usage;
	k->chain.vtable->end_cert(&k->chain.vtable);
	if (!http_certificate_read((struct str){ k->cert, k->len }, &c)) {
		k->usage = false;
		return;
	}
	if (k->count++ == 0) {
		k->usage = c.signs;
		http_check_names(k, c.names);
	}
	bool server = c.usages.at == NULL;
	while (der_next(&c.usages, &usage, NULL) == 0x06)
		server = server || str_eq(usage, STR("\x2B\x06\x01\x05\x05\x07\x03\x01"));
	k->usage = k->usage && server;
	k->own = str_eq(c.issuer, c.subject);
	http_name(c.issuer, k->issuer, sizeof k->issuer);
	bool early = strcmp(k->now, c.from) < 0;
	const char *date = early ? c.from : c.until;
	if (k->dates[0] == '\0' && (early || strcmp(k->now, c.until) > 0))
		snprintf(k->dates, sizeof k->dates, "%s %.4s-%.2s-%.2s", early ? "is not valid before" : "expired on", date, date + 4, date + 6);
}

static unsigned http_check_end_chain(const br_x509_class **context) {
	struct http_check *k = (struct http_check *)(void *)context;
	unsigned wrong = k->chain.vtable->end_chain(&k->chain.vtable);
	return wrong != 0 ? wrong : !k->name ? BR_ERR_X509_BAD_SERVER_NAME : !k->usage ? BR_ERR_X509_FORBIDDEN_KEY_USAGE : 0;
}

static const br_x509_pkey *http_check_key(const br_x509_class *const *context, unsigned *usages) {
	const struct http_check *k = (const struct http_check *)(const void *)context;
	return k->chain.vtable->get_pkey(&k->chain.vtable, usages);
}

static const br_x509_class http_check_class = { sizeof(struct http_check), http_check_start_chain, http_check_start_cert,
	http_check_append, http_check_end_cert, http_check_end_chain, http_check_key };

/* ---- 3. the connection: addresses, sockets, TLS ------------------------------------------------------------ */

enum http_result {
	HTTP_OK = 0,
	HTTP_FAULT = -1,  /* the connection failed: may be tried again */
	HTTP_FATAL = -2,  /* trying again would not help: certificate, framing, refused by name */
	HTTP_STOPPED = -3 /* wake became readable */
};

/* Where one is in a body's framing (RFC 9112, sections 6 and 7). */
struct http_frame {
	enum { HTTP_LENGTH, HTTP_CHUNKED, HTTP_TO_CLOSE } kind;
	enum { HTTP_SIZE, HTTP_EXTENSION, HTTP_SIZE_LF, HTTP_DATA, HTTP_DATA_CR, HTTP_DATA_LF, HTTP_TRAILER, HTTP_TRAILER_LF, HTTP_END } step;
	uint64_t left;       /* bytes of the body, or of the chunk, still to come */
	size_t line, extras; /* bytes of the line so far; of all extensions and trailers */
};

struct http_head {
	int status;
	bool event_stream, json;
	long retry_after_ms; /* -1: none */
	int should_retry;    /* -1 unsaid, 0, 1 */
	char type[128], encoding[64], location[256], reason[64]; /* printable */
	bool close, coded;   /* "Connection: close"; a Transfer-Encoding was there */
	int64_t length;      /* Content-Length, or -1 */
	struct http_frame frame;
};

/* The caller fills the first block and zeroes the rest. */
struct http_client {
	struct http_url url;
	const struct http_url *proxy;       /* NULL: none */
	const struct http_anchors *anchors; /* for https */
	int wake;                           /* a descriptor: readable means stop at once */
	unsigned silence;                   /* seconds of silence allowed */

	bool open, secure, early, ended, clean; /* early: no more can be sent, or the answer is there; clean: its end was no truncation */
	bool done, keep;                        /* the body is read whole; the connection may be used again then */
	int fd;
	const char *phase;
	uint64_t since, deadline;               /* ms: when the last byte went either way; end of the phase, 0: none */
	uint64_t total;                         /* bytes of the body so far */
	size_t address, at, end;                /* which address answered; what of `in` is unread */
	struct http_frame frame;
	char request[8192], head[HTTP_HEAD_MAX], in[16384];
	br_ssl_client_context ssl;
	struct http_check check;
	unsigned char records[BR_SSL_BUFSIZE_BIDI];
};

/* Milliseconds of a clock that only goes forward. */
static uint64_t http_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Waits until fd is ready for events (poll(2)), the silence or the phase has lasted too long, or wake is readable. */
static enum http_result http_wait(struct http_client *c, int fd, short events, short *ready, struct error *error) {
	uint64_t until = c->since + 1000 * (uint64_t)c->silence;
	if (c->deadline != 0 && c->deadline < until)
		until = c->deadline;
	for (;;) {
		uint64_t now = http_now(), left = until > now ? until - now : 0;
		struct pollfd p[2] = { { .fd = fd, .events = events }, { .fd = c->wake, .events = POLLIN } };
		int n = poll(p, 2, left > 3600000 ? 3600000 : (int)left);
		if (n < 0 && errno != EINTR)
			return HTTP_FAIL(HTTP_FATAL, "poll:");
		if (n > 0 && p[1].revents != 0)
			return HTTP_FAIL(HTTP_STOPPED, "interrupted");
		*ready = p[0].revents;
		if (n > 0 && p[0].revents != 0)
			return HTTP_OK;
		if (http_now() >= until)
			return HTTP_FAIL(HTTP_FAULT, "%s: nothing came for %d s while %s", c->url.host, (int)((until - c->since + 999) / 1000), c->phase);
	}
}

struct http_addresses {
	int wrong, count; /* wrong: of getaddrinfo(3) */
	struct sockaddr_storage at[HTTP_ADDRESSES_MAX];
};

static void http_resolve(const struct http_url *url, struct http_addresses *found) {
	struct addrinfo want = { .ai_socktype = SOCK_STREAM, .ai_flags = url->literal ? AI_NUMERICHOST : 0 }, *list = NULL;
	char port[8];
	snprintf(port, sizeof port, "%u", url->port);
	memset(found, 0, sizeof *found);
	found->wrong = getaddrinfo(url->host, port, &want, &list);
	for (struct addrinfo *a = list; a != NULL && found->count < HTTP_ADDRESSES_MAX; a = a->ai_next)
		if (a->ai_addrlen <= sizeof found->at[0])
			memcpy(&found->at[found->count++], a->ai_addr, a->ai_addrlen);
	if (list != NULL)
		freeaddrinfo(list);
}

/* The addresses of url's host. getaddrinfo(3) can neither be bounded nor interrupted, so a child calls it. */
static enum http_result http_lookup(struct http_client *c, const struct http_url *url, struct http_addresses *found, struct error *error) {
	int ends[2];
	short ready;
	enum http_result result = HTTP_OK;
	if (url->literal)
		http_resolve(url, found);
	else if (pipe(ends) != 0)
		return HTTP_FAIL(HTTP_FATAL, "pipe:");
	else {
		pid_t child = fork();
		if (child == 0) {
			signal(SIGALRM, SIG_DFL);
			alarm(HTTP_SETUP_MS / 1000); /* also when the parent has been killed */
			http_resolve(url, found);
			_exit(write(ends[1], found, sizeof *found) == (ssize_t)sizeof *found ? 0 : 1); /* below PIPE_BUF: in one piece */
		}
		close(ends[1]);
		result = child < 0 ? HTTP_FAIL(HTTP_FATAL, "fork:") : http_wait(c, ends[0], POLLIN, &ready, error);
		if (result == HTTP_OK && read(ends[0], found, sizeof *found) != (ssize_t)sizeof *found)
			result = HTTP_FAIL(HTTP_FAULT, "the lookup of %s ended without an answer", url->host);
		close(ends[0]);
		if (child > 0)
			kill(child, SIGKILL);
		while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	if (result != HTTP_OK || found->count > 0)
		return result;
	return HTTP_FAIL(found->wrong == EAI_NONAME ? HTTP_FATAL : HTTP_FAULT, "the address of %s cannot be found: %s", url->host, gai_strerror(found->wrong));
}

/* Connects to one address. */
static enum http_result http_dial(struct http_client *c, const struct http_url *url, const struct sockaddr_storage *to, uint64_t limit, struct error *error) {
	int on = 1, cause = 0;
	socklen_t size = sizeof cause, len = to->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	short ready;
	enum http_result result = HTTP_OK;
	c->fd = socket(to->ss_family, SOCK_STREAM, 0);
	if (c->fd < 0)
		return HTTP_FAIL(HTTP_FAULT, "socket:");
	fcntl(c->fd, F_SETFD, FD_CLOEXEC);
	fcntl(c->fd, F_SETFL, O_NONBLOCK);
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
	setsockopt(c->fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
	c->since = http_now();
	c->deadline = c->since + limit;
	if (connect(c->fd, (const struct sockaddr *)to, len) != 0)
		cause = errno;
	if (cause == EINPROGRESS || cause == EINTR) {
		result = http_wait(c, c->fd, POLLOUT, &ready, error);
		if (result == HTTP_OK && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &cause, &size) != 0)
			cause = errno;
	}
	errno = cause;
	if (result == HTTP_OK && cause != 0)
		result = HTTP_FAIL(HTTP_FAULT, "cannot connect to %s, port %u:", url->host, url->port);
	if (result != HTTP_OK)
		close(c->fd);
	return result;
}

/* What BearSSL's codes mean (bearssl_ssl.h, bearssl_x509.h), alerts received from 256 on (RFC 5246, 7.2). Any other certificate fault is
 * "malformed", any other code a fault of the connection. */
static const struct { int code; enum http_result result; const char *words; } http_tls_words[] = {
	{ BR_ERR_NO_RANDOM, HTTP_FATAL, "this system gives no random numbers" },
	{ BR_ERR_BAD_VERSION, HTTP_FATAL, "the server does not speak TLS 1.2 there" },
	{ BR_ERR_UNSUPPORTED_VERSION, HTTP_FATAL, "the server speaks no TLS 1.2, which is all that hsa speaks" },
	{ BR_ERR_RECV_FATAL_ALERT + BR_ALERT_PROTOCOL_VERSION, HTTP_FATAL, "the server refuses TLS 1.2, which is all that hsa speaks (it wants TLS 1.3): put a proxy or gateway that takes TLS 1.2 in between" },
	{ BR_ERR_RECV_FATAL_ALERT + BR_ALERT_HANDSHAKE_FAILURE, HTTP_FATAL, "the server shares no cipher suite with hsa (TLS 1.2, ECDHE with AES-GCM or ChaCha20), or wants a client certificate" },
	{ BR_ERR_RECV_FATAL_ALERT + BR_ALERT_INSUFFICIENT_SECURITY, HTTP_FATAL, "the server refuses hsa's cipher suites" },
	{ BR_ERR_RECV_FATAL_ALERT + 112, HTTP_FATAL, "the server does not know this host name (alert unrecognized_name)" },
	{ BR_ERR_RECV_FATAL_ALERT + 116, HTTP_FATAL, "the server wants a client certificate, which hsa has not" },
	{ BR_ERR_NO_CLIENT_AUTH, HTTP_FATAL, "the server wants a client certificate, which hsa has not" },
	{ BR_ERR_BAD_SIGNATURE, HTTP_FATAL, "the server's handshake is signed with another key than its certificate's" },
	{ BR_ERR_WRONG_KEY_USAGE, HTTP_FATAL, "the certificate's key is not for this use" },
	{ BR_ERR_X509_BAD_SERVER_NAME, HTTP_FATAL, "the certificate is for other names" },
	{ BR_ERR_X509_EXPIRED, HTTP_FATAL, "the certificate is out of its dates" },
	{ BR_ERR_X509_NOT_TRUSTED, HTTP_FATAL, "the certificate does not lead to a trusted root" },
	{ BR_ERR_X509_FORBIDDEN_KEY_USAGE, HTTP_FATAL, "a certificate's key usage does not allow this (a server's, digital signature; a CA's, signing)" },
	{ BR_ERR_X509_WEAK_PUBLIC_KEY, HTTP_FATAL, "a certificate has a key that is too weak (RSA below 2048 bits)" },
	{ BR_ERR_X509_BAD_SIGNATURE, HTTP_FATAL, "a certificate's signature is wrong" },
	{ BR_ERR_X509_DN_MISMATCH, HTTP_FATAL, "the server's certificates are not in order, each followed by its issuer's" },
	{ BR_ERR_X509_UNSUPPORTED, HTTP_FATAL, "a certificate uses an algorithm that is not accepted (SHA-1, RSA-PSS, Ed25519 ...)" },
	{ BR_ERR_X509_WRONG_KEY_TYPE, HTTP_FATAL, "a certificate uses an algorithm that is not accepted (Ed25519 ...)" },
	{ BR_ERR_X509_LIMIT_EXCEEDED, HTTP_FATAL, "a certificate has a key or signature that is too large (RSA above 4096 bits)" },
	{ BR_ERR_X509_CRITICAL_EXTENSION, HTTP_FATAL, "a certificate has a critical extension that is not supported (name constraints ...)" },
	{ BR_ERR_X509_NOT_CA, HTTP_FATAL, "a certificate was issued by one that may not issue it (no CA, or path too long)" },
	{ BR_ERR_X509_EMPTY_CHAIN, HTTP_FATAL, "the server sent no certificate" },
};

/* Puts a code of BearSSL's into words, with what to do. */
static enum http_result http_tls_fail(struct http_client *c, int code, struct error *error) {
	const struct http_check *k = &c->check;
	const char *host = c->url.host;
	if (code == BR_ERR_X509_EXPIRED && k->dates[0] != '\0')
		return HTTP_FAIL(HTTP_FATAL, "%s: a certificate of the server %s; this machine's clock says %.4s-%.2s-%.2s: is that right?", host, k->dates,
			k->now, k->now + 4, k->now + 6);
	if (code == BR_ERR_X509_BAD_SERVER_NAME)
		return HTTP_FAIL(HTTP_FATAL, "%s: the certificate is for %s, not for this host", host, k->names[0] != '\0' ? k->names : "no host (it has no subjectAltName)");
	if (code == BR_ERR_X509_NOT_TRUSTED)
		return HTTP_FAIL(HTTP_FATAL, k->own ? "%s: the certificate leads to \"%s\", which is not a trusted root; if it is your own CA, give its certificate with --ca-file"
			: "%s: \"%s\", which issued the last certificate that the server sent, is not a trusted root: the server leaves out an intermediate "
			"certificate, or it is your own CA (then give its certificate with --ca-file)", host, k->issuer);
	for (size_t i = 0; i < sizeof http_tls_words / sizeof *http_tls_words; i++)
		if (http_tls_words[i].code == code)
			return HTTP_FAIL(http_tls_words[i].result, "%s: %s", host, http_tls_words[i].words);
	if (code >= 32 && code < 64)
		return HTTP_FAIL(HTTP_FATAL, "%s: a certificate of the server is malformed (BearSSL's error %d)", host, code);
	return HTTP_FAIL(HTTP_FAULT, code > 256 ? "%s: TLS failed (alert %d)" : "%s: TLS failed (BearSSL's error %d)", host, code > 256 ? code & 255 : code);
}

/* Sends or receives TLS records until BearSSL is in one of the states `want` (0: until all is sent), or c->ended. */
static enum http_result http_tls_pump(struct http_client *c, unsigned want, struct error *error) {
	br_ssl_engine_context *engine = &c->ssl.eng;
	for (;;) {
		unsigned state = br_ssl_engine_current_state(engine);
		bool out = (state & BR_SSL_SENDREC) != 0 && !c->early;
		short ready;
		size_t len;
		if (state == BR_SSL_CLOSED) {
			c->ended = true;
			c->clean = br_ssl_engine_last_error(engine) == 0;
			return c->clean ? HTTP_OK : http_tls_fail(c, br_ssl_engine_last_error(engine), error);
		}
		if ((state & want) != 0 || (want == 0 && !out))
			return HTTP_OK;
		enum http_result result = http_wait(c, c->fd, (short)((out ? POLLOUT : 0) | ((state & BR_SSL_RECVREC) != 0 ? POLLIN : 0)), &ready, error);
		if (result != HTTP_OK)
			return result;
		ssize_t n;
		if (out && (ready & POLLOUT) != 0) {
			unsigned char *bytes = br_ssl_engine_sendrec_buf(engine, &len);
			n = send(c->fd, bytes, len, MSG_NOSIGNAL);
			if (n > 0)
				br_ssl_engine_sendrec_ack(engine, (size_t)n);
			else if (errno != EAGAIN && errno != EINTR)
				c->early = true; /* perhaps it has answered already */
		} else if ((state & BR_SSL_RECVREC) != 0) {
			unsigned char *bytes = br_ssl_engine_recvrec_buf(engine, &len);
			n = recv(c->fd, bytes, len, 0);
			if (n < 0 && (errno == EAGAIN || errno == EINTR))
				continue;
			if (n < 0)
				return HTTP_FAIL(HTTP_FAULT, "%s: the connection was lost while %s:", c->url.host, c->phase);
			if (want == BR_SSL_SENDAPP && memcmp(bytes, "HTTP/", n > 5 ? 5 : (size_t)n) == 0 && n > 0)
				return HTTP_FAIL(HTTP_FATAL, "%s: the server speaks plain HTTP on port %u: is an http:// URL meant?", c->url.host, c->url.port);
			c->ended = n == 0;
			if (n == 0)
				return HTTP_OK;
			br_ssl_engine_recvrec_ack(engine, (size_t)n);
		} else
			c->early = true; /* nothing can be sent, nothing is to be received: POLLERR or POLLHUP */
		c->since = http_now();
	}
}

/* Begins TLS on the connected socket and shakes hands. */
static enum http_result http_tls_start(struct http_client *c, struct error *error) {
	/* AES-GCM first where the processor has AES, else ChaCha20 first: FACTS of speed, all six are as strong. */
	static const uint16_t suites[] = { BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		BR_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, BR_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 };
	br_ssl_engine_context *engine = &c->ssl.eng;
	br_ssl_client_zero(&c->ssl);
	br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
	br_ssl_engine_set_suites(engine, suites + (br_aes_x86ni_ctr_get_vtable() != NULL ? 2 : 0), 6);
	br_ssl_engine_add_flags(engine, BR_OPT_NO_RENEGOTIATION);
	br_ssl_engine_set_default_rsavrfy(engine);
	br_ssl_engine_set_default_ecdsa(engine);
	br_ssl_engine_set_default_aes_gcm(engine);
	br_ssl_engine_set_default_chapol(engine);
	br_ssl_engine_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
	br_ssl_engine_set_hash(engine, br_sha384_ID, &br_sha384_vtable);
	br_ssl_engine_set_hash(engine, br_sha512_ID, &br_sha512_vtable);
	br_ssl_engine_set_prf_sha256(engine, br_tls12_sha256_prf);
	br_ssl_engine_set_prf_sha384(engine, br_tls12_sha384_prf);
	c->check = (struct http_check){ .vtable = &http_check_class, .url = &c->url, .anchors = c->anchors };
	br_ssl_engine_set_x509(engine, &c->check.vtable);
	br_ssl_engine_set_buffer(engine, c->records, sizeof c->records, 1);
	c->phase = "making a TLS connection";
	if (!br_ssl_client_reset(&c->ssl, c->url.literal ? NULL : c->url.host, 0)) /* no SNI for an address: RFC 6066, 3 */
		return http_tls_fail(c, br_ssl_engine_last_error(engine), error);
	enum http_result result = http_tls_pump(c, BR_SSL_SENDAPP, error);
	if (result == HTTP_OK && c->ended)
		result = HTTP_FAIL(HTTP_FAULT, "%s: the connection was closed in the TLS handshake", c->url.host);
	c->secure = true;
	return result;
}

/* Sends what is left of *rest; stops with c->early when the peer answers or closes first. */
static enum http_result http_send(struct http_client *c, struct str *rest, struct error *error) {
	c->phase = "sending the request";
	c->early = false;
	while (rest->len > 0 && !c->early) {
		short ready;
		size_t len;
		enum http_result result = c->secure ? http_tls_pump(c, BR_SSL_SENDAPP | BR_SSL_RECVAPP, error) : http_wait(c, c->fd, POLLOUT | POLLIN, &ready, error);
		if (result != HTTP_OK)
			return result;
		if (c->secure) {
			unsigned char *room = br_ssl_engine_sendapp_buf(&c->ssl.eng, &len);
			len = len < rest->len ? len : rest->len;
			if (room == NULL || c->ended) {
				c->early = true;
				break;
			}
			memcpy(room, rest->at, len);
			br_ssl_engine_sendapp_ack(&c->ssl.eng, len);
			*rest = str_skip(*rest, len);
			if (rest->len > 0)
				continue;
			br_ssl_engine_flush(&c->ssl.eng, 0);
			result = http_tls_pump(c, 0, error);
			return result;
		}
		ssize_t n = (ready & POLLOUT) != 0 ? send(c->fd, rest->at, rest->len, MSG_NOSIGNAL) : 0;
		if (n > 0) {
			*rest = str_skip(*rest, (size_t)n);
			c->since = http_now();
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			c->early = true;
	}
	return HTTP_OK;
}

/* Makes c->in hold unread bytes, or sets c->ended. */
static enum http_result http_fill(struct http_client *c, struct error *error) {
	if (c->at < c->end || c->ended)
		return HTTP_OK;
	c->at = c->end = 0;
	size_t len;
	short ready;
	enum http_result result = c->secure ? http_tls_pump(c, BR_SSL_RECVAPP, error) : http_wait(c, c->fd, POLLIN, &ready, error);
	if (result != HTTP_OK || c->ended)
		return result;
	if (c->secure) {
		unsigned char *bytes = br_ssl_engine_recvapp_buf(&c->ssl.eng, &len);
		c->end = len < sizeof c->in ? len : sizeof c->in;
		memcpy(c->in, bytes, c->end);
		br_ssl_engine_recvapp_ack(&c->ssl.eng, c->end);
		return HTTP_OK;
	}
	ssize_t n = recv(c->fd, c->in, sizeof c->in, 0);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return HTTP_FAIL(HTTP_FAULT, "%s: the connection was lost while %s:", c->url.host, c->phase);
	c->since = http_now();
	c->end = n > 0 ? (size_t)n : 0;
	c->ended = c->clean = n == 0;
	return HTTP_OK;
}

/* Closes the connection, without waiting for anything. */
static void http_close(struct http_client *c) {
	if (!c->open)
		return;
	if (c->secure) { /* one attempt to say so; br_sslio_close would wait */
		size_t len;
		br_ssl_engine_close(&c->ssl.eng);
		unsigned char *bytes = br_ssl_engine_sendrec_buf(&c->ssl.eng, &len);
		if (bytes != NULL && send(c->fd, bytes, len, MSG_NOSIGNAL) < 0)
			c->early = true;
	}
	close(c->fd);
	c->open = c->secure = false;
}

/* ---- 4. HTTP/1.1 (RFC 9110, 9112) -------------------------------------------------------------------------- */

/* Base64 (RFC 4648) of s into out, which holds 4 bytes for each 3 begun, and a NUL. */
static void http_base64(struct str s, char *out) {
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < s.len; i += 3) {
		uint32_t group = 0;
		for (size_t k = 0; k < 3; k++)
			group = group << 8 | (i + k < s.len ? (unsigned char)s.at[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			*out++ = i + k <= s.len ? digits[group >> (18 - 6 * k) & 63] : '=';
	}
	*out = '\0';
}

/* Milliseconds from a number of them, or of seconds, which may have a fraction; -1 if it is none. */
static long http_milliseconds(struct str s, int64_t unit) {
	const char *dot = s.len == 0 ? NULL : memchr(s.at, '.', s.len);
	struct str whole = { s.at, dot == NULL ? s.len : (size_t)(dot - s.at) };
	int64_t n = http_decimal(whole, 1000000000), tenths = dot == NULL || dot + 1 == s.at + s.len ? 0 : http_decimal((struct str){ dot + 1, 1 }, 9);
	return n < 0 || tenths < 0 ? -1 : (long)(n * unit + tenths * unit / 10 > 1000000000 ? 1000000000 : n * unit + tenths * unit / 10);
}

/* One header field; NULL or what is wrong with it. */
static const char *http_field(struct http_head *h, struct str name, struct str value) {
	int64_t n;
	if (http_same(name, "content-length")) {
		do { /* a list of equal numbers may stand for one: RFC 9110, 8.6 */
			const char *comma = memchr(value.at, ',', value.len);
			struct str one = http_trim((struct str){ value.at, comma == NULL ? value.len : (size_t)(comma - value.at) });
			n = http_decimal(one, INT64_MAX / 2);
			if (n < 0 || (h->length >= 0 && h->length != n))
				return n < 0 ? "a malformed Content-Length" : "two Content-Lengths that differ";
			h->length = n;
			value = str_skip(value, comma == NULL ? value.len : (size_t)(comma - value.at) + 1);
			if (comma != NULL && value.len == 0)
				return "a malformed Content-Length";
		} while (value.len > 0);
	} else if (http_same(name, "transfer-encoding")) {
		if (h->coded || !http_same(value, "chunked"))
			return "a Transfer-Encoding that is not just \"chunked\"";
		h->coded = true;
	} else if (http_same(name, "content-encoding") && value.len > 0 && !http_same(value, "identity"))
		http_plain(value, h->encoding, sizeof h->encoding);
	else if (http_same(name, "connection")) {
		for (size_t i = 0; i + 5 <= value.len; i++)
			h->close = h->close || strncasecmp(value.at + i, "close", 5) == 0;
	} else if (http_same(name, "content-type")) {
		const char *end = memchr(value.at == NULL ? "" : value.at, ';', value.len);
		struct str type = http_trim((struct str){ value.at, end == NULL ? value.len : (size_t)(end - value.at) });
		http_plain(type, h->type, sizeof h->type);
		h->event_stream = http_same(type, "text/event-stream");
		h->json = http_same(type, "application/json") || (type.len > 5 && http_same(str_skip(type, type.len - 5), "+json"));
	} else if (http_same(name, "retry-after-ms") && http_milliseconds(value, 1) >= 0)
		h->retry_after_ms = http_milliseconds(value, 1);
	else if (http_same(name, "retry-after") && h->retry_after_ms < 0)
		h->retry_after_ms = http_milliseconds(value, 1000);
	else if (http_same(name, "x-should-retry"))
		h->should_retry = http_same(value, "true") ? 1 : http_same(value, "false") ? 0 : -1;
	else if (http_same(name, "location"))
		http_plain(value, h->location, sizeof h->location);
	return NULL;
}

/* The lines of a head (each up to its CRLF); NULL or what is wrong. A folded line (RFC 9112, 5.2) is joined in place. */
static const char *http_head_lines(char *bytes, size_t len, struct http_head *h) {
	for (size_t i = 0; i < len; i++) {
		unsigned char b = (unsigned char)bytes[i];
		if (b == '\r' ? i + 1 == len || bytes[i + 1] != '\n' : b == '\n' ? i == 0 || bytes[i - 1] != '\r' : (b < 0x20 && b != '\t') || b == 0x7F)
			return "a bare control byte in its head";
		if (b == '\n' && i + 1 < len && (bytes[i + 1] == ' ' || bytes[i + 1] == '\t'))
			bytes[i - 1] = bytes[i] = ' ';
	}
	struct str rest = { bytes, len }, line;
	str_line(&rest, &line);
	line.len -= line.len > 0;
	if (line.len < 12 || !str_starts(line, STR("HTTP/1.")) || (line.at[7] != '0' && line.at[7] != '1') || line.at[8] != ' ' || (line.len > 12 && line.at[12] != ' '))
		return "no HTTP/1.1 status line";
	h->close = line.at[7] == '0';
	h->status = (int)http_decimal((struct str){ line.at + 9, 3 }, 999);
	http_plain(line.len > 13 ? str_skip(line, 13) : (struct str){ 0 }, h->reason, sizeof h->reason);
	if (h->status < 100 || h->status > 599)
		return "a status that is none";
	while (str_line(&rest, &line) && --line.len > 0) {
		static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
		size_t n = 0;
		while (n < line.len && line.at[n] != ':' && strchr(token, line.at[n]) != NULL)
			n++;
		if (n == 0 || n == line.len || line.at[n] != ':')
			return "a malformed header field";
		const char *wrong = http_field(h, (struct str){ line.at, n }, http_trim(str_skip(line, n + 1)));
		if (wrong != NULL)
			return wrong;
	}
	return NULL;
}

/* Reads a head, whose bytes end with an empty line, and decides how the body is framed. NULL or what is wrong. */
static const char *http_head_parse(char *bytes, size_t len, struct http_head *h) {
	*h = (struct http_head){ .retry_after_ms = -1, .should_retry = -1, .length = -1 };
	const char *wrong = http_head_lines(bytes, len, h);
	if (wrong != NULL)
		return wrong;
	if (h->coded && (h->length >= 0 || bytes[7] == '0'))
		return "both Content-Length and Transfer-Encoding, or the latter in HTTP/1.0";
	if (h->status == 204 || h->status == 304)
		h->coded = false, h->length = 0;
	h->frame.kind = h->coded ? HTTP_CHUNKED : h->length >= 0 ? HTTP_LENGTH : HTTP_TO_CLOSE;
	h->frame.left = h->length >= 0 ? (uint64_t)h->length : 0;
	h->frame.step = h->frame.kind == HTTP_LENGTH && h->length == 0 ? HTTP_END : h->coded ? HTTP_SIZE : HTTP_DATA;
	h->close = h->close || h->frame.kind == HTTP_TO_CLOSE;
	return NULL;
}

/* Takes one byte of chunked framing that is no data; NULL or what is wrong. */
static const char *http_chunk_byte(struct http_frame *f, unsigned char b) {
	bool text = b == '\t' || (b >= 0x20 && b != 0x7F);
	int digit = b >= '0' && b <= '9' ? b - '0' : (b | 32) >= 'a' && (b | 32) <= 'f' ? (b | 32) - 'a' + 10 : -1;
	if (f->step == HTTP_EXTENSION || f->step == HTTP_TRAILER)
		if (++f->extras > HTTP_HEAD_MAX)
			return "chunk extensions or trailers above 64 KiB";
	switch (f->step) {
	case HTTP_SIZE:
		if (digit >= 0) {
			if (f->line++ >= 15)
				return "a chunk size that is too large";
			f->left = f->left << 4 | (unsigned)digit;
			return NULL;
		}
		f->step = b == '\r' ? HTTP_SIZE_LF : HTTP_EXTENSION;
		return f->line > 0 && (b == '\r' || b == ';' || b == ' ' || b == '\t') ? NULL : "a malformed chunk size";
	case HTTP_EXTENSION:
		f->step = b == '\r' ? HTTP_SIZE_LF : HTTP_EXTENSION;
		return b == '\r' || text ? NULL : "a bare control byte in a chunk extension";
	case HTTP_SIZE_LF:
		f->step = f->left > 0 ? HTTP_DATA : HTTP_TRAILER;
		f->line = 0;
		return b == '\n' ? NULL : "a chunk size without its end of line";
	case HTTP_DATA_CR:
	case HTTP_DATA_LF:
		if (b != (f->step == HTTP_DATA_CR ? '\r' : '\n'))
			return "a chunk longer than its size";
		f->step = f->step == HTTP_DATA_CR ? HTTP_DATA_LF : HTTP_SIZE;
		return NULL;
	case HTTP_TRAILER:
		f->step = b == '\r' ? HTTP_TRAILER_LF : HTTP_TRAILER;
		f->line += b != '\r';
		return b == '\r' || text ? NULL : "a bare control byte in a trailer";
	default: /* HTTP_TRAILER_LF */
		f->step = f->line == 0 ? HTTP_END : HTTP_TRAILER;
		f->line = 0;
		return b == '\n' ? NULL : "a trailer without its end of line";
	}
}

/* Takes framing, and at most max bytes of data, off *in; *data gets the data. NULL or what is wrong. At the body's end: step HTTP_END. */
static const char *http_deframe(struct http_frame *f, struct str *in, size_t max, struct str *data) {
	*data = (struct str){ in->at, 0 };
	while (in->len > 0 && f->step != HTTP_END && data->len == 0) {
		if (f->step == HTTP_DATA) {
			size_t n = in->len < max ? in->len : max;
			n = f->kind != HTTP_TO_CLOSE && n > f->left ? (size_t)f->left : n;
			*data = (struct str){ in->at, n };
			*in = str_skip(*in, n);
			if (f->kind != HTTP_TO_CLOSE && (f->left -= n) == 0)
				f->step = f->kind == HTTP_CHUNKED ? HTTP_DATA_CR : HTTP_END;
			return NULL;
		}
		const char *wrong = http_chunk_byte(f, (unsigned char)in->at[0]);
		*in = str_skip(*in, 1);
		if (wrong != NULL)
			return wrong;
	}
	return NULL;
}

/* Reads the next head, also one of an interim response. */
static enum http_result http_read_head(struct http_client *c, struct http_head *head, struct error *error) {
	size_t len = 0;
	c->phase = "waiting for the answer";
	for (;;) {
		enum http_result result = http_fill(c, error);
		if (result != HTTP_OK)
			return result;
		if (c->ended)
			return HTTP_FAIL(HTTP_FAULT, len == 0 ? "%s: the connection was closed without an answer" : "%s: the connection was closed within the head of the answer", c->url.host);
		size_t n = c->end - c->at < sizeof c->head - len ? c->end - c->at : sizeof c->head - len, from = len < 3 ? 0 : len - 3;
		memcpy(c->head + len, c->in + c->at, n);
		const char *end = memmem(c->head + from, len + n - from, "\r\n\r\n", 4), *wrong = NULL;
		size_t used = end == NULL ? n : (size_t)(end + 4 - c->head) - len;
		c->at += used;
		len += used;
		if (end != NULL)
			wrong = http_head_parse(c->head, len, head);
		else if (memcmp(c->head, "HTTP/1.", len < 7 ? len : 7) != 0)
			wrong = c->head[0] == 0x15 || c->head[0] == 0x16 ? "TLS (is an https:// URL meant?)" : "something else than HTTP/1.1";
		else if (memmem(c->head, len, "\n\n", 2) != NULL)
			wrong = "a head whose lines end in bare line feeds";
		if (wrong != NULL)
			return HTTP_FAIL(HTTP_FATAL, "%s: the answer is not valid: %s", c->url.host, wrong);
		if (end != NULL)
			return HTTP_OK;
		if (len == sizeof c->head)
			return HTTP_FAIL(HTTP_FATAL, "%s: the head of the answer is larger than 64 KiB, the limit for heads", c->url.host);
	}
}

/* "Proxy-Authorization: ..." for the proxy, or nothing. */
static const char *http_proxy_line(const struct http_url *proxy, char *out, size_t size) {
	char coded[sizeof proxy->user * 4 / 3 + 4];
	http_base64(str_of(proxy->user), coded);
	snprintf(out, size, proxy->user[0] == '\0' ? "%s" : "Proxy-Authorization: Basic %s\r\n", proxy->user[0] == '\0' ? "" : coded);
	return out;
}

/* Opens a connection: to the host or its proxy, through the proxy's tunnel for https, and TLS. */
static enum http_result http_open(struct http_client *c, struct error *error) {
	const struct http_url *first = c->proxy != NULL ? c->proxy : &c->url;
	struct http_addresses found;
	struct http_head head;
	char line[800];
	c->secure = c->ended = c->clean = c->early = false;
	c->at = c->end = 0;
	c->since = http_now();
	c->deadline = c->since + HTTP_SETUP_MS;
	c->phase = "looking up its address";
	enum http_result result = http_lookup(c, first, &found, error);
	if (result != HTTP_OK)
		return result;
	c->phase = "connecting";
	size_t start = c->address, count = (size_t)found.count;
	for (size_t k = 0; k < count; k++) { /* first the one that answered last time */
		c->address = (start + k) % count;
		result = http_dial(c, first, &found.at[c->address], k + 1 < count ? HTTP_CONNECT_MS * 2 / 5 : HTTP_CONNECT_MS, error);
		if (result != HTTP_FAULT)
			break;
	}
	if (result != HTTP_OK)
		return result;
	c->open = true;
	c->since = http_now();
	c->deadline = c->since + HTTP_SETUP_MS;
	if (c->proxy != NULL && c->url.tls) {
		bool v6 = strchr(c->url.host, ':') != NULL;
		int n = snprintf(c->request, sizeof c->request, "CONNECT %s%s%s:%u HTTP/1.1\r\nHost: %s%s%s:%u\r\n%s\r\n", v6 ? "[" : "", c->url.host, v6 ? "]" : "", c->url.port,
			v6 ? "[" : "", c->url.host, v6 ? "]" : "", c->url.port, http_proxy_line(c->proxy, line, sizeof line));
		struct str request = { c->request, (size_t)n };
		result = http_send(c, &request, error);
		if (result == HTTP_OK)
			result = http_read_head(c, &head, error);
		if (result == HTTP_OK && head.status == 407)
			result = HTTP_FAIL(HTTP_FATAL, "the proxy %s wants a name and password (http://name:password@%s:%u), or refuses the one given", first->host, first->host, first->port);
		else if (result == HTTP_OK && (head.status < 200 || head.status > 299 || c->at < c->end))
			result = HTTP_FAIL(head.status >= 500 ? HTTP_FAULT : HTTP_FATAL, "the proxy %s does not connect to %s: %d %s", first->host, c->url.host, head.status, head.reason);
	}
	if (result == HTTP_OK && c->url.tls)
		result = http_tls_start(c, error);
	if (result != HTTP_OK)
		http_close(c);
	c->deadline = 0;
	return result;
}

static enum http_result http_body(struct http_client *, char *into, size_t size, size_t *got, struct error *error);

/* Whether the kept connection can take another request: its last body has been read, or the rest is here already, and nothing else is. */
static bool http_kept(struct http_client *c) {
	char space[4096];
	size_t got = 1;
	struct error ignored;
	if (!c->open)
		return false;
	c->deadline = 1; /* long past: nothing below waits */
	for (int k = 0; k < 16 && !c->done && c->open; k++)
		if (http_body(c, space, sizeof space, &got, &ignored) != HTTP_OK)
			break;
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	if (c->open && (!c->done || c->at < c->end || poll(&p, 1, 0) != 0))
		http_close(c);
	c->deadline = 0;
	return c->open;
}

/* Sends the request and reads the head of the answer, behind any interim ones. *silent: not one byte of an answer came. */
static enum http_result http_exchange(struct http_client *c, struct str request, struct str body, struct http_head *head, bool *silent, struct error *error) {
	*silent = true;
	c->since = http_now();
	for (int interim = 0; interim <= HTTP_INTERIM_MAX; interim++) {
		enum http_result result = http_send(c, &request, error);
		if (result == HTTP_OK && !c->early)
			result = http_send(c, &body, error);
		if (result == HTTP_OK)
			result = http_read_head(c, head, error);
		*silent = *silent && result == HTTP_FAULT && c->ended;
		if (result != HTTP_OK)
			return result;
		if (head->status >= 200)
			break;
		if (head->status == 101)
			return HTTP_FAIL(HTTP_FATAL, "%s: the server switches protocols unasked (101)", c->url.host);
	}
	if (head->status < 200)
		return HTTP_FAIL(HTTP_FATAL, "%s: more than %d interim answers (1xx)", c->url.host, HTTP_INTERIM_MAX);
	head->close = head->close || request.len + body.len > 0;
	if (head->status == 407)
		return HTTP_FAIL(HTTP_FATAL, "the proxy wants a name and password (http://name:password@host:port), or refuses the one given");
	if (head->status >= 300 && head->status < 400) {
		ptrdiff_t at = str_find(str_of(head->location), STR("://"));
		char *host = at < 0 ? c->url.host : head->location + at + 3;
		char *user = strchr(host, '@');
		host = user == NULL ? host : user + 1;
		return HTTP_FAIL(HTTP_FATAL, "%s: the server redirects (%d) to %.*s; redirects are not followed: give that as the base URL if you trust it", c->url.host, head->status,
			(int)strcspn(host, "/?#"), host);
	}
	if (head->encoding[0] != '\0')
		return HTTP_FAIL(HTTP_FATAL, "%s: the body of the answer is compressed (%s), though that was not asked for", c->url.host, head->encoding);
	return HTTP_OK;
}

/* Sends `POST {path}{suffix}` with headers (whole lines with CRLF, may be empty) and body, over the kept connection or a new one, and reads
 * the head. A kept connection that the server has closed is opened again once. Nothing of the request is kept. */
static enum http_result http_post(struct http_client *c, const char *suffix, struct str headers, struct str body, struct http_head *head, struct error *error) {
	bool again = http_kept(c), silent, v6 = strchr(c->url.host, ':') != NULL, absolute = c->proxy != NULL && !c->url.tls;
	char port[8] = "", line[800], target[sizeof c->url.host + 32] = "";
	if (c->url.port != (c->url.tls ? 443u : 80u))
		snprintf(port, sizeof port, ":%u", c->url.port);
	if (absolute)
		snprintf(target, sizeof target, "http://%s%s%s%s", v6 ? "[" : "", c->url.host, v6 ? "]" : "", port);
	for (;; again = false) {
		enum http_result result = c->open ? HTTP_OK : http_open(c, error);
		if (result != HTTP_OK)
			return result;
		int n = snprintf(c->request, sizeof c->request, "POST %s%s%s HTTP/1.1\r\nHost: %s%s%s%s\r\nUser-Agent: hsa\r\nAccept: text/event-stream, application/json\r\n"
			"Accept-Encoding: identity\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s%.*s\r\n", target, c->url.path, suffix, v6 ? "[" : "", c->url.host,
			v6 ? "]" : "", port, body.len, absolute ? http_proxy_line(c->proxy, line, sizeof line) : "", (int)headers.len, headers.len == 0 ? "" : headers.at);
		if (n < 0 || (size_t)n >= sizeof c->request)
			return HTTP_FAIL(HTTP_FATAL, "the head of the request is larger than 8 KiB");
		result = http_exchange(c, (struct str){ c->request, (size_t)n }, body, head, &silent, error);
		if (result == HTTP_OK) {
			c->frame = head->frame;
			c->done = head->frame.step == HTTP_END;
			c->total = 0;
			c->keep = !head->close;
			return HTTP_OK;
		}
		http_close(c);
		if (!again || !silent)
			return result;
	}
}

/* The next bytes of the body: *got > 0, or 0 at its proper end. */
static enum http_result http_body(struct http_client *c, char *into, size_t size, size_t *got, struct error *error) {
	c->phase = "reading the answer";
	for (*got = 0; *got == 0 && !c->done;) {
		struct str in = { c->in + c->at, c->end - c->at }, data;
		const char *wrong = http_deframe(&c->frame, &in, size, &data);
		c->at = c->end - in.len;
		if (wrong != NULL)
			return HTTP_FAIL(HTTP_FATAL, "%s: the answer is not valid: %s", c->url.host, wrong);
		memcpy(into, data.at, *got = data.len);
		c->total += data.len;
		if (c->total > HTTP_ANSWER_MAX)
			return HTTP_FAIL(HTTP_FATAL, "%s: the answer is larger than 64 MiB, the limit for one answer", c->url.host);
		c->done = c->frame.step == HTTP_END || (c->frame.kind == HTTP_TO_CLOSE && c->ended && c->clean && *got == 0);
		if (*got > 0 || c->done)
			break;
		if (c->ended)
			return HTTP_FAIL(HTTP_FAULT, "%s: the connection ended before the answer did", c->url.host);
		enum http_result result = http_fill(c, error);
		if (result != HTTP_OK)
			return result;
	}
	if (c->done && !c->keep)
		http_close(c);
	return HTTP_OK;
}

/* ---- 5. server-sent events (WHATWG HTML, 9.2) -------------------------------------------------------------- */

/* The caller sets arena and zeroes the rest. */
struct sse {
	struct arena *arena;
	struct buf line, data, type;
	bool begun, return_seen, pending; /* a line has ended; the last byte was CR; a data field was there */
};

/* One line. -1 if the event's callback says so. */
static int sse_line(struct sse *s, int (*event)(void *, struct str, struct str, struct error *), void *context, struct error *error) {
	struct str line = buf_str(&s->line);
	if (!s->begun && str_starts(line, STR("\xEF\xBB\xBF")))
		line = str_skip(line, 3);
	s->begun = true;
	s->line.len = 0;
	if (line.len == 0) {
		struct str data = { s->data.at, s->data.len - (s->data.len > 0) }, type = buf_str(&s->type);
		bool pending = s->pending;
		s->data.len = s->type.len = 0;
		s->pending = false;
		return pending ? event(context, type, data, error) : 0;
	}
	const char *colon = memchr(line.at, ':', line.len);
	struct str name = { line.at, colon == NULL ? line.len : (size_t)(colon - line.at) }, value = str_skip(line, colon == NULL ? line.len : name.len + 1);
	if (value.len > 0 && value.at[0] == ' ')
		value = str_skip(value, 1);
	if (str_eq(name, STR("data"))) {
		buf_add(&s->data, value);
		buf_byte(&s->data, '\n');
		s->pending = true;
	} else if (str_eq(name, STR("event"))) {
		s->type.len = 0;
		buf_add(&s->type, value);
	}
	return 0;
}

/* Takes the next bytes of a stream and calls event for each one that is complete; its arguments last until it returns. -1 with *error for a limit
 * that is passed, or when event gives -1. */
static int sse_feed(struct sse *s, struct str bytes, int (*event)(void *, struct str type, struct str data, struct error *), void *context,
	struct error *error) {
	s->line.arena = s->data.arena = s->type.arena = s->arena;
	for (size_t i = 0, start = 0; i <= bytes.len; i++) {
		bool end = i < bytes.len && (bytes.at[i] == '\n' || bytes.at[i] == '\r');
		if (i < bytes.len && !end)
			continue;
		if (s->line.len + (i - start) + s->data.len > SSE_LINE_MAX)
			return error_set(error, 4, "an event of the answer is larger than 16 MiB, the limit for one event");
		buf_add(&s->line, (struct str){ bytes.at + start, i - start });
		bool second = end && i == start && s->return_seen && bytes.at[i] == '\n';
		if (i < bytes.len || i > start)
			s->return_seen = end && bytes.at[i] == '\r';
		start = i + 1;
		if (end && !second && sse_line(s, event, context, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- 6. the model's answer --------------------------------------------------------------------------------- */

struct answer_call {
	struct str id, name, arguments;
};

/* The caller sets the first block and zeroes the rest. All results lie in the arena. */
struct answer {
	struct arena *arena;
	bool chat;                                 /* Chat Completions, else Responses */
	void (*delta)(void *, struct str text);    /* visible text as it comes; may be NULL */
	void *context;

	enum answer_state { ANSWER_OPEN, ANSWER_DONE, ANSWER_INCOMPLETE, ANSWER_FAILED } state;
	struct buf items;                          /* what to append to the next request's array: JSON, comma-separated */
	struct answer_call *calls;
	size_t count;                              /* of calls; none unless state is ANSWER_DONE */
	struct str text, refusal;                  /* visible text; a refusal's */
	struct str failure, code;                  /* the server's words and code, unless state is ANSWER_DONE */
	int64_t input, cached, output, reasoning;  /* tokens; -1: not said */

	struct buf words, no;                      /* text and refusal as they grow */
	struct buf (*parts)[3];                    /* chat: id, name, arguments of each call as they grow */
	size_t *slots, room;                       /* chat: the call that an index means now */
	bool begun, shown, finished;               /* shown: text of the item at hand has gone to delta; finished: chat has its finish_reason */
	size_t border;                             /* of the arena: above lies what lives no longer than one event */
};

static void answer_show(struct answer *a, struct str text) {
	a->shown = a->shown || text.len > 0;
	if (a->delta != NULL && text.len > 0)
		a->delta(a->context, text);
}

static struct str answer_keep(struct answer *a, struct str s) {
	return (struct str){ arena_z(a->arena, s), s.len };
}

static int answer_add_call(struct answer *a, struct str id, struct str name, struct str arguments, struct error *error) {
	for (size_t k = 0; k < a->count; k++)
		if (str_eq(a->calls[k].id, id))
			return error_set(error, 4, "the model's answer holds two calls with the same id");
	if (a->count == ANSWER_CALLS_MAX)
		return error_set(error, 4, "the model's answer holds more than %d calls, the limit for one answer", ANSWER_CALLS_MAX);
	a->calls[a->count++] = (struct answer_call){ answer_keep(a, id), answer_keep(a, name), answer_keep(a, arguments) };
	return 0;
}

/* Words and code of an error in any of the shapes that servers use: {"error": {message, code, type}}, {"error": "words"}, {message, code}, {"detail": ...}. */
static void answer_error_words(struct arena *arena, const struct json *value, struct str *words, struct str *code) {
	const struct json *error = json_get(value, "error");
	const struct json *from = error != NULL && error->kind == JSON_OBJECT ? error : value, *n = json_get(from, "code");
	*words = json_text(arena, error != NULL && error->kind == JSON_STRING ? error : json_get(from, "message"));
	const struct json *detail = json_get(value, "detail");
	if (words->len == 0 && detail != NULL)
		*words = detail->kind == JSON_STRING ? json_text(arena, detail) : detail->raw;
	*code = n != NULL && n->kind == JSON_NUMBER ? n->raw : json_text(arena, n);
	if (code->len == 0 && from == error)
		*code = json_text(arena, json_get(from, "type"));
}

/* Words and code of an HTTP error's body; of one that is no JSON its beginning. */
static void answer_error_body(struct arena *arena, struct str body, struct str *words, struct str *code) {
	struct error ignored;
	body = http_trim(body);
	const struct json *value = body.len > 0 && body.at[0] == '{' ? json_read(arena, body, &ignored) : NULL;
	answer_error_words(arena, value, words, code);
	if (words->len == 0)
		*words = (struct str){ body.at, body.len < 300 ? body.len : 300 };
}

/* The end that is no success: no call counts. */
static int answer_fail(struct answer *a, enum answer_state state, const struct json *from) {
	struct str words, code;
	answer_error_words(a->arena, from, &words, &code);
	a->state = state;
	a->count = 0;
	a->failure = answer_keep(a, words);
	a->code = answer_keep(a, code);
	return 0;
}

static void answer_usage(struct answer *a, const struct json *usage) {
	static const char *const names[2][4] = { { "input_tokens", "input_tokens_details", "output_tokens", "output_tokens_details" },
		{ "prompt_tokens", "prompt_tokens_details", "completion_tokens", "completion_tokens_details" } };
	const char *const *name = names[a->chat];
	if (usage == NULL || usage->kind != JSON_OBJECT)
		return;
	a->input = json_integer(json_get(usage, name[0]), a->input);
	a->cached = json_integer(json_get(json_get(usage, name[1]), "cached_tokens"), a->cached);
	a->output = json_integer(json_get(usage, name[2]), a->output);
	a->reasoning = json_integer(json_get(json_get(usage, name[3]), "reasoning_tokens"), a->reasoning);
}

/* One complete output item of the Responses API. It is kept byte for byte. */
static int answer_item(struct answer *a, struct arena *scratch, const struct json *item, struct error *error) {
	if (item == NULL || item->kind != JSON_OBJECT)
		return error_set(error, 4, "the server sent an output item that is no object");
	struct str type = json_text(scratch, json_get(item, "type"));
	if (str_eq(type, STR("function_call"))) {
		const struct json *id = json_get(item, "call_id"), *name = json_get(item, "name"), *arguments = json_get(item, "arguments");
		if (id == NULL || id->kind != JSON_STRING || name == NULL || name->kind != JSON_STRING || arguments == NULL || arguments->kind != JSON_STRING)
			return error_set(error, 4, "the server sent a function call without call_id, name or arguments");
		if (answer_add_call(a, json_text(scratch, id), json_text(scratch, name), json_text(scratch, arguments), error) != 0)
			return -1;
	}
	const struct json *content = str_eq(type, STR("message")) ? json_get(item, "content") : NULL;
	bool shown = a->shown;
	for (const struct json *part = content == NULL ? NULL : content->child; part != NULL; part = part->next) {
		struct str text = json_text(scratch, json_get(part, "text")), refusal = json_text(scratch, json_get(part, "refusal"));
		buf_add(&a->words, text);
		buf_add(&a->no, refusal);
		if (!shown)
			answer_show(a, text), answer_show(a, refusal);
	}
	a->shown = false;
	json_format(&a->items, a->items.len > 0 ? ",%r" : "%r", item->raw);
	return 0;
}

/* The response object of a terminal event, or of an answer that is not streamed. */
static int answer_response(struct answer *a, struct arena *scratch, const struct json *response, enum answer_state state, struct error *error) {
	static const struct { const char *status; enum answer_state state; } states[] = { { "completed", ANSWER_DONE }, { "incomplete", ANSWER_INCOMPLETE }, { "failed", ANSWER_FAILED },
		{ "cancelled", ANSWER_FAILED } };
	struct str status = json_text(scratch, json_get(response, "status"));
	for (size_t k = 0; k < 4; k++)
		if (str_eq(status, str_of(states[k].status)))
			state = states[k].state;
	const struct json *output = json_get(response, "output"), *wrong = json_get(response, "error");
	answer_usage(a, json_get(response, "usage"));
	if (wrong != NULL && wrong->kind == JSON_OBJECT)
		return answer_fail(a, ANSWER_FAILED, response);
	if (state == ANSWER_DONE && output == NULL && a->items.len == 0 && status.len == 0)
		return error_set(error, 4, "the server sent a response without status and output");
	if (state != ANSWER_DONE) {
		answer_fail(a, state, response);
		if (a->code.len == 0)
			a->code = answer_keep(a, json_text(scratch, json_get(json_get(response, "incomplete_details"), "reason")));
		return 0;
	}
	for (const struct json *item = output == NULL || a->items.len > 0 ? NULL : output->child; item != NULL; item = item->next)
		if (answer_item(a, scratch, item, error) != 0)
			return -1;
	a->state = ANSWER_DONE;
	return 0;
}

/* One event of the Responses API; types that are not known are ignored. */
static int answer_responses_event(struct answer *a, struct arena *scratch, const struct json *event, struct error *error) {
	static const struct { const char *type; enum answer_state state; } ends[] = { { "response.completed", ANSWER_DONE }, { "response.done", ANSWER_DONE },
		{ "response.incomplete", ANSWER_INCOMPLETE }, { "response.failed", ANSWER_FAILED }, { "response.cancelled", ANSWER_FAILED } };
	struct str type = json_text(scratch, json_get(event, "type"));
	if (str_eq(type, STR("response.output_text.delta")) || str_eq(type, STR("response.refusal.delta")))
		answer_show(a, json_text(scratch, json_get(event, "delta")));
	else if (str_eq(type, STR("response.output_item.done")))
		return answer_item(a, scratch, json_get(event, "item"), error);
	else if (str_eq(type, STR("error")) || (type.len == 0 && json_get(event, "error") != NULL))
		return answer_fail(a, ANSWER_FAILED, event);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
		if (str_eq(type, str_of(ends[k].type)))
			return answer_response(a, scratch, json_get(event, "response"), ends[k].state, error);
	return 0;
}

/* One element of a chat delta's (or message's) tool_calls. A later empty name or id does not overwrite. */
static int answer_chat_call(struct answer *a, struct arena *scratch, const struct json *delta, struct error *error) {
	const struct json *function = json_get(delta, "function"), *arguments = json_get(function, "arguments");
	struct str id = json_text(scratch, json_get(delta, "id")), name = json_text(scratch, json_get(function, "name"));
	int64_t index = json_integer(json_get(delta, "index"), -1);
	if (index < 0) /* some servers leave it out: whoever brings a name begins a call */
		index = (int64_t)a->count - (name.len == 0 && a->count > 0);
	if (arguments != NULL && arguments->kind != JSON_STRING && arguments->kind != JSON_NULL)
		return error_set(error, 4, "the server sent a tool call whose arguments are no string");
	if (index >= ANSWER_CALLS_MAX)
		return error_set(error, 4, "the model's answer holds more than %d calls, the limit for one answer", ANSWER_CALLS_MAX);
	size_t slot = a->slots[index];
	struct buf *old = slot > 0 ? a->parts[slot - 1] : NULL; /* some servers give every call the index 0 */
	if (old == NULL || (id.len > 0 && old[0].len > 0 && !str_eq(id, buf_str(&old[0])) && name.len > 0 && old[1].len > 0)) {
		if (a->count == ANSWER_CALLS_MAX)
			return error_set(error, 4, "the model's answer holds more than %d calls, the limit for one answer", ANSWER_CALLS_MAX);
		slot = a->slots[index] = ++a->count;
		for (int k = 0; k < 3; k++)
			a->parts[slot - 1][k].arena = a->arena;
	}
	struct buf *part = a->parts[slot - 1];
	if (part[0].len == 0)
		buf_add(&part[0], id);
	if (!str_eq(name, buf_str(&part[1])))
		buf_add(&part[1], name);
	buf_add(&part[2], json_text(scratch, arguments));
	return 0;
}

/* A chat delta, or a whole message, which has the same members. */
static int answer_chat_delta(struct answer *a, struct arena *scratch, const struct json *delta, struct error *error) {
	struct str text = json_text(scratch, json_get(delta, "content")), refusal = json_text(scratch, json_get(delta, "refusal"));
	buf_add(&a->words, text);
	buf_add(&a->no, refusal);
	answer_show(a, text);
	answer_show(a, refusal);
	const struct json *calls = json_get(delta, "tool_calls");
	for (const struct json *call = calls == NULL ? NULL : calls->child; call != NULL; call = call->next)
		if (answer_chat_call(a, scratch, call, error) != 0)
			return -1;
	return 0;
}

/* The end of a chat answer: its message is put together for the next request. */
static int answer_chat_close(struct answer *a, struct error *error) {
	size_t count = a->count;
	struct buf *out = &a->items;
	if (a->state != ANSWER_OPEN)
		return 0;
	json_format(out, a->words.len == 0 && count > 0 ? "{'role':'assistant','content':null" : "{'role':'assistant','content':%S", buf_str(&a->words));
	if (a->no.len > 0)
		json_format(out, ",'refusal':%S", buf_str(&a->no));
	a->count = 0;
	for (size_t k = 0; k < count; k++) {
		struct buf *part = a->parts[k];
		if (part[0].len == 0)
			buf_format(&part[0], "call_%zu", k + 1);
		if (answer_add_call(a, buf_str(&part[0]), buf_str(&part[1]), buf_str(&part[2]), error) != 0)
			return -1;
		json_format(out, "%r{'id':%S,'type':'function','function':{'name':%S,'arguments':%S}}", k == 0 ? STR(",\"tool_calls\":[") : STR(","),
			a->calls[k].id, a->calls[k].name, a->calls[k].arguments);
	}
	buf_add(out, count > 0 ? STR("]}") : STR("}"));
	a->state = ANSWER_DONE;
	return 0;
}

/* One chunk of a chat stream, or a whole chat completion. */
static int answer_chat_event(struct answer *a, struct arena *scratch, const struct json *event, struct error *error) {
	const struct json *wrong = json_get(event, "error"), *choices = json_get(event, "choices");
	answer_usage(a, json_get(event, "usage"));
	if (wrong != NULL && wrong->kind != JSON_NULL)
		return answer_fail(a, ANSWER_FAILED, event);
	const struct json *choice = choices == NULL ? NULL : choices->child, *delta = json_get(choice, "delta");
	if (choice == NULL)
		return 0;
	if (answer_chat_delta(a, scratch, delta != NULL ? delta : json_get(choice, "message"), error) != 0)
		return -1;
	struct str reason = json_text(scratch, json_get(choice, "finish_reason"));
	a->finished = a->finished || reason.len > 0;
	if (str_eq(reason, STR("length")) || str_eq(reason, STR("content_filter"))) {
		answer_fail(a, ANSWER_INCOMPLETE, NULL);
		a->code = answer_keep(a, reason);
	}
	return 0;
}

/* What is read of one event lies above the border, and is given back at once: memory stays linear in the answer. */
static struct arena answer_begin(struct answer *a) {
	struct arena *arena = a->arena;
	if (!a->begun) {
		a->begun = true;
		a->input = a->cached = a->output = a->reasoning = -1;
		a->items.arena = a->words.arena = a->no.arena = arena;
		a->calls = arena_take(arena, sizeof *a->calls, ANSWER_CALLS_MAX);
		if (a->chat) {
			a->parts = arena_take(arena, sizeof *a->parts, ANSWER_CALLS_MAX);
			a->slots = arena_take(arena, sizeof *a->slots, ANSWER_CALLS_MAX);
		}
		a->border = (arena->used + (arena->size - arena->used) / 2) / ARENA_STEP * ARENA_STEP;
	}
	struct arena scratch = { .at = arena->at + a->border, .size = arena->size - a->border, .full = arena->full };
	a->room = arena->size;
	arena->size = a->border;
	return scratch;
}

static int answer_finish(struct answer *a, struct arena *scratch, int result) {
	arena_reset(scratch, 0);
	a->arena->size = a->room;
	a->text = buf_str(&a->words);
	a->refusal = buf_str(&a->no);
	return result;
}

/* One event's data. 0, or -1 for nonsense (status 4). After the terminal event the rest is ignored. */
static int answer_event(struct answer *a, struct str data, struct error *error) {
	data = http_trim(data);
	if (data.len == 0 || a->state != ANSWER_OPEN || (!a->chat && str_eq(data, STR("[DONE]"))))
		return 0;
	struct arena scratch = answer_begin(a);
	if (str_eq(data, STR("[DONE]")))
		return answer_finish(a, &scratch, answer_chat_close(a, error));
	const struct json *event = json_read(&scratch, data, error);
	return answer_finish(a, &scratch, event == NULL ? -1 : a->chat ? answer_chat_event(a, &scratch, event, error)
		: answer_responses_event(a, &scratch, event, error));
}

/* A whole JSON body in place of a stream. */
static int answer_body(struct answer *a, struct str json, struct error *error) {
	struct arena scratch = answer_begin(a);
	const struct json *body = json_read(&scratch, json, error);
	int result = body == NULL ? -1 : a->chat ? answer_chat_event(a, &scratch, body, error) : answer_response(a, &scratch, body, ANSWER_DONE, error);
	return answer_finish(a, &scratch, result);
}

/* The end of the stream or body: closes a chat answer that has its finish_reason. An answer that is ANSWER_OPEN afterwards ended before its end. */
static int answer_end(struct answer *a, struct error *error) {
	if (!a->chat || !a->finished || a->state != ANSWER_OPEN)
		return 0;
	struct arena scratch = answer_begin(a);
	return answer_finish(a, &scratch, answer_chat_close(a, error));
}
#undef HTTP_FAIL
#endif
