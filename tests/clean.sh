#!/bin/sh
# Clean machines: no network at all, with nothing but the repository and BearSSL's sources; and a base Debian 12 and 13 without a
# compiler, as root and as an ordinary user (not with SAMPLE=1, as in CI, which is a base system itself). Only with --boxes.
# network: Debian's archive
# boxes: debootstrap util-linux iproute2
. "$(dirname "$0")/lib.sh"
[ -n "$BOXES" ] || { skip "clean machines" "only with --boxes"; exit 0; }
[ "$(id -u)" = 0 ] || { skip "clean machines" "need root"; exit 0; }
. tests/boxes/apt.sh
apt_open || { skip "clean machines" "Debian's archive cannot be reached"; exit 0; }

tree() {
	mkdir -p "$1"
	cp -R build.sh test.sh tests ./*.c ./*.h ./*.inc "$1/"
}

# ---- without a network ---------------------------------------------------------------------------------------------------

offline() { unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$@"; }
if source=$(apt_bearssl) && need "no network" unshare ip cargo; then
	tree "$TMP/offline"
	run offline env BEARSSL="$source" sh "$TMP/offline/build.sh" --demo
	is "no network: builds, and the demo ends with 0" "$status" 0
	[ "$status" = 0 ] || tail -n 20 "$TMP/out" "$TMP/err" >&2
	# Some subjects as they stand there, with that library; .ci/run runs all of them without a network.
	run offline env HSA= CACHE="$TMP/none" BEARSSL="$source" BOXES= sh "$TMP/offline/test.sh" json http verify seatbelt golden
	case $(tail -n 1 "$TMP/out") in
	*' passed, 0 failed, '*) ok "no network: test.sh passes" ;;
	*)
		grep -v '^ok' "$TMP/out" >&2
		fail "no network: test.sh passes" "$(tail -n 1 "$TMP/out") $(grep -m 1 '^FAIL' "$TMP/out")"
		;;
	esac
fi

[ -z "${SAMPLE-}" ] || exit 0

# ---- a base system -------------------------------------------------------------------------------------------------------

# machine SUITE: makes a base system in $TMP/SUITE, mounted as a machine would have it.
machine() {
	root=$TMP/$1
	[ -f "$CACHE/$1.tar" ] || {
		debootstrap --variant=minbase --include=ca-certificates "$1" "$root" "$archive" >&2 || return 1
		tar cf "$CACHE/$1.tar" -C "$root" . || return 1
		rm -rf "$root"
	}
	mkdir -p "$root" && tar xf "$CACHE/$1.tar" -C "$root" || return 1
	cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
	tree "$root/src"
	chmod -R a+rX "$root/src"
}
# shellcheck disable=SC2016 # a script for another shell
# inside COMMAND: in that system, with its own /proc and /dev, all of which goes when the command ends.
inside() {
	unshare -m -p -f sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t sysfs none "$1/sys" || exit 99
		exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 sh -c "$2"' sh "$root" "$1"
}
for suite in bookworm trixie; do
	if ! need "clean $suite" debootstrap; then continue; fi
	if ! machine "$suite"; then
		skip "clean $suite" "debootstrap cannot make one"
		continue
	fi
	run inside 'cd /src && ./build.sh'
	holds "clean $suite: what is missing is said" "$status $err" '1 *apt-get install gcc*'
	run inside 'cd /src && ./build.sh --deps --demo'
	is "clean $suite: build.sh --deps --demo ends with 0" "$status" 0
	[ "$status" = 0 ] || tail -n 30 "$TMP/out" "$TMP/err" >&2
	run inside 'useradd -m someone && cp -r /src /home/someone/ && chown -R someone /home/someone/src && su someone -c "cd ~/src && ./build.sh --demo"'
	is "clean $suite: an ordinary user" "$status" 0
	[ "$status" = 0 ] || tail -n 30 "$TMP/out" "$TMP/err" >&2
	run inside "cd /src && ./hsa --demo=liar"
	is "clean $suite: the liar is found out" "$status" 1
	rm -rf "$root"
done
