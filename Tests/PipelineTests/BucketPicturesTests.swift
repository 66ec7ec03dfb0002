import Catalog
import Fetch
import Foundation
import Hashing
import Imaging
import Memory
import Objects
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

/// Pictures of a bucket, through the whole pipeline.
@Suite(.timeLimit(.minutes(1))) struct BucketPicturesTests {
    private struct Scene {
        let bucket: PlayedBucket
        let harness: Harness

        init(_ change: (inout BucketDefinition) -> Void = { _ in }) async throws {
            bucket = try await PlayedBucket.start()
            harness = try await Harness(sources: [bucket.source(PipelineMetrics(), change)])
        }

        func item(_ key: String) -> Item {
            Item(source: PlayedBucket.name, kind: "file", id: key)
        }

        func picture(_ key: String, _ level: String = "m") async throws -> PictureAnswer {
            let answer = try await harness.pipeline.pictures.picture(
                of: item(key), level: try harness.pipeline.level(level), format: .jpeg)
            await harness.pipeline.pictures.settled { $0.source == PlayedBucket.name }
            return answer
        }

        /// Asks for a picture whose object may have changed, and waits for what comes of that.
        func refresh(_ key: String) async throws {
            let before = bucket.asked.count
            _ = try await picture(key)
            await eventually { bucket.asked.count > before }
            await harness.pipeline.pictures.settled { $0.source == PlayedBucket.name }
            await eventually { harness.pipeline.status.misses == 0 }
        }

        func page(_ list: String, _ parameters: [String: String] = [:]) async throws -> PageAnswer {
            let source = try harness.pipeline.sources.named(PlayedBucket.name)
            return try await harness.pipeline.catalog.page(
                try source.query(list: list, parameters: parameters))
        }

        func original(_ key: String, wantsBytes: Bool = true) async throws -> [UInt8] {
            let answer = try await harness.pipeline.pictures.original(
                of: item(key), wantsBytes: { _, _ in wantsBytes })
            guard case .open(let blob) = answer.content else { return [] }
            return try await blob.read(0..<blob.byteCount)
        }
    }

    private static let first = FixtureImages.jpeg(width: 600, height: 400, seed: 1)
    private static let second = FixtureImages.jpeg(width: 400, height: 600, seed: 2)

    @Test func `a cold item is one GET, a hit none, and an old one a conditional GET`() async throws
    {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["a/1.jpg"] = Self.first
            let made = try await scene.picture("a/1.jpg")
            #expect(made.outcome == .miss && made.picture.facts.width == 320)
            #expect(scene.bucket.asked == ["GET a/1.jpg"])
            for level in ["m", "s"] {
                #expect(try await scene.picture("a/1.jpg", level).outcome == .hit)
            }
            #expect(scene.bucket.asked.count == 1)
            // The cache has no copy.
            let digest = Digest(of: Self.first)
            await #expect(throws: Failure.self) { try await harness.pipeline.pictures.blob(digest) }
            harness.clock.advance(by: 61)
            try await scene.refresh("a/1.jpg")
            #expect(scene.bucket.asked == ["GET a/1.jpg", "GET a/1.jpg if v1-2"])
            #expect(try await scene.picture("a/1.jpg").outcome == .hit)
            #expect(scene.bucket.asked.count == 2)
            #expect(harness.pipeline.status.renderCount == 1)
        }
    }

    @Test func `a larger level needs the object once more, unless the cache keeps originals`()
        async throws
    {
        for keeps in [false, true] {
            let scene = try await Scene { $0.keepsOriginals = keeps }
            try await withHarness(scene.harness) { harness async throws in
                scene.bucket["1.jpg"] = Self.first
                _ = try await scene.picture("1.jpg")
                #expect(try await scene.picture("1.jpg", "xl").picture.facts.width == 600)
                #expect(scene.bucket.asked == Array(repeating: "GET 1.jpg", count: keeps ? 1 : 2))
                #expect(try await scene.original("1.jpg") == Self.first)
                #expect(scene.bucket.asked.count == (keeps ? 1 : 3))
            }
        }
    }

    @Test func `a changed object has its new picture in every level after recheck`() async throws {
        let scene = try await Scene { $0.recheck = 5 }
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["1.jpg"] = Self.first
            _ = try await scene.picture("1.jpg")
            _ = try await scene.picture("1.jpg", "s")
            scene.bucket["1.jpg"] = Self.second
            #expect(try await scene.picture("1.jpg").picture.facts.width == 320)
            harness.clock.advance(by: 6)
            try await scene.refresh("1.jpg")
            #expect(try await scene.picture("1.jpg").picture.facts.height == 480)
            #expect(try await scene.picture("1.jpg", "s").picture.facts.height == 240)
        }
    }

    @Test func `a purge shows a changed object at once`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["1.jpg"] = Self.first
            _ = try await scene.picture("1.jpg")
            scene.bucket["1.jpg"] = Self.second
            _ = try await harness.pipeline.purge.run(.item(scene.item("1.jpg")))
            #expect(try await scene.picture("1.jpg").picture.facts.height == 480)
            #expect(scene.bucket.asked == ["GET 1.jpg", "GET 1.jpg"])
        }
    }

    @Test func `a deleted object has no picture after recheck, and one that comes back has`()
        async throws
    {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["1.jpg"] = Self.first
            _ = try await scene.picture("1.jpg")
            scene.bucket["1.jpg"] = nil
            harness.clock.advance(by: 61)
            try await scene.refresh("1.jpg")
            for _ in 1...2 {
                let gone = try await scene.picture("1.jpg")
                #expect(gone.picture.isPlaceholder && gone.picture.failure?.kind == .absent)
            }
            #expect(scene.bucket.asked.count == 2)
            scene.bucket["1.jpg"] = Self.second
            harness.clock.advance(by: 61)
            #expect(try await scene.picture("1.jpg").picture.facts.height == 480)
        }
    }

    @Test(arguments: [
        ("a b.jpg", "a%20b.jpg"), ("a+b.jpg", "a%2Bb.jpg"), ("100%.jpg", "100%25.jpg"),
        ("%41.jpg", "%2541.jpg"), ("#1?x=y&z.jpg", "%231%3Fx%3Dy%26z.jpg"),
        ("\u{1F600}.jpg", "%F0%9F%98%80.jpg"), ("a//b.jpg", "a//b.jpg"), ("/a.jpg", "/a.jpg"),
        ("a.jpg/", "a.jpg/"), ("\u{E9}.jpg", "%C3%A9.jpg"), ("e\u{301}.jpg", "e%CC%81.jpg"),
        ("a\\b<&>\"'.jpg", "a%5Cb%3C%26%3E%22%27.jpg"),
    ])
    func `a key is encoded once, whatever is in it`(key: String, path: String) async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { _ async throws in
            scene.bucket[key] = Self.first
            // Looks the same as one of them.
            scene.bucket["\u{E9}.jpg"] = key == "e\u{301}.jpg" ? Self.second : Self.first
            #expect(try await scene.picture(key).picture.facts.width == 320)
            #expect(scene.bucket.paths == ["/shop/shop/pictures/\(path)"])
            let listed = try await scene.page("tree").items.map(\.entry.item)
            #expect(listed.contains(scene.item(key)) != key.hasSuffix("/"))
        }
    }

    @Test(arguments: [
        "../secret.jpg", "a/../../secret.jpg", "a/./b.jpg", "..", ".hidden.jpg", "a/.git/b.jpg",
        "a\u{0}b.jpg", String(repeating: "a", count: 1_011),
    ])
    func `a name that climbs, is hidden or too long is no item`(name: String) async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket.addOutside("shop/secret.jpg", Self.first)
            let error = #expect(throws: Failure.self) {
                try harness.pipeline.item(source: PlayedBucket.name, kind: "file", id: name)
            }
            #expect(error?.kind == .notFound)
            #expect(scene.bucket.asked.isEmpty)
        }
    }

    private static let formats: [String: ThumbnailFormat] = ["jpg": .jpeg, "webp": .webp]

    @Test func `the last extension is a format if no object has the name`() async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["a.jpg"] = Self.first
            let pictures = harness.pipeline.pictures
            let level = try harness.pipeline.level("m")
            /// Returns the object and the format that are shown.
            func shown(_ name: String) async throws -> String? {
                let named = try #require(
                    try await pictures.named(
                        name, of: PlayedBucket.name,
                        format: { Self.formats[String($0)] }))
                let found = try await pictures.picture(
                    of: named, level: level, format: named.format ?? .jpeg)
                await pictures.settled()
                return found.answer.picture.isPlaceholder ? nil : text(found.named)
            }
            func text(_ named: NamedFile) -> String {
                "\(named.item.id) \(named.format?.rawValue ?? "")"
            }
            #expect(try await shown("a.jpg.webp") == "a.jpg webp")
            #expect(scene.bucket.asked == ["GET a.jpg.webp", "GET a.jpg"])
            // Both are known now.
            #expect(try await shown("a.jpg.webp") == "a.jpg webp")
            #expect(scene.bucket.asked.count == 2)
            // The other format is made of the object, of which no copy is kept.
            #expect(try await shown("a.jpg") == "a.jpg ")
            #expect(scene.bucket.asked.dropFirst(2) == ["GET a.jpg"])
            let known = pictures.knownName(
                "a.jpg.webp", of: PlayedBucket.name,
                format: { Self.formats[String($0)] })
            #expect(known.map(text) == "a.jpg webp")
            // An object of that name comes first, within recheck.
            scene.bucket["a.jpg.webp"] = Self.second
            harness.clock.advance(by: 61)
            #expect(try await shown("a.jpg.webp") == "a.jpg.webp ")
            #expect(try await shown("none.jpg.webp") == nil)
        }
    }

    @Test func `an original is its object, and a conditional request needs none while it is fresh`()
        async throws
    {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["1.jpg"] = Self.first
            #expect(try await scene.original("1.jpg") == Self.first)
            #expect(try await scene.original("1.jpg", wantsBytes: false) == [])
            #expect(scene.bucket.asked == ["GET 1.jpg"])
            harness.clock.advance(by: 61)
            #expect(try await scene.original("1.jpg", wantsBytes: false) == [])
            #expect(scene.bucket.asked == ["GET 1.jpg", "GET 1.jpg if v1-2"])
            #expect(try await scene.original("1.jpg") == Self.first)
            #expect(scene.bucket.asked.last == "GET 1.jpg")
            scene.bucket["2.jpg"] = FixtureImages.html
            await #expect(throws: Failure.self) { try await scene.original("2.jpg") }
            await eventually { harness.pipeline.status.originals.held == 0 }
        }
    }

    @Test func `nodes of a fleet share what one of them has made of an object`() async throws {
        let directory = try TemporaryDirectory()
        let bucket = try await PlayedBucket.start()
        bucket["1.jpg"] = Self.first
        let harness = try await Harness(
            objects: DirectoryStore(directory.file("shared")), sources: [bucket.source()])
        try await withHarness(harness) { harness async throws in
            let item = Item(source: PlayedBucket.name, kind: "file", id: "1.jpg")
            let level = try harness.pipeline.level("m")
            let made = try await harness.pipeline.pictures.picture(
                of: item, level: level, format: .jpeg)
            await harness.pipeline.pictures.settled()
            _ = await harness.pipeline.uploads?.finish()
            let uploaded = bucket.asked.count
            try await withHarness(Harness(nodeBeside: harness)) { other async throws in
                let shown = try await other.pipeline.pictures.picture(
                    of: item, level: level, format: .jpeg)
                #expect(shown.picture.facts.digest == made.picture.facts.digest)
                #expect(other.pipeline.status.renderCount == 0)
                #expect(bucket.asked.count == uploaded)
            }
        }
    }

    @Test(arguments: BucketFaults.all)
    func `what is wrong is one sentence`(fault: BucketFault) async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { _ async throws in
            if let reply = fault.reply { scene.bucket.fault(fault.key, reply) }
            let picture = try await scene.picture(fault.key).picture
            #expect(picture.isPlaceholder && picture.failure?.kind == fault.kind)
            #expect(picture.failure?.reason == fault.sentence)
        }
    }

    @Test(arguments: [403, 503])
    func `a bucket that fails leaves the picture that it had`(status: Int) async throws {
        let scene = try await Scene()
        try await withHarness(scene.harness) { harness async throws in
            scene.bucket["1.jpg"] = Self.first
            _ = try await scene.picture("1.jpg")
            scene.bucket.fault("1.jpg", PlayedBucket.error(status, "SlowDown"))
            harness.clock.advance(by: 61)
            try await scene.refresh("1.jpg")
            let stale = try await scene.picture("1.jpg")
            #expect(!stale.picture.isPlaceholder && stale.outcome == .stale)
            scene.bucket.recover()
            harness.clock.advance(by: 61)
            try await scene.refresh("1.jpg")
            #expect(try await scene.picture("1.jpg").outcome == .hit)
        }
    }
}

