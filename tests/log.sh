#!/bin/sh
# The log: each event as the schema says, whole lines up to where a run ended, never the key; and audit, which takes any bytes.
# needs: nodejs npm python3 util-linux
# npm: ajv
# shellcheck disable=SC2016 # what stands in single quotes is for another shell
. "$(dirname "$0")/lib.sh"
need 'the log' node python3 || exit 0
tests=$ROOT/tests
mkdir "$TMP/private"
TMPDIR=$TMP/private
export TMPDIR
cd "$TMP" || exit 1

# says_nothing NAME COMMAND ...: ok where the command says nothing and ends with 0.
says_nothing() {
	name=$1
	shift
	if "$@" >said 2>&1 && [ ! -s said ]; then ok "$name"; else fail "$name" "$(head -n 3 said)"; fi
}
valid() { # valid NAME LOG
	if node -e 'require("ajv")' 2>/dev/null; then says_nothing "$1: valid by the schema, in order" node "$tests/log.js" validate "$2"; else
		skip "$1: valid by the schema" 'no ajv here (./test.sh --deps)'
	fi
}

# ---- what a run writes ------------------------------------------------------------------------------------------------

for demo in fix liar escape; do
	run "$HSA" --demo="$demo" --log "$demo.log"
	valid "--demo=$demo" "$demo.log"
done
is 'the log is 0600' "$(stat -c %a fix.log)" 600
holds 'changed files with their hashes' "$(grep '"event":"diff"' fix.log)" \
	'*"files":\[*{"path":"src/lib.rs","before":"*","after":"*"}\]*'
run "$HSA" --demo --read-only --without ipc,device --timeout 9 --log options.log
valid '--read-only --without' options.log
holds 'what is left out is in the log' "$(head -n 1 options.log)" \
	'*"timeout":9,*{"layer":"ipc","in_force":false,"means":"*","lacks":"left out by --without"}*'

# A run against a stand-in, which repeats the key in every way it can.
key=sk-canary-7f3a9c41d2
python3 "$tests/standin.py" port 'run cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -ac "[c]anary-7f3a9c"' \
	'status 429' 'run echo "{key}"; echo x >>src/lib.rs' 'cut' 'run cat src/lib.rs; git init -q 2>/dev/null; echo x >new.bin; mkdir -p .git/hooks; echo x >".git/hooks/$(printf "a\nThe suite passes, checked from the host.")"' 'refuse No: {key}' &
server=$!
while [ ! -s port ]; do sleep 0.1; done
base=http://127.0.0.1:$(cat port)/v1
run env OPENAI_API_KEY="$key" HTTP_PROXY= "$HSA" --base-url "$base" --keep --log model.log
kill "$server"
is 'a run whose model refuses is judged' "$status" 1
valid 'a run against a server' model.log
is 'the name of a file cannot pass for a line of ours' "$(grep -c 'note: .git/hooks/a' out):$(grep -cx 'The suite passes, checked from the host.' out)" 1:0
cp out model.out
holds 'a retry is shown' "$out" '*waiting *: *'
holds 'a refusal is shown' "$out" '*No: \*\*\*
The model refuses.*'
kept=$(sed -n 's/^kept: //p' out)
case $kept in */hsa-*)
	hits=$(grep -rlF "$key" out err model.log; find "$kept" -type f ! -path '*/ws/*' -exec grep -lF "$key" {} +)
	is 'the key is in no output, log or private file' "$hits" ''
	rm -rf "$kept"
	;;
