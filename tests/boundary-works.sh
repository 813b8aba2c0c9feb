#!/bin/bash
# What must still work inside, as root and as a user: the tools of builders, doing what they do all day.
# needs: cargo gcc make git python3 nodejs gdb coreutils tar util-linux libc6-dev perl
# shellcheck disable=SC2016 # commands for the shell inside stand in single quotes
. "$(dirname "$0")/lib.sh"

chmod 755 "$TMP"
mkdir -m 755 "$TMP/probe"
if ! "$HSA" probe -C "$TMP/probe" >"$TMP/words" 2>&1; then
	skip "what must work inside" "no boundary here: $(tail -n 1 "$TMP/words")"
	exit 0
fi

# inside NAME TOOL SCRIPT: the script ends with 0 outside (else the test is skipped) and inside.
inside() {
	name="$who: $1" tool=$2 script=$3
	for place in outside within; do
		rm -rf "$W"
		mkdir -m 755 "$W" && cp -R "$TMP/files/." "$W" && chmod -R u+w "$W"
		[ "$who" = root ] || ! $root || chown -R 54321:54321 "$W"
		command=("$HSA" exec --timeout 300 --)
		[ $place = within ] || command=(timeout 300)
		(cd "$W" && "${as[@]}" "${command[@]}" bash -euc "$script") >"$TMP/words" 2>&1
		ended=$?
		if [ $place = outside ] && [ $ended != 0 ]; then
			skip "$name" "$tool does not do it outside either: $(tail -n 2 "$TMP/words" | tr '\n' ' ')"
			return
		fi
	done
	if [ $ended = 0 ]; then ok "$name"; else fail "$name" "status $ended: $(tail -n 5 "$TMP/words")"; fi
}

mkdir -p "$TMP/files/app/src" "$TMP/files/app/dep/src" "$TMP/files/app/vendor/leaf/src" "$TMP/files/app/.cargo"
cd "$TMP/files" || exit 1
cat >app/Cargo.toml <<'END'
[package]
name = "app"
version = "0.1.0"
edition = "2018"
[dependencies]
dep = { path = "dep" }
leaf = "1"
END
printf '[package]\nname = "dep"\nversion = "0.1.0"\nedition = "2018"\n' >app/dep/Cargo.toml
echo 'pub fn two() -> u32 { 2 }' >app/dep/src/lib.rs
printf '[package]\nname = "leaf"\nversion = "1.0.0"\nedition = "2018"\n' >app/vendor/leaf/Cargo.toml
echo 'pub fn one() -> u32 { 1 }' >app/vendor/leaf/src/lib.rs
echo '{"files":{},"package":null}' >app/vendor/leaf/.cargo-checksum.json
printf '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendor"\n' >app/.cargo/config.toml
cat >app/src/lib.rs <<'END'
pub fn three() -> u32 { dep::two() + leaf::one() }
#[test]
fn adds() { assert_eq!(three(), 3); }
#[test]
fn threads() { let t: Vec<_> = (0..8).map(|i| std::thread::spawn(move || i * 2)).collect(); assert_eq!(t.into_iter().map(|t| t.join().unwrap()).sum::<i32>(), 56); }
#[test]
fn modes() {
	use std::os::unix::fs::PermissionsExt;
	let file = std::env::temp_dir().join("modes");
	std::fs::write(&file, "x").unwrap();
	std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
	assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
	std::fs::rename(&file, std::env::temp_dir().join("renamed")).unwrap();
}
#[test]
fn children() { assert!(std::process::Command::new("sh").arg("-c").arg("exit 0").status().unwrap().success()); }
END
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char *p = malloc(9); p[0] = 0; free(p); puts("hi"); return 0; }\n' >hello.c
printf '#include <stdlib.h>\nint main(void) { volatile char *p = malloc(9); p = 0; return p != 0; }\n' >leak.c
printf 'all: a b\na: hello.c\n\tcc -o a hello.c\nb: hello.c\n\tcc -O2 -o b hello.c\n' >Makefile
cat >py.py <<'END'
import asyncio, concurrent.futures, multiprocessing.dummy, os, shutil, signal, socket, subprocess, sys, tempfile, threading, time
with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryDirectory() as d:
    f.write(b"x"); f.flush(); os.chmod(f.name, 0o640); os.utime(f.name, (1, 2)); assert os.stat(f.name).st_mtime == 2
    os.utime(f.fileno()); os.fchmod(f.fileno(), 0o600); shutil.copy2(f.name, d + "/copy"); shutil.copystat(f.name, d + "/copy")
    fd = os.open(d, os.O_RDONLY); os.chmod("copy", 0o644, dir_fd=fd); os.utime("copy", (5, 6), dir_fd=fd)
    os.symlink("copy", d + "/link"); os.utime(d + "/link", (7, 8), follow_symlinks=False); os.chown(d + "/link", os.getuid(), os.getgid(), follow_symlinks=False)
    os.chmod("/proc/self/fd/%d" % f.fileno(), 0o644); os.chmod("/dev/fd/%d" % f.fileno(), 0o640); assert os.stat(f.name).st_mode & 0o777 == 0o640
