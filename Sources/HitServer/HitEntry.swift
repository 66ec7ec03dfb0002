import Glibc

/// A request target in one representation, with the prepared response. Belongs to one thread.
///
/// It lives in memory of its own and refers to the source's record without counting references. A
/// page shows thousands of pictures, so the first access to each object that a response needs waits
/// for memory, and an atomic count makes that wait longer.
struct HitEntry: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<HitEntry>

    /// Bytes of the entry itself, its place in the table and its heads of about 600 bytes.
    private static let overhead = 1_536

    // Every response reads these first, so they are close together.
    private let target: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer
    private let record: Unmanaged<AnyObject>
    private let representation: UInt8
    let isNegotiated: Bool
    /// Seconds since 1970 at which the target stops being valid.
    private let expires: Int
    private var full = LastHead()
    private var notModified = LastHead()
    private var partial = LastHead()
    /// Keeps ``body``.
    let prepared: PreparedHit

    private init(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer
    ) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: target.count, alignment: 8)
        copy.copyMemory(from: target)
        self.target = UnsafeRawBufferPointer(copy)
        self.representation = representation
        isNegotiated = offer.isNegotiated
        expires = offer.expires ?? .max
        record = Unmanaged.passRetained(offer.record)
        prepared = offer.prepared
        body = offer.prepared.body
    }

    deinit {
        target.deallocate()
        record.release()
    }

    /// Returns an entry that the caller owns until it calls ``free(_:)``.
    static func make(
        target: UnsafeRawBufferPointer, representation: UInt8, _ offer: HitOffer
    ) -> Pointer {
        let pointer = Pointer.allocate(capacity: 1)
        pointer.initialize(to: HitEntry(target, representation, offer))
        return pointer
    }

    static func free(_ pointer: Pointer) {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    func matches(_ target: UnsafeRawBufferPointer, _ representation: UInt8) -> Bool {
        self.representation == representation && self.target.equals(target)
    }

    /// Returns whether it may be sent at `now`, in seconds since 1970.
    func isValid(at now: Double) -> Bool { expires == .max || now < Double(expires) }

    /// Returns the seconds until the target stops being valid; nil for never.
    func linkLeft(at second: Int) -> Int? { expires == .max ? nil : expires - second }

    /// The representation that was negotiated; 0 if the target names its own.
    var negotiated: UInt8 { isNegotiated ? representation : 0 }

    /// Bytes that it takes, besides those of its picture.
    var cost: Int { target.count + Self.overhead }

    func withRecord<Result>(_ body: (AnyObject) -> Result) -> Result {
        record._withUnsafeGuaranteedRef { body($0) }
    }

    /// Returns the head with the id of a request. All but the id is kept, because it is mostly the same
    /// within a second. Valid until the next call.
    mutating func head(
        _ variant: PreparedHit.Variant, _ texts: inout HeadTexts, _ id: RequestID
    ) -> UnsafeRawBufferPointer {
        if variant.isNotModified {
            if notModified.variant != variant {
                notModified.set(variant, prepared.head(variant, &texts))
            }
            return notModified.bytes(with: id)
        }
        if variant.part != nil {
            if partial.variant != variant { partial.set(variant, prepared.head(variant, &texts)) }
            return partial.bytes(with: id)
        }
        if full.variant != variant { full.set(variant, prepared.head(variant, &texts)) }
        return full.bytes(with: id)
    }

    private struct LastHead: ~Copyable {
        /// The head, and room for an id and what follows it.
        private var place = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        private static let reserve = RequestID.maxBytes + 4
        private(set) var variant: PreparedHit.Variant?

        deinit { place.deallocate() }

        mutating func set(_ variant: PreparedHit.Variant, _ head: [UInt8]) {
            place.deallocate()
            place = .allocate(byteCount: head.count + Self.reserve, alignment: 8)
            place.copyBytes(from: head)
            self.variant = variant
        }

        func bytes(with id: RequestID) -> UnsafeRawBufferPointer {
            guard let start = place.baseAddress else { return UnsafeRawBufferPointer(place) }
            var end = place.count - Self.reserve
            end += id.write(to: start + end)
            // CR LF CR LF, in the order of memory.
            (start + end).storeBytes(of: UInt32(bigEndian: 0x0d0a_0d0a), as: UInt32.self)
            return UnsafeRawBufferPointer(start: start, count: end + 4)
        }
    }
}

extension UnsafeRawBufferPointer {
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}

extension [UInt8] {
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        withUnsafeBytes { $0.equals(other) }
    }
}
