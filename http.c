/* http.c - the model's wire: URLs and NO_PROXY, certificates, sockets and TLS over BearSSL, HTTP/1.1.
 *
 * Every byte from the network is hostile until parsed; parsers are functions over bytes, without input or output. Every
 * wait has a limit, and ends when `wake` is readable. No globals. Errors have status 4 unless said otherwise. */
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
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* there SO_NOSIGPIPE is set */
#endif

#define HTTP_HEAD_MAX ((size_t)64 << 10)   /* bytes of one response head, of the trailers of one body */
#define HTTP_ANSWER_MAX ((size_t)64 << 20) /* bytes of one answer, its framing included */
#define HTTP_LINE_MAX 4096                 /* bytes of one line of chunked framing */
#define HTTP_INTERIM_MAX 32                /* 1xx heads before one answer */
#define HTTP_ADDRESSES_MAX 16              /* addresses of one name that are tried */
#define HTTP_PEM_MAX ((size_t)16 << 20)    /* bytes of a bundle of roots */
#define HTTP_CERT_MAX ((size_t)32 << 10)   /* bytes of one certificate of a server */
#define HTTP_CONNECT_MS 10000              /* for one address; half of it while there are more */
#define HTTP_SETUP_MS 30000                /* for looking up a name; for a proxy's tunnel and the TLS handshake */

/* ---- 1. URLs and NO_PROXY (RFC 3986) ----------------------------------------------------------------------------- */

struct http_url {
	bool tls, literal;   /* literal: host is an IP address, without brackets */
	char host[256], path[1024]; /* path has no '/' at its end */
	unsigned port;
	char user[512];      /* "name:password", decoded; proxies only */
};

static bool http_same(struct str s, const char *z) {
	return s.len == strlen(z) && (s.len == 0 || strncasecmp(s.at, z, s.len) == 0);
}

static struct str http_trim(struct str s) {
	while (s.len > 0 && (unsigned char)s.at[0] <= ' ') s = str_skip(s, 1);
	while (s.len > 0 && (unsigned char)s.at[s.len - 1] <= ' ') s.len--;
	return s;
}

/* What stands before the first byte of `stops` in *rest, which loses that too. */
static struct str http_until(struct str *rest, const char *stops) {
	size_t n = 0;
	while (n < rest->len && (rest->at[n] == '\0' || strchr(stops, rest->at[n]) == NULL)) n++;
	struct str part = { rest->at, n };
	*rest = str_skip(*rest, n < rest->len ? n + 1 : n);
	return part;
}

/* A number of decimal digits only; -1 for anything else and for what is above max. */
static int64_t http_decimal(struct str s, int64_t max) {
	int64_t n = s.len == 0 ? -1 : 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.at[i] < '0' || s.at[i] > '9' || n > (max - (s.at[i] - '0')) / 10) return -1;
		n = n * 10 + (s.at[i] - '0');
	}
	return n;
}

/* Bytes of a stranger's as printable ASCII; what does not fit is cut, since it is only shown. */
static void http_plain(struct str s, char *out, size_t size) {
	size_t n = 0;
	for (; n < s.len && n + 1 < size; n++) out[n] = s.at[n] >= 0x20 && s.at[n] < 0x7F ? s.at[n] : '?';
	out[n] = '\0';
}

/* The bytes of the IP address that text is: 4 or 16, or 0 if it is none. */
static size_t http_address(struct str text, unsigned char bytes[16]) {
	char z[64] = "";
	if (text.len == 0 || text.len >= sizeof z) return 0;
	memcpy(z, text.at, text.len);
	return inet_pton(AF_INET, z, bytes) == 1 ? 4 : inet_pton(AF_INET6, z, bytes) == 1 ? 16 : 0;
}

/* These three: NULL, or what is wrong. */
static const char *http_url_user(struct str s, char *out, size_t size) {
	for (size_t i = 0, n = 0; i < s.len; i++) {
		int c = (unsigned char)s.at[i];
		if (c == '%') {
			c = s.len - i < 3 ? -1 : json_hex((char[4]){ '0', '0', s.at[i + 1], s.at[i + 2] });
			i += 2;
		}
		if (c < 0x20 || c == 0x7F || n + 1 >= size) return "holds a user name or password that is malformed or too long";
		out[n++] = (char)c;
	}
	return NULL;
}

static const char *http_url_host(struct str host, bool bracketed, struct http_url *url) {
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
	unsigned char address[16];
	host.len -= !bracketed && str_ends(host, STR("."));
	for (size_t i = 0; i < host.len && i < sizeof url->host - 1; i++)
		url->host[i] = host.at[i] >= 'A' && host.at[i] <= 'Z' ? (char)(host.at[i] + 32) : host.at[i];
	const char *dot = strrchr(url->host, '.'), *last = dot == NULL ? url->host : dot + 1;
	size_t bytes = http_address(host, address);
	url->literal = bytes > 0;
	if (bytes > 0) return bracketed == (bytes == 16) ? NULL : "has an address whose brackets are wrong";
	if (bracketed || host.len == 0 || host.len > 253 || url->host[0] == '.' || strstr(url->host, "..") != NULL ||
	    strspn(url->host, letters) != host.len || strspn(last, "0123456789") == strlen(last)) /* "127.1" */
		return "has a malformed host";
	return NULL;
}

static const char *http_url_parts(struct str s, bool proxy, struct http_url *url) {
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] <= ' ' || s.at[i] >= 0x7F || strchr("\\\"<>", s.at[i]) != NULL)
			return "holds a space or another byte that no URL has";
	ptrdiff_t colon = str_find(s, STR("://"));
	struct str scheme = { s.at, colon < 0 ? 0 : (size_t)colon }, user = { 0 };
	url->tls = http_same(scheme, "https");
	if (!http_same(scheme, "http") && !(proxy ? colon < 0 : url->tls))
		return proxy ? "must begin with http:// (no TLS or SOCKS to a proxy)" : "must begin with https:// or http://";
	s = str_skip(s, colon < 0 ? 0 : scheme.len + 3);
	if (memchr(s.at, '?', s.len) != NULL || memchr(s.at, '#', s.len) != NULL)
		return "holds a '?' or '#', behind which no path can be put";
	struct str rest = s, authority = http_until(&rest, "/"), path = str_skip(s, authority.len);
	for (ptrdiff_t at; (at = str_find(authority, STR("@"))) >= 0; authority = str_skip(authority, (size_t)at + 1))
		user = (struct str){ s.at, (size_t)(authority.at + at - s.at) };
	if (memchr(path.at, '@', path.len) != NULL && proxy) return "has a '/' in its user name or password: write it as %2F";
	if (user.at != NULL && !proxy) return "holds a user name, which it may not: the key is taken from OPENAI_API_KEY";
	bool bracketed = str_starts(authority, STR("["));
	struct str port = str_skip(authority, bracketed), host = http_until(&port, bracketed ? "]" : ":");
	if (bracketed && (port.len > 0 ? port.at[0] != ':' : !str_ends(authority, STR("]"))))
		return "has a malformed address in brackets";
	port = str_skip(port, bracketed && port.len > 0);
	int64_t number = port.len == 0 ? (url->tls ? 443 : 80) : http_decimal(port, 65535);
	while (str_ends(path, STR("/"))) path.len--;
	const char *wrong = http_url_user(user, url->user, sizeof url->user);
	if (wrong == NULL) wrong = http_url_host(host, bracketed, url);
	if (wrong == NULL && number <= 0) wrong = "has a port that is no number from 1 to 65535";
	if (wrong == NULL && path.len >= sizeof url->path) wrong = "has a path that is too long";
	url->port = (unsigned)number;
	http_plain(path, url->path, sizeof url->path);
	return wrong;
}

/* Reads a base URL, or a proxy's (which may lack "http://"). 0, or -1 with status 2; the words hold no credentials. */
static int http_url_read(struct str text, bool proxy, struct http_url *url, struct error *error) {
	*url = (struct http_url){ 0 };
	const char *wrong = text.len == 0 ? "is empty" : http_url_parts(text, proxy, url);
	return wrong == NULL ? 0 : error_set(error, 2, "the %s URL %s", proxy ? "proxy's" : "base", wrong);
}