assert subprocess.run(["sh", "-c", "echo $0", "x"], capture_output=True, text=True).stdout == "x\n"
assert subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True).communicate(b"y")[0] == b"y"
t = threading.Thread(target=time.sleep, args=(0.01,)); t.start(); t.join()
with concurrent.futures.ThreadPoolExecutor(4) as pool: assert sum(pool.map(abs, range(9))) == 36
async def main():
    p = await asyncio.create_subprocess_exec("sh", "-c", "echo z", stdout=asyncio.subprocess.PIPE)
    assert (await p.communicate())[0] == b"z\n"
    await asyncio.gather(*(asyncio.sleep(0.01) for _ in range(9)))
asyncio.run(main())
a, b = socket.socketpair(); a.sendall(b"q"); assert b.recv(1) == b"q"
p = subprocess.Popen(["sleep", "60"]); p.send_signal(signal.SIGTERM); assert p.wait() == -15
os.nice(1); os.sched_setaffinity(0, os.sched_getaffinity(0))
END
cat >js.js <<'END'
const cp = require('child_process'), fs = require('fs'), os = require('os'), path = require('path'), assert = require('assert');
const file = path.join(os.tmpdir(), 'x');
fs.writeFileSync(file, 'x'); fs.chmodSync(file, 0o640); fs.utimesSync(file, 1, 2); assert.equal(fs.statSync(file).mtimeMs, 2000);
assert.equal(cp.execFileSync('sh', ['-c', 'echo hi']).toString(), 'hi\n');
const child = cp.fork(__filename.replace('js.js', 'child.js'));
child.on('message', m => { assert.equal(m, 'pong'); child.kill(); });
child.send('ping');
cp.spawn('sh', ['-c', 'cat; exit 3'], { stdio: ['pipe', 'inherit', 'inherit'] }).on('exit', c => assert.equal(c, 3)).stdin.end('piped\n');
const { Worker } = require('worker_threads');
new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true }).on('message', m => assert.equal(m, 1));
END
echo "process.on('message', () => process.send('pong'));" >child.js
cd "$ROOT" || exit 1

root=false users=user
[ "$(id -u)" != 0 ] || root=true users='root user'
for who in $users; do
	W=$TMP/work.$who H=$TMP/home.$who
	mkdir -m 755 "$H"
	as=(env "TMPDIR=$H")
	if [ "$who" = user ] && $root; then
		chown 54321:54321 "$H"
		as=(setpriv --reuid=54321 --regid=54321 --clear-groups env "HOME=$H" "TMPDIR=$H" "PATH=/usr/local/bin:/usr/bin:/bin")
	fi
	inside "cargo build and test: path and vendored dependencies" cargo 'cd app; cargo build --offline; cargo test --offline'
	inside "cargo new, test: no dependency" cargo 'cargo new -q --vcs none --lib plain; cd plain; cargo test --offline'
	inside "rustc" rustc 'echo "fn main() { println!(\"{}\", 1 + 1); }" >m.rs; rustc -O m.rs; test "$(./m)" = 2'
	inside "gcc and make -j" make 'make -j4; test "$(./a)$(./b)" = hihi'
	inside "a static and a shared library" gcc 'gcc -c -fPIC hello.c; ar rcs libh.a hello.o; gcc -shared -o libh.so hello.o; ranlib libh.a; strip libh.so; nm libh.a'
	inside "git init, add, commit, status, clone, gc" git 'git init -q r; cd r; git config user.name n; git config user.email e; echo x >f; git add f; git commit -qm one; git status --short; git checkout -qb b; echo y >>f; git commit -qam two; git clone -q . ../c; git gc -q; git fsck'
	inside "tar" tar 'mkdir d; echo x >d/f; chmod 751 d; chmod 640 d/f; ln -s f d/l; ln d/f d/h; touch -d 2001-02-03 d/f; tar cf t.tar d; rm -r d; tar xpf t.tar; test "$(stat -c %a%Y d/f)" = "640$(date -d 2001-02-03 +%s)"; test "$(stat -c %a d)" = 751; tar czf t.tgz d; tar tzf t.tgz'
	inside "cp -p, cp -a, install, touch, mv, chmod -R" coreutils 'echo x >f; chmod 640 f; touch -d 2001-02-03 f; cp -p f g; test "$(stat -c %a%Y g)" = "$(stat -c %a%Y f)"; mkdir -p d/e; cp -a f d; ln -s f l; cp -a l d; cp -r --preserve=all d c; install -m 755 f i; install -d -m 700 j; test "$(stat -c %a i j | tr "\n" " ")" = "755 700 "; chmod -R go-rwx d; mv f d/e; touch -h l; touch -r g i; chown "$(id -u):$(id -g)" g; chgrp -h "$(id -g)" l; truncate -s 0 g; shred -u i'
	inside "directories that inherit set-group-id" coreutils 'mkdir d; cd d; mkdir a; chmod 755 a; mkdir -m 700 b; test "$(stat -c %a a b | tr "\n" " ")" = "755 700 "'
	inside "bash: process substitution, here-documents, jobs, traps" bash 'diff <(echo a) <(echo a); cat <<<x | tee >(cat >t) >/dev/null; cat <<END
