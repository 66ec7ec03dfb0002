/// The client for which the current task works.
package enum Requester {
    /// The client's network address. Requests of different clients take turns at a host. nil for
    /// the service's own work and behind a proxy.
    @TaskLocal package static var address: String?
}