/* Whether one entry of NO_PROXY means host: "*", a name and all below it, an address, a network ("10.0.0.0/8"); perhaps
 * with ":port". */
static bool http_no_proxy_entry(struct str entry, struct str host, unsigned port) {
	unsigned char have[16], want[16];
	size_t bytes = http_address(host, have);
	bool bracketed = entry.at[0] == '[';
	struct str at = str_skip(entry, bracketed), name = http_until(&at, bracketed ? "]" : ":");
	at = str_skip(at, bracketed && at.len > 0); /* its ':' */
	if (!bracketed && memchr(at.at, ':', at.len) != NULL) name = entry; /* an IPv6 address */
	else if (at.len > 0 && http_decimal(at, 65535) != (int64_t)port) return false;
	if (http_same(name, "*")) return true;
	struct str bits = name, address = http_until(&bits, "/");
	if (bytes > 0) {
		int64_t n = bits.len == 0 ? (int64_t)bytes * 8 : http_decimal(bits, (int64_t)bytes * 8);
		size_t whole = (size_t)n / 8;
		return http_address(address, want) == bytes && n >= 0 && memcmp(have, want, whole) == 0 &&
		    (n % 8 == 0 || (have[whole] ^ want[whole]) >> (8 - n % 8) == 0);
	}
	name = str_skip(name, str_starts(name, STR("*.")) ? 2 : str_starts(name, STR(".")));
	return name.len > 0 && host.len >= name.len && http_same(name, host.at + host.len - name.len) &&
	    (host.len == name.len || host.at[host.len - name.len - 1] == '.');
}

/* Whether list (NO_PROXY: entries between commas or blanks) says that host is reached without a proxy. */
static bool http_no_proxy(struct str list, const char *host, unsigned port) {
	while (list.len > 0) {
		struct str entry = http_until(&list, ", \t");
		if (entry.len > 0 && http_no_proxy_entry(entry, str_of(host), port)) return true;
	}
	return false;
}

/* ---- 2. certificates (RFC 5280; DER: X.690) ---------------------------------------------------------------------- */

/* What is looked at in a certificate. */
struct http_certificate {
	struct str issuer, subject; /* whole names */
	struct str key;             /* content of subjectPublicKeyInfo */
	struct str names, usages;   /* contents of the extensions subjectAltName, extKeyUsage; at NULL: absent */
	char from[16], until[16];   /* YYYYMMDDHHMMSS */
	bool authority;             /* basicConstraints has cA */
	bool signs, limited;        /* keyUsage has digitalSignature, or is absent; has nameConstraints, unchecked here */
};

/* Takes the next element off *rest: gives its tag, its content in *value, all of it in *whole (which may be NULL); 0 at
 * the end and for what is malformed. */
static unsigned der_next(struct str *rest, struct str *value, struct str *whole) {
	const unsigned char *p = (const unsigned char *)rest->at;
	size_t head = 2, len = rest->len < 2 ? 0 : p[1], count = len & 0x7F;
	*value = (struct str){ 0 };
	if (rest->len < 2 || (p[0] & 0x1F) == 0x1F) return 0;
	if (len >= 0x80) {
		if (count == 0 || count > 4 || rest->len < 2 + count) return 0;
		for (len = 0; head < 2 + count; head++) len = len << 8 | p[head];
	}
	if (len > rest->len - head) return 0;
	*value = (struct str){ rest->at + head, len };
	if (whole != NULL) *whole = (struct str){ rest->at, head + len };
	*rest = str_skip(*rest, head + len);
	return p[0];
}

/* UTCTime or GeneralizedTime as YYYYMMDDHHMMSS. */
static bool der_time(struct str *rest, char out[16]) {
	struct str s;
	unsigned tag = der_next(rest, &s, NULL);
	if (!(tag == 0x17 && s.len == 13) && !(tag == 0x18 && s.len == 15)) return false;
	snprintf(out, 16, "%s%.*s", tag == 0x18 ? "" : s.at[0] < '5' ? "20" : "19", (int)s.len - 1, s.at);
	return strspn(out, "0123456789") == 14;
}

/* Reads a certificate; false if it is malformed. */
static bool http_certificate_read(struct str der, struct http_certificate *c) {
	struct str all, tbs, value, list, oid, inside;
	*c = (struct http_certificate){ .signs = true };
	if (der_next(&der, &all, NULL) != 0x30 || der_next(&all, &tbs, NULL) != 0x30) return false;
	unsigned tag = der_next(&tbs, &value, NULL);
	if (tag == 0xA0) tag = der_next(&tbs, &value, NULL); /* version */
	if (tag != 0x02 || der_next(&tbs, &value, NULL) != 0x30 || der_next(&tbs, &value, &c->issuer) != 0x30 ||
	    der_next(&tbs, &value, NULL) != 0x30 || !der_time(&value, c->from) || !der_time(&value, c->until) ||
	    der_next(&tbs, &value, &c->subject) != 0x30 || der_next(&tbs, &c->key, NULL) != 0x30)
		return false;
	do tag = der_next(&tbs, &value, NULL); while (tag != 0 && tag != 0xA3);
	der_next(&value, &list, NULL);
	while (tag != 0 && der_next(&list, &all, NULL) == 0x30) { /* the extensions */
		if (der_next(&all, &oid, NULL) != 0x06) return false;
		do tag = der_next(&all, &value, NULL); while (tag == 0x01); /* critical */
		if (tag != 0x04 || (tag = der_next(&value, &inside, NULL)) == 0) return false;
		if (tag == 0x30 && str_eq(oid, STR("\x55\x1D\x11"))) c->names = inside;
		if (tag == 0x30 && str_eq(oid, STR("\x55\x1D\x25"))) c->usages = inside;
		if (tag == 0x03 && str_eq(oid, STR("\x55\x1D\x0F"))) c->signs = inside.len > 1 && (inside.at[1] & 0x80) != 0;
		if (tag == 0x30 && str_eq(oid, STR("\x55\x1D\x13")))
			c->authority = der_next(&inside, &value, NULL) == 0x01 && value.len == 1 && value.at[0] != 0;
		c->limited |= str_eq(oid, STR("\x55\x1D\x1E"));
	}
	return true;
}

/* The key in subjectPublicKeyInfo (RFC 3279, 5480), as slices of it; false for kinds that BearSSL does not know. */
static bool http_public_key(struct str info, br_x509_pkey *key) {
	static const struct str curves[] = { { "\x2A\x86\x48\xCE\x3D\x03\x01\x07", 8 }, { "\x2B\x81\x04\x00\x22", 5 },
		{ "\x2B\x81\x04\x00\x23", 5 } }; /* BR_EC_secp256r1, BR_EC_secp384r1, BR_EC_secp521r1: 23 to 25 */
	struct str algorithm, bits, oid, part, number[2];
	if (der_next(&info, &algorithm, NULL) != 0x30 || der_next(&info, &bits, NULL) != 0x03 || bits.len < 2) return false;
	der_next(&algorithm, &oid, NULL);
	der_next(&algorithm, &part, NULL);
	bits = str_skip(bits, 1); /* the count of bits that are not used: none */
	for (int k = 0; k < 3 && str_eq(oid, STR("\x2A\x86\x48\xCE\x3D\x02\x01")); k++) {
		if (!str_eq(part, curves[k])) continue;
		key->key_type = BR_KEYTYPE_EC;
		key->key.ec = (br_ec_public_key){ BR_EC_secp256r1 + k, (unsigned char *)(size_t)bits.at, bits.len };
		return true;
	}
	if (!str_eq(oid, STR("\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01")) || der_next(&bits, &part, NULL) != 0x30) return false;
	for (int k = 0; k < 2; k++) { /* modulus and exponent */
		if (der_next(&part, &number[k], NULL) != 0x02) return false;
		while (number[k].len > 0 && number[k].at[0] == 0) number[k] = str_skip(number[k], 1);
	}
	key->key_type = BR_KEYTYPE_RSA;
	key->key.rsa = (br_rsa_public_key){ (unsigned char *)(size_t)number[0].at, number[0].len,
		(unsigned char *)(size_t)number[1].at, number[1].len };
	return number[0].len > 0 && number[1].len > 0;
}

