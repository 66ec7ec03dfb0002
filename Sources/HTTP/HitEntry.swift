/// A request target in one representation, with the prepared response. Belongs to one thread, and to one
/// ``HitTable``: no other code makes, moves or frees it.
///
/// It lives in memory of its own and refers to the source's record without counting references. A
/// page shows thousands of pictures, so the first access to each object that a response needs waits
/// for memory, and an atomic count makes that wait longer.
struct HitEntry: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<HitEntry>

    /// Where an entry is. It is in one place at a time.
    enum Place: UInt8 {
        /// Found by look-ups. Its bytes are charged to its record.
        case table
        /// No longer found, and charged. A response under way may use it.
        case removed
        /// For one response, never found, and not charged.
        case passing
        /// Its memory is given back. Nothing may read it.
        case freed
    }

    /// Bytes of the entry itself, its place in the table and its heads of about 900 bytes.
    private static let overhead = 1_792

    // Every response reads these first, so they are close together.
    private let target: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer
    private let record: Unmanaged<AnyObject>
    private let representation: UInt8
    let isNegotiated: Bool
    /// Seconds since 1970 at which the target stops being valid.
    private let expires: Int
    var place: Place
    private var full = LastHead()
    private var notModified = LastHead()
    private var partial = LastHead()
    /// Keeps ``body``.
    let prepared: PreparedHit

    init(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, _ offer: HitOffer, _ place: Place
    ) {
        self.place = place
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

    /// Whether its body is in a file, which it keeps open.
    var hasFile: Bool { prepared.file != nil }

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
    ///
    /// - Parameter scratch: where a head is written before it is kept.
    mutating func head(
        _ variant: PreparedHit.Variant, _ texts: inout HeadTexts, _ scratch: inout ResponseHead,
        _ id: RequestID
    ) -> ResponseHead.Sent {
        if variant.isNotModified {
            return notModified.sent(variant, of: prepared, &texts, &scratch, id)
        }
        if variant.part != nil { return partial.sent(variant, of: prepared, &texts, &scratch, id) }
        return full.sent(variant, of: prepared, &texts, &scratch, id)
    }

    /// A head, with room for an id and what follows it.
    private struct LastHead: ~Copyable {
        private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        private var places = UnsafeMutableBufferPointer<FieldLines.Place>(start: nil, count: 0)
        /// Bytes and fields before the id.
        private var written = (bytes: 0, places: 0)
        private var variant: PreparedHit.Variant?

        private static let name: StaticString = "X-Request-Id: "
        private static let reserve = name.utf8CodeUnitCount + RequestID.maxBytes + 4

        deinit {
            bytes.deallocate()
            places.deallocate()
        }

        mutating func sent(
            _ variant: PreparedHit.Variant, of hit: PreparedHit, _ texts: inout HeadTexts,
            _ scratch: inout ResponseHead, _ id: RequestID
        ) -> ResponseHead.Sent {
            if self.variant != variant {
                hit.write(variant, &texts, to: &scratch)
                set(scratch)
                self.variant = variant
            }
            return sent(with: id)
        }

        private mutating func set(_ head: ResponseHead) {
            if bytes.count < head.bytes.count + Self.reserve {
                bytes.deallocate()
                bytes = .allocate(byteCount: head.bytes.count + Self.reserve, alignment: 8)
            }
            if places.count < head.places.count + 1 {
                places.deallocate()
                places = .allocate(capacity: head.places.count + 1)
            }
            bytes.copyBytes(from: head.bytes)
            _ = places.initialize(from: head.places)
            written = (head.bytes.count, head.places.count)
            let end = written.bytes + Self.name.utf8CodeUnitCount
            UnsafeMutableRawBufferPointer(rebasing: bytes[written.bytes..<end])
                .copyMemory(from: RequestHead.bytes(Self.name))
        }

        private func sent(with id: RequestID) -> ResponseHead.Sent {
            guard let start = bytes.baseAddress, let first = places.baseAddress else {
                return ResponseHead.Sent(
                    bytes: UnsafeRawBufferPointer(bytes), places: UnsafeBufferPointer(places))
            }
            let value = written.bytes + Self.name.utf8CodeUnitCount
            assert(value + RequestID.maxBytes + 4 <= bytes.count, "no room for an id")
            assert(written.places < places.count, "no room for the place of an id")
            let end = value + id.write(to: start + value)
            // CR LF CR LF, in the order of memory.
            (start + end).storeBytes(of: UInt32(bigEndian: 0x0d0a_0d0a), as: UInt32.self)
            (first + written.places).initialize(
                to: FieldLines.Place(name: written.bytes..<value - 2, end: end, .unknown))
            return ResponseHead.Sent(
                bytes: UnsafeRawBufferPointer(start: start, count: end + 4),
                places: UnsafeBufferPointer(start: first, count: written.places + 1))
        }
    }
}
