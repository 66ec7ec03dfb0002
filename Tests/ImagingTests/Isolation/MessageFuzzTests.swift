import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Old readers of messages against those with one list of fields.
@Suite(.timeLimit(.minutes(10))) struct MessageFuzzTests {
    static let count = Int(ProcessInfo.processInfo.environment["FUZZ_MESSAGES"] ?? "") ?? 20_000

    static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            if bytes.isEmpty { return bytes }
            let at = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes.removeLast(Int.random(in: 0...min(4, bytes.count), using: &random))
            case 1: bytes += [UInt8.random(in: 0...255, using: &random)]
            case 2: bytes.remove(at: at)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
            case 4: bytes[at] = [0, 1, 2, 255, 127, 128][Int.random(in: 0..<6, using: &random)]
            case 5: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default: bytes[at] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return bytes
    }

    @Test func `cuts are read as before`() {
        let tiles: [[UInt8]] = [[1, 2, 3], [4], [], [5, 6]]
        let seeds = [
            PictureCut(
                tiles: tiles, columns: [512, 88], rows: [512, 8], x: 3.5, y: 4, width: 100,
                height: 50, outWidth: 10, outHeight: 9, isMirrored: true, quarters: 3,
                colors: .bitonal),
            PictureCut(
                tiles: [[9]], columns: [5], rows: [7], x: 0, y: 0, width: 5, height: 7, outWidth: 1,
                outHeight: 65_535, isMirrored: false, quarters: 0, colors: .all),
        ]
        var random = SeededGenerator(seed: 1)
        var (both, none, stricter) = (0, 0, 0)
        for round in 0..<Self.count {
            let seed = seeds[round % 2]
            #expect(seed.bytes == seed.oldBytes)
            let bytes = Self.mutated(seed.bytes, &random)
            switch (PictureCut.old(bytes), PictureCut(bytes: bytes)) {
            case (nil, nil): none += 1
            case (let old?, let new?) where old == new: both += 1
            case (.some, nil) where bytes[32] > 1: stricter += 1
            default: Issue.record("\(bytes)")
            }
        }
        print("cuts: \(both) read, \(none) refused by both, \(stricter) by the new reader alone")
        #expect(both > 0 && none > 0)
    }

    @Test func `sheets are read as before`() {
        let level = Level(name: "", width: 40, height: 60)
        let color = RGB(red: 1, green: 2, blue: 3)
        let seeds = [
            ContactSheet(
                [[1, 2, 3], [], [4]], SheetLayout(count: 3, level: level), background: color),
            ContactSheet([], SheetLayout(count: 0, level: level), background: color),
        ]
        var random = SeededGenerator(seed: 2)
        var (both, none) = (0, 0)
        for round in 0..<Self.count {
            let seed = seeds[round % 2]
            #expect(seed.bytes == seed.oldBytes)
            let bytes = Self.mutated(seed.bytes, &random)
            switch (ContactSheet.old(bytes), ContactSheet(bytes: bytes)) {
            case (nil, nil): none += 1
            case (let old?, let new?) where old == new: both += 1
            default: Issue.record("\(bytes)")
            }
        }
        print("sheets: \(both) read, \(none) refused by both")
        #expect(both > 0 && none > 0)
    }

    @Test func `calls of the nursery are read as before`() {
        let requests: [(OldNurseryRequest, NurseryRequest)] = [
            (
                .start(niceness: 5, memory: 1 << 40, withLibraries: true),
                .start(niceness: 5, memory: 1 << 40, withLibraries: true)
            ),
            (
                .start(niceness: 0, memory: 0, withLibraries: false),
                .start(niceness: 0, memory: 0, withLibraries: false)
            ),
            (.end(77), .end(77)), (.limit(-1, memory: 9), .limit(-1, memory: 9)),
        ]
        let replies: [(OldNurseryReply, NurseryReply)] = [
            (.done(123_456), .done(123_456)),
            (.ended(signal: 9, peak: 1 << 33), .ended(signal: 9, peak: 1 << 33)),
            (.failed("no ünlucky"), .failed("no ünlucky")),
            (
                .failed(String(repeating: "x", count: 3_000)),
                .failed(String(repeating: "x", count: 3_000))
            ),
        ]
        for (old, new) in requests { #expect(old.message == new.bytes) }
        for (old, new) in replies { #expect(old.message == new.bytes) }
        var random = SeededGenerator(seed: 3)
        var (both, none, stricter) = (0, 0, 0)
        for round in 0..<Self.count {
            let bytes = Self.mutated(requests[round % 4].1.bytes, &random)
            let (old, new) = (
                OldNurseryRequest(message: bytes)?.message, NurseryRequest(bytes: bytes)?.bytes
            )
            if old == new {
                old == nil ? (none += 1) : (both += 1)
            } else if let old, new == nil, bytes.count > old.count {
                stricter += 1
            } else {
                Issue.record("\(bytes)")
            }
        }
        print(
            "requests of the nursery: \(both) read, \(none) refused by both, \(stricter) by the new reader alone"
        )
        #expect(both > 0 && none > 0)
        (both, none, stricter) = (0, 0, 0)
        for round in 0..<Self.count {
            let bytes = Self.mutated(replies[round % 4].1.bytes, &random)
            let (old, new) = (
                OldNurseryReply(message: bytes)?.message, NurseryReply(bytes: bytes)?.bytes
            )
            if old == new {
                old == nil ? (none += 1) : (both += 1)
            } else if let old, new == nil, bytes.count > old.count {
                stricter += 1
            } else {
                Issue.record("\(bytes)")
            }
        }
        print(
            "replies of the nursery: \(both) read, \(none) refused by both, \(stricter) by the new reader alone"
        )
        #expect(both > 0 && none > 0)
    }

    @Test func `replies are read as before`() throws {
        let jpeg = FixtureImages.jpeg(width: 16, height: 16)
        let renditions = ["a", "b", "c"].map {
            Rendition(level: Level(name: $0, width: 16, height: 16), format: .jpeg)
        }
        var request = RenderRequest(
            number: 7, input: .original(.jpeg), count: 10, maxBytes: 1 << 20, maxPixels: 1_000,
            maxSide: 100, levels: [], parts: [])
        request.early = 2
        let memory = try SharedMemory(count: 1 << 16)
        let size = PixelSize(width: 16, height: 16)
        let thumbnails = renditions.map {
            Thumbnail(rendition: $0, width: 16, height: 16, bytes: jpeg, lane: .planar)
        }
        var rendering = Rendering(thumbnails, of: size)
        rendering.info.hasAlpha = true
        rendering.summary.thumbHash = Array(1...20)
        rendering.summary.color = RGB(red: 9, green: 8, blue: 7)
        let early = Rendering(Array(thumbnails.prefix(2)), of: size)
        typealias Made = Result<Rendering, ImagingError>
        let results: [(Made, isEarly: Bool)] = [
            (.success(rendering), false), (.success(rendering), false), (.success(early), true),
            (.failure(.broken(reason: "a\nb" + String(repeating: "c", count: 400))), false),
            (.failure(.overloaded), false), (.failure(.notAnImage(looksLike: "HTML")), false),
        ]
        var random = SeededGenerator(seed: 4)
        var (both, none, stricter) = (0, 0, 0)
        func text(_ number: Int, _ isEarly: Bool, _ isDoubtful: Bool, _ result: Made) -> String {
            switch result {
            case .failure(let error): "\(number) \(isEarly) \(isDoubtful) \(error)"
            case .success(let made):
                "\(number) \(isEarly) \(isDoubtful) \(made.info) \(made.summary) "
                    + made.thumbnails.map {
                        "\($0.rendition) \($0.width) \($0.height) \($0.lane) \(Fingerprint.hex($0.bytes))"
                    }.joined()
            }
        }
        for round in 0..<Self.count {
            let bytes: [UInt8]
            if round % 7 == 6 {
                bytes = RenderReply(doubtful: 7).message
                #expect(bytes == OldRenderReply(doubtful: 7).message)
            } else {
                let (result, isEarly) = results[round % 7]
                let new = RenderReply(number: 7, result: result, isEarly: isEarly)
                bytes = new.message(writingTo: memory, at: request.thumbnails)
                #expect(
                    bytes == OldRenderReply(number: 7, result: result, isEarly: isEarly).message)
            }
            let message = Self.mutated(bytes, &random)
            request.early = Int.random(in: 0...10, using: &random) == 0 ? 0 : 2
            let old = OldRenderReply(message: message, memory: memory, for: request, renditions)
            let new = RenderReply(message: message, memory: memory, for: request, renditions)
            switch (old, new) {
            case (nil, nil): none += 1
            case (let old?, let new?):
                both += 1
                let (a, b) = (
                    text(old.number, old.isEarly, old.isDoubtful, old.result),
                    text(new.number, new.isEarly, new.isDoubtful, new.result)
                )
                if a != b { Issue.record("\(message)\n\(a)\n\(b)") }
            case (let old?, nil) where old.message != message: stricter += 1
            default: Issue.record("\(message)")
            }
        }
        print("replies: \(both) read, \(none) refused by both, \(stricter) by the new reader alone")
        #expect(both > 0 && none > 0)
    }
}
