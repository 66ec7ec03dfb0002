import FoundationEssentials
import Glibc
import Imaging
import Pipeline

/// A path with the format that its request's `Accept` leads to, and the answer to it. Belongs to one
/// thread.
///
/// Lives in memory of its own and refers to a hit without counting references: a grid shows thousands
/// of pictures, and the first touch of each object that an answer needs is a wait for memory, which
/// a locked count makes longer.
struct HitEntry: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<HitEntry>

    /// Of the entry itself, its place in the table and two heads of some 600 bytes.
    private static let overhead = 1_536

    // What every answer reads comes first, close together.
    private let target: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer
    private let reference: Unmanaged<Hit>
    private let format: ThumbnailFormat
    let isNegotiated: Bool
    /// Seconds since 1970 when the link stops counting.
    private let expires: Int
    private var full = LastHead()
    private var notModified = LastHead()
    /// Keeps ``body``.
    let prepared: PreparedHit

    private init(
        _ target: UnsafeRawBufferPointer, _ format: ThumbnailFormat, isNegotiated: Bool,
        expires: Int?, _ hit: Hit
    ) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: target.count, alignment: 8)
        copy.copyMemory(from: target)
        self.target = UnsafeRawBufferPointer(copy)
        self.format = format
        self.isNegotiated = isNegotiated
        self.expires = expires ?? .max
        reference = Unmanaged.passRetained(hit)
        prepared = hit.content(PreparedHit.init)
        body = prepared.bodyAddress
    }

    deinit {
        target.deallocate()
        reference.release()
    }

    /// The caller's, until it gives it to ``free(_:)``.
    static func make(
        target: UnsafeRawBufferPointer, format: ThumbnailFormat, isNegotiated: Bool, expires: Int?,
        _ hit: Hit
    ) -> Pointer {
        let pointer = Pointer.allocate(capacity: 1)
        pointer.initialize(
            to: HitEntry(target, format, isNegotiated: isNegotiated, expires: expires, hit))
        return pointer
    }

    static func free(_ pointer: Pointer) {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    func answers(_ target: UnsafeRawBufferPointer, _ format: ThumbnailFormat) -> Bool {
        self.format == format && self.target.equals(target)
    }

    /// Whether memory keeps the hit still.
    var isCurrent: Bool { reference._withUnsafeGuaranteedRef { $0.isCurrent } }

    /// Whether it may answer at `now`.
    func counts(at now: Date) -> Bool {
        isCurrent && (expires == .max || now.timeIntervalSince1970 < Double(expires))
    }

    /// Seconds until the link stops counting; `nil` where it does not.
    func linkLeft(at second: Int) -> Int? { expires == .max ? nil : expires - second }

    /// Bytes that it takes, besides those that its hit has anyway.
    var cost: Int { target.count + Self.overhead }

    func withHit<Result>(_ body: (Hit) -> Result) -> Result {
        reference._withUnsafeGuaranteedRef { body($0) }
    }

    /// The head made before where it is the same still, as it is within a second. Valid until the
    /// next call.
    mutating func head(
        _ variant: PreparedHit.Variant, _ texts: inout HeadTexts
    ) -> UnsafeRawBufferPointer {
        if variant.isNotModified {
            if notModified.variant != variant {
                notModified.set(variant, prepared.head(variant, &texts))
            }
            return notModified.bytes
        }
        if full.variant != variant { full.set(variant, prepared.head(variant, &texts)) }
        return full.bytes
    }

    private struct LastHead: ~Copyable {
        private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        private(set) var variant: PreparedHit.Variant?

        deinit { bytes.deallocate() }

        mutating func set(_ variant: PreparedHit.Variant, _ head: [UInt8]) {
            bytes.deallocate()
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: head.count, alignment: 8)
            copy.copyBytes(from: head)
            bytes = UnsafeRawBufferPointer(copy)
            self.variant = variant
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
