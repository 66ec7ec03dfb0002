/// The answers of ``RawRequestTests``.
enum RawAnswers {
    /// By the names of the requests.
    static let of = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n# ").map { part in
            let name = part.prefix { $0 != "\n" }
            return (String(name), String(part.dropFirst(name.count + 1)))
        })

    private static let text = """

        # CONNECT
        501 | secured | common | problem | connection: close | content-length: 290 | \
        {"detail":"Nothing here knows CONNECT; possible are GET, HEAD, POST, PUT, DELETE and \
        OPTIONS.","message":"Nothing here knows CONNECT; possible are GET, HEAD, POST, PUT, \
        DELETE and OPTIONS.","retryAfter":null,"status":501,"title":"Unknown \
        method","type":"urn:vitrine:problem:unknown-method"}
        # Expect other than 100-continue
        200 | secured | common | cache-control: no-store | content-length: 92 | content-type: \
        application/json | vary: Origin, Sec-Fetch-Site | \
        {"blobs":7,"bytes":…,"documents":1,"items":1,"originals":1,"soft":false,"thumbnails":6}
        open
        # Expect other than 100-continue without a body
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # GET *
        405 | secured | common | problem | allow: OPTIONS | content-length: 228 | \
        {"detail":"GET is not possible here; possible are OPTIONS.","message":"GET is not \
        possible here; possible are OPTIONS.","retryAfter":null,"status":405,"title":"Method \
        not allowed","type":"urn:vitrine:problem:method-not-allowed"}
        open
        # HEAD
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8
        open
        # HEAD of nothing
        404 | secured | common | problem | content-length: 270
        open
        # HTTP/0.9
        400 | common | problem | connection: close | content-length: 190 | \
        x-content-type-options: nosniff | {"detail":"The bytes are not an HTTP/1.1 \
        request.","message":"The bytes are not an HTTP/1.1 \
        request.","retryAfter":null,"status":400,"title":"Not \
        HTTP","type":"urn:vitrine:problem:not-http"}
        # HTTP/1.0
        200 | secured | common | cache-control: no-store | connection: close | content-length: \
        3 | content-type: text/plain; charset=utf-8 | ok
        # HTTP/1.0 HEAD
        200 | secured | common | cache-control: no-store | connection: close | content-length: \
        3 | content-type: text/plain; charset=utf-8
        # HTTP/1.0 that wants to stay
        200 | secured | common | cache-control: no-store | connection: close | content-length: \
        3 | content-type: text/plain; charset=utf-8 | ok
        # HTTP/1.2
        505 | common | problem | connection: close | content-length: 241 | \
        x-content-type-options: nosniff | {"detail":"Requests without TLS are read as HTTP/1.1 \
        or HTTP/1.0.","message":"Requests without TLS are read as HTTP/1.1 or \
        HTTP/1.0.","retryAfter":null,"status":505,"title":"Unknown HTTP \
        version","type":"urn:vitrine:problem:unknown-version"}
        # OPTIONS *
        204 | secured | common | allow: GET, HEAD, POST, PUT, DELETE, OPTIONS
        open
        # OPTIONS of a route
        204 | secured | common | access-control-allow-headers: Accept, Accept-Language, \
        If-Modified-Since, If-None-Match, If-Range, Range | access-control-allow-methods: GET, \
        HEAD, OPTIONS | access-control-allow-origin: * | access-control-max-age: 86400 | allow: \
        GET, HEAD, OPTIONS
        open
        # TRACE
        405 | secured | common | problem | allow: GET, HEAD, OPTIONS | content-length: 254 | \
        {"detail":"TRACE is not possible here; possible are GET, HEAD, \
        OPTIONS.","message":"TRACE is not possible here; possible are GET, HEAD, \
        OPTIONS.","retryAfter":null,"status":405,"title":"Method not \
        allowed","type":"urn:vitrine:problem:method-not-allowed"}
        open
        # Upgrade
        200 | secured | common | cache-control: no-store | connection: close | content-length: \
        3 | content-type: text/plain; charset=utf-8 | ok
        # absolute form
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # absolute form without a path
        405 | secured | common | problem | allow: GET, HEAD, OPTIONS | content-length: 252 | \
        {"detail":"POST is not possible here; possible are GET, HEAD, OPTIONS.","message":"POST \
        is not possible here; possible are GET, HEAD, \
        OPTIONS.","retryAfter":null,"status":405,"title":"Method not \
        allowed","type":"urn:vitrine:problem:method-not-allowed"}
        open
        # body that is not read, and a chunk without a size
        404 | secured | common | problem | connection: close | content-length: 270 | \
        {"detail":"There is nothing here; thumbnails are at \
        /t/{level}/{source}/{kind}/{id}.","message":"There is nothing here; thumbnails are at \
        /t/{level}/{source}/{kind}/{id}.","retryAfter":null,"status":404,"title":"Unknown \
        route","type":"urn:vitrine:problem:unknown-route"}
        # body that is too long
        400 | secured | common | cache-control: no-store | content-length: 188 | content-type: \
        application/problem+json | vary: Origin, Sec-Fetch-Site | {"detail":"The body is not a \
        JSON object.","message":"The body is not a JSON \
        object.","retryAfter":null,"status":400,"title":"Invalid \
        request","type":"urn:vitrine:problem:invalid-request"}
        open
        # chunk extensions
        200 | secured | common | cache-control: no-store | content-length: 92 | content-type: \
        application/json | vary: Origin, Sec-Fetch-Site | \
        {"blobs":7,"bytes":…,"documents":1,"items":1,"originals":1,"soft":false,"thumbnails":6}
        open
        # chunk without its end
        400 | secured | common | cache-control: no-store | connection: close | content-length: \
        212 | content-type: application/problem+json | vary: Origin, Sec-Fetch-Site | \
        {"detail":"The body is cut off, or its framing is broken.","message":"The body is cut \
        off, or its framing is broken.","retryAfter":null,"status":400,"title":"Broken \
        body","type":"urn:vitrine:problem:broken-body"}
        # chunked body that is too long
        400 | secured | common | cache-control: no-store | content-length: 188 | content-type: \
        application/problem+json | vary: Origin, Sec-Fetch-Site | {"detail":"The body is not a \
        JSON object.","message":"The body is not a JSON \
        object.","retryAfter":null,"status":400,"title":"Invalid \
        request","type":"urn:vitrine:problem:invalid-request"}
        open
        # empty Host
        400 | secured | common | problem | content-length: 262 | {"detail":"A request has one \
        Host field, and a target that begins with “/”.","message":"A request has one Host \
        field, and a target that begins with \
        “/”.","retryAfter":null,"status":400,"title":"Malformed \
        path","type":"urn:vitrine:problem:malformed-path"}
        open
        # empty body
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # empty lines first
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # folded field
        400 | common | problem | connection: close | content-length: 266 | \
        x-content-type-options: nosniff | {"detail":"A header field continues on a second line, \
        which HTTP/1.1 forbids.","message":"A header field continues on a second line, which \
        HTTP/1.1 forbids.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # folded first field
        400 | common | problem | connection: close | content-length: 266 | \
        x-content-type-options: nosniff | {"detail":"A header field continues on a second line, \
        which HTTP/1.1 forbids.","message":"A header field continues on a second line, which \
        HTTP/1.1 forbids.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # h2c
        200 | secured | common | cache-control: no-store | connection: close | content-length: \
        3 | content-type: text/plain; charset=utf-8 | ok
        # hit in HTTP/1.0
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, \
        max-age=100, stale-while-revalidate=86400, stale-if-error=604800 | cache-status: \
        vitrine; hit | connection: close | content-length: 10764 | content-type: image/webp | \
        etag: "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | \
        last-modified: Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        # hit in absolute form
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, \
        max-age=100, stale-while-revalidate=86400, stale-if-error=604800 | cache-status: \
        vitrine; hit | content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | \
        last-modified: Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        open
        # hit, and then no more
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, \
        max-age=100, stale-while-revalidate=86400, stale-if-error=604800 | cache-status: \
        vitrine; hit | content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | \
        last-modified: Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        # hit, miss of a route, hit
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, \
        max-age=100, stale-while-revalidate=86400, stale-if-error=604800 | cache-status: \
        vitrine; hit | content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | \
        last-modified: Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        404 | secured | common | problem | content-length: 270 | {"detail":"There is nothing \
        here; thumbnails are at /t/{level}/{source}/{kind}/{id}.","message":"There is nothing \
        here; thumbnails are at \
        /t/{level}/{source}/{kind}/{id}.","retryAfter":null,"status":404,"title":"Unknown \
        route","type":"urn:vitrine:problem:unknown-route"}
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, \
        max-age=100, stale-while-revalidate=86400, stale-if-error=604800 | cache-status: \
        vitrine; hit | content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | \
        last-modified: Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff
        open
        # id and trace
        200 | secured | cache-control: no-store | content-length: 3 | content-type: text/plain; \
        charset=utf-8 | date: … | server: vitrine | x-request-id: mine-1 | ok
        open
        # length and coding
        400 | common | problem | connection: close | content-length: 322 | \
        x-content-type-options: nosniff | {"detail":"Transfer-Encoding has to end with chunked, \
        named once, in HTTP/1.1 and without Content-Length.","message":"Transfer-Encoding has \
        to end with chunked, named once, in HTTP/1.1 and without \
        Content-Length.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # length with a sign
        400 | common | problem | connection: close | content-length: 242 | \
        x-content-type-options: nosniff | {"detail":"Content-Length is not one number of at \
        most 15 digits.","message":"Content-Length is not one number of at most 15 \
        digits.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # lines without CR
        400 | common | problem | connection: close | content-length: 224 | \
        x-content-type-options: nosniff | {"detail":"A line of the header does not end with CR \
        LF.","message":"A line of the header does not end with CR \
        LF.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # long chunk extensions
        400 | secured | common | cache-control: no-store | connection: close | content-length: \
        212 | content-type: application/problem+json | vary: Origin, Sec-Fetch-Site | \
        {"detail":"The body is cut off, or its framing is broken.","message":"The body is cut \
        off, or its framing is broken.","retryAfter":null,"status":400,"title":"Broken \
        body","type":"urn:vitrine:problem:broken-body"}
        # long request trailers
        400 | secured | common | cache-control: no-store | connection: close | content-length: \
        212 | content-type: application/problem+json | vary: Origin, Sec-Fetch-Site | \
        {"detail":"The body is cut off, or its framing is broken.","message":"The body is cut \
        off, or its framing is broken.","retryAfter":null,"status":400,"title":"Broken \
        body","type":"urn:vitrine:problem:broken-body"}
        # method in lower case
        501 | secured | common | problem | content-length: 282 | {"detail":"Nothing here knows \
        get; possible are GET, HEAD, POST, PUT, DELETE and OPTIONS.","message":"Nothing here \
        knows get; possible are GET, HEAD, POST, PUT, DELETE and \
        OPTIONS.","retryAfter":null,"status":501,"title":"Unknown \
        method","type":"urn:vitrine:problem:unknown-method"}
        open
        # method that is not possible
        405 | secured | common | problem | allow: GET, HEAD, OPTIONS | content-length: 256 | \
        {"detail":"DELETE is not possible here; possible are GET, HEAD, \
        OPTIONS.","message":"DELETE is not possible here; possible are GET, HEAD, \
        OPTIONS.","retryAfter":null,"status":405,"title":"Method not \
        allowed","type":"urn:vitrine:problem:method-not-allowed"}
        open
        # no Host
        400 | secured | common | problem | content-length: 262 | {"detail":"A request has one \
        Host field, and a target that begins with “/”.","message":"A request has one Host \
        field, and a target that begins with \
        “/”.","retryAfter":null,"status":400,"title":"Malformed \
        path","type":"urn:vitrine:problem:malformed-path"}
        open
        # odd Host
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # prior knowledge
        505 | common | problem | connection: close | content-length: 241 | \
        x-content-type-options: nosniff | {"detail":"Requests without TLS are read as HTTP/1.1 \
        or HTTP/1.0.","message":"Requests without TLS are read as HTTP/1.1 or \
        HTTP/1.0.","retryAfter":null,"status":505,"title":"Unknown HTTP \
        version","type":"urn:vitrine:problem:unknown-version"}
        # request after a body that is not read
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        404 | secured | common | problem | content-length: 270 | {"detail":"There is nothing \
        here; thumbnails are at /t/{level}/{source}/{kind}/{id}.","message":"There is nothing \
        here; thumbnails are at \
        /t/{level}/{source}/{kind}/{id}.","retryAfter":null,"status":404,"title":"Unknown \
        route","type":"urn:vitrine:problem:unknown-route"}
        open
        # request after a body that is read
        200 | secured | common | cache-control: no-store | content-length: 92 | content-type: \
        application/json | vary: Origin, Sec-Fetch-Site | \
        {"blobs":7,"bytes":…,"documents":1,"items":1,"originals":1,"soft":false,"thumbnails":6}
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # request trailers
        200 | secured | common | cache-control: no-store | content-length: 92 | content-type: \
        application/json | vary: Origin, Sec-Fetch-Site | \
        {"blobs":7,"bytes":…,"documents":1,"items":1,"originals":1,"soft":false,"thumbnails":6}
        open
        # target of 8 kB
        404 | secured | common | problem | content-length: 270 | {"detail":"There is nothing \
        here; thumbnails are at /t/{level}/{source}/{kind}/{id}.","message":"There is nothing \
        here; thumbnails are at \
        /t/{level}/{source}/{kind}/{id}.","retryAfter":null,"status":404,"title":"Unknown \
        route","type":"urn:vitrine:problem:unknown-route"}
        open
        # target of 9 kB
        414 | common | problem | connection: close | content-length: 213 | \
        x-content-type-options: nosniff | {"detail":"The request target has more than 8192 \
        bytes.","message":"The request target has more than 8192 \
        bytes.","retryAfter":null,"status":414,"title":"URI too \
        long","type":"urn:vitrine:problem:target-too-long"}
        # target of more than 8 kB
        414 | secured | common | problem | content-length: 213 | {"detail":"The request target \
        has more than 8192 bytes.","message":"The request target has more than 8192 \
        bytes.","retryAfter":null,"status":414,"title":"URI too \
        long","type":"urn:vitrine:problem:target-too-long"}
        open
        # target that is no path
        400 | secured | common | problem | content-length: 262 | {"detail":"A request has one \
        Host field, and a target that begins with “/”.","message":"A request has one Host \
        field, and a target that begins with \
        “/”.","retryAfter":null,"status":400,"title":"Malformed \
        path","type":"urn:vitrine:problem:malformed-path"}
        open
        # target that is not ASCII
        400 | secured | common | problem | content-length: 280 | {"detail":"The target must be \
        ASCII without spaces and “#”; percent-encode the rest.","message":"The target must be \
        ASCII without spaces and “#”; percent-encode the \
        rest.","retryAfter":null,"status":400,"title":"Malformed \
        path","type":"urn:vitrine:problem:malformed-path"}
        open
        # target with a fragment
        400 | secured | common | problem | content-length: 280 | {"detail":"The target must be \
        ASCII without spaces and “#”; percent-encode the rest.","message":"The target must be \
        ASCII without spaces and “#”; percent-encode the \
        rest.","retryAfter":null,"status":400,"title":"Malformed \
        path","type":"urn:vitrine:problem:malformed-path"}
        open
        # two Hosts
        400 | secured | common | problem | content-length: 262 | {"detail":"A request has one \
        Host field, and a target that begins with “/”.","message":"A request has one Host \
        field, and a target that begins with \
        “/”.","retryAfter":null,"status":400,"title":"Malformed \
        path","type":"urn:vitrine:problem:malformed-path"}
        open
        # two equal lengths
        400 | common | problem | connection: close | content-length: 242 | \
        x-content-type-options: nosniff | {"detail":"Content-Length is not one number of at \
        most 15 digits.","message":"Content-Length is not one number of at most 15 \
        digits.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # two lengths in one field
        400 | common | problem | connection: close | content-length: 242 | \
        x-content-type-options: nosniff | {"detail":"Content-Length is not one number of at \
        most 15 digits.","message":"Content-Length is not one number of at most 15 \
        digits.","retryAfter":null,"status":400,"title":"Unreadable \
        request","type":"urn:vitrine:problem:unreadable-request"}
        # unknown method
        501 | secured | common | problem | content-length: 284 | {"detail":"Nothing here knows \
        BREW; possible are GET, HEAD, POST, PUT, DELETE and OPTIONS.","message":"Nothing here \
        knows BREW; possible are GET, HEAD, POST, PUT, DELETE and \
        OPTIONS.","retryAfter":null,"status":501,"title":"Unknown \
        method","type":"urn:vitrine:problem:unknown-method"}
        open
        """
}