/* Now, as certificates write it. */
static void http_clock(char out[16]) {
	time_t now = time(NULL);
	struct tm tm;
	if (gmtime_r(&now, &tm) == NULL || strftime(out, 16, "%Y%m%d%H%M%S", &tm) != 14) memcpy(out, "19700101000000", 15);
}

/* Decodes base64 (RFC 4648; blanks and line breaks are skipped) from *rest up to a '-' into out; gives the bytes, or
 * -1. BearSSL's own reader takes four times as long as all the rest of loading the roots. */
static ptrdiff_t http_base64_read(struct str *rest, char *out) {
	size_t n = 0, pads = 0, digits = 0;
	uint32_t group = 0;
	for (; rest->len > 0 && rest->at[0] != '-'; rest->at++, rest->len--) {
		unsigned c = (unsigned char)rest->at[0];
		if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
		unsigned value = c - 'A' < 26 ? c - 'A' : c - 'a' < 26 ? c - 'a' + 26 : c - '0' < 10 ? c - '0' + 52 : c == '+' ? 62 :
		    c == '/' ? 63 : 64;
		pads += value == 64;
		if ((value == 64 && c != '=') || (value < 64 && pads > 0) || pads > 2) return -1;
		group = group << 6 | (value & 63);
		if (++digits % 4 != 0) continue;
		for (int shift = 16; shift >= 0; shift -= 8) out[n++] = (char)(group >> shift);
	}
	return digits % 4 != 0 ? -1 : (ptrdiff_t)(n - pads);
}

struct http_anchors {
	br_x509_trust_anchor *at;
	size_t count, broken, outdated; /* usable; malformed, or not to be used here; not within their dates now */
};

/* Reads the certificates of a PEM text as trust anchors, which stay in the arena. Lines may end in CRLF, text may stand
 * between; broken ones are counted. */
static void http_anchors_read(struct arena *arena, struct str pem, struct http_anchors *anchors) {
	const struct str begin = STR("-----BEGIN CERTIFICATE-----"), end = STR("-----END CERTIFICATE-----");
	char now[16], *space = arena_take(arena, 1, pem.len + 3); /* decoded bytes are fewer than encoded ones */
	size_t room = 0;
	ptrdiff_t at;
	for (struct str s = pem; (at = str_find(s, begin)) >= 0; room++) s = str_skip(s, (size_t)at + begin.len);
	*anchors = (struct http_anchors){ .at = arena_take(arena, sizeof *anchors->at, room) };
	http_clock(now);
	while ((at = str_find(pem, begin)) >= 0) {
		struct http_certificate c;
		pem = str_skip(pem, (size_t)at + begin.len);
		ptrdiff_t len = http_base64_read(&pem, space);
		struct str der = { space, len < 0 ? 0 : (size_t)len };
		br_x509_trust_anchor *anchor = &anchors->at[anchors->count];
		bool well = str_starts(pem, end) && http_certificate_read(der, &c) && !c.limited;
		well = well && http_public_key(c.key, &anchor->pkey);
		bool dated = well && strcmp(now, c.from) >= 0 && strcmp(now, c.until) <= 0;
		*(!well ? &anchors->broken : !dated ? &anchors->outdated : &anchors->count) += 1;
		if (!dated) continue;
		anchor->dn = (br_x500_name){ (unsigned char *)(size_t)c.subject.at, c.subject.len };
		anchor->flags = c.authority ? BR_X509_TA_CA : 0;
		space += der.len; /* the anchor's name and key lie in it */
	}
}

/* Loads the roots in file (NULL: the system's bundle) into the arena. 0, or -1 with status 2. */
static int http_anchors_load(struct arena *arena, const char *file, struct http_anchors *anchors, struct error *error) {
	static const char *const bundles[] = { "/etc/ssl/certs/ca-certificates.crt" /* Debian, Alpine, Arch */,
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt" /* Fedora */,
		"/etc/ssl/ca-bundle.pem" /* openSUSE */, "/etc/ssl/cert.pem" /* macOS */ };
	int fd = file != NULL ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	for (size_t k = 0; file == NULL && fd < 0 && k < sizeof bundles / sizeof *bundles; k++)
		fd = open(bundles[k], O_RDONLY | O_CLOEXEC);
	if (fd < 0 && file == NULL)
		return error_set(error, 2, "no root certificates found: install ca-certificates, or give --ca-file FILE");
	struct buf pem = { .arena = arena };
	ssize_t n = -1;
	while (fd >= 0 && (n = read(fd, buf_room(&pem, 65536), 65536)) > 0 && pem.len <= HTTP_PEM_MAX) pem.len += (size_t)n;
	int cause = errno;
	if (fd >= 0) close(fd);
	errno = cause;
	if (file == NULL) file = "the system's bundle";
	if (n < 0) return error_set(error, 2, "the root certificates in %s cannot be read:", file);
	if (n > 0) return error_set(error, 2, "%s is larger than 16 MiB, the limit for root certificates", file);
	http_anchors_read(arena, buf_str(&pem), anchors);
	if (anchors->count > 0) return 0;
	return error_set(error, 2, anchors->outdated > 0 ? "no certificate in %s is within its dates: is this machine's clock "
	    "right?" : "%s holds no usable certificate (\"-----BEGIN CERTIFICATE-----\" is looked for)", file);
}

/* BearSSL's validation of a chain, and around it what that leaves out: names and usages (RFC 9525), dates in words. */
struct http_check {
	const br_x509_class *vtable; /* first: this is what BearSSL sees */
	br_x509_minimal_context chain;
	const struct http_url *url;
	const struct http_anchors *anchors;
	size_t count, len;           /* certificates so far; bytes of the current one */
	bool name, usage, own;       /* the leaf has the host's name; usages allow a server; the last was issued by itself */
	char dates[64];              /* "expired on 2024-01-31": of the first one that is outside of them */
	char names[160], issuer[96]; /* the leaf's names; who issued the last one: printable */
	char now[16], cert[HTTP_CERT_MAX];
};

/* Whether a dNSName means host: the same name, or "*" in place of its first label with at least two behind it. */
static bool http_name_matches(struct str pattern, const char *host) {
	const char *rest = strchr(host, '.');
	if (!str_starts(pattern, STR("*."))) return http_same(pattern, host);
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
			k->name |= bytes == 0 && http_name_matches(name, k->url->host);
			http_plain(name, text, sizeof text);
		} else if (tag == 0x87 && (name.len == 4 || name.len == 16)) {
			k->name |= bytes == name.len && memcmp(name.at, address, bytes) == 0;
			inet_ntop(name.len == 4 ? AF_INET : AF_INET6, name.at, text, sizeof text);
		}
		if (text[0] != '\0' && used + strlen(text) + 3 < sizeof k->names)
			used += (size_t)snprintf(k->names + used, sizeof k->names - used, "%s%s", used > 0 ? ", " : "", text);
	}
}

/* BearSSL's methods; each does its own and then, or before, that of the chain inside. */
#define CHECK(context) ((struct http_check *)(void *)(context))
static void http_check_start_chain(const br_x509_class **context, const char *name) {
	struct http_check *k = CHECK(context);
	time_t now = time(NULL);
	(void)name; /* BearSSL would take the common name too, and wildcards for a top-level name */
	br_x509_minimal_init(&k->chain, &br_sha256_vtable, k->anchors->at, k->anchors->count);
	br_x509_minimal_set_rsa(&k->chain, br_rsa_pkcs1_vrfy_get_default());
	br_x509_minimal_set_ecdsa(&k->chain, br_ec_get_default(), br_ecdsa_vrfy_asn1_get_default());
	br_x509_minimal_set_hash(&k->chain, br_sha256_ID, &br_sha256_vtable);
	br_x509_minimal_set_hash(&k->chain, br_sha384_ID, &br_sha384_vtable);
	br_x509_minimal_set_hash(&k->chain, br_sha512_ID, &br_sha512_vtable);
	br_x509_minimal_set_minrsa(&k->chain, 256);
	br_x509_minimal_set_time(&k->chain, (uint32_t)(now / 86400 + 719528), (uint32_t)(now % 86400)); /* days from year 0 */
	http_clock(k->now);
	k->usage = true;
	k->chain.vtable->start_chain(&k->chain.vtable, NULL);
}

