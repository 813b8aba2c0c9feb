#!/bin/sh
# Which Rust is used, and where a workspace may lie: the whole demo with each, and cargo by itself. (None at all: tests/cli.sh.)
# needs: cargo rustc util-linux
# boxes: patchelf
# network: Debian's archive
. "$(dirname "$0")/lib.sh"
"$HSA" exec -C "$TMP" -- true 2>/dev/null || { skip "toolchains" "the boundary cannot be enforced here"; exit 0; }
root=false
[ "$(id -u)" != 0 ] || root=true
chmod 755 "$TMP"
mkdir "$TMP/home" "$TMP/tmp" "$TMP/places"
chmod 1777 "$TMP/tmp"

# with HOME PATH COMMAND ...: with these and nothing else of this environment.
with() {
	with_home=$1 with_path=$2
	shift 2
	env -i HOME="$with_home" PATH="$with_path" TMPDIR="$TMP/tmp" LANG=C.UTF-8 "$@"
}
# demo NAME DIR WORDS COMMAND ...: `COMMAND hsa --demo DIR` repairs it; then `cargo -V` inside says WORDS, and cargo passes the suite.
demo() {
	demo_name=$1 demo_dir=$2 demo_words=$3
	shift 3
	run "$@" "$HSA" --demo "$demo_dir"
	is "$demo_name: the demo ends with 0" "$status" 0
	[ "$status" = 0 ] || tail -n 40 "$TMP/out" "$TMP/err" >&2
	run "$@" "$HSA" exec -C "$demo_dir" -- sh -c 'cargo -V && cargo test'
	holds "$demo_name: cargo test passes inside" "$status $out" "0 $demo_words*2 passed*"
}

# ---- toolchains --------------------------------------------------------------------------------------------------------

if [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ]; then
	demo "the system's toolchain" "$TMP/places/system" "$(with "$TMP/home" /usr/bin:/bin cargo -V)" with "$TMP/home" /usr/bin:/bin
else
	skip "the system's toolchain" "no cargo and rustc in /usr/bin"
fi

