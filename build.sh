#!/bin/sh
# build.sh - finds a C compiler and BearSSL, and builds ./hsa.
#
#   ./build.sh             builds; says what is missing and how to get it
#   ./build.sh --deps      installs what is missing first (as root, or through sudo or doas)
#   ./build.sh --demo      then runs ./hsa --demo, and ends with its status
#   ./build.sh --flags     prints the compiler and BearSSL as found, as shell assignments, and builds nothing
#
# CC, CFLAGS, LDFLAGS, AR   as usual; LDFLAGS=-static gives a static program
# BEARSSL=DIR               BearSSL installed below DIR, or its source tree (then built here, without make)
# OUT=FILE                  the program's name (./hsa); what is built on the way is kept beside it in .build
#
# The same sources, compiler and flags give the same bytes, wherever and whenever they are built.
# shellcheck disable=SC2046,SC2086 # CC, the flags and the names of packages are lists of words
set -eu
locale=${LC_ALL-}
LC_ALL=C
export LC_ALL

version=0.6
url=https://bearssl.org/bearssl-$version.tar.gz
digest=6705bba1714961b41a728dfc5debbe348d2966c117649392f8c8139efc83ff14

say() { printf 'build.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

deps=false demo=false flags=false
for option; do
	case $option in
	--deps) deps=true ;;
	--demo) demo=true ;;
	--flags) flags=true ;;
	-h | --help) sed -n '2,/^set/{/^# shellcheck/d;/^#/s/^# \{0,1\}//p;}' "$0"; exit 0 ;;
	*) say "unknown option $option (there are --deps, --demo, --flags)"; exit 2 ;;
	esac
done

