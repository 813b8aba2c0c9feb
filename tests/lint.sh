#!/bin/sh
# What compilers and analysers say of the sources, and the rules that no compiler knows.
# needs: clang clang-tidy cppcheck shellcheck binutils gcc
. "$(dirname "$0")/lib.sh"

parts="json.c http.c answer.c crate.c rust.c questions.c verify.c landlock.h seatbelt.c"
report=''
[ ! -f report.c ] || report=report.c
sources="hsa.c $report $parts"
warnings="-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Wformat=2 -Wno-format-nonliteral"
warnings="$warnings -Wcast-qual -Wswitch-default -Wdouble-promotion -Wnull-dereference -Wno-switch-default"

# quiet NAME COMMAND ...: whether the command succeeds and says nothing.
quiet() {
	quiet_name=$1
	shift
	if "$@" >"$TMP/said" 2>&1 && [ ! -s "$TMP/said" ]; then
		ok "$quiet_name"
	else
		cat "$TMP/said" >&2
		fail "$quiet_name" "$(grep -m 1 -E 'error|warning|style|note' "$TMP/said" || head -n 1 "$TMP/said")"
	fi
}

# shellcheck disable=SC2086 # lists of flags
for compiler in gcc clang; do
	need "$compiler: warnings" "$compiler" || continue
	for part in $parts; do
		quiet "$compiler: $part compiles alone, without warnings" "$compiler" -std=c11 $warnings $BEARSSL_CFLAGS -Werror -Wno-unused-function \
			-fsyntax-only -x c "$part"
	done
	quiet "$compiler: hsa.c compiles without warnings, and has no function that nobody calls" "$compiler" -std=c11 -O2 $warnings \
		$BEARSSL_CFLAGS -Werror -c -o "$TMP/hsa.o" hsa.c
done

# gcc's analyser follows every path of every function: a file at a time and without inlining it ends in seconds. hsa.c, with all
# that it includes, needs tighter limits; and that a string without bytes may be {NULL, 0} is not known across so many calls.
# shellcheck disable=SC2086
if need "gcc -fanalyzer" gcc; then
	for part in $parts; do
		quiet "gcc -fanalyzer: $part" gcc -std=c11 -O0 -fanalyzer -fkeep-static-functions -Wno-unused-function $BEARSSL_CFLAGS \
			-c -o "$TMP/analysed.o" -x c "$part"
	done
	quiet "gcc -fanalyzer: hsa.c" gcc -std=c11 -O0 -fanalyzer --param analyzer-bb-explosion-factor=1 --param \
		analyzer-max-enodes-per-program-point=2 -Wno-analyzer-null-argument -Wno-unused-function $BEARSSL_CFLAGS -c -o "$TMP/analysed.o" hsa.c
fi

# Checks that find bugs; those about taste, and about printf's result, are not among them.
checks='-*,clang-analyzer-*,bugprone-*,misc-redundant-expression,misc-misplaced-const,cert-err34-c,cert-flp30-c,cert-pos*'
checks="$checks,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-suspicious-include"
checks="$checks,-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result,-bugprone-assignment-in-if-condition"
checks="$checks,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling"
if need clang-tidy clang-tidy; then
	for part in hsa.c seatbelt.c; do
		# shellcheck disable=SC2086
		clang-tidy --quiet -checks="$checks" --header-filter='.*' "$part" -- -std=c11 -Wno-unused-function $BEARSSL_CFLAGS \
			>"$TMP/said" 2>/dev/null
		quiet "clang-tidy: $part" cat "$TMP/said"
	done
fi

if need cppcheck cppcheck; then
	for part in hsa.c seatbelt.c; do
		quiet "cppcheck: $part" cppcheck -q --std=c11 --enable=warning,portability,performance --inline-suppr \
			--suppress=missingIncludeSystem --suppress=nullPointer --suppress=ctuuninitvar --error-exitcode=1 -D__linux__ -D__x86_64__ "$part"
	done
fi

if need shellcheck shellcheck; then
	quiet "shellcheck" shellcheck -x -S warning -e SC1090,SC1091,SC2034,SC2097,SC2098,SC2115,SC2154 build.sh test.sh .ci/run tests/*.sh tests/boxes/*.sh
fi

# No more lines of C than there are (5,000 is the goal), no file above 1,500, no line above 150 bytes, no stray space.
total=$(cat $sources fixture.inc | wc -l)
if [ "$total" -le 8810 ]; then ok "at most 8,810 lines of C"; else fail "at most 8,810 lines of C" "$((total)) lines"; fi
wc -l $sources fixture.inc | awk '$2 != "total" && $1 > 1500' >"$TMP/long"
quiet "no file above 1,500 lines" cat "$TMP/long"
awk 'length > 150 { print FILENAME ":" FNR ": error: " length " bytes" }' $sources >"$TMP/wide"
quiet "no line above 150 bytes" cat "$TMP/wide"
grep -nE '[[:space:]]+$' $sources build.sh test.sh tests/*.c tests/*.sh >"$TMP/space"
quiet "no space at the end of a line" cat "$TMP/space"

# What the program asks of the C library and of BearSSL is a written list, and some things are never on it. Compiled plainly,
# so that no compiler's own ideas (memcpy for a loop, __memcpy_chk, __popcountdi2) are in it.
# shellcheck disable=SC2086
if gcc -std=c11 -O0 -fno-builtin -fno-stack-protector -U_FORTIFY_SOURCE $BEARSSL_CFLAGS -c -o "$TMP/plain.o" hsa.c 2>"$TMP/said"; then
	nm -u "$TMP/plain.o" | awk '{ print $2 }' | sed 's/^__isoc[0-9]*_//' | grep -v -e '^__' -e '^_GLOBAL_OFFSET_TABLE_$' |
		LC_ALL=C sort -u >"$TMP/symbols"
	if diff tests/symbols.txt "$TMP/symbols" >"$TMP/said"; then
		ok "imported symbols are those in tests/symbols.txt"
	else
		cat "$TMP/said" >&2
		fail "imported symbols are those in tests/symbols.txt" "$(grep '^[<>]' "$TMP/said" | tr '\n' ' ')"
	fi
	grep -xE 'popen|system|strcpy|strcat|v?sprintf|stpcpy|gets|strtok|mktemp|tmpnam|tempnam|scanf|gets|alloca|getwd|malloc|calloc|realloc|rand|dlopen|pthread_.*' \
		"$TMP/symbols" >"$TMP/banned"
	quiet "no popen, system, strcpy, sprintf, malloc, threads" cat "$TMP/banned"
else
	fail "imported symbols" "hsa.c does not compile"
fi
