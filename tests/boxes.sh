#!/bin/sh
# Real kernels in virtual machines, and containers as far as unshare(1) makes them. Only with --boxes.
# network: Debian's archive
# boxes: qemu-system-x86 qemu-system-arm busybox-static cpio gcc-aarch64-linux-gnu libc6-dev-arm64-cross util-linux
. "$(dirname "$0")/lib.sh"
[ -n "$BOXES" ] || { skip "boxes" "only with --boxes"; exit 0; }
unset CFLAGS LDFLAGS OUT AR
. tests/boxes/apt.sh

# ---- containers --------------------------------------------------------------------------------------------------------

contain=$TMP/contain
compile "$contain" tests/boxes/contain.c || fail "tests/boxes/contain.c compiles" "it does not"
mkdir -p "$TMP/ws" "$TMP/empty" "$TMP/tmp"
: >"$TMP/outside"

# works NAME COMMAND ...: in this container hsa's probes pass, a command works inside, and changes nothing outside.
works() {
	works_name=$1
	shift
	run "$@" "$HSA" probe -C "$TMP/ws"
	if [ "$status" != 0 ]; then
		echo "$out" "$err" >&2
		fail "container, $works_name: the boundary holds" "status $status, $err"
		return
	fi
	ok "container, $works_name: the boundary holds"
	run "$@" "$HSA" exec -C "$TMP/ws" -- sh -c "echo a >in && echo b >'$TMP/outside'"
	is "container, $works_name: inside works, outside stays" "$(cat "$TMP/ws/in" 2>/dev/null) $(cat "$TMP/outside")" 'a '
	rm -f "$TMP/ws/in"
}
# refused NAME WORDS COMMAND ...: hsa ends with 3, saying WORDS, and runs nothing.
refused() {
	refused_name=$1 refused_words=$2
	shift 2
	run "$@" "$HSA" exec -C "$TMP/ws" -- sh -c 'echo a >ran'
	holds "container, $refused_name: refused, saying why" "$status $err" "$refused_words"
	if [ -e "$TMP/ws/ran" ]; then fail "container, $refused_name: nothing ran" "it did"; else ok "container, $refused_name: nothing ran"; fi
	rm -f "$TMP/ws/ran"
}
# Mount points below are this namespace's own (unshare -m makes them private): nothing reaches the machine's.
# shellcheck disable=SC2016 # scripts for another shell
if [ "$(id -u)" = 0 ] && need containers unshare mount; then
	works "inside another Landlock domain" "$contain" landlock
	works "under another seccomp filter" "$contain" filter
	refused "under a filter that has the listener" '3 hsa: metadata: *listener is above*' "$contain" listener
	refused "under a filter that refuses Landlock" '3 hsa: write: Landlock *filter*' "$contain" no-landlock
	refused "under a filter that refuses seccomp" '3 hsa: network, metadata: seccomp *not permitted' "$contain" no-seccomp
	works "root without capabilities" "$contain" nocaps
	works "root of a user namespace" unshare -Ur
	works "own process ids" unshare -pf --mount-proc
	works "no user namespaces" unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh
	works "read-only root" env TMPDIR="$TMP/tmp" unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro / &&
		! touch /hsa-read-only 2>/dev/null && shift && exec "$@"' sh "$TMP"
	works "without /dev/shm" unshare -m sh -c 'mount -t tmpfs -o ro,mode=000 none /dev/shm && exec "$@"' sh
	works "/dev with five devices only" unshare -m sh -c 'mount -t tmpfs none "$1" &&
		for d in null zero full random urandom; do : >"$1/$d" && mount --bind "/dev/$d" "$1/$d" || exit 99; done &&
		mount --rbind "$1" /dev && shift && exec "$@"' sh "$TMP/empty"
	refused "without /proc" '3 hsa: lifetime, metadata: /proc *' env TMPDIR="$TMP/tmp" unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh
	is "container, without /proc: leaves nothing behind" "$(ls "$TMP/tmp")" ''
else
	skip "containers" "need root"
fi

# ---- kernels -----------------------------------------------------------------------------------------------------------

need "kernels" cpio qemu-system-x86_64 qemu-system-aarch64 || exit 0
apt_open || { skip "kernels" "Debian's archive cannot be reached"; exit 0; }

