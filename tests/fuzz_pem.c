/* Root certificates as PEM, then the same certificates as a chain that a server sends: nothing is trusted that the anchors do not
 * allow, and nothing is read beyond what is there. */
#include "../http.c"

static void full(const char *what) {
	(void)what;
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
	static struct arena arena;
	static struct http_check check;
	struct http_anchors anchors;
	struct http_url url = { .tls = true };
	struct error error;
	if (arena.at == NULL && arena_open(&arena, (size_t)1 << 30, full) != 0)
		abort();
	arena_reset(&arena, 0);
	struct str text = { (const char *)bytes, len }, pem = text;
	http_anchors_read(&arena, pem, &anchors);
	if (http_url_read(len % 2 == 0 ? STR("https://a.example") : STR("https://127.0.0.1"), false, &url, &error) != 0)
		abort();
	check = (struct http_check){ .vtable = &http_check_class, .url = &url, .anchors = &anchors };
	const br_x509_class **context = &check.vtable;
	check.vtable->start_chain(context, NULL);
	char *der = arena_take(&arena, 1, len + 3);
	for (ptrdiff_t at; (at = str_find(pem, STR("-----BEGIN CERTIFICATE-----"))) >= 0;) {
		pem = str_skip(pem, (size_t)at + 27);
		ptrdiff_t n = http_base64_read(&pem, der);
		if (n <= 0)
			continue;
		check.vtable->start_cert(context, (uint32_t)n);
		for (ptrdiff_t i = 0; i < n; i += 100)
			check.vtable->append(context, (unsigned char *)der + i, n - i < 100 ? (size_t)(n - i) : 100);
		check.vtable->end_cert(context);
	}
	unsigned wrong = check.vtable->end_chain(context);
	if (wrong == 0 && (anchors.count == 0 || !check.name || !check.usage))
		abort();
	/* the same bytes as one certificate that is no PEM, exactly as long, for the sanitizer */
	unsigned char *exact = malloc(len > 0 ? len : 1);
	memcpy(exact, bytes, len);
	check = (struct http_check){ .vtable = &http_check_class, .url = &url, .anchors = &anchors };
	check.vtable->start_chain(context, NULL);
	check.vtable->start_cert(context, (uint32_t)len);
	if (len > 0)
		check.vtable->append(context, exact, len);
	check.vtable->end_cert(context);
	if (check.vtable->end_chain(context) == 0 && anchors.count == 0)
		abort();
	free(exact);
	return 0;
}
