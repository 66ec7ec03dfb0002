import CCompression
import Fetch
import FoundationEssentials
import Hashing
import TestSupport

/// The loop over what origins answer: compressed bodies under changed names, and dates.
struct ResponseRun {
    private let loop: FuzzLoop

    /// Far below what a few hundred bytes can become.
    private static let maxBytes = 1 << 16

    init(_ options: FuzzOptions, _ current: String) throws {
        loop = try FuzzLoop(options, current)
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        let bodies = Self.bodies
        let mutator = Mutator(bodies, seed: loop.options.seed)
        return try await loop.run("\(bodies.count) bodies", sayingEvery: 100_000) { number in
            let input = mutator.input(number)
            loop.keep(number, input)
            var random = SeededGenerator(input: number, of: ~loop.options.seed)
            readBody(input, number, &random)
            readDate(number, &random)
        }
    }

    private func readBody(_ input: [UInt8], _ number: Int, _ random: inout SeededGenerator) {
        let names = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Self.names[Int.random(in: 0..<Self.names.count, using: &random)]
        }
        let field = Array("Content-Encoding: \(names.joined(separator: ","))".utf8)
        let whole = ResponseProbe.body([field], input, piece: .max, maxBytes: Self.maxBytes)
        for piece in [1, 7] {
            let parts = ResponseProbe.body([field], input, piece: piece, maxBytes: Self.maxBytes)
            if parts != whole { loop.fault(number, "pieces of \(piece) bytes give another body") }
        }
        if let whole, whole.count > Self.maxBytes { loop.fault(number, "\(whole.count) bytes") }
        loop.count(whole == nil ? "refused" : "read")
    }

    private func readDate(_ number: Int, _ random: inout SeededGenerator) {
        var text = Array(Self.dates[Int.random(in: 0..<Self.dates.count, using: &random)].utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
            let at = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: text[at] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 1: text.remove(at: at)
            default: text.insert(text[at], at: at)
            }
        }
        guard let date = HTTPDate.parse(String(decoding: text, as: UTF8.self)) else { return }
        loop.count("date")
        if HTTPDate.parse(HTTPDate.format(date)) != date {
            loop.fault(number, "\(String(decoding: text, as: UTF8.self)) is not read back")
        }
    }

    private static let names = [
        "gzip", "x-gzip", "deflate", "GZIP", "identity", "utf-8", "br", "aws-chunked", "",
    ]

    private static let dates = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Tuesday, 29-Feb-00 23:59:60 GMT",
    ]

    /// Gzip, zlib's format and deflate alone; two gzip members; plain bytes; one gzip in another.
    private static let bodies: [[UInt8]] = {
        let plain: [UInt8] = (0..<600).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        let gzip = compressed(plain)
        let deflate = Array(gzip.dropFirst(10).dropLast(8))
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in plain {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = high << 16 | low
        var zlib: [UInt8] = [0x78, 0x9C] + deflate
        for shift: UInt32 in [24, 16, 8, 0] { zlib.append(UInt8(truncatingIfNeeded: sum >> shift)) }
        return [
            gzip, zlib, deflate, gzip + compressed([1, 2, 3]), plain, compressed(gzip),
            compressed([UInt8](repeating: 7, count: 40_000)), [],
        ].filter { !$0.isEmpty }
    }()

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        let room = vitrine_gzip_bound(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = buffer.baseAddress.map { vitrine_gzip(bytes, bytes.count, $0, room, 6) } ?? 0
        }
    }
}