text
END
sleep 0.1 & wait $!; trap "exit 0" TERM; (sleep 0.1; kill -TERM $$) & sleep 5 & wait; exit 1'
	inside "mktemp, a large sort, seq, xargs -P" coreutils 'd=$(mktemp -d); f=$(mktemp -p "$d"); seq 400000 | shuf | sort -n -S 1M -T "$d" >"$f"; test "$(tail -n 1 "$f")" = 400000; seq 20 | xargs -P 4 -n 1 echo | wc -l'
	inside "python3: tempfile, subprocess, threading, asyncio, modes and times" python3 'python3 py.py; python3 -m venv --without-pip v; python3 -c "import ssl, sqlite3, mimetypes; mimetypes.guess_type(\"a.c\"); sqlite3.connect(\"db\").execute(\"create table t (x)\")"'
	inside "node: files, children, workers" node 'node js.js'
	inside "perl: renames between directories, modes, times" perl 'perl -e "use File::Temp; my \$f = File::Temp->new; mkdir \"a\"; mkdir \"b\"; open my \$h, \">\", \"a/f\"; rename \"a/f\", \"b/f\" or exit 9; rename \"a\", \"b/a\" or exit 8; chmod 0640, \$f; utime 1, 2, \$f->filename; exit((stat \$f)[9] != 2)"'
	inside "gdb on a child of its own" gdb 'gcc -g -o a hello.c; gdb -batch -ex "break main" -ex run -ex bt -ex c ./a | grep "main ()"'
	inside "strace of a child of its own" strace 'strace -f -o trace sh -c "/bin/true"; grep -q execve trace'
	inside "the leak sanitizer" gcc 'gcc -g -fsanitize=address -o ok hello.c; ./ok; gcc -g -fsanitize=address -o leak leak.c; if ./leak 2>words; then exit 1; fi; grep -q "detected memory leaks" words'
	inside "a path at the end of a page, deep, with blanks and bytes that are no UTF-8" bash 'f=$(printf "a b\n\303\050"); echo x >"$f"; chmod 600 "$f"; touch -d 2001-01-01 "$f"; test "$(stat -c %a "$f")" = 600; d=.; for i in $(seq 60); do d=$d/dddddddddddddddd; done; mkdir -p "$d"; chmod 700 "$d"; test "$(stat -c %a "$d")" = 700'
	inside "/proc/self, locale, users, time zones, host names" bash 'cat /proc/self/status /proc/meminfo /proc/cpuinfo >/dev/null; id; whoami || true; date; ls -l . >/dev/null; getent hosts localhost || true; printf "%s" "$(nproc)"; tty || true; env >/dev/null'
	inside "the five devices" bash 'echo x >/dev/null; head -c 9 /dev/zero >/dev/null; head -c 9 /dev/urandom >/dev/null; head -c 9 /dev/random >/dev/null; if echo x >/dev/full; then exit 1; fi 2>/dev/null; cat /dev/null'
done

# cargo's settings: what the private CARGO_HOME takes over of them, and what may lie above the workspace.
if need "cargo's settings" cargo; then
	H=$TMP/settings
	mkdir -p "$H/.cargo" "$H/ws" "$TMP/apart"
	chmod 755 "$H" "$H/.cargo"
	# shellcheck disable=SC2059 # the text holds \n
	settings() { printf "$1" >"$H/.cargo/config.toml" && chmod 600 "$H/.cargo/config.toml"; }
	settings '[source.crates-io]\nreplace-with = "m"\n[source.m]\nregistry = "sparse+https://m/i/"\n[source.n]\nregistry = "https://u:pw1@m/"
