# lib.sh - what every tests/*.sh begins with:  . "$(dirname "$0")/lib.sh"  (then the directory is $ROOT)
#
# A test prints one line: `ok - name`, `FAIL - name: why` or `skipped - name: why`. test.sh counts them.
# Packages that a subject needs stand in lines of it that begin with `# needs:` (Debian), `# npm:` (npm), and
# for --boxes only, `# boxes:` and `# npm-boxes:`; `test.sh --deps` installs them.
# shellcheck shell=sh disable=SC2034

if [ -z "${ROOT-}" ]; then # started by hand, without test.sh
	ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
	eval "$("$ROOT/build.sh" --flags)"
	HSA=${HSA:-$ROOT/hsa} SHARED=
	[ ! -d "$ROOT/../shared" ] || SHARED=$(cd "$ROOT/../shared" && pwd -P)
	TMP=$(mktemp -d "${TMPDIR:-/tmp}/hsa-test.XXXXXX")
	trap 'chmod -R u+rwX "$TMP" 2>/dev/null; rm -rf "$TMP"' EXIT
	FUZZ_SECONDS=${FUZZ_SECONDS:-1} BOXES=${BOXES-} TEST_CFLAGS=${TEST_CFLAGS:--O1 -g}
	CACHE=${CACHE:-$ROOT/.build} NODE_PATH=$CACHE/npm/node_modules
	export ROOT HSA SHARED TMP FUZZ_SECONDS BOXES TEST_CFLAGS CACHE NODE_PATH CC BEARSSL_CFLAGS BEARSSL_LIBS
fi
cd "$ROOT" || exit 1

ok() { printf 'ok - %s\n' "$1"; }
fail() { printf 'FAIL - %s: %s\n' "$1" "$(printf '%s' "$2" | tr '\n' ' ')"; }
skip() { printf 'skipped - %s: %s\n' "$1" "$2"; }

# is NAME GOT WANT
is() { if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "got '$2', wanted '$3'"; fi; }

# holds NAME TEXT PATTERN: whether PATTERN (as in case) matches TEXT.
holds() {
	# shellcheck disable=SC2254 # a pattern is meant
	case $2 in
	$3) ok "$1" ;;
	*) fail "$1" "'$2' does not match '$3'" ;;
	esac
}

# run COMMAND ...: runs it without input; then $status, $out and $err (also as files $TMP/out, $TMP/err) say how it went.
run() {
	status=0
	"$@" </dev/null >"$TMP/out" 2>"$TMP/err" || status=$?
	out=$(tr -d '\000' <"$TMP/out")
	err=$(tr -d '\000' <"$TMP/err")
}

# need NAME TOOL ...: whether all tools are here; else NAME counts as skipped.
need() {
	for tool in "$@"; do
		[ "$tool" != "$1" ] || continue
		if ! command -v "$tool" >/dev/null 2>&1; then
			skip "$1" "no $tool here"
			return 1
		fi
	done
}

# compile OUT SOURCE [FLAG ...]: a C test, with warnings as errors and $TEST_CFLAGS. The words go to standard error.
compile() {
	compile_out=$1 compile_source=$2
	shift 2
	# shellcheck disable=SC2086 # lists of words
	$CC -std=c11 -Wall -Wextra -Wshadow -Wno-unused-function -Werror $TEST_CFLAGS $BEARSSL_CFLAGS "$@" \
		-o "$compile_out" "$compile_source" $BEARSSL_LIBS >&2
}

# c_test SOURCE [ARGUMENT ...]: compiles a C test and runs it; it prints its own lines.
c_test() {
	c_source=$1 c_name=${1##*/}
	shift
	if ! compile "$TMP/${c_name%.c}" "$c_source"; then
		fail "$c_name compiles" "it does not"
		return 1
	fi
	c_status=0
	# shellcheck disable=SC2086 # WRAP: a program that runs it, valgrind for one
	${WRAP-} "$TMP/${c_name%.c}" "$@" </dev/null || c_status=$?
	[ "$c_status" = 0 ] || fail "$c_name runs to its end" "status $c_status"
}
