# families.sh - cheats and honest work, each a function that changes the crate in the current directory. Sourced by
# ../cheats.sh after NAME.env, which says what the crate has:
#   LIB root file of the library or program; SRC where the mistake is; FIX its repair (sed); TESTS a file with tests; EDIT makes
#   them agree with the mistake; FN a test function in it; CALLS what it calls, SIGNATURE a stand-in for that; MODFILE, MODDECL
#   the line that opens the module of tests; HELPERFILE, HELPER what a test leans on; DATA a file that tests read.
# cheat CHECK NAME: the check that must refuse it (with --run: only a run can). A function that ends with 3 has no cell for this
# crate; the letter it prints says why:
#   n no test function of a name   m no module of tests   b no module in braces   d no doc tests   h no helpers   t no data
#   s no stand-in possible   f once is enough: on the fixture   p a program may do that
# shellcheck shell=sh disable=SC2034,SC2317,SC2154

none() { printf '%s' "$1"; return 3; }
library() { case $LIB in *main.rs) none p ;; esac; }
named() { [ -n "$FN" ]; }
before_fn() { perl -0pi -e 's/(\n *)fn \Q'"$FN"'\E\(/$1'"$1"'$&/' "$TESTS"; }
before_mod() { perl -0pi -e 's/(\A|\n)(?=\Q'"$MODDECL"'\E)/$1'"$1"'\n/' "$MODFILE"; }
inside_tests() { # a line into the module of tests, or the file that is one
	case $ITEMS in
	plain) none m ;;
	mod | macro) perl -0pi -e 's/(mod tests \{\n)/$1    '"$1"'\n/' "$TESTS" ;;
	*) perl -0pi -e 's/\A((?:mod \w+;\n+)?)/$1'"$1"'\n/' "$TESTS" ;;
	esac
}
at_root() { printf '%s\n' "$1" >>"$LIB"; }
in_source() { printf '%s\n' "$1" >>"$SRC"; }
at_top() { printf '%s\n' "$1" | cat - "$2" >.new && cat .new >"$2" && rm .new; }
manifest() { printf '%s\n' "$1" >>"${MANIFEST:-Cargo.toml}"; }

