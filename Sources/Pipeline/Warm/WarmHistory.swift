import Fetch

/// What a source's origins showed in earlier runs, from which a forecast is made. Pure.
package struct WarmHistory: Sendable, Equatable, Codable {
    /// Older runs count half each time that this many items are exceeded, so that a source that
    /// changed is noticed.
    private static let most = 10_000.0

    /// Items for which an origin was asked.
    var items = 0.0
    var originals = 0.0
    var bytes = 0.0
    /// Processor seconds of the renders.
    var renderSeconds = 0.0
    var hosts: [String: Host] = [:]

    struct Host: Sendable, Equatable, Codable {
        var requests = 0.0
        var seconds = 0.0
    }

    package init() {}

    /// Adds a run. Runs that asked no origin say nothing.
    mutating func add(_ summary: WarmSummary, _ transfers: [String: HostTransfers], render: Double)
    {
        guard summary.originals > 0 else { return }
        if items > Self.most { scale(by: 0.5) }
        // Items that were found fresh need no request.
        items += Double(summary.originals + summary.placeholders + summary.failed)
        originals += Double(summary.originals)
        bytes += Double(summary.bytesFetched)
        renderSeconds += render
        for (name, transfer) in transfers {
            hosts[name, default: Host()].requests += Double(transfer.requests)
            hosts[name, default: Host()].seconds += transfer.seconds
        }
    }

    private mutating func scale(by factor: Double) {
        items *= factor
        originals *= factor
        bytes *= factor
        renderSeconds *= factor
        for name in hosts.keys {
            hosts[name]?.requests *= factor
            hosts[name]?.seconds *= factor
        }
    }

    /// Mean bytes of an original; nil without one.
    var originalBytes: Double? { originals > 0 ? bytes / originals : nil }

    /// Requests for that number of items.
    func requests(_ count: Int) -> Int {
        guard items > 0 else { return count }
        return Self.whole(hosts.values.reduce(0) { $0 + $1.requests } / items * Double(count))
    }

    /// Bytes of that number of originals.
    func bytes(_ count: Int) -> Int { Self.whole((originalBytes ?? 0) * Double(count)) }

    /// Rounds up. What was stored may be damaged, and then be no number or any.
    private static func whole(_ value: Double) -> Int {
        value.isNaN ? 0 : Int(min(max(0, value), 1e15).rounded(.up))
    }

    /// Seconds for that number of items: what the slowest host takes under its policy, or what rendering
    /// takes, if that is longer. Nil without earlier runs.
    func seconds(
        _ count: Int, cores: Int, _ policy: (String) -> HostPolicy
    ) -> Double? {
        guard items > 0 else { return nil }
        let share = Double(count) / items
        let render = renderSeconds * share / Double(max(1, cores))
        let seconds = hosts.reduce(render) { slowest, host in
            var transfers = HostTransfers()
            transfers.requests = Self.whole(host.value.requests * share)
            transfers.seconds = host.value.seconds * share
            return max(slowest, transfers.seconds(under: policy(host.key)))
        }
        return seconds.isFinite ? seconds : nil
    }
}

extension WarmForecast {
    /// Estimates requests, bytes and seconds.
    ///
    /// - Parameters:
    ///   - meanBytes: of the stored originals; nil without one.
    ///   - rate: items begun per second; nil for no limit.
    mutating func estimate(
        _ history: WarmHistory?, meanBytes: Int?, cores: Int, rate: Double? = nil,
        _ policy: (String) -> HostPolicy
    ) {
        requests = originals
        if let sample, sample.sized > 0 {
            basis = .sample
            // As many of the others have no picture.
            let there = originals * (sample.asked - sample.absent) / max(1, sample.asked)
            bytesFetched = sample.meanBytes * there
        } else if let history, let seconds = history.seconds(originals, cores: cores, policy) {
            basis = .earlierRuns
            requests = history.requests(originals)
            bytesFetched = history.bytes(originals)
            self.seconds = max(seconds, rate.map { Double(originals) / $0 } ?? 0)
        } else if let meanBytes {
            basis = .storedOriginals
            bytesFetched = meanBytes * originals
        }
    }
}