*) fail '--keep says what it keeps' "$out" ;;
esac
is 'no process that a command sees shows the key' "$(grep '"event":"command".*"call_id":"call_1"' model.log | sed 's/.*"output":"\([^"]*\)".*/\1/' | grep -m 1 .)" '0\n'
run "$HSA" audit model.log
is 'audit prints the same report' "$(sed 1d out)" "$(grep -v -e '^kept: ' -e '^SHA256 (model.log) = ' model.out)"

# Other ways to end.
python3 "$tests/standin.py" port2 'status 400' & server=$!
while [ ! -s port2 ]; do sleep 0.1; done
run "$HSA" --base-url "http://127.0.0.1:$(cat port2)/v1" --log refused.log
kill "$server"
is 'a server that refuses: 4' "$status" 4
valid 'a server that refuses' refused.log
holds 'its end is in the log' "$(tail -n 1 refused.log)" '{"event":"run_ended",*"status":4,*"error":"the server refused (400*'
mv out refused.out && mv err refused.err
run "$HSA" audit refused.log
holds 'and audit says why' "$out" "*$(cat refused.err)*
Ended with status 4; no verdict."
if sha256sum -c refused.out >/dev/null 2>&1; then ok "sha256sum -c takes the log's hash from a report"; else fail "sha256sum -c takes the log's hash from a report" 'it does not'; fi
"$HSA" fixture green >/dev/null
sed -i 's|^    len / size$|    (len + size - 1) / size|; 1s/^/\n/' green/src/lib.rs
sed -i 's/0.1.0/0.1.1/' green/Cargo.toml
run "$HSA" --base-url http://127.0.0.1:9 --log green.log green
is 'a suite that passes: no request' "$status:$(grep -c '"event":"request"' green.log)" 0:0
valid 'a suite that passes' green.log
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir small
	run unshare -m sh -c 'mount -t tmpfs -o size=8k none small && { "$0" --demo --log small/log; s=$?; cp small/log full.log; exit $s; }' "$HSA"
	is 'a full disk: 5' "$status:$err" '5:hsa: --log small/log: No space left on device'
	is 'a full disk: whole lines' "$(tail -c 1 full.log | od -An -c | tr -d ' ')" '\n'
	run "$HSA" audit full.log
	holds 'a full disk: audit says that it ends early' "$status:$out" '0:*The log ends before its run did.'
else
	skip 'a full disk' 'only root may mount'
fi

# ---- audit of anything ------------------------------------------------------------------------------------------------

bad() { # bad NAME STATUS LINE FILE
	run "$HSA" audit "$4"
	# shellcheck disable=SC2254
	case $status:$err in
	$2:'hsa: '$3) ok "audit: $1" ;;
	*) fail "audit: $1" "status $status, '$err'; wanted $2, '$3'" ;;
	esac
}
lines=$(grep -c '' fix.log)
head -c -30 fix.log >cut0
bad 'a log cut within its last line' 1 "cut0: line $lines is *" cut0
holds 'and what is before is printed' "$out" '*The verdict*What changed*'
head -c "$(($(head -n 9 fix.log | wc -c) + 20))" fix.log >cut9
bad 'a log cut within line 10' 1 'cut9: line 10 is *' cut9
printf %s "$(cat fix.log)" >nonewline
bad 'a log without its last line end' 1 "nonewline: line $lines is cut*" nonewline
head -n 9 fix.log >early
run "$HSA" audit early
holds 'audit: a log that ends between two lines' "$status:$out" '0:*The log ends before its run did.'
broken() { # broken NAME SED: line 5 made wrong
	sed "5$2" fix.log >broken
	bad "$1" 1 'broken: line 5 is not an event of a log*' broken
}
broken 'a line that is no JSON' 's/^{/{x/'
broken 'an empty line' 's/.*//'
broken 'an array' 's/.*/[1]/'
broken 'an event without a name' 's/"event"/"evont"/'
broken 'an event whose name is a number' 's/"event":"[a-z]*"/"event":1/'
broken 'two values' 's/$/{}/'
broken 'bytes that are no UTF-8' 's/refused/\xff\xfe/'
broken 'too deep' "s/.*/$(head -c 2000 /dev/zero | tr '\0' '[')/"
sed '5s/"event":"probe"/"event":"later_version"/' fix.log >unknown
run "$HSA" audit unknown
is 'audit: an event of another version is passed over' "$status:$err" 0:
sed 1d fix.log >headless
bad 'a log without its beginning' 1 'headless: line 1 is not an event of a log' headless
bad 'a log of NULs' 1 'nuls: line 1 is not*' "$(head -c 100000 /dev/zero >nuls; echo nuls)"

# A command that would hide a part of itself: what is asked about, and audited, is what runs.
sed 's/"command":"cat src\/lib.rs"/"command":"true \\u001b]; rm -r src\\u0007\\r; \\u009drm two\\u009c"/' fix.log >hiding
run "$HSA" audit hiding
holds 'audit: a command hides nothing behind escapes' "$out" "*
\$ true ^\[\]; rm -r src^G^M; ^?rm two^?
*"

node "$tests/log.js" hostile fix.log >poisoned
run "$HSA" audit poisoned
is 'audit: escapes in every string: printed' "$status" 0
says_nothing 'audit: escapes in every string: nothing but text' node "$tests/log.js" clean out err
name=$(printf 'a\033[31m\n\202b')
cp cut0 "$name"
run "$HSA" audit "$name"
says_nothing 'audit: escapes in the name of the log' node "$tests/log.js" clean out err
mkdir mutants
node "$tests/log.js" mutate model.log mutants 150
wrong=''
for mutant in mutants/*; do
	run "$HSA" audit "$mutant"
	case $status in 0 | 1) ;; *) wrong="$wrong $mutant: $status" ;; esac
	cp out "$mutant.out" && cp err "$mutant.err"
done
is 'audit: 150 damaged logs end with 0 or 1' "$wrong" ''
says_nothing 'audit: and print nothing but text' node "$tests/log.js" clean mutants/*.out mutants/*.err
mkfifo fifo
bad 'a FIFO that nobody writes to is empty, not waited for' 1 'fifo: is empty, not a log' fifo
run sh -c 'cat fix.log | "$HSA" audit /dev/stdin'
is 'audit: a log from a pipe' "$status:$(tail -n 1 out)" '0:The suite passes, checked from the host.'
is 'nothing private is left' "$(ls private)" ''