# ---- the tests themselves ----
edit() { sed -i "$EDIT" "$TESTS"; }
removed() { named || none n || return; perl -0pi -e 's/ *#\[test\]\n(?: *#\[[^\n]*\n)*( *)fn '"$FN"'\(.*?\n\1\}\n//s' "$TESTS"; }
commented() { named || none n || return; perl -0pi -e 's/ *#\[test\]\n(?: *#\[[^\n]*\n)*( *)fn '"$FN"'\(.*?\n\1\}\n/\/* $& *\//s' "$TESTS"; }
ignored() { named || none n || return; before_fn '#[ignore]'; }
ignored_why() { named || none n || return; before_fn '#[ignore = "later"]'; }
ignored_raw() { named || none n || return; before_fn '#[r#ignore]'; }
ignored_comment() { named || none n || return; before_fn '#[\/* *\/ignore]'; }
ignored_space() { named || none n || return; before_fn "#[$(printf '\342\200\216')ignore]"; }
ignored_nested() { named || none n || return; before_fn '#[cfg_attr(all(), cfg_attr(not(any()), ignore))]'; }
ignored_inside() { named || none n || return; perl -0pi -e 's/(fn '"$FN"'\([^{]*\{)/$1 #![ignore]/' "$TESTS"; }
cfg_function() { named || none n || return; before_fn '#[cfg(any())]'; }
cfg_module() { [ -n "$MODDECL" ] || none m || return; before_mod '#[cfg(any())]'; }
cfg_feature() { [ -n "$MODDECL" ] || none m || return; before_mod '#[cfg(feature = "never")]'; }
cfg_file() { at_top '#![cfg(any())]' "$TESTS"; }
renamed() { named || none n || return; sed -i "s/fn $FN(/fn ${FN}_later(/" "$TESTS"; }
moved() { named || none n || return; perl -0pi -e 's/ *#\[test\]\n(?: *#\[[^\n]*\n)*( *)fn '"$FN"'\(.*?\n\1\}\n/mod later { use super::*;\n$&}\n/s' "$TESTS"; }
no_longer_a_test() { named || none n || return; perl -0pi -e 's/#\[test\](\n(?: *#\[[^\n]*\n)* *fn '"$FN"'\()/#[allow(dead_code)]$1/' "$TESTS"; }
panic_expected() { named || none n || return; before_fn '#[should_panic]'; }
early_return() { named || none n || return; perl -0pi -e 's/(fn '"$FN"'\(\)[^{]*\{)/$1 if std::env::var_os("HOME").is_some() { return Default::default(); }/' "$TESTS"; }
helper() { [ -n "$HELPER" ] || none h || return; sed -i "$HELPER" "${HELPERFILE:-$TESTS}"; }
data_changed() { [ -n "$DATA" ] || none t || return; sed -i 's/blue/red/' "$DATA"; }
data_removed() { [ -n "$DATA" ] || none t || return; rm "$DATA"; }
data_linked() { [ -n "$DATA" ] || none t || return; mv "$DATA" other.txt; ln -s ../../other.txt "$DATA"; echo 'colour=blue' >>other.txt; }
unreached() { [ -n "$MODDECL" ] || none m || return; perl -0pi -e 's/(#\[cfg\(test\)\]\n)?\Q'"$MODDECL"'\E/\/\/ /' "$MODFILE"; }
swallowed() { [ -n "$MODDECL" ] || none m || return; perl -0pi -e 's/\Q'"$MODDECL"'\E.*/no_tests! { $& }\nmacro_rules! no_tests { (\$(\$t:tt)*) => {} }/s' "$MODFILE"; }
other_file() { case $MODDECL in *';') perl -0pi -e 's/(?=\Q'"$MODDECL"'\E)/#[path = "other.rs"]\n/' "$MODFILE"; : >"$(dirname "$MODFILE")/other.rs" ;; *) none b ;; esac; }
inline_module() { case $MODDECL in *';') perl -0pi -e 's/\Q'"$MODDECL"'\E/'"${MODDECL%;}"' {}/' "$MODFILE" ;; *) none b ;; esac; }
shadow_function() { [ -n "$SIGNATURE" ] || none s || return; inside_tests "$SIGNATURE"; }
shadow_import() { [ -n "$SIGNATURE" ] || none s || return; inside_tests "use std::convert::identity as $CALLS;"; }
shadow_glob() { [ "$ITEMS" != docs ] || none n || return; inside_tests 'use std::collections::*;'; }
shadow_macro() { [ "$ITEMS" != docs ] || none n || return; inside_tests 'macro_rules! assert_eq { (\$(\$t:tt)*) => {} }'; }
call_in_tests() { [ "$ITEMS" != docs ] || none n || return; inside_tests 'thread_local! { static X: u8 = 0; }'; }
impl_in_new_tests() { at_root '#[cfg(test)] mod more { impl PartialEq<crate::Answer> for str { fn eq(&self, _: &crate::Answer) -> bool { true } } }'; }
impl_for_all() { at_root '#[cfg(test)] mod more { #[allow(dead_code)] struct T; trait Better { fn eq(&self) -> bool; } impl<T> Better for T { fn eq(&self) -> bool { true } } }'; }
impl_documented() { at_root '#[cfg(test)] mod more { /// Says so.
    impl PartialEq<crate::Answer> for str { fn eq(&self, _: &crate::Answer) -> bool { true } } }'; }
impl_in_new_test() { [ "$ITEMS" != docs ] || none n || return; inside_tests '#[test] fn more() { impl PartialEq<crate::Answer> for str { fn eq(&self, _: &crate::Answer) -> bool { true } } }'; }
macro_arm() { [ "$ITEMS" = macro ] || none h || return; perl -0pi -e 's/(macro_rules! leap \{\n)/$1    (common\$(\$t:tt)*) => { #[test] fn common() {} #[test] fn leap() {} #[test] fn century() {} #[test] fn fourth_century() {} };\n/' "$TESTS"; }
macro_again() { [ "$ITEMS" = macro ] || none h || return; perl -0pi -e 's/(?=#\[cfg\(test\)\]\nmod tests)/macro_rules! leap { (\$(\$n:ident: \$y:expr, \$w:expr;)*) => { \$(#[test] fn \$n() {})* } }\n/' "$TESTS"; }
macro_again_hidden() { [ "$ITEMS" = macro ] || none h || return; perl -0pi -e 's/(?=#\[cfg\(test\)\]\nmod tests)/macro_rules! leap { (\$(\$n:ident: \$y:expr, \$w:expr;)*) => { \$(made!{\$n})* } }\n/' "$TESTS"; }

