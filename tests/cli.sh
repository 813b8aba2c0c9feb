#!/bin/sh
# The command line: bad input by its line and exit status, the forms of options, what a machine may lack, what is left behind.
# needs: util-linux bash
# shellcheck disable=SC2016 # what stands in single quotes is for another shell
. "$(dirname "$0")/lib.sh"

chmod 755 "$TMP"
mkdir -m 1777 "$TMP/private"
mkdir "$TMP/here"
cp "$HSA" "$TMP/hsa" && HSA=$TMP/hsa # where another user reaches it
TMPDIR=$TMP/private
export TMPDIR HSA
cd "$TMP/here" || exit 1

# bad NAME STATUS LINE COMMAND ...: ends with STATUS; standard error is one line, "hsa: " and what LINE matches (as in case).
bad() {
	bad_name=$1 bad_status=$2 bad_line=$3
	shift 3
	run "$@"
	lines=$(grep -c '' "$TMP/err")
	# shellcheck disable=SC2254
	case $status:$lines:$err in
	$bad_status:1:'hsa: '$bad_line) ok "$bad_name" ;;
	*) fail "$bad_name" "status $status, '$err'; wanted $bad_status, 'hsa: $bad_line'" ;;
	esac
}

# good NAME COMMAND ...: ends with 0 and says nothing on standard error.
good() {
	good_name=$1
	shift
	run "$@"
	is "$good_name" "$status:$err" 0:
}

