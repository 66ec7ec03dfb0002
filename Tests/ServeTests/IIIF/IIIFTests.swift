import Catalog
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Imaging
@testable import Serve

/// The IIIF Image API over a whole pipeline, without sockets.
@Suite(.timeLimit(.minutes(1))) struct IIIFTests {
    private static let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
    private static let service = "/iiif/3/tvmaze%2Fshow%2F1"

    /// Show 1 with one picture of 680×1000.
    private func harness(
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) async throws -> Harness {
        let harness = try await Harness(configure: configure)
        harness.serveShow(1, medium: nil)
        harness.origin.on("/original/1.jpg", .jpeg(Self.original, maxAge: 100, tag: "a"))
        return harness
    }

    private func ask(
        _ harness: Harness, _ target: String, _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get, configuration: ServerConfiguration = .init()
    ) async throws -> Response {
        var response = await ServeTests.ask(
            harness, target, fields, method: method, authority: "pictures.example:81",
            configuration: configuration)
        response.body = try await response.collected()
        return response
    }

    private func size(_ answer: Response) throws -> [Int] {
        let format = try #require(ImageFormat.sniff(answer.body))
        let header = try HeaderReader.read(answer.body, format)
        return [header.width, header.height]
    }

    @Test func `info.json of version 3 says what the service offers`() async throws {
        try await withHarness(harness()) { harness async throws in
            let answer = try await ask(harness, "\(Self.service)/info.json")
            #expect(answer.status == .ok)
            #expect(answer.fields[.contentType] == "application/json")
            #expect(answer.fields[.accessControlAllowOrigin] == "*")
            let info = try json(answer)
            #expect(info["id"] as? String == "http://pictures.example:81\(Self.service)")
            #expect(info["type"] as? String == "ImageService3")
            #expect(info["profile"] as? String == "level2")
            #expect([info["width"] as? Int, info["height"] as? Int] == [680, 1000])
            #expect(info["maxArea"] as? Int == 12_000_000)
            let tiles = try #require((info["tiles"] as? [[String: Any]])?.first)
            #expect(tiles["width"] as? Int == 512)
            #expect(tiles["scaleFactors"] as? [Int] == [1, 2])
            let sizes = try #require(info["sizes"] as? [[String: Int]])
            #expect(
                sizes.map { [$0["width"], $0["height"]] }
                    == [[80, 118], [160, 235], [320, 471], [640, 941], [680, 1000]])
            let linked = try await ask(
                harness, "\(Self.service)/info.json", [.accept: "application/ld+json"])
            #expect(linked.fields[.contentType]?.hasPrefix("application/ld+json;profile=") == true)
            #expect(linked.fields[.vary] == "Accept")
        }
    }

    @Test func `info.json of version 2 has its own form`() async throws {
        try await withHarness(harness()) { harness async throws in
            let info = try json(
                try await ask(harness, "/iiif/2/tvmaze%2Fshow%2F1/info.json"))
            #expect(info["@id"] as? String == "http://pictures.example:81/iiif/2/tvmaze%2Fshow%2F1")
            let profile = try #require(info["profile"] as? [Any])
            #expect(profile.first as? String == "http://iiif.io/api/image/2/level2.json")
            #expect([info["width"] as? Int, info["height"] as? Int] == [680, 1000])
        }
    }

    @Test func `a public URL is that of the documents`() async throws {
        try await withHarness(harness()) { harness async throws in
            var configuration = ServerConfiguration()
            configuration.publicURL = "https://cdn.example/"
            let info = try json(
                try await ask(harness, "\(Self.service)/info.json", configuration: configuration))
            #expect(info["id"] as? String == "https://cdn.example\(Self.service)")
            let part = try await ask(
                harness, "\(Self.service)/full/100,/0/default.jpg", configuration: configuration)
            #expect(
                part.fields[.link]?.hasPrefix("<https://cdn.example\(Self.service)/full/100,147/")
                    == true)
        }
    }

    @Test func `redirects and links are relative, so that they are the same for every host`()
        async throws
    {
        try await withHarness(harness()) { harness async throws in
            let base = try await ask(harness, Self.service)
            #expect(base.status == .seeOther)
            #expect(base.fields[.location] == "\(Self.service)/info.json")
            let two = try await ask(harness, "/iiif/2/tvmaze%2Fshow%2F1")
            #expect(two.fields[.location] == "/iiif/2/tvmaze%2Fshow%2F1/info.json")
            let part = try await ask(harness, "\(Self.service)/full/100,/0/default.jpg")
            #expect(
                part.fields[.link]?.hasPrefix("</iiif/3/tvmaze%2Fshow%2F1/full/100,147/") == true)
            #expect(part.fields[.cacheControl]?.hasPrefix("public, max-age=100") == true)
        }
    }

    @Test(
        arguments: [
            ("full/max/0/default.jpg", "image/jpeg", [680, 1000]),
            ("full/320,471/0/default.jpg", "image/jpeg", [320, 471]),
            ("full/100,/0/color.png", "image/png", [100, 147]),
            ("0,0,512,512/512,512/0/default.jpg", "image/jpeg", [512, 512]),
            ("512,512,512,512/168,488/0/default.jpg", "image/jpeg", [168, 488]),
            ("full/340,500/0/default.jpg", "image/jpeg", [340, 500]),
            ("17,31,301,203/200,100/90/gray.webp", "image/webp", [100, 200]),
            ("square/!50,60/!270/bitonal.png", "image/png", [50, 50]),
        ])
    func `a part has the size and format that it was asked for`(
        path: String, type: String, expected: [Int]
    ) async throws {
        try await withHarness(harness()) { harness async throws in
            let answer = try await ask(harness, "\(Self.service)/\(path)")
            #expect(answer.status == .ok)
            #expect(answer.fields[.contentType] == type)
            #expect(try size(answer) == expected)
            #expect(answer.fields[.link]?.contains(";rel=\"canonical\"") == true)
            let tag = try #require(answer.fields[.eTag])
            let again = try await ask(
                harness, "\(Self.service)/\(path)", [.ifNoneMatch: tag])
            #expect(again.status == .notModified && again.body.isEmpty)
            #expect(again.fields[.eTag] == tag)
        }
    }

    @Test func `errors have the statuses of the specification`() async throws {
        try await withHarness(harness()) { harness async throws in
            for (target, status) in [
                ("/iiif/3/tvmaze%2Fshow%2Fx/info.json", 404), ("/iiif/3/frob/info.json", 404),
                ("/iiif/3/a%2Fb/info.json", 404), ("/iiif/3/nosource%2Fshow%2F1/info.json", 404),
                ("/iiif/3/tvmaze%2Fshow%2F1/full/max/0/default.xyz", 400),
                ("/iiif/3/tvmaze%2Fshow%2F1/9000,0,5,5/max/0/default.jpg", 400),
                ("/iiif/3/tvmaze%2Fshow%2F1/full/2000,/0/default.jpg", 400),
                ("/iiif/3/tvmaze%2Fshow%2F1/full/max/33/default.jpg", 501),
                ("/iiif/3/tvmaze%2Fshow%2F1/full/max/0/default.tif", 501),
            ] {
                let answer = try await ask(harness, target)
                #expect(answer.status.code == status, "\(target)")
                #expect(answer.fields[.contentType] == "application/problem+json")
                #expect(answer.fields[.accessControlAllowOrigin] == "*")
            }
        }
    }

    /// Spotify's terms forbid cropping.
    @Test func `a picture that must not be cropped is offered whole, in any size`() async throws {
        let harness = try await Harness()
        harness.serveArtist()
        let service = "/iiif/3/spotify%2Fartist%2Fabc"
        try await withHarness(harness) { harness async throws in
            let answer = try await ask(harness, "\(service)/info.json")
            #expect(answer.fields[.link]?.contains("/image/3/level0.json") == true)
            let info = try json(answer)
            #expect(info["profile"] as? String == "level0" && info["tiles"] == nil)
            #expect(info["extraFormats"] as? [String] == ["png", "webp"])
            #expect((info["extraFeatures"] as? [String])?.contains("regionByPx") == false)
            #expect((info["sizes"] as? [[String: Int]])?.last == ["width": 640, "height": 640])
            let two = try json(try await ask(harness, "/iiif/2/spotify%2Fartist%2Fabc/info.json"))
            let profile = try #require(two["profile"] as? [Any])
            #expect(profile.first as? String == "http://iiif.io/api/image/2/level0.json")
            #expect(two["tiles"] == nil)
            for whole in [
                "full/100,100/0", "full/!100,200/90", "0,0,640,640/100,/!0", "square/100,/0",
            ] {
                let part = try await ask(harness, "\(service)/\(whole)/default.png")
                #expect(try size(part) == [100, 100], "\(whole)")
            }
            for crop in ["0,0,512,512/512,512/0", "pct:10,10,50,50/max/0", "1,0,639,640/max/0"] {
                let refused = try await ask(harness, "\(service)/\(crop)/default.jpg")
                #expect(refused.status == .notImplemented, "\(crop)")
                #expect(String(decoding: refused.body, as: UTF8.self).contains("forbid cropping"))
            }
            let manifest = try await ask(
                harness, "/iiif/presentation/3/spotify%2Fartist%2Fabc/manifest")
            let text = String(decoding: manifest.body, as: UTF8.self)
            #expect(text.contains("level0") && !text.contains("level2"))
        }
    }

    @Test func `a size that only its source tells is kept by clients for a minute`() async throws {
        var known = ServerConfiguration()
        known.publicURL = "https://cdn.example"
        try await withHarness(harness()) { [known] harness async throws in
            let before = try await ask(
                harness, "\(Self.service)/info.json", configuration: known)
            #expect(before.fields[.cacheControl] == "public, max-age=60")
            _ = try await ask(harness, "\(Self.service)/0,0,512,512/512,512/0/default.jpg")
            let after = try await ask(
                harness, "\(Self.service)/info.json", configuration: known)
            #expect(after.fields[.cacheControl]?.hasPrefix("public, max-age=100") == true)
        }
    }

    @Test func `a size that is a level's is the thumbnail`() async throws {
        try await withHarness(harness()) { harness async throws in
            let thumbnail = try await ask(harness, "/t/m/tvmaze/show/1.jpg")
            let part = try await ask(harness, "\(Self.service)/full/320,/0/default.jpg")
            #expect(part.body == thumbnail.body && !part.body.isEmpty)
        }
    }

    @Test func `a signed URL of level iiif has a service, and of another level none`() async throws
    {
        let harness = try await harness { configuration in
            configuration.urlSignature = URLSignature(keys: "a key of sixteen bytes")
        }
        try await withHarness(harness) { harness async throws in
            let url = "https://\(Harness.imageHost)/original/1.jpg"
            let item = try SignedURL.item(of: url)
            let signature = harness.pipeline.configuration.urlSignature
            func service(_ level: String, expires: Date? = nil) throws -> String {
                let code = try signature.sign(level: level, encodedURL: item.id, expires: expires)
                let end = expires.map { "/\(Int($0.timeIntervalSince1970))" } ?? ""
                return IIIFRoute.path(.three, "url/\(code)/\(item.id)\(end)")
            }
            let info = try await ask(harness, "\(try service("iiif"))/info.json")
            #expect(try json(info)["width"] as? Int == 680)
            let end = harness.clock.now.addingTimeInterval(60)
            let timed = try service("iiif", expires: end)
            #expect(try await ask(harness, "\(timed)/info.json").status == .ok)
            let part = try await ask(harness, "\(timed)/0,0,512,512/512,512/0/default.jpg")
            #expect(part.fields[.cacheControl]?.hasPrefix("public, max-age=60") == true)
            harness.clock.advance(by: 61)
            #expect(try await ask(harness, "\(timed)/info.json").status == .forbidden)
            #expect(try await ask(harness, "\(try service("m"))/info.json").status == .forbidden)
        }
    }

    @Test func `invented sizes end with 429, and tiles are still answered`() async throws {
        let harness = try await harness { $0.zoom.pixelsPerMinute = 3_000_000 }
        try await withHarness(harness) { harness async throws in
            var statuses: [Int] = []
            var retry: String?
            for width in 300..<320 {
                let answer = try await ask(
                    harness, "\(Self.service)/1,1,600,900/\(width),\(width)/0/default.jpg")
                statuses.append(answer.status.code)
                retry = answer.fields[.retryAfter] ?? retry
            }
            #expect(statuses.first == 200 && statuses.last == 429)
            #expect(retry.flatMap(Int.init).map { $0 > 0 } == true)
            let tile = try await ask(harness, "\(Self.service)/0,0,512,512/512,512/0/default.jpg")
            #expect(tile.status == .ok)
            // A part that was made is not made again.
            let known = try await ask(
                harness, "\(Self.service)/1,1,600,900/300,300/0/default.jpg")
            #expect(known.status == .ok)
        }
    }
}
