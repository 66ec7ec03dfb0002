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