# image COMPILER BUSYBOX: packs an initramfs with $TMP/hsa and tests/escape.c into $TMP/cpio.
image() {
	mkdir -p "$TMP/image/bin" "$TMP/image/box"
	cp "$2" "$TMP/image/bin/busybox"
	cp "$TMP/hsa" "$TMP/image/bin/hsa"
	for program in boxes/contain escape; do
		"$1" -std=c11 -O1 -static -o "$TMP/image/bin/${program#*/}" "tests/$program.c" || fail "$program.c for $arch" "it does not compile"
	done
	cp tests/boxes/init "$TMP/image/init"
	cp tests/boxes/run "$TMP/image/box/run"
	chmod 755 "$TMP/image/init" "$TMP/image/bin/hsa"
	(cd "$TMP/image" && find . | cpio -o -H newc -R 0:0 --quiet >"$TMP/cpio")
}

# boot NAME KERNEL WHAT [KERNEL-OPTION ...]: boots, and takes over the lines of tests/boxes/run as NAME's.
# SLUB's lock-free path is kept from the emulated x86 processor (-cx16): qemu 7.2 loses the flags after a cmpxchg16b that is
# interrupted, and Linux panics. cortex-a57 is a processor without pointer authentication, which takes half of an emulation's time.
boot() {
	boot_name=$1 boot_kernel=$2 boot_what=$3
	shift 3
	case $arch in
	x86_64) boot_machine='pc -cpu max,-cx16' boot_console=ttyS0 ;;
	aarch64) boot_machine='virt -cpu cortex-a57' boot_console=ttyAMA0 ;;
	esac
	# shellcheck disable=SC2086 # a list of options
	timeout -k 5 900 "qemu-system-$arch" -M $boot_machine -accel tcg,thread=multi -smp 2 -m 1024 -nographic -no-reboot -nic none \
		-kernel "$boot_kernel" -initrd "$TMP/cpio" -append "console=$boot_console quiet panic=-1 box=$boot_what $*" \
		</dev/null 2>&1 | tr -d '\r' >"$TMP/console"
	grep -E '^(ok|FAIL|skipped) - ' "$TMP/console" | sed "s/^\([a-zA-Z]*\) - /\1 - $boot_name: /"
	sed -n 's/^box: /# /p' "$TMP/console"
	if ! grep -q '^box: done' "$TMP/console"; then
		tail -n 30 "$TMP/console" >&2
		fail "$boot_name: ran to its end" "it did not"
	elif grep -q '^FAIL' "$TMP/console"; then
		cat "$TMP/console" >&2
	fi
}

# static [ASSIGNMENT ...]: builds a static hsa as $TMP/hsa.
static() {
	run env LDFLAGS=-static OUT="$TMP/hsa" "$@" ./build.sh
	[ "$status" = 0 ] || echo "$err" >&2
	is "a static hsa for $arch" "$status" 0
	return "$status"
}

x86_64() {
	static CC=gcc BEARSSL= && image gcc /bin/busybox || return
	if kernel=$(apt_kernel 6.1 amd64); then
		boot "6.1 x86_64" "$kernel" refused
	else
		skip "6.1 x86_64" "no such kernel in the archive"
	fi
	if kernel=$(apt_kernel 6.12 amd64); then
		boot "6.12 x86_64, Landlock off" "$kernel" refused lsm=lockdown,yama
		boot "6.12 x86_64" "$kernel" works
	else
		skip "6.12 x86_64" "no such kernel in the archive"
	fi
}
aarch64() {
	need "6.12 aarch64" aarch64-linux-gnu-gcc && source=$(apt_bearssl) && static CC=aarch64-linux-gnu-gcc BEARSSL="$source" || return
	if kernel=$(apt_kernel 6.12 arm64) && apt_deb "$CACHE/busybox-arm64" busybox-static:arm64; then
		image aarch64-linux-gnu-gcc "$CACHE/busybox-arm64/bin/busybox"
		boot "6.12 aarch64" "$kernel" works
	else
		skip "6.12 aarch64" "no such kernel in the archive"
	fi
}
# One processor each: the lines of one come when the other's are through.
for arch in x86_64 aarch64; do
	mkdir "$TMP/$arch"
	(TMP=$TMP/$arch && $arch) >"$TMP/$arch.lines" 2>"$TMP/$arch.words" &
done
wait
cat "$TMP"/*.lines
cat "$TMP"/*.words >&2
