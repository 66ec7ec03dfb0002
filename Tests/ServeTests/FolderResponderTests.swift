import Catalog
import Folders
import Foundation
import HTTP
import HTTPTypes
import Imaging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// A folder over HTTP, without sockets.
@Suite(.timeLimit(.minutes(1))) struct FolderResponderTests {
    private static let picture = FixtureImages.jpeg(width: 60, height: 40, seed: 1)

    /// A service with a folder of these files.
    private func with(
        _ files: [String: [UInt8]],
        _ body: (Responder, TemporaryDirectory, Harness) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        for (name, bytes) in files {
            let url = URL(fileURLWithPath: directory.file("pics/\(name)"))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
        let harness = try await Harness(folders: [
            Folder(name: "pics", title: "My pictures", path: directory.file("pics"))
        ])
        try await withHarness(harness) { harness async throws in
            try await body(Responder(harness.pipeline, .init()), directory, harness)
        }
    }

    private func ask(
        _ responder: Responder, _ target: String, _ fields: HTTPFields = [:]
    ) async -> Response {
        await responder.answer(Request(method: .get, target: target, fields: fields))
    }

    @Test func `a file that is being copied is kept by no client, and a broken one for a minute`()
        async throws
    {
        let half = Array(Self.picture.prefix(Self.picture.count / 2))
        try await with(["a.jpg": half]) { responder, directory, harness in
            let path = directory.file("pics/a.jpg")
            func setChange(_ date: Date) throws {
                try FileManager.default.setAttributes(
                    [.modificationDate: date], ofItemAtPath: path)
            }
            try setChange(harness.clock.now.addingTimeInterval(-10))
            for accept in ["image/webp,*/*", "application/json"] {
                let young = await ask(responder, "/t/s/pics/file/a.jpg", [.accept: accept])
                #expect(young.status.code == 415)
                #expect(young.fields[.cacheControl] == "no-store")
            }
            try await changesShow(of: path)
            harness.clock.advance(by: 120)
            let old = await ask(responder, "/t/s/pics/file/a.jpg", [.accept: "image/webp,*/*"])
            #expect(old.status.code == 415)
            #expect(old.fields[.cacheControl] == "public, max-age=60")
            try Data(Self.picture).write(to: URL(fileURLWithPath: path))
            let whole = await ask(responder, "/t/s/pics/file/a.jpg", [.accept: "image/webp,*/*"])
            #expect(whole.status.code == 200)
        }
    }

    @Test(arguments: [
        ("a.jpg", "image/webp", true), ("a.jpg.webp", "image/webp", false),
        ("a.jpg.jpg", "image/jpeg", false), ("a.jpg.avif", "image/avif", false),
        ("d/b.png.jpeg", "image/jpeg", false), ("c", "image/webp", true),
        ("c.png", "image/png", false), ("both", "image/webp", true),
        // A file of exactly that name goes before the format.
        ("both.jpg", "image/webp", true), ("both.jpg.jpg", "image/jpeg", false),
        ("100%25%20%231%3F%20%C3%BC.jpg", "image/webp", true),
    ])
    func `a name is a file, or a file and a format`(
        name: String, type: String, isNegotiated: Bool
    ) async throws {
        let files = ["a.jpg", "d/b.png", "c", "both", "both.jpg", "100% #1? ü.jpg"]
        try await with(Dictionary(uniqueKeysWithValues: files.map { ($0, Self.picture) })) {
            responder, _, _ in
            let answer = await ask(
                responder, "/t/s/pics/file/\(name)", [.accept: "image/webp,*/*"])
            #expect(answer.status == .ok)
            #expect(answer.fields[.contentType] == type)
            #expect((answer.fields[.vary] == "Accept") == isNegotiated)
        }
    }

    @Test func `responses that keep their files open don't take those of others`() async throws {
        let count = Harness.responseFiles + Harness.keptFiles
        let files = (0...count).map { ("\($0).jpg", Self.picture + [UInt8($0)]) }
        try await with(Dictionary(uniqueKeysWithValues: files)) { responder, _, _ in
            var slow: [Response] = []
            for number in 0..<count {
                slow.append(await ask(responder, "/o/pics/file/\(number).jpg"))
            }
            #expect(slow.allSatisfy { $0.status == .ok })
            let refused = await ask(responder, "/o/pics/file/\(count).jpg")
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.fields[.retryAfter].flatMap { Int($0) } ?? 0 >= 1)
            // A thumbnail needs none.
            #expect(await ask(responder, "/t/s/pics/file/\(count).jpg").status == .ok)
            slow.removeLast()
            #expect(await ask(responder, "/o/pics/file/\(count).jpg").status == .ok)
        }
    }

    @Test(arguments: [
        "none.jpg", "d", "d/", "d/none.webp", ".hidden.jpg", "a.jpg/b.jpg", "a.jpg/", "/a.jpg",
        "a.webp",
    ])
    func `a name without a file is 404 everywhere`(name: String) async throws {
        try await with([
            "a.jpg": Self.picture, "d/b.jpg": Self.picture, ".hidden.jpg": Self.picture,
        ]) { responder, _, _ in
            for path in ["/t/s/pics/file/", "/o/pics/file/", "/v1/pics/file/"] {
                #expect(await ask(responder, path + name).status == .notFound, "\(path)\(name)")
            }
        }
    }

    @Test(arguments: ["../secret.jpg", "d/%2e%2e/a.jpg", "%2fetc/passwd", "a%00.jpg", "d%2fb.jpg"])
    func `a name that hides a way out is refused`(name: String) async throws {
        try await with(["a.jpg": Self.picture]) { responder, _, _ in
            for path in ["/t/s/pics/file/", "/o/pics/file/", "/v1/pics/file/"] {
                #expect(await ask(responder, path + name).status == .badRequest)
            }
        }
    }

    @Test(arguments: ["d/e/a.jpg", "100% #1? ü.jpg"])
    func `a file has tiles, of its new picture once it is changed`(name: String) async throws {
        let picture = FixtureImages.jpeg(width: 700, height: 600, seed: 1)
        try await with([name: picture]) { responder, directory, _ in
            let service = IIIFRoute.path(.three, "pics/file/\(name)")
            let info = try json(await ask(responder, "\(service)/info.json"))
            #expect([info["width"] as? Int, info["height"] as? Int] == [700, 600])
            let tile = "\(service)/0,0,512,512/512,512/0/default.jpg"
            let first = try await ask(responder, tile).collected()
            #expect(try await ask(responder, tile).collected() == first)
            try directory.write(
                FixtureImages.jpeg(width: 800, height: 640, seed: 2), to: "pics/\(name)")
            let second = try await ask(responder, tile).collected()
            #expect(second != first && !second.isEmpty)
            let changed = try json(await ask(responder, "\(service)/info.json"))
            #expect([changed["width"] as? Int, changed["height"] as? Int] == [800, 640])
            try FileManager.default.removeItem(atPath: directory.file("pics/\(name)"))
            #expect(await ask(responder, tile).status == .notFound)
        }
    }

    @Test(arguments: ["a.jpg", "d/e/\u{301}b 1.jpg"])
    func `viewers of IIIF get a file by its path`(name: String) async throws {
        try await with([name: Self.picture]) { responder, _, _ in
            let id = try #require(
                "pics/file/\(name)".addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let information = try json(await ask(responder, "/iiif/3/\(id)/info.json"))
            #expect(information["width"] as? Int == 60)
            let answer = await ask(responder, "/iiif/3/\(id)/full/30,/0/default.jpg")
            #expect(answer.status == .ok)
            let manifest = await ask(responder, "/iiif/presentation/3/\(id)/manifest")
            #expect(manifest.status == .ok)
        }
    }

    @Test func `an original is sent from its file, with ranges`() async throws {
        try await with(["d/a.jpg": Self.picture, "text.jpg": Array("no picture".utf8)]) {
            responder, directory, _ in
            let whole = await ask(responder, "/o/pics/file/d/a.jpg")
            #expect(whole.status == .ok && whole.fields[.contentType] == "image/jpeg")
            #expect(try await whole.collected() == Self.picture)
            let tag = try #require(whole.fields[.eTag])
            let part = await ask(responder, "/o/pics/file/d/a.jpg", [.range: "bytes=2-5"])
            #expect(part.status == .partialContent)
            #expect(try await part.collected() == Array(Self.picture[2...5]))
            let known = await ask(responder, "/o/pics/file/d/a.jpg", [.ifNoneMatch: tag])
            #expect(known.status == .notModified)
            #expect(await ask(responder, "/o/pics/file/text.jpg").status.code == 415)
            let other = FixtureImages.jpeg(width: 30, height: 30)
            try directory.write(other, to: "pics/d/a.jpg")
            let changed = await ask(responder, "/o/pics/file/d/a.jpg", [.ifNoneMatch: tag])
            #expect(changed.status == .ok)
            #expect(try await changed.collected() == other)
        }
    }

    @Test func `a directory is listed with its pictures and its directories`() async throws {
        var files = ["d/e/x.jpg": Self.picture, "notes.txt": Array("text".utf8)]
        for number in 100..<205 { files["\(number).jpg"] = Self.picture }
        files["150.jpg"] = Array("no picture".utf8)
        try await with(files) { responder, _, _ in
            let first = try json(await ask(responder, "/v1/pics/files"))
            let items = try #require(first["items"] as? [[String: Any]])
            #expect(items.count == 99)
            #expect(items[0]["item"] as? String == "pics/file/100.jpg")
            #expect(items[0]["title"] as? String == "100.jpg")
            #expect((items[0]["date"] as? String)?.count == 10)
            #expect(first["total"] as? Int == 106)
            #expect(first["next"] as? String == "/v1/pics/files?page=1")
            let directories = try #require(first["directories"] as? [[String: String]])
            #expect(directories == [["dir": "d", "url": "/v1/pics/files?dir=d"]])
            let second = try json(await ask(responder, "/v1/pics/files?page=1"))
            #expect((second["items"] as? [Any])?.count == 5)
            #expect(second["next"] is NSNull)
            let inner = try json(await ask(responder, "/v1/pics/files?dir=d"))
            #expect((inner["directories"] as? [[String: String]])?.first?["dir"] == "d/e")
            let tree = try json(await ask(responder, "/v1/pics/tree?dir=d"))
            #expect((tree["items"] as? [[String: Any]])?.first?["id"] as? String == "d/e/x.jpg")
            let past = await ask(responder, "/v1/pics/files?page=7")
            #expect(past.status == .ok)
            for (query, status) in [
                ("dir=none", 404), ("dir=..", 404), ("dir=d/../..", 404), ("sort=size", 400),
                ("page=x", 400), ("after=1", 400), ("from=2999", 400),
            ] {
                let answer = await ask(responder, "/v1/pics/files?\(query)")
                #expect(answer.status.code == status, "\(query)")
            }
            let sheet = await ask(responder, "/sheet/xs/pics/files.jpg?dir=d/e")
            #expect(sheet.status == .ok && sheet.fields[.contentType] == "image/jpeg")
        }
    }

    @Test(arguments: [3_000, 8_200, 900_000])
    func `an SVG behind a comment of any usual length is listed and shown`(length: Int) async throws
    {
        let comment = "<!-- " + String(repeating: "license ", count: length / 8) + "-->\n"
        let files = [
            "a.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"/>",
            "b.svg": "<html><svg></svg></html>",
        ].mapValues { Array((comment + $0).utf8) }
        try await with(files) { responder, _, _ in
            let list = try json(await ask(responder, "/v1/pics/files"))
            let items = try #require(list["items"] as? [[String: Any]])
            #expect(items.map { $0["item"] as? String } == ["pics/file/a.svg"])
            let picture = await ask(responder, "/t/s/pics/file/a.svg", [.accept: "image/webp"])
            #expect(picture.status == .ok && picture.fields[.contentType] == "image/webp")
        }
    }

    @Test func `a thousand directories are a page, with or without pictures beside them`()
        async throws
    {
        try await with(["a.jpg": Self.picture]) { responder, directory, _ in
            let names = (1_000...2_000).map { "d\($0)" }
            for name in names {
                try FileManager.default.createDirectory(
                    atPath: directory.file("pics/\(name)"), withIntermediateDirectories: true)
            }
            var seen: [[String]] = []
            var next: String? = "/v1/pics/files"
            while let path = next, seen.count < 4 {
                let page = try json(await ask(responder, path))
                let part = page["directories"] as? [[String: String]]
                seen.append(part?.compactMap { $0["dir"] } ?? [])
                #expect((page["items"] as? [Any])?.count == (seen.count == 1 ? 1 : 0))
                #expect(page["total"] as? Int == 1)
                next = page["next"] as? String
            }
            #expect(seen == [Array(names.prefix(1_000)), ["d2000"]])
            // A filter that nothing matches looks through both pages.
            let filtered = try json(await ask(responder, "/v1/pics/files?title=none"))
            #expect((filtered["directories"] as? [Any])?.count == names.count)
        }
    }

    @Test func `a change shows in the list and in the picture's facts`() async throws {
        try await with(["a.jpg": Self.picture]) { responder, directory, harness in
            func names() async throws -> [String] {
                let page = try json(await ask(responder, "/v1/pics/files"))
                return (page["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            }
            #expect(try await names() == ["a.jpg"])
            #expect(await ask(responder, "/t/s/pics/file/a.jpg").status == .ok)
            let generation = harness.pipeline.generation
            try directory.write(Self.picture, to: "pics/b.jpg")
            await eventually { harness.pipeline.generation != generation }
            #expect(try await names() == ["a.jpg", "b.jpg"])
            let item = try json(await ask(responder, "/v1/pics/file/a.jpg"))
            #expect(item["aspectRatio"] as? Double == 1.5)
            let link = (item["thumbnails"] as? [String: [String: Any]])?["s"]
            #expect(link?["url"] as? String == "/t/s/pics/file/a.jpg")
            #expect(link?["width"] as? Int == 60)
        }
    }

    @Test func `a file can be a favorite`() async throws {
        try await with(["d/a.jpg": Self.picture]) { responder, _, harness in
            let item = try harness.pipeline.item(source: "pics", kind: "file", id: "d/a.jpg")
            _ = try await harness.pipeline.userData.addFavorite(item)
            let favorites = try await harness.pipeline.userData.favorites()
            #expect(favorites.map(\.item) == [item])
            #expect(favorites[0].details?.details.entry.title == "a.jpg")
        }
    }

    @Test func `the description and the gallery know a folder`() async throws {
        try await with(["a.jpg": Self.picture]) { responder, _, _ in
            let api = String(decoding: await ask(responder, "/openapi.json").body, as: UTF8.self)
            for path in [
                "/t/{level}/pics/file/{id}", "/o/pics/file/{id}", "/v1/pics/file/{id}",
                "/v1/pics/files", "/v1/pics/tree", "/sheet/{level}/pics/files",
            ] { #expect(api.contains("\"\(path)\""), "\(path)") }
            let page = String(decoding: await ask(responder, "/").body, as: UTF8.self)
            #expect(page.contains(#"[["pics/files","Folders"],["pics/tree","All"]]"#))
        }
    }

    // MARK: - Hits

    @Test func `hits of a file end when a file of exactly that name comes`() async throws {
        try await with(["a.png": Self.picture]) { responder, directory, harness in
            let hits = PipelineHits(harness.pipeline, bodyBytes: 1 << 20)
            func isHit(_ target: String) -> Bool {
                let found = Array(target.utf8).withUnsafeBytes {
                    hits.find($0, 1, needsBody: false, sendsFiles: true, after: nil)
                }
                return switch found {
                case .inMemory, .once: true
                case .waits, .unknown: false
                }
            }
            let target = "/t/s/pics/file/a.png.webp"
            #expect(!isHit(target))
            #expect(await ask(responder, target).status == .ok)
            await harness.pipeline.pictures.settled()
            #expect(isHit(target))
            #expect(isHit("/t/s/pics/file/a.png"))
            let other = FixtureImages.jpeg(width: 20, height: 50)
            try directory.write(other, to: "pics/a.png.webp")
            await eventually { !isHit(target) }
            let answer = await ask(responder, target, [.accept: "image/jpeg"])
            #expect(answer.fields[.contentType] == "image/jpeg")
        }
    }

    @Test func `a prepared response of a file answers no request after a change of the file`()
        async throws
    {
        try await with(["a.jpg": Self.picture]) { responder, directory, harness in
            let hits = PipelineHits(harness.pipeline, bodyBytes: 1 << 20)
            let target = "/t/s/pics/file/a.jpg"
            for width in 1...20 {
                #expect(await ask(responder, target).status == .ok)
                await harness.pipeline.pictures.settled()
                let found = Array(target.utf8).withUnsafeBytes {
                    hits.find($0, 1, needsBody: false, sendsFiles: true, after: nil)
                }
                guard case .inMemory(let offer) = found else {
                    Issue.record("\(found)")
                    return
                }
                #expect(hits.mayAnswer(offer.record))
                try directory.write(
                    FixtureImages.jpeg(width: 20 + width, height: 50), to: "pics/a.jpg")
                // Whether or not the watch's own thread has looked.
                #expect(!hits.mayAnswer(offer.record))
            }
        }
    }
}
