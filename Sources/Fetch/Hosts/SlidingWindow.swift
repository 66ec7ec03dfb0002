/// The last requests to one host, for a rate that holds in *any* window, not only in aligned ones.
///
/// The host counts arrivals. A request arrives after its start and before its response begins, so a
/// request counts from the later of the two: however long connections take, the host never sees more
/// than the rate allows. Pure.
struct SlidingWindow {
    typealias Instant = ContinuousClock.Instant
    typealias Ticket = UInt64

    enum Opening: Equatable {
        case now
        case at(Instant)
        /// When a running transfer ends.
        case afterEnd
    }

    private struct Entry {
        var ticket: Ticket
        /// The start while the transfer runs, then the latest time of arrival.
        var instant: Instant
        var hasEnded = false
    }

    private let count: Int
    private let per: Duration
    /// At most ``count``.
    private var entries: [Entry] = []

    init(_ rate: HostPolicy.Rate) {
        count = max(1, rate.count)
        per = rate.per
    }

    func opening(at now: Instant) -> Opening {
        guard entries.count >= count else { return .now }
        guard let oldest = entries.lazy.filter(\.hasEnded).map(\.instant).min() else {
            return .afterEnd
        }
        let opens = oldest.advanced(by: per)
        return opens <= now ? .now : .at(opens)
    }

    func isEmpty(at now: Instant) -> Bool {
        entries.allSatisfy { $0.hasEnded && $0.instant.advanced(by: per) <= now }
    }

    /// Adds a start, which ``opening(at:)`` allowed.
    mutating func start(_ ticket: Ticket, at now: Instant) {
        let entry = Entry(ticket: ticket, instant: now)
        let oldest = entries.indices.filter { entries[$0].hasEnded }
            .min { entries[$0].instant < entries[$1].instant }
        if entries.count >= count, let oldest {
            entries[oldest] = entry
        } else {
            entries.append(entry)
        }
    }

    /// Records the end of a transfer, whose request had arrived by then.
    mutating func end(_ ticket: Ticket, arrivedBy instant: Instant) {
        guard let index = entries.firstIndex(where: { $0.ticket == ticket && !$0.hasEnded }) else {
            return
        }
        entries[index].instant = max(entries[index].instant, instant)
        entries[index].hasEnded = true
    }
}