static void http_check_start_cert(const br_x509_class **context, uint32_t length) {
	CHECK(context)->len = 0;
	CHECK(context)->chain.vtable->start_cert(&CHECK(context)->chain.vtable, length);
}

static void http_check_append(const br_x509_class **context, const unsigned char *bytes, size_t len) {
	struct http_check *k = CHECK(context);
	size_t room = sizeof k->cert - k->len, part = len < room ? len : room;
	memcpy(k->cert + k->len, bytes, part);
	k->len += part; /* one that is cut here does not parse below */
	k->chain.vtable->append(&k->chain.vtable, bytes, len);
}

static void http_check_end_cert(const br_x509_class **context) {
	struct http_check *k = CHECK(context);
	struct http_certificate c;
	struct str usage;
	k->chain.vtable->end_cert(&k->chain.vtable);
	bool whole = http_certificate_read((struct str){ k->cert, k->len }, &c), server = c.usages.at == NULL;
	if (k->count++ == 0) {
		http_check_names(k, c.names);
		k->usage = c.signs;
	}
	while (der_next(&c.usages, &usage, NULL) == 0x06)
		server |= str_eq(usage, STR("\x2B\x06\x01\x05\x05\x07\x03\x01")); /* serverAuth */
	k->usage &= server && whole && !c.limited;
	k->own = str_eq(c.issuer, c.subject);
	ptrdiff_t at = str_find(c.issuer, STR("\x06\x03\x55\x04\x03")); /* its common name, else organisation */
	if (at < 0) at = str_find(c.issuer, STR("\x06\x03\x55\x04\x0A"));
	struct str name = str_skip(c.issuer, at < 0 ? c.issuer.len : (size_t)at + 5);
	der_next(&name, &usage, NULL);
	http_plain(usage, k->issuer, sizeof k->issuer);
	bool early = strcmp(k->now, c.from) < 0;
	const char *date = early ? c.from : c.until, *words = early ? "is not valid before" : "expired on";
	if (k->dates[0] == '\0' && (early || strcmp(k->now, c.until) > 0))
		snprintf(k->dates, sizeof k->dates, "%s %.4s-%.2s-%.2s", words, date, date + 4, date + 6);
}

static unsigned http_check_end_chain(const br_x509_class **context) {
	struct http_check *k = CHECK(context);
	unsigned wrong = k->chain.vtable->end_chain(&k->chain.vtable);
	return wrong != 0 ? wrong : !k->usage ? BR_ERR_X509_FORBIDDEN_KEY_USAGE : !k->name ? BR_ERR_X509_BAD_SERVER_NAME : 0;
}

static const br_x509_pkey *http_check_key(const br_x509_class *const *context, unsigned *usages) {
	const struct http_check *k = (const struct http_check *)(const void *)context;
	return k->chain.vtable->get_pkey(&k->chain.vtable, usages);
}
#undef CHECK

static const br_x509_class http_check_class = { sizeof(struct http_check), http_check_start_chain,
	http_check_start_cert, http_check_append, http_check_end_cert, http_check_end_chain, http_check_key };

/* ---- 3. the connection: addresses, sockets, TLS ------------------------------------------------------------------ */

enum http_result {
	HTTP_OK = 0,
	HTTP_FAULT = -1,  /* the connection failed: may be tried again */
	HTTP_FATAL = -2,  /* trying again would not help: certificate, framing, refused by name */
	HTTP_STOPPED = -3 /* wake became readable */
};

/* Where one is in a body's framing (RFC 9112, 6 and 7). */
struct http_frame {
	enum { HTTP_TO_CLOSE, HTTP_LENGTH, HTTP_CHUNKED } kind;
	enum { HTTP_DATA, HTTP_SIZE, HTTP_DATA_END, HTTP_TRAILER, HTTP_END } step;
	uint64_t left;     /* bytes of the body, or of the chunk, still to come */
	size_t len, extra; /* bytes of the line so far; of all trailers */
	char line[HTTP_LINE_MAX];
};

struct http_head {
	int status;
	bool event_stream, json;
	long retry_after_ms; /* -1: none */
	int should_retry;    /* -1 unsaid, 0, 1 */
	char type[128], encoding[64], location[256], reason[64]; /* printable */
	bool close, coded;   /* "Connection: close"; a Transfer-Encoding was there */
	int64_t length;      /* Content-Length, or -1 */
};

/* The caller fills the first block and zeroes the rest. */
struct http_client {
	struct http_url url;
	const struct http_url *proxy;       /* NULL: none */
	const struct http_anchors *anchors; /* for https */
	int wake;                           /* a descriptor: readable means stop at once */
	unsigned silence;                   /* seconds of silence allowed */

	struct error *error;                /* of the call at hand */
	const char *phase;                  /* what is being done, in words */
	int fd;
	bool open, secure, done, keep;      /* done: the body has been read whole; keep: another request may follow it */
	bool early, ended, clean;           /* the peer takes no more; no more comes; and that was no truncation */
	uint64_t since, deadline;           /* ms: when the last byte went either way; end of the phase, 0: none */
	size_t address, at, end, total;     /* which address answered; what of `in` is unread; bytes since the request */
	struct http_frame frame;
	char authority[300], request[8192], head[HTTP_HEAD_MAX], in[16384];
	br_ssl_client_context ssl;
	struct http_check check;
	unsigned char records[BR_SSL_BUFSIZE_BIDI];
};

/* Says "HOST: words"; words that end in ':' get strerror(errno). Gives result. */
__attribute__((format(printf, 3, 4))) static enum http_result http_fail(struct http_client *c, enum http_result result,
    const char *format, ...) {
	char words[900];
	va_list args;
	va_start(args, format);
	vsnprintf(words, sizeof words, format, args); /* cut: words only */
	va_end(args);
	error_set(c->error, 4, "%s: %s", c->url.host, words);
	return result;
}

/* Milliseconds of a clock that only goes forward. */
static uint64_t http_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Waits until fd is ready for events (poll(2)), silence has lasted too long, wake is readable, or the deadline is past: that
 * counts also while bytes keep coming. */
static enum http_result http_wait(struct http_client *c, int fd, short events, short *ready) {
	uint64_t until = c->since + 1000 * (uint64_t)c->silence, end = c->deadline == 0 ? UINT64_MAX : c->deadline;
	if (end < until) until = end;
	for (;;) {
		uint64_t now = http_now(), left = until > now ? until - now : 0;
		struct pollfd p[2] = { { .fd = fd, .events = events }, { .fd = c->wake, .events = POLLIN } };
		int n = poll(p, 2, left > 3600000 ? 3600000 : (int)left);
		*ready = p[0].revents;
		if (n < 0 && errno != EINTR) return http_fail(c, HTTP_FATAL, "poll:");
		if (n > 0 && p[1].revents != 0) return http_fail(c, HTTP_STOPPED, "interrupted");
		if (now >= end) return http_fail(c, HTTP_FAULT, "%s took too long", c->phase);
		if (n > 0) return HTTP_OK;
		if (left == 0) return http_fail(c, HTTP_FAULT, "nothing came for %u s while %s", c->silence, c->phase);
	}
}

struct http_addresses {
	int wrong, count; /* wrong: of getaddrinfo(3) */
	struct sockaddr_storage at[HTTP_ADDRESSES_MAX];
};

