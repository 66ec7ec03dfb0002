/// Gives the objects of a page their titles: a search answers with ids alone.
struct MuseumPage: Sendable {
    let records: MuseumRecords

    /// Objects read at once; the museum asks for no more than a handful.
    private static let atOnce = 4
    /// Objects read of one page, as many as a page has.
    private static let atMost = 100
    /// So many unreadable in a row, and the rest is not asked for: it would only take long.
    private static let patience = 12

    private enum Answer {
        case read(CatalogEntry)
        /// Gone, or not to be read for now: what is listed is its number.
        case unread(CatalogError)
    }

    /// The objects in their order, without their pictures; one that can't be read is listed with its
    /// number. Throws where the museum can't be asked for any of them.
    func items(_ links: [MuseumLink]) async throws(CatalogError) -> [ItemDetails] {
        let answers = await answers(links)
        var hasAnswered = links.isEmpty
        var failure: CatalogError?
        var items: [ItemDetails] = []
        for (index, link) in links.enumerated() {
            var entry = MuseumObject.unreadEntry(of: Self.item(link))
            switch answers[index] {
            case .read(let known):
                entry = known
                hasAnswered = true
            case .unread(let error):
                switch error {
                case .absent: hasAnswered = true
                case .unavailable: failure = failure ?? error
                case .invalid, .unconfigured, .cancelled: throw error
                }
            case nil: break
            }
            items.append(ItemDetails(entry: entry, chain: [], isResolved: false))
        }
        if !hasAnswered, let failure { throw failure }
        return items
    }

    /// By index; those that were not asked for are missing.
    private func answers(_ links: [MuseumLink]) async -> [Int: Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            var waiting = links.prefix(Self.atMost).enumerated().makeIterator()
            func readNext() {
                guard let (index, link) = waiting.next() else { return }
                group.addTask { (index, await read(link)) }
            }
            for _ in 0..<Self.atOnce { readNext() }
            var answers: [Int: Answer] = [:]
            var unreadInARow = 0
            while let (index, answer) = await group.next() {
                answers[index] = answer
                if case .unread(let error) = answer, case .unavailable = error {
                    unreadInARow += 1
                } else {
                    unreadInARow = 0
                }
                if unreadInARow < Self.patience { readNext() }
            }
            return answers
        }
    }

    private func read(_ link: MuseumLink) async -> Answer {
        do throws(CatalogError) {
            return .read(try await records.object(link).entry(of: Self.item(link)))
        } catch {
            return .unread(error)
        }
    }

    private static func item(_ link: MuseumLink) -> Item {
        Item(source: Rijksmuseum.name, kind: Rijksmuseum.kind, id: link.number)
    }
}
