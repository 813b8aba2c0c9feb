#!/bin/sh
# Certificates and TLS servers, property by value, beside curl's verdict; and where each system keeps its roots.
# needs: openssl curl nodejs util-linux
. "$(dirname "$0")/lib.sh"
need 'certificates' openssl curl node || exit 0
compile "$TMP/get" tests/wire_get.c || { fail 'wire_get.c compiles' 'it does not'; exit 0; }
mkdir -p "$TMP/made"
node tests/certs.js "$TMP/get" "$TMP/made"

# The roots of other systems: their path is the only one there.
name='roots are found where each system keeps them'
if ! unshare -m true 2>/dev/null; then
	skip "$name" 'no mount namespace can be made here'
	exit 0
fi
cp "$TMP/made/root.pem" "$TMP/bundle"
wrong=''
for path in ssl/certs/ca-certificates.crt pki/ca-trust/extracted/pem/tls-ca-bundle.pem pki/tls/certs/ca-bundle.crt ssl/ca-bundle.pem ssl/cert.pem; do
	rm -rf "${TMP:?}/etc"
	mkdir -p "$TMP/etc/${path%/*}"
	cp "$TMP/bundle" "$TMP/etc/$path"
	# shellcheck disable=SC2016 # for the other shell
	got=$(unshare -m sh -c 'mount --bind "$1" /etc && exec "$2" https://h --load' sh "$TMP/etc" "$TMP/get" 2>&1)
	[ "$got" = 'loaded: 1' ] || wrong="$path: $got"
done
rm -rf "${TMP:?}/etc"
mkdir "$TMP/etc"
# shellcheck disable=SC2016 # for the other shell
got=$(unshare -m sh -c 'mount --bind "$1" /etc && exec "$2" https://h --load' sh "$TMP/etc" "$TMP/get" 2>&1)
case $got in *'no root certificates found: install ca-certificates'*) ;; *) wrong="none: $got" ;; esac
if [ -z "$wrong" ]; then ok "$name"; else fail "$name" "$wrong"; fi
