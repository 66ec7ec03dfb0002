/// A number that one would quote, from the row that it comes from.
struct BenchQuote: Sendable, Equatable {
    /// The number with its unit, for a large print: `215 posters/s`.
    var number: String
    /// How far the rounds spread: `± 2.1 %`; `1 round` and `2 rounds` say nothing of that.
    var spread: String
    /// The whole, as a sentence.
    var sentence: String
    /// Whether other programs had enough of the machine to change the number.
    var isDoubtful = false

    /// Returns at most six, of the rows that were measured.
    static func all(of rows: [BenchRow]) -> [BenchQuote] {
        let quotes = [
            posters(rows),
            hits(rows, "serve/hit/keep-alive", "thumbnails a second and core from memory"),
            hits(rows, "serve/hit/http2", "thumbnails a second and core over HTTP/2"),
            busy(rows),
            rate(
                rows, "serve/miss/", "pictures that were never asked for a second, one level each"),
            rate(rows, "warm/levels=", "posters a second from an origin to four levels on disk"),
            rate(rows, "fetch/hosts=", "pictures a second from 300 hosts, one connection each"),
            rate(rows, "store/pictures/durability=process/tasks=8", "pictures stored a second"),
        ]
        return Array(quotes.compactMap(\.self).prefix(6))
    }

    /// Rendering with the most threads.
    private static func posters(_ rows: [BenchRow]) -> BenchQuote? {
        let own = rows.filter { row in
            row.head.peer == nil && row.head["threads"] != nil && row.head["lane"] == nil
                && row.id.hasPrefix("thumbnails/") && row.id.contains("/jpeg/all-levels/")
        }
        guard
            let row = own.first.flatMap({ first in
                own.filter { $0.id.split(separator: "/")[1] == first.id.split(separator: "/")[1] }
                    .max { Int($0.head["threads"] ?? "") ?? 0 < Int($1.head["threads"] ?? "") ?? 0 }
            }), let levels = row.head["levels"] ?? row.head.words
        else { return nil }
        let noun = row.id.hasPrefix("thumbnails/posters/") ? "posters" : "pictures"
        return quote(rows, row, "\(noun) a second on this machine, \(levels)")
    }

    private static func hits(_ rows: [BenchRow], _ id: String, _ words: String) -> BenchQuote? {
        guard let row = rows.first(where: { $0.id == id }) else { return nil }
        return quote(rows, row, words, figure: BenchQuantity.perCore.name)
    }

    private static func rate(_ rows: [BenchRow], _ id: String, _ words: String) -> BenchQuote? {
        let row = rows.first { $0.id.hasPrefix(id) && $0.head.peer == nil }
        return row.flatMap { quote(rows, $0, words) }
    }

    /// The latency of hits while the machine renders.
    private static func busy(_ rows: [BenchRow]) -> BenchQuote? {
        guard let row = rows.first(where: { $0.id.hasPrefix("serve/mixed/") }),
            let p99 = row["p99"]?.statistics
        else { return nil }
        let time = BenchText.time(microseconds: p99.median)
        return BenchQuote(
            number: time, spread: spread(p99),
            sentence: "99 of 100 hits take less than \(time) while a warm run has every processor.",
            isDoubtful: row.isBusy)
    }

    private static func quote(
        _ rows: [BenchRow], _ row: BenchRow, _ words: String, figure: String = "rate"
    ) -> BenchQuote? {
        guard let figure = row[figure], let statistics = figure.statistics else { return nil }
        let number = BenchText.number(statistics.median)
        // The row of peers may be another: a peer's start counts, so that of this program does.
        let peers = rows.compactMap { peer -> (name: String, beside: BenchBeside)? in
            guard peer.ownID == row.id, let name = peer.head["peer"] else { return nil }
            return BenchBeside.of(peer, among: rows).map { (name, $0) }
        }
        // Of several peers the best one, beside which this program does least.
        let best = peers.min { $0.beside.times < $1.beside.times }
        let beside = best.map { name, beside in
            "; \(BenchText.number(beside.times)) times \(name)"
                + (beside.what == "per core" ? " per core" : "")
        }
        return BenchQuote(
            number: number, spread: spread(statistics),
            sentence: "About \(number) \(words)\(beside ?? "").",
            isDoubtful: figure.quantity.isWall && row.isBusy)
    }

    private static func spread(_ statistics: BenchStatistics) -> String {
        statistics.spread.map { "± \($0)" }
            ?? "\(statistics.count) \(statistics.count == 1 ? "round" : "rounds")"
    }
}
