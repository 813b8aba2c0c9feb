#!/usr/bin/env python3
"""Drives hsa at a pseudo-terminal; started by terminal.sh, which says what all is for.   terminal.py DIRECTORY

Prints a line a test. HSA is the program. What it starts is known by the TMPDIR that only it and its children have."""
import errno
import fcntl
import glob
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

HSA = os.environ["HSA"]
TMP = sys.argv[1]
PRIVATE = os.path.join(TMP, "private")
os.environ.pop("TMPDIR", None)
ESCAPE = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
LIMIT = 60  # seconds that anything may take; nothing depends on how long it does


def report(name, why):
    print(f"FAIL - {name}: {why}".replace("\n", " ") if why else f"ok - {name}", flush=True)


def alive():
    """What runs and has the private directory in its environment or its words."""
    found = []
    for directory in glob.glob("/proc/[0-9]*"):
        try:
            words = open(directory + "/cmdline", "rb").read()
            if PRIVATE.encode() in words + open(directory + "/environ", "rb").read():
                found.append(words.replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            pass
    return found


def left():
    """Whether something runs or lies there that should not; what was killed is given a moment to be reaped."""
    until = time.monotonic() + 10
    while alive() and time.monotonic() < until:
        time.sleep(0.05)
    return "".join(f"still runs: {w}; " for w in alive()) + "".join(f"still there: {f}; " for f in os.listdir(PRIVATE))


class Terminal:
    """A program at a terminal of its own, or with pipes (lines: what is its input)."""

    def __init__(self, *words, columns=80, env=None, lines=None):
        env = {**os.environ, "TMPDIR": PRIVATE, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(env or {})}
        self.seen = b""
        self.master = None
        if lines is not None:
            done = subprocess.run([HSA, *words], env=env, input=lines, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            self.seen, self.status = done.stdout, done.returncode
            return
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execve(HSA, [HSA, *words], env)
        self.resize(columns)

    def resize(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self):
        """The next bytes; nothing at the end."""
        if not select.select([self.master], [], [], LIMIT)[0]:
            return b""
        try:
            data = os.read(self.master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        self.seen += data
        return data

    def until(self, text):
        """Reads on until text was seen, in whatever colour."""
        while text not in self.text():
            if not self.read():
                return False
        return True

    def type(self, text):
        os.write(self.master, text.encode())

    def hang_up(self):
        os.close(self.master)
        self.master = None

    def end(self):
        """Reads to the end; gives the exit status, as a shell would say it."""
        while self.master is not None and self.read():
            pass
        until = time.monotonic() + LIMIT
        pid = 0
        while pid == 0 and time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            time.sleep(0.01)
        if pid == 0:
            os.kill(self.pid, signal.SIGKILL)
            pid, status = os.waitpid(self.pid, 0)
        if self.master is not None:
            self.hang_up()
        self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def text(self):
        return ESCAPE.sub(b"", self.seen).decode(errors="replace").replace("\r\n", "\n")


class Model:
    """The stand-in of standin.py."""

    def __init__(self, *turns):
        port = os.path.join(TMP, "port")
        if os.path.exists(port):
            os.remove(port)
        self.process = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "standin.py"), port, *turns])
        while not os.path.exists(port):
            time.sleep(0.01)
        self.url = f"--base-url=http://127.0.0.1:{open(port).read()}/v1"

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def expect(name, got, want):
    report(name, None if got == want else f"got {got!r}, wanted {want!r}")


def holds(name, text, *parts):
    missing = [p for p in parts if p not in text]
    report(name, f"{missing} is not in {text[-600:]!r}" if missing else None)


REPAIR = "run sed -i 's|^    len / size$|    (len + size - 1) / size|' src/lib.rs"


HANG = "run sed -i 's|^    len / size$|    loop { std::thread::sleep(std::time::Duration::from_secs(1)); }|' src/lib.rs"