[source."https://u:pw2@m/"]\ngit = "ssh://git@h/r"\n[registries.c]\nindex = "ssh://git@h/c"\ntoken = "t3"\n[registry]\ntoken = "t4"\n[env]\nPAT = "p5"\n[http]\nproxy = "p6"\n'
	run env "HOME=$H" CARGO_HOME= "$HSA" exec -C "$TMP/apart" -- sh -c 'tr "\n" " " <"$CARGO_HOME/config.toml"; cat "$0"' "$H/.cargo/config.toml"
	is "cargo's source settings are handed on, without secrets; the file itself is closed" "$status: $out" \
		'1: [source.crates-io] replace-with = "m" [source.m] registry = "sparse+https://m/i/" [registries.c] index = "ssh://git@h/c" '
	for secret in '[env]\nPAT = "p"' 'env.PAT = "p"' '[http]\nproxy = "http://u:pw@h:1"' '[registries.c]\nsecret-key = "k"' '[registry]\nTOKEN = "t"' '[new-table]\na = 1'; do
		settings "$secret\n"
		run env "HOME=$H" CARGO_HOME= "$HSA" exec -C "$H/ws" -- true
		is "settings above the workspace: $secret" "$status" 2
		holds "... names the file, and what to do" "$err" "hsa: $H/.cargo/config.toml: may hold a secret (*--readable*"
	done
	run env "HOME=$H" CARGO_HOME= "$HSA" exec -C "$H/ws" --readable "$H/.cargo/config.toml" -- cat "$H/.cargo/config.toml"
	is "... can be allowed by name" "$status" 0
	settings '[build]\njobs = 1\n'
	for kind in writable others link directory; do
		mv "$H/.cargo" "$H/kept" && mkdir "$H/.cargo" && cp "$H/kept/config.toml" "$H/.cargo/config.toml"
		case $kind in
		writable) chmod 666 "$H/.cargo/config.toml" ;;
		others) chown 54321 "$H/.cargo/config.toml" 2>/dev/null ;;
		link) ln -sf "$H/kept/config.toml" "$H/.cargo/config.toml" ;;
		directory) rm -r "$H/.cargo" && ln -s kept "$H/.cargo" ;;
		esac || { skip "settings above that are another's" "no right to make it so" && kind=''; }
		run env "HOME=$H" CARGO_HOME= "$HSA" exec -C "$H/ws" -- true
		[ -z "$kind" ] || is "settings above that others could have written ($kind)" "$status" 2
		[ -z "$kind" ] || holds "... names the file" "$err" "hsa: $H/.cargo/config.toml*others could have written*"
		rm -r "$H/.cargo" && mv "$H/kept" "$H/.cargo"
	done
	settings '[build]\njobs = 2\n[source.m]\nregistry = "ssh://git@h/r"\n'
	run env "HOME=$H" CARGO_HOME= "$HSA" exec -C "$H/ws" -- cat "$H/.cargo/config.toml"
	is "settings above the workspace without a secret" "$status" 0
fi

# The options in the agent: the same policy, by way of the model's tool.
if need 'options of the boundary in the agent' cargo python3; then
	A=$TMP/agent
	mkdir -p "$A/w" "$A/r" "$A/x"
	echo readable >"$A/r/file"
	echo hidden >"$A/x/file"
	agent() { # agent COMMAND OPTION ...: what a model's one command does, by the names of the files that it leaves
		rm -f "$A/port"
		python3 tests/standin.py "$A/port" "run $1" 'say Done.' &
		server=$!
		shift
		while [ ! -s "$A/port" ]; do sleep 0.1; done
		run env HTTP_PROXY= http_proxy= "$HSA" --base-url "http://127.0.0.1:$(cat "$A/port")/v1" "$@" "$A/crate"
		kill $server
		status=$(find "$A" -name 'did-*' -printf '%P ' -delete | tr ' ' '\n' | sort | tr '\n' ' ')
	}
	try="cat $A/r/file && touch $A/w/did-read; cat $A/x/file && touch $A/w/did-hidden; touch $A/r/did-write; touch did-work; id=\$(ipcmk -M 8) && ipcrm -m \${id##* } && touch $A/w/did-ipc"
	agent "$try"
	is "the agent's command without options" "$status" 'crate/did-work '
	agent "$try" --writable "$A/w" --readable "$A/r"
	is "the agent with --writable and --readable" "$status" 'crate/did-work w/did-read '
	agent "$try" --writable "$A/w" --read-only --without ipc,read
	is "the agent with --writable, --read-only, and without ipc and read" "$status" 'w/did-hidden w/did-ipc w/did-read '
fi