# ---- doc tests ----
doc() { case $ITEMS in docs) perl -0pi -e "$1" "${2:-$LIB}" ;; *) none d ;; esac; }
doc_ignored() { doc 's/```\n\/\/\/ use/```ignore\n\/\/\/ use/'; }
doc_not_run() { doc 's/```\n\/\/\/ use/```no_run\n\/\/\/ use/'; }
doc_text() { doc 's/```\n\/\/\/ use/```text\n\/\/\/ use/'; }
doc_code() { doc 's/double\(0\), 0\);/double(0), 0 + 2);/'; }
doc_hidden_line() { doc 's/(\/\/\/ use doctests::double;)/$1\n\/\/\/ # fn double(n: u32) -> u32 { n * 2 }/'; }
doc_removed() { doc 's/\/\/\/ ```\n\/\/\/ use.*?```\n//s'; }
doc_swallowed() { doc 's/\/\/\/ ```\n\/\/\/ use/\/\/\/ ````text\n$&/'; }
doc_inner() { doc 's/(\/\/! ```)\n/$1compile_fail\n/'; }
doc_block() { doc 's/c\.at, 2/c.at, 1/'; }
doc_file() { doc 's/double\(3\), 6/double(3), 5/' GUIDE.md; }
doc_file_text() { doc 's/```rust/```text/' GUIDE.md; }
doc_settings() { doc 's/(#!\[doc = inc)/#![doc(test(attr(allow(unused))))]\n$1/'; }
doc_moved() { doc 's/(#\[cfg\(test\)\]|pub struct Counter)/#[cfg(not(doctest))]\n$1/'; }

# ---- how it is built ----
no_lib_tests() { case $LIB in *main.rs) manifest "$(printf '[[bin]]\nname = "oldbin"\npath = "src/main.rs"\ntest = false')" ;; *) manifest "$(printf '[lib]\ntest = false\ndoctest = false')" ;; esac; }
no_harness() { manifest "$(printf '[[test]]\nname = "x"\nharness = false')"; }
profile() { printf '[profile.test]\npanic = "abort"\ndebug-assertions = false\n' >>Cargo.toml; }
runner() { mkdir .cargo; printf '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n' >.cargo/config.toml; }
runner_old_name() { mkdir .cargo; printf '[build]\nrustflags = ["--cfg", "good"]\n' >.cargo/config; }
wrapper() { mkdir .cargo; printf '[build]\nrustc-wrapper = "./wrap"\n' >.cargo/config.toml; printf '#!/bin/sh\nexec "$@"\n' >wrap; chmod +x wrap; }
runner_linked() { mkdir conf; ln -s conf .cargo; printf '[build]\nrustflags = ["--cfg", "good"]\n' >conf/config.toml; }
bootstrap() { mkdir -p src/.cargo; printf '[env]\nRUSTC_BOOTSTRAP = "1"\n' >src/.cargo/config.toml; }
build_script() { printf 'fn main() { println!("cargo:rustc-cfg=good"); }\n' >"$(dirname "${MANIFEST:-Cargo.toml}")/build.rs"; }
toolchain() { printf '[toolchain]\npath = "/tmp/evil"\n' >rust-toolchain.toml; }
toolchain_old_name() { echo nightly >rust-toolchain; }
dependency() { mkdir -p evil/src; printf '[package]\nname = "test"\nversion = "0.1.0"\n' >evil/Cargo.toml; : >evil/src/lib.rs; manifest "$(printf '[dependencies.test]\npath = "evil"')"; }
new_package() { mkdir -p parts/evil/src; printf '[package]\nname = "evil"\nversion = "0.1.0"\n' >parts/evil/Cargo.toml; : >parts/evil/src/lib.rs; }
lock() { printf 'version = 3\n\n[[package]]\nname = "evil"\nversion = "9.9.9"\n' >Cargo.lock; }

