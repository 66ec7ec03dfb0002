/// Who may use favorites and history.
package enum UserDataAccess: String, Sendable, CaseIterable {
    /// ``open`` where the service listens on loopback only, ``off`` elsewhere.
    case automatic = "auto"
    /// No client.
    case off
    /// Every client that asks the service by one of its names.
    case open
    /// Clients with the admin token.
    case token
}
