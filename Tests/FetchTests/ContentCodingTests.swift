import CCompression
import Fetch
import TestSupport
import Testing

/// What origins say in `Content-Encoding`, and what becomes of the body.
@Suite(.timeLimit(.minutes(1))) struct ContentCodingTests {
    /// Registered by IANA (HTTP Content Coding Registry) and read.
    private static let read: [(name: String, wrapping: Wrapping)] = [
        ("gzip", .gzip), ("GZip", .gzip), ("x-gzip", .gzip), ("X-GZIP", .gzip), ("deflate", .zlib),
        ("deflate", .raw), ("Deflate", .zlib), (" gzip ", .gzip), ("utf-8, gzip", .gzip),
        ("gzip, identity", .gzip),
    ]

    enum Wrapping: Int32, Sendable {
        case gzip = 31
        case zlib = 15
        case raw = -15
    }

    static func deflated(_ bytes: [UInt8], _ wrapping: Wrapping = .gzip) -> [UInt8] {
        var stream = z_stream()
        // deflateInit2 is a macro.
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, wrapping.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        var input = bytes
        return [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 100 + 64) {
            to, count in
            input.withUnsafeMutableBufferPointer { from in
                stream.next_in = from.baseAddress
                stream.avail_in = UInt32(from.count)
                stream.next_out = to.baseAddress
                stream.avail_out = UInt32(to.count)
                _ = deflate(&stream, Z_FINISH)
            }
            count = Int(stream.total_out)
        }
    }

    private func result(
        _ body: [UInt8], _ coding: String, chunked: Bool = false, api: Bool = false,
        maxBytes: Int = 1 << 20
    ) async throws -> Fetched {
        let reply = OriginReply.ok(body, headers: [("Content-Encoding", coding)])
        return try await fetched(chunked ? reply.chunked() : reply) {
            $0 = FetchRequest(url: $0.url, purpose: api ? .api : .original, maxBytes: maxBytes)
        }
    }

    @Test(arguments: read.indices, [false, true])
    func `gzip and deflate are removed from an original that was sent so`(
        index: Int, chunked: Bool
    ) async throws {
        let (name, wrapping) = Self.read[index]
        let bytes = pattern(300_000)
        let body = Self.deflated(bytes, wrapping)
        let fetched = try await result(body, name, chunked: chunked)
        #expect(try fetched.response.body == bytes)
        #expect(try fetched.response.received == body.count)
        // It was not asked for.
        #expect(fetched.log.requests.first?.header("accept-encoding") == nil)
    }

    @Test(arguments: [
        "Identity", "identity", "IDENTITY", "none", "None", "utf-8", "UTF-8", "binary", "8bit",
        "base64",
        "image/jpeg", "aws-chunked", "AWS-Chunked", "chunked", "raw", "x-identity", "gzip2", "gz",
        "zlib", "x-deflate", "bzip2", "lzma", "xz", "", ",", " , ", "aws-chunked,identity",
        "gzip;q=1",
    ])
    func `a name that is not a registered coding says nothing about the bytes`(
        name: String
    ) async throws {
        let bytes = pattern(1_000)
        for api in [false, true] {
            #expect(try await result(bytes, name, api: api).response.body == bytes)
        }
    }

    @Test(arguments: [
        ("br", "br"), ("BR", "br"), ("zstd", "zstd"), ("compress", "compress"),
        ("X-Compress", "x-compress"), ("dcb", "dcb"), ("dcz", "dcz"), ("exi", "exi"),
        ("pack200-gzip", "pack200-gzip"), ("aes128gcm", "aes128gcm"), ("gzip, br", "br"),
        ("utf-8, zstd", "zstd"),
    ])
    func `a registered coding that is not read is named`(field: String, name: String) async throws {
        for api in [false, true] {
            let fetched = try await result(pattern(100), field, api: api)
            #expect(
                fetched.error?.cause
                    == .protocolError(
                        reason: "its content coding is \(name), and only gzip and deflate are read")
            )
            #expect(fetched.log.requests.count == 1)
        }
    }

    @Test func `codings that were applied to each other are removed in turn`() async throws {
        let bytes = pattern(50_000)
        let body = Self.deflated(Self.deflated(Self.deflated(bytes), .raw))
        #expect(try await result(body, "gzip, deflate, gzip").response.body == bytes)
        #expect(
            try await result(body, "gzip,gzip,gzip,gzip,gzip").error?.cause
                == .protocolError(reason: "it is compressed more than 4 times"))
    }

    /// The limit holds for what the body inflates to, and for what is sent.
    @Test(arguments: [
        (1, 10_000, true), (1, 10_001, false), (2, 10_001, false), (1, 50_000_000, false),
    ])
    func `a compressed body is limited by what it becomes`(
        times: Int, count: Int, isTaken: Bool
    ) async throws {
        var body = [UInt8](repeating: 7, count: count)
        for _ in 0..<times { body = Self.deflated(body) }
        let codings = Array(repeating: "gzip", count: times).joined(separator: ",")
        let fetched = try await result(body, codings, maxBytes: 10_000)
        if isTaken {
            #expect(try fetched.response.body.count == count)
        } else {
            #expect(fetched.error?.cause == .tooLarge(limit: 10_000))
        }
    }

    @Test func `a compressed body that becomes nothing is limited, too`() async throws {
        // Empty stored blocks of deflate, without an end.
        let body = [[UInt8]](repeating: [0, 0, 0, 0xFF, 0xFF], count: 4_000).flatMap(\.self)
        let fetched = try await result(body, "deflate", chunked: true, maxBytes: 10_000)
        #expect(fetched.error?.cause == .tooLarge(limit: 10_000))
    }

    @Test(arguments: [
        (Wrapping.gzip, 1), (.gzip, 8), (.gzip, 9), (.gzip, 500), (.zlib, 1), (.zlib, 4),
        (.zlib, 500),
        (.raw, 1), (.raw, 500),
    ])
    func `a compressed body without its end is cut off`(
        wrapping: Wrapping, missing: Int
    ) async throws {
        let body = Array(Self.deflated(pattern(20_000), wrapping).dropLast(missing))
        let fetched = try await result(body, wrapping == .gzip ? "gzip" : "deflate")
        #expect(fetched.error?.cause == .truncated(reason: "the compressed body ends too early"))
        // Like every body that is cut off it is tried again.
        #expect(fetched.log.requests.count == 4)
    }

    @Test(arguments: ["gzip", "deflate"])
    func `a body that is not what its coding says is refused`(name: String) async throws {
        let fetched = try await result(FixtureImages.jpeg(width: 8, height: 8), name)
        #expect(
            fetched.error?.cause
                == .protocolError(reason: "its body is not what its coding \(name) says"))
    }

    @Test func `an empty body has no coding`() async throws {
        #expect(try await result([], "gzip").response.body.isEmpty)
    }

    @Test func `bytes behind a compressed body are ignored, and further gzip members belong to it`()
        async throws
    {
        let (one, two) = (pattern(5_000), pattern(3_000))
        let rest: [[UInt8]] = [[0], [0, 0, 0], [0x1F], [0x1F, 0], Array("<!-- cached -->".utf8)]
        for rest in rest {
            #expect(try await result(Self.deflated(one) + rest, "gzip").response.body == one)
            #expect(
                try await result(Self.deflated(one, .zlib) + rest, "deflate").response.body == one)
        }
        let both = Self.deflated(one) + Self.deflated(two)
        #expect(try await result(both, "gzip").response.body == one + two)
    }

    @Test func `the declared length is that of the compressed body`() async throws {
        let body = Self.deflated(pattern(20_000))
        let fetched = try await fetched(
            .ok(body, headers: [("Content-Encoding", "gzip")]).cut(after: body.count / 2))
        guard case .truncated = fetched.error?.cause else { return miss("\(fetched.result)") }
    }

    @Test func `a whole representation as a range is decompressed, a part is not`() async throws {
        let bytes = pattern(20_000)
        let body = Self.deflated(bytes)
        for (range, expected) in [
            ("bytes 0-\(body.count - 1)/\(body.count)", bytes),
            ("bytes 0-\(body.count - 1)/\(body.count + 1)", body),
        ] {
            let fetched = try await fetched(
                OriginReply(
                    206, body: body,
                    headers: [("Content-Encoding", "gzip"), ("Content-Range", range)]))
            #expect(try fetched.response.body == expected)
            #expect(try fetched.response.hasWholeBody == (expected == bytes))
        }
    }
}