def interactive():
    with Model(REPAIR, "say Done.", REPAIR, "say Done.") as url:
        t = Terminal("-i", url)
        t.until("Task: ")
        t.type("mend it\x7f\x7fthe crate\n")
        expect("-i: a task typed at the terminal, with its line editing", t.end(), 0)
        holds("-i: and it is the task", t.text(), "task       mend the crate\n")
        t = Terminal("--interactive", url, lines=b"from a pipe\nnext line\n")
        expect("-i: a task from a pipe", t.status, 0)
        holds("-i: and it is its first line", t.text(), "task       from a pipe\n")
        report("-i: no prompt without a terminal", "there is one" if b"Task: " in t.seen else None)
        t = Terminal("-i", url, lines=b"no line end")
        holds("-i: a task without a line end", t.text(), "task       no line end\n")
        for name, line in ("an empty line", "\n"), ("blanks", "  \t \n"), ("the end (Ctrl-D)", "\x04"):
            t = Terminal("-i", url)
            t.until("Task: ")
            t.type(line)
            expect(f"-i: {name} at the terminal is an error", t.end(), 2)
            holds(f"-i: {name}: said", t.text(), "hsa: the task is empty; say what to do")
        expect("-i: an empty pipe is an error", Terminal("-i", url, lines=b"").status, 2)


def ask():
    with Model("run echo one >one", "run echo two >two", "run echo three >three", REPAIR, "say Done.") as url:
        log, crate = os.path.join(TMP, "ask.log"), os.path.join(TMP, "asked")
        t = Terminal("--ask", url, "--log", log, crate)
        t.until("$ echo one >one")
        for answer in "\n", "yes\n", "n\n":
            t.until("from now on): ")
            t.seen = b""
            t.type(answer)
        t.until("$ echo two >two")
        t.until("from now on): ")
        t.seen = b""
        t.type("y\n")
        t.until("$ echo three >three")
        t.until("from now on): ")
        t.type("a\n")
        expect("--ask: n, y, and a for the rest", t.end(), 0)
        expect("--ask: what was let run did", [os.path.exists(os.path.join(crate, f)) for f in ("one", "two", "three")], [False, True, True])
        text = open(log).read()
        holds("--ask: the model is told", text, '"ran":false,"ended":"error: the person at the terminal did not let this command run"',
              '"output":"error: the person at the terminal did not let this command run')
        os.remove(log)
    with Model("run echo one >one", REPAIR, "say Done.") as url:
        t = Terminal("--ask", "-i", url, lines=b"the task\nn\ny\n")
        expect("--ask and -i from one pipe", t.status, 0)
    with Model(REPAIR) as url:
        t = Terminal("--ask", url, lines=b"")
        expect("--ask: no answer is an error", t.status, 2)
        holds("--ask: and it is said", t.text(), "hsa: --ask: standard input ended before an answer")


def crate(name, test):
    directory = os.path.join(TMP, name)
    os.makedirs(directory + "/src", exist_ok=True)
    open(directory + "/Cargo.toml", "w").write(f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n')
    open(directory + "/src/lib.rs", "w").write(f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn t() {{\n        {test}\n    }}\n}}\n")
    return directory