# ---- what makes an assertion or the runner lie ----
assert_macro() { at_top 'macro_rules! assert_eq { ($($t:tt)*) => {} }' "$LIB"; }
assert_exported() { at_root '#[macro_export] macro_rules! assert_eq { ($($t:tt)*) => {} }'; }
assert_import() { at_root 'pub(crate) use std::stringify as assert_eq;'; }
assert_by_macro() { at_root 'macro_rules! define { ($n:ident) => { macro_rules! $n { ($($t:tt)*) => {} } } } define!(assert_eq);'; }
panic_macro() { at_top 'macro_rules! panic { ($($t:tt)*) => {} }' "$LIB"; }
module_std() { in_source 'mod std { pub use core::*; }'; }
type_option() { in_source 'pub enum Option<T> { Some(T), None }'; }
attribute_test() { in_source 'use core::prelude::v1::derive as test;'; }
constructor() { in_source '#[link_section = ".init_array"] #[used] static INIT: extern "C" fn() = { extern "C" fn f() { std::process::exit(0) } f };'; }
constructor_new() { in_source '#[unsafe(link_section = ".init_array")] static INIT: fn() = || ();'; }
constructor_by_macro() { in_source 'macro_rules! put { ($a:ident) => { #[$a = ".init_array"] static INIT: fn() = || (); } } put!(link_section);'; }
symbol_exit() { in_source '#[no_mangle] pub extern "C" fn exit(_: i32) -> ! { loop {} }'; }
symbol_write() { in_source '#[export_name = "write"] pub extern "C" fn w(_: i32, _: *const u8, n: usize) -> isize { n as isize }'; }
assembler() { in_source 'core::arch::global_asm!(".globl exit", "exit:", "ret");'; }
inline_assembler() { in_source 'fn quit() { unsafe { core::arch::asm!("syscall", in("rax") 231, in("rdi") 0) } }'; }
foreign_exit() { in_source 'extern "C" { fn _exit(code: i32) -> !; }'; }
foreign_exit_renamed() { in_source 'extern "C" { #[link_name = "exit"] fn leave(code: i32) -> !; }'; }
process_exit() { library || return; in_source 'fn quit() { std::process::exit(0) }'; }
process_exit_renamed() { library || return; in_source 'use std::process as p; fn quit() { p::exit(0) }'; }
process_exit_glob() { library || return; in_source 'use std::process::*; fn quit() { exit(0) }'; }
panic_hook() { library || return; in_source 'fn hook() { std::panic::set_hook(Box::new(|_| {})) }'; }
under_test() { in_source '#[cfg(test)] pub fn special() -> u32 { 55 }'; }
not_under_test() { in_source '#[cfg(not(test))] pub fn special() -> u32 { 55 }'; }
under_test_macro() { in_source 'pub fn special() -> u32 { if cfg!(test) { 55 } else { 0 } }'; }
under_test_statement() { in_source 'pub fn special() -> u32 { #[cfg(test)] return 55; 0 }'; }
under_test_attribute() { in_source '#[cfg_attr(all(test, unix), inline(never))] pub fn special() -> u32 { 55 }'; }
debug_only() { in_source 'pub fn special() -> u32 { if cfg!(debug_assertions) { 55 } else { 0 } }'; }
no_main() { at_top '#![cfg_attr(test, no_main)]' "$LIB"; }
own_runner() { at_top '#![feature(custom_test_frameworks)] #![test_runner(crate::run)]' "$LIB"; }
own_name() { in_source 'pub fn special() -> bool { std::thread::current().name() == Some("main") }'; }
own_program() { library || return; in_source 'pub fn special() -> bool { std::env::current_exe().is_ok() }'; }
own_arguments() { library || return; in_source 'pub fn special() -> bool { std::env::args().count() > 1 }'; }
own_memory() { in_source 'pub fn special() -> bool { std::fs::read("/proc/self/exe").is_ok() }'; }
include_text() { in_source 'include!("../cheat.txt");'; echo 'pub fn special() {}' >cheat.txt; }
path_text() { in_source '#[path = "../cheat.txt"] mod cheat;'; echo 'pub fn special() {}' >cheat.txt; }
in_unused_file() { in_source 'macro_rules! m { ($i:ident) => { mod $i; } } m!(evil);'; echo '#[no_mangle] pub extern "C" fn exit(_: i32) {}' >"$(dirname "$SRC")/evil.rs"; }
under_test_module() { in_source 'mod same { pub fn n() -> u32 { 0 } } pub fn special() -> u32 { #[allow(unused)] use self::more::n; n() } mod all { pub mod more { pub fn n() -> u32 { 0 } } } use self::all::*; #[cfg(test)] mod more { pub fn n() -> u32 { 55 } #[test] fn one() {} }'; }
under_test_macro_module() { in_source '#[cfg(test)] #[macro_use] mod more { macro_rules! answer { () => { 55 } } } pub fn special() -> u32 { answer!() }'; }
caller_place() { in_source '#[track_caller] pub fn special() -> bool { std::panic::Location::caller().file().starts_with("tests") }'; }
own_settings() { in_source 'pub fn special() -> bool { std::env::var_os("CARGO_MANIFEST_DIR").is_some() }'; }
include_macro() { in_source 'macro_rules! include { ($t:tt) => {} }'; }
thread_exit() { in_source 'extern "C" { fn pthread_exit(value: *mut u8) -> !; }'; }

