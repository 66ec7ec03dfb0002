/// Rates that hold for several processes together.
package struct SharedRateLimit: Sendable {
    /// Calls `begin`, which returns whether a transfer starts, and records that start; or returns the
    /// time until the rate allows one. Blocks for a few microseconds.
    package typealias Start =
        @Sendable (_ host: String, HostPolicy.Rate, _ begin: () -> Bool) -> Duration?

    package var start: Start

    package init(start: @escaping Start) { self.start = start }
}
