import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Synchronization

/// What a reload of the settings replaces, as one value.
package final class Edition: Sendable {
    /// Of this process, from 0.
    let number: Int
    package let configuration: PipelineConfiguration
    package let sources: Sources
    let renderer: Renderer
    /// The placeholders for missing pictures. Each rendition is rendered once and then kept.
    private let drawn = MemoryTier<Rendition, Picture>(maxCost: 1_024, maxCount: 1_024)
    private let inFlight = InFlight<Rendition, Void, Result<Picture, any Error>> { _, _ in true }

    init(
        _ number: Int, _ configuration: PipelineConfiguration, _ sources: Sources,
        _ renderer: Renderer
    ) {
        self.number = number
        self.configuration = configuration
        self.sources = sources
        self.renderer = renderer
    }

    /// Returns the thumbnails of all levels in these formats.
    func renditions(in formats: [ThumbnailFormat]) -> [Rendition] {
        configuration.levels.flatMap { level in
            formats.map { Rendition(level: level, format: $0) }
        }
    }

    // MARK: - Placeholders

    /// Returns the placeholder, without bytes if it can't be rendered now.
    func placeholder(_ rendition: Rendition, _ failure: Failure) async throws -> Picture {
        var picture = try await draw(rendition) ?? Self.placeholder(rendition, Self.nothing, [])
        picture.facts.renderedAt = failure.until
        picture.freshUntil = failure.until
        picture.failure = failure
        return picture
    }

    private static let nothing = PictureFacts(
        digest: Digest(of: []), byteCount: 0, width: 0, height: 0, renderedAt: .distantPast)

    private static func placeholder(
        _ rendition: Rendition, _ facts: PictureFacts, _ bytes: [UInt8]
    ) -> Picture {
        Picture(
            facts: facts, bytes: bytes, format: rendition.format, freshUntil: .distantPast,
            isPlaceholder: true)
    }

    private func draw(_ rendition: Rendition) async throws -> Picture? {
        if let known = drawn.value(rendition) { return known }
        do {
            let (made, _) = try await inFlight.made(for: rendition) { [renderer] in
                let thumbnail = try await renderer.placeholder(rendition)
                let facts = PictureFacts(thumbnail, renderedAt: .distantPast)
                return Self.placeholder(rendition, facts, thumbnail.bytes)
            }
            drawn.insert(made, for: rendition, cost: 1)
            return made
        } catch let error as ImagingError {
            switch error {
            case .canceled, .stopped: throw error
            default: return nil
            }
        }
    }
}

/// The editions of the settings. Work that began with one ends with it, whatever is reloaded meanwhile.
final class Editions: Sendable {
    private struct Pinned: Sendable {
        var owner: ObjectIdentifier
        var edition: Edition
    }

    @TaskLocal private static var pinned: Pinned?
    private let last: Mutex<Edition>
    private let number: Atomic<Int>

    init(_ first: Edition) {
        last = Mutex(first)
        number = Atomic(first.number)
    }

    /// The number of the newest edition, without a lock.
    var newestNumber: Int { number.load(ordering: .acquiring) }

    /// What new work begins with.
    var newest: Edition { last.withLock { $0 } }

    /// What the current work began with; the newest one for work that is not pinned.
    var current: Edition { pinned ?? newest }

    private var pinned: Edition? {
        guard let pinned = Self.pinned, pinned.owner == ObjectIdentifier(self) else { return nil }
        return pinned.edition
    }

    /// Whether the current work has the settings that new work begins with.
    var isNewest: Bool { pinned.map { $0 === newest } ?? true }

    /// Runs `work`, and all tasks that it starts, with one edition.
    ///
    /// - Parameter edition: nil for the one that the caller has.
    func during<Result>(
        _ edition: Edition? = nil, _ work: () async throws -> Result
    ) async rethrows -> Result {
        if edition == nil, pinned != nil { return try await work() }
        return try await Self.$pinned.withValue(
            Pinned(owner: ObjectIdentifier(self), edition: edition ?? newest), operation: work)
    }

    /// Runs `work` with one edition where no task has it, as in a call of the renderer.
    func during<Result>(_ edition: Edition, now work: () throws -> Result) rethrows -> Result {
        try Self.$pinned.withValue(
            Pinned(owner: ObjectIdentifier(self), edition: edition), operation: work)
    }

    /// Replaces the newest edition.
    func replace(_ make: (Edition) -> Edition) -> Edition {
        last.withLock { last in
            last = make(last)
            number.store(last.number, ordering: .releasing)
            return last
        }
    }
}
