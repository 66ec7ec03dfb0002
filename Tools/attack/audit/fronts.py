"""What stands in front of the service and what it says of its clients: nginx with config/nginx.conf itself, proxies that name no
client, purges of nginx' cache, the log."""
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import lib

EVIL = "evil.example"
PNG = lib.png(300, 200)


def _start_nginx(work, service, change=lambda text: text):
    """Runs config/nginx.conf before the service; returns the process and its port."""
    import fleet_parts
    port = lib.free_port()
    text = (lib.ROOT / "config/nginx.conf").read_text()
    text = (text.replace("/var/cache/nginx/vitrine", f"{work}/cache").replace("127.0.0.1:8080", f"127.0.0.1:{service.port}")
            .replace("listen 80;", f"listen 127.0.0.1:{port};"))
    process = fleet_parts.start_nginx(pathlib.Path(work), f"access_log off;\n{change(text)}")
    lib.wait_until_served(port, process)
    return process, port


def _has_nginx():
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin") is not None


class _Front:
    """nginx in front of a service."""

    def __init__(self, service, change=lambda text: text):
        self.service, self.change = service, change

    def __enter__(self):
        self.work = tempfile.mkdtemp(prefix="vitrine-audit-nginx-")
        os.chmod(self.work, 0o777)
        self.process, self.port = _start_nginx(self.work, self.service, self.change)
        return self

    def __exit__(self, *_):
        lib.stop(self.process)
        shutil.rmtree(self.work, ignore_errors=True)


