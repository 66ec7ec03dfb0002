import CCurl
import Glibc

/// Watches libcurl's sockets and reports their events (`epoll`). Used by one thread only.
final class Poller {
    struct Event {
        var descriptor: Int32
        var isReadable: Bool
        var isWritable: Bool
        var isBroken: Bool
    }

    private let descriptor: Int32
    private let wakeup: Wakeup
    /// The events that libcurl wants per descriptor. Zero is none, although it may still be
    /// registered.
    private var interests: [UInt32] = []
    private var buffer = [epoll_event](repeating: epoll_event(), count: 256)

    init(wakeup: Wakeup) throws(FetchError) {
        self.wakeup = wakeup
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else {
            throw .configuration(reason: "no poll descriptor (\(String(cString: strerror(errno))))")
        }
        control(EPOLL_CTL_ADD, wakeup.descriptor, EPOLLIN.rawValue)
    }

    deinit {
        close(descriptor)
    }

    func watch(_ socket: Int32, forReading reads: Bool, forWriting writes: Bool) {
        let interest = (reads ? EPOLLIN.rawValue : 0) | (writes ? EPOLLOUT.rawValue : 0)
        let index = Int(socket)
        if index >= interests.count {
            interests += Array(repeating: 0, count: index + 64 - interests.count)
        }
        guard interests[index] != interest else { return }
        interests[index] = interest
        // The kernel drops a closed socket from epoll by itself, so only a failed MOD shows that it
        // is gone.
        if !control(EPOLL_CTL_MOD, socket, interest) { control(EPOLL_CTL_ADD, socket, interest) }
    }

    /// Ends the interest but keeps the registration.
    ///
    /// libcurl forgets a connection after each transfer and usually wants it back for the next.
    func forget(_ socket: Int32) {
        if Int(socket) < interests.count { interests[Int(socket)] = 0 }
    }

    /// Waits at most `milliseconds` (-1: no limit), then passes each event to `each`.
    ///
    /// Returns whether another thread rang the wake-up.
    func wait(milliseconds: Int32, _ each: (Event) -> Void) -> Bool {
        let count = epoll_wait(descriptor, &buffer, Int32(buffer.count), milliseconds)
        guard count > 0 else { return false }  // a timeout or a signal: the caller checks again
        var rang = false
        for index in 0..<Int(count) {
            let event = buffer[index]
            if event.data.fd == wakeup.descriptor {
                wakeup.silence()
                rang = true
                continue
            }
            guard interests[Int(event.data.fd)] != 0 else {
                control(EPOLL_CTL_DEL, event.data.fd, 0)
                continue
            }
            each(
                Event(
                    descriptor: event.data.fd,
                    isReadable: event.events & EPOLLIN.rawValue != 0,
                    isWritable: event.events & EPOLLOUT.rawValue != 0,
                    isBroken: event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0))
        }
        return rang
    }

    @discardableResult
    private func control(_ operation: Int32, _ target: Int32, _ interest: UInt32) -> Bool {
        var event = epoll_event(events: interest, data: epoll_data_t(fd: target))
        return epoll_ctl(descriptor, operation, target, &event) == 0
    }
}