def endings():
    """Every stage of a run, ended in every way."""
    slow = crate("slow", "std::thread::sleep(std::time::Duration::from_secs(1000));")
    stubborn = "run trap '' INT TERM HUP; (setsid sleep 1000 &); sleep 1000 & echo started; while :; do sleep 1000; done"
    stages = (
        ("the task is read", ["-i"], ["silent"], "Task: "),
        ("the suite before", [slow], ["silent"], "in force"),
        ("the probes", [], ["silent"], "The boundary, tried"),
        ("waiting for the model", [], ["silent"], "lifetime  outlive"),
        ("waiting to ask again", [], ["status 503"], "waiting "),
        ("asking before a command", ["--ask"], [stubborn], "from now on): "),
        ("a command", [], [stubborn], "started"),
        ("the verdict", [], [HANG, "say Done."], "no tricks in the sources"),
    )
    ways = (
        ("Ctrl-C", lambda t: t.type("\x03"), signal.SIGINT),
        ("SIGTERM", lambda t: os.kill(t.pid, signal.SIGTERM), signal.SIGTERM),
        ("SIGHUP", lambda t: os.kill(t.pid, signal.SIGHUP), signal.SIGHUP),
        ("hang-up", lambda t: t.hang_up(), signal.SIGHUP),
    )
    for stage, words, turns, sign in stages:
        with Model(*turns) as url:
            for way, act, number in ways:
                t = Terminal(url, *words)
                why = "" if t.until(sign) else f"never came: {t.text()[-300:]}; "
                act(t)
                status = t.end()
                if status != 128 + number:
                    why += f"status {status}, wanted {128 + number}: {t.text()[-300:]}; "
                if "What changed" in t.text():
                    why += "there is a verdict; "
                report(f"{way} at: {stage}", why + left())


def exec_endings():
    for way, act, number in (("Ctrl-C", lambda t: t.type("\x03"), 2), ("SIGTERM", lambda t: os.kill(t.pid, 15), 15), ("hang-up", lambda t: t.hang_up(), 1)):
        t = Terminal("exec", "-C", TMP + "/slow", "--", "sh", "-c", "trap '' INT TERM HUP; setsid sleep 1000 & echo started; sleep 1000")
        t.until("started")
        act(t)
        status = t.end()
        report(f"{way} at: exec", (f"status {status}; " if status != 128 + number else "") + left())
    for way in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        t = Terminal("exec", "-C", TMP + "/slow", "--", "sh", "-c", "stty raw -echo; echo set; exec sleep 1000")
        modes = [termios.tcgetattr(t.master)]
        t.until("set")
        modes.append(termios.tcgetattr(t.master))
        os.kill(t.pid, way)
        while t.read():
            pass
        modes.append(termios.tcgetattr(t.master))
        expect(f"exec: the terminal is as it was, behind {way.name}", (modes[0] == modes[1], modes[0] == modes[2], t.end()), (False, True, 128 + way))
    t = Terminal("exec", "-C", TMP + "/slow", "cat")
    t.type("typed\n")
    t.until("typed\ntyped")
    t.type("\x04")
    expect("exec: a command reads the terminal", t.end(), 0)
    with Model("silent") as url:
        t = Terminal(url)
        t.until("lifetime  outlive")
        os.kill(t.pid, signal.SIGSTOP)
        os.waitpid(t.pid, os.WUNTRACED)
        os.kill(t.pid, signal.SIGCONT)
        t.type("\x03")
        expect("stopped and continued, then Ctrl-C", t.end(), 130)
    t = subprocess.run(["sh", "-c", 'trap "" HUP; "$0" --demo & p=$!; kill -HUP $p; wait $p', HSA], env={**os.environ, "TMPDIR": PRIVATE},
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=300)
    expect("SIGHUP that was ignored from the start (nohup) stays so", t.returncode, 0)
    report("and nothing is left", left())


