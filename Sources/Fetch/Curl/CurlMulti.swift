import CCurl

/// A multi handle driven by `curl_multi_socket_action`: its sockets, its timer, its transfers.
///
/// Used by one thread only. Remove a transfer's handle before you release it.
final class CurlMulti {
    private var handle: UnsafeMutableRawPointer
    private let poller: Poller
    /// When libcurl must be called even without an event.
    private(set) var deadline: ContinuousClock.Instant?
    /// After an error the state of all transfers is uncertain (curl_multi_socket_action(3)).
    private(set) var isBroken = false

    init(poller: Poller, maxIdleConnections: Int) throws(FetchError) {
        guard let handle = curl_multi_init() else {
            throw .configuration(reason: "libcurl has no memory for a multi handle")
        }
        self.handle = handle
        self.poller = poller
        let me = Unmanaged.passUnretained(self).toOpaque()
        for code in [
            ccurl_multi_set_socket(handle, Trampolines.socket, me),
            ccurl_multi_set_timer(handle, Trampolines.timer, me),
            ccurl_multi_set_long(handle, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX)),
            // By default libcurl keeps four connections for each transfer of its highest
            // concurrency.
            ccurl_multi_set_long(handle, CURLMOPT_MAXCONNECTS, maxIdleConnections),
        ] where code != CURLM_OK {
            throw .configuration(
                reason: "libcurl refused an option (\(String(cString: curl_multi_strerror(code))))")
        }
    }

    /// Closes every connection. libcurl still calls back for their sockets meanwhile.
    deinit {
        curl_multi_cleanup(handle)
    }

    /// Returns whether libcurl accepted the transfer.
    func add(_ easy: CurlEasy) -> Bool {
        curl_multi_add_handle(handle, easy.handle) == CURLM_OK
    }

    /// Ends the transfer at once. A connection with an unfinished response is closed.
    func remove(_ easy: CurlEasy) {
        curl_multi_remove_handle(handle, easy.handle)
    }

    /// Waits for sockets, for libcurl's own timer, or until `limit`, then runs libcurl.
    ///
    /// Returns whether another thread rang the poller's wake-up.
    func turn(until limit: ContinuousClock.Instant?) -> Bool {
        let rang = poller.wait(milliseconds: timeout(until: limit)) { event in
            act(
                event.descriptor,
                (event.isReadable ? CURL_CSELECT_IN : 0)
                    | (event.isWritable ? CURL_CSELECT_OUT : 0)
                    | (event.isBroken ? CURL_CSELECT_ERR : 0))
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

    private func timeout(until limit: ContinuousClock.Instant?) -> Int32 {
        guard let next = [deadline, limit].compactMap({ $0 }).min() else { return -1 }
        return Int32(clamping: max(0, (next - .now).milliseconds))
    }
}

// libcurl calls these, also inside `add`, `remove` and cleanup. They must not call the multi
// handle.
extension CurlMulti {
    func watch(_ socket: Int32, _ what: Int32) {
        switch what {
        case CURL_POLL_REMOVE: poller.forget(socket)
        default:
            poller.watch(
                socket, forReading: what & CURL_POLL_IN != 0, forWriting: what & CURL_POLL_OUT != 0)
        }
    }

    func setTimer(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : .now.advanced(by: .milliseconds(milliseconds))
    }
}

/// C function pointers for libcurl.
///
/// Each finds its object, which outlives the handle's stay in the multi handle. Each passes
/// borrowed memory on, which is valid during the call only.
private enum Trampolines {
    static let socket: curl_socket_callback = { _, descriptor, what, context, _ in
        guard let context else { return -1 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
            .watch(descriptor, what)
        return 0
    }

    static let timer: curl_multi_timer_callback = { _, milliseconds, context in
        guard let context else { return -1 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
            .setTimer(milliseconds)
        return 0
    }
}
