import Catalog
import Console

/// What a source answered about one item or one page.
struct SourceTest: Sendable {
    enum Subject: Sendable, Equatable {
        case item(Item)
        case page(ListQuery)
    }

    let subject: Subject
    private(set) var steps: [SourceRecorder.Step] = []
    /// The item, or those of the page.
    private(set) var items: [ItemDetails] = []
    private(set) var failure: Failure?

    /// Asks the source.
    init(_ subject: Subject, of source: ConfiguredSource, api: any APIReading) async {
        self.subject = subject
        let recorder = SourceRecorder()
        var source = source
        source.recorder = recorder
        do throws(Failure) {
            switch subject {
            case .item(let item): items = [try await source.details(of: item, api: api)]
            case .page(let query):
                items = try await source.page(query, api: api)?.items ?? []
            }
        } catch {
            failure = error
        }
        steps = recorder.steps
    }

    /// Whether the picture or the item is missing.
    var isEmpty: Bool {
        switch subject {
        case .item: items.allSatisfy(\.chain.isEmpty)
        case .page: items.isEmpty
        }
    }
}

extension SourceTest {
    /// Returns what the source answered as plain lines, without control characters.
    ///
    /// - Parameter levels: with their boxes, the smallest first.
    func text(levels: [(name: String, box: PictureBox)]) -> String {
        var lines = [heading]
        lines += steps.flatMap(shown)
        switch subject {
        case .item: if let details = items.first { lines += chain(details, levels) }
        case .page: lines += shownItems
        }
        return ReadableText.lines(lines)
    }

    private var heading: String {
        switch subject {
        case .item(let item): "\(item)"
        case .page(let query): query.key
        }
    }

    private func shown(_ step: SourceRecorder.Step) -> [String] {
        switch step {
        case .answered(let url, let status, let bytes, let document):
            ["GET \(url)", "    \(status), \(bytes) bytes, \(document)"]
        case .failed(let url, let reason): ["GET \(url)", "    failed: \(reason)"]
        case .found(let name, let place, let value):
            ["  \(name)  \(place)", "    → \(value)"]
        case .missed(let name, let place, let reason):
            ["  \(name)  \(place)", "    nothing: \(reason)"]
        case .note(let note): ["  \(note)"]
        }
    }

    private func chain(
        _ details: ItemDetails, _ levels: [(name: String, box: PictureBox)]
    ) -> [String] {
        if details.chain.isEmpty { return ["no candidates"] }
        return ["levels"]
            + levels.map { level in
                let steps = details.orderedChain(for: level.box).compactMap { step -> String? in
                    switch step {
                    case .candidate(let candidate): candidate.label
                    case .item(let item): "\(item)"
                    case .scalable: nil
                    }
                }
                return "  \(level.name) \(level.box.width)×\(level.box.height): "
                    + steps.joined(separator: ", then ")
            }
    }

    private var shownItems: [String] {
        items.prefix(5).map { details in
            let pictures =
                details.isResolved
                ? details.chain.isEmpty ? "no picture" : "pictures known"
                : "pictures by its own request"
            return "\(details.entry.item)  \(details.entry.title) (\(pictures))"
        } + (items.count > 5 ? ["… and \(items.count - 5) more"] : [])
    }
}

extension SourceTest {
    /// The same as one JSON object.
    struct Document: Encodable {
        /// A request, a value that was looked for, or a note.
        struct Line: Encodable {
            var url: String?
            var status: Int?
            var bytes: Int?
            /// Of a value, with the place in the answer where it was looked for.
            var name: String?
            var place: String?
            var value: String?
            var reason: String?
            var note: String?
        }

        struct Found: Encodable {
            var item: String
            var title: String
            /// URLs of its pictures, in order of preference for the largest level; nil if they have a request of
            /// their own.
            var candidates: [String]?
        }

        /// The item or the page that was asked for.
        var subject: String
        var steps: [Line]
        var items: [Found]
        var failure: String?

        init(_ test: SourceTest) {
            subject = test.heading
            steps = test.steps.map(Line.init)
            items = test.items.map(Found.init)
            failure = test.failure.map { $0.reason }
        }
    }
}

extension SourceTest.Document.Line {
    fileprivate init(_ step: SourceRecorder.Step) {
        switch step {
        case .answered(let url, let status, let bytes, _):
            (self.url, self.status, self.bytes) = (url, status, bytes)
        case .failed(let url, let reason): (self.url, self.reason) = (url, reason)
        case .found(let name, let place, let value):
            (self.name, self.place, self.value) = (name, place, value)
        case .missed(let name, let place, let reason):
            (self.name, self.place, self.reason) = (name, place, reason)
        case .note(let note): self.note = note
        }
    }
}

extension SourceTest.Document.Found {
    fileprivate init(_ details: ItemDetails) {
        (item, title) = ("\(details.entry.item)", details.entry.title)
        guard details.isResolved else { return }
        candidates = details.chain.compactMap { step -> String? in
            switch step {
            case .candidate(let candidate): candidate.url
            case .item(let item): "\(item)"
            case .scalable: nil
            }
        }
    }
}
