#!/bin/sh
# The other subjects once more: with the address and undefined-behaviour sanitizers in program and tests, the parsers under
# valgrind, and a build that counts which lines were run.
# SAMPLE=1 (as in CI): of the matrix of attempts one run each as root and as a user, without the programs that know less of
# Landlock; and not the matrix of cheats, the tools of builders and other people's crates, which are cargo's work more than hsa's.
# Lines are counted then without what waits more than it runs.
# needs: clang valgrind gcc
. "$(dirname "$0")/lib.sh"

# again NAME SUBJECT ...: runs subjects through test.sh with what the environment says, one line for each here.
again() {
	again_name=$1
	shift
	for again_subject in "$@"; do
		[ -f "tests/$again_subject.sh" ] || continue
		BOXES='' ./test.sh "$again_subject" >"$TMP/again" 2>"$TMP/again.err"
		again_last=$(tail -n 1 "$TMP/again")
		case $again_last in
		*' passed, 0 failed, '*) ok "$again_name: $again_subject" ;;
		*)
			grep -v '^ok' "$TMP/again" >&2
			fail "$again_name: $again_subject" "$(grep -m 1 '^FAIL' "$TMP/again" || tail -n 1 "$TMP/again.err")"
			;;
		esac
	done
}
# Not again: what builds its own programs or reads the papers.
subjects=$(./test.sh --list | grep -vxE 'bench|boxes|build|clean|docs|fuzz|lint|sanitize|seatbelt|toolchains')
[ -z "${SAMPLE-}" ] || subjects=$(echo "$subjects" | grep -vxE 'adopt|boundary-works|cheats|escape')
mkdir "$TMP/asan" "$TMP/count"

# Every attempt of tests/escape.c once, against the program with sanitizers.
attempts() {
	compile "$TMP/escape" tests/escape.c
	for attempts_user in 0 54321; do
		[ "$(id -u)" = 0 ] || attempts_user=$(id -u)
		rm -rf "$TMP/world"
		mkdir -m 755 "$TMP/world"
		set --
		[ "$(id -u)" != 0 ] || set -- setpriv --reuid="$attempts_user" --regid="$attempts_user" --clear-groups
		[ "$(id -u)" != 0 ] || chown "$attempts_user" "$TMP/world"
		abi=$("$TMP/escape" abi)
		[ "$abi" -le 7 ] || abi=7
		HOME=$TMP/world TMPDIR=$TMP/world "$@" "$TMP/escape" drive "$HSA" sanitizers "$abi" "$TMP/world" >"$TMP/attempts" 2>&1 </dev/null
		if [ "$(grep -c '^ok' "$TMP/attempts")" -gt 400 ] && ! grep -q '^FAIL' "$TMP/attempts"; then
			ok "sanitizers: $(grep -c '^ok' "$TMP/attempts") attempts refused, as user $attempts_user"
		else
			fail "sanitizers: attempts, as user $attempts_user" "$(grep -m 3 -v '^ok' "$TMP/attempts")"
		fi
	done
}

# The host is not dumpable, so the leak checker, which attaches to it, cannot look; nothing here is ever freed anyway.
echo 'const char *__asan_default_options(void); const char *__asan_default_options(void) { return "detect_leaks=0:handle_segv=0:disable_coredump=0"; }' >"$TMP/asan.h"
asan="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
run env CC=gcc CFLAGS="$asan -include $TMP/asan.h -Wno-error" OUT="$TMP/asan/hsa" ./build.sh
if [ "$status" = 0 ]; then
	ok "builds with sanitizers"
	# shellcheck disable=SC2086 # a list of words
	HSA=$TMP/asan/hsa TEST_CFLAGS=$asan again "sanitizers" $subjects
	[ -z "${SAMPLE-}" ] || (HSA=$TMP/asan/hsa && attempts)
else
	fail "builds with sanitizers" "$(printf '%s' "$err" | grep -m 1 error)"
fi

if need "valgrind" valgrind; then
	WRAP='valgrind -q --error-exitcode=99 --track-origins=no' again "valgrind" json http verify
	run valgrind -q --error-exitcode=99 "$HSA" exec -C "$TMP" -- touch ran
	holds "valgrind: hsa itself, whose system calls it does not know, refuses" "$status $(ls "$TMP/ran" 2>&1)" '3 *No such file*'
fi

# Lines that the tests run. gcov writes its counts at exit(3); a warden ends by _exit, so that writes first, unless it is inside
# the boundary, where the file cannot be opened. What the command's process does just before exec is therefore not counted.
cat >"$TMP/count.h" <<END
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
void __gcov_dump(void);
_Noreturn void __real__exit(int);
_Noreturn void __wrap__exit(int);
_Noreturn void __wrap__exit(int status) {
	int fd = open("$TMP/count/open", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		__gcov_dump();
	__real__exit(status);
}
END
: >"$TMP/count/open"
chmod 666 "$TMP/count/open"
chmod 777 "$TMP/count"
counting="-O0 -g --coverage -fprofile-update=atomic"
run env CC=gcc CFLAGS="$counting -include $TMP/count.h -Wno-error" LDFLAGS=-Wl,--wrap=_exit OUT="$TMP/count/hsa" ./build.sh
if [ "$status" != 0 ]; then
	fail "builds with line counts" "$(printf '%s' "$err" | grep -m 1 error)"
	exit
fi
"$TMP/count/hsa" --version >/dev/null
chmod 666 "$TMP"/count/*.gcda # the tests' ordinary user counts too
# What cannot write its counts (a limit on the size of files) says so elsewhere.
export GCOV_ERROR_FILE=/dev/null
[ -z "${SAMPLE-}" ] || subjects=$(echo "$subjects" | grep -vxE 'certs|scenarios|terminal')
# shellcheck disable=SC2086
HSA=$TMP/count/hsa TEST_CFLAGS="$counting -dumpdir $TMP/count/" again "counting lines" $subjects
# A line counts as run if any of the programs ran it.
for data in "$TMP"/count/*.gcda; do gcov -t "$data" 2>/dev/null; done | awk -F : '
	$3 == "Source" { file = $4; mine = file !~ /^\// && file !~ /(^|\/)tests\/[^.]/; sub(".*/", "", file); next }
	file ~ /^[a-z]+\.c$|^landlock\.h$|^fixture\.inc$/ && mine && $1 !~ /-$/ && $2 + 0 > 0 {
		line = file ":" ($2 + 0)
		known[line] = file
		if ($1 !~ /[#=]/) ran[line] = 1
	}
	END {
		for (line in known) {
			all[known[line]]++
			if (line in ran) done[known[line]]++
			else print line >"'"$TMP/missed"'"
		}
		for (file in all) { printf "# %s: %d of %d lines run, %.1f %%\n", file, done[file], all[file], 100 * done[file] / all[file]; a += all[file]; d += done[file] }
		printf "%.1f\n", a == 0 ? 0 : 100 * d / a
	}' >"$TMP/coverage"
grep '^#' "$TMP/coverage"
share=$(tail -n 1 "$TMP/coverage")
if [ "${share%.*}" -ge 85 ]; then ok "at least 85 % of the lines are run: $share %"; else fail "at least 85 % of the lines are run" "$share %"; fi
[ -z "${COVERAGE-}" ] || sort -t : -k 1,1 -k 2n "$TMP/missed" >"$COVERAGE"
