#!/bin/bash
# README.md and hsa.1 are true: every command line in them is run, or needs another machine; what they name exists; their
# counts are right.   DOCS=write sh tests/docs.sh   puts the line counts right.
# needs: mandoc strace git make python3 bsdextrautils nodejs npm
# npm: ajv
# shellcheck disable=SC2016,SC2094,SC2013 # backquotes are Markdown's; README.md is only read
. "$(dirname "$0")/lib.sh"

# ---- 1. what is named exists -------------------------------------------------------------------------------------------

sources='hsa.c landlock.h verify.c questions.c rust.c crate.c report.c http.c answer.c json.c fixture.inc seatbelt.c'
wrong=''
for file in $sources; do
	lines=$(grep -c '' "$file")
	[ "${DOCS-}" != write ] || sed -i "s/^| $file | [0-9,]* |/| $file | $lines |/" README.md
	grep -q "^| $file | $lines |" README.md || wrong="$wrong $file has $lines;"
done
is 'README: line counts (DOCS=write sh tests/docs.sh puts them right)' "$wrong" ''
wrong=''
for file in $sources; do grep -q "^| $file |" README.md || wrong="$wrong $file"; done
is 'README: every source is in the reading order' "$wrong" ''
sed -n '/^| promise/,/^$/p' README.md | sed 1,2d >"$TMP/promises"
wrong=''
for name in $(cut -d '|' -f 3 "$TMP/promises" | grep -o '`[a-z_]*`' | tr -d '`'); do
	# shellcheck disable=SC2086
	grep -qE "^(static|_Noreturn)?.*[ *]$name\\(.*\\{\$|^static .*[ *]$name\\(" $sources || wrong="$wrong $name()"
done
for file in $(cut -d '|' -f 4 "$TMP/promises" | tr -d ' ' | tr ',' ' '); do [ -e "$file" ] || wrong="$wrong $file"; done
is 'README: functions and tests of the promises exist' "$wrong" ''
wrong=''
for file in $(grep -ohE '\b(tests/)?[a-z.-]+\.(sh|c|h|inc|1|matrix|json)\b' README.md hsa.1 | sort -u); do
	[ -e "$file" ] || wrong="$wrong $file"
done
is 'README, hsa.1: files that are named exist' "$wrong" ''
digest=$(sed -n 's/^digest=//p' build.sh)
if grep -q "$digest" README.md; then ok "README: BearSSL's hash is build.sh's"; else fail "README: BearSSL's hash is build.sh's" "$digest is not in it"; fi

# The output in README is that of the golden transcript: each of its lines, in this order.
sed -n '/^hsa [0-9.]* *fix/,/^```/p' README.md | sed '/^```/d' | grep -v '^ *\[\.\.\.\]$' |
	sed -E -e 's/^hsa [0-9.]+/hsa VERSION/' -e 's/^(started    ).*/\1DATE/' -e 's#/tmp/hsa-[A-Za-z0-9]{6}#/PRIVATE#' \
		-e 's/^(boundary   ).*/\1MEANS, on KERNEL/' -e 's/[0-9]+\.[0-9] s/N s/g' \
		-e 's/(model|commands|verdict) [0-9]+\.[0-9]/\1 N/g' >"$TMP/shown"
awk 'NR == FNR { line[NR] = $0; n = NR; next } { for (k++; k <= n && line[k] != $0; k++); if (k > n) { print; exit } }' \
	tests/golden/fix.txt "$TMP/shown" >"$TMP/missing"
is 'README: the output that it shows is the real one' "$(cat "$TMP/missing")" ''

# ---- 2. options --------------------------------------------------------------------------------------------------------

names() { grep -oE -- '--[a-z][a-z-]+' | sort -u | tr '\n' ' '; }
code=$(sed -n '/^} options\[\] = {/,/^};/p' hsa.c | grep -o '\.name = "[a-z-]*"' | sed 's/.*"\(.*\)"/--\1/' | sort -u | tr '\n' ' ')
manual=$(sed -n '/^\.Sh OPTIONS/,/^\.Sh THE BOUNDARY/p' hsa.1 | sed -n 's/^\.It.*Fl Fl \([a-z-]*\).*/--\1/p' | sort -u | tr '\n' ' ')
is 'hsa.1 describes exactly the options that there are' "$manual" "$code"
run "$HSA" --help
help=$(printf '%s\n' "$out" | names)
is '--help names them all' "$(for o in $code; do case " $help --help --version --directory " in *" $o "*) ;; *) echo "$o" ;; esac; done)" ''
is '--help names no other' "$(for o in $help; do case " $code --name " in *" $o "*) ;; *) echo "$o" ;; esac; done)" ''
is 'README names no other' "$(names <README.md | tr ' ' '\n' | grep . | while read -r o; do
	case " $code --deps --demo --boxes --fuzz " in *" $o "*) ;; *) grep -qE "^(docker|llama-server|vllm|lms|git) .*$o" README.md || echo "$o" ;; esac
