package import Catalog
package import Imaging
package import Store

/// Everything that is stored about one item's picture.
package struct Explanation: Sendable {
    /// One candidate of the chain, in the order for the largest level.
    package struct Candidate: Sendable {
        package var label: String
        package var url: String
        package var width: Int?
        package var height: Int?
        package var original: OriginalRecord?
        /// How long it took when it was asked last, for whichever level; nil if that is unknown.
        package var milliseconds: Int?
    }

    /// The picture of one level.
    package struct Shown: Sendable {
        package var level: Level
        package var resolution: ItemRecord.Resolution?
        package var failure: Failure?
        package var thumbnails: [ThumbnailRecord]
    }

    package var item: Item
    /// Why its picture is never shown; nil if it is not blocked.
    package var block: BlockRecord?
    package var title: String?
    /// Why the item's details are missing; nil if the catalog returned them.
    package var catalogProblem: String?
    package var candidates: [Candidate]
    /// The steps of the last miss.
    package var trace: Trace?
    package var levels: [Shown]
}

extension Pictures {
    /// Returns the chain of an item and what is stored about it. An item that was never requested
    /// is resolved for all levels first, unless `resolving` is false.
    ///
    /// - Throws: ``Failure`` as ``ensure(_:_:)``. Failures of the catalog are part of the result.
    package func explain(_ item: Item, resolving: Bool) async throws(Failure) -> Explanation {
        let named = item
        return try await Failure.catching { [self] in
            let item = await pictured(named)
            await settled { $0 == item }
            var record = try await thumbnails.index.item(item.description)
            if record.resolutions.isEmpty, resolving {
                let all = configuration.levels.map { Rendition(level: $0, format: .webp) }
                _ = try await ensure(item, Set(all))
                record = try await thumbnails.index.item(item.description)
            }
            let traces = record.resolutions.sorted { $0.resolvedAt > $1.resolvedAt }
                .map { $0.trace?.trace }
            var explanation = Explanation(
                item: item, candidates: [], trace: traces.first ?? nil, levels: [])
            try await addCandidates(to: &explanation, resolving: resolving)
            explanation.block =
                context.blocks.block(of: named) ?? context.blocks.block(of: item)
                ?? explanation.candidates.lazy.compactMap { [blocks = context.blocks] in
                    blocks.block(ofURL: $0.url, $0.original?.digest)
                }.first
            if item != named {
                explanation.item = named
                explanation.title = try await context.catalog.details(
                    of: named, source: context.sources.source(of: named)
                ).document.value.entry.title
            }
            // A later miss finds the original stored, and asks for nothing.
            let asked = traces.flatMap { ($0?.steps ?? []).reversed() }
                .filter { $0.milliseconds != nil }
            for place in explanation.candidates.indices {
                let url = explanation.candidates[place].url
                explanation.candidates[place].milliseconds =
                    asked.first { $0.url == url }?.milliseconds
            }
            for level in configuration.levels {
                let resolution = record.resolution(of: level.key)
                var thumbnails: [ThumbnailRecord] = []
                if let original = resolution?.original {
                    thumbnails = try await self.thumbnails.index.thumbnails(of: original)
                        .filter { $0.key.level == level.key }
                }
                explanation.levels.append(
                    .init(
                        level: level, resolution: resolution,
                        failure: resolution?.failure.flatMap(Failure.init), thumbnails: thumbnails))
            }
            return explanation
        }
    }

    private func addCandidates(to explanation: inout Explanation, resolving: Bool) async throws {
        var pending = [explanation.item]
        var visited: Set<Item> = []
        let box = PictureBox(
            width: configuration.levels.last?.width ?? 0,
            height: configuration.levels.last?.height ?? 0)
        while let item = pending.popLast() {
            guard visited.insert(item).inserted else { continue }
            let chain: [ChainStep]
            let source = try context.sources.source(of: item)
            do throws(Failure) {
                // Incomplete details are enough, as for a miss.
                let details = try await Failure.catching {
                    if resolving {
                        return try await context.catalog.details(of: item, source: source)
                            .document.value
                    }
                    let stored = try await context.catalog.storedDetails(of: [item])
                    guard
                        let details = stored[item]?.document.value ?? source.freeDetails(of: item)
                    else {
                        throw Failure.notFound(reason: "No details are stored.")
                    }
                    return details
                }
                explanation.title = explanation.title ?? details.entry.title
                chain = details.orderedChain(for: box)
            } catch {
                // Without resolving, what another item's chain needs may never have been asked for.
                if resolving || item == explanation.item {
                    explanation.catalogProblem = explanation.catalogProblem ?? "\(error)"
                }
                chain = context.catalog.remainder(of: item, source: source, for: box)
            }
            for step in chain {
                switch step {
                case .item(let next): pending.append(next)
                case .scalable: continue
                case .candidate(let candidate):
                    // A show's main poster may be its list's picture as well.
                    guard !explanation.candidates.contains(where: { $0.url == candidate.url })
                    else { continue }
                    explanation.candidates.append(
                        .init(
                            label: candidate.label, url: candidate.url, width: candidate.width,
                            height: candidate.height,
                            original: try await thumbnails.index.original(url: candidate.url)))
                }
            }
        }
    }
}
