/// Whether a host lets a transfer start.
enum HostAdmission: Equatable {
    case start
    /// It may start at this instant at the earliest.
    case wait(until: ContinuousClock.Instant)
    /// It may start when a running transfer ends.
    case busy
    /// It is rejected, because the host is down or wants no request for a while.
    case refuse(FetchError.Cause)
}

/// The last requests to one host, for a rate that holds in *any* window, not only in aligned ones.
///
/// The host counts arrivals. A request arrives after its start and before its response begins, so a
/// request counts from the later of the two: however long connections take, the host never sees more
/// than the rate allows. Pure.
struct SlidingWindow {
    typealias Instant = ContinuousClock.Instant
    typealias Ticket = UInt64

    private struct Entry {
        var ticket: Ticket
        /// The start while the transfer runs, then the latest time of arrival.
        var instant: Instant
        var hasEnded = false
    }

    private var count: Int
    private var per: Duration
    /// At most ``count``, unless that was more when they were started.
    private var entries: [Entry] = []

    init(_ rate: HostPolicy.Rate) {
        count = max(1, rate.count)
        per = rate.per
    }

    /// Takes another rate. What was started counts for it.
    mutating func change(to rate: HostPolicy.Rate) {
        count = max(1, rate.count)
        per = rate.per
    }

    func admission(at now: Instant) -> HostAdmission {
        let counted = entries.filter { counts($0, at: now) }
        guard counted.count >= count else { return .start }
        let ended = counted.filter(\.hasEnded).map(\.instant).sorted()
        // That many have to leave the window first.
        let excess = counted.count - count
        return excess < ended.count ? .wait(until: ended[excess].advanced(by: per)) : .busy
    }

    private func counts(_ entry: Entry, at now: Instant) -> Bool {
        !entry.hasEnded || entry.instant.advanced(by: per) > now
    }

    func isEmpty(at now: Instant) -> Bool { !entries.contains { counts($0, at: now) } }

    /// Adds a start, which ``admission(at:)`` allowed.
    mutating func start(_ ticket: Ticket, at now: Instant) {
        entries = entries.filter { counts($0, at: now) }
        assert(!entries.contains { $0.ticket == ticket && !$0.hasEnded }, "a transfer starts twice")
        entries.append(Entry(ticket: ticket, instant: now))
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
