import HTTP
import Hashing
import Memory
import Pipeline
import Store

/// Reads bodies of hits from disk, on the calling thread if that doesn't wait.
final class BodyReads: Sendable {
    enum Outcome {
        case read(BodyBuffer)
        case waits(any HitRead)
        /// A responder finds out why, or waits until there is room.
        case unavailable
    }

    /// What a body is read for.
    private struct Key: Equatable {
        var name: Fingerprint
        var digest: Digest
    }

    /// A body that one of the store's threads reads.
    private typealias Read = PendingHit<Key, BodyBuffer>

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
    func canRead(_ picture: StoredPicture) -> Bool { picture.facts.byteCount <= Self.maxBody }

    /// - Parameter read: has ended, if this body had to wait for the disk.
    func body(
        of picture: StoredPicture, _ name: Fingerprint, after read: (any HitRead)?
    ) -> Outcome {
        let key = Key(name: name, digest: picture.facts.digest)
        if let read = read as? Read, read.key == key {
            // Without a body its file is gone or damaged.
            return read.value.map { .read($0) } ?? .unavailable
        }
        guard canRead(picture), let hold = room.take(picture.facts.byteCount) else {
            return .unavailable
        }
        let (body, waits) = pictures.body(of: picture, name, hold, mayWait: false)
        if let body { return .read(body) }
        // A picture that waited once and can't be read now is a responder's.
        guard waits, read == nil else { return .unavailable }
        return .waits(
            Read(key) { [pictures] onEnd in
                pictures.onThread {
                    onEnd(pictures.body(of: picture, name, hold, mayWait: true).body)
                }
            })
    }
}

extension Pictures {
    /// Returns a body; nil if it can't be read, with whether the disk would have to be waited for.
    fileprivate func body(
        of picture: StoredPicture, _ name: Fingerprint, _ hold: Room.Hold, mayWait: Bool
    ) -> (body: BodyBuffer?, waits: Bool) {
        var waits = false
        // One byte more than the picture has, which shows that its file has grown.
        let body = BodyBuffer(capacity: picture.facts.byteCount + 1, hold) { place in
            switch read(picture, name, into: place, mayWait: mayWait) {
            case .whole: return picture.facts.byteCount
            case .waits: waits = true
            case .unusable: break
            }
            return nil
        }
        return (body, waits)
    }
}
