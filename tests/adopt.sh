#!/bin/sh
# adopt.sh - the verdict on crates that Debian packages as source: broken in one place they are red, repaired by a script they are
# judged green, with the test edited instead they are refused.
# needs: librust-strsim-dev librust-fnv-dev librust-shlex-dev librust-scopeguard-dev librust-matches-dev librust-percent-encoding-dev
. "$(dirname "$0")/lib.sh"

need "real crates" cargo || exit 0
"$HSA" exec -- true 2>/dev/null || { skip "real crates" "the boundary cannot be enforced here"; exit 0; }

# verdict NAME STATUS PATTERN DIR0 DIR
verdict() {
	run timeout 300 "$HSA" verify --timeout 120 --against "$4" "$5"
	# shellcheck disable=SC2254 # a pattern is meant
	case "$status $out$err" in
	"$2 "*$3*) ok "$1" ;;
	*) fail "$1" "status $status, wanted $2: $(printf '%s' "$out$err" | sed '/What changed/,$d')" ;;
	esac
}

# crate | file | what breaks it | what repairs it (otherwise than by taking that back, where that is short) | file | what edits the test
while IFS='|' read -r name file break repair tests edit; do
	found=''
	for place in /usr/share/cargo/registry/"$name"-[0-9]*; do [ ! -d "$place" ] || found=$place; done
	if [ -z "$found" ]; then
		skip "$name" "Debian's source package is not installed"
		continue
	fi
	rm -rf "$TMP/before" "$TMP/left" "$TMP/repaired" "$TMP/edited"
	cp -rL "$found" "$TMP/before"
	chmod -R u+w "$TMP/before"
	rm -f "$TMP/before/.cargo-checksum.json"
	sed -i "$break" "$TMP/before/$file"
	for copy in left repaired edited; do cp -r "$TMP/before" "$TMP/$copy"; done
	sed -i "$repair" "$TMP/repaired/$file"
	sed -i "$edit" "$TMP/edited/$tests"
	if cmp -s "$TMP/before/$file" "$found/$file" || cmp -s "$TMP/repaired/$file" "$TMP/before/$file" || cmp -s "$TMP/edited/$tests" "$TMP/before/$tests"; then
		fail "$name" "this version of the crate is another: an edit changed nothing"
		continue
	fi
	verdict "$name ${found##*-}: left as it is, red" 1 'cargo test passes:' "$TMP/before" "$TMP/left"
	verdict "$name ${found##*-}: repaired, green" 0 'added tests come out as made' "$TMP/before" "$TMP/repaired"
	verdict "$name ${found##*-}: its test edited, refused" 1 'tests intact: ' "$TMP/before" "$TMP/edited"
done <<'E'
strsim|src/lib.rs|s/{ 0usize } else { 1usize }/{ 0usize } else { 2usize }/|s/{ 0usize } else { 2usize }/{ 0 } else { 1 }/|src/lib.rs|s/assert_eq!(3, levenshtein/assert_eq!(4, levenshtein/
fnv|lib.rs|s/0x100000001b3/0x100000001b1/|s/0x100000001b1/(1 << 40) + 0x1b3/|lib.rs|s/0xaf63dc4c8601ec8c/0xaf63dc4c8601ec8d/
shlex|src/lib.rs|s/self.line_no += 1/self.line_no += 2/|s/self.line_no += 2/self.line_no = self.line_no + 1/|src/lib.rs|s/sh.line_no, 3/sh.line_no, 5/
scopeguard|src/lib.rs|s/{ !std::thread::panicking() }/{ std::thread::panicking() }/|/impl Strategy for OnSuccess/,/^}/s/{ std::thread::panicking() }/{ std::thread::panicking() == false }/|src/lib.rs|/fn test_only_dropped_by_closure_when_run/,$s/drops.get(), 1/drops.get(), 0/
matches|lib.rs|s/\$(\$pattern)+ => true/$($pattern)+ => false/|s/+ => false/+ => { true }/|lib.rs|s/assert!(matches!(foo/assert!(!matches!(foo/
percent-encoding|src/lib.rs|s/%3C%3D/%3c%3D/|s/%3c%3D/%3C%3D/|src/lib.rs|s/foo%20%3Cbar/foo%20%3cbar/
E