/// A fault of a bucket, and what clients read of it.
struct BucketFault: Sendable, CustomTestStringConvertible {
    var key: String
    var reply: OriginReply?
    var kind = Failure.Kind.unavailable
    var sentence: String

    var testDescription: String { sentence }
}

enum BucketFaults {
    static let all = [
        BucketFault(
            key: "1.jpg", reply: PlayedBucket.error(404, "NoSuchBucket"),
            sentence: "The bucket of “posters” doesn't exist. Correct folders.posters.location."),
        BucketFault(
            key: "1.jpg", reply: PlayedBucket.error(403, "AccessDenied"),
            sentence:
                "The bucket of “posters” refuses access (403, AccessDenied). Its credentials need "
                + "s3:GetObject and s3:ListBucket."),
        BucketFault(
            key: "1.jpg", reply: PlayedBucket.error(403, "SignatureDoesNotMatch"),
            sentence:
                "The bucket of “posters” rejects the credentials (403, SignatureDoesNotMatch). "
                + "Correct folders.posters.credentials."),
        BucketFault(
            key: "1.jpg",
            reply: PlayedBucket.error(
                301, "PermanentRedirect",
                headers: [
                    ("x-amz-bucket-region", "eu-west-1"), ("Location", "https://other.example/"),
                ]),
            sentence: "The bucket of “posters” is in the region eu-west-1. Set "
                + "folders.posters.region to it."),
        BucketFault(
            key: "1.jpg",
            reply: PlayedBucket.error(
                400, "AuthorizationHeaderMalformed", "<Region>eu-north-1</Region>"),
            sentence: "The bucket of “posters” is in the region eu-north-1. Set "
                + "folders.posters.region to it."),
        BucketFault(
            key: "1.jpg", reply: PlayedBucket.error(403, "RequestTimeTooSkewed"),
            sentence:
                "The clocks of this machine and of the bucket of “posters” differ by minutes. "
                + "Correct this machine's."),
        BucketFault(
            key: "1.jpg", reply: PlayedBucket.error(403, "InvalidObjectState"), kind: .rejected,
            sentence: "The object “1.jpg” is archived. Restore it in its bucket first."),
        BucketFault(
            key: "1.jpg",
            reply: PlayedBucket.error(
                403, "AccessDenied", "<Message>not authorized to perform: kms:Decrypt</Message>"),
            kind: .rejected,
            sentence: "The object “1.jpg” is encrypted with a key that the credentials of "
                + "“posters” may not use (403, AccessDenied). Allow them kms:Decrypt."),
        BucketFault(
            key: "1.jpg", reply: PlayedBucket.error(503, "SlowDown"),
            sentence: "The bucket of “posters” is overloaded or has failed (503, SlowDown)."),
        BucketFault(
            key: "1.jpg", reply: .ok(FixtureImages.jpeg(width: 60, height: 40)).cut(after: 100),
            sentence: "The bucket of “posters” sent only a part of the object."),
        BucketFault(
            key: "1.jpg", reply: OriginReply(200).declaring(length: 5 << 30), kind: .rejected,
            sentence: "The original is larger than 268435456 bytes (imaging.maxBytes)."),
        BucketFault(key: "a/", reply: .ok([]), kind: .rejected, sentence: "“a/” is a directory."),
        BucketFault(key: "a/", kind: .absent, sentence: "“a/” is a directory."),
        BucketFault(
            key: "none.jpg", kind: .absent, sentence: "The object “none.jpg” doesn't exist."),
    ]
}
