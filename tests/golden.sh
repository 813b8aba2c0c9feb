#!/bin/sh
# What a run looks like: transcripts of the three demos, for people and as JSON, with all that depends on the machine masked.
# A look that was meant to change:  GOLDEN=write sh tests/golden.sh
# needs: bash
. "$(dirname "$0")/lib.sh"
LC_ALL=C.UTF-8 TERM=dumb
export LC_ALL TERM
unset NO_COLOR RUST_BACKTRACE

# Numbers of time, processes and sizes, paths, the kernel and what it enforces with. What cargo prints differs from version to
# version: of it only the results stay.
mask() {
	sed -E -e "s#$TMP#TMP#g" -e 's#(/usr(/local)?)?/bin/bash:#bash:#g' -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC/DATE/' -e 's/^hsa [0-9.]+ /hsa VERSION /' \
		-e "s#[^ \"']*/hsa-[A-Za-z0-9]{6}#/PRIVATE#g" -e "s#'$(getent passwd "$(id -u)" | cut -d: -f6)/?'#'/HOME'#" -e "s#cannot access '/HOME': No such file or directory#cannot open directory '/HOME': Permission denied#" \
		-e 's/^(boundary   ).*/\1MEANS, on KERNEL/' \
		-e 's/[0-9]+\.[0-9] s/N s/g' -e 's/(model|commands|verdict) [0-9]+\.[0-9]/\1 N/g' -e 's/\([0-9]+\) - /(PID) - /g' \
		-e 's/^(SHA256 .* = )[0-9a-f]{64}/\1HASH/' -e 's/^(  \+version = )[0-9]+$/\1N/' |
		awk '/^\$ .*cargo test/ { print; quiet = 1; next }
			/^└ / { quiet = 0 }
			!quiet || /^  test result:/ { sub(/; finished in .*/, ""); print }'
}

# The same for lines of JSON.
mask_json() {
	sed -E -e "s#$TMP#TMP#g" -e 's#(/usr(/local)?)?/bin/bash:#bash:#g' -e 's/"(time|ms|bytes|[a-z]+_ms)":[0-9]+/"\1":0/g' -e 's/"version":"[^"]*"/"version":"VERSION"/' \
		-e "s#[^ \"']*/hsa-[A-Za-z0-9]{6}#/PRIVATE#g" -e "s#'$(getent passwd "$(id -u)" | cut -d: -f6)/?'#'/HOME'#" -e "s#cannot access '/HOME': No such file or directory#cannot open directory '/HOME': Permission denied#" \
		-e 's/"kernel":"[^"]*"/"kernel":"KERNEL"/' -e 's/"boundary":"[^"]*"/"boundary":"MEANS"/' -e 's/"means":"[^"]*"/"means":"MEANS"/g' \
		-e 's/"grants":\[[^]]*\]/"grants":[GRANTS]/' -e 's/[0-9]+\.[0-9] s/N s/g' -e 's/\([0-9]+\) - /(PID) - /g' \
		-e 's/\\n\+version = [0-9]+/\\n+version = N/' -e 's/[0-9a-f]{64}/HASH/g' \
		-e '/"command":"[^"]*cargo test/s/"output":"([^"\\]|\\.)*"/"output":"OUTPUT"/'
}

# golden NAME: compares standard input with tests/golden/NAME.
golden() {
	cat >"$TMP/$1"
	[ "${GOLDEN-}" != write ] || cp "$TMP/$1" "tests/golden/$1"
	if diff -u "tests/golden/$1" "$TMP/$1" >"$TMP/diff"; then ok "$1 looks as in tests/golden"; else
		cat "$TMP/diff" >&2
		fail "$1 looks as in tests/golden" "$(grep -m 4 '^[-+][^-+]' "$TMP/diff")"
	fi
}

run "$HSA" probe -C "$TMP"
case $status:$out in
0:*'NOT in force'* | [!0]*)
	skip 'transcripts of the demos' "not every layer can be enforced here: $(printf '%s\n' "$out" "$err" | grep -m 1 -e 'NOT in force' -e hsa:)"
	exit 0
	;;
esac
for demo in fix liar escape; do
	run "$HSA" --demo="$demo" --json --log "$TMP/log"
	mask <"$TMP/err" | golden "$demo.txt"
	mask_json <"$TMP/out" | golden "$demo.json"
	if cmp -s "$TMP/out" "$TMP/log"; then ok "$demo: --json and --log are the same lines"; else
		fail "$demo: --json and --log are the same lines" "$(cmp "$TMP/out" "$TMP/log" 2>&1)"
	fi
	cp "$TMP/err" "$TMP/seen"
	hash=$(sha256sum "$TMP/log" | cut -d ' ' -f 1)
	holds "$demo: the log's SHA-256 is printed" "$err" "*SHA256 ($TMP/log) = $hash*"
	run "$HSA" audit "$TMP/log"
	is "$demo: audit ends with 0 and no word of its own" "$status:$err" 0:
	grep -vF "SHA256 ($TMP/log) = $hash" "$TMP/seen" >"$TMP/seen.report"
	if sed 1d "$TMP/out" | diff "$TMP/seen.report" - >"$TMP/diff"; then ok "$demo: audit prints the same report"; else
		cat "$TMP/diff" >&2
		fail "$demo: audit prints the same report" "$(head -n 4 "$TMP/diff")"
	fi
	is "$demo: audit prints the same hash first" "$(head -n 1 "$TMP/out")" "SHA256 ($TMP/log) = $hash"
	rm -f "$TMP/log"
done
