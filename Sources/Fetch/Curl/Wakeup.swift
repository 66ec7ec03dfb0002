import CCurl
import Glibc

/// Ends another thread's wait. Any thread may ring. This object owns the descriptor.
final class Wakeup: Sendable {
    let descriptor: Int32

    init() throws(FetchError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw .configuration(
                reason: "no event descriptor (\(String(cString: strerror(errno))))")
        }
    }

    deinit {
        close(descriptor)
    }

    func ring() {
        // Fails only if the counter is full, and then the reader wakes anyway.
        eventfd_write(descriptor, 1)
    }

    func silence() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
