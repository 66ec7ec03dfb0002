import Imaging
import Pipeline
import TestSupport
import Testing

@testable import Serve

/// Regions, sizes, rotations, qualities and formats, without a picture.
@Suite(.timeLimit(.minutes(1))) struct IIIFRequestTests {
    private static let whole = ZoomSize(width: 6000, height: 4000)

    private static func limits(_ upscale: Int = 1) -> IIIFSize.Limits {
        IIIFSize.Limits(maxPixels: 12_000_000, maxUpscale: upscale)
    }

    private static func resolved(
        _ region: String, _ size: String, _ version: IIIFVersion = .three, upscale: Int = 1,
        in whole: ZoomSize = whole
    ) throws -> ZoomRequest {
        let image = try IIIFImage(
            version, region: region, size: size, rotation: "0", name: "default.jpg")
        return try image.resolved(in: whole, limits(upscale))
    }

    @Test(
        arguments: [
            ("full", [0, 0, 6000, 4000]), ("square", [1000, 0, 4000, 4000]),
            ("0,0,512,512", [0, 0, 512, 512]), ("5900,3900,512,512", [5900, 3900, 100, 100]),
            ("pct:50,25,50,50", [3000, 1000, 3000, 2000]), ("pct:0,0,0.001,0.001", [0, 0, 1, 1]),
            ("pct:41.6,7.5,40,70", [2496, 300, 2400, 2800]),
        ])
    func `a region is cut at the edges of the picture`(text: String, expected: [Int]) throws {
        let request = try Self.resolved(text, "max")
        #expect([request.x, request.y, request.width, request.height] == expected)
    }

    @Test(
        arguments: [
            "", "1", "1,2,3", "1,2,3,4,5", "-1,0,5,5", "0,0,0,5", "0,0,5,0", "0,0,5,x", "pct:1,2,3",
            "pct:0,0,0,5", "pct:-1,0,5,5", "6000,0,5,5", "0,4000,5,5", "pct:100,0,5,5", "Full",
            "1e1,0,5,5", "0,0,99999999999,5", "+1,0,5,5", "١,0,5,5",
        ])
    func `what is not a region, or lies outside of the picture, is an error`(text: String) {
        #expect { try Self.resolved(text, "max") } throws: { error in
            if case IIIFError.bad? = error as? IIIFError { true } else { false }
        }
    }

    @Test(
        arguments: [
            ("512,", [512, 341]), (",512", [768, 512]), ("600,400", [600, 400]),
            ("300,400", [300, 400]), ("!500,500", [500, 333]), ("pct:1", [60, 40]),
            ("pct:0.5", [30, 20]), ("1,", [1, 1]), ("^600,", [600, 400]), ("3000,", [3000, 2000]),
        ])
    func `a size keeps the shape unless both sides are given`(
        text: String, expected: [Int]
    ) throws {
        let request = try Self.resolved("full", text)
        #expect([request.outWidth, request.outHeight] == expected)
    }

    @Test(
        arguments: [
            "", ",", "0,", ",0", "0,0", "full", "pct:0", "pct:-1", "!5,", "!,5", "5", "5,5,5",
            "x,5",
            "pct:101", "6001,", ",4001", "6001,4001", "!7000,5000", "^", "^^5,", "6000,4000",
            "pct:0.001",
        ])
    func `what is not a size, is larger than its region or over the limit is an error`(
        text: String
    ) {
        #expect { try Self.resolved("full", text) } throws: { error in
            if case IIIFError.bad? = error as? IIIFError { true } else { false }
        }
    }

    @Test func `the largest size is that of the region, or as much as the limit allows`() throws {
        let part = try Self.resolved("0,0,1000,500", "max")
        #expect([part.outWidth, part.outHeight] == [1000, 500])
        let most = try Self.resolved("full", "max")
        #expect([most.outWidth, most.outHeight] == [4242, 2828])
        let two = try Self.resolved("0,0,1000,500", "full", .two, upscale: 4)
        #expect([two.outWidth, two.outHeight] == [1000, 500])
    }

    @Test func `nothing is enlarged unless a client asks for that and a setting allows it`() throws
    {
        #expect(throws: IIIFError.self) { try Self.resolved("0,0,100,100", "200,", upscale: 4) }
        let allowed = try Self.resolved("0,0,100,100", "^200,", upscale: 4)
        #expect([allowed.outWidth, allowed.outHeight] == [200, 200])
        let most = try Self.resolved("0,0,100,100", "^max", upscale: 4)
        #expect([most.outWidth, most.outHeight] == [400, 400])
        let within = try Self.resolved("0,0,100,50", "^!1000,1000", upscale: 4)
        #expect([within.outWidth, within.outHeight] == [400, 200])
        for (size, version) in [("^200,", IIIFVersion.three), ("200,", .two), ("^500,", .three)] {
            #expect { try Self.resolved("0,0,100,100", size, version) } throws: { error in
                if case IIIFError.notOffered? = error as? IIIFError { true } else { false }
            }
        }
    }

    /// Viewers of version 2 name only one side of a tile.
    @Test func `a width that is that of a tile has the height of the tile`() throws {
        let whole = ZoomSize(width: 1333, height: 999)
        let edge = try Self.resolved("1024,512,309,487", "155,", .two, in: whole)
        #expect([edge.outWidth, edge.outHeight] == [155, 244])
        // 83.25 rows are rounded up, as in a layer.
        let low = try Self.resolved(
            "full", "250,", .two, in: ZoomSize(width: 1000, height: 333))
        #expect([low.outWidth, low.outHeight] == [250, 84])
    }

    @Test(
        arguments: [
            ("0", false, 0), ("90", false, 1), ("180.0", false, 2), ("270", false, 3),
            ("360", false, 0), ("!0", true, 0), ("!90", true, 1),
        ])
    func `quarters of a turn are read, with and without a mirror`(
        text: String, isMirrored: Bool, quarters: Int
    ) throws {
        let image = try IIIFImage(
            .three, region: "full", size: "max", rotation: text, name: "gray.png")
        #expect((image.isMirrored, image.quarters) == (isMirrored, quarters))
        #expect(image.colors == .gray && image.format == .png)
    }

    @Test(
        arguments: [
            ("45", "default.jpg", true), ("!0.5", "default.jpg", true), ("0", "default.tif", true),
            ("0", "color.pdf", true), ("361", "default.jpg", false), ("x", "default.jpg", false),
            ("-90", "default.jpg", false), ("0", "native.jpg", false), ("0", "default", false),
            ("0", "default.xyz", false), ("0", "default.", false), ("", "default.jpg", false),
        ])
    func `rotations, qualities and formats are offered, not offered or wrong`(
        rotation: String, name: String, isValid: Bool
    ) {
        #expect {
            try IIIFImage(.three, region: "full", size: "max", rotation: rotation, name: name)
        } throws: { error in
            switch error as? IIIFError {
            case .notOffered?: isValid
            case .bad?: !isValid
            case nil: false
            }
        }
    }

    @Test func `the canonical path names both sides unless version 2 needs only one`() throws {
        for (size, version, expected) in [
            ("600,", IIIFVersion.three, "600,400"), ("600,", .two, "600,"),
            ("600,401", .two, "600,401"), ("max", .three, "max"), ("max", .two, "4242,"),
        ] {
            let request = try Self.resolved("full", size, version)
            let path = IIIFImage.canonicalPath(request, of: Self.whole, version, Self.limits())
            #expect(path == "full/\(expected)/0/default.jpg")
        }
    }

    @Test(arguments: IIIFVersion.allCases, [UInt64(1), 2, 3])
    func `the canonical path of any part leads to the same part`(
        version: IIIFVersion, seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let whole = ZoomSize(
                width: .random(in: 1...5000, using: &random),
                height: .random(in: 1...5000, using: &random))
            let (x, y) = (
                Int.random(in: 0..<whole.width, using: &random),
                Int.random(in: 0..<whole.height, using: &random)
            )
            let (width, height) = (
                Int.random(in: 1...whole.width - x, using: &random),
                Int.random(in: 1...whole.height - y, using: &random)
            )
            let out = (
                Int.random(in: 1...2 * width, using: &random),
                Int.random(in: 1...2 * height, using: &random)
            )
            let sign = version == .three ? "^" : ""
            let size = try #require(
                ["max", "\(sign)\(out.0),", "\(sign),\(out.1)", "\(sign)\(out.0),\(out.1)"]
                    .randomElement(using: &random))
            guard
                let request = try? Self.resolved(
                    "\(x),\(y),\(width),\(height)", size, version, upscale: 2, in: whole)
            else { continue }
            let path = IIIFImage.canonicalPath(request, of: whole, version, Self.limits(2))
            let parts = path.split(separator: "/").map(String.init)
            let again = try Self.resolved(
                parts[0], parts[1], version, upscale: 2, in: whole)
            #expect(again == request, "\(whole) \(x),\(y),\(width),\(height)/\(size): \(path)")
        }
    }

    @Test(
        arguments: [
            ("/iiif/3/tvmaze%2Fshow%2F1", IIIFRoute.Part.base),
            ("/iiif/3/tvmaze%2fshow%2F1/info.json", .information),
            (
                "/iiif/3/tvmaze%2Fshow%2F1/full/%5Emax/!90/default.jpg",
                .image(region: "full", size: "^max", rotation: "!90", name: "default.jpg")
            ),
        ])
    func `an encoded slash is part of the identifier`(path: String, part: IIIFRoute.Part) throws {
        #expect(
            try Route(path: path[...])
                == .iiif(IIIFRoute(version: .three, identifier: "tvmaze/show/1", part: part)))
        #expect(IIIFRoute.path(.three, "tvmaze/show/1") == "/iiif/3/tvmaze%2Fshow%2F1")
    }

    @Test(
        arguments: [
            "/iiif/3/tvmaze/show/1/info.json", "/iiif/4/tvmaze%2Fshow%2F1/info.json",
            "/iiif/3//info.json",
            "/iiif/3/a%2F..%2Fb/info.json", "/iiif/3/tvmaze%2Fshow%2F1/full%2F/max/0/default.jpg",
            "/t/m/tvmaze%2Fshow/show/1", "/iiif/3/a%00b/info.json",
        ])
    func `other paths lead nowhere`(path: String) {
        #expect(throws: Route.Failure.self) { try Route(path: path[...]) }
    }
}