static void http_resolve(const struct http_url *url, struct http_addresses *found) {
	struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	char port[12];
	snprintf(port, sizeof port, "%u", url->port);
	*found = (struct http_addresses){ .wrong = getaddrinfo(url->host, port, &want, &list) };
	for (struct addrinfo *a = list; a != NULL && found->count < HTTP_ADDRESSES_MAX; a = a->ai_next)
		if (a->ai_addrlen <= sizeof found->at[0]) memcpy(&found->at[found->count++], a->ai_addr, a->ai_addrlen);
	if (list != NULL) freeaddrinfo(list);
}

/* The addresses of url's host. getaddrinfo(3) can neither be bounded nor interrupted, so a child calls it. */
static enum http_result http_lookup(struct http_client *c, const struct http_url *url, struct http_addresses *found) {
	int ends[2];
	short ready;
	if (pipe(ends) != 0) return http_fail(c, HTTP_FATAL, "pipe:");
	pid_t child = fork();
	if (child == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(HTTP_SETUP_MS / 1000); /* also when the parent has been killed */
		http_resolve(url, found);
		_exit(write(ends[1], found, sizeof *found) < 0); /* a pipe takes so little at once */
	}
	close(ends[1]);
	enum http_result result = child < 0 ? http_fail(c, HTTP_FATAL, "fork:") : http_wait(c, ends[0], POLLIN, &ready);
	size_t have = 0;
	for (ssize_t n = 1; result == HTTP_OK && n > 0 && have < sizeof *found; have += n > 0 ? (size_t)n : 0)
		n = read(ends[0], (char *)found + have, sizeof *found - have);
	if (result == HTTP_OK && have < sizeof *found)
		result = http_fail(c, HTTP_FAULT, "looking up its address ended without an answer");
	close(ends[0]);
	if (child > 0) kill(child, SIGKILL);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
	if (result != HTTP_OK || found->count > 0) return result;
	return http_fail(c, found->wrong == EAI_NONAME ? HTTP_FATAL : HTTP_FAULT, "the address%s%s cannot be found: %s",
	    c->proxy != NULL ? " of the proxy " : "", c->proxy != NULL ? url->host : "", gai_strerror(found->wrong));
}

/* Connects to one address within limit ms. */
static enum http_result http_dial(struct http_client *c, unsigned port, struct sockaddr_storage *to, uint64_t limit) {
	int on = 1, cause = 0;
	socklen_t size = sizeof cause, six = sizeof(struct sockaddr_in6), four = sizeof(struct sockaddr_in);
	short ready;
	enum http_result result = HTTP_OK;
	c->fd = socket(to->ss_family, SOCK_STREAM, 0);
	if (c->fd < 0) return http_fail(c, HTTP_FAULT, "socket:");
	fcntl(c->fd, F_SETFD, FD_CLOEXEC);
	fcntl(c->fd, F_SETFL, O_NONBLOCK);
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
	setsockopt(c->fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
	c->since = http_now();
	c->deadline = c->since + limit;
	if (connect(c->fd, (const struct sockaddr *)to, to->ss_family == AF_INET6 ? six : four) != 0) cause = errno;
	if (cause == EINPROGRESS || cause == EINTR) {
		result = http_wait(c, c->fd, POLLOUT, &ready);
		if (result == HTTP_OK && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &cause, &size) != 0) cause = errno;
	}
	if (result == HTTP_OK && cause != 0)
		result = http_fail(c, HTTP_FAULT, "nothing answers at port %u%s%s (%s): is it running, and %s right?", port, c->proxy == NULL ?
		    "" : " of the proxy ", c->proxy == NULL ? "" : c->proxy->host, strerror(cause), c->proxy == NULL ? "--base-url" : "its URL");
	if (result != HTTP_OK) close(c->fd);
	return result;
}

/* What BearSSL's code (bearssl_ssl.h, bearssl_x509.h; alerts from 256 on: RFC 5246, 7.2) means, and what to do. */
static enum http_result http_tls_fail(struct http_client *c, int code) {
	static const struct { int code; const char *words; } table[] = {
		{ BR_ERR_NO_RANDOM, "this system gives no random numbers" },
		{ BR_ERR_UNSUPPORTED_VERSION, "what is spoken there is no TLS 1.2: is an http:// URL meant?" },
		{ 256 + 70, "the server refuses TLS 1.2, and hsa speaks nothing newer: put a gateway that takes TLS 1.2 in between" },
		{ 256 + 40, "the server takes none of hsa's ciphers (ECDHE with AES-GCM or ChaCha20), or wants a client certificate" },
		{ 256 + 71, "the server takes none of hsa's ciphers (ECDHE with AES-GCM or ChaCha20)" },
		{ 256 + 112, "the server does not know this host name" },
		{ 256 + 116, "the server wants a client certificate, which hsa has not" },
		{ BR_ERR_NO_CLIENT_AUTH, "the server wants a client certificate, which hsa has not" },
		{ BR_ERR_BAD_SIGNATURE, "the handshake is not signed with the certificate's key" },
		{ BR_ERR_X509_FORBIDDEN_KEY_USAGE, "a certificate may not be used for this (key usage: server, signature, of a CA "
		    "signing; name constraints)" },
		{ BR_ERR_X509_WEAK_PUBLIC_KEY, "a certificate has a key that is too weak (RSA needs 2048 bits)" },
		{ BR_ERR_X509_BAD_SIGNATURE, "the signature of a certificate is wrong" },
		{ BR_ERR_X509_DN_MISMATCH, "the server's certificates are not in order, each followed by its issuer's" },
		{ BR_ERR_X509_UNSUPPORTED, "a certificate uses an algorithm that is not accepted (SHA-1, RSA-PSS, Ed25519 ...)" },
		{ BR_ERR_X509_WRONG_KEY_TYPE, "a certificate uses an algorithm that is not accepted (Ed25519 ...)" },
		{ BR_ERR_X509_LIMIT_EXCEEDED, "a certificate's key or signature is too large (RSA: at most 4096 bits)" },
		{ BR_ERR_X509_CRITICAL_EXTENSION, "a certificate has a critical extension that is not supported" },
		{ BR_ERR_X509_NOT_CA, "a certificate was issued by one that is no CA, or that may not have one below it" } };
	const struct http_check *k = &c->check;
	if (code == BR_ERR_X509_EXPIRED)
		return http_fail(c, HTTP_FATAL, "a certificate of the server %s (this machine's clock says %.4s-%.2s-%.2s: is that "
		    "right?)", k->dates, k->now, k->now + 4, k->now + 6);
	if (code == BR_ERR_X509_BAD_SERVER_NAME)
		return http_fail(c, HTTP_FATAL, "the server's certificate is for other hosts (%s)", k->names[0] == '\0' ?
		    "it names none" : k->names);
	if (code == BR_ERR_X509_NOT_TRUSTED)
		return http_fail(c, HTTP_FATAL, k->own ? "the server's certificate leads to \"%s\", which is not among the trusted "
		    "roots: a private CA's is given with --ca-file" : "the issuer of the last certificate that the server sent, "
		    "\"%s\", is not among the trusted roots: the server leaves out an intermediate certificate, or it is a private "
		    "CA (then give its root with --ca-file)", k->issuer);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == code) return http_fail(c, HTTP_FATAL, "%s", table[i].words);
	if (code >= 32 && code < 64)
		return http_fail(c, HTTP_FATAL, "a certificate of the server is malformed (BearSSL's error %d)", code);
	return http_fail(c, HTTP_FAULT, "TLS failed (%s %d)", code > 256 ? "alert" : "BearSSL's error", code & 255);
}

/* Sends and receives TLS records until BearSSL is in one of the states `want` (0: all is sent), the peer takes no more
 * (c->early), or no more comes (c->ended). */
