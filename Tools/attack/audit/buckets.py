"""A folder that is a bucket asks for nothing outside of its prefix, shows no credentials, and asks once."""
import hashlib
import hmac
import http.server
import json
import pathlib
import re
import subprocess
import threading
import time
import urllib.parse

from service import lib

KEY_ID, SECRET = "AKIDOFTHEBUCKET", "secret-of-the-bucket"
SHARED_ID, SHARED_SECRET = "AKIDOFTHESTORE", "secret-of-the-store"
REGION, BUCKET, PREFIX = "eu-north-1", "shop", "pictures/of 2024/"
NOTHING = hashlib.sha256(b"").hexdigest()
MODIFIED = "Wed, 21 Oct 2015 07:28:00 GMT"


class Bucket:
    """S3 as far as a reader needs it. It computes each signature from the request as it came."""

    def __init__(self, objects):
        self.objects = {key.encode(): bytes for key, bytes in objects.items()}
        self.sorted = sorted(self.objects)
        # Method, key and whether the request was conditional.
        self.asked, self.problems, self.fields = [], [], []
        bucket = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, fields, body = bucket.answer(self)
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD" and status != 304:
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def count(self, method, key=None):
        return sum(one[0] == method and (key is None or one[1] == key) for one in self.asked)

    def refuse(self, reason):
        self.problems.append(reason)
        return 403, {"Content-Type": "application/xml"}, b"<Error><Code>SignatureDoesNotMatch</Code></Error>"

    def answer(self, request):
        path, _, query = request.path.partition("?")
        self.fields.append(str(request.headers))
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)",
            request.headers.get("Authorization", ""))
        if not found:
            return self.refuse(f"{path} is not signed")
        name, day, region, names, signature = found.groups()
        canonical = "\n".join(
            [request.command, path, "&".join(sorted(query.split("&"))) if query else ""]
            + [f"{field}:{request.headers[field]}" for field in names.split(";")] + ["", names, NOTHING])
        text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], f"{day}/{region}/s3/aws4_request",
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"AWS4" + SECRET.encode()
        for part in (day, region, "s3", "aws4_request", text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        if (name, region, signature) != (KEY_ID, REGION, key.hex()):
            return self.refuse(f"{path} is signed by {name} for {region}, or wrongly")
        if path == f"/{BUCKET}":
            return self.list(dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
        if not path.startswith(f"/{BUCKET}/"):
            return self.refuse(f"{path} is another bucket")
        key = urllib.parse.unquote_to_bytes(path[len(BUCKET) + 2:])
        self.asked.append((request.command, key.decode(), "If-None-Match" in request.headers))
        if not key.startswith(PREFIX.encode()):
            self.problems.append(f"{key!r} is outside of the prefix")
        bytes = self.objects.get(key)
        if bytes is None:
            return 404, {"Content-Type": "application/xml"}, b"<Error><Code>NoSuchKey</Code></Error>"
        # No digest of the bytes.
        tag = f'"{len(bytes)}-7"'
        fields = {"ETag": tag, "Last-Modified": MODIFIED}
        return (304, fields, b"") if request.headers.get("If-None-Match") == tag else (200, fields, bytes)

    def list(self, query):
        self.asked.append(("LIST", query["prefix"], False))
        if not query["prefix"].startswith(PREFIX):
            self.problems.append(f"a list of {query['prefix']!r} is outside of the prefix")
        prefix, after = query["prefix"].encode(), query.get("start-after", "").encode()
        if "continuation-token" in query:
            after = bytes.fromhex(query["continuation-token"])
        limit, delimiter = int(query["max-keys"]), query.get("delimiter", "").encode()
        entries, last, is_truncated = [], b"", False
        for key in self.sorted[self.place(max(prefix, after)):]:
            if not key.startswith(prefix):
                break
            rest = key[len(prefix):]
            directory = prefix + rest[:rest.index(delimiter) + 1] if delimiter and delimiter in rest else None
            if key <= after or directory and (after.startswith(directory) or last.startswith(directory)):
                continue
            if len(entries) == limit:
                is_truncated = True
                break
            last = directory + b"\xff" if directory else key
            shown = urllib.parse.quote(directory or key, safe="/")
            entries.append(
                f"<CommonPrefixes><Prefix>{shown}</Prefix></CommonPrefixes>" if directory else
                f"<Contents><Key>{shown}</Key><LastModified>2015-10-21T07:28:00Z</LastModified>"
                f"<Size>{len(self.objects[key])}</Size></Contents>")
        token = f"<NextContinuationToken>{last.hex()}</NextContinuationToken>" if is_truncated else ""
        text = (f"<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>{str(is_truncated).lower()}</IsTruncated>"
                f"{token}{''.join(entries)}</ListBucketResult>")
        return 200, {"Content-Type": "application/xml"}, text.encode()

    def place(self, key):
        low, high = 0, len(self.sorted)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.sorted[middle] < key else (low, middle)
        return low


def _serve(service, bucket, options=""):
    config = pathlib.Path(service.directory) / "config"
    config.mkdir(exist_ok=True)
    (config / "vitrine.yaml").write_text(
        f"folders:\n  posters:\n    location: \"s3://{BUCKET}/{PREFIX}\"\n    endpoint: http://127.0.0.1:{bucket.port}\n"
        f"    region: {REGION}\n    credentials: {{accessKeyID: {{env: VITRINE_POSTERS_ID}}, "
        f"secretAccessKey: {{env: VITRINE_POSTERS_SECRET}}}}\n{options}")
    service.restart(
        {"log.level": "trace"}, VITRINE_POSTERS_ID=KEY_ID, VITRINE_POSTERS_SECRET=SECRET,
        VITRINE_S3_ACCESS_KEY_ID=SHARED_ID, VITRINE_S3_SECRET_ACCESS_KEY=SHARED_SECRET)


def _objects(*names):
    return {PREFIX + name: lib.png(60 + number, 40) for number, name in enumerate(names)}


def check_names(service):
    """Names of every kind are encoded once and signed as they are sent, and none leads out of the prefix."""
    names = ["a b.png", "a+b.png", "100%.png", "%41.png", "#1?x=y&z.png", "\U0001f600.png", "a//b.png", "/a.png",
             "é.png", "e\u0301.png", "a;b,c=d@e:f!g$h'i(j)k*l~m.png", "[x]{y}|z\\.png", "plain"]
    climbing = ["../secret.png", "a/../../secret.png", "%2e%2e/secret.png", "..%2fsecret.png", "a/%2e%2e/%2e%2e/secret.png",
                "%252e%252e/secret.png", "..;/secret.png", "a%00.png", "./a%20b.png", ".hidden.png", "%2e", "a/..", "..\\secret.png"]
    with Bucket({**_objects(*names), "pictures/secret.png": lib.png(9, 9), "secret.png": lib.png(9, 9)}) as bucket:
        _serve(service, bucket)
        for name in names:
            path = urllib.parse.quote(name, safe="/")
            for route in ("/t/s/posters/file/", "/o/posters/file/"):
                status = service.get(route + path)[0]
                if status != 200:
                    return False, f"{route}{path} is answered {status}; {bucket.problems[:1]}"
        listed = json.loads(service.get("/v1/posters/tree")[2])
        if {one["id"] for one in listed["items"]} != set(names):
            return False, f"The list has {[one['id'] for one in listed['items']]}."
        for name in climbing:
            for route in ("/t/s/posters/file/", "/o/posters/file/", "/v1/posters/file/", "/v1/posters/files?dir=",
                          "/v1/posters/tree?after=", "/iiif/3/posters%2Ffile%2F"):
                status = service.get(route + name)[0]
                if status == 200 and "?after=" not in route:
                    return False, f"{route}{name} is answered."
        if bucket.problems:
            return False, bucket.problems[0]
    return True, f"{len(names)} odd names are one object each; {len(climbing)} climbing ones ask for nothing outside."


def check_credentials(service):
    """Neither the bucket's key nor the shared store's appears in logs, errors, documents or commands."""
    with Bucket(_objects("a.png")) as bucket:
        _serve(service, bucket)
        texts = []
        for key in (None, "denied"):
            if key:
                bucket.answer = lambda request: (403, {}, b"<Error><Code>AccessDenied</Code></Error>")
            for path in ("/t/s/posters/file/a.png", "/o/posters/file/b.png", "/v1/posters/files", "/v1/posters/file/a.png",
                         "/v1/explain/posters/file/a.png", "/metrics", "/v1/status", "/v1", "/openapi.json", "/"):
                texts.append(service.get(path, {"Authorization": "Bearer audit-token-of-the-service"})[2])
        for words in (["config"], ["config", "--json"], ["explain", "posters/file/a.png"], ["source", "list"],
                      ["warm", "posters", "tree", "--levels", "s"]):
            done = subprocess.run(
                [service.program, *words], env=service.environment, cwd=service.directory, capture_output=True, timeout=120)
            texts += [done.stdout, done.stderr]
        texts.append(pathlib.Path(service.log).read_bytes())
        for secret in (SECRET, SHARED_SECRET, SHARED_ID):
            if any(secret.encode() in text for text in texts):
                return False, f"“{secret}” is shown."
        if any(SHARED_ID in fields for fields in bucket.fields):
            return False, "The shared store's key was sent to the bucket."
        if bucket.problems:
            return False, bucket.problems[0]
    return True, f"{len(texts)} texts show no secret key, and the shared store's key is not used."


def check_requests(service):
    """A cold picture is one GET, a hit none, and an old one a conditional GET; a warm run makes one GET an object."""
    names = [f"{number:03}.png" for number in range(150)]
    with Bucket(_objects(*names)) as bucket:
        _serve(service, bucket, "    recheck: 1s\n")
        target = f"/t/s/posters/file/{names[0]}"
        for _ in range(3):
            if service.get(target)[0] != 200:
                return False, f"{target} is not answered."
        if len(bucket.asked) != 1:
            return False, f"A cold picture and two hits asked for {bucket.asked}."
        time.sleep(1.1)
        service.get(target)
        deadline = time.time() + 20
        while len(bucket.asked) < 2 and time.time() < deadline:
            time.sleep(0.02)
        if bucket.asked[1:] != [("GET", PREFIX + names[0], True)]:
            return False, f"After recheck, {bucket.asked[1:]} was asked for."
        bucket.asked.clear()
        done = subprocess.run(
            [service.program, "warm", "posters", "tree", "--levels", "s", "--json"], env=service.environment,
            cwd=service.directory, capture_output=True, text=True, timeout=300)
        gets = [one for one in bucket.asked if one[0] == "GET"]
        if len(gets) != len({one[1] for one in gets}) or not len(names) - 1 <= len(gets) <= len(names) or bucket.count("HEAD"):
            return False, f"A warm run of {len(names)} objects made {len(gets)} GETs and {bucket.count('HEAD')} HEADs; {done.stderr[-300:]}"
        told = json.loads(done.stdout.strip().splitlines()[-1]).get("buckets", {}).get("posters", {})
        if (told.get("gets"), told.get("lists")) != (len(gets), bucket.count("LIST")):
            return False, f"The run tells {told}, and made {len(gets)} GETs and {bucket.count('LIST')} LISTs."
        if bucket.problems:
            return False, bucket.problems[0]
    return True, f"1 GET, 0, 1 conditional GET; a warm run of {len(names)} objects: {len(gets)} GETs, {told['lists']} LISTs, no HEAD."


def check_memory(service):
    """A list of 100,000 keys is paged, and nothing of it is held."""
    objects = {f"{PREFIX}{number:06}.jpg": b"x" * 9 for number in range(100_000)}
    with Bucket(objects) as bucket:
        _serve(service, bucket)
        seen, path, after = 0, "/v1/posters/tree", []
        while path:
            status, _, body = service.get(path)
            if status != 200:
                return False, f"{path} is answered {status}."
            page = json.loads(body)
            seen, path = seen + len(page["items"]), page["next"]
            if seen % 10_000 == 0:
                after.append(lib.memory(service.pid) >> 20)
        if seen != len(objects):
            return False, f"{seen} of {len(objects)} keys are listed."
        grown = after[-1] - after[0]
        if grown > 24:
            return False, f"Memory grew by {grown} MiB over the list."
        if bucket.problems:
            return False, bucket.problems[0]
    return True, f"{seen} keys in {bucket.count('LIST')} LISTs; memory {after[0]} MiB after a tenth, {after[-1]} MiB at the end."
