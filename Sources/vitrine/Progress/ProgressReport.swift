import Console

/// The progress of a run, and the line that shows it. Pure.
struct ProgressReport: Sendable, Equatable {
    /// What is worked on, for people; may be empty.
    var title = ""
    /// Plural name of what is counted.
    var noun = "items"
    var done = 0
    /// `nil` while it is unknown.
    var total: Int?
    /// Bytes that were fetched or written.
    var bytes = 0
    /// Pictures that didn't come from their first candidate.
    var fallbacks = 0
    var placeholders = 0
    var failed = 0
    /// Time since the run began.
    var elapsed: Duration = .zero

    /// Returns one line of at most `width` columns. The least important parts are omitted first.
    func line(width: Int) -> String {
        LinePart.line(parts, width: width)
    }

    /// The parts in display order. Parts with a higher rank are omitted earlier.
    private var parts: [LinePart] {
        var parts: [LinePart] = []
        func add(_ text: String, _ rank: Int) { parts.append(LinePart(text: text, rank: rank)) }
        if !title.isEmpty { add(title, 9) }
        if let total {
            if total > 0 {
                // Rounded down, so that 100 % means done.
                add("\(min(done, total) * 100 / total) %", 4)
            }
            add("\(done)/\(total) \(noun)", 0)
        } else {
            add("\(done) \(noun)", 0)
        }
        if bytes >= Self.leastBytes { add(ReadableText.megabytes(bytes), 5) }
        if let itemsPerSecond {
            add("\(ReadableText.decimal(itemsPerSecond))/s", 3)
            let pace = Int(Double(bytes) / seconds)
            if pace >= Self.leastBytes { add("\(ReadableText.megabytes(pace))/s", 8) }
        }
        if let remaining { add("ETA \(ReadableText.clock(remaining))", 2) }
        if fallbacks > 0 { add(ReadableText.counted(fallbacks, "fallback"), 6) }
        if placeholders > 0 { add(ReadableText.counted(placeholders, "placeholder"), 7) }
        if failed > 0 { add("\(failed) failed", 1) }
        return parts
    }

    /// Fewer would be 0.0 MB.
    static let leastBytes = 50_000

    private var seconds: Double { elapsed / .seconds(1) }

    /// `nil` until time has passed and an item is done.
    private var itemsPerSecond: Double? {
        seconds > 0 && done > 0 ? Double(done) / seconds : nil
    }

    /// The estimated time left; `nil` if it is unknown, and at the end.
    private var remaining: Duration? {
        guard let itemsPerSecond, let total, total > done else { return nil }
        return .seconds((Double(total - done) / itemsPerSecond).rounded(.up))
    }
}

/// A part of a line that may be omitted. Pure.
struct LinePart: Sendable {
    var text: String
    /// Parts with a higher rank are omitted earlier.
    var rank = 0
    var color: TextColor?

    /// Joins the parts that fit into `width` columns, two spaces apart. The last one left is cut.
    static func line(_ parts: [LinePart], width: Int, hasColors: Bool = false) -> String {
        var parts = parts
        func length() -> Int { parts.reduce(-2) { $0 + $1.text.count + 2 } }
        while length() > width, parts.count > 1,
            let least = parts.indices.max(by: { parts[$0].rank < parts[$1].rank })
        {
            parts.remove(at: least)
        }
        if parts.count == 1 { parts[0].text = String(parts[0].text.prefix(width)) }
        return parts.map { part in
            part.color.map { $0.paint(part.text, if: hasColors) } ?? part.text
        }.joined(separator: "  ")
    }
}