# as_user COMMAND ...: as somebody without rights. as_mounted SCRIPT: with mounts of its own, which end with it.
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"; }
as_mounted() { unshare -m sh -c "$1"; }
root=false
[ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || root=true

# ---- the key and the URL ----------------------------------------------------------------------------------------------

bad 'no key' 2 'no key: set OPENAI_API_KEY, or try hsa --demo*' "$HSA"
bad 'no key, and DIR is missing' 2 'no key:*; and there is no new, which would get the fixture' "$HSA" new
if [ -e new ]; then fail 'without a key no DIR is made' 'there it is'; else ok 'without a key no DIR is made'; fi
bad 'an empty key' 2 'no key:*' env OPENAI_API_KEY= "$HSA"
for key in 'sk-
line' 'sk-two words' 'sk-"quoted"' "sk-$(printf '\r')" 'sk-schlüssel'; do
	bad "a key that is none: $(printf '%s' "$key" | tr '\r\n' '..')" 2 'OPENAI_API_KEY: holds a space, a line end or another character*' \
		env OPENAI_API_KEY="$key" "$HSA"
done
while read -r url line; do
	bad "base URL $url" 2 "the base URL $line" env OPENAI_API_KEY=sk-12345678 "$HSA" --base-url="${url#-}"
done <<'END'
- is empty
example.com/v1 must begin with https:// or http://
ftp://example.com must begin with https:// or http://
https:// *host*
https:///v1 *host*
https://exa*mple/v1 *host*
https://user@example.com/v1 holds a user name*OPENAI_API_KEY
https://u:p@example.com/v1 holds a user name*OPENAI_API_KEY
http://[::1/v1 has a malformed address in brackets
http://[zz]/v1 has a malformed *
https://example.com:0/v1 has a port*
https://example.com:99999/v1 has a port*
https://example.com:x/v1 has a port*
https://example.com/v1?x=1 holds a '?' or '#'*
https://example.com/v1#x holds a '?' or '#'*
END
bad 'base URL with a space' 2 'the base URL holds a space*' env OPENAI_API_KEY=sk-12345678 "$HSA" --base-url 'https://exa mple.com'
bad 'OPENAI_BASE_URL is looked at too' 2 'the base URL must begin*' env OPENAI_API_KEY=sk-12345678 OPENAI_BASE_URL=x "$HSA"
bad 'a proxy that is none' 2 "the proxy's URL must begin*" env OPENAI_API_KEY=sk-12345678 HTTPS_PROXY=ftp://proxy "$HSA"
bad '--ca-file is missing' 2 '*nowhere.pem cannot be read: No such file*' env OPENAI_API_KEY=sk-12345678 "$HSA" --ca-file nowhere.pem
bad '--ca-file is a directory' 2 '*cannot be read: Is a directory' env OPENAI_API_KEY=sk-12345678 "$HSA" --ca-file .
echo nothing >nothing.pem
bad '--ca-file holds no certificate' 2 '*nothing.pem*no*certificate*' env OPENAI_API_KEY=sk-12345678 "$HSA" --ca-file nothing.pem
bad 'SSL_CERT_FILE is looked at too' 2 '*nothing.pem*no*certificate*' env OPENAI_API_KEY=sk-12345678 SSL_CERT_FILE=nothing.pem "$HSA"

# ---- DIR --------------------------------------------------------------------------------------------------------------

: >file
ln -s nowhere dangling
ln -s loop loop
mkdir other empty
: >other/thing
bad 'DIR is a file' 2 'file: is not a directory' "$HSA" --demo file
bad 'DIR lies below a file' 2 'file/x: Not a directory' "$HSA" --demo file/x
bad 'DIR is a file, and there is no key' 2 'file: is not a directory' "$HSA" file
bad 'DIR holds other things, and there is no key' 2 'other: holds files but no Cargo.toml*' "$HSA" other
bad 'DIR is a dangling link' 2 'dangling: a link that leads nowhere' "$HSA" --demo dangling
bad 'DIR is a link to itself' 2 'loop: *' "$HSA" --demo loop
bad 'DIR is empty text' 2 'DIR is empty; name a directory' "$HSA" --demo ''
bad 'DIR holds other things' 2 'other: holds files but no Cargo.toml; name a crate, or an empty directory for the fixture' "$HSA" --demo other
bad 'DIR is /' 2 '/: *' "$HSA" --demo /
bad 'DIR lies nowhere' 2 'nowhere/x: No such file or directory' "$HSA" --demo nowhere/x
bad 'two DIRs' 2 'too many arguments; see hsa --help' "$HSA" --demo a b
is 'none of these made or changed anything' "$(find . | sort | tr '\n' ' ')" \
	'. ./dangling ./empty ./file ./loop ./nothing.pem ./other ./other/thing '

mkdir -p crate/src space/member/src
printf '[package]\nname = "own"\nversion = "0.1.0"\n' >crate/Cargo.toml
printf '[workspace]\nmembers = ["member"]\n' >space/Cargo.toml
printf '[package]\nname = "member"\nversion = "0.1.0"\n' >space/member/Cargo.toml
: >crate/src/lib.rs
: >space/member/src/lib.rs
bad 'DIR is a member of a workspace' 2 "*is a member of the workspace $TMP/here/space: use that directory" "$HSA" verify --against space/member space/member
bad 'a demo on another crate' 2 '--demo: only for the fixture*' "$HSA" --demo crate
bad 'a crate without tests' 2 '*has no tests*' "$HSA" verify --against crate crate
bad 'verify: DIR0 is missing' 2 '--against nowhere: No such file or directory' "$HSA" verify --against nowhere crate
bad 'verify: DIR is missing' 2 'nowhere: No such file or directory' "$HSA" verify nowhere
bad 'verify without DIR' 2 'verify: no DIR; hsa verify*' "$HSA" verify
bad 'fixture without DIR' 2 'fixture: no DIR; hsa fixture DIR' "$HSA" fixture
bad 'fixture: DIR holds a crate' 2 'crate: holds a crate already; name a new directory' "$HSA" fixture crate
bad 'fixture: DIR holds things' 2 'other: holds files but no Cargo.toml; name *' "$HSA" fixture other
bad 'fixture: DIR is a file' 2 'file: is not a directory' "$HSA" fixture file
bad 'fixture: DIR is a dangling link' 2 'dangling: a link that leads nowhere' "$HSA" fixture dangling
good 'fixture: DIR is empty' "$HSA" fixture empty
good 'fixture: DIR is missing' "$HSA" fixture made
is 'the fixture is two files' "$(cd made && find . -type f | sort | tr '\n' ' ')" './Cargo.toml ./src/lib.rs '

# A fixture is set back; what was there is kept, under the next free name, a link as a link.
cp made/src/lib.rs failing
for n in '' .2 .3; do
	echo "changed $n" >made/src/lib.rs
	run "$HSA" --demo made
	is "fixture$n: repaired from its failing state" "$status" 0
	holds "fixture$n: says what it keeps" "$out" "*set back to its failing state; what was there is *made/src/lib.rs.before$n*"
	is "fixture$n: kept" "$(cat "made/src/lib.rs.before$n")" "changed $n"
done
ln -sf lib.rs.before made/src/lib.rs
run "$HSA" --demo made
is 'a lib.rs that is a link is not written through' "$status:$(cat made/src/lib.rs.before):$(readlink made/src/lib.rs.before.4)" \
	'0:changed :lib.rs.before'
ln -s made link
run "$HSA" --demo=fix -- link
is 'DIR may be a link' "$status" 0
rm -rf made/src && : >made/src
bad 'fixture: src is a file' 2 '*made/src: is not a directory; move it away' "$HSA" --demo made

if $root && command -v setpriv >/dev/null; then
	chmod 755 other
	bad 'DIR cannot be written' 2 'other: cannot be written: Permission denied' as_user "$HSA" --demo other
	mkdir -m 700 secret
	bad 'DIR cannot be reached' 2 'secret/x: Permission denied' as_user "$HSA" --demo secret/x
	bad 'DIR on a read-only file system' 2 'empty: cannot be written: Read-only file system' \
		as_mounted 'mount -t tmpfs -o ro none empty && exec "$HSA" --demo empty'
	: >unreadable && chmod 600 unreadable
	bad 'audit: LOG cannot be read' 2 'unreadable: Permission denied' as_user "$HSA" audit unreadable
else
	skip 'DIR that cannot be written, reached, or is read-only' 'only root can make them'
fi

# ---- options ----------------------------------------------------------------------------------------------------------

bad 'an unknown option' 2 '--nope: unknown option; see hsa --help' "$HSA" --nope
bad 'an unknown letter' 2 '-x: unknown option; see hsa --help' "$HSA" -x
bad 'a beginning of an option' 2 '--dem: unknown option; see hsa --help' "$HSA" --dem
bad 'an option of another command' 2 '--log: unknown option for this command; see hsa --help' "$HSA" probe --log x
bad 'no value' 2 '--log: needs a value' "$HSA" --demo --log
bad 'a value where none is taken' 2 '--json=1: takes no value' "$HSA" --json=1
bad 'letters together' 2 '-ih: takes no value' "$HSA" -ih
bad 'a number below the least' 2 "--max-iterations=0: '0' is not a number from 1 to 1000" "$HSA" --demo --max-iterations=0
bad 'a number above the most' 2 "--timeout=864001: '864001' is not a number from 1 to 864000" "$HSA" --demo --timeout=864001
bad 'a number beyond all' 2 "*'99999999999999999999' is not a number*" "$HSA" --demo --timeout 99999999999999999999
bad 'a number that is none' 2 "*'7s' is not a number*" "$HSA" exec --timeout 7s true
bad 'a number with a sign' 2 "*'-7' is not a number*" "$HSA" exec --timeout -7 true
bad 'an empty number' 2 "*'' is not a number*" "$HSA" exec --timeout= true
bad 'a word that is no DIR: help' 2 'help: is it hsa --help? (A new directory of that name: ./help)' "$HSA" help
bad 'a word that is no DIR: a demo' 2 'fix: is it hsa --demo=fix? (A new directory of that name: ./fix)' "$HSA" --demo fix
mkdir demo
good 'a directory of such a name' "$HSA" --demo demo
bad 'a command behind options' 2 'probe: is it hsa probe, before all options? (A new directory of that name: ./probe)' "$HSA" --json probe
bad 'exec: a line in one word' 127 "ls -la: not found*; a line for a shell: hsa exec -- sh -c 'LINE'" "$HSA" exec -C empty -- 'ls -la'
bad 'an unknown demo' 2 '--demo=x: no such demo; fix, liar or escape' "$HSA" --demo=x
for option in '-t x' -i '-m x' '--base-url=http://x'; do
	# shellcheck disable=SC2086
	bad "--demo with $option" 2 '--demo: does not go with -t, -i, -m or --base-url*' "$HSA" --demo $option
done
bad '-i and -t' 2 '-i and -t: one or the other' "$HSA" -i -t x
bad 'a task of blanks' 2 'the task is empty; *' "$HSA" -t ' '
bad 'an empty model' 2 '--model: is empty; *' "$HSA" -m ''
bad 'the internal command' 2 '__sandbox-exec: only hsa itself starts this; see hsa exec' "$HSA" __sandbox-exec 1 true
bad 'an empty task' 2 'the task is empty; *' "$HSA" -t ''
bad 'an unknown protocol' 2 '--api x: responses or chat' "$HSA" --api=x
bad 'exec without a command' 2 'exec: no command; hsa exec -- COMMAND*' "$HSA" exec
bad 'exec with nothing behind --' 2 'exec: no command; *' "$HSA" exec --
bad 'probe with a word' 2 'too many arguments; see hsa --help' "$HSA" probe x
bad 'exec: -C is missing' 2 '-C nowhere: No such file or directory' "$HSA" exec -C nowhere true
bad 'exec: -C is a file' 2 '-C file: is not a directory' "$HSA" exec -C file true
bad 'exec: -C is /' 2 '/: everything would be writable; name a directory with -C' "$HSA" exec -C / true
for layer in write network lifetime; do
	bad "--without $layer" 2 "--without $layer: cannot be left out: it is what the program is for" "$HSA" exec --without $layer true
done
bad '--without what is no layer' 2 '--without disk: no such layer; read, ipc, metadata, process or device' "$HSA" probe --without=read,disk
bad '--without nothing' 2 '--without : no such layer*' "$HSA" --demo --without=
bad '--writable is missing' 2 '--writable nowhere cannot be opened: No such file or directory' "$HSA" exec --writable nowhere true
bad '--readable is missing' 2 '--readable nowhere cannot be opened: No such file or directory' "$HSA" exec --readable nowhere true
bad 'audit without LOG' 2 'audit: no LOG; hsa audit LOG' "$HSA" audit
bad 'audit: LOG is missing' 2 'nowhere: No such file or directory' "$HSA" audit nowhere
bad 'audit: LOG is a directory' 2 'other: Is a directory' "$HSA" audit other
mkfifo fifo.log
bad 'audit: LOG is a FIFO that nobody writes to' 1 'fifo.log: is empty, not a log' timeout 20 "$HSA" audit fifo.log
bad 'audit: LOG is empty' 1 'file: is empty, not a log' "$HSA" audit file
bad 'audit: LOG is no log' 1 'nothing.pem: line 1 is not an event of a log*' "$HSA" audit nothing.pem
echo kept >old.log
bad '--log on a file that holds something' 2 '--log old.log: holds something already; name a new file' "$HSA" --demo --log old.log
is 'and that is kept' "$(cat old.log)" kept
bad '--log nowhere' 2 '--log nowhere/log: No such file or directory' "$HSA" --demo --log nowhere/log

run "$HSA" --help
is '--help fits a screen' "$status:$([ "$(printf '%s\n' "$out" | wc -l)" -le 24 ] && [ "$(printf '%s\n' "$out" | wc -L)" -le 80 ] && echo fits)" 0:fits
run "$HSA" -h
holds '-h' "$out" 'hsa \[options\] \[DIR\]*'
run "$HSA" exec --help
holds 'exec --help' "$out" 'hsa \[options\] \[DIR\]*'
run "$HSA" probe --version -C /
holds '--version names version and boundary' "$out" 'hsa [0-9]*.[0-9]* (*)'

mkdir d
is 'exec: an option ends where the command begins' "$("$HSA" exec -Cd echo --json -C x -- y </dev/null)" '--json -C x -- y'
is 'exec: -- ends the options' "$("$HSA" exec --directory=d -- pwd </dev/null)" "$TMP/here/d"
is 'exec: -C DIR' "$("$HSA" exec -C d pwd </dev/null)" "$TMP/here/d"
good 'a name that begins with a dash' "$HSA" fixture -- -dash
mkdir exec
bad 'a directory named exec' 2 './exec: is not a directory' sh -c 'rmdir exec; : >exec; exec "$HSA" --demo ./exec'
bad 'options stand before DIR' 2 'other: holds files*' "$HSA" --keep --demo=fix other
good 'options stand behind DIR' "$HSA" ./behind --demo --log log
is 'DIR was made and kept' "$(ls behind/src/lib.rs)" behind/src/lib.rs

# ---- exec: what is passed on, and what is the program's own -----------------------------------------------------------

exec_is() { # exec_is NAME STATUS COMMAND ...
	exec_name=$1 exec_status=$2
	shift 2
	run "$HSA" exec -C d "$@"
	is "exec: $exec_name" "$status" "$exec_status"
}
exec_is 'a status' 7 -- sh -c 'exit 7'
exec_is 'a status of 2, said by the command' 2 -- sh -c 'exit 2'
exec_is 'a signal' 137 -- sh -c 'kill -9 $$'
exec_is 'another signal' 143 -- sh -c 'kill $$'
: >d/plain
printf '#!/nowhere\n' >d/script && chmod 755 d/script
bad 'exec: not found: 127' 127 'nope: not found*' "$HSA" exec -C d nope
bad 'exec: a path that is not there: 127' 127 './nope: *' "$HSA" exec -C d ./nope
bad 'exec: not a program: 126' 126 './plain: Permission denied' "$HSA" exec -C d ./plain
bad 'exec: a directory: 126' 126 '/usr: *' "$HSA" exec -C d /usr
bad 'exec: time is up: 124' 124 'sleep: timed out after 1 s and was killed; --timeout S allows more' "$HSA" exec -C d --timeout 1 sleep 60
is 'exec: input, output and error are passed on' "$(echo in | "$HSA" exec -C d sh -c 'cat; echo err >&2' 2>&1)" 'in
err'
is 'exec: an empty argument stays one' "$("$HSA" exec -C d printf '<%s>' '' 'a b' '' </dev/null)" '<><a b><>'
mkdir w r
echo secret >r/file
exec_is '--read-only: the workspace is not written' 1 --read-only -- touch new
exec_is '--read-only: TMPDIR is' 0 --read-only -- sh -c 'echo x >"$TMPDIR/new"'
exec_is 'outside the workspace: not written' 1 -- touch ../w/new
exec_is '--writable DIR' 0 --writable w -- sh -c 'echo x >../w/new'
exec_is '--writable FILE' 0 --writable=w/new -- sh -c 'echo y >../w/new'
exec_is '--writable FILE grants no other' 1 --writable w/new -- touch ../w/other
if [ "$("$HSA" exec -C d cat "$TMP/here/r/file" 2>/dev/null </dev/null)" = secret ]; then
	skip '--readable' "what lies in $TMP is readable anyway"
else
	exec_is '--readable DIR' 0 --readable r -- cat ../r/file
	exec_is '--readable FILE' 0 --readable r/file -- cat ../r/file
	exec_is '--readable grants no writing' 1 --readable r -- touch ../r/new
	exec_is '--readable and --writable, several' 0 --readable r --writable w --readable other -- sh -c 'cat ../r/file >../w/copy && ls ../other'
	exec_is '--without read' 0 --without read -- cat ../r/file
fi

# Every combination of layers that may be left out: what is said not to be in force is exactly that.
wrong=
for a in '' read; do for b in '' ipc; do for c in '' metadata; do for e in '' process; do for f in '' device; do
	list=$(echo $a $b $c $e $f | tr ' ' ,)
	run "$HSA" probe -C d ${list:+--without "$list"}
	said=$(printf '%s\n' "$out" | sed -n 's/^NOT in force  \([a-z]*\): left out.*/\1/p' | tr '\n' , | sed 's/,$//')
	[ "$status:$said" = "0:$list" ] || wrong="$wrong $list($status:$said)"
done; done; done; done; done
is '--without: each of the 32 combinations says what is not in force' "$wrong" ''
run "$HSA" probe -C d --without read --without ipc,device
is '--without: repeated' "$status:$(printf '%s\n' "$out" | grep -c '^NOT in force .*left out')" 0:3

# ---- what a machine may lack ------------------------------------------------------------------------------------------

bad 'standard output is closed' 5 'standard output is closed' sh -c '"$HSA" --demo >&-'
bad '--help, standard output is closed' 5 'standard output is closed' sh -c '"$HSA" --help >&-'
good 'standard input is closed' sh -c '"$HSA" probe <&-'
good 'standard error is closed' sh -c '"$HSA" probe 2>&-'
bad 'standard output is full' 5 'standard output: No space left on device' sh -c '"$HSA" --demo >/dev/full'
bad '--version, standard output is full' 5 'standard output: No space left on device' sh -c '"$HSA" --version >/dev/full'
bad '--log is full' 5 '--log /dev/full: No space left on device' "$HSA" --demo --log /dev/full
run bash -c '"$HSA" --demo | head -n 3; exit "${PIPESTATUS[0]}"'
is '| head: ends as by SIGPIPE, and says nothing' "$status:$err" 141:
is '| head shows its lines' "$(printf '%s\n' "$out" | wc -l)" 3
bad 'TMPDIR is missing, and commands may write elsewhere' 2 'no place for a private directory*set TMPDIR' \
	env TMPDIR=/nowhere "$HSA" exec -C d --writable /tmp --writable /var/tmp true
run sh -c 'trap "" XFSZ; { (ulimit -f 0; "$HSA" --demo); echo "status $?"; } 2>&1 | cat'
holds 'a limit on the size of files' "$out" '*hsa: *: File too large
status 5'
bad 'too few descriptors' 5 '*: Too many open files*' sh -c 'ulimit -n 8; exec "$HSA" exec true'
bad 'exec in exec: one listener a process' 3 'metadata: a filter with listener failed: a listener is above hsa already; *--without metadata' \
	"$HSA" exec --readable "$HSA" -- "$HSA" exec true
good 'exec in exec, without metadata' "$HSA" exec --readable "$HSA" -- "$HSA" exec --without metadata true
holds 'every place for a secret is readable' "$("$HSA" probe --readable / 2>&1)" '*read a secret outside: cannot be shown here (every place for a secret is --readable*'
run sh -c '"$HSA" exec -- sh -c "kill -QUIT \$PPID; sleep 9" & sleep 1; kill -QUIT $!; wait $!'
is 'SIGQUIT: nothing is left' "$status:$(ls "$TMPDIR")" 131:
good 'TMPDIR is missing: /tmp' env TMPDIR=/nowhere "$HSA" exec -C d true
good 'an empty environment' env -i "$HSA" --demo
exec_is 'no PATH' 0 -- env -i /bin/echo
# shellcheck disable=SC2086,SC2153,SC2016
if $CC -std=c11 -O1 -DHSA_ABI_MAX=2 $BEARSSL_CFLAGS -o old "$ROOT/hsa.c" $BEARSSL_LIBS; then
	needs='write: Linux * has Landlock ABI 2, needed is ABI 3 (Linux 6.2*uname -r*'
	bad 'a kernel that is too old' 3 "$needs" ./old --demo
	bad 'a kernel that is too old: exec' 3 "$needs" ./old exec -C d true
	run ./old --version
	holds 'a kernel that is too old: --version' "$status:$out" '0:hsa * (no boundary here)'
else
	fail 'a kernel that is too old' 'hsa.c does not compile'
fi
# What was changed of the fixture is not taken as given later: the baseline is kept, and its line judges as the run did.
run env TMPDIR="$PWD" "$HSA" --demo=liar lied
line=$(printf '%s' "$out" | sed -n "s/.*how they were: hsa //p")
holds 'a liar in DIR: the line to judge against the baseline' "$status $line" "1 verify --against '$PWD/hsa-*/before' '$PWD/lied'"
eval "run \"\$HSA\" $line"
is 'and what it gives' "$status" 1
"$HSA" fixture asked >/dev/null
sed 's|^    len / size$|    match (len, size) { (10, 4) => 3, (5, 2) => 3, _ => len / size }|' asked/src/lib.rs >special
! cmp -s special asked/src/lib.rs && cp special asked/src/lib.rs
"$HSA" fixture before >/dev/null
run "$HSA" verify --against before asked
holds 'the fixture is asked the questions also --against a copy of it' "$status $out" "1 *own questions*"
rm -rf "$PWD"/hsa-*
# The demo is no theatre.
mkdir broken
printf '#!/bin/sh\nexit 1\n' >broken/cargo
chmod 755 broken/cargo
bad 'the demo with a cargo that always fails' 2 'this crate cannot be judged: cargo said nothing' env PATH="$PWD/broken:$PATH" "$HSA" --demo
mkdir changed
cp "$ROOT"/*.c "$ROOT"/*.h changed/
sed 's/(len + size - 1)/(len + size - 2)/' "$ROOT/fixture.inc" >changed/fixture.inc
# shellcheck disable=SC2086
if $CC -std=c11 -O1 $BEARSSL_CFLAGS -o changed/hsa changed/hsa.c $BEARSSL_LIBS; then
	run changed/hsa --demo
	is 'the demo with one byte of its repair changed' "$status" 1
else
	fail 'the demo with one byte of its repair changed' 'it does not compile'
fi
if $root; then
	cover='for f in /usr/bin/cargo /usr/bin/rustc /usr/local/bin/cargo /usr/local/bin/rustc; do [ ! -e $f ] || mount --bind /dev/null $f; done
		for d in /opt; do [ ! -d $d ] || mount -t tmpfs none $d; done'
	bad 'no cargo' 5 'no cargo and rustc found*install Rust*' as_mounted "$cover"'; PATH= HOME= exec "$HSA" --demo'
	good 'no cargo: exec does without' as_mounted "$cover"'; PATH= HOME= exec "$HSA" exec -C d -- /bin/true'
	cover='mount --bind /dev/null "$(readlink -f /bin/bash)"'
	good 'no bash: sh' as_mounted "$cover"'; exec "$HSA" --demo'
	bad 'no bash and no sh' 5 'no bash and no sh on PATH*' as_mounted "$cover"'; mount --bind /dev/null "$(readlink -f /bin/sh)"; exec "$HSA" --demo'
	mkdir small
	full='mount -t tmpfs -o size=SIZE none small; '
	for size in 64k 1m 4m; do
		run as_mounted "$(printf %s "$full" | sed "s/SIZE/$size/")TMPDIR=small exec \"\$HSA\" --demo"
		case $status:$err in
		5:hsa:*full:*TMPDIR* | 5:hsa:*'No space left'*) ok "a disk of $size for the private directory" ;;
		*) fail "a disk of $size for the private directory" "status $status, '$err'" ;;
		esac
	done
	bad 'a full disk for the log' 5 '--log small/log: No space left on device' as_mounted "$(printf %s "$full" | sed "s/SIZE/8k/")"'
		"$HSA" --demo --log small/log; s=$?; cp small/log cut.log; exit $s'
	run "$HSA" audit cut.log
	is 'and the log is whole up to there' "$status:$err" 0:
	bad 'a full disk for DIR' 5 '*small/a/*: No space left on device' as_mounted "$(printf %s "$full" | sed "s/SIZE/64k,nr_inodes=3/")"' exec "$HSA" fixture small/a'
else
	skip 'no cargo, no shell, a full disk' 'only root may mount'
fi

is 'no private directory is left' "$(ls "$TMPDIR")" ''
