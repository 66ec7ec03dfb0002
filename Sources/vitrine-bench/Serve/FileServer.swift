/// Another program that serves what this one serves, from files.
protocol FileServer: Sendable {
    static var peer: Peer { get }

    /// - Parameters:
    ///   - program: its path.
    ///   - files: directory of the files.
    ///   - identity: directory of a certificate.
    ///   - processors: what it is bound to; nil is every processor.
    init(
        program: String, files: String, identity: String, context: BenchContext,
        processors: Processors?)

    /// Starts it with a configuration of its own and returns once it listens.
    func start(isSecure: Bool) async throws -> ServerProcess
}