# A later one: with --boxes Debian's second, put together as rustup does it; else what rustup has here.
later=''
if [ -n "$BOXES" ] && command -v patchelf >/dev/null; then
	. tests/boxes/apt.sh
	later=$CACHE/rust-later
	if [ ! -d "$later" ] && apt_open; then
		mkdir -p "$later.new/lib"
		for package in rustc-web cargo-web libstd-rust-web-dev "$(apt-cache depends libstd-rust-web-dev | sed -n 's/^ *Depends: //p')"; do
			apt_deb "$TMP/deb.$package" "$package" && for part in bin lib; do
				[ ! -d "$TMP/deb.$package/usr/$part" ] || cp -R "$TMP/deb.$package/usr/$part" "$later.new/"
			done
		done
		# shellcheck disable=SC2016 # the loader's own notation
		mv "$later.new"/lib/*-linux-gnu/*.so "$later.new/lib/" &&
			patchelf --set-rpath '$ORIGIN/../lib' "$later.new/bin/rustc" "$later.new/bin/rustdoc" && mv "$later.new" "$later"
	fi
else
	for dir in "${RUSTUP_HOME:-${HOME:-/root}/.rustup}"/toolchains/stable-*; do later=$dir; done
fi
if [ -x "$later/bin/cargo" ]; then
	says=$("$later/bin/cargo" -V)
	chains=$TMP/home/.rustup/toolchains
	mkdir -p "$chains"
	ln -s "$later" "$chains/stable-x86_64-unknown-linux-gnu"
	printf 'version = "12"\ndefault_toolchain = "stable-x86_64-unknown-linux-gnu"\n' >"$TMP/home/.rustup/settings.toml"
	demo "laid out as rustup does" "$TMP/places/rustup" "$says" with "$TMP/home" /usr/bin:/bin
	mv "$TMP/home/.rustup" "$TMP/home/none"
	if $root; then
		# shellcheck disable=SC2016 # a script for another shell
		demo "in /opt" "$TMP/places/opt" "$says" unshare -m sh -c 'mount -t tmpfs none /opt && mkdir /opt/rust && mount --bind "$1" /opt/rust && shift &&
			for f in /usr/bin/cargo /usr/local/bin/cargo; do [ ! -e $f ] || mount --bind /dev/null $f || exit; done && exec "$@"' sh "$later" \
			env -i HOME="$TMP/home" PATH=/usr/bin:/bin TMPDIR="$TMP/tmp" LANG=C.UTF-8
	fi
else
	skip "laid out as rustup does, in /opt" "no second toolchain here (--boxes brings one)"
fi

# ---- where a workspace lies ----------------------------------------------------------------------------------------------

places=$TMP/places
mkdir "$places/real" "$places/up"
ln -s ../real "$places/up/link"
ln -s . "$places/up/again"
demo "behind links" "$places/up/again/again/link" cargo env
demo "blanks, quotes, a newline" "$places/a b 'c' \"d\" \$e
f" cargo env
if $root; then
	mkdir "$places/theirs"
	chown 54321:54321 "$places/theirs"
	demo "another user's" "$places/theirs" cargo env
	is "another user's: still theirs" "$(stat -c %u "$places/theirs")" 54321
	mkdir "$places/open" "$TMP/user"
	chmod 777 "$places/open"
	chown 54321 "$TMP/user"
	demo "root's, open to all, as an ordinary user" "$places/open" cargo \
		setpriv --reuid=54321 --regid=54321 --clear-groups env HOME="$TMP/user" TMPDIR="$TMP/user" PATH=/usr/bin:/bin
	mkdir "$TMP/mount"
	# shellcheck disable=SC2016 # scripts for another shell
	{
		tmpfs='mount -t tmpfs -o size=200m none "$0" && '
		overlay='mkdir "$0/lower" "$0/upper" "$0/work" "$0/ws" && "$1" fixture "$0/lower" >/dev/null &&
			mount -t overlay -o "lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work" none "$0/ws" && '
		both='"$1" --demo "$0/ws" && "$1" exec -C "$0/ws" -- cargo test'
	}
	run unshare -m sh -c "$tmpfs$both" "$TMP/mount" "$HSA"
	holds "on tmpfs: the demo ends with 0, cargo test passes inside" "$status $out" '0 *2 passed*'
	run unshare -m sh -c "$tmpfs$overlay$both"' && grep -q "len + size - 1" "$0/upper/src/lib.rs" && ! grep -q "len + size - 1" "$0/lower/src/lib.rs"' "$TMP/mount" "$HSA"
	case $err in
	*'unknown filesystem'*) skip "on overlayfs" "this kernel has none" ;;
	*) holds "on overlayfs: the demo ends with 0, cargo test passes inside, the lower layer stays" "$status $out" '0 *2 passed*' ;;
	esac
else
	skip "other users', tmpfs, overlayfs" "need root"
fi

# rustc itself cannot do with a path that is no UTF-8: what it says comes through, and the verdict, which judges a copy, stands.
odd=$places/$(printf 'x\377y')
run "$HSA" --demo "$odd"
is "a path that is no UTF-8: the demo ends with 0" "$status" 0
# shellcheck disable=SC2016 # that PATH, whose cargo may not be the first on ours
inside=$("$HSA" exec -C "$odd" -- sh -c 'printf %s "$PATH"')
(cd "$odd" && PATH=$inside CARGO_TARGET_DIR=$TMP/target cargo test >"$TMP/bare" 2>&1)
bare=$?
run "$HSA" exec -C "$odd" -- sh -c 'cargo test 2>&1'
is "a path that is no UTF-8: cargo test ends inside as it does outside" "$status" "$bare"
is "a path that is no UTF-8: cargo's words come through" "$(printf '%s\n' "$out" | grep -a '^error')" "$(grep -a '^error' "$TMP/bare")"
