import CLinux
import Glibc

/// The sockets of a loop, and what happened to them. Belongs to one thread.
struct EventQueue: ~Copyable {
    /// What a connection waits for.
    enum Interest {
        /// Bytes from its client.
        case reading
        /// Room for more bytes.
        case sending
        case both
    }

    private static let capacity = 256

    private let epoll: CInt
    private let events: UnsafeMutablePointer<epoll_event>

    init() throws(SystemError) {
        epoll = vitrine_epoll()
        guard epoll >= 0 else { throw SystemError("epoll_create1", errno) }
        events = .allocate(capacity: Self.capacity)
    }

    deinit {
        close(epoll)
        events.deallocate()
    }

    /// Returns the number of events after at most `milliseconds`.
    func wait(_ milliseconds: CInt) throws(SystemError) -> Int {
        let count = vitrine_wait(epoll, events, CInt(Self.capacity), milliseconds)
        if count < 0, errno != EINTR { throw SystemError("epoll_wait", errno) }
        return max(0, Int(count))
    }

    /// What happened to a descriptor.
    struct Event {
        var file: CInt
        /// Of the connection that the event is about.
        var tag: UInt32
        /// Whether bytes, or the end of the stream, have arrived.
        var isReadable: Bool
        /// Whether its client will send nothing more.
        var isEnd: Bool
        /// Whether its client takes nothing more either.
        var isGone: Bool
    }

    subscript(index: Int) -> Event {
        Event(
            file: vitrine_file(events + index), tag: vitrine_tag(events + index),
            isReadable: vitrine_is_readable(events + index),
            isEnd: vitrine_is_end(events + index), isGone: vitrine_is_gone(events + index))
    }

    /// Watches a descriptor that is not a connection.
    func watch(_ file: CInt, isShared: Bool = false) throws(SystemError) {
        // All threads watch one listening socket; only one of them is woken for a connection.
        let events = EPOLLIN.rawValue | (isShared ? EPOLLEXCLUSIVE.rawValue : 0)
        guard vitrine_watch(epoll, EPOLL_CTL_ADD, file, 0, events) == 0 else {
            throw SystemError("epoll_ctl", errno)
        }
    }

    /// Reports events of a connection from now on, and those that it has already. Returns false if that
    /// fails.
    ///
    /// - Parameter tag: of its events. While a child process that is being started has a copy of a closed
    ///   socket, the kernel still reports its events, under a number that may be another connection's by then.
    func watch(_ file: CInt, for interest: Interest, tag: UInt32) -> Bool {
        // Edge-triggered: each event is answered by reading or sending everything, so the kernel
        // reports it only once.
        let events =
            switch interest {
            case .reading: EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            case .sending: EPOLLOUT.rawValue | EPOLLET.rawValue
            case .both:
                EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLOUT.rawValue | EPOLLET.rawValue
            }
        if vitrine_watch(epoll, EPOLL_CTL_ADD, file, tag, events) == 0 { return true }
        // One that waited before is watched already.
        return errno == EEXIST
            && vitrine_watch(epoll, EPOLL_CTL_MOD, file, tag, events) == 0
    }

    func unwatch(_ file: CInt) { _ = vitrine_watch(epoll, EPOLL_CTL_DEL, file, 0, 0) }
}
