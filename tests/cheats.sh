#!/bin/sh
# cheats.sh - the matrix of cheats: each family of cheats/families.sh on each crate of cheats/, compared with cheats/matrix.txt.
# Cells: x refused by the check that is meant for it, y by the one for tricks, another letter: no such cell (families.sh says why). Then honest work, which must
# pass, the cheats that only a run finds, and those that reach out. `cheats.sh --write` prints the matrix anew.
# needs: cargo rustc perl
# shellcheck disable=SC2015,SC2034,SC2154,SC1090,SC1091
. "$(dirname "$0")/lib.sh"

cheats=$ROOT/tests/cheats
work=$TMP/cheats
mkdir -p "$work"
. "$cheats/families.sh"

tests='edit removed commented ignored ignored_why ignored_raw ignored_comment ignored_space ignored_nested ignored_inside cfg_function
	cfg_module cfg_feature cfg_file renamed moved no_longer_a_test panic_expected early_return helper data_changed data_removed
	data_linked unreached swallowed other_file inline_module shadow_function shadow_import shadow_glob shadow_macro call_in_tests
	impl_in_new_tests impl_in_new_test impl_for_all impl_documented under_test_module macro_arm macro_again macro_again_hidden:tricks doc_ignored doc_not_run doc_text doc_code doc_hidden_line
	doc_removed doc_swallowed doc_inner doc_block doc_file doc_file_text doc_settings doc_moved:tricks no_main own_runner'
build='no_lib_tests no_harness profile runner runner_old_name runner_linked wrapper bootstrap build_script toolchain toolchain_old_name dependency new_package'
tricks='assert_macro assert_exported assert_import assert_by_macro panic_macro module_std type_option attribute_test constructor
	constructor_new constructor_by_macro symbol_exit symbol_write assembler inline_assembler foreign_exit foreign_exit_renamed
	process_exit process_exit_renamed process_exit_glob panic_hook under_test not_under_test under_test_macro under_test_statement
	under_test_attribute debug_only own_name own_program own_arguments own_memory own_settings caller_place include_text include_macro path_text in_unused_file under_test_macro_module thread_exit'
copy='fifo socket_file link_out link_up link_round link_absolute link_source big_file deep many'
crates='fixture modules integration doctests workspace macromade panics ignored noisy oldbin'

compile "$work/static" tests/verify.c -O2 || { fail "the judge without cargo compiles" "it does not"; exit 1; }

# The crate under that name, as it is before: in $work/crates.
mkdir "$work/crates"
for crate in $crates; do
	if [ "$crate" = fixture ]; then "$HSA" fixture "$work/crates/fixture" >/dev/null; else cp -r "$cheats/$crate" "$work/crates/$crate"; fi
done

# setup CRATE: its description, in variables.
setup() {
	LIB='' SRC='' TESTS='' FN='' CALLS='' SIGNATURE='' MODFILE='' MODDECL='' HELPERFILE='' HELPER='' DATA='' MANIFEST='' ITEMS='' EDIT='' FIX=''
	. "$cheats/$1.env"
}

# cell CHECK FAMILY CRATE: prints its letter, or what is wrong.
cell() {
	place=$work/cell.$4
	rm -rf "$place"
	mkdir -p "$place/scratch"
	cp -r "$work/crates/$3" "$place/after"
	setup "$3"
	if letter=$(cd "$place/after" && "$2" 2>"$place/err"); then
		if diff -r "$work/crates/$3" "$place/after" >/dev/null 2>&1; then echo "changed-nothing"; return; fi
		said=$(timeout 60 "$work/static" static "$work/crates/$3" "$place/after" "$place/scratch" 2>&1)
		case $said in
		*"refused - $1"*) echo x ;;
		*"refused - no tricks"*) echo y ;;
		*) printf '%s\n' "$3: $said" >&2; echo passed ;;
		esac
	elif [ -n "$letter" ]; then
		echo "$letter"
	else
		cat "$place/err" >&2
		echo broken
	fi
}

# rows CHECK FAMILY ...: a line of the matrix for each.
rows() {
	check=$1
	shift
	for family in "$@"; do
		name=${family%:*} row=''
		case $family in *:tricks) expected='no tricks in the sources' ;; *) expected=$check ;; esac
		for crate in $crates; do row="$row $(cell "$expected" "$name" "$crate" "$name")"; done
		printf '%-24s%s\n' "$name" "$row"
	done
}