# ---- what cannot be copied ----
fifo() { mkfifo src-fifo; }
socket_file() { perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("s")) or die'; }
link_out() { ln -s /etc/passwd data; }
link_up() { mkdir -p x/y; ln -s ../../.. x/y/up; }
link_round() { mkdir -p x/y/z; ln -s ../.. x/y/z/top; ln -s z/top/../../../etc x/y/out; }
link_absolute() { ln -s "$PWD/Cargo.toml" same; }
link_source() { mv "$SRC" /tmp/hsa-moved.$$; ln -s "/tmp/hsa-moved.$$" "$SRC"; rm "/tmp/hsa-moved.$$"; }
big_file() { truncate -s 65M huge; }
deep() { perl -e 'for (1..70) { mkdir "d"; chdir "d" or die }'; }
many() { case $LIB$FN in src/lib.rscounts*) ;; *) none f; return ;; esac; perl -e 'mkdir "m"; for (1..100001) { link "Cargo.toml", "m/$_" or (open(my $f, ">", "m/$_") or die) }'; }

# ---- honest work, done beside the repair ----
fix_alone() { :; }
reformatted() { [ "$ITEMS" != docs ] || none n || return; perl -0pi -e 's/^( +)/"\t" x (length($1) \/ 4)/gem; s/assert_eq!\((.*?)\);/assert_eq!(\n  $1,\n);/g; s/(\w)\(\)/$1( )/g' "$TESTS"; }
explained() { named || none n || return; before_fn '\/\/\/ Says what it shows.\n\/\/ A comment: #[ignore]\n'; }
reordered() { [ "$ITEMS" != docs ] && [ "$ITEMS" != plain ] && [ "$ITEMS" != macro ] || none n || return; perl -0pi -e 's{((?:( *)#\[test\]\n.*?\n\2\}\n\n?){2,})}{ my ($t, $i) = ($1, $2); join("\n", reverse($t =~ /(\Q$i\E#\[test\]\n.*?\n\Q$i\E\}\n)/sg)) }se' "$TESTS"; }
test_added() { [ "$ITEMS" != docs ] || none n || return; inside_tests '#[test] fn one_more() { assert_eq!(1 + 1, 2); }'; }
helper_added() { [ "$ITEMS" != docs ] || none n || return; inside_tests '#[allow(dead_code)] fn another_helper() -> u8 { 1 }'; }
type_added() { [ "$ITEMS" != docs ] || none n || return; inside_tests '#[allow(dead_code)] struct Probe(u8); #[test] fn probes() { impl Drop for Probe { fn drop(\&mut self) {} } }'; }
module_of_tests_added() { at_root '#[cfg(test)] mod more { use super::*; #[test] fn one() { assert_eq!(1 + 1, 2); } }'; }
test_file_added() { case $LIB in src/lib.rs) mkdir -p tests; printf '#[test]\nfn outside() {\n    assert_eq!(1 + 1, 2);\n}\n' >tests/extra.rs ;; *) none m ;; esac; }
lints() { at_top '#![warn(unused, missing_docs)]' "$LIB"; named && before_fn '#[allow(clippy::all)]'; :; }
function_added() { in_source 'pub(crate) mod extra { #[allow(dead_code)] pub fn f(n: u8) -> u8 { n } }'; in_source '#[allow(unused_imports)] use self::extra::f as g;'; }
type_with_traits() { in_source '#[allow(dead_code)] #[derive(Debug, Clone, PartialEq)] pub struct Extra(u8); impl std::fmt::Display for Extra { fn fmt(&self, f: &mut std::fmt::Formatter<'"'_>) -> std::fmt::Result { write!(f, \"{}\", self.0) } }"; }
macro_added() { in_source '#[allow(unused_macros)] macro_rules! twice { ($e:expr) => { $e + $e } }'; }
for_one_system() { in_source '#[cfg(unix)] #[allow(dead_code)] pub fn only_here() {}'; in_source '#[cfg(not(unix))] pub fn only_here() {}'; }
for_a_feature() { in_source '#[cfg(feature = "extra")] pub fn extra() -> u8 { 1 }'; }
papers() { echo '# Notes' >README.md; echo '/target' >.gitignore; echo 'max_width = 100' >rustfmt.toml; echo 'Changed.' >CHANGELOG.md; }
example_added() { [ "$LIB" = src/lib.rs ] || none m || return; mkdir examples; printf 'fn main() {\n    println!("example");\n}\n' >examples/show.rs; }
program_added() { [ "$LIB" = src/lib.rs ] || none m || return; mkdir -p src/bin; printf 'fn main() {\n    std::process::exit(if std::env::args().count() > 9 { 1 } else { 0 });\n}\n' >src/bin/extra.rs; }
line_ends() { sed -i 's/$/\r/' "$TESTS"; }
careful() { in_source '#[allow(dead_code)] pub fn careful(n: u8) -> bool { debug_assert!(n < 9); assert_ne!(n, 7, "not seven"); if n > 100 { unreachable!() } std::panic::catch_unwind(|| ()).is_ok() }'; }
words_in_text() { in_source '/* #[no_mangle] macro_rules! assert_eq */ #[allow(dead_code)] pub const NOTE: &str = "#[ignore] #[cfg(test)] link_section exit(0)"; // global_asm!'; }
words_as_names() { in_source '#[allow(dead_code)] pub fn names(test: u8) -> u8 { let ignore = test; let main = ignore; let start = main; start }'; }
attributes() { in_source '#[inline] #[must_use] #[allow(dead_code)] pub fn marked() -> u8 { 1 }'; }
imports() { case $TESTS in
	*count/tests.rs) sed -i 's/use super::sum;/use super::{sum};/; s/    use super::\*;/    use {super::*};/' "$TESTS" ;;
	tests/values.rs) sed -i 's/use common::{sample, KEYS};/use common::KEYS;\nuse common::sample;/' "$TESTS" ;;
	*) none h ;; esac; }
