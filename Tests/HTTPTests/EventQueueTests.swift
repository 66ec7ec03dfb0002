import Glibc
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct EventQueueTests {
    private static func pair() throws -> (CInt, CInt) {
        var files: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &files) == 0)
        return (files[0], files[1])
    }

    @Test func `a closed socket with a copy is told from the one that has its number now`() throws {
        let queue = try EventQueue()
        let (file, peer) = try Self.pair()
        var isWatched = queue.watch(file, for: .reading, tag: 1)
        try #require(isWatched)
        // As a child process that is being started has it.
        let copy = dup(file)
        let (next, nextPeer) = try Self.pair()
        #expect(dup2(next, file) == file)
        isWatched = queue.watch(file, for: .reading, tag: 2)
        try #require(isWatched)
        for (peer, tag) in [(peer, 1), (nextPeer, 2)] as [(CInt, UInt32)] {
            #expect(write(peer, "a", 1) == 1)
            let (count, event) = (try queue.wait(10_000), queue[0])
            #expect(count == 1 && event.file == file && event.tag == tag)
        }
        for file in [file, peer, copy, next, nextPeer] { close(file) }
    }
}
