/// Streams of hits that have ended. The next requests of the thread's connections take their memory, so that a hit
/// allocates none. Belongs to one thread.
final class SpareStreams {
    /// Streams of one round. Each takes about a kilobyte.
    private static let most = 64

    private var streams: [HTTP2Stream] = []

    /// Returns a stream that has not begun.
    func take() -> HTTP2Stream { streams.popLast() ?? HTTP2Stream() }

    /// Keeps a stream that is closed, unless anything else refers to it.
    func give(_ stream: consuming HTTP2Stream) {
        guard streams.count < Self.most, isKnownUniquelyReferenced(&stream), stream.retire() else {
            return
        }
        streams.append(stream)
    }
}
