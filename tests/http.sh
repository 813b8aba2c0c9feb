#!/bin/sh
# The wire's parsers, without a network. The system's paths of root certificates are in tests/certs.sh.
# needs: openssl
. "$(dirname "$0")/lib.sh"
need 'the wire without a network' openssl || exit 0
cd "$TMP" || exit 1
for k in 1 2 3; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "key$k" -out "ca$k" -days 30 -subj "/CN=Root $k" 2>/dev/null
done
openssl req -x509 -newkey ed25519 -nodes -keyout key4 -out ed -days 30 -subj "/CN=Ed" 2>/dev/null
sed 's/$/\r/' ca1 >crlf
{ echo "# Root 1"; cat ca1; printf 'words between\n\n'; openssl x509 -in ca2 -text; cat crlf ca3; } >mixed
{ cat ca1; sed '3s/./*/' ca2; sed '/END/d' ca2; cat ca3; sed '2,3d' ca1; } >broken
head -c 300 ca1 >short
printf 'no certificate\n' >none
: >empty
{ printf -- '-----BEGIN CERTIFICATE-----\n'; head -c 3000 /dev/zero | base64; printf -- '-----END CERTIFICATE-----\n'; cat ca1; } >zeros
openssl x509 -in ca1 -outform DER -out der
{ cat ca1; printf -- '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'; cat key1; } >hollow
cd "$ROOT" || exit 1
c_test tests/http.c one=1,0,0 "$TMP/ca1" crlf=1,0,0 "$TMP/crlf" mixed=4,0,0 "$TMP/mixed" broken=2,3,0 "$TMP/broken" \
	'short=!holds no usable certificate' "$TMP/short" 'none=!holds no usable certificate' "$TMP/none" 'empty=!holds no usable' "$TMP/empty" \
	zeros=1,1,0 "$TMP/zeros" 'der=!holds no usable certificate' "$TMP/der" hollow=1,1,0 "$TMP/hollow" "ed=!holds no usable" "$TMP/ed" \
	'missing=!cannot be read: No such file' "$TMP/missing" 'a directory=!cannot be read: Is a directory' "$TMP"
