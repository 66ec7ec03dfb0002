"""Settings that would leave the service open, and messages that blame the wrong thing."""
import os
import pathlib
import re
import resource
import subprocess


def start(service, *arguments, limit=None, **variables):
    """The exit status and the messages of a program that should not go on. `limit` is a resource and its most."""
    environment = {
        **os.environ, "VITRINE_SERVER_PORT": "0", "VITRINE_CACHE_DIRECTORY": os.path.join(service.directory, "other"),
        **variables}
    done = subprocess.run(
        [service.program, *arguments], env=environment, cwd=service.directory, capture_output=True, text=True, timeout=60,
        preexec_fn=(lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None)
    return done.returncode, done.stderr


def check_short_secrets(service):
    """Item 22: keys of one byte were accepted, which can be found by trying."""
    file = pathlib.Path(service.directory) / "short"
    file.write_text("fifteen-letters\n")
    for variables in (
            {"VITRINE_URL_KEYS": "x"}, {"VITRINE_URL_KEYS": "sixteen--letters,fifteen-letters"},
            {"VITRINE_URL_KEYS_FILE": str(file)}, {"VITRINE_ADMIN_TOKEN": "x"},
            {"VITRINE_ADMIN_TOKEN_FILE": str(file)}):
        name, value = next(iter(variables.items()))
        try:
            status, said = start(service, "serve", **variables)
        except subprocess.TimeoutExpired:
            return False, f"the service starts with {name}={value}"
        key = "url.keys" if "URL" in name else "admin.token"
        assert status == 78 and key in said and "at least 16" in said, f"{name}={value}: status {status}, {said!r}"
        assert "letters" not in said, f"the message shows the secret: {said!r}"
    return True, "Keys and tokens under 16 bytes are refused, and not shown."


def check_messages_name_the_culprit(service):
    """Item 24: a configuration file that is too large was told with imaging.maxBytes, which has nothing to do with it."""
    large = pathlib.Path(service.directory) / "large.yaml"
    large.write_bytes(b"#" * (3 << 20))
    status, said = start(service, "serve", "--config", str(large))
    assert status == 78 and "imaging" not in said and str(large) in said, f"status {status}: {said!r}"
    picture = pathlib.Path(service.directory) / "large.jpg"
    picture.write_bytes(b"\xff\xd8" + bytes(3 << 20))
    status, said = start(service, "thumb", str(picture), "--output", service.directory, VITRINE_IMAGING_MAX_BYTES="1MiB")
    assert status != 0 and "imaging.maxBytes" in said, f"status {status}: {said!r}"
    # An answer that blames the service's own files has to be about them.
    status, _, body = service.get(service.picture("none.png", b"no picture"), {"Accept": "application/json"})
    assert status == 415 and not re.search(rb"index|database|disk", body), f"status {status}: {body!r}"
    return True, "Messages name the file and the setting that they are about."


def check_low_limits(service):
    """A limit of data ended the process with signal 4, one of file sizes made each picture a 500."""
    for kind, most, name in (
            (resource.RLIMIT_DATA, 300_000_000, "RLIMIT_DATA"), (resource.RLIMIT_AS, 500_000_000, "RLIMIT_AS"),
            (resource.RLIMIT_FSIZE, 20_000, "RLIMIT_FSIZE"), (resource.RLIMIT_NOFILE, 256, "256 files")):
        status, said = start(service, "serve", limit=(kind, most))
        lines = said.strip().split("\n")
        assert status == 78 and len(lines) == 1 and name in said, f"{name}: status {status}, {said[-500:]!r}"
    return True, "Limits that are too low are told in one sentence, with what the service needs."


def check_no_proc(service):
    """Without /proc, serve printed the overview of all commands and ended with 0."""
    command = 'mount -t tmpfs none /proc && exec "$0" serve'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command, service.program], cwd=service.directory, capture_output=True, text=True,
        timeout=60)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        return None, "this user can't hide /proc from a program"
    assert done.returncode == 1 and "/proc is missing" in done.stderr and not done.stdout, (
        f"status {done.returncode}: {done.stderr!r} {done.stdout[:200]!r}")
    return True, "Without /proc the service says so and ends with 1."


def check_pipes_as_files(service):
    """A pipe as a file of the settings was waited for without end."""
    pipe = os.path.join(service.directory, "pipe")
    os.mkfifo(pipe)
    calls: list[tuple[tuple, dict]] = [(("serve", "--config", pipe), {})]
    calls += [(("serve",), {name: pipe}) for name in (
        "VITRINE_ADMIN_TOKEN_FILE", "VITRINE_URL_KEYS_FILE", "VITRINE_SOURCE_FILES", "VITRINE_PLACEHOLDER_FILE",
        "VITRINE_FETCH_CA_FILE")]
    calls.append((("serve",), {"VITRINE_SERVER_TLS_CERTIFICATE": pipe, "VITRINE_SERVER_TLS_KEY": pipe}))
    calls.append((
        ("cluster", "status", "--queue", "nats://127.0.0.1:1"), {"VITRINE_NATS_CREDENTIALS_FILE": pipe}))
    for arguments, variables in calls:
        try:
            status, said = start(service, *arguments, **variables)
        except subprocess.TimeoutExpired:
            return False, f"{arguments} {variables} waits for a pipe"
        lines = said.strip().split("\n")
        assert status == 78 and len(lines) == 1 and "regular file" in said, f"{arguments} {variables}: {status}, {said!r}"
    return True, f"{len(calls)} files that are pipes are refused in one sentence."
