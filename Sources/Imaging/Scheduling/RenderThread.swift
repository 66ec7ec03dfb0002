import CVips

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One detached POSIX thread that runs a closure and ends.
final class RenderThread: Sendable {
    private let name: String
    private let niceness: Int
    private let body: @Sendable () -> Void

    private init(name: String, niceness: Int, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.niceness = niceness
        self.body = body
    }

    /// Starts a thread; returns false if the system refuses one.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes, as debuggers and `top` show it.
    ///   - niceness: added to that of the process.
    static func start(
        named name: String, niceness: Int = 0, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let thread = Unmanaged.passRetained(
            RenderThread(name: name, niceness: niceness, body: body))
        var handle = pthread_t()
        let status = pthread_create(&handle, &attributes, run, thread.toOpaque())
        if status != 0 { thread.release() }
        return status == 0
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        { argument in
            guard let argument else { return nil }
            let thread = Unmanaged<RenderThread>.fromOpaque(argument).takeRetainedValue()
            vitrine_name_thread(thread.name)
            if thread.niceness > 0 { vitrine_nice_thread(Int32(thread.niceness)) }
            thread.body()
            return nil
        }
}
