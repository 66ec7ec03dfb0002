import HitServer
import Memory
import NIOCore
import Pipeline
import Store
import Synchronization

/// Reads bodies of hits from disk, on the calling thread if that doesn't wait.
final class BodyReads: Sendable {
    enum Outcome {
        case read(BodyBuffer)
        case waits(any HitRead)
        /// A responder finds out why, or waits until there is room.
        case unavailable
    }

    /// Larger bodies would keep the other hits of the thread waiting.
    private static let maxBody = 512 << 10

    private let pictures: Pictures
    private let room: Room

    /// - Parameter room: for all bodies that exist at a time.
    init(_ pictures: Pictures, _ room: Room) {
        self.pictures = pictures
        self.room = room
    }

    /// Returns whether the picture is small enough.
    func canRead(_ picture: StoredPicture) -> Bool { picture.byteCount <= Self.maxBody }

    /// - Parameter read: has ended, if this body had to wait for the disk.
    func body(
        of picture: StoredPicture, _ name: Fingerprint, after read: (any HitRead)?
    ) -> Outcome {
        if let read = read as? DiskRead, read.isOf(picture, name) {
            return read.body.map { .read($0) } ?? .unavailable
        }
        guard canRead(picture), let hold = room.take(picture.byteCount) else {
            return .unavailable
        }
        switch pictures.body(of: picture, name, hold, mayWait: false) {
        case .success(let body): return .read(body)
        case .failure(.unusable): return .unavailable
        // A picture that waited once and can't be read now is a responder's.
        case .failure(.waits):
            return read == nil ? .waits(DiskRead(pictures, picture, name, hold)) : .unavailable
        }
    }
}

/// Owns the body of a prepared response.
final class BodyBuffer: Sendable {
    let bytes: ByteBuffer
    /// Nil if memory keeps the picture anyway.
    private let hold: Room.Hold?

    init(bytes: ByteBuffer, _ hold: Room.Hold? = nil) {
        self.bytes = bytes
        self.hold = hold
    }

    /// The same bytes, valid as long as this object lives.
    var view: UnsafeRawBufferPointer {
        // The storage stays in place while an unchanged buffer refers to it.
        bytes.withUnsafeReadableBytesWithStorageManagement { bytes, _ in bytes }
    }
}

/// Why a body can't be read here and now.
private enum BodyFailure: Error {
    case waits, unusable
}

extension Pictures {
    fileprivate func body(
        of picture: StoredPicture, _ name: Fingerprint, _ hold: Room.Hold, mayWait: Bool
    ) -> Result<BodyBuffer, BodyFailure> {
        var failure: BodyFailure?
        var buffer = ByteBuffer()
        // One byte more than the picture has, which shows that its file has grown.
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: picture.byteCount + 1) { memory in
            let place = UnsafeMutableRawBufferPointer(rebasing: memory[...picture.byteCount])
            switch read(picture, name, into: place, mayWait: mayWait) {
            case .whole: return picture.byteCount
            case .waits: failure = .waits
            case .unusable: failure = .unusable
            }
            return 0
        }
        return failure.map { .failure($0) } ?? .success(BodyBuffer(bytes: buffer, hold))
    }
}

/// A body that one of the store's threads reads.
private final class DiskRead: HitRead {
    private let pictures: Pictures
    private let picture: StoredPicture
    private let name: Fingerprint
    private let hold: Room.Hold
    private let outcome = Mutex<BodyBuffer?>(nil)

    init(
        _ pictures: Pictures, _ picture: StoredPicture, _ name: Fingerprint, _ hold: Room.Hold
    ) {
        self.pictures = pictures
        self.picture = picture
        self.name = name
        self.hold = hold
    }

    /// The bytes, once it has ended; nil if the file is gone or damaged.
    var body: BodyBuffer? { outcome.withLock { $0 } }

    func isOf(_ picture: StoredPicture, _ name: Fingerprint) -> Bool {
        name == self.name && picture.digest == self.picture.digest
    }

    func start(_ onEnd: @escaping @Sendable () -> Void) {
        pictures.onThread { [self] in
            let body = try? pictures.body(of: picture, name, hold, mayWait: true).get()
            outcome.withLock { $0 = body }
            onEnd()
        }
    }
}
