import App
import Catalog
import FoundationEssentials
import Pipeline
import Threads

/// Lists of items in files or on standard input, read during the run.
enum WarmLines {
    /// Returns the pictures at the URLs of a list, see ``PictureListParser``.
    ///
    /// - Parameter names: gets ids and titles of the list; nil if they are not needed.
    static func urls(
        in file: String, _ columns: ListColumns, _ bad: BadLines,
        names: ListedNames?
    ) async throws -> WarmScope {
        let reading = try await ListReading(file, columns, takesPaths: false, bad)
        return .stream {
            guard let pictures = try await reading.next() else { return nil }
            return pictures.compactMap { picture in
                do throws(Failure) {
                    let item = try SignedURL.item(of: picture.place)
                    names?.note(picture, as: item)
                    return item
                } catch {
                    bad.report(BadLine(line: picture.line, reason: error.reason))
                    return nil
                }
            }
        }
    }

    /// Returns the items of a list, one `source/kind/id` per line.
    static func items(
        in file: String, of pipeline: MediaPipeline, _ bad: BadLines
    ) async throws -> WarmScope {
        try await scope(file, bad) { line throws(Failure) in
            try named(inLine: line).map { name throws(Failure) in try item(name, pipeline) }
        }
    }

    /// Returns the items that failed according to a manifest.
    ///
    /// - Parameters:
    ///   - placeholders: whether those without a picture are returned, too.
    ///   - names: gets ids and titles of the manifest; nil if they are not needed.
    static func failures(
        in manifest: String, of pipeline: MediaPipeline, placeholders: Bool, _ bad: BadLines,
        names: ListedNames?
    ) async throws -> WarmScope {
        try await scope(manifest, bad) { line throws(Failure) in
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
                    try item(entry.item, pipeline)
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

    private static func scope(
        _ file: String, _ bad: BadLines,
        _ item: @escaping @Sendable (String) throws(Failure) -> Item?
    ) async throws -> WarmScope {
        let reader = try await FileThreads.run { () throws(LocalFileError) in
            try LineReader(file)
        }
        return .stream {
            let lines = try await FileThreads.run { () throws(LocalFileError) in
                try reader.next()
            }
            guard let lines else { return nil }
            var items: [Item] = []
            for line in lines {
                do throws(Failure) {
                    if let item = try item(line.text) { items.append(item) }
                } catch {
                    bad.report(BadLine(line: line.number, reason: error.reason))
                }
            }
            return items
        }
    }
}

extension ListedPicture {
    /// A line of a manifest, which has the id and the title of a list.
    fileprivate init(_ entry: WarmManifest.Entry) {
        self.init(line: 0, place: entry.url ?? entry.item, id: entry.id, title: entry.title)
    }
}
