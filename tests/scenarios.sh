#!/bin/sh
# HTTP over TCP and TLS, byte for byte: each row of the table in scenarios.js is a rule by a way of keeping or breaking it.
# needs: openssl nodejs iproute2 util-linux
. "$(dirname "$0")/lib.sh"
need 'scenarios of the wire' openssl node || exit 0
compile "$TMP/get" tests/wire_get.c || { fail 'wire_get.c compiles' 'it does not'; exit 0; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$TMP/key" -out "$TMP/cert" -days 30 -subj /CN=test \
	-addext 'subjectAltName=IP:127.0.0.1,DNS:localhost' -addext basicConstraints=critical,CA:FALSE 2>/dev/null
node tests/scenarios.js "$TMP/get" "$TMP/key" "$TMP/cert"

# A name server that never answers: looking up a name is bounded, and Ctrl-C ends it.
name='Ctrl-C ends the lookup of a name, and no process is left'
if unshare -m true 2>/dev/null; then
	cat >"$TMP/dumb.js" <<-'END'
		const s = require('dgram').createSocket('udp4');
		s.on('error', () => process.exit(1));
		s.bind(53, '127.0.0.77', () => console.log('ready'));
		setTimeout(() => process.exit(0), 60000);
	END
	node "$TMP/dumb.js" >"$TMP/dumb" 2>&1 &
	dumb=$!
	tries=0
	while [ ! -s "$TMP/dumb" ] && [ "$tries" -lt 100 ] && kill -0 "$dumb" 2>/dev/null; do
		sleep 0.1
		tries=$((tries + 1))
	done
	if [ -s "$TMP/dumb" ]; then
		echo 'nameserver 127.0.0.77' >"$TMP/resolv.conf"
		echo 'hosts: dns' >"$TMP/nsswitch.conf"
		# shellcheck disable=SC2016 # for the other shell
		run unshare -m -pf --mount-proc sh -c 'mount --bind "$1/resolv.conf" "$(readlink -f /etc/resolv.conf)" && mount --bind "$1/nsswitch.conf" \
			/etc/nsswitch.conf && "$1/get" http://model.example/v1 --stop 300; ps -e | grep -c " get$"' sh "$TMP"
		holds "$name" "$(echo "$out" | tr '\n' ' ')" 'stopped: model.example: interrupted at once 0*'
	else
		skip "$name" 'no port 53 on loopback here'
	fi
	kill "$dumb" 2>/dev/null
else
	skip "$name" 'no mount namespace can be made here'
fi

# A name with two addresses, of which the first takes connections and drops them.
if unshare -m true 2>/dev/null; then
	printf '127.0.0.1 localhost\n::1 localhost\n' >"$TMP/hosts"
	# shellcheck disable=SC2016 # for the other shell
	unshare -m sh -c 'mount --bind "$1/hosts" /etc/hosts && exec node tests/scenarios.js "$1/get" "$1/key" "$1/cert" "other address"' sh "$TMP"
else
	skip 'the address after one that drops connections' 'no mount namespace can be made here'
fi

# A name with two addresses, of which the first swallows every packet: it gets 5 s, then the second is tried.
name='an address that never answers is given up for the next one'
if unshare -mn ip link add v0 type veth peer name v1 2>/dev/null; then
	printf '10.9.9.2 model.example\n10.9.9.1 model.example\n' >"$TMP/hosts"
	printf 'precedence ::ffff:10.9.9.2/128 200\nprecedence ::/0 40\n' >"$TMP/gai.conf"
	cat >"$TMP/server.js" <<-'END'
		require('http').createServer((q, r) => { q.resume(); r.setHeader('content-type', 'application/json'); r.end('{"output":[]}'); })
			.listen(8080, '10.9.9.1', () => console.log('ready'));
		setTimeout(() => process.exit(0), 60000);
	END
	# shellcheck disable=SC2016 # for the other shell
	run unshare -mnpf --mount-proc sh -c 'ip link set lo up; ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up &&
		ip addr add 10.9.9.1/24 dev v0 && ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:01 dev v0 &&
		mount --bind "$1/hosts" /etc/hosts && mount --bind "$1/gai.conf" /etc/gai.conf || exit 1
		node "$1/server.js" >"$1/ready" & n=0; while [ ! -s "$1/ready" ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
		"$1/get" http://model.example:8080/v1 --count 2; kill $!' sh "$TMP"
	is "$name" "$(echo "$out" | grep -c '^ok: 200 done')" 2
else
	skip "$name" 'no network namespace can be made here, or there is no ip'
fi
