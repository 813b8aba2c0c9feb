/* A URL on the first line, a NO_PROXY list on the second. What is accepted can be put into a request head. */
#include "../http.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
	struct str rest = { (const char *)bytes, len }, line;
	struct http_url url;
	struct error error;
	for (int proxy = 0; proxy < 2; proxy++) {
		struct str list = rest;
		if (!str_line(&list, &line) || http_url_read(line, proxy == 1, &url, &error) != 0)
			continue;
		bool well = url.port > 0 && url.port < 65536 && url.host[0] != '\0' && (proxy == 1 || url.user[0] == '\0');
		for (const char *p = url.host; *p != '\0'; p++)
			well = well && *p > ' ' && *p < 0x7F && strchr("/@?#[]%", *p) == NULL;
		for (const char *p = url.path; *p != '\0'; p++)
			well = well && *p > ' ' && *p < 0x7F && strchr("?#", *p) == NULL;
		if (!well || (url.path[0] != '\0' && url.path[0] != '/'))
			abort();
		http_no_proxy(list, url.host, url.port);
	}
	return 0;
}