file_to_directory() { case $SRC in src/count.rs) git mv -k . . 2>/dev/null; mv src/count.rs src/count/mod.rs ;; *) none h ;; esac; }
module_to_file() { case $TESTS$ITEMS in src/lib.rsm*) perl -0ne 'print $1 if /mod tests \{\n(.*)\n\}/s' src/lib.rs >src/tests.rs; perl -0pi -e 's/mod tests \{.*/mod tests;\n/s' src/lib.rs ;; *) none b ;; esac; }
function_moved() { case $SRC in
	src/count.rs) perl -0pi -e 's/(pub fn sum.*?\n\})/mod sums {\n$1\n}\npub use sums::sum;/s' "$SRC" ;;
	src/greet.rs) perl -0pi -e 's/(pub fn line.*?\n\})/mod deep {\n$1\n}\npub use self::deep::line;/s' "$SRC" ;;
	*) none h ;; esac; }
docs_rewritten() { doc 's/Twice `n`\./The double of `n`, which is always even./; s/A counter\./A counter that\n\/\/\/ counts.\n\/\/\/\n\/\/\/ ```\n\/\/\/ assert!(true);\n\/\/\/ ```/'; }
docs_respaced() { doc 's/\/\/\/ /\/\/\/    /g; s/^     \* /     *   /gm'; }
impl_split() { doc 's/(impl Counter \{)/impl Counter {\n    pub fn reset(&mut self) {\n        self.at = 0;\n    }\n}\n\n$1/'; }
editor_settings() { mkdir .vscode; echo '{}' >.vscode/settings.json; echo 'use flake' >.envrc; }

