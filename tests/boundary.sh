#!/bin/bash
# The boundary's life and edges: what is left of a command, options, awkward callers, machines that lack something.
# needs: util-linux procps
# shellcheck disable=SC2016 # commands for the shell inside stand in single quotes
. "$(dirname "$0")/lib.sh"

chmod 755 "$TMP"
compile "$TMP/boundary" tests/boundary.c || { fail "boundary.c compiles" "it does not"; exit 1; }
mkdir -m 755 "$TMP/unit" "$TMP/w"
"$TMP/boundary" unit "$TMP/unit"
root=false
[ "$(id -u)" != 0 ] || root=true
if ! "$HSA" probe -C "$TMP/w" >"$TMP/probe" 2>&1; then
	skip "the boundary's life and edges" "no boundary here: $(tail -n 1 "$TMP/probe")"
	exit 0
fi
abi=$(sed -n 's/.*Landlock ABI \([0-9]*\).*/\1/p' "$TMP/probe" | head -n 1)

# ---- 1. lifetime -------------------------------------------------------------------------------------------------------

# gone NAME MARK: no process whose arguments hold MARK is left, polled for 10 s.
gone() {
	for _ in $(seq 100); do
		left=$(pgrep -f -- "$2") || break
		sleep 0.1
	done
	if [ -z "$left" ]; then ok "$1"; else fail "$1" "$(ps -o pid,args -p "${left//$'\n'/,}" | tail -n +2)"; fi
	left=''
}

# await FILE: until it is there, for 20 s.
await() {
	for _ in $(seq 400); do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

serial=0
mark() { serial=$((serial + 1)) MARK=31337.$$$serial; }

# Daemons of every kind, each with MARK among its arguments.
daemons='sleep $0 & setsid sleep $0 & (setsid sh -c "sleep $0 & exit" &) ; nohup sleep $0 >/dev/null 2>&1 &
	(trap "" TERM HUP INT QUIT; exec setsid sleep $0) & (sh -c "kill -STOP \$\$; sleep $0" stop.$0 &) ;
	(setsid sh -c "(setsid sh -c \"(setsid sleep $0 &)\" &)" &) ; while [ "$(pgrep -fc -- "sleep $0")" -lt 6 ]; do sleep 0.05; done'

life() { # life WHO COMMAND ...: the same for root and a user; COMMAND is how the user's commands are started
	who=$1
	shift
	W=$TMP/w.$who
	mkdir -p "$W" "$TMP/h.$who"
	[ "$who" != user ] || ! $root || chown 54321:54321 "$W" "$TMP/h.$who"
	cd "$W" || exit 1

	mark
	"$@" "$HSA" exec -- sh -c "$daemons; exit 7" $MARK >/dev/null 2>&1
	is "$who: the status of a command that leaves daemons" $? 7
	gone "$who: daemons are gone with their command" $MARK
	mark
	"$@" "$HSA" exec --timeout 1 -- sh -c "$daemons; sleep 60" $MARK >/dev/null 2>&1
	is "$who: a command that runs past its time" $? 124
	gone "$who: daemons are gone after a timeout" $MARK
	for signal in INT TERM HUP; do
		mark
		rm -f ready
		"$@" "$HSA" exec -- sh -c "$daemons; : >ready; sleep 60" $MARK >/dev/null 2>&1 &
		await ready
		kill -$signal "$(pgrep -f -- "^$HSA exec -- sh -c .*$MARK" | head -n 1)"
		wait $!
		is "$who: a command whose host gets SIG$signal" $? $((128 + $(kill -l $signal)))
		gone "$who: daemons are gone after SIG$signal" $MARK
	done
	mark
	rm -f ready
	"$@" "$HSA" exec -- sh -c "$daemons; : >ready; sleep 60" $MARK >/dev/null 2>&1 &
	await ready
	kill -KILL "$(pgrep -f -- "^$HSA exec -- sh -c .*$MARK" | head -n 1)"
	wait $! 2>/dev/null
	gone "$who: daemons are gone after SIGKILL to the host" $MARK
	mark
	rm -f ready
	setsid -w "$@" "$HSA" exec -- sh -c "$daemons; : >ready; sleep 60" $MARK >/dev/null 2>&1 &
	await ready
	host=$(pgrep -f -- "^$HSA exec -- sh -c .*$MARK" | head -n 1)
	kill -KILL -- "-$(ps -o pgid= -p "$host" | tr -d ' ')"
	wait $! 2>/dev/null
	gone "$who: daemons are gone after SIGKILL to the whole group of the host" $MARK
	mark
	rm -f ready
	"$@" sh -c 'sleep 300 & echo $! >other; exec "$@"' sh "$HSA" exec -- sh -c "$daemons; : >ready; sleep 60" $MARK >/dev/null 2>"$TMP/err" &
	await ready
	kill -KILL "$(pgrep -P "$(pgrep -f -- "^$HSA exec -- sh -c .*$MARK" | head -n 1)" -f -- '^__sandbox-exec')"
	wait $!
	is "$who: a command whose warden gets SIGKILL" $? 5
	holds "$who: ... says so" "$(cat "$TMP/err")" 'hsa: *warden*'
	gone "$who: daemons are gone after SIGKILL to the warden" $MARK
	is "$who: ... and a child that the host had before is not" "$(ps -o args= -p "$(cat other)")" 'sleep 300'
	kill "$(cat other)"
	mark
	cp "$TMP/boundary" bomb.$MARK
	"$@" "$HSA" exec --timeout 300 -- ./bomb.$MARK bomb 2000 >/dev/null 2>&1
	is "$who: a command that leaves 2,000 processes which fork" $? 0
	gone "$who: 2,000 processes that fork while being killed are gone" bomb.$MARK

	mark
	cp "$TMP/boundary" bomb.$MARK
	"$@" "$HSA" exec --timeout 300 --without process -- ./bomb.$MARK bomb 300 >/dev/null 2>&1
	is "$who: a command that leaves 300 such processes, without process" $? 0
	gone "$who: 300 processes that fork while being killed are gone, without process" bomb.$MARK

	"$@" "$HSA" exec --timeout 1 -- sh -c 'kill -STOP $$' >/dev/null 2>&1
	is "$who: a command that stops itself" $? 124
	"$@" "$HSA" exec --timeout 1 -- sh -c 'kill -STOP 0; sleep 1' >/dev/null 2>&1
	is "$who: a command that stops its group" $? 124
	"$@" "$HSA" exec -- sh -c 'exec >&- 2>&- <&-; sleep 0.2; exit 9'
	is "$who: a command that closes its descriptors" $? 9
	is "$who: limits" "$("$@" "$HSA" exec -- sh -c 'cat /proc/self/oom_score_adj; ulimit -f; ulimit -Hc' | tr '\n' ' ')" '1000 8388608 0 '
	cd "$ROOT" || exit 1
}
core=$(ulimit -Hc)
if [ "$core" = 0 ]; then
	skip "a core limit of 1, at which no program of core_pattern gets one" "the hard limit is 0 already"
else
	is "a core limit of 1, at which no program of core_pattern gets one" \
		"$(cd "$TMP/w" && "$HSA" exec -- sed -n 's/^Max core file size *\([0-9a-z]*\) *\([0-9a-z]*\) .*/\1 \2/p' /proc/self/limits)" '1 1'
fi
ulimit -Sc 0
ulimit -Hc 0 2>/dev/null || echo "core limit is $core" >&2
if $root; then
	life root env
	life user setpriv --reuid=54321 --regid=54321 --clear-groups env "HOME=$TMP/h.user" "TMPDIR=$TMP/h.user"
else
	life user env
fi

# ---- 2. how a command ends, options --------------------------------------------------------------------------------------

cd "$TMP/w" || exit 1
status() { # status NAME WANTED OPTION ... -- COMMAND ...
	name=$1 wanted=$2
	shift 2
	run "$HSA" exec "$@"
	is "$name" "$status" "$wanted"
}
status "exit status" 37 -- sh -c 'exit 37'
status "a command that is not there" 127 -- /nowhere/command
status "a command that is not on PATH" 127 -- hsa-no-such-command
status "a file that is no program" 126 -- /etc/passwd
status "a command that a signal ends" 139 -- sh -c 'kill -SEGV $$'
status "an empty command name" 127 -- ''
mkdir "$TMP/outside" "$TMP/granted"
echo secret >"$TMP/outside/secret"
echo text >"$TMP/granted/file"
chmod 644 "$TMP/outside/secret" "$TMP/granted/file"
status "writing outside" 1 -- sh -c "(echo x >'$TMP/granted/new') 2>/dev/null || exit 1"
status "--writable DIR" 0 --writable "$TMP/granted" -- sh -c "echo x >'$TMP/granted/new' && chmod 600 '$TMP/granted/new' && rm '$TMP/granted/new'"
status "--writable FILE" 0 --writable "$TMP/granted/file" -- sh -c "echo x >'$TMP/granted/file' && chmod 640 '$TMP/granted/file'"
status "--writable FILE: not its directory" 1 --writable "$TMP/granted/file" -- sh -c "echo x 2>/dev/null >'$TMP/granted/new' || chmod 700 '$TMP/granted' 2>/dev/null"
status "--readable DIR" 0 --readable "$TMP/granted" -- cat "$TMP/granted/file"
status "--readable DIR is not writable" 1 --readable "$TMP/granted" -- sh -c "echo x 2>/dev/null >'$TMP/granted/file' || chmod 700 '$TMP/granted/file' 2>/dev/null || touch '$TMP/granted/file' 2>/dev/null"
status "--readable FILE" 0 --readable "$TMP/outside/secret" -- cat "$TMP/outside/secret"
status "--read-only" 1 --read-only -- sh -c 'echo x 2>/dev/null >new || chmod 700 . 2>/dev/null'
status "--read-only: TMPDIR" 0 --read-only -- sh -c 'echo x >"$TMPDIR/new" && chmod 700 "$TMPDIR/new"'
status "--writable that is not there" 2 --writable "$TMP/nowhere" -- true
holds "... says so" "$err" 'hsa: *nowhere*'

mkdir -p "$TMP/prefix/bin" "$TMP/prefix/lib/rustlib" "$TMP/prefix/share"
for file in bin/cargo bin/rustc lib/rustlib/file share/secret; do printf '#!/bin/sh\n' >"$TMP/prefix/$file"; done
chmod 755 "$TMP/prefix/bin/cargo" "$TMP/prefix/bin/rustc"
run env "PATH=$TMP/prefix/bin:$PATH" "HOME=$TMP/prefix" RUSTUP_HOME= "$HSA" exec -- \
	sh -c 'cargo && cat "$0/lib/rustlib/file" && ! cat "$0/share/secret" && ! ls "$0"' "$TMP/prefix"
is "a toolchain whose prefix is the home: its bin and lib can be read, not the rest" "$status" 0

if $root; then # one with capabilities is out of reach anyway
	setpriv --bounding-set=-all --inh-caps=-all sleep 300 &
else
	sleep 300 &
fi
victim=$!
without() { # without LAYER COMMAND: refused with all layers, works without this one
	status "$1 in force" 1 -- sh -c "$2"
	status "--without $1" 0 --without "$1" -- sh -c "$2"
}
without read "cat '$TMP/outside/secret' || exit 1"
without ipc 'id=$(ipcmk -M 8) && ipcrm -m "${id##* }" || exit 1'
without metadata "chmod 640 '$TMP/outside/secret' || exit 1"
without process "renice -n 7 -p $victim || exit 1"
cp "$TMP/boundary" .
without device './boundary fioasync || exit 1'
[ "${abi:-0}" -lt 6 ] || without process "kill -WINCH $victim || exit 1"
kill $victim
for layer in write network lifetime nonsense; do
	status "--without $layer" 2 --without $layer -- true
done
holds "probe names what is left out" "$("$HSA" probe --without ipc,device 2>&1)" '*NOT*ipc*NOT*device*'
status "--without metadata: no set-id bits even so" 1 --without metadata -- sh -c '>own; chmod 4755 own 2>/dev/null || exit 1'
if $root; then
	mkdir "$TMP/theirs"
	chown 54321:54321 "$TMP/theirs"
	caps='sed -n "s/^Cap\(Prm\|Eff\|Bnd\|Amb\):\t//p" /proc/self/status | tr "\n" " "'
	is "root's capabilities" "$("$HSA" exec -- sh -c "$caps")" '0000000000000000 0000000000000000 0000000000000000 0000000000000000 '
	is "root's capabilities on somebody else's workspace" "$("$HSA" exec -C "$TMP/theirs" -- sh -c "$caps")" \
		'000000000000000a 000000000000000a 000000000000000a 0000000000000000 '
	install -o 54321 -m 600 /dev/null "$TMP/theirs/file"
	status "root works on somebody else's files" 0 -C "$TMP/theirs" -- sh -c 'echo x >file && chmod 640 file && touch -d 2001-01-01 file && rm file'
	status "... and on nothing more" 1 -C "$TMP/theirs" -- sh -c "chmod 600 '$TMP/outside/secret' 2>/dev/null || cat /etc/shadow 2>/dev/null"
fi

# ---- 3. standard descriptors that are sockets ------------------------------------------------------------------------------

for kind in unix seqpacket; do
	is "a $kind socket pair as standard input" "$("$TMP/boundary" stdin $kind "$HSA" exec -- cat)" hello
done
for kind in dgram listening inet udp; do
	run "$TMP/boundary" stdin $kind "$HSA" exec -- cat
	is "a socket of kind $kind as standard input" "$status" 3
	holds "... is named" "$err" 'hsa: network: standard input is a socket *pipe between*'
done

# ---- 4. callers and machines that lack something ---------------------------------------------------------------------------

run "$TMP/boundary" above listener "$HSA" exec -- true
is "below another seccomp listener" "$status" 3
holds "... names the layer and why" "$err" 'hsa: metadata: *listener*--without metadata*'
run "$TMP/boundary" above listener "$HSA" exec --without metadata -- sh -c '>x && rm x'
is "below another seccomp listener, without metadata" "$status" 0
run "$TMP/boundary" above domain "$HSA" exec -- sh -c 'mkdir -p a/b && >a/f && mv a/f a/b/f 2>/dev/null; chmod 700 a && rm -r a'
is "in a Landlock domain that does not grant renames between directories" "$status" 0
run sh -c 'ulimit -n 6; exec "$0" exec -- true' "$HSA"
is "without room for descriptors" "$([ "$status" = 5 ] || [ "$status" = 3 ] || [ "$status" = 2 ] || [ "$status" = 0 ] && echo fine)" fine
run "$HSA" exec -- "$HSA" exec -- true
holds "hsa inside hsa ends by itself" "$status" '[0-9]*'
if $root && unshare -m true 2>/dev/null; then
	box() { # box NAME WANTED SETUP [OPTION ...]
		name=$1 wanted=$2 setup=$3
		shift 3
		run unshare -m sh -c "$setup"'; shift; exec "$@"' sh x "$HSA" exec "$@" -- sh -c 'echo x >box && chmod 600 box && rm box'
		is "$name" "$status" "$wanted"
	}
	box "without /proc" 3 'umount -l /proc'
	holds "... says so" "$err" '*hsa: *\/proc*' # behind the sanitizers' own words
	box "without /dev/shm" 0 'umount -l /dev/shm 2>/dev/null'
	for pattern in '|/core' '@/core' /core; do
		echo "$pattern" >"$TMP/pattern"
		run unshare -m sh -c 'mount --bind "$1" /proc/sys/kernel/core_pattern; shift; ulimit -c 0; exec setpriv --bounding-set=-all --inh-caps=-all "$@"' \
			sh "$TMP/pattern" "$HSA" probe
		wanted='NOT in force  lifetime: a crash is told to the program that core_pattern names'
		[ "$pattern" != /core ] || wanted=
		is "core_pattern $pattern below a hard limit of 0: what is told" "$(grep -h 'a crash' "$TMP/out" "$TMP/err")" "$wanted"
	done
	mkdir "$TMP/ro"
	box "with a read-only root" 0 "mount -t tmpfs none '$TMP/ro'; mkdir '$TMP/ro/w'; cd '$TMP/ro/w'; export TMPDIR='$TMP/ro'; mount -o remount,ro,bind / || mount -o remount,ro /"
	run setpriv --bounding-set=-all --inh-caps=-all "$HSA" exec -- sh -c 'echo x >box && chmod 600 box && rm box'
	is "as root without capabilities" "$status" 0
	run setpriv --securebits=+noroot,+noroot_locked --bounding-set=-all --inh-caps=-all "$HSA" exec -- true
	is "as root who is nobody" "$status" 0
else
	skip "machines that lack something" "no namespace of mounts here"
fi
cd "$ROOT" || exit 1
