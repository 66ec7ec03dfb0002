import Memory
import Pipeline
import Store

/// Owns the body of a prepared response.
final class BodyBuffer: Sendable {
    /// Valid as long as this object lives.
    // nonisolated(unsafe) because no thread writes to them once it is made.
    nonisolated(unsafe) let view: UnsafeRawBufferPointer
    // nonisolated(unsafe) because it is only freed.
    private nonisolated(unsafe) let place: UnsafeMutableRawBufferPointer
    /// Nil if memory keeps the picture anyway.
    private let hold: Room.Hold?

    init(_ bytes: [UInt8], _ hold: Room.Hold? = nil) {
        place = .allocate(byteCount: bytes.count, alignment: 1)
        place.copyBytes(from: bytes)
        view = UnsafeRawBufferPointer(place)
        self.hold = hold
    }

    /// - Parameter write: gets room for `capacity` bytes and returns how many it has written; nil
    ///   if there is
    ///   no body.
    init?(
        capacity: Int, _ hold: Room.Hold?,
        _ write: (UnsafeMutableRawBufferPointer) -> Int?
    ) {
        place = .allocate(byteCount: capacity, alignment: 1)
        self.hold = hold
        let count = write(place)
        view = UnsafeRawBufferPointer(rebasing: place[..<(count ?? 0)])
        if count == nil { return nil }
    }

    deinit { place.deallocate() }
}