def looks():
    def waits(t):
        return [w for w in re.findall(rb"\r\x1b\[K([^\r\x1b]+)", t.seen) if re.match(rb"  [a-z ]+ \d+s$", w)]

    for columns in 80, 40:
        t = Terminal("--demo", columns=columns)
        expect(f"{columns} columns: the demo", t.end(), 0)
        report(f"{columns} columns: coloured, and each colour ends with its line", "no colour" if b"\x1b[32m" not in t.seen else
               next((repr(line) for line in t.seen.split(b"\n") if ESCAPE.search(line.replace(b"\x1b[K", b"")) and
                     ESCAPE.findall(line.replace(b"\x1b[K", b""))[-1] != b"\x1b[0m"), None))
        holds(f"{columns} columns: marks", t.text(), "\u2713")
        report(f"{columns} columns: what is awaited fits a line", next((w.decode() for w in waits(t) if len(w) >= columns), None))
    holds("40 columns: words are whole, and stand below one another", t.text(), "\n  \u2713 metadata  change a mode outside:\n              refused\n",
          "\n\u2502 [scripted] I run the suite first, to\n\u2502 see how it fails.\n", "\n$ sed -i 's|^    len / size$|    (len +\n  size - 1) / size|'")
    log = os.path.join(TMP, "folded.log")
    with Model("say The verdict\n\n  all passed, the host has seen it itself\n" + "x" * 90, "say Done.") as url:
        t = Terminal(url, "--log", log, columns=40)
        t.end()
        holds("40 columns: the model's words stand behind a bar, also long ones", t.text(),
              "\n\u2502 The verdict\n\u2502 \n\u2502   all passed, the host has seen it\n\u2502   itself\n\u2502 " + "x" * 38 + "\n\u2502 " + "x" * 38 + "\n\u2502 " +
              "x" * 14 + "\n")
        said = re.sub("\r(  [a-z ]+ [0-9]+s(?=\r))?", "", t.text())
    t = Terminal("audit", log, columns=40)
    t.end()
    report("40 columns: audit folds as the run did", None if said[said.index("hsa 1"):said.index("SHA256")] in t.text() else "not the same")
    with Model("run for a in 1\ndo echo started\nsleep 1000; done") as url:
        t = Terminal(url)
        holds("a command's further lines are marked", t.text() if t.until("sleep 1000") else "", "\n$ for a in 1\n> do echo started\n> sleep 1000")
        t.until("  started")
        report("what is awaited is said again behind output", None if t.until("running 1s") else t.text()[-200:])
        t.type("\x03")
        expect("and Ctrl-C ends it", t.end(), 130)
    with Model(HANG, "say Done.") as url:
        t = Terminal(url)
        t.until("no tricks in the sources")
        report("and behind the checks that are done", None if t.until("judging 1s") else t.text()[-200:])
        t.type("\x03")
        expect("and Ctrl-C ends that", t.end(), 130)
    with Model("silent") as url:
        t = Terminal(url)
        t.until("lifetime  outlive")
        seen = len(t.seen)
        t.resize(30)
        while len(set(waits(t))) < 4:
            if not t.read():
                break
        t.resize(120)
        t.type("\x03")
        expect("resized while it waits", t.end(), 130)
        holds("what is awaited is said, with seconds that count", t.seen[seen:].decode(), "waiting for the model 1s", "waiting for the model 2s")
        report("and the line is taken away at the end", None if t.seen.rstrip(b"^C").rfind(b"waiting for the model") < t.seen.rfind(b"\x1b[K") else "it stays")
    t = Terminal("--demo=liar", env={"NO_COLOR": "1"})
    t.end()
    report("NO_COLOR: no colour", repr(re.findall(rb"\x1b\[\d*m", t.seen)[:2]) if re.search(rb"\x1b\[\d*m", t.seen) else None)
    t = Terminal("--demo", env={"NO_COLOR": ""})
    t.end()
    report("an empty NO_COLOR is none", None if b"\x1b[32m" in t.seen else "no colour")
    t = Terminal("--demo=liar", env={"TERM": "dumb"})
    t.end()
    report("TERM=dumb: no escape sequence", "there is one" if b"\x1b" in t.seen else None)
    t = Terminal("--demo=liar", env={"LC_ALL": "C"})
    t.end()
    report("LC_ALL=C: nothing but ASCII", repr(bytes(b for b in t.seen if b > 126)[:20]) if max(t.seen) > 126 else None)
    holds("LC_ALL=C: marks", t.text(), "\n  ok ", "\n  FAILED ")
    t = Terminal("--demo=liar", lines=b"")
    report("a pipe: no escape sequence", "there is one" if b"\x1b" in t.seen else None)


os.makedirs(PRIVATE, exist_ok=True)
for part in interactive, ask, endings, exec_endings, looks:
    part()
report("no private directory is left", left())
