/// When an unreachable host is suspended, and how it recovers.
package struct BreakerPolicy: Sendable, Equatable {
    /// Transfers in a row that found no server. A bad page or a 500 doesn't count, because it says
    /// nothing about the next URL.
    package var threshold = 10
    /// The first rest, doubled while probes fail. It is short so that a restarted origin is found
    /// soon.
    package var rest: Duration = .seconds(2)
    /// Upper bound of a rest.
    package var maxRest: Duration = .seconds(30)

    package init() {}
}
