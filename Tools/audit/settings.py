"""Settings that would leave the service open, and messages that blame the wrong thing."""
import os
import pathlib
import re
import subprocess


def start(service, *arguments, **variables):
    """The exit status and the messages of a program that should not go on."""
    environment = {
        **os.environ, "VITRINE_SERVER_PORT": "0", "VITRINE_CACHE_DIRECTORY": os.path.join(service.directory, "other"),
        **variables}
    done = subprocess.run(
        [service.program, *arguments], env=environment, cwd=service.directory, capture_output=True, text=True, timeout=60)
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
