#!/bin/sh
# The boundary against one who means harm: every attempt of escape.c outside first, then inside, as root and as a user, and
# with programs that know less of Landlock: what they say is missing is exactly what gets through.
# needs: attr e2fsprogs util-linux
. "$(dirname "$0")/lib.sh"

chmod 755 "$TMP" # others run in it
compile "$TMP/escape" tests/escape.c || { fail "escape.c compiles" "it does not"; exit 1; }
"$TMP/escape" matrix >"$TMP/matrix"
if cmp -s "$TMP/matrix" tests/escape.matrix; then
	ok "the committed matrix is what is tried"
else
	fail "the committed matrix is what is tried" "tests/escape.matrix is not the output of \`escape matrix\`"
fi
kernel=$("$TMP/escape" abi)
if [ "$kernel" -lt 3 ]; then
	skip "escapes" "this kernel has Landlock ABI $kernel"
	exit 0
fi

# Limits and priorities are the user's: two runs at a time must not be one user.
id=$((50000 + $$ % 10000))

# as NAME COMMAND ...: NAME is root, or an ordinary user without a name.
as() {
	who=$1
	shift
	if [ "$who" = root ] || [ "$(id -u)" != 0 ]; then
		"$@"
	else
		(cd "$TMP" && setpriv --reuid=$id --regid=$id --clear-groups env HOME="$TMP/home" TMPDIR="$TMP/home" "$@")
	fi
}

# drive WHO PROGRAM ABI [GROUP [OPTION ...]]
drive() {
	drive_who=$1 drive_program=$2 drive_abi=$3
	shift 3
	rm -rf "$TMP/world" "$TMP/home"
	mkdir -m 755 "$TMP/world" "$TMP/home"
	[ "$drive_who" = root ] || [ "$(id -u)" != 0 ] || chown $id:$id "$TMP/world" "$TMP/home"
	label=$drive_who
	[ "$drive_abi" = "$(least 7 "$kernel")" ] || label="$drive_who, ABI $drive_abi"
	[ $# -lt 2 ] || label="$label, $2 $3"
	as "$drive_who" "$TMP/escape" drive "$drive_program" "$label" "$drive_abi" "$TMP/world" "$@"
}
least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }

users=user
[ "$(id -u)" != 0 ] || users='root user'
for user in $users; do
	drive "$user" "$HSA" "$(least 7 "$kernel")"
	drive "$user" "$HSA" "$(least 7 "$kernel")" metadata --without read # descriptors of files outside can be had then
	drive "$user" "$HSA" "$(least 7 "$kernel")" setid --without metadata # set-id bits are no matter of that layer
done
for abi in 3 4 5 6; do
	[ "$abi" -lt "$kernel" ] || continue
	# shellcheck disable=SC2086 # lists of words
	if ! $CC -std=c11 -O1 -DHSA_ABI_MAX=$abi $BEARSSL_CFLAGS -o "$TMP/hsa$abi" hsa.c $BEARSSL_LIBS >&2; then
		fail "a program that knows Landlock up to ABI $abi compiles" "it does not"
		continue
	fi
	for user in $users; do
		drive "$user" "$TMP/hsa$abi" "$abi" >"$TMP/lines"
		grep -v '^ok - .*: nothing outside has changed$' "$TMP/lines" | grep -v '^skipped' | grep -v '^ok - [^(]*$' # no line twice
		if [ "$(grep -c '^ok' "$TMP/lines")" -lt 400 ] || grep -q '^FAIL' "$TMP/lines"; then
			fail "$user, ABI $abi: everything else is refused" "$(tail -n 3 "$TMP/lines")"
		else
			ok "$user, ABI $abi: everything else is refused ($(grep -c '^ok' "$TMP/lines") attempts)"
		fi
	done
done
