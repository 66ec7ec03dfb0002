import Catalog

/// Formats what a source answered as plain lines. Pure.
struct SourceTestText {
    let test: SourceTest
    /// The levels with their boxes, the smallest first.
    let levels: [(name: String, box: PictureBox)]

    var text: String {
        var lines = [heading]
        lines += test.steps.flatMap(shown)
        switch test.subject {
        case .item: if let details = test.items.first { lines += chain(details) }
        case .page: lines += items
        }
        return lines.joined(separator: "\n")
    }

    private var heading: String {
        switch test.subject {
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

    private func chain(_ details: ItemDetails) -> [String] {
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

    private var items: [String] {
        test.items.prefix(5).map { details in
            let pictures =
                details.isResolved
                ? details.chain.isEmpty ? "no picture" : "pictures known"
                : "pictures by its own request"
            return "\(details.entry.item)  \(details.entry.title) (\(pictures))"
        } + (test.items.count > 5 ? ["… and \(test.items.count - 5) more"] : [])
    }
}
