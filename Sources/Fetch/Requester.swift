/// For whom the current task works.
package enum Requester {
    /// The client's network address where it is known; requests of different clients take turns at
    /// a host. `nil` for the service's own work and behind a proxy.
    @TaskLocal package static var address: String?
}
