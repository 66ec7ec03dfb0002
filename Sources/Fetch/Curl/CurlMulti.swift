import CCurl
import Glibc

/// A multi handle driven by `curl_multi_socket_action`: its sockets, its timer, its transfers.
///
/// Used by one thread only. Remove a transfer's handle before you release it.
///
/// `curl_multi_poll` would look at every transfer after each wait.
final class CurlMulti {
    private let handle: UnsafeMutableRawPointer
    /// Of `epoll`.
    private let poller: Int32
    /// Another thread makes it readable to end a wait.
    private let bell: Int32
    /// The events that libcurl wants, by descriptor. A descriptor with zero may still be
    /// registered.
    private var interests: [UInt32] = []
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    /// When libcurl must be called even without an event.
    private var deadline: ContinuousClock.Instant?
    /// After an error the state of all transfers is uncertain (curl_multi_socket_action(3)).
    private(set) var isBroken = false

    init(maxTransfers: Int, bell: Int32) throws(FetchError.Cause) {
        self.bell = bell
        poller = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poller >= 0 else {
            throw .configuration(reason: "no poll descriptor (\(String(cString: strerror(errno))))")
        }
        guard let handle = curl_multi_init() else {
            close(poller)
            throw .configuration(reason: "libcurl has no memory for a multi handle")
        }
        self.handle = handle
        control(EPOLL_CTL_ADD, bell, EPOLLIN.rawValue)
        let me = Unmanaged.passUnretained(self).toOpaque()
        for code in [
            ccurl_multi_set_socket(handle, Self.socketCallback, me),
            ccurl_multi_set_timer(handle, Self.timerCallback, me),
            // Idle connections: twice the number of transfers, because closing one host's for
            // another's costs a handshake each time. By default libcurl keeps four for each transfer
            // of its highest concurrency.
            ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, max(1, maxTransfers) * 2),
        ] where code != CURLM_OK {
            throw .configuration(
                reason: "libcurl refused an option (\(String(cString: curl_multi_strerror(code))))")
        }
    }

    /// Closes every connection. libcurl still calls back for their sockets meanwhile.
    deinit {
        curl_multi_cleanup(handle)
        close(poller)
    }

    /// Returns whether libcurl accepted the transfer.
    func add(_ easy: CurlEasy) -> Bool {
        curl_multi_add_handle(handle, easy.handle) == CURLM_OK
    }

    /// Ends the transfer at once. A connection with an unfinished response is closed.
    func remove(_ easy: CurlEasy) {
        curl_multi_remove_handle(handle, easy.handle)
    }

    /// Waits for sockets, for libcurl's own timer, for the bell, or until `limit`, then runs libcurl.
    ///
    /// Returns whether the bell rang.
    func turn(until limit: ContinuousClock.Instant?) -> Bool {
        let next = [deadline, limit].compactMap { $0 }.min()
        let timeout = next.map { Int32(clamping: max(0, ($0 - .now).milliseconds)) } ?? -1
        // Negative after a signal: the caller checks again.
        let count = max(0, epoll_wait(poller, &events, Int32(events.count), timeout))
        var rang = false
        for event in events.prefix(Int(count)) {
            let socket = event.data.fd
            if socket == bell {
                rang = true
            } else if interests[Int(socket)] == 0 {
                control(EPOLL_CTL_DEL, socket, 0)
            } else {
                let has = { event.events & $0 != 0 }
                act(
                    socket,
                    (has(EPOLLIN.rawValue) ? CURL_CSELECT_IN : 0)
                        | (has(EPOLLOUT.rawValue) ? CURL_CSELECT_OUT : 0)
                        | (has(EPOLLERR.rawValue | EPOLLHUP.rawValue) ? CURL_CSELECT_ERR : 0))
            }
        }
        runDue()
        return rang
    }

    /// Runs the libcurl work that its timer says is due, such as starting an added transfer.
    func runDue() {
        guard let due = deadline, due <= .now else { return }
        // libcurl sets the timer again inside this call if it needs one.
        deadline = nil
        act(CURL_SOCKET_BAD, 0)
    }

    /// Returns the next transfer that has ended by itself, with its result.
    func nextDone() -> (easy: CurlEasy, code: CURLcode)? {
        var code = CURLE_OK
        while let done = ccurl_multi_next_done(handle, &code) {
            if let easy = CurlEasy.of(done) { return (easy, code) }
        }
        return nil
    }

    private func act(_ socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        if curl_multi_socket_action(handle, socket, events, &running) != CURLM_OK {
            isBroken = true
        }
    }

    @discardableResult
    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32) -> Bool {
        var event = epoll_event(events: interest, data: epoll_data_t(fd: socket))
        return epoll_ctl(poller, operation, socket, &event) == 0
    }
}

// libcurl calls these, also inside `add`, `remove` and cleanup. They must not call the multi
// handle.
extension CurlMulti {
    private func watch(_ socket: Int32, _ what: Int32) {
        let index = Int(socket)
        if index >= interests.count {
            interests += Array(repeating: 0, count: index + 64 - interests.count)
        }
        // libcurl forgets a connection after each transfer and usually wants it back for the next. So
        // it stays registered.
        if what == CURL_POLL_REMOVE { return interests[index] = 0 }
        let interest =
            (what & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0)
            | (what & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0)
        guard interests[index] != interest else { return }
        interests[index] = interest
        // The kernel drops a closed socket from epoll by itself, so only a failed MOD shows that it
        // is gone.
        if !control(EPOLL_CTL_MOD, socket, interest) { control(EPOLL_CTL_ADD, socket, interest) }
    }

    private func setTimer(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : .now.advanced(by: .milliseconds(milliseconds))
    }
}

// C function pointers for libcurl. Each finds its object, which outlives the multi handle.
extension CurlMulti {
    private static let socketCallback: curl_socket_callback = { _, descriptor, what, context, _ in
        guard let context else { return -1 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what)
        return 0
    }

    private static let timerCallback: curl_multi_timer_callback = { _, milliseconds, context in
        guard let context else { return -1 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
        return 0
    }
}
