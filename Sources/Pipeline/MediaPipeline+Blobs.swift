package import Catalog
package import FoundationEssentials
import Imaging
package import Store

/// An original as the origin sent it.
package struct OriginalAnswer: Sendable {
    package var digest: Digest
    package var bytes: [UInt8]
    /// `jpeg`, `png`, …: the format told from its bytes; empty where unknown.
    package var format: String
    package var fetchedAt: Date
    package var freshUntil: Date
    package var outcome: CacheOutcome
    /// Past its freshness, and no failed try is remembered.
    var wantsRefresh: Bool
}

extension MediaPipeline {
    /// The original that the largest level of an item is made of.
    package func original(of item: Item) async throws(PipelineError) -> OriginalAnswer {
        try await PipelineError.door { [self] in
            guard let largest = configuration.levels.last else {
                throw PipelineError.unknownLevel(name: "", known: [])
            }
            if let known = try await storedOriginal(of: item, outcome: .hit) {
                let rendition = Rendition(level: largest, format: .jpeg)
                if known.wantsRefresh { refresh(PictureKey(item: item, rendition: rendition)) }
                return known
            }
            let order = WalkOrder([Rendition(level: largest, format: .jpeg)])
            let walked = try await admissions.requests.run(.init(item), .none) {
                try await walk(item, order, .line)
            }
            let outcome = walked.joined ? CacheOutcome.collapsed : .miss
            if let made = try await storedOriginal(of: item, outcome: outcome) { return made }
            throw PipelineError.noPicture(
                walked.result.failure
                    ?? stages.originals.failure(.unavailable, "The original was lost."))
        }
    }

    /// The blob of that digest.
    package func blob(_ digest: Digest) async throws(PipelineError) -> [UInt8] {
        try await PipelineError.door { [self] in
            guard let bytes = try await stages.blobs.load(digest) else {
                throw PipelineError.unknownBlob(digest)
            }
            return bytes
        }
    }

    private func storedOriginal(
        of item: Item, outcome: CacheOutcome
    ) async throws -> OriginalAnswer? {
        guard let largest = configuration.levels.last,
            let binding = try await stages.index.binding(
                item: item.description, level: largest.key)
        else { return nil }
        let policy = configuration.freshness
        let failure = binding.failure.flatMap(Failure.init).map { policy.believed($0, now: now()) }
        let freshUntil = policy.believed(
            binding.freshUntil, since: binding.resolvedAt, now: now())
        let isRemembered = failure.map { $0.until > now() } ?? false
        if let failure, binding.original == nil, isRemembered {
            throw PipelineError.noPicture(failure)
        }
        guard let digest = binding.original, let bytes = try await stages.blobs.load(digest) else {
            return nil
        }
        let format = ImageFormat.sniff(bytes)?.rawValue ?? ""
        return OriginalAnswer(
            digest: digest, bytes: bytes, format: format, fetchedAt: binding.resolvedAt,
            freshUntil: freshUntil,
            outcome: outcome == .hit && freshUntil <= now() ? .stale : outcome,
            wantsRefresh: freshUntil <= now() && !isRemembered)
    }
}