done)" ''
variables=$(grep -oE '(getenv|report_environment)\("[A-Za-z_]+"' hsa.c report.c verify.c crate.c | sed 's/.*"\(.*\)"/\1/' | sort -u)
is 'hsa.1 names every variable that is read' "$(for v in $variables; do grep -qE "^\.(It )?Ev.*\b$v\b" hsa.1 || echo "$v"; done)" ''
events=$(grep -ohE 'report_event\("[a-z_]+"' hsa.c | sed 's/.*"\(.*\)"/\1/' | sort -u)
is 'hsa.1 describes every event, and no other' "$(sed -n '/^\.Sh THE LOG/,/^\.Sh EXAMPLES/s/^\.It Cm //p' hsa.1 | sort)" "$events"
is 'the schema knows every event, and no other' "$(sed -n 's/.*"#\/definitions\/\([a-z_]*\)" },\{0,1\}$/\1/p' tests/log.schema.json | grep -x -e run_started \
	-e '[a-z_]*' | sort -u | grep -vx -e time -e ms -e count -e tokens -e layer -e hash -e path)" "$events"

cat >"$TMP/members.py" <<'END'
import json, re
manual = re.search(r"\n\.Sh THE LOG\n(.*?)\n\.Sh", open("hsa.1").read(), re.S).group(1)
about = dict(re.findall(r"\n\.It Cm (\w+)\n(.*?)(?=\n\.It Cm|\n\.El)", manual, re.S))


def members(schema):
    for name, value in schema.get("properties", {}).items():
        yield name
        yield from members(value.get("items", {}))


for event, schema in json.load(open("tests/log.schema.json"))["definitions"].items():
    if schema.get("type") == "object":
        there, told = set(members(schema)) - {"event", "time"}, set(re.findall(r"\.Ql (\w+)", about[event]))
        if there != told:
            print(event, there ^ told)
END
run python3 "$TMP/members.py"
is 'hsa.1 describes every member of every event, and no other' "$status:$out" 0:

if need 'hsa.1: mandoc' mandoc; then
	mandoc -T lint -W all hsa.1 2>&1 | grep -v -e 'mandoc.db' -e 'referenced manual not found' >"$TMP/said"
	is 'hsa.1: mandoc finds nothing' "$(cat "$TMP/said")" ''
	is 'hsa.1 fits 80 columns' "$(mandoc -T ascii hsa.1 2>/dev/null | col -b | awk 'length > 80')" ''
fi

# ---- 3. every command line ----------------------------------------------------------------------------------------------

# A copy of the tree with hsa in it, a crate that fails, one before and after, and servers that answer as a model would.
unset OPENAI_API_KEY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy
mkdir "$TMP/tree" "$TMP/bin"
# shellcheck disable=SC2086
cp -R $sources build.sh test.sh README.md hsa.1 LICENSE tests "$TMP/tree/"
cp "$HSA" "$TMP/tree/hsa"
ln -s "$TMP/tree/hsa" "$TMP/bin/hsa"
PATH=$TMP/bin:$PATH
repair="run sed -i 's|^    len / size\$|    (len + size - 1) / size|' src/lib.rs"

# crate DIR: the fixture as somebody's own crate.
crate() {
	mkdir -p "$(dirname "$1")"
	"$HSA" fixture "$1" >/dev/null && sed -i 's/0.1.0/0.1.1/' "$1/Cargo.toml"
}
prepare() {
	rm -rf mycrate crates before run.log report.txt runs ../before "$TMP"/port*
	crate mycrate
	case $1 in
	*xargs*) crate crates/one && crate crates/two ;;
	*'worktree'*)
		(cd mycrate && git init -q && git add . && git -c user.name=x -c user.email=x@localhost commit -qm red &&
			sed -i 's|^    len / size$|    (len + size - 1) / size|' src/lib.rs &&
			git -c user.name=x -c user.email=x@localhost commit -qam green) ;;
	*report.txt*) ;;
	*audit*) "$HSA" --demo --log run.log >/dev/null ;;
	*'exec -- make'*) printf 'all:\n\techo made\n' >mycrate/Makefile ;;
	*/tmp/out*) mkdir -p /tmp/out ;;
	esac
}

