import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Imaging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Pieces that are encoded on several threads.
@Suite(.timeLimit(.minutes(1))) struct EncodeBatchTests {
    private static let framing = Framing(
        Level(name: "", width: 1_000, height: 1_000), of: PixelSize(width: 1_000, height: 1_000))
    /// Only a broken program waits that long. A thread that waits can't be canceled.
    private static var patience: DispatchTime { .now() + .seconds(30) }

    private func piece(
        _ encode: @escaping @Sendable () throws(ImagingError) -> [UInt8]
    ) -> EncodeBatch.Piece {
        EncodeBatch.Piece(framing: Self.framing, encoding: .png(compression: 1)) {
            (_) throws(ImagingError) in try encode()
        }
    }

    private func run(
        _ pieces: [EncodeBatch.Piece], threads: Int
    ) throws(ImagingError) -> [[UInt8]] {
        try RenderWorkspace.with { (workspace) throws(ImagingError) in
            try EncodeBatch(pieces, threads: threads, .none).run(workspace)
        }
    }

    @Test func `with two threads two pieces are encoded at once, and the bytes keep their order`()
        throws
    {
        // Each piece waits for the other, which one thread alone could never do.
        let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let pieces = [0, 1].map { number in
            piece {
                gates[1 - number].signal()
                guard gates[number].wait(timeout: Self.patience) == .success else { return [] }
                return [UInt8(number)]
            }
        }
        #expect(try run(pieces, threads: 2) == [[0], [1]])
    }

    @Test func `with one thread all pieces are encoded on the render's own`() throws {
        let others = Mutex(0)
        let own = ThreadName(pthread_self())
        let pieces = (0..<4).map { number in
            piece {
                if ThreadName(pthread_self()) != own { others.withLock { $0 += 1 } }
                return [UInt8(number)]
            }
        }
        #expect(try run(pieces, threads: 1) == [[0], [1], [2], [3]])
        #expect(others.withLock { $0 } == 0)
    }

    @Test func `a piece that fails fails the batch, on whichever thread`() throws {
        for failing in 0..<2 {
            let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            let pieces = [0, 1].map { number in
                piece { () throws(ImagingError) in
                    gates[1 - number].signal()
                    _ = gates[number].wait(timeout: Self.patience)
                    if number == failing { throw .broken(reason: "\(number)") }
                    return []
                }
            }
            #expect(throws: ImagingError.broken(reason: "\(failing)")) {
                try run(pieces, threads: 2)
            }
        }
    }

    @Test(arguments: [false, true])
    func `one picture has the same bytes on one thread and on all`(isIsolated: Bool) async throws {
        let green = RGB(red: 9, green: 99, blue: 9)
        let original = try Canvas(width: 1_400, height: 2_100, fill: green).encodeJPEG()
        let renditions = Level.defaults.flatMap { level in
            [ThumbnailFormat.jpeg, .webp].map { Rendition(level: level, format: $0) }
        }
        func made(threads: Int) async throws -> [[UInt8]] {
            let configuration = ImagingConfiguration.patient.with {
                $0.threads = threads
                if isIsolated { $0.isolation = .child() }
            }
            return try await rendered(original, renditions, configuration).thumbnails.map(\.bytes)
        }
        let alone = try await made(threads: 1)
        #expect(alone.count == 10)
        #expect(try await made(threads: 4) == alone)
    }
}

/// A thread's identity that may go to other threads.
private struct ThreadName: Equatable, Sendable {
    private let number: UInt

    init(_ thread: pthread_t) { number = UInt(thread) }
}

@Suite(.timeLimit(.minutes(1))) struct EncodingTests {
    /// What libheif 1.15.1 returned as a success when libaom had no memory: an item without bytes and
    /// without a size, which is not the one that the file calls its primary.
    private static let empty: [UInt8] =
        box("ftyp", "avif", 0, 0, 0, 0, "avifmif1miaf")
        + box(
            "meta", 0, 0, 0, 0,
            box("hdlr", 0, 0, 0, 0, 0, 0, 0, 0, "pict", [UInt8](repeating: 0, count: 13)),
            box("pitm", 0, 0, 0, 0, 0, 0), box("iloc", 0, 0, 0, 0, 0x44, 0x40, 0, 0),
            box(
                "iinf", 0, 0, 0, 0, 0, 1, box("infe", 2, 0, 0, 0, 0, 1, 0, 0, "av01", 0)),
            box(
                "iprp", box("ipco", box("colr", "nclx", 0, 2, 0, 2, 0, 6, 0x80)),
                box("ipma", 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x81)))
        + box("mdat")

    private static func box(_ name: String, _ parts: Any...) -> [UInt8] {
        let content = parts.flatMap { part -> [UInt8] in
            switch part {
            case let bytes as [UInt8]: bytes
            case let text as String: Array(text.utf8)
            case let byte as Int: [UInt8(byte)]
            default: []
            }
        }
        let count = UInt32(8 + content.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(name.utf8)
            + content
    }

    @Test func `an AVIF without its picture is a lack of memory`() throws {
        #expect(Self.empty.count == 201)
        #expect(throws: ImagingError.misconfigured(reason: "there is no memory for the encoder")) {
            try Encoding.whole(Self.empty, width: 80, height: 66)
        }
        let picture = try VipsPicture(borrowing: PixelBuffer(width: 97, height: 81, bands: 3))
        let avif = try Encoding.avif(quality: 50, effort: 2).encode(picture)
        #expect(throws: ImagingError.self) {
            try Encoding.whole(avif, width: 97, height: 80)
        }
    }
}
