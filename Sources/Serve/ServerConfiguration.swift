/// What the HTTP service needs besides the pipeline.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 8080
    /// Sent with the placeholder instead of the true status, for clients that need it.
    package var placeholderStatus: Int?

    package init() {}
}