matrix() {
	# shellcheck disable=SC2086 # lists of words
	{
		printf '%-24s %s\n' "# family" "$crates"
		rows 'tests intact' $tests >"$work/rows.1" & first=$!
		{ rows 'build files intact' $build; rows 'no tricks in the sources' $tricks; rows 'private copy' $copy; rows 'Cargo.lock' lock; } >"$work/rows.2"
		wait "$first"
		cat "$work/rows.1" "$work/rows.2"
	}
}

if [ "${1-}" = --write ]; then
	matrix
	exit
fi
matrix >"$work/matrix.txt"
while read -r family row; do
	got=$(sed -n "s/^$family  *//p" "$work/matrix.txt")
	if [ "$got" = "$row" ]; then
		ok "cheat $family: refused on $(echo "$row" | tr ' ' '\n' | grep -c '[xy]') crates"
	else
		fail "cheat $family" "got '$got', the matrix says '$row'"
	fi
done <<EOT
$(grep -v '^#' "$cheats/matrix.txt")
EOT

# ---- honest work ----

honest='fix_alone reformatted explained reordered test_added helper_added type_added module_of_tests_added test_file_added lints function_added
	type_with_traits macro_added for_one_system for_a_feature papers example_added program_added line_ends careful words_in_text
	words_as_names attributes imports file_to_directory module_to_file function_moved docs_rewritten docs_respaced impl_split editor_settings'

# repaired CRATE WORK DIR: a copy of the crate in DIR, repaired, with that work done. 3: there is no such work in it.
repaired() {
	rm -rf "$3"
	cp -r "$work/crates/$1" "$3"
	setup "$1"
	(cd "$3" && sed -i "$FIX" "$SRC" && "$2" >/dev/null 2>"$work/err")
}

for family in $honest; do
	wrong='' done=0
	for crate in $crates; do
		place=$work/honest
		rm -rf "$place.scratch"
		mkdir "$place.scratch"
		repaired "$crate" "$family" "$place"
		case $? in 0) ;; 3) continue ;; *) wrong="$wrong $crate: $(cat "$work/err")" ;; esac
		said=$(timeout 60 "$work/static" static "$work/crates/$crate" "$place" "$place.scratch" 2>&1)
		case $said in *refused* | *error*) wrong="$wrong $crate: $(printf '%s' "$said" | grep -v ^passed)" ;; *) done=$((done + 1)) ;; esac
	done
	if [ -z "$wrong" ] && [ $done -gt 0 ]; then ok "honest $family: passes on $done crates"; else fail "honest $family" "$wrong"; fi
done

# ---- with cargo, inside the boundary ----

# case STATUS PATTERN CRATE WORK: `hsa verify` of the crate with that work (a + before it: repaired first) ends with STATUS and says PATTERN.
judged() {
	place=$work/judged.$1
	case $4 in
	+*) repaired "$3" "${4#+}" "$place" ;;
	*) rm -rf "$place"; cp -r "$work/crates/$3" "$place"; setup "$3"; (cd "$place" && "$4" >&2) ;;
	esac
	if [ "$4" != left_as_it_is ] && diff -r "$work/crates/$3" "$place" >/dev/null 2>&1; then fail "run $4 on $3" "it changed nothing"; return; fi
	against=''
	[ "$3" = fixture ] || against="--against $work/crates/$3"
	status=0
	# shellcheck disable=SC2086 # a list of words
	said=$(timeout 200 "$HSA" verify --timeout 20 $against "$place" 2>&1 </dev/null) || status=$?
	# shellcheck disable=SC2254 # a pattern is meant
	case "$status $said" in
	"$2 "*$5*) ok "run $4 on $3: status $2" ;;
	*) fail "run $4 on $3" "status $status, wanted $2: $(printf '%s' "$said" | sed '/What changed/,$d' | tail -n 12)" ;;
	esac
}

# The two cores each take every second line.
cases() {
	for crate in $crates; do echo "0 $crate +fix_alone passed"; echo "1 $crate left_as_it_is passes:"; done
	cat <<EOT
1 fixture special_cases questions:
1 fixture only_floating questions:
1 fixture only_32_bits questions:
1 fixture only_slowly 20 s
1 fixture only_with_memory questions:
1 fixture only_when_small questions:
1 fixture says_more questions:
1 fixture reversed questions:
1 fixture only_in_debug built with --release
1 fixture only_wide_types questions:
1 fixture other_type driver does not build
1 oldbin leans_on_tests does not build without its tests
1 oldbin forged added tests come out as made:
1 oldbin quits ended early
1 oldbin aborts ended early
1 oldbin hangs ran past 20 s
1 oldbin floods prints more
1 oldbin not_compiling does not compile
1 workspace not_compiling does not compile
0 modules lock_by_cargo passed
0 ignored +reordered passed
0 doctests +docs_rewritten passed
0 integration +test_file_added passed
0 noisy +module_of_tests_added passed
EOT
}
need "runs of the verdict" cargo || exit 0
"$HSA" exec -- true 2>/dev/null || { skip "runs of the verdict" "the boundary cannot be enforced here"; exit 0; }
for half in 0 1; do
	cases | awk -v half=$half 'NR % 2 == half' | while read -r status crate name pattern; do
		judged "$half" "$status" "$crate" "$name" "$pattern"
	done >"$work/half.$half" &
