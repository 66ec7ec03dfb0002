import CCurl
import Glibc

/// C function pointers for libcurl.
///
/// Each finds its object, which outlives the handle's stay in the multi handle. Each passes
/// borrowed memory on, which is valid during the call only.
enum Trampolines {
    static let write: curl_write_callback = { bytes, size, count, context in
        guard let context else { return 0 }
        let taken = size * count
        guard let bytes, taken > 0 else { return taken }
        let easy = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
        return bytes.withMemoryRebound(to: UInt8.self, capacity: taken) {
            easy.takeBody(UnsafeBufferPointer(start: $0, count: taken))
        } ? taken : 0
    }

    static let header: curl_write_callback = { bytes, size, count, context in
        guard let context else { return 0 }
        let taken = size * count
        guard let bytes, taken > 0 else { return taken }
        let easy = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
        return bytes.withMemoryRebound(to: UInt8.self, capacity: taken) {
            easy.takeLine(UnsafeBufferPointer(start: $0, count: taken))
        } ? taken : 0
    }

    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context, let address else { return CURL_SOCKET_BAD }
        let easy = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
        return easy.openSocket(address) ?? CURL_SOCKET_BAD
    }

    static let prerequest: curl_prereq_callback = { context, peer, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let easy = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
        return easy.mayRequest(from: peer) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

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
