import Glibc

/// Listens, so that the kernel accepts connections, and never sends a byte.
package final class SilentListener: Sendable {
    package var port: Int { reserved.number }
    private let reserved: LoopbackPort
    private let descriptor: Int32

    package init() throws {
        reserved = try LoopbackPort()
        descriptor = try reserved.socket()
        guard listen(descriptor, 16) == 0 else { throw LoopbackPort.Failure(code: errno) }
    }

    deinit {
        close(descriptor)
    }
}
