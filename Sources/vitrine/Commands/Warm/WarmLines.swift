import App
import Catalog
import FoundationEssentials
import Pipeline
import Synchronization
import Threads

/// A list of items in a file or on standard input, read during the run. A run with a queue reads it again,
/// to compare it with the store.
struct WarmLines: Sendable {
    /// `-` is standard input.
    let file: String
    /// Is told of bad lines at the first reading.
    let bad: BadLines
    /// Gets ids and titles of the list; nil if they are not needed.
    var names: ListedNames?
    /// The reading at which it gets them: 0 for the first one.
    var namedReading = 0

    /// Returns the pictures at the URLs of a list, see ``PictureListParser``.
    func urls(_ columns: ListColumns) async throws -> WarmScope {
        try await scope { bad, names in
            let reading = try await ListReading(file, columns, takesPaths: false, bad)
            return {
                guard let rows = try await reading.rows() else { return nil }
                return rows.compactMap { row in
                    do throws(BadLine) {
                        let picture = try row.get()
                        let item = try Self.item(picture)
                        names?.note(picture, as: item)
                        return item
                    } catch {
                        bad?.report(error)
                        names?.note(error)
                        return nil
                    }
                }
            }
        }
    }

    private static func item(_ picture: ListedPicture) throws(BadLine) -> Item {
        do throws(Failure) {
            return try SignedURL.item(of: picture.place)
        } catch {
            throw BadLine(line: picture.line, reason: error.reason)
        }
    }

    /// Returns the items of a list, one `source/kind/id` per line.
    func items(of pipeline: MediaPipeline) async throws -> WarmScope {
        try await lines { line, names throws(Failure) in
            try Self.named(inLine: line).map { name throws(Failure) in
                let item = try Self.item(name, pipeline)
                names?.note(ListedPicture(line: 0, place: name), as: item)
                return item
            }
        }
    }

    /// Returns the items that failed according to a manifest.
    ///
    /// - Parameter placeholders: whether those without a picture are returned, too.
    func failures(of pipeline: MediaPipeline, placeholders: Bool) async throws -> WarmScope {
        try await lines { line, names throws(Failure) in
            guard !line.allSatisfy(\.isWhitespace) else { return nil }
            guard let entry = WarmManifest.Entry(line) else {
                throw .invalid(reason: "this is not a line of a manifest")
            }
            guard entry.status == "failed" || placeholders && entry.status == "placeholder"
            else { return nil }
            let failed =
                if let url = entry.url {
                    try SignedURL.item(of: url)
                } else {
                    try Self.item(entry.item ?? "", pipeline)
                }
            names?.note(ListedPicture(entry), as: failed)
            return failed
        }
    }

    /// Returns the text of a line; nil for an empty line or a comment.
    private static func named(inLine line: String) -> String? {
        let text = line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let end = text.lastIndex { !$0.isWhitespace }
        guard let end, text.first != "#" else { return nil }
        return String(text[...end])
    }

    private static func item(
        _ name: String, _ pipeline: MediaPipeline
    ) throws(Failure) -> Item {
        guard let item = Item(name) else {
            throw .invalid(reason: "“\(name)” is not an item. Items look like tvmaze/show/1.")
        }
        return try pipeline.trustedItem(source: item.source, kind: item.kind, id: item.id)
    }

    private func lines(
        _ item: @escaping @Sendable (String, ListedNames?) throws(Failure) -> Item?
    ) async throws -> WarmScope {
        try await scope { bad, names in
            let reader = try await FileThreads.run { () throws(LocalFileError) in
                try LineReader(file)
            }
            return {
                guard let lines = try await reader.lines() else { return nil }
                var items: [Item] = []
                for line in lines {
                    do throws(Failure) {
                        if let item = try item(line.text, names) { items.append(item) }
                    } catch {
                        let line = BadLine(line: line.number, reason: error.reason)
                        bad?.report(line)
                        names?.note(line)
                    }
                }
                return items
            }
        }
    }

    /// Opens the list now, for the first reading, and again for each further one.
    private func scope(
        _ open: @escaping @Sendable (BadLines?, ListedNames?) async throws -> WarmScope.Reader
    ) async throws -> WarmScope {
        let first = try await open(bad, namedReading == 0 ? names : nil)
        let readings = Mutex(0)
        return .stream {
            let number = readings.withLock { readings in
                defer { readings += 1 }
                return readings
            }
            return number == 0 ? first : try await open(nil, number == namedReading ? names : nil)
        }
    }
}

extension ListedPicture {
    /// A line of a manifest, which has the id and the title of a list.
    fileprivate init(_ entry: WarmManifest.Entry) {
        self.init(
            line: 0, place: entry.url ?? entry.item ?? "", id: entry.id, title: entry.title)
    }
}
