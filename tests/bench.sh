#!/bin/sh
# bench.sh - what hsa costs, as a table for README: medians of runs in turn, on the machine at hand. Started by test.sh it only
# makes sure that each figure can be made: a test never depends on time.
# needs: bubblewrap libcjson-dev libjsmn-dev musl-tools binutils
. "$(dirname "$0")/lib.sh"
full=false rounds=3 big=16M bigger=16
[ -n "${BENCH-}" ] || [ -z "${TESTING-}" ] && full=true rounds=301 big=1G bigger=1024
figures=0

# row WHAT FIGURE GOAL
row() {
	figures=$((figures + 1))
	if $full; then printf '| %s | %s | %s |\n' "$1" "$2" "$3"; else printf '# %s: %s\n' "$1" "$2"; fi
}
# ratio A B: A / B with two decimals.
ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
ms() { awk "BEGIN { printf \"%.2f ms\", $1 / 1000 }"; }
must() { if [ -z "$2" ]; then fail "bench: $1" "$(tail -n 1 "$TMP/err")"; return 1; fi; }

compile "$TMP/bench" tests/bench.c -O2 || { fail "bench.c compiles" "it does not"; exit 1; }
bench() { "$TMP/bench" "$@" 2>"$TMP/err"; }
mkdir "$TMP/ws"
cd "$TMP/ws" || exit 1
if $full; then
	printf 'Measured on: %s, %s cores, Linux %s, %s.\n\n| what | measured | goal |\n| --- | --- | --- |\n' \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -r)" "$("$HSA" --version | head -n 1)"
fi

# ---- starting a command ----
if command -v bwrap >/dev/null && bwrap --ro-bind / / --unshare-all true 2>/dev/null; then
	set -- bwrap --ro-bind / / --dev /dev --proc /proc --bind "$TMP/ws" "$TMP/ws" --unshare-all --die-with-parent bash -c true
else
	set -- true
fi
figure=$(bench times "$rounds" bash -c true %% "$HSA" exec -- bash -c true %% "$@" %% "$HSA" --version %% /bin/true)
if must "starting a command" "$figure"; then
	# shellcheck disable=SC2086 # five numbers
	set -- $figure "$1"
	row "\`bash -c true\` alone" "$(ms "$1")" ""
	row "\`hsa exec -- bash -c true\`, every layer in force" "$(ms "$2"), $(ratio "$2" "$1") times that" "1.6 times"
	[ "$6" != bwrap ] || row "bubblewrap, the same" "$(ms "$3"); hsa takes $(ratio "$2" "$3") of it" "half"
	row "\`hsa --version\` against \`/bin/true\`" "$(ratio "$4" "$5") times" "1.5 times"
fi

# ---- what flows ----
figure=$(bench times $((rounds / 60 + 1)) sh -c "head -c $big /dev/zero | cat >/dev/null" %% sh -c "'$HSA' exec -- head -c $big /dev/zero | cat >/dev/null")
if must "throughput" "$figure"; then
	# shellcheck disable=SC2086
	set -- $figure
	row "$big through a pipe, with \`hsa exec\` against without" "$(ratio "$1" "$2") of the speed ($(awk "BEGIN { printf \"%.1f GiB/s\", $bigger * 1000000 / 1024 / $2 }"))" "0.8"
fi
: >mode
outside=$(bench chmod $((rounds * 30)) mode)
inside=$("$HSA" exec --readable "$TMP/bench" -- "$TMP/bench" chmod $((rounds * 30)) mode 2>"$TMP/err")
must "chmod" "$outside$inside" && row "a chmod outside, inside" "$(awk "BEGIN { printf \"%.1f, %.1f us\", $outside / 1000, $inside / 1000 }")" ""

