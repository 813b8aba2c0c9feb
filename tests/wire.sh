#!/bin/sh
# The whole program against stand-ins for the model's server, over TLS: the main job, retries, answers, proxies; aimock as an independent peer.
# needs: openssl nodejs npm
# npm: @copilotkit/aimock ajv openai typescript
. "$(dirname "$0")/lib.sh"
need 'the whole wire' openssl node cargo || exit 0
cd "$TMP" || exit 1
new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 "$@" 2>/dev/null; }
new -x509 -keyout ca.key -out ca.pem -subj '/CN=Test CA'
new -x509 -keyout other.key -out otherca.pem -subj '/CN=Another CA'
new -keyout key.pem -out csr -subj /CN=model
printf 'subjectAltName=IP:127.0.0.1,DNS:model.example,DNS:api.openai.com\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nkeyUsage=digitalSignature\n' >ext
openssl x509 -req -in csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile ext -out cert.pem 2>/dev/null
schemas=${SHARED:+$SHARED/suites/openai/responses.schemas.json}
[ -f "$schemas" ] || schemas=''
node "$ROOT/tests/wire.js" "$HSA" "$TMP" "$schemas" "$@"
