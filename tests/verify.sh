#!/bin/sh
# verify.sh - the verdict's parts: tokens, reports, toolchain, copies, notes, the diff; and the fuzzer of the lexer.
# boxes: clang
. "$(dirname "$0")/lib.sh"

umask 022
mkdir "$TMP/homes"
c_test tests/verify.c "$TMP/homes"
judge=$TMP/verify less=

# compare NAME WANT: what the judge without cargo says of after against before; WANT is a pattern.
compare() {
	rm -rf "$TMP/scratch"
	mkdir "$TMP/scratch"
	# shellcheck disable=SC2086 # a list of words
	holds "$1" "$(timeout 60 $less "$judge" static "$TMP/before" "$TMP/after" "$TMP/scratch" 2>&1)" "$2"
}
fresh() {
	chmod -R u+rwX "$TMP/before" "$TMP/after" 2>/dev/null
	rm -rf "$TMP/before" "$TMP/after"
	cp -r tests/cheats/modules "$TMP/before"
	"$@"
	cp -a "$TMP/before" "$TMP/after"
}
nothing() { :; }

# ---- the copy ----
fresh nothing
mkdir -p "$TMP/after/target/debug" "$TMP/after/.git/objects" "$TMP/after/odd name
of a directory" && printf x >"$TMP/after/odd name
of a directory/$(printf '\377')"
mkfifo "$TMP/after/target/fifo" "$TMP/after/.git/fifo"
ln -s src/lib.rs "$TMP/after/link" && ln -s src "$TMP/after/linked" && ln -s user@host.1234 "$TMP/after/.#lib.rs"
compare "copy: target and .git are left out, odd names and links inside are taken" '*passed - private copy: 10 files*tampered: no'
fresh nothing
chmod 000 "$TMP/after/src/lib.rs"
[ "$(id -u)" != 0 ] || less='setpriv --bounding-set=-dac_override,-dac_read_search' # root, too, may be kept from reading
compare "copy: a file that cannot be read" '*refused - private copy: cannot read src/lib.rs*'
less=
fresh nothing
if mknod "$TMP/after/zero" c 1 5 2>/dev/null; then compare "copy: a device" '*refused - private copy: zero is a device*'; else skip "copy: a device" "only root makes one"; fi
fresh nothing
truncate -s 64M "$TMP/after/large"
compare "copy: 64 MiB in a file are not too many" '*passed - private copy*'
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do truncate -s 64M "$TMP/after/large$n"; done
compare "copy: more than 1 GiB" '*refused - private copy: the crate has more than 1 GiB*'

fresh nothing
mkdir "$TMP/after/Cargo.lock"
compare "copy: a directory named Cargo.lock" '*refused - private copy: Cargo.lock is a directory*'
fresh nothing
(cd "$TMP/after" && perl -e 'for (1..60) { my $d = "d" x 60; mkdir $d; chdir $d or die }')
compare "copy: a path of more than 2,048 bytes" '*refused - private copy: ddd*more than 2,048 bytes*'
fresh nothing
for n in 1 2; do truncate -s 40M "$TMP/after/src/large$n.rs"; done
compare "copy: more than 64 MiB of sources" '*refused - tests intact: the sources have more than 64 MiB*'

# ---- what rustfmt does to tests ----
# rewritten WANT OLD NEW: a test whose body was OLD is NEW now.
rewritten() {
	body="#[test] fn braces() { $2 }"
	fresh sh -c "printf '%s\\n' '$body' >>'$TMP/before/src/count/tests.rs'"
	sed -i '$d' "$TMP/after/src/count/tests.rs" && printf '%s\n' "#[test] fn braces() { $3 }" >>"$TMP/after/src/count/tests.rs"
	compare "rustfmt: $2 as $3: $1" "*$1 - tests intact*"
}
rewritten passed 'let n = match s { Some(x) => { x } None => { 0 } };' 'let n = match s { Some(x) => x, None => 0, };'
rewritten passed 'match s { Some(x) => { f(x); }, None => {}, }' 'match s { Some(x) => { f(x); } None => {} }'
rewritten passed 'v.iter().map(|x| { x + 1 }).all(|| { f(x) });' 'v.iter().map(|x| x + 1).all(|| f(x));'
rewritten passed 'g(long(1)); assert!(long(2)); P(q) = r;' 'g(long(1,),); assert!(long(2),); P(q,) = r;'
rewritten refused 'match s { A => { f(x); } _ => {} }' 'match s { A => {} _ => {} }'
rewritten refused 'match s { A => { x } B => { y } }' 'match s { A | B => { y } }'
rewritten refused 'match s { A => { match t { _ => 1 } - 1 } _ => 0 }' 'match s { A => match t { _ => 1 } - 1, _ => 0 }'
rewritten refused 'match s { A => { m! { 1 } - 1 } _ => 0 }' 'match s { A => m! { 1 } - 1, _ => 0 }'
rewritten refused 'let n = a | { b + c } * d;' 'let n = a | b + c * d;'
rewritten refused 'g((1,)); return (x,);' 'g((1)); return (x,);'
rewritten refused 'for y in (x,) { f(y) }' 'for y in (x) { f(y) }'
rewritten refused 'let (x,) = y;' 'let (x) = y;'

