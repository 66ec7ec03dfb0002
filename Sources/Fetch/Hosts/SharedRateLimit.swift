/// Rates that hold for several processes together. Both functions block for a few microseconds.
package struct SharedRateLimit: Sendable {
    /// Records a start at a host; or returns the time until the rate allows one.
    package var start: @Sendable (_ host: String, HostPolicy.Rate) -> Duration?
    /// Takes back the last start, because no transfer was ready.
    package var cancel: @Sendable (_ host: String) -> Void

    package init(
        start: @escaping @Sendable (_ host: String, HostPolicy.Rate) -> Duration?,
        cancel: @escaping @Sendable (_ host: String) -> Void
    ) {
        self.start = start
        self.cancel = cancel
    }
}