# where BLOCK: how the block is run: here, or why not.
where() {
	case $1 in
	*docker\ run*) echo 'needs a container engine' ;;
	*'./test.sh --deps'*) echo 'is what runs this' ;;
	*'./build.sh --deps'*) [ -n "${CI-}${TEST_DEPS-}" ] || [ "$(id -u)" = 0 ] || echo 'installs packages' ;;
	*strace*) command -v strace >/dev/null || echo 'no strace here' ;;
	esac
}

# block NAME BLOCK: runs its lines, each in turn; a line ends with what its comment says, else with 0.
block() {
	block_name=$1 lines=$2
	why=$(where "$lines")
	if [ -n "$why" ]; then
		case $why in *here) skip "$block_name" "$why" ;; *) ok "$block_name ($why)" ;; esac
		return
	fi
	(
		case $lines in *' fixture.inc'* | *' report.c'* | *'-o hsa hsa.c'*) rm -rf "$TMP/copy" && cp -R "$TMP/tree" "$TMP/copy" && cd "$TMP/copy" ;; *) cd "$TMP/tree" ;; esac || exit 1
		prepare "$lines"
		case $lines in *'exec -- make'* | *worktree*) cd mycrate || exit 1 ;; esac
		port=$(printf '%s' "$lines" | sed -n 's#.*http://127.0.0.1:\([0-9]*\)/v1.*#\1#p' | head -n 1)
		case $lines in
		*127.0.0.1* | *mycrate | *'xargs'*)
			case $lines in *verify*) ;; *)
				python3 "$ROOT/tests/standin.py" "$TMP/port$port" --port "${port:-0}" --each "$repair" 'say Done.' >/dev/null 2>&1 &
				trap 'kill $!' EXIT
				for _ in $(seq 600); do [ ! -s "$TMP/port$port" ] || break; sleep 0.1; done
				[ -n "$port" ] || OPENAI_BASE_URL=http://127.0.0.1:$(cat "$TMP/port")/v1
				export OPENAI_BASE_URL
				;;
			esac
			;;
		esac
		printf '%s\n' "$lines" | while IFS= read -r line; do
			want=$(printf '%s' "$line" | sed -n 's/.*# ends with \([0-9]*\)$/\1/p')
			case $line in
			llama-server* | OLLAMA_* | 'vllm serve'* | 'lms server'*) continue ;; # the stand-in is in its place
			*OPENAI_API_KEY=*) export OPENAI_API_KEY=sk-0123456789; continue ;;
			esac
			got=0
			timeout 300 env -u HSA sh -c "$line" </dev/null >"$TMP/out" 2>"$TMP/err" || got=$?
			[ "$got" = "${want:-0}" ] || { echo "'$line' ended with $got: $(tail -n 3 "$TMP/err" "$TMP/out" | tr '\n' ' ')"; break; }
		done >"$TMP/wrong"
	) || echo 'the shell failed' >"$TMP/wrong"
	is "$block_name" "$(cat "$TMP/wrong")" ''
}

# Blocks of README: what stands between ```sh and ```. A block is one test, named by its first line.
awk '/^```sh$/ { n++; next } /^```$/ { if (n) close(f); f = ""; inside = 0; next }
	{ if (n > last) { f = dir "/readme." sprintf("%02d", n); last = n } if (f != "") print > f }' dir="$TMP" README.md
for file in "$TMP"/readme.*; do block "README: $(head -n 1 "$file" | cut -c 1-70)" "$(cat "$file")"; done
# hsa.1: each .Dl is a line; those of one list are one block.
awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Sh SEE ALSO/ { on = 0 } on && /ends with/ { want = $NF; next }
	on && /^\.Dl/ { sub(/^\.Dl /, ""); gsub(/\\-/, "-"); print $0 (want != "" ? "    # ends with " want : ""); want = "" }' hsa.1 >"$TMP/examples"
while IFS= read -r line; do
	case $line in cp\ -R*) before=$line; continue ;; hsa\ verify*) line="$before
sed -i 's|^    len / size\$|    (len + size - 1) / size|' mycrate/src/lib.rs
$line" ;; esac
	block "hsa.1: $(printf '%s' "$line" | tail -n 1 | cut -c 1-70)" "$line"
done <"$TMP/examples"
is 'hsa.1: there are examples' "$([ "$(grep -c . "$TMP/examples")" -ge 10 ] && echo yes)" yes
rm -rf /tmp/out
