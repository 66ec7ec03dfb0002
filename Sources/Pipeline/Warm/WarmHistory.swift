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

    /// Requests for so many items.
    func requests(_ count: Int) -> Double {
        guard items > 0 else { return Double(count) }
        return hosts.values.reduce(0) { $0 + $1.requests } / items * Double(count)
    }

    /// Seconds for so many items: what the slowest host takes under its policy, or what rendering
    /// takes, if that is longer. Nil without earlier runs.
    func seconds(
        _ count: Int, cores: Int, _ policy: (String) -> HostPolicy
    ) -> Double? {
        guard items > 0 else { return nil }
        let share = Double(count) / items
        let render = renderSeconds * share / Double(max(1, cores))
        return hosts.reduce(render) { slowest, host in
            var transfers = HostTransfers()
            transfers.requests = Int((host.value.requests * share).rounded(.up))
            transfers.seconds = host.value.seconds * share
            return max(slowest, transfers.seconds(under: policy(host.key)))
        }
    }
}
