import CCrypto
import CLinux
import Glibc
import Synchronization

/// The keys that encrypt the tickets of TLS sessions: one set for all threads and contexts, so that
/// a client continues its session on any of them. They are in memory only.
///
/// A key encrypts for ``lifetime`` and decrypts for as long again.
package final class TicketKeys: Sendable {
    /// Seconds in which a key encrypts, and for which a ticket is good.
    static let lifetime = 12 * 3_600

    private struct State {
        /// Seconds since the newest key was made; nil before the first.
        var since: Int?
        var hasEarlier = false
    }

    /// The newest key, then the one before.
    private let keys: SecretBytes
    private let state = Mutex(State())
    private let clock: @Sendable () -> Int

    /// - Parameter clock: seconds of a monotonic clock.
    package init(clock: @escaping @Sendable () -> Int = TicketKeys.systemClock) throws(SystemError)
    {
        guard let keys = SecretBytes(count: 2 * MemoryLayout<vitrine_tls_ticket_key>.stride) else {
            throw SystemError("mmap", errno)
        }
        self.keys = keys
        self.clock = clock
    }

    /// Counts while the machine sleeps, too.
    package static let systemClock: @Sendable () -> Int = {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec
    }

    /// Makes a context encrypt its tickets with these keys. They must outlive it.
    func use(in context: OpaquePointer) {
        vitrine_tls_set_tickets(
            context,
            { connection, name, iv, cipher, mac, seals in
                guard let keys = vitrine_tls_ticket_keys(connection), let name, let iv else {
                    return -1
                }
                return Unmanaged<TicketKeys>.fromOpaque(keys).takeUnretainedValue()
                    .take(name, iv, cipher, mac, seals: seals == 1)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Prepares the encryption or decryption of a ticket. Returns what OpenSSL's callback returns:
    /// 0 for an unknown key, 2 for one that is not the newest, negative for a failure.
    private func take(
        _ name: UnsafeMutablePointer<UInt8>, _ iv: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?, _ mac: OpaquePointer?, seals: Bool
    ) -> CInt {
        state.withLock { state in
            let place = keys.bytes.assumingMemoryBound(to: vitrine_tls_ticket_key.self)
            guard let newest = place.baseAddress, change(newest, &state) else { return -1 }
            if seals { return vitrine_tls_seal(newest, name, iv, cipher, mac) ? 1 : -1 }
            if vitrine_tls_is_named(newest, name) {
                return vitrine_tls_unseal(newest, iv, cipher, mac) ? 1 : -1
            }
            guard state.hasEarlier, vitrine_tls_is_named(newest + 1, name) else { return 0 }
            return vitrine_tls_unseal(newest + 1, iv, cipher, mac) ? 2 : -1
        }
    }

    /// Makes a new key if the newest is too old. Returns false without randomness.
    private func change(
        _ newest: UnsafeMutablePointer<vitrine_tls_ticket_key>, _ state: inout State
    ) -> Bool {
        let now = clock()
        let age = state.since.map { now - $0 } ?? .max
        guard age >= Self.lifetime else { return true }
        state.hasEarlier = age < 2 * Self.lifetime
        state.since = now
        newest[1] = newest[0]
        return vitrine_tls_make_ticket_key(newest)
    }
}