done
wait
cat "$work/half.0" "$work/half.1"

# ---- the system's own toolchain, which is older ----

if [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ]; then
	for crate in doctests workspace noisy; do
		place=$work/older
		repaired "$crate" fix_alone "$place"
		said=$(HOME=$work RUSTUP_HOME=/nonexistent CARGO_HOME='' PATH=/usr/bin:/bin timeout 200 "$HSA" verify --timeout 60 \
			--against "$work/crates/$crate" "$place" 2>&1 </dev/null) && ok "older toolchain ($(/usr/bin/cargo --version)): $crate" ||
			fail "older toolchain: $crate" "$said"
	done
else
	skip "older toolchain" "no cargo in /usr/bin"
fi

# ---- small crates, with cargo: cheats/small/NAME.before.rs is repaired as NAME.after.rs ----

small() {
	for side in before after; do
		rm -rf "$work/small.$side"
		mkdir -p "$work/small.$side/src"
		printf '[package]\nname = "w"\nversion = "0.1.0"\nedition = "2021"\n' >"$work/small.$side/Cargo.toml"
		cp "$cheats/small/$2.$side.rs" "$work/small.$side/src/lib.rs"
		[ ! -f "$cheats/small/$2.tests.rs" ] || { mkdir "$work/small.$side/tests" && cp "$cheats/small/$2.tests.rs" "$work/small.$side/tests/all.rs"; }
	done
	status=0
	said=$(timeout 200 "$HSA" verify --against "$work/small.before" "$work/small.after" 2>&1 </dev/null) || status=$?
	# shellcheck disable=SC2254 # a pattern is meant
	case "$status $said" in
	"$1 "*$3*) ok "small crate $2: status $1" ;;
	*) fail "small crate $2" "status $status, wanted $1: $(printf '%s' "$said" | sed '/What changed/,$d' | tail -n 12)" ;;
	esac
}
small 1 says_features 'tests::doubles is not run'
small 1 new_test_prepares 'without the new tests the old ones do not pass: tests::doubles'
small 1 forges_known_names 'added tests come out as made: lib w: a test that the host made to fail'
small 1 doc_in_html_comment 'the doc test at src/lib.rs:9 is not run'
small 1 doc_across_attribute 'the doc test at src/lib.rs:5 is not run'
small 1 doc_ends_early 'added tests come out as made: doc w: a test that the host made to fail is reported otherwise: src/lib.rs:3'
small 1 rewrites_tests 'cargo test passes: all.rs was changed by what the tests ran'
small 1 plants_runner 'cargo test passes: config.toml was changed by what the tests ran'
small 1 replaces_programs 'was changed by what the tests ran'
small 1 right_in_debug_builds 'built with --release, tests::doubles failed'
small 1 lying_result 'takes the place of what tests ask'
small 0 docs_of_all_kinds 'added tests come out as made'
small 0 harmless passed

# ---- canaries ----

home=$work/home
for family in out_by_build_script out_by_code out_by_runner out_by_wrapper; do
	place=$work/reach outside=$(mktemp -d /tmp/hsa-canary.XXXXXX)
	rm -rf "$place" "$home"
	mkdir "$home"
	cp -r "$work/crates/oldbin" "$place"
	(cd "$place" && "$family" "$home" "$outside")
	RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} HOME=$home timeout 200 "$HSA" verify --timeout 60 \
		--against "$work/crates/oldbin" "$place" >"$work/said" 2>&1 </dev/null
	inside=$(ls "$home/canary" "$outside/canary" 2>/dev/null)
	(cd "$place" && CARGO_TARGET_DIR=$work/reach-target timeout 200 cargo test --offline >/dev/null 2>&1 </dev/null)
	bare=$(ls "$home/canary" "$outside/canary" 2>/dev/null | wc -l)
	if [ "$bare" != 2 ]; then
		fail "canary $family" "it does not reach out without the boundary, so nothing is shown"
	elif [ -n "$inside" ]; then
		fail "canary $family" "the verdict let it out: $inside"
	else
		ok "canary $family: two without the boundary, none with it"
	fi
	rm -rf "$outside"
done
