"""What the scripts here share: the table of servers, a sandbox, starting and ending a server that listens."""
import contextlib, os, pathlib, signal, socket, subprocess, tempfile, time, tomllib

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
ROOT = pathlib.Path(os.environ.get("MCPPROOF_REAL_DIR") or PROJECT / "target" / "real").resolve()
MARK = "REAL_RUN_MARK"


def table():
    return tomllib.loads((HERE / "servers.toml").read_text())


def is_installed(entry):
    return (ROOT / entry["home"] / ".installed").exists()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def sandbox():
    """Gives an empty folder with a Git repository of one commit in it."""
    with tempfile.TemporaryDirectory(prefix="mcpproof-real-") as folder:
        repository = pathlib.Path(folder) / "repository"
        identity = ["-c", "user.name=real", "-c", "user.email=real@example.invalid", "-c", "init.defaultBranch=main"]
        for words in (["init", "-q", str(repository)], ["-C", str(repository), "commit", "-q", "--allow-empty", "-m", "first"]):
            subprocess.run(["git", *identity, *words], check=True, stdin=subprocess.DEVNULL)
        yield folder


class Launch:
    """The command, environment and address of one server, all names filled in."""

    def __init__(self, entry, folder):
        self.port = free_port()
        self.names = {"{home}": str(ROOT / entry["home"]), "{servers}": str(HERE / "servers"), "{sandbox}": folder, "{port}": str(self.port)}
        self.command = [self.filled(word) for word in entry["command"]]
        self.extra = {name: self.filled(value) for name, value in entry.get("env", {}).items()}
        # The binary takes every MCPPROOF_* for a setting of its own.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MCPPROOF_")}
        self.env = {**kept, **self.extra, MARK: f"{os.getpid()}-{self.port}"}
        self.url = self.filled(entry.get("url", ""))
        self.folder = folder

    def filled(self, text):
        for name, value in self.names.items():
            text = text.replace(name, value)
        return text

    def left_over(self):
        """Names the processes of this launch that are still there."""
        wanted = f"{MARK}={self.env[MARK]}".encode()
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found


@contextlib.contextmanager
def listening(launch, deadline=60):
    """Runs a server until the block ends; the block begins once its port accepts a connection."""
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(launch.command, env=launch.env, cwd=launch.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            end = time.monotonic() + deadline
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", launch.port), 1):
                    break
                if child.poll() is not None or time.monotonic() > end:
                    log.seek(0)
                    raise RuntimeError(f"the server does not listen: {log.read()[-300:].decode(errors='replace')}")
                time.sleep(0.1)
            yield child
        finally:
            stop(child)


def stop(child):
    """Ends a process that leads its own group, and what it started."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, name)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(5)
            return