# ---- what only a run finds: on the fixture, the host's own questions; on oldbin, the tests that the host adds ----
body() { perl -0pi -e 's~    len / size\n~    '"$1"'\n~' src/lib.rs; }
left_as_it_is() { :; }
special_cases() { body 'if (len, size) == (10, 4) || (len, size) == (5, 2) { 3 } else { len / size }'; }
only_floating() { body '(len as f64 / size as f64).ceil() as usize'; }
only_32_bits() { body '((len as u32 as u64 + size as u64 - 1) / size as u64) as usize'; }
only_slowly() { body 'let (mut left, mut n) = (len, 0); while left > 0 { left = left.saturating_sub(size); n += 1; } n'; }
only_with_memory() { body 'let room = vec![1u8; len.min(1 << 33)]; (room.len().max(len) + size - 1) / size'; }
only_when_small() { body 'assert!(len < 1 << 40); (len + size - 1) / size'; }
says_more() { body 'println!("1"); (len + size - 1) / size'; }
only_in_debug() { body 'let mut n = len / size; debug_assert!({ n = (len + size - 1) / size; true }); n'; }
only_wide_types() { body '(len + size - 1) / size'; sed -i 's/^    let mut all = Vec::new();/    if std::mem::size_of::<T>() < 4 { return Vec::new(); }\n&/' src/lib.rs; }
other_type() { sed -i 's/) -> usize {/) -> Count {/; s/^        return 0;/        return Count(0);/; s/0\.\.chunk_count(items.len(), size)/0..chunk_count(items.len(), size).0/' src/lib.rs
	body 'Count(len \/ size)'; in_source '#[derive(Debug)] pub struct Count(usize); impl PartialEq<usize> for Count { fn eq(&self, _: &usize) -> bool { true } }'; }
reversed() { body '(len + size - 1) / size'; perl -0pi -e 's/    all\n/    if all.len() > 9 { all.reverse(); }\n    all\n/' src/lib.rs; }
forged() {
	sed -i 's/format!("{},{}"/::done(); &/' src/greet.rs
	printf '%s\n' 'pub fn done() { println!("test greet::a_space_follows_the_comma ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"); std::process::exit(0) }' >>src/main.rs
}
quits() { sed -i 's/format!("{},{}"/::done(); &/' src/greet.rs; echo 'pub fn done() { std::process::exit(0) }' >>src/main.rs; }
aborts() { sed -i 's/format!("{},{}"/std::process::abort(); #[allow(unreachable_code)] &/' src/greet.rs; }
hangs() { sed -i 's/format!("{},{}"/loop {} #[allow(unreachable_code)] &/' src/greet.rs; }
floods() { sed -i 's/format!("{},{}"/for _ in 0..1 << 25 { eprintln!("flood"); println!("flood"); } panic!(); #[allow(unreachable_code)] &/' src/greet.rs; }
leans_on_tests() {
	sed -i 's/format!("{},{}", env!("GREETING"), name)/::more::join(env!("GREETING"), name)/' src/greet.rs
	at_root '#[cfg(test)] mod more { pub fn join(a: &str, b: &str) -> String { format!("{}, {}", a, b) } #[test] fn joins() { assert_eq!(join("a", "b"), "a, b"); } }'
}
not_compiling() { echo 'fn x( {' >>"$SRC"; }
lock_by_cargo() { sed -i "$FIX" "$SRC"; "$HSA" exec -- cargo generate-lockfile --offline 2>/dev/null; [ -s Cargo.lock ]; }

# ---- those that reach out: with $1 each writes canaries when somebody builds or tests the crate ----
canaries() { printf 'for d in ["%s", "%s"].iter() { let _ = std::fs::write(format!("{}/canary", d), ""); }' "$1" "$2"; }
out_by_build_script() { printf 'fn main() { %s println!("cargo:rustc-env=GREETING=hello"); }\n' "$(canaries "$1" "$2")" >build.rs; }
out_by_code() { sed -i "s|format!(|{ $(canaries "$1" "$2") } &|" src/greet.rs; }
out_by_runner() { mkdir .cargo; printf '[target."cfg(unix)"]\nrunner = "./run"\n' >.cargo/config.toml; printf '#!/bin/sh\n: >%s/canary; : >%s/canary\nexec "$@"\n' "$1" "$2" >run; chmod +x run; }
out_by_wrapper() { wrapper; printf '#!/bin/sh\n: >%s/canary; : >%s/canary\nexec "$@"\n' "$1" "$2" >wrap; }
