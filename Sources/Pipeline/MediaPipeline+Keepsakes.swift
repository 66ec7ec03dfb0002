package import Catalog
package import FoundationEssentials
package import Store

/// A favourite with its details, as far as they can be had.
package struct FavoriteAnswer: Sendable {
    package var item: Item
    package var addedAt: Date
    /// `nil` where its source can't be asked and nothing is stored.
    package var details: DetailsAnswer?
}

extension MediaPipeline {
    /// All favourites, newest first.
    package func favorites() async throws(PipelineError) -> [FavoriteAnswer] {
        try await PipelineError.door { [self] in
            var answers: [FavoriteAnswer] = []
            for record in try await keepsakes.favorites() {
                guard let item = Item(record.item) else { continue }
                let details: DetailsAnswer?
                do {
                    details = try await self.details(of: item)
                } catch PipelineError.catalog {
                    details = nil
                }
                answers.append(
                    FavoriteAnswer(item: item, addedAt: record.addedAt, details: details))
            }
            return answers
        }
    }

    /// Which of these items are favourites.
    package func favorites(among items: [Item]) async throws(PipelineError) -> Set<Item> {
        try await PipelineError.door { [self] in
            let known = try await keepsakes.favorites(among: items.map(\.description))
            return Set(items.filter { known.contains($0.description) })
        }
    }

    /// False where it was one already.
    package func addFavorite(_ item: Item) async throws(PipelineError) -> Bool {
        try await PipelineError.door { [self] in
            try await keepsakes.addFavorite(item.description, at: now())
        }
    }

    /// False where it was none.
    package func removeFavorite(_ item: Item) async throws(PipelineError) -> Bool {
        try await PipelineError.door { [self] in
            try await keepsakes.removeFavorite(item.description)
        }
    }

    /// Searches that were made, newest first, each once.
    package func searches() async throws(PipelineError) -> [SearchRecord] {
        try await PipelineError.door { [self] in try await keepsakes.searches() }
    }

    package func removeSearches() async throws(PipelineError) {
        try await PipelineError.door { [self] in try await keepsakes.removeSearches() }
    }

    /// Remembers what was searched for, once it was answered.
    package func noteSearch(_ query: ListQuery) async throws(PipelineError) {
        try await PipelineError.door { [self] in
            let parameter = try sources.named(query.source).termParameter
            guard let term = query.parameters[parameter] else { return }
            let search = SearchRecord(
                source: query.source, list: query.list, term: term, madeAt: now())
            do throws(StoreError) {
                try await keepsakes.record(search)
            } catch {
                // What was found is in hand; the store reported why the search is not remembered.
                if error == .stopped { throw error }
            }
        }
    }
}
