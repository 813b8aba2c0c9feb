#!/bin/sh
# test.sh - builds hsa and runs the tests: one line a test, then `N passed, N failed, N skipped`.
#
#   ./test.sh              everything that this machine can do, but --boxes
#   ./test.sh NAME ...     only these subjects (tests/NAME.sh)
#   ./test.sh --deps       installs first what the tests need (Debian packages as root, npm packages)
#   ./test.sh --boxes      other compilers, libcs, architectures, kernels (under qemu), containers, macOS linking, too
#   ./test.sh --fuzz S     every fuzzer runs for S seconds (1)
#   ./test.sh --list       names the subjects
#
# OFFLINE=1 runs each subject without a network (as root), but those that say `# network:`.
# HSA=FILE tests that program instead of building one. Ends with 0 if at least one test passed and none failed.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
cd "$here" || exit 1

deps=false BOXES='' FUZZ_SECONDS=1 names=''
all=$(for file in tests/*.sh; do name=${file#tests/} name=${name%.sh}; case $name in lib) ;; *) echo "$name" ;; esac; done)
while [ $# -gt 0 ]; do
	case $1 in
	--deps) deps=true ;;
	--boxes) BOXES=1 ;;
	--fuzz)
		FUZZ_SECONDS=${2-}
		case $FUZZ_SECONDS in '' | *[!0-9]*) echo "test.sh: --fuzz needs seconds" >&2; exit 2 ;; esac
		shift
		;;
	--list) echo "$all"; exit 0 ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0"; exit 0 ;;
	-*) echo "test.sh: unknown option $1" >&2; exit 2 ;;
	*)
		[ -f "tests/$1.sh" ] || { echo "test.sh: there is no tests/$1.sh" >&2; exit 2; }
		names="$names $1"
		;;
	esac
	shift
done
names=${names:-$all}

# What would make a test depend on who runs it.
unset OPENAI_API_KEY OPENAI_BASE_URL HSA_MODEL HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy ALL_PROXY \
	all_proxy SSL_CERT_FILE NO_COLOR RUSTFLAGS RUSTC_WRAPPER CARGO_TARGET_DIR CARGO_BUILD_TARGET RUSTUP_TOOLCHAIN RUST_BACKTRACE \
	GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE BASH_ENV ENV CDPATH
ROOT=$here CACHE=${CACHE:-$here/.build} SHARED='' TEST_CFLAGS=${TEST_CFLAGS:--O1 -g}
[ ! -d "$here/../shared" ] || SHARED=$(cd "$here/../shared" && pwd -P)
NODE_PATH=$CACHE/npm/node_modules
umask 022

# ---- 1. what the tests need ------------------------------------------------------------------------------------------

# wanted KEY: the words of the lines `# KEY: ...` in the subjects that will run.
wanted() {
	for name in $names; do sed -n "s/^# $1://p" "tests/$name.sh"; done | tr ' ' '\n' | sort -u | tr '\n' ' '
}

install_packages() {
	debian=$(wanted needs)
	[ -z "${OFFLINE-}" ] || debian="$debian iproute2 util-linux"
	[ -z "$BOXES" ] || debian="$debian $(wanted boxes)"
	npm=$(wanted npm)
	[ -z "$BOXES" ] || npm="$npm $(wanted npm-boxes)"
	case " $npm " in *[a-z]*) command -v npm >/dev/null 2>&1 || debian="$debian nodejs npm" ;; esac
	command -v cargo >/dev/null 2>&1 || [ -x "${HOME:-/root}/.cargo/bin/cargo" ] || debian="$debian cargo"
	missing=''
	for package in $debian; do
		case $package in nodejs | npm) command -v npm >/dev/null 2>&1 && continue ;; esac # from elsewhere, and at odds with Debian's
		case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
		'install ok installed') ;;
		*) missing="$missing $package" ;;
		esac
	done
	if [ -n "$missing" ]; then
		echo "test.sh: installing$missing" >&2
		as_root=''
		[ "$(id -u)" = 0 ] || as_root=sudo
		$as_root apt-get update -q >&2
		# shellcheck disable=SC2086 # a list of words
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2 ||
			for package in $missing; do # one that cannot be had must not keep the others away
				$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" >&2
			done
	fi
	for package in $npm; do
		[ -f "$CACHE/npm/done/$(echo "$package" | tr / +)" ] && continue
		echo "test.sh: installing $package from npm" >&2
		mkdir -p "$CACHE/npm/done"
		[ -f "$CACHE/npm/package.json" ] || echo '{"private":true}' >"$CACHE/npm/package.json"
		(cd "$CACHE/npm" && npm install --no-audit --no-fund "$package" >&2) &&
			: >"$CACHE/npm/done/$(echo "$package" | tr / +)"
	done
}

if $deps; then
	command -v apt-get >/dev/null 2>&1 && install_packages
	./build.sh --deps --flags >/dev/null || exit 1
fi
case ":$PATH:" in
*":${HOME:-/root}/.cargo/bin:"*) ;;
*) command -v cargo >/dev/null 2>&1 || PATH=$PATH:${HOME:-/root}/.cargo/bin ;;
esac

# ---- 2. the program ---------------------------------------------------------------------------------------------------

found=$(./build.sh --flags) || exit 1
eval "$found"
if [ -z "${HSA-}" ]; then
	./build.sh >&2 || { echo "FAIL - build: hsa does not build"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
	HSA=$here/hsa
fi
TESTING=1
export TESTING ROOT HSA SHARED CACHE NODE_PATH FUZZ_SECONDS BOXES TEST_CFLAGS CC BEARSSL_CFLAGS BEARSSL_LIBS PATH
base=$(mktemp -d "${TMPDIR:-/tmp}/hsa-test.XXXXXX") || exit 1
chmod 755 "$base" # some tests run as another user
child=''
finish() {
	[ -z "$child" ] || kill "$child" 2>/dev/null
	chmod -R u+rwX "$base" 2>/dev/null
	rm -rf "$base"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- 3. the subjects --------------------------------------------------------------------------------------------------

# A network of its own with nothing but loopback.
offline() { unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$@"; }
if [ -n "${OFFLINE-}" ] && ! offline true; then
	echo "test.sh: OFFLINE needs root, unshare and ip" >&2
	exit 1
fi
passed=0 failed=0 skipped=0
count() { grep -c "^$1" "$base/lines"; }
for name in $names; do
	TMP=$base/$name
	export TMP
	mkdir -m 755 "$TMP"
	echo "# $name"
	began=$(date +%s)
	shell='sh'
	case $(head -n 1 "tests/$name.sh") in *bash*) shell=bash ;; esac
	away=''
	if [ -n "${OFFLINE-}" ] && ! grep -q '^# network:' "tests/$name.sh"; then away=offline; fi
	# Its output is shown as it comes; its status is kept in a file, since a pipe gives that of tee.
	{
		$away timeout -k 10 "${TEST_LIMIT:-1500}" "$shell" "tests/$name.sh" </dev/null 2>"$base/words"
		echo $? >"$base/status"
	} | tee "$base/lines"
	status=$(cat "$base/status")
	p=$(count 'ok - ') f=$(count 'FAIL - ') s=$(count 'skipped - ')
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		echo "FAIL - $name: the subject ended with status $status"
		f=1
	elif [ "$((p + f + s))" = 0 ]; then
		echo "FAIL - $name: the subject said nothing"
		f=1
	fi
	if [ "$f" != 0 ] && [ -s "$base/words" ]; then
		echo "# what $name wrote to standard error (the last 60 lines):"
		tail -n 60 "$base/words" | sed 's/^/#   /'
	fi
	echo "# $name: $(($(date +%s) - began)) s"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	chmod -R u+rwX "$TMP" 2>/dev/null
	rm -rf "$TMP"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