# ---- the host ----
if command -v cargo >/dev/null; then
	"$HSA" fixture "$TMP/crate" >/dev/null
	turn=$(bench turn 3 "$HSA" "$TMP/crate" 'ls -l')
	if must "a turn of three commands" "$turn"; then
		row "host's own time in a scripted turn of three commands" "$(ms "${turn% *}")" "30 ms (codex exec: 420 ms)"
		row "host's peak memory in it" "${turn#* } KiB" "8 MiB (codex exec: 155 MiB)"
	fi
	small=$(bench turn 1 "$HSA" "$TMP/crate" 'head -c 1M /dev/zero')
	large=$(bench turn 1 "$HSA" "$TMP/crate" "head -c $big /dev/zero")
	must "memory and output" "$small" && must "memory and output" "$large" &&
		row "peak memory, $big of command output against 1 MiB" "$((${large#* } - ${small#* })) KiB more" "256 KiB more"
	long=$(bench turn 16 "$HSA" "$TMP/crate" 'head -c 40000 /dev/urandom | base64')
	must "memory of 16 turns" "$long" && row "peak memory, 16 turns of 24 KiB" "${long#* } KiB" "16 MiB"

	# A crate of 50,000 lines, repaired.
	lines=50000
	$full || lines=2000
	for crate in before after; do
		mkdir -p "$TMP/$crate/src"
		printf '[package]\nname = "large"\nversion = "0.1.0"\nedition = "2021"\n' >"$TMP/$crate/Cargo.toml"
		awk -v n="$lines" -v bug="$crate" 'BEGIN {
			print "pub fn right() -> u32 {\n    " (bug == "before" ? 1 : 2) "\n}"
			for (k = 0; k < n / 5; k++) printf "/// Adds %d to x, and says \"so\".\npub fn f%d(x: u64) -> u64 {\n    let y = x.wrapping_add(%d); // and that\n    y ^ 0x%x\n}\n", k, k, k, k
			print "#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_two() {\n        assert_eq!(super::right(), 2);\n    }\n}" }' >"$TMP/$crate/src/lib.rs"
	done
	verdict=$(bench own "$HSA" verify --against "$TMP/before" "$TMP/after")
	must "the verdict's own time" "$verdict" && row "verdict's own time on a crate of $lines lines, cargo's not counted" "$(ms "$verdict")" "50 ms"
else
	skip "bench: the host" "no cargo"
fi

# ---- the parsers ----
bundle=/etc/ssl/certs/ca-certificates.crt
if [ -f $bundle ]; then
	figure=$(bench roots $((rounds / 5 + 1)) $bundle)
	must "roots" "$figure" && row "system's root certificates loaded ($(grep -c BEGIN $bundle))" "$(ms "$figure")" "15 ms (BearSSL's reader: 57 ms)"
fi
if [ -f "$ROOT/tests/bench_json.c" ]; then
	# shellcheck disable=SC2086
	if (cd "$ROOT" && BEARSSL_LIBS="$BEARSSL_LIBS -lcjson" compile "$TMP/bench_json" tests/bench_json.c -O2) 2>"$TMP/err"; then
		"$TMP/bench_json" $((rounds / 30 + 1)) 2>"$TMP/err" | while IFS='|' read -r what figure goal; do row "$what" "$figure" "$goal"; done
	else
		skip "bench: JSON" "libcjson or jsmn is not here"
	fi
fi

# ---- sizes ----
(cd "$ROOT" && env OUT="$TMP/dynamic" ./build.sh) >/dev/null 2>"$TMP/err" && strip "$TMP/dynamic" &&
	row "program, dynamic, stripped" "$(($(wc -c <"$TMP/dynamic") / 1024)) KiB" "400 KiB"
if [ -d "$CACHE/bearssl-source" ] && command -v musl-gcc >/dev/null; then
	(cd "$ROOT" && env OUT="$TMP/static" CC=musl-gcc BEARSSL="$CACHE/bearssl-source" LDFLAGS=-static ./build.sh) >/dev/null 2>"$TMP/err" &&
		strip "$TMP/static" && row "program, static with musl, stripped" "$(($(wc -c <"$TMP/static") / 1024)) KiB" "600 KiB"
fi
$full || ok "bench: $figures figures can be made"