# ---- notes ----
fresh git init -q "$TMP/before"
echo x >"$TMP/after/.git/hooks/pre-commit"
git -C "$TMP/after" config core.fsmonitor evil
mkdir "$TMP/after/.vscode" && echo '{}' >"$TMP/after/.vscode/tasks.json" && echo x >"$TMP/after/.envrc" && echo '* filter=x' >"$TMP/after/.gitattributes"
mkdir -p "$TMP/after/.git/info" && echo x >"$TMP/after/.git/info/attributes"
ln "$TMP/after/src/lib.rs" "$TMP/elsewhere"
for what in .git/hooks/pre-commit .git/config .git/info/attributes .vscode/tasks.json .envrc .gitattributes "hard link src/lib.rs"; do
	compare "note: $what" "*note - $what *tampered: no"
done
fresh git init -q "$TMP/before"
compare "note: nothing to note" "passed - private copy: 6 files
passed - tests intact*tampered: no"

# ---- the diff ----
fresh nothing
printf 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n' >"$TMP/before/text"
printf 'a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nl\nm\nn\n' >"$TMP/after/text"
printf 'new\n' >"$TMP/after/added"
rm "$TMP/after/src/text/checks.rs"
"$judge" diff "$TMP/before" "$TMP/after" "$TMP/scratch" >"$TMP/diff"
(cd "$TMP" && rm -rf patched && cp -r before patched && cd patched && patch -s -p1 <"$TMP/diff") >/dev/null 2>&1
is "diff: patch(1) makes the one of the other" "$(diff -r "$TMP/patched" "$TMP/after" | grep -v '^Only in.*patched\|No newline')" ''
is "diff: hunks" "$(grep '^@@' "$TMP/diff" | tr '\n' ' ')" '@@ -0,0 +1,1 @@ @@ -1,6 +0,0 @@ @@ -2,12 +2,12 @@ '

# ---- what the baseline sorts out, with cargo ----
sorted() { # NAME STATUS PATTERN [OPTION ...]: `hsa verify` of $TMP/after against $TMP/before
	sorted_name=$1 sorted_status=$2 sorted_pattern=$3
	shift 3
	run timeout 200 "$HSA" verify --timeout 100 "$@" --against "$TMP/before" "$TMP/after"
	# shellcheck disable=SC2254 # a pattern is meant
	case "$status $out$err" in
	"$sorted_status "*$sorted_pattern*) ok "$sorted_name" ;;
	*) fail "$sorted_name" "status $status, wanted $sorted_status: $out$err" ;;
	esac
}
crate() { # TEST-BODY [MANIFEST-LINE ...]
	rm -rf "$TMP/before" "$TMP/after"
	mkdir -p "$TMP/before/src"
	printf '#[cfg(test)]\nmod tests {\n    #[test]\n    fn does() {\n        %s\n    }\n}\n' "$1" >"$TMP/before/src/lib.rs"
	shift
	printf '%s\n' '[package]' 'name = "sorted"' 'version = "0.1.0"' 'edition = "2021"' "$@" >"$TMP/before/Cargo.toml"
	cp -r "$TMP/before" "$TMP/after"
}
if need "baseline" cargo && "$HSA" exec -- true 2>/dev/null; then
	crate 'assert!(true);'
	sorted "baseline: green stays green" 0 "baseline   green"
	crate 'assert!(true);' '[dependencies]' 'no-such-crate-here = "1"'
	sorted "baseline: dependencies that are not there" 2 'cargo fetch'
	crate 'assert!(true);' '[dependencies]' 'near = { path = "../near" }'
	sorted "baseline: a path dependency outside" 2 'path dependency near lies outside'
	crate 'std::net::TcpListener::bind("127.0.0.1:0").unwrap();'
	sorted "baseline: a test that opens a socket" 2 'the test tests::does needs what the boundary refuses'
	crate 'std::os::unix::net::UnixListener::bind(std::env::temp_dir().join("s")).unwrap();'
	sorted "baseline: a test that opens a unix socket" 2 'the test tests::does needs what the boundary refuses'
	crate 'std::fs::write("/var/tmp/hsa-outside", "x").unwrap();'
	sorted "baseline: a test that writes outside" 2 'the test tests::does needs what the boundary refuses'
	crate 'assert!(true);' 'bad ='
	sorted "baseline: a manifest that cargo cannot read" 2 'cannot be judged'
	crate 'assert_eq!(env!("CARGO_PKG_VERSION"), "0.2.0");'
	sed -i 's/0\.1\.0/0.2.0/' "$TMP/after/Cargo.toml"
	sorted "manifest: a change is refused" 1 'Cargo.toml:3: was changed'
	sorted "manifest: --allow-manifest says it is allowed" 0 'Cargo.toml:3 was changed: allowed' --allow-manifest
else
	skip "baseline" "no cargo, or no boundary here"
fi

# ---- the fuzzer ----
if command -v clang >/dev/null 2>&1 && clang -O1 -g -fsanitize=fuzzer,address,undefined -w -o "$TMP/fuzz" tests/fuzz_rust.c 2>/dev/null; then
	mkdir "$TMP/corpus"
	find tests/cheats -name '*.rs' | while read -r file; do cp "$file" "$TMP/corpus/$(echo "$file" | tr / _)"; done
	if "$TMP/fuzz" -max_total_time="$FUZZ_SECONDS" -max_len=4096 -timeout=20 -rss_limit_mb=4000 "$TMP/corpus" >"$TMP/fuzz.log" 2>&1; then
		ok "fuzzer: tokens, census, tricks, reports, TOML for $FUZZ_SECONDS s"
	else
		fail "fuzzer" "$(tail -n 20 "$TMP/fuzz.log")"
	fi
else
	skip "fuzzer" "no clang with libFuzzer here"
fi