case ${BEARSSL:-/} in /*) ;; *) BEARSSL=$PWD/$BEARSSL ;; esac
BEARSSL=${BEARSSL-} BEARSSL=${BEARSSL%/}
case ${OUT:-/} in /*) ;; *) OUT=$PWD/$OUT ;; esac
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) # everything is compiled from here, by relative names
cd "$here"
out=${OUT:-./hsa}
keep=$(dirname -- "$out")/.build
case $PWD in *[[:space:]]*) ;; *) case $keep in ./*) keep=$PWD/${keep#./} ;; esac ;; esac
CFLAGS=${CFLAGS--O2} LDFLAGS=${LDFLAGS-}
work=$(mktemp -d "${TMPDIR:-/tmp}/hsa-build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- 1. what is missing, and how to get it ------------------------------------------------------------------------

# The tool that installs packages here, or nothing.
installer() {
	for tool in apt-get dnf apk pacman brew; do
		if have "$tool"; then
			echo "$tool"
			return
		fi
	done
}

# packages TOOL WHAT: the packages that bring WHAT (compiler, bearssl, cargo), by the distribution's names.
packages() {
	case $1:$2 in
	apt-get:compiler) echo gcc libc6-dev ;;
	dnf:compiler) echo gcc glibc-devel ;;
	apk:compiler) echo gcc musl-dev ;;
	pacman:compiler) echo gcc ;;
	apt-get:bearssl) echo libbearssl-dev ;;
	apk:bearssl) echo bearssl-dev ;;
	pacman:bearssl | brew:bearssl) echo bearssl ;;
	brew:cargo) echo rust ;;
	pacman:cargo) echo rust ;;
	*:cargo) echo cargo ;;
	esac
}

# The command that installs packages with TOOL.
install_line() {
	case $1 in
	apt-get) echo apt-get install -y --no-install-recommends ;;
	dnf) echo dnf install -y ;;
	apk) echo apk add ;;
	pacman) echo pacman -S --needed --noconfirm ;;
	brew) echo brew install ;;
	esac
}

# missing WHAT WORDS: ends the build, saying what is missing and how to get it on each system.
missing() {
	say "$2"
	say "how to get it:"
	case $1 in
	compiler) cat >&2 <<-'END'
		  Debian, Ubuntu   apt-get install gcc libc6-dev
		  Fedora           dnf install gcc glibc-devel
		  Alpine           apk add gcc musl-dev
		  Arch             pacman -S gcc
		  macOS            xcode-select --install
		END
		;;
	bearssl) cat >&2 <<-END
		  Debian, Ubuntu   apt-get install libbearssl-dev
		  Alpine           apk add bearssl-dev
		  Arch             pacman -S bearssl
		  macOS            brew install bearssl
		  Fedora, others   fetch $url
		                   (SHA-256 $digest),
		                   unpack it, and run BEARSSL=its/directory ./build.sh
		END
		;;
	cargo) cat >&2 <<-'END'
		  Debian, Ubuntu   apt-get install cargo
		  Fedora           dnf install cargo
		  Alpine           apk add cargo
		  Arch             pacman -S rust
		  macOS            brew install rust
		  anywhere         https://rustup.rs
		END
		;;
	esac
	say "or let it be done: ./build.sh --deps"
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"
	elif have sudo; then sudo "$@"
	elif have doas; then doas "$@"
	else die "installing needs root, sudo or doas; as root: $*"; fi
}

# install WHAT ...: installs what is named; the output of the package manager goes to standard error.
install() {
	tool=$(installer)
	[ -n "$tool" ] || return 1
	names=
	for what; do names="$names $(packages "$tool" "$what")"; done
	[ -n "${names# }" ] || return 1
	say "installing$names"
	case $tool in
	brew) brew install $names >&2 ;;
	apt-get)
		as_root apt-get update -q >&2 || say "apt-get update failed: going on with what is known"
		as_root env DEBIAN_FRONTEND=noninteractive $(install_line apt-get) $names >&2
		;;
	*) as_root $(install_line "$tool") $names >&2 ;;
	esac
}

sha256() {
	if have sha256sum; then sha256sum "$1"
	elif have shasum; then shasum -a 256 "$1"
	else openssl dgst -sha256 -r "$1"; fi | cut -d ' ' -f 1
}

# BearSSL's own release, for systems that package none.
fetch_bearssl() {
	say "fetching $url"
	mkdir -p "$keep"
	if have curl; then curl -fsSL -o "$work/bearssl.tar.gz" "$url"
	elif have wget; then wget -q -O "$work/bearssl.tar.gz" "$url"
	else die "neither curl nor wget is here to fetch it"; fi
	[ "$(sha256 "$work/bearssl.tar.gz")" = "$digest" ] || die "what came from $url is not the release: wrong SHA-256"
	(cd "$work" && gzip -dc bearssl.tar.gz | tar xf -)
	rm -rf "$keep/bearssl-$version"
	mv "$work/bearssl-$version" "$keep/"
}

# ---- 2. the compiler ------------------------------------------------------------------------------------------------

# try compile|link FLAG ...: whether a program that uses nothing can be made with these, without a word.
try() {
	case $1 in
	compile) set -- "$@" -c -o "$work/try.o" ;;
	link) set -- "$@" -o "$work/try" $LDFLAGS ;;
	esac
	shift
	$CC -std=c11 $CFLAGS -Werror "$work/try.c" "$@" >"$work/said" 2>&1 && [ ! -s "$work/said" ]
}

compiler_works() {
	have "${CC%% *}" && $CC -std=c11 $CFLAGS -o "$work/try" "$work/try.c" $LDFLAGS >"$work/said" 2>&1
}

find_compiler() {
	cat >"$work/try.c" <<-'END'
		#include <stdio.h>
		int main(void) { return puts("") < 0; }
	END
	if [ -n "$chosen" ]; then
		CC=$chosen
		compiler_works
		return
	fi
	for CC in cc gcc clang; do
		compiler_works && return
	done
	return 1
}

# accepted compile|link FLAG ...: those of the flags that are taken; each tried by itself only where not all go together.
accepted() {
	step=$1
	shift
	if try "$step" "$@"; then
		echo "$*"
		return
	fi
	taken=
	for flag; do try "$step" "$flag" && taken="$taken $flag"; done
	echo "$taken"
}

# Flags that make a mistake harder to exploit, as far as this compiler has them. A static program is made position
# independent where that leaves it static (musl-gcc's -static-pie asks for a loader).
find_flags() {
	hard=$(accepted compile -fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection=full \
		-mbranch-protection=standard -fno-delete-null-pointer-checks -fno-strict-overflow)
	case " $CFLAGS" in
	*' -O0'* | *-fsanitize*) ;;
	*' -O'*) hard="$hard $(accepted compile -D_FORTIFY_SOURCE=2)" ;;
	esac
	link=$(accepted link -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code)
	case " $LDFLAGS " in
	*' -static '*)
		plain=$LDFLAGS
		LDFLAGS=$(printf ' %s ' "$plain" | sed 's/ -static / -static-pie /')
		if ! try link $hard $link || grep -q '/ld-[lm]' "$work/try"; then
			LDFLAGS=$plain
		fi
		;;
	*) link="$link $(accepted link -pie)" ;;
	esac
	warn=$(accepted compile -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
		-Wundef -Wvla -Wformat=2 -Wno-format-nonliteral -Wno-unused-function)
	# What depends on how far a compiler looks is told, but is no error.
	warn="$warn $(accepted compile -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow -Wno-error=stringop-overread \
		-Wno-error=array-bounds -Wno-error=restrict)"
}

# ---- 3. BearSSL -----------------------------------------------------------------------------------------------------

# links_bearssl FLAGS LIBS: whether a program that calls BearSSL can be built with these.
links_bearssl() {
	cat >"$work/bear.c" <<-'END'
		#include <bearssl.h>
		int main(void) {
			br_x509_minimal_context x;
			br_x509_minimal_init_full(&x, 0, 0);
			return br_prng_seeder_system(0) == 0;
		}
	END
	$CC -std=c11 $CFLAGS $hard $1 -o "$work/bear" "$work/bear.c" $LDFLAGS $link $2 >"$work/said" 2>&1
}

# quote WORD: so that it survives the shell's own reading once more.
quote() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

# Builds BearSSL's sources in DIR into an archive that is kept, under a name made of all that goes into it.
build_bearssl() {
	tree=$1
	key=$({ $CC -v 2>&1 || $CC --version || :; echo "$CC $CFLAGS $hard"; cat "$tree"/src/*.h "$tree"/inc/*.h \
		"$tree"/src/*.c "$tree"/src/*/*.c; } | cksum | tr ' ' -)
	archive=$keep/libbearssl-$key.a
	[ -s "$archive" ] && return
	mkdir -p "$keep" "$work/objects" || exit 1
	jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
	say "building BearSSL from $tree"
	job=0 started=
	while [ "$job" -lt "$jobs" ]; do
		(
			set --
			n=0
			for file in "$tree"/src/*.c "$tree"/src/*/*.c; do
				[ $((n % jobs)) -ne "$job" ] || set -- "$@" "$file"
				n=$((n + 1))
			done
			cd "$work/objects"
			for file; do
				name=${file##*/}
				$CC $CFLAGS $hard -w -I"$tree/inc" -I"$tree/src" -c -o "${name%.c}.o" "$file" || exit 1
			done
		) &
		started="$started $!"
		job=$((job + 1))
	done
	for job in $started; do
		wait "$job" || die "BearSSL's sources in $tree do not compile"
	done
	# D: no dates and no users in the archive. Not every ar knows it.
	(cd "$work/objects" && { ${AR:-ar} rcsD ../bear.a ./*.o 2>/dev/null || { rm -f ../bear.a && \
		ZERO_AR_DATE=1 ${AR:-ar} rcs ../bear.a ./*.o; }; }) || die "${AR:-ar} cannot make an archive"
	cp "$work/bear.a" "$archive.$$" && mv "$archive.$$" "$archive"
}

# use_bearssl DIR: sets bear_cflags and bear_libs from a source tree or an installed prefix.
use_bearssl() {
	if [ -f "$1/inc/bearssl.h" ] && [ -f "$1/src/inner.h" ]; then
		build_bearssl "$1"
		bear_cflags="-isystem $1/inc" bear_libs=$archive
		return
	fi
	[ -f "$1/include/bearssl.h" ] || die "BEARSSL=$1 holds neither include/bearssl.h nor inc/bearssl.h"
	for file in "$1"/lib/libbearssl.a "$1"/lib64/libbearssl.a "$1"/lib/*/libbearssl.a "$1"/lib/libbearssl.*; do
		if [ -f "$file" ]; then
			bear_cflags="-isystem $1/include" bear_libs=$file
			return
		fi
	done
	die "BEARSSL=$1 holds no lib/libbearssl.a"
}

find_bearssl() {
	if [ -n "$BEARSSL" ]; then
		case $BEARSSL in *[[:space:]]*) # the flags are lists of words: reach it by a name without spaces
			mkdir -p "$keep"
			rm -f "$keep/bearssl-link"
			ln -s "$BEARSSL" "$keep/bearssl-link"
			BEARSSL=$keep/bearssl-link
			;;
		esac
		use_bearssl "$BEARSSL"
		links_bearssl "$bear_cflags" "$bear_libs" && return
		sed 's/^/  /' "$work/said" >&2
		die "the BearSSL in $BEARSSL does not link with $CC $CFLAGS $LDFLAGS"
	fi
	# The archive rather than the shared library, where the linker takes it by name: a program to copy to any box.
	for bear_libs in -l:libbearssl.a -lbearssl; do
		bear_cflags=''
		links_bearssl '' "$bear_libs" && return
	done
	for prefix in /usr/local /opt/homebrew /opt/local /usr/pkg; do
		[ -f "$prefix/include/bearssl.h" ] || continue
		bear_cflags="-isystem $prefix/include" bear_libs="-L$prefix/lib -lbearssl"
		links_bearssl "$bear_cflags" "$bear_libs" && return
	done
	[ -f "$keep/bearssl-$version/inc/bearssl.h" ] || return 1
	use_bearssl "$(cd "$keep/bearssl-$version" && pwd -P)"
	links_bearssl "$bear_cflags" "$bear_libs"
}

# ---- 4. in order ----------------------------------------------------------------------------------------------------

chosen=${CC-}
if ! find_compiler && ! { $deps && install compiler && find_compiler; }; then
	[ ! -s "$work/said" ] || sed 's/^/  /' "$work/said" >&2
	missing compiler "no C compiler that can build a program (tried ${chosen:-cc, gcc, clang} with $CFLAGS $LDFLAGS)"
fi
find_flags
if ! find_bearssl; then
	if ! $deps; then
		missing bearssl "BearSSL (bearssl.h and libbearssl) is not where $CC looks for it"
	fi
	if ! { install bearssl && find_bearssl; }; then
		fetch_bearssl
		find_bearssl || missing bearssl "BearSSL cannot be used with $CC $CFLAGS $LDFLAGS"
	fi
fi

if $flags; then
	printf 'CC=%s\nBEARSSL_CFLAGS=%s\nBEARSSL_LIBS=%s\nHARD_CFLAGS=%s\nWARN_CFLAGS=%s\nHARD_LDFLAGS=%s\n' "$(quote "$CC")" \
		"$(quote "$bear_cflags")" "$(quote "$bear_libs")" "$(quote "$hard")" "$(quote "$warn")" "$(quote "$link")"
	exit 0
fi

# One compiler call. Built under another name first, so that a program that is running can be replaced.
$CC -std=c11 $hard $warn -Werror $CFLAGS $bear_cflags -o "$out.new" hsa.c $LDFLAGS $link $bear_libs ||
	{ rm -f "$out.new"; die "hsa.c does not compile with $CC"; }
mv "$out.new" "$out"
printf '%s: %s bytes, SHA-256 %s\n' "$out" "$(wc -c <"$out" | tr -d ' ')" "$(sha256 "$out")"

if $demo; then
	if ! have cargo && [ ! -x "${CARGO_HOME:-${HOME:-/root}/.cargo}/bin/cargo" ]; then
		$deps || missing cargo "the demo needs cargo and rustc, and there are none"
		install cargo || missing cargo "cargo and rustc could not be installed"
	fi
	rm -rf "$work"
	trap - EXIT
	case $out in */*) ;; *) out=./$out ;; esac
	unset LC_ALL
	[ -z "$locale" ] || export LC_ALL="$locale"
	exec "$out" --demo
fi
