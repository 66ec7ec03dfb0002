/// Adds titles to the objects of a page, because a search returns only ids.
struct MuseumPage: Sendable {
    let records: MuseumRecords

    /// Records read at the same time. The museum asks clients for a handful at most.
    private static let atOnce = 4
    /// Objects of a page, a fifth of the museum's. Its rate allows ten calls a second, so that a page is
    /// read within a second or two, while the next is read already.
    static let size = 20
    /// Unreadable records in a row after which the rest of the page is not requested.
    private static let patience = 12

    private enum Answer {
        case read(CatalogEntry)
        /// The record is gone or its request failed. The list then shows the object's number.
        case unread(Failure)
    }

    /// Returns the objects in order, without pictures. An unreadable object is listed with its
    /// number.
    ///
    /// - Throws: ``Failure`` if the museum didn't respond for any of them, or if a call was
    ///   invalid, lacked credentials or was canceled.
    func items(_ links: [MuseumLink]) async throws(Failure) -> [ItemDetails] {
        let answers = await answers(links)
        var hasAnswered = links.isEmpty
        var failure: Failure?
        var items: [ItemDetails] = []
        for (index, link) in links.enumerated() {
            var entry = MuseumObject.unreadEntry(of: link.item)
            switch answers[index] {
            case .read(let known):
                entry = known
                hasAnswered = true
            case .unread(let error):
                if error.isTransient {
                    failure = failure ?? error
                } else if error.kind == .notFound {
                    hasAnswered = true
                } else {
                    throw error
                }
            case nil: break
            }
            items.append(ItemDetails(entry: entry, chain: [], isResolved: false))
        }
        if !hasAnswered, let failure { throw failure }
        return items
    }

    /// Returns the results by index. Records that were not requested are missing.
    private func answers(_ links: [MuseumLink]) async -> [Int: Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            var waiting = links.enumerated().makeIterator()
            func readNext() {
                guard let (index, link) = waiting.next() else { return }
                group.addTask { (index, await read(link)) }
            }
            for _ in 0..<Self.atOnce { readNext() }
            var answers: [Int: Answer] = [:]
            var unreadInARow = 0
            while let (index, answer) = await group.next() {
                answers[index] = answer
                if case .unread(let error) = answer, error.isTransient {
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
        do throws(Failure) {
            return .read(try await records.object(link).entry(of: link.item))
        } catch {
            return .unread(error)
        }
    }
}
