import CCurl
import Glibc

/// Hands a loop over to the thread that will own it.
final class ThreadStart {
    private let loop: TransferLoop
    private let end: Latch

    init(loop: TransferLoop, end: Latch) {
        self.loop = loop
        self.end = end
    }

    /// Starts the thread. The caller must not touch the loop afterwards.
    func launch() throws(FetchError) {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, Self.entry, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .configuration(reason: "no thread (\(String(cString: strerror(code))))")
        }
        pthread_detach(thread)
    }

    private static let entry:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context else { return nil }
            ccurl_name_thread("fetch")
            run(Unmanaged<ThreadStart>.fromOpaque(context)).announce()
            return nil
        }

    /// Runs the loop, then releases it with its connections before the end is announced.
    private static func run(_ context: Unmanaged<ThreadStart>) -> Latch {
        let start = context.takeRetainedValue()
        start.loop.run()
        return start.end
    }
}
