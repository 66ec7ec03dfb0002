/// A column of a table of rows with the same headline.
struct BenchColumn: Sendable {
    enum Content: Sendable {
        case figure(BenchQuantity)
        /// What this program is beside a peer.
        case beside
        /// A percentile of the latency.
        case latency(Double)
    }

    let content: Content
    /// All rows of the subject, among which peers find this program's.
    private let rows: [BenchRow]

    /// Returns the columns that any row has something for, the most telling first: the headline, times
    /// beside peers, the other figures, percentiles.
    static func all(of rows: [BenchRow], among all: [BenchRow]) -> [BenchColumn] {
        var quantities: [BenchQuantity] = []
        for quantity in rows.flatMap({ $0.figures.map(\.quantity) })
        where !quantities.contains(quantity) { quantities.append(quantity) }
        var contents = quantities.map(Content.figure)
        if rows.contains(where: { $0.head.peer != nil }) {
            contents.insert(.beside, at: min(1, contents.count))
        }
        contents += [99, 50, 99.9].filter { percentile in
            !quantities.contains(.latency(percentile))
                && rows.contains { $0.latency?[percentile] != nil }
        }.map(Content.latency)
        return contents.map { BenchColumn(content: $0, rows: all) }
    }

    /// How it is headed, if its cells have no units.
    var header: String {
        switch content {
        case .figure(let quantity): quantity.header
        case .beside: "this is"
        case .latency(let percentile): BenchQuantity.latency(percentile).name
        }
    }

    /// How it is headed, if its cells have units.
    var name: String {
        if case .figure(let quantity) = content { quantity.name } else { header }
    }

    /// The median, and the spread of what can be better or worse.
    func cell(_ row: BenchRow, hasUnit: Bool = false) -> (value: String, spread: String?) {
        switch content {
        case .figure(let quantity):
            guard let statistics = row[quantity.name]?.statistics else { return ("", nil) }
            return (
                hasUnit
                    ? BenchText.figure(statistics.median, quantity.unit)
                    : BenchText.number(statistics.median),
                quantity.better == nil ? nil : statistics.spread
            )
        case .beside: return (BenchBeside.of(row, among: rows)?.text ?? "", nil)
        case .latency(let percentile):
            return (
                row.latency?[percentile].map { BenchText.time(microseconds: $0) } ?? "", nil
            )
        }
    }
}

/// This program beside a peer, from the rows of both.
struct BenchBeside: Sendable, Equatable {
    /// Above 1 this program does more, or needs less.
    var times: Double
    /// What is compared.
    var what: String

    var text: String { "\(BenchText.number(times)) × \(what)" }

    /// Nil for a row of this program, and without a row of this program beside the peer's.
    ///
    /// What a core gives counts where it is known, because the rate ends where the generator does; then
    /// processor time, and the rate of programs whose processor time can't be read.
    static func of(_ peer: BenchRow, among rows: [BenchRow]) -> BenchBeside? {
        guard peer.head.peer != nil, let own = rows.first(where: { $0.id == peer.ownID }) else {
            return nil
        }
        if let ratio = own.ratio("transfer", to: peer) {
            return BenchBeside(times: ratio, what: "bytes/s")
        }
        if let ratio = own.ratio("per core", to: peer) {
            return BenchBeside(times: ratio, what: "per core")
        }
        if let ratio = own.ratio("processor time", to: peer), ratio > 0 {
            return BenchBeside(times: 1 / ratio, what: "less CPU")
        }
        return own.ratio("rate", to: peer).map { BenchBeside(times: $0, what: "as fast") }
    }
}