static enum http_result http_tls_pump(struct http_client *c, unsigned want) {
	br_ssl_engine_context *engine = &c->ssl.eng;
	for (;;) {
		unsigned state = br_ssl_engine_current_state(engine);
		bool out = (state & BR_SSL_SENDREC) != 0 && !c->early;
		short ready = 0;
		size_t len = 0;
		if (state == BR_SSL_CLOSED) {
			int code = br_ssl_engine_last_error(engine);
			c->ended = true;
			c->clean = code == 0;
			return c->clean ? HTTP_OK : http_tls_fail(c, code);
		}
		if ((state & want) != 0 || (want == 0 && !out)) return HTTP_OK;
		int events = (out ? POLLOUT : 0) | ((state & BR_SSL_RECVREC) != 0 ? POLLIN : 0);
		if (events == 0) { /* it takes no more, and until then nothing can come */
			c->ended = true;
			return HTTP_OK;
		}
		enum http_result result = http_wait(c, c->fd, (short)events, &ready);
		if (result != HTTP_OK) return result;
		bool sends = out && (ready & POLLOUT) != 0;
		unsigned char *bytes = (sends ? br_ssl_engine_sendrec_buf : br_ssl_engine_recvrec_buf)(engine, &len);
		ssize_t n = bytes == NULL ? 0 : sends ? send(c->fd, bytes, len, MSG_NOSIGNAL) : recv(c->fd, bytes, len, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
		c->since = http_now();
		if (n <= 0) {
			*(bytes != NULL && !sends ? &c->ended : &c->early) = true; /* what takes no more may have answered */
			if (n < 0 && !sends) return http_fail(c, HTTP_FAULT, "the connection was lost while %s:", c->phase);
			if (c->ended) return HTTP_OK;
		} else if (sends) {
			br_ssl_engine_sendrec_ack(engine, (size_t)n);
		} else {
			br_ssl_engine_recvrec_ack(engine, (size_t)n);
		}
	}
}

/* Shakes hands on the connected socket. */
static enum http_result http_tls_start(struct http_client *c) {
	static const uint16_t suites[] = { BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
		BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
		BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, BR_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
		BR_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
		BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 };
	br_ssl_engine_context *engine = &c->ssl.eng;
	br_ssl_client_zero(&c->ssl);
	br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
	/* all six are as strong: AES first where the processor does it, else ChaCha20 first */
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
		return http_tls_fail(c, br_ssl_engine_last_error(engine));
	enum http_result result = http_tls_pump(c, BR_SSL_SENDAPP);
	c->secure = true;
	if (result != HTTP_OK || !c->ended) return result;
	return http_fail(c, HTTP_FAULT, "the connection was closed in the TLS handshake");
}

/* Sends what is left of *rest; stops with c->early when the peer answers, or takes no more. */
static enum http_result http_send(struct http_client *c, struct str *rest) {
	unsigned want = BR_SSL_SENDAPP | BR_SSL_RECVAPP;
	c->phase = "sending the request";
	while (rest->len > 0 && !c->early) {
		short ready = 0;
		size_t room = 0;
		ssize_t n = 0;
		enum http_result result = c->secure ? http_tls_pump(c, want) : http_wait(c, c->fd, POLLOUT | POLLIN, &ready);
		if (result != HTTP_OK) return result;
		unsigned char *into = c->secure && !c->ended ? br_ssl_engine_sendapp_buf(&c->ssl.eng, &room) : NULL;
		if (into != NULL) {
			n = (ssize_t)(room < rest->len ? room : rest->len);
			memcpy(into, rest->at, (size_t)n);
			br_ssl_engine_sendapp_ack(&c->ssl.eng, (size_t)n);
		} else if ((ready & POLLOUT) != 0) {
			n = send(c->fd, rest->at, rest->len, MSG_NOSIGNAL);
		}
		c->early = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
		if (n <= 0) continue;
		*rest = str_skip(*rest, (size_t)n);
		c->since = http_now();
	}
	if (!c->secure || c->early) return HTTP_OK;
	br_ssl_engine_flush(&c->ssl.eng, 0);
	return http_tls_pump(c, 0);
}

/* Makes c->in hold unread bytes, or sets c->ended. */
static enum http_result http_fill(struct http_client *c) {
	size_t len;
	short ready;
	if (c->at < c->end || c->ended) return HTTP_OK;
	c->at = c->end = 0;
	enum http_result result = c->secure ? http_tls_pump(c, BR_SSL_RECVAPP) : http_wait(c, c->fd, POLLIN, &ready);
	if (result != HTTP_OK || c->ended) return result;
	if (c->secure) {
		unsigned char *bytes = br_ssl_engine_recvapp_buf(&c->ssl.eng, &len);
		c->end = len < sizeof c->in ? len : sizeof c->in;
		memcpy(c->in, bytes, c->end);
		br_ssl_engine_recvapp_ack(&c->ssl.eng, c->end);
	} else {
		ssize_t n = recv(c->fd, c->in, sizeof c->in, 0);
		c->clean = n == 0;
		c->ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
		if (c->ended && n < 0) return http_fail(c, HTTP_FAULT, "the connection was lost while %s:", c->phase);
		c->end = n > 0 ? (size_t)n : 0;
		c->since = http_now();
	}
	c->total += c->end;
	if (c->total <= HTTP_ANSWER_MAX) return HTTP_OK;
	return http_fail(c, HTTP_FATAL, "the answer is larger than 64 MiB, the limit for one answer");
}

/* Closes the connection, without waiting for anything. */
static void http_close(struct http_client *c) {
	size_t len;
	if (!c->open) return;
	if (c->secure) { /* says so, if it can be said at once; br_sslio_close would wait, perhaps for ever */
		br_ssl_engine_close(&c->ssl.eng);
		unsigned char *bytes = br_ssl_engine_sendrec_buf(&c->ssl.eng, &len);
		c->early = bytes == NULL || send(c->fd, bytes, len, MSG_NOSIGNAL) < 0;
	}
	close(c->fd);
	c->open = c->secure = false;
}

/* ---- 4. HTTP/1.1 (RFC 9110, 9112) -------------------------------------------------------------------------------- */

/* Milliseconds in a decimal number of units, perhaps with a fraction; at most a year; -1 if it is none. */
static long http_milliseconds(struct str s, int64_t unit) {
	int64_t n = http_decimal(http_until(&s, "."), INT64_MAX);
	int64_t tenth = s.len == 0 ? 0 : http_decimal((struct str){ s.at, 1 }, 9);
	return n < 0 || tenth < 0 ? -1 : n > 31536000 ? 31536000000 : (long)(n * unit + tenth * unit / 10);
}

/* Takes one header field. NULL, or what is wrong with it. */
static const char *http_field(struct http_head *h, struct str name, struct str value) {
	struct str rest = value, first = http_trim(http_until(&rest, ";"));
	if (http_same(name, "content-length")) {
		do { /* a list of equal numbers may stand for one: RFC 9110, 8.6 */
			int64_t n = http_decimal(http_trim(http_until(&value, ",")), INT64_MAX);
			if (n < 0) return "a malformed Content-Length";
			if (h->length >= 0 && h->length != n) return "two Content-Lengths that differ";
			h->length = n;
		} while (value.len > 0);
	} else if (http_same(name, "transfer-encoding")) {
		if (h->coded || !http_same(value, "chunked")) return "a Transfer-Encoding other than \"chunked\"";
		h->coded = true;
	} else if (http_same(name, "content-encoding") && !http_same(value, "identity")) {
		http_plain(value, h->encoding, sizeof h->encoding);
	} else if (http_same(name, "connection")) {
		while (value.len > 0) h->close |= http_same(http_trim(http_until(&value, ",")), "close");
	} else if (http_same(name, "content-type")) {
		http_plain(first, h->type, sizeof h->type);
		h->event_stream = http_same(first, "text/event-stream");
		h->json = http_same(first, "application/json") ||
		    (first.len > 5 && http_same(str_skip(first, first.len - 5), "+json"));
	} else if (http_same(name, "retry-after-ms") && http_milliseconds(value, 1) >= 0) {
		h->retry_after_ms = http_milliseconds(value, 1);
	} else if (http_same(name, "retry-after") && h->retry_after_ms < 0) {
		h->retry_after_ms = http_milliseconds(value, 1000);
	} else if (http_same(name, "x-should-retry")) {
		h->should_retry = http_same(value, "true") ? 1 : http_same(value, "false") ? 0 : -1;
	} else if (http_same(name, "location")) {
		http_plain(value, h->location, sizeof h->location);
	}
	return NULL;
}

/* Reads a head, whose last line is empty. NULL, or what is wrong. A folded line (RFC 9112, 5.2) is joined in place. */
static const char *http_head_read(char *bytes, size_t len, struct http_head *h) {
	static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct str rest = { bytes, len }, line;
	*h = (struct http_head){ .retry_after_ms = -1, .should_retry = -1, .length = -1 };
	for (size_t i = 0; i < len; i++) {
		unsigned char b = (unsigned char)bytes[i], next = i + 1 < len ? (unsigned char)bytes[i + 1] : 0;
		bool bare = b == '\r' ? next != '\n' : b == '\n' ? i == 0 || bytes[i - 1] != '\r' : b < 0x20 && b != '\t';
		if (bare || b == 0x7F) return "a bare control byte in its head";
		if (b == '\n' && (next == ' ' || next == '\t')) bytes[i - 1] = bytes[i] = ' ';
	}
	if (!str_line(&rest, &line) || line.len < 13 || !str_starts(line, STR("HTTP/1.")) || (line.at[7] | 1) != '1' ||
	    line.at[8] != ' ' || line.at[12] > ' ')
		return "no HTTP/1.1 status line";
	h->close = line.at[7] == '0';
	h->status = (int)http_decimal((struct str){ line.at + 9, 3 }, 599);
	http_plain(http_trim(str_skip(line, 12)), h->reason, sizeof h->reason);
	if (h->status < 100) return "a status that is none";
	while (str_line(&rest, &line) && line.len > 1) {
		struct str value = line, name = http_until(&value, ":");
		for (size_t i = 0; i < name.len; i++)
			if (strchr(token, name.at[i]) == NULL) name.len = 0;
		if (name.len == 0 || name.len == line.len) return "a malformed header field";
		const char *wrong = http_field(h, name, http_trim(value));
		if (wrong != NULL) return wrong;
	}
	if (!h->coded || (h->length < 0 && bytes[7] == '1')) return NULL;
	return "both Content-Length and Transfer-Encoding, or the latter in HTTP/1.0";
}

/* How the body behind this head is framed (RFC 9112, 6.3). */
static void http_frame_begin(struct http_frame *f, const struct http_head *h) {
	bool none = h->status == 204 || h->status == 304 || (!h->coded && h->length == 0);
	f->kind = h->coded ? HTTP_CHUNKED : h->length >= 0 ? HTTP_LENGTH : HTTP_TO_CLOSE;
	f->step = none ? HTTP_END : h->coded ? HTTP_SIZE : HTTP_DATA;
	f->left = h->length > 0 ? (uint64_t)h->length : 0;
	f->len = f->extra = 0;
}

/* Takes one line of chunked framing, without its end. NULL, or what is wrong. */
static const char *http_frame_line(struct http_frame *f, struct str line) {
	if (f->step == HTTP_DATA_END) {
		f->step = HTTP_SIZE;
		return line.len == 0 ? NULL : "a chunk that is longer than its size";
	}
	if (f->step == HTTP_TRAILER) {
		f->extra += line.len;
		f->step = line.len == 0 ? HTTP_END : HTTP_TRAILER;
		return f->extra <= HTTP_HEAD_MAX ? NULL : "trailers larger than 64 KiB, the limit for them";
	}
	struct str digits = http_trim(http_until(&line, ";")); /* behind it: extensions, of no use here */
	f->left = 0;
	for (size_t i = 0; i < digits.len; i++) {
		int digit = json_hex((char[4]){ '0', '0', '0', digits.at[i] });
		if (digit < 0 || i == 15) return "a malformed chunk size";
		f->left = f->left << 4 | (uint64_t)digit;
	}
	f->step = f->left > 0 ? HTTP_DATA : HTTP_TRAILER;
	return digits.len > 0 ? NULL : "a malformed chunk size";
}

/* Takes framing, and at most max bytes of data, off *in; *data gets the data. NULL, or what is wrong. At the body's end
 * the step is HTTP_END. */
static const char *http_frame_feed(struct http_frame *f, struct str *in, size_t max, struct str *data) {
	*data = (struct str){ in->at, 0 };
	while (in->len > 0 && f->step != HTTP_END && f->step != HTTP_DATA) {
		unsigned char b = (unsigned char)in->at[0];
		bool cr = f->len > 0 && f->line[f->len - 1] == '\r';
		*in = str_skip(*in, 1);
		if (cr != (b == '\n') || (b < 0x20 && b != '\t' && b != '\r' && b != '\n') || b == 0x7F)
			return "a bare control byte in its chunks";
		if (f->len == sizeof f->line) return "a line between chunks larger than 4 KiB, the limit for it";
		f->line[f->len++] = (char)b;
		if (b != '\n') continue;
		const char *wrong = http_frame_line(f, (struct str){ f->line, f->len - 2 });
		f->len = 0;
		if (wrong != NULL) return wrong;
	}
	if (f->step != HTTP_DATA) return NULL;
	size_t n = in->len < max ? in->len : max;
	if (f->kind != HTTP_TO_CLOSE && n > f->left) n = (size_t)f->left;
	*data = (struct str){ in->at, n };
	*in = str_skip(*in, n);
	if (f->kind != HTTP_TO_CLOSE && (f->left -= n) == 0) f->step = f->kind == HTTP_CHUNKED ? HTTP_DATA_END : HTTP_END;
	return NULL;
}

/* Reads the next head, also one of an interim response. */
static enum http_result http_read_head(struct http_client *c, struct http_head *head) {
	c->phase = "waiting for the answer";
	for (size_t len = 0;;) {
		enum http_result result = http_fill(c);
		if (result != HTTP_OK) return result;
		if (c->ended) return http_fail(c, HTTP_FAULT, len == 0 ? "the connection was closed without an answer" :
		    "the connection was closed within the head of the answer");
		size_t room = sizeof c->head - len, n = c->end - c->at < room ? c->end - c->at : room, from = len < 3 ? 0 : len - 3;
		memcpy(c->head + len, c->in + c->at, n);
		const char *end = memmem(c->head + from, len + n - from, "\r\n\r\n", 4), *wrong = NULL;
		n = end == NULL ? n : (size_t)(end + 4 - c->head) - len;
		c->at += n;
		len += n;
		if (memcmp(c->head, "HTTP/1.", len < 7 ? len : 7) != 0)
			wrong = c->head[0] == 0x15 ? "TLS (is an https:// URL meant?)" : "something else than HTTP/1.1";
		else if (end != NULL) wrong = http_head_read(c->head, len, head);
		else if (memmem(c->head + from, len - from, "\n\n", 2) != NULL) wrong = "bare line feeds in its head";
		else if (len == sizeof c->head) wrong = "its head is larger than 64 KiB, the limit for heads";
		if (wrong != NULL) return http_fail(c, HTTP_FATAL, "the answer is not valid: %s", wrong);
		if (end != NULL) return HTTP_OK;
	}
}

/* The line with the proxy's credentials in base64 (RFC 7617), or nothing. */
static void http_proxy_line(const struct http_url *proxy, char *out, size_t size) {
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = 0, len = proxy == NULL ? 0 : strlen(proxy->user);
	if (len > 0) n = (size_t)snprintf(out, size, "Proxy-Authorization: Basic ");
	for (size_t i = 0; i < len; i += 3) {
		uint32_t group = 0;
		for (size_t k = 0; k < 3; k++) group = group << 8 | (i + k < len ? (unsigned char)proxy->user[i + k] : 0);
		for (size_t k = 0; k < 4; k++) out[n++] = i + k <= len ? digits[group >> (18 - 6 * k) & 63] : '=';
	}
	snprintf(out + n, size - n, "%s", n == 0 ? "" : "\r\n");
}

/* Opens a connection: to the host or its proxy, address after address, first the one that answered last time; through
 * the proxy's tunnel for https; TLS. */
static enum http_result http_open(struct http_client *c) {
	const struct http_url *first = c->proxy != NULL ? c->proxy : &c->url;
	struct http_addresses found = { 0 };
	struct http_head head = { 0 };
	char line[800];
	c->ended = c->clean = c->early = false;
	c->at = c->end = c->total = 0;
	c->since = http_now();
	c->deadline = c->since + HTTP_SETUP_MS;
	c->phase = "looking up its address";
	enum http_result result = http_lookup(c, first, &found);
	if (result != HTTP_OK) return result;
	c->phase = "connecting";
	for (int k = 0; k < found.count && (k == 0 || result == HTTP_FAULT); k++) {
		c->address = (c->address + (k > 0)) % (size_t)found.count;
		int limit = k + 1 < found.count ? HTTP_CONNECT_MS / 2 : HTTP_CONNECT_MS;
		result = http_dial(c, first->port, &found.at[c->address], (uint64_t)limit);
	}
	c->open = result == HTTP_OK;
	c->since = http_now();
	c->deadline = c->since + HTTP_SETUP_MS;
	if (c->open && c->proxy != NULL && c->url.tls) {
		http_proxy_line(c->proxy, line, sizeof line);
		int n = snprintf(c->request, sizeof c->request, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", c->authority,
		    c->authority, line);
		struct str request = { c->request, (size_t)n };
		result = http_send(c, &request);
		if (result == HTTP_OK) result = http_read_head(c, &head);
		if (result == HTTP_OK && (head.status < 200 || head.status > 299 || c->at < c->end))
			result = http_fail(c, head.status >= 500 ? HTTP_FAULT : HTTP_FATAL, "the proxy %s does not connect to it: %d %s%s",
			    first->host, head.status, first->user[0] == '\0' ? head.reason : "" /* it may say the credentials */,
			    head.status == 407 ? "(credentials go into the proxy's URL)" : "");
	}
	if (result == HTTP_OK && c->url.tls) result = http_tls_start(c);
	if (result != HTTP_OK) c->address++; /* the next attempt begins with the next address */
	if (result != HTTP_OK) http_close(c);
	return result;
}

/* The host, perhaps with a port, that a Location means (RFC 3986, 4.2): its own, or for a mere path that of the server. */
static struct str http_target(const char *location, const char *server) {
	size_t scheme = strcspn(location, ":/?#");
	struct str rest = str_of(location + (location[scheme] == ':' ? scheme + 1 : 0));
	if (!str_starts(rest, STR("//"))) return str_of(server);
	rest = str_skip(rest, 2);
	struct str host = http_until(&rest, "/?#\\");
	for (ptrdiff_t at; (at = str_find(host, STR("@"))) >= 0;) host = str_skip(host, (size_t)at + 1);
	return host;
}

/* Sends the request and reads the head of the answer, behind any interim ones. */
static enum http_result http_exchange(struct http_client *c, struct str request, struct str body, struct http_head *head) {
	for (int k = 0; head->status < 200; k++) {
		c->early = false;
		enum http_result result = http_send(c, &request);
		if (result == HTTP_OK) result = http_send(c, &body);
		if (result == HTTP_OK) result = http_read_head(c, head);
		if (result != HTTP_OK) return result;
		if (head->status == 101 || k == HTTP_INTERIM_MAX)
			return http_fail(c, HTTP_FATAL, "the answer is not valid: it %s", head->status == 101 ? "switches protocols" :
			    "comes behind more than 32 interim answers");
	}
	c->keep = !head->close && request.len + body.len == 0;
	if (head->status == 407 && c->proxy != NULL && !c->url.tls)
		return http_fail(c, HTTP_FATAL, "the proxy says 407 (credentials go into the proxy's URL)");
	if (head->encoding[0] != '\0')
		return http_fail(c, HTTP_FATAL, "the answer is compressed (%s), though nobody asked for that", head->encoding);
	if (head->status < 300 || head->status > 399) return HTTP_OK;
	struct str host = http_target(head->location, c->authority);
	return http_fail(c, HTTP_FATAL, "the server redirects (%d) to %.*s, which is not followed: give that as the base URL "
	    "if you trust it", head->status, (int)host.len, host.at);
}

/* Sends `POST {path}{suffix}` with headers (whole lines with CRLF, or none) and body, over the kept connection or a
 * new one, and reads the head. A kept connection that the server has closed is opened again once. Sending, the heads and
 * the body of an error have four times the silence altogether; a body of status 200 has no such limit. */
static enum http_result http_post(struct http_client *c, const char *suffix, struct str headers, struct str body,
    struct http_head *head, struct error *error) {
	bool v6 = strchr(c->url.host, ':') != NULL, absolute = c->proxy != NULL && !c->url.tls;
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	char line[800];
	c->error = error;
	int host = snprintf(c->authority, sizeof c->authority, v6 ? "[%s]" : "%s", c->url.host), all = host +
	    snprintf(c->authority + host, sizeof c->authority - (size_t)host, ":%u", c->url.port);
	if (c->url.port != (c->url.tls ? 443u : 80u)) host = all;
	http_proxy_line(absolute ? c->proxy : NULL, line, sizeof line);
	if (c->open && (!c->done || !c->keep || c->at < c->end || poll(&p, 1, 0) != 0))
		http_close(c); /* what is readable now is its end, or bytes that answer nothing */
	for (bool again = c->open;; again = false) {
		enum http_result result = c->open ? HTTP_OK : http_open(c);
		if (result != HTTP_OK) return result;
		int n = snprintf(c->request, sizeof c->request, "POST %s%.*s%s%s HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: hsa\r\n"
		    "Accept: text/event-stream, application/json\r\nAccept-Encoding: identity\r\nContent-Type: application/json\r\n"
		    "Content-Length: %zu\r\n%s%.*s\r\n", absolute ? "http://" : "", absolute ? host : 0, c->authority, c->url.path,
		    suffix, host, c->authority, body.len, line, (int)headers.len, headers.len == 0 ? "" : headers.at);
		if (n < 0 || (size_t)n >= sizeof c->request)
			return http_fail(c, HTTP_FATAL, "the head of the request is larger than 8 KiB");
		c->since = http_now();
		c->deadline = c->since + 4000 * (uint64_t)c->silence;
		c->total = 0;
		*head = (struct http_head){ 0 };
		result = http_exchange(c, (struct str){ c->request, (size_t)n }, body, head);
		http_frame_begin(&c->frame, head);
		c->done = c->frame.step == HTTP_END;
		if (result != HTTP_OK) http_close(c);
		else if (head->status == 200) c->deadline = 0;
		if (result != HTTP_FAULT || !again || !c->ended || c->total > 0) return result;
	}
}

/* The next bytes of the body: *got > 0, or 0 at its proper end. */
static enum http_result http_body(struct http_client *c, char *into, size_t size, size_t *got, struct error *error) {
	c->error = error;
	c->phase = "reading the answer";
	for (*got = 0; !c->done;) {
		struct str in = { c->in + c->at, c->end - c->at }, data;
		const char *wrong = http_frame_feed(&c->frame, &in, size, &data);
		if (wrong != NULL) return http_fail(c, HTTP_FATAL, "the answer is not valid: %s", wrong);
		c->at = c->end - in.len;
		c->done = c->frame.step == HTTP_END;
		if (data.len > 0) {
			memcpy(into, data.at, *got = data.len);
			return HTTP_OK;
		}
		if (c->ended && !c->done) {
			if (c->frame.kind != HTTP_TO_CLOSE || !c->clean)
				return http_fail(c, HTTP_FAULT, "the connection ended before the answer did");
			c->done = true;
			c->keep = false;
		}
		enum http_result result = c->done ? HTTP_OK : http_fill(c);
		if (result != HTTP_OK) return result;
	}
	return HTTP_OK;
}
#endif
