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
        501 | secured | common | problem | connection: close | unknown-method | Unknown method | \
        Nothing here knows CONNECT; possible are GET, HEAD, POST, PUT, DELETE and OPTIONS.
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
        405 | secured | common | problem | allow: OPTIONS | method-not-allowed | Method not allowed \
        | GET is not possible here; possible are OPTIONS.
        open
        # HEAD
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8
        open
        # HEAD of nothing
        404 | secured | common | problem | content-length: 270
        open
        # HTTP/0.9
        400 | common | problem | connection: close | x-content-type-options: nosniff | not-http | \
        Not HTTP | The bytes are not an HTTP/1.1 request.
        # HTTP/1.0
        200 | secured | common | cache-control: no-store | connection: close | content-length: 3 | \
        content-type: text/plain; charset=utf-8 | ok
        # HTTP/1.0 HEAD
        200 | secured | common | cache-control: no-store | connection: close | content-length: 3 | \
        content-type: text/plain; charset=utf-8
        # HTTP/1.0 that wants to stay
        200 | secured | common | cache-control: no-store | connection: close | content-length: 3 | \
        content-type: text/plain; charset=utf-8 | ok
        # HTTP/1.2
        505 | common | problem | connection: close | x-content-type-options: nosniff | \
        unknown-version | Unknown HTTP version | Requests without TLS are read as HTTP/1.1 or \
        HTTP/1.0.
        # OPTIONS *
        204 | secured | common | allow: GET, HEAD, POST, PUT, DELETE, OPTIONS
        open
        # OPTIONS of a route
        204 | secured | common | access-control-allow-headers: Accept, Accept-Language, \
        If-Modified-Since, If-None-Match, If-Range, Range | access-control-allow-methods: GET, HEAD, \
        OPTIONS | access-control-allow-origin: * | access-control-max-age: 86400 | allow: GET, HEAD, \
        OPTIONS
        open
        # TRACE
        405 | secured | common | problem | allow: GET, HEAD, OPTIONS | method-not-allowed | Method \
        not allowed | TRACE is not possible here; possible are GET, HEAD, OPTIONS.
        open
        # Upgrade
        200 | secured | common | cache-control: no-store | connection: close | content-length: 3 | \
        content-type: text/plain; charset=utf-8 | ok
        # absolute form
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # absolute form without a path
        405 | secured | common | problem | allow: GET, HEAD, OPTIONS | method-not-allowed | Method \
        not allowed | POST is not possible here; possible are GET, HEAD, OPTIONS.
        open
        # another coding
        501 | common | problem | connection: close | x-content-type-options: nosniff | \
        unknown-coding | Unknown transfer coding | The only transfer coding that is known here is \
        chunked.
        # body that is not read, and a chunk without a size
        404 | secured | common | problem | connection: close | unknown-route | Unknown route | There \
        is nothing here; thumbnails are at /t/{level}/{source}/{kind}/{id}.
        # body that is too long
        400 | secured | common | cache-control: no-store | content-type: application/problem+json | \
        vary: Origin, Sec-Fetch-Site | invalid-request | Invalid request | The body is not a JSON \
        object.
        open
        # chunk extensions
        200 | secured | common | cache-control: no-store | content-length: 92 | content-type: \
        application/json | vary: Origin, Sec-Fetch-Site | \
        {"blobs":7,"bytes":…,"documents":1,"items":1,"originals":1,"soft":false,"thumbnails":6}
        open
        # chunk without its end
        400 | secured | common | cache-control: no-store | connection: close | content-type: \
        application/problem+json | vary: Origin, Sec-Fetch-Site | broken-body | Broken body | The \
        body is cut off, or its framing is broken.
        # chunked body that is too long
        400 | secured | common | cache-control: no-store | content-type: application/problem+json | \
        vary: Origin, Sec-Fetch-Site | invalid-request | Invalid request | The body is not a JSON \
        object.
        open
        # empty Host
        400 | secured | common | problem | malformed-path | Malformed path | A request has one Host \
        field, and a target that begins with “/”.
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
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | A header field continues on a second line, which \
        HTTP/1.1 forbids.
        # folded first field
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | A header field continues on a second line, which \
        HTTP/1.1 forbids.
        # h2c
        200 | secured | common | cache-control: no-store | connection: close | content-length: 3 | \
        content-type: text/plain; charset=utf-8 | ok
        # hit in HTTP/1.0
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, max-age=100, \
        stale-while-revalidate=86400, stale-if-error=604800 | cache-status: vitrine; hit | \
        connection: close | content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | last-modified: \
        Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        # hit in absolute form
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, max-age=100, \
        stale-while-revalidate=86400, stale-if-error=604800 | cache-status: vitrine; hit | \
        content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | last-modified: \
        Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        open
        # hit, and then no more
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, max-age=100, \
        stale-while-revalidate=86400, stale-if-error=604800 | cache-status: vitrine; hit | \
        content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | last-modified: \
        Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        # hit, miss of a route, hit
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, max-age=100, \
        stale-while-revalidate=86400, stale-if-error=604800 | cache-status: vitrine; hit | \
        content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | last-modified: \
        Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff | 10764 bytes
        404 | secured | common | problem | unknown-route | Unknown route | There is nothing here; \
        thumbnails are at /t/{level}/{source}/{kind}/{id}.
        200 | common | access-control-allow-origin: * | age: 0 | cache-control: public, max-age=100, \
        stale-while-revalidate=86400, stale-if-error=604800 | cache-status: vitrine; hit | \
        content-length: 10764 | content-type: image/webp | etag: \
        "sha256-0a035d281f9a913723ec8b316c02c194be0a4f1ba47908d2ac04028c13fad8da" | last-modified: \
        Tue, 14 Nov 2023 22:13:20 GMT | repr-digest: \
        sha-256=:CgNdKB+akTcj7IsxbALBlL4KTxukeQjSrAQCjBP62No=: | vary: Accept | \
        x-content-type-options: nosniff
        open
        # id and trace
        200 | secured | cache-control: no-store | content-length: 3 | content-type: text/plain; \
        charset=utf-8 | date: … | server: vitrine | x-request-id: mine-1 | ok
        open
        # length and coding
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | Transfer-Encoding has to end with chunked, named \
        once, in HTTP/1.1 and without Content-Length.
        # length with a sign
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | Content-Length is not one number of at most 15 \
        digits.
        # lines without CR
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | A line of the header does not end with CR LF.
        # long chunk extensions
        400 | secured | common | cache-control: no-store | connection: close | content-type: \
        application/problem+json | vary: Origin, Sec-Fetch-Site | broken-body | Broken body | The \
        body is cut off, or its framing is broken.
        # long request trailers
        400 | secured | common | cache-control: no-store | connection: close | content-type: \
        application/problem+json | vary: Origin, Sec-Fetch-Site | broken-body | Broken body | The \
        body is cut off, or its framing is broken.
        # method in lower case
        501 | secured | common | problem | unknown-method | Unknown method | Nothing here knows get; \
        possible are GET, HEAD, POST, PUT, DELETE and OPTIONS.
        open
        # method that is not possible
        405 | secured | common | problem | allow: GET, HEAD, OPTIONS | method-not-allowed | Method \
        not allowed | DELETE is not possible here; possible are GET, HEAD, OPTIONS.
        open
        # no Host
        400 | secured | common | problem | malformed-path | Malformed path | A request has one Host \
        field, and a target that begins with “/”.
        open
        # odd Host
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        open
        # prior knowledge
        505 | common | problem | connection: close | x-content-type-options: nosniff | \
        unknown-version | Unknown HTTP version | Requests without TLS are read as HTTP/1.1 or \
        HTTP/1.0.
        # request after a body that is not read
        200 | secured | common | cache-control: no-store | content-length: 3 | content-type: \
        text/plain; charset=utf-8 | ok
        404 | secured | common | problem | unknown-route | Unknown route | There is nothing here; \
        thumbnails are at /t/{level}/{source}/{kind}/{id}.
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
        404 | secured | common | problem | unknown-route | Unknown route | There is nothing here; \
        thumbnails are at /t/{level}/{source}/{kind}/{id}.
        open
        # target of 9 kB
        414 | common | problem | connection: close | x-content-type-options: nosniff | \
        target-too-long | URI too long | The request target has more than 8192 bytes.
        # target of more than 8 kB
        414 | secured | common | problem | target-too-long | URI too long | The request target has \
        more than 8192 bytes.
        open
        # target that is not a path
        400 | secured | common | problem | malformed-path | Malformed path | A request has one Host \
        field, and a target that begins with “/”.
        open
        # target that is not ASCII
        400 | secured | common | problem | malformed-path | Malformed path | The target must be \
        ASCII without spaces and “#”; percent-encode the rest.
        open
        # target with a fragment
        400 | secured | common | problem | malformed-path | Malformed path | The target must be \
        ASCII without spaces and “#”; percent-encode the rest.
        open
        # two Hosts
        400 | secured | common | problem | malformed-path | Malformed path | A request has one Host \
        field, and a target that begins with “/”.
        open
        # two equal lengths
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | Content-Length is not one number of at most 15 \
        digits.
        # two lengths in one field
        400 | common | problem | connection: close | x-content-type-options: nosniff | \
        unreadable-request | Unreadable request | Content-Length is not one number of at most 15 \
        digits.
        # unknown method
        501 | secured | common | problem | unknown-method | Unknown method | Nothing here knows \
        BREW; possible are GET, HEAD, POST, PUT, DELETE and OPTIONS.
        open
        """
}