def _ask(port, path, host=None, version=11, method="GET", **fields):
    """Status, fields and body of an answer to a request with that Host."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    vars(connection).update(_http_vsn=version, _http_vsn_str=f"HTTP/{version // 10}.{version % 10}")
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"127.0.0.1:{port}")
        for name, value in fields.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def _item(service, name="a.png"):
    """The identifier of a signed picture for IIIF."""
    path = service.picture(name, PNG, level="iiif")
    _, _, _, _, signature, encoded = path.split("/")
    return f"url%2F{signature}%2F{encoded}"


def _documents(service):
    item = _item(service)
    return [f"/iiif/3/{item}", f"/iiif/2/{item}", f"/iiif/3/{item}/info.json", f"/iiif/2/{item}/info.json",
            f"/iiif/3/{item}/full/100,/0/default.jpg", f"/iiif/2/{item}/0,0,64,64/max/0/default.png",
            "/iiif/presentation/3/mine/files", "/iiif/presentation/3/mine%2Ffile%2Fa.png/manifest", "/v1/mine/files",
            "/v1/mine/file/a.png", "/sheet/xs/mine/files.json", "/", "/openapi.json", "/o/mine/file/a.png"]


def _with_folder(service, settings=""):
    folder = pathlib.Path(service.directory) / "mine"
    folder.mkdir(exist_ok=True)
    (folder / "a.png").write_bytes(PNG)
    config = pathlib.Path(service.directory) / "config"
    config.mkdir(exist_ok=True)
    (config / "vitrine.yaml").write_text(f"folders: {{mine: \"{folder}\"}}\n{settings}")
    return folder


def check_hosts_that_nginx_keeps(service):
    """A request with a foreign host changes nothing that others get from nginx."""
    if not _has_nginx():
        return None, "nginx is missing"
    _with_folder(service)
    for settings, is_kept in (({}, False), ({"server.publicURL": "http://pictures.example.org"}, True),
                              ({"server.hosts": "pictures.example.org"}, True)):
        service.restart(settings)
        with _Front(service) as front:
            for path in _documents(service):
                more = {"X_Forwarded_Host": EVIL, "Forwarded": f"host={EVIL}", "X_Forwarded_Proto": EVIL, "Origin": f"http://{EVIL}"}
                _ask(front.port, path, EVIL, **more)
                _ask(front.port, path, f"{EVIL}:80", **more)
                for host in (None, "localhost", "pictures.example.org", "pictures.example.org:81"):
                    status, fields, body = _ask(front.port, path, host)
                    seen = body.decode("latin-1") + "".join(f"{name}: {value}\n" for name, value in fields.items())
                    if status >= 400 or EVIL in seen:
                        return False, f"After a request with Host: {EVIL}, {host} gets {status} for {path} with that host: {EVIL in seen}."
            seen = [_ask(front.port, _documents(service)[2], "pictures.example.org")[1]["x-cache"] for _ in range(2)]
            if (seen[-1] == "HIT") != is_kept:
                return False, f"With {settings or 'no name'}, nginx has info.json as {seen}."
            if is_kept:
                # What is known is kept for its own host only.
                _ask(front.port, "/v1/mine/files", "pictures.example.org")
                if _ask(front.port, "/v1/mine/files", EVIL)[1]["x-cache"] == "HIT":
                    return False, "nginx answers a foreign host with what it keeps for another."
    return True, "Nothing that nginx keeps has a foreign host; documents are kept only with a name that the settings know."


def check_languages_that_nginx_keeps(service):
    """nginx keeps what depends on a field apart by that field."""
    if not _has_nginx():
        return None, "nginx is missing"
    _with_folder(service)
    service.restart()
    cases = [("/v1/mine/files", {"Accept_Language": "nl"}), ("/v1/mine/files", {"Origin": "http://a.example"}),
             ("/v1/mine/files", {"Sec_Fetch_Site": "cross-site"}), ("/v1/mine/files", {"Accept_Encoding": "gzip"}),
             ("/v1/mine/file/a.png", {"Accept_Language": "nl"}), ("/t/xs/mine/file/a.png", {"Accept": "image/webp"}),
             ("/sheet/xs/mine/files?title=a", {"Accept_Language": "nl"}), ("/sheet/xs/mine/files?title=a", {"Accept": "image/jpeg"})]
    with _Front(service) as front:
        for path, fields in cases:
            for _ in range(2):
                _ask(front.port, path)
            seen = _ask(front.port, path, **fields)[1]["x-cache"]
            if seen == "HIT":
                return False, f"nginx answers {path} with {fields} with what others got."
    return True, "nginx keeps answers apart by each field that they depend on."


class _Naked:
    """A proxy on this machine that passes on what it gets and names no client."""

    def __init__(self, target, rewrite=lambda head: head):
        self.target, self.rewrite = target, rewrite
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(65536) or b"\r\n\r\n"
            with socket.create_connection(("127.0.0.1", self.target), 30) as service:
                service.sendall(self.rewrite(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")))
                while part := service.recv(65536):
                    client.sendall(part)
        except OSError:
            pass
        finally:
            client.close()

    def close(self):
        self.listener.close()


def _is_local(port, host=None, version=11, **fields):
    """Whether a client may use favorites, by any route."""
    routes = ["/v1/favorites", "/v1/history", "/v1/recent?source=mine", "/v1/explain/mine/file/a.png"]
    may = [_ask(port, path, host, version, **fields)[0] == 200 for path in routes]
    page = _ask(port, "/v1/mine/files", host, version, **fields)[2]
    return any(may) or b'"favorite"' in page


def check_clients_of_proxies_are_not_local(service):
    """A client that comes through a proxy is never of this machine, whatever it says."""
    _with_folder(service)
    service.restart()
    own = [f"127.0.0.1:{service.port}", f"localhost:{service.port}", f"[::1]:{service.port}"]
    if not all(_is_local(service.port, host) for host in own):
        return False, "A client of this machine may not use favorites."
    hosts = ["localhost", "127.0.0.1", "[::1]", "a.localhost", "localhost:80", "127.0.0.1:8080", *own, EVIL]

    def plain(host, version=11):
        return lambda head: re.sub(rb"(?i)\r\nHost: [^\r]*", b"\r\nHost: " + host.encode(), head).replace(
            b"HTTP/1.1\r\n", b"HTTP/%d.%d\r\n" % divmod(version, 10), 1)

    # As nginx' proxy_pass alone sends it, and with the names that proxies have for a service.
    naked = [("", lambda head: head, [host for host in hosts if host not in own])] + [
        (name, plain(name, version), [None]) for name, version in
        ((own[0], 10), ("vitrine", 10), ("vitrine", 11), (f"vitrine:{service.port}", 11), ("localhost", 11))]
    for name, rewrite, sent in naked:
        proxy = _Naked(service.port, rewrite)
        try:
            for host in sent:
                if _is_local(proxy.port, host):
                    return False, f"Through a proxy that names no client, Host: {host or name} is local."
        finally:
            proxy.close()
    for field in ("X_Forwarded_For", "X_Forwarded_Proto", "X_Forwarded_Port", "Forwarded", "Via", "X_Real_IP", "CF_Connecting_IP"):
        if _is_local(service.port, own[0], **{field: "1"}):
            return False, f"A request with {field} is local."
    # Twice, since a document that was made for a client of this machine is sent again.
    for field in ("X_Forwarded_Proto", "X_Forwarded_For"):
        _ask(service.port, "/v1/mine/files", own[0])
        _ask(service.port, "/v1/mine/files", own[0])
        if b'"favorite"' in _ask(service.port, "/v1/mine/files", own[0], **{field: "https"})[2]:
            return False, f"A document with favorites is sent again to a client with {field}."
    if _has_nginx():
        with _Front(service) as front:
            for host in hosts:
                if _is_local(front.port, host):
                    return False, f"Through config/nginx.conf, Host: {host} is local."
            _ask(front.port, "/v1/mine/files?title=zebra", "localhost")
        # As this file was before it named clients in every location.
        with _Front(service, lambda text: re.sub(r".*X-Forwarded-.*\n", "", text)) as front:
            for host in hosts:
                if _is_local(front.port, host):
                    return False, f"Through nginx without X-Forwarded-For, Host: {host} is local."
            _ask(front.port, "/v1/mine/files?title=zebra", "localhost")
        if b"zebra" in _ask(service.port, "/v1/history", own[0])[2]:
            return False, "A search that came through nginx is in the operator's history."
    service.restart({"server.publicURL": "http://pictures.example.org"})
    if _is_local(service.port, f"127.0.0.1:{service.port}"):
        return False, "With a proxy in the settings, a local connection is taken for a local client."
    return True, "No client of a proxy is local, with config/nginx.conf, with an old one and with proxies that say nothing."


def check_purges_of_nginx(service):
    """What the service purges goes from nginx, or the purge fails and says so."""
    if not _has_nginx():
        return None, "nginx is missing"
    script = str(lib.ROOT / "config/purge-nginx")
    path = "/t/xs/mine/file/a.png"
    with tempfile.TemporaryDirectory(prefix="vitrine-audit-purge-") as directory:
        os.chmod(directory, 0o755)
        # nginx' workers and the service have different accounts.
        nobody = os.geteuid() == 0
        cache = f"{directory}/nginx"
        os.mkdir(cache)

        def as_other(words):
            return ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", *words] if nobody else words

        inetd = _Inetd([script, "--http", cache])
        try:
            _with_folder(service, "cdn: {tags: [Surrogate-Key], purgeURL: \"http://127.0.0.1:%d/\", purgeMethod: PURGE, "
                         "purgeHeaders: [\"Surrogate-Key: {tags}\"]}\n" % inetd.port)
            service.restart()
            with _Front(service, lambda text: re.sub(r"proxy_cache_path \S+", f"proxy_cache_path {cache}", text)) as front:
                def seen():
                    return _ask(front.port, path, "localhost", Accept="image/webp")[1]["x-cache"]

                if not any(seen() == "HIT" for _ in range(20)):
                    return False, "nginx doesn't keep a picture."
                status = _purge(service)
                if status != 202:
                    return False, f"A purge that nginx has yet to hear of is answered {status}."
                gone = False
                end = time.monotonic() + 20
                while not gone and time.monotonic() < end:
                    gone = service.metrics().get('vitrine_cdn_purges_total{by="url",result="told"}', 0) > 0
                    time.sleep(0.2)
                if not gone or seen() == "HIT":
                    return False, f"A purge leaves the picture in nginx: {inetd.said}"
                if nobody:
                    if not any(seen() == "HIT" for _ in range(20)):
                        return False, "nginx doesn't keep the picture again."
                    end = subprocess.run(as_other([script, cache, "mine/file/a.png"]), capture_output=True, text=True)
                    if end.returncode == 0 or "Permission denied" not in end.stderr:
                        return False, f"As another account purge-nginx ends with {end.returncode}: {end.stderr}"
                    inetd.words = as_other(inetd.words)
                    told = service.metrics().get('vitrine_cdn_purges_total{by="url",result="told"}', 0)
                    _purge(service)
                    end = time.monotonic() + 15
                    while "purge did not reach" not in service.tail() and time.monotonic() < end:
                        time.sleep(0.2)
                    if "purge did not reach" not in service.tail():
                        return False, "The log doesn't say that the purge did not reach nginx."
                    if service.metrics().get('vitrine_cdn_purges_total{by="url",result="told"}', 0) != told:
                        return False, "A purge that failed counts as told."
        finally:
            inetd.close()
    return True, "A purge reaches nginx by purge-nginx --http; without the right to it, it fails, and the log says so."


def _purge(service):
    return _post(service, "/admin/purge", {"item": "mine/file/a.png"})[0]


def _post(service, path, document):
    body = json.dumps(document).encode()
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    try:
        connection.request("POST", path, body, {
            "Authorization": "Bearer audit-token-of-the-service", "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


class _Inetd:
    """Starts a program for each connection, as config/purge-nginx.socket does."""

    def __init__(self, words):
        self.words, self.said = words, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                end = subprocess.run(
                    self.words, stdin=client.fileno(), stdout=client.fileno(), stderr=subprocess.PIPE, text=True)
                self.said.append((end.returncode, end.stderr))

    def close(self):
        self.listener.close()


def check_signed_paths_in_the_log(service):
    """Neither the log nor a span has a signature, however its path is spelled."""
    path = service.picture("secret.png", PNG, level="iiif")
    _, _, _, _, signature, encoded = path.split("/")
    collected = []
    collector = lib.Files(lib.Always(lambda handler: (
        collected.append(handler.rfile.read(int(handler.headers["Content-Length"]))), handler.answer(200, b"{}"))))
    try:
        service.restart({"VITRINE_LOG_LEVEL": "debug", "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}",
                         "OTEL_BSP_SCHEDULE_DELAY": "100", "VITRINE_LOG_FORMAT": "json"})
        names = ["url", "%75rl", "u%72l", "ur%6C", "%55RL", "%75%72%6c", "%2575rl"]
        for name in names:
            for slash in ("%2F", "%2f", "%252F"):
                item = slash.join([name, signature, encoded])
                for version in ("2", "3"):
                    for end in ("", "/info.json", "/full/64,/0/default.jpg", "/full/max/0/default.xyz"):
                        service.status(f"/iiif/{version}/{item}{end}")
                service.status(f"/iiif/presentation/3/{item}/manifest")
                for start in ("/t/m/", "/o/", "/v1/", "/v1/favorites/", "/v1/explain/", "/sheet/m/", "/x/", "/"):
                    service.status(start + item)
            for start in ("/t/iiif/", "/t/m/", "/o/", "/v1/", "/v1/favorites/", "/v1/explain/", "/"):
                service.status(f"{start}{name}/{signature}/{encoded}")
                service.status(f"{start}{name}/{signature}/{encoded}?expires=1")
            service.status(f"/iiif/3/{name}%2F{signature}%2F{encoded}%2/info.json")
            service.status(f"/iiif/3/{name}%2F{signature}%FF{encoded}/info.json")
        # The last spans are sent at the end.
        service.stop()
        log = pathlib.Path(service.log).read_text(errors="replace")
        spans = b"".join(collected).decode(errors="replace")
    finally:
        collector.close()
    service.start()
    for what, text in (("the log", log), ("a span", spans)):
        for secret in (signature, encoded):
            if secret in text:
                line = next(line for line in text.splitlines() if secret in line)
                place = line.index(secret)
                return False, f"{what} has a signed URL: {line[max(0, place - 120):place + 20]}"
    if "resourceSpans" not in spans:
        return False, "no span was sent"
    broken = [line for line in log[log.index('{"time"'):].splitlines() if not _is_json(line)]
    if broken:
        return False, f"the log is not JSON: {broken[0]}"
    return True, f"{log.count('/iiif/')} lines of the log, and {spans.count('url.path')} spans, have no signature."


def _is_json(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def check_log_is_json(service):
    """A JSON log is JSON from its first line to its last, and its numbers are numbers."""
    service.stop()
    open(service.log, "w").close()
    service.start({"log.format": "json"})
    service.status("/nothing")
    service.stop()
    lines = pathlib.Path(service.log).read_text().splitlines()
    service.start()
    port = lib.free_port()
    with socket.create_server(("127.0.0.1", port)):
        end = subprocess.run([service.program, "serve", "--port", str(port)], cwd=service.directory, capture_output=True, text=True,
                             env={**service.environment, "VITRINE_LOG_FORMAT": "json"}, timeout=60)
        lines += end.stderr.splitlines()
    wrong = subprocess.run([service.program, "serve"], cwd=service.directory, capture_output=True, text=True, timeout=60,
                           env={**service.environment, "VITRINE_LOG_FORMAT": "json", "VITRINE_SERVER_PORT": "x"})
    lines += wrong.stderr.splitlines()
    for line in lines:
        if not _is_json(line):
            return False, f"The line is not JSON: {line}"
    asked = next(json.loads(line) for line in lines if '"message":"request"' in line and "/nothing" in line)
    if not all(isinstance(asked[name], (int, float)) for name in ("status", "bytes", "ms")):
        return False, f"Numbers are texts: {asked}"
    if end.returncode != 1 or wrong.returncode != 78:
        return False, f"A start that fails ends with {end.returncode} and {wrong.returncode}."
    return True, f"{len(lines)} lines, from listening to the failure of a start, are JSON."


def check_children_have_names(service):
    """ps shows what the children of the service are."""
    service.get(service.picture("named.png", PNG))
    names = {pid: pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in service.children()}
    words = [pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode() for pid in names]
    if not names or any(not name.startswith("vitrine") for name in names.values()) or any("exe" == word.split("/")[-1] for word in words):
        return False, f"Children are called {sorted(names.values())}, {words}."
    return True, f"Children are called {', '.join(sorted(set(names.values())))}."


def check_folders_have_no_paths(service):
    """No answer names the directory of a folder or of a list."""
    listing = pathlib.Path(service.directory) / "posters.csv"
    # A start needs the list, and no request has read it when it is gone.
    listing.write_text("id,url\n1,https://static.tvmaze.com/a.jpg\n")
    folder = _with_folder(service, f"lists: {{posters: \"{listing}\"}}\n")
    service.restart()
    listing.unlink()
    if service.status("/t/xs/mine/file/a.png") != 200:
        return False, "The folder's picture isn't shown."
    folder.rename(f"{folder}-gone")
    for path in ("/v1/mine/files", "/v1/mine/tree", "/v1/mine/file/a.png", "/v1/mine/file/b.png", "/t/m/mine/file/b.png",
                 "/o/mine/file/a.png", "/o/mine/file/b.png", "/sheet/xs/mine/files.jpg", "/iiif/3/mine%2Ffile%2Fb.png/info.json",
                 "/iiif/presentation/3/mine/files", "/v1/explain/mine/file/a.png", "/v1/explain/mine/file/b.png",
                 "/v1/posters/pictures", "/t/m/posters/picture/1", "/sheet/xs/posters/pictures.json", "/v1/status", "/openapi.json"):
        for accept in ("application/json", "image/webp"):
            status, fields, body = service.get(path, {"Accept": accept})
            seen = str(fields) + body.decode("latin-1")
            if service.directory in seen:
                return False, f"{path} ({status}) names the directory: {seen[max(0, seen.index(service.directory) - 60):][:160]}"
    return True, "Missing folders and lists are named by their names."
