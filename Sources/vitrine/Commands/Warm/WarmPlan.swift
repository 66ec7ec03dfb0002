import App
import Catalog
import Pipeline

/// The items of a warm run: named ones, or pages of a list.
struct WarmPlan: Sendable {
    let scope: WarmScope
    let limit: Int?

    private init(_ scope: WarmScope, limit: Int?) {
        self.scope = scope
        self.limit = limit
    }

    /// Returns the pictures at the URLs in a file, one URL per line; `-` is standard input.
    ///
    /// Empty lines and lines that begin with `#` are skipped.
    static func urls(in file: String, limit: Int?) async throws -> WarmPlan {
        let path = file == "-" ? "/dev/stdin" : file
        let bytes = try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.read(path, limit: 256 << 20)
        }
        var items: [Item] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            do throws(Failure) {
                if let item = try item(inLine: String(decoding: line, as: UTF8.self)) {
                    items.append(item)
                }
            } catch {
                throw CommandError.usage("\(file):\(number + 1): \(error)")
            }
        }
        return WarmPlan(.items(items), limit: limit)
    }

    /// Returns the item of a URL with blanks around it; nil for an empty line or a comment.
    static func item(inLine line: String) throws(Failure) -> Item? {
        let text = line.drop(while: \.isWhitespace)
        let end = text.lastIndex { !$0.isWhitespace }
        guard let end, text.first != "#" else { return nil }
        let url = text[...end]
        guard !url.contains(where: \.isWhitespace) else {
            throw .invalid(
                reason: "“\(url)” contains a blank. Write one URL per line, with blanks as %20.")
        }
        return try SignedURL.item(of: String(url))
    }

    init(
        source name: String, list: String, what: [String], search: [String: String] = [:],
        pages: String?, limit: Int?, of pipeline: MediaPipeline
    ) throws {
        self.limit = limit
        do throws(Failure) {
            let source = try pipeline.sources.named(name)
            if source.kinds.contains(list) {
                if let name = search.keys.min() {
                    throw .invalid(reason: "Items are named by their ids, not by “\(name)”.")
                }
                scope = .items(try Self.items(what, of: list, source, pipeline))
                return
            }
            scope = try Self.pages(list, what, search, pages, limit, source, pipeline)
        } catch {
            // No request was sent yet, so the source, list or kind does not exist, or an argument is
            // invalid.
            if error.kind == .notFound || error.isBadRequest {
                throw CommandError.usage(error.reason)
            }
            throw error
        }
    }

    private static func items(
        _ ids: [String], of kind: String, _ source: any Source, _ pipeline: MediaPipeline
    ) throws(Failure) -> [Item] {
        guard !ids.isEmpty else {
            throw .invalid(reason: "Name the ids, such as: \(source.name) \(kind) 1 2 3.")
        }
        var items: [Item] = []
        for id in ids {
            items.append(try pipeline.item(source: source.name, kind: kind, id: id))
        }
        return items
    }

    private static func pages(
        _ list: String, _ what: [String], _ search: [String: String], _ pages: String?,
        _ limit: Int?, _ source: any Source, _ pipeline: MediaPipeline
    ) throws(Failure) -> WarmScope {
        var (list, parameters) = try listing(list, what, source)
        for (name, value) in search {
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw .invalid(reason: "“\(name)” is given twice.")
            }
        }
        guard let pages else {
            let query = try pipeline.catalog.query(
                source: source.name, list: list, parameters: parameters)
            return .pages([query], following: limit != nil || source.endsSoon)
        }
        guard let pageParameter = source.pageParameter else {
            throw
                (.invalid(
                    reason: """
                        \(source.title) has no page numbers; leave --pages out, and say with \
                        --limit how many items you want.
                        """))
        }
        guard let range = range(pages) else {
            throw .invalid(
                reason: "--pages is “\(pages)”; expected a page or a range, such as 0-3.")
        }
        var queries: [ListQuery] = []
        for page in range {
            parameters[pageParameter] = "\(page)"
            queries.append(
                try pipeline.catalog.query(source: source.name, list: list, parameters: parameters))
        }
        return .pages(queries, following: false)
    }

    private static func listing(
        _ name: String, _ words: [String], _ source: any Source
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        return try source.listing(named: name, words: words)
    }

    /// Parses `0-3` or `5`.
    static func range(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
            .map { Int($0) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2,
            first >= 0, first <= last
        else { return nil }
        return first...last
    }
}
