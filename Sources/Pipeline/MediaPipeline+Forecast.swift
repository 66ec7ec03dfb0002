package import Catalog
package import Imaging
import Store

extension MediaPipeline {
    /// Which of the renditions a warm run would have to make; a remembered failure needs nothing.
    package func missing(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(PipelineError) -> Set<Rendition> {
        try await PipelineError.door { [self] in
            let bindings = try await stages.index.bindings(item: item.description)
            var missing: Set<Rendition> = []
            for rendition in renditions {
                guard let binding = bindings.first(where: { $0.level == rendition.level.key }),
                    configuration.freshness.believed(
                        binding.freshUntil, since: binding.resolvedAt, now: now()) > now()
                else {
                    missing.insert(rendition)
                    continue
                }
                guard let original = binding.original else { continue }
                let key = stages.key(original, rendition)
                if try await stages.index.thumbnail(key) == nil { missing.insert(rendition) }
            }
            return missing
        }
    }

    /// Mean size of the originals stored; `nil` where there are none.
    package func meanOriginalBytes() async throws(PipelineError) -> Int? {
        try await PipelineError.door { [self] in
            let statistics = try await stages.index.statistics()
            guard statistics.originals > 0 else { return nil }
            return statistics.originalBytes / statistics.originals
        }
    }
}
