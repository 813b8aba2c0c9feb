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
	refused "under a filter that has the listener" '3 hsa: *listen*' "$contain" listener
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
	run unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$HSA" exec -C "$TMP/ws" -- sh -c 'echo a >in'
	case $status in
	0) ok "container, without /proc: works" ;;
	*) holds "container, without /proc: refused, saying why" "$status $err" '[35] hsa: */proc*' ;;
	esac
else
	skip "containers" "need root"
fi

# ---- kernels -----------------------------------------------------------------------------------------------------------

need "kernels" cpio qemu-system-x86_64 qemu-system-aarch64 || exit 0
apt_open || { skip "kernels" "Debian's archive cannot be reached"; exit 0; }

# image ARCH COMPILER BUSYBOX: packs an initramfs with $TMP/ARCH/hsa and tests/escape.c into $TMP/ARCH.cpio.
image() {
	image_root=$TMP/image-$1 image_file=$TMP/$1.cpio
	mkdir -p "$image_root/bin" "$image_root/box"
	cp "$3" "$image_root/bin/busybox"
	cp "$TMP/$1/hsa" "$image_root/bin/hsa"
	"$2" -O1 -static -o "$image_root/bin/contain" tests/boxes/contain.c || fail "contain for $1" "it does not compile"
	"$2" -std=c11 -O1 -static -o "$image_root/bin/escape" tests/escape.c || fail "escape for $1" "it does not compile"
	cp tests/boxes/init "$image_root/init"
	cp tests/boxes/run "$image_root/box/run"
	chmod 755 "$image_root/init" "$image_root/bin/hsa"
	(cd "$image_root" && find . | cpio -o -H newc -R 0:0 --quiet >"$image_file")
}

accel='tcg'
[ ! -w /dev/kvm ] || [ "$(uname -m)" != x86_64 ] || accel='kvm'

# boot NAME ARCH KERNEL IMAGE WHAT [KERNEL-OPTION ...]: boots, and takes over the lines of tests/boxes/run as NAME's.
boot() {
	boot_name=$1 boot_arch=$2 boot_kernel=$3 boot_image=$4 boot_what=$5
	shift 5
	case $boot_arch in
	x86_64) set -- "-M pc -accel $accel -cpu max -smp 1" "console=ttyS0 $*" ;; # two emulated ones lose a cmpxchg16b, and Linux panics
	aarch64) set -- "-M virt -accel tcg -cpu max -smp 2" "console=ttyAMA0 $*" ;;
	esac
	# An emulated x86 processor now and then comes back from an interrupt with broken flags, and Linux panics (seen with qemu 7.2,
	# mostly while the kernel patches itself). Nothing in user space can make a kernel panic: only such a boot is tried again.
	for boot_try in 1 2 3 4 5; do
		# shellcheck disable=SC2086 # a list of options
		timeout -k 5 300 "qemu-system-$boot_arch" $1 -m 1024 -nographic -no-reboot -nic none -kernel "$boot_kernel" \
			-initrd "$boot_image" -append "$2 quiet panic=-1 box=$boot_what" </dev/null 2>&1 | tr -d '\r' >"$TMP/console"
		grep -q -e '^box: ' "$TMP/console" && ! grep -q -e 'Kernel panic' -e 'double fault' "$TMP/console" && break
		echo "$boot_name: the kernel panicked in boot $boot_try" >&2
	done
	grep -E '^(ok|FAIL|skipped) - ' "$TMP/console" | sed "s/^\([a-zA-Z]*\) - /\1 - $boot_name: /"
	sed -n 's/^box: /# /p' "$TMP/console"
	if ! grep -q '^box: done' "$TMP/console"; then
		tail -n 30 "$TMP/console" >&2
		fail "$boot_name: ran to its end" "it did not"
	elif grep -q '^FAIL' "$TMP/console"; then
		cat "$TMP/console" >&2
	fi
}

# static NAME [ASSIGNMENT ...]: builds a static hsa as $TMP/NAME/hsa.
static() {
	static_name=$1
	shift
	mkdir -p "$TMP/$static_name"
	run env LDFLAGS=-static OUT="$TMP/$static_name/hsa" "$@" ./build.sh
	[ "$status" = 0 ] || echo "$err" >&2
	is "a static hsa for $static_name" "$status" 0
	return "$status"
}

if static x86_64 CC=gcc BEARSSL=; then
	image x86_64 gcc /bin/busybox
	if kernel=$(apt_kernel 6.1 amd64); then
		boot "6.1 x86_64" x86_64 "$kernel" "$TMP/x86_64.cpio" refused
	else
		skip "6.1 x86_64" "no such kernel in the archive"
	fi
	if kernel=$(apt_kernel 6.12 amd64); then
		boot "6.12 x86_64" x86_64 "$kernel" "$TMP/x86_64.cpio" works
		# Hundreds of attempts are too much for that emulation: they are made on the machine at hand, on aarch64 below, and here
		# only where the processor itself can run the kernel.
		if [ "$accel" = kvm ]; then
			for what in escape-root escape-user; do boot "6.12 x86_64" x86_64 "$kernel" "$TMP/x86_64.cpio" $what; done
		fi
		boot "6.12 x86_64, Landlock off" x86_64 "$kernel" "$TMP/x86_64.cpio" refused lsm=lockdown,yama
	else
		skip "6.12 x86_64" "no such kernel in the archive"
	fi
fi
if need "6.12 aarch64" aarch64-linux-gnu-gcc && source=$(apt_bearssl) && static aarch64 CC=aarch64-linux-gnu-gcc BEARSSL="$source"; then
	if kernel=$(apt_kernel 6.12 arm64) && apt_deb "$CACHE/busybox-arm64" busybox-static:arm64; then
		image aarch64 aarch64-linux-gnu-gcc "$CACHE/busybox-arm64/bin/busybox"
		for what in works escape-root escape-user; do
			boot "6.12 aarch64" aarch64 "$kernel" "$TMP/aarch64.cpio" $what
		done
	else
		skip "6.12 aarch64" "no such kernel in the archive"
	fi
fi
