#!/bin/sh
# HTTP over TCP and TLS, byte for byte: each row of the table in scenarios.js is a rule by a way of keeping or breaking it.
# needs: openssl nodejs
. "$(dirname "$0")/lib.sh"
need 'scenarios of the wire' openssl node || exit 0
compile "$TMP/get" tests/wire_get.c || { fail 'wire_get.c compiles' 'it does not'; exit 0; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$TMP/key" -out "$TMP/cert" -days 30 -subj /CN=test \
	-addext 'subjectAltName=IP:127.0.0.1' -addext basicConstraints=critical,CA:FALSE 2>/dev/null
node tests/scenarios.js "$TMP/get" "$TMP/key" "$TMP/cert"
