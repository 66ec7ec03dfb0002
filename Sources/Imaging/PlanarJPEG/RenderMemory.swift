import Synchronization

/// Memory that a render uses and the next one uses again, so that no picture needs fresh pages. It is cleared
/// between them. One thread takes blocks at a time; they may come back from others.
final class RenderMemory: Sendable {
    private struct State {
        var free: [Block] = []
        /// Renders that have ended.
        var renders = 0
    }

    private let state = Mutex(State())

    /// Memory of at least the size that was asked for, aligned to a cache line. Zero at the start of a render.
    ///
    /// Unchecked because one thread at a time writes to it: the one that took it.
    struct Block: @unchecked Sendable {
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int
        /// Bytes that were asked for since it was cleared.
        fileprivate var used = 0
        /// The render that took it.
        fileprivate var render = 0

        init(count: Int) {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
            bytes = memory.bindMemory(to: UInt8.self, capacity: count)
            bytes.initialize(repeating: 0, count: count)
            self.count = count
        }

        fileprivate mutating func clear() {
            assert((0...count).contains(used), "more of a block is used than there is")
            bytes.update(repeating: 0, count: used)
            used = 0
        }

        func deallocate() { UnsafeMutableRawPointer(bytes).deallocate() }
    }

    /// Bytes that are kept for the next render. A poster's planes and thumbnails take 4 MB, those of
    /// 2000×3000 pixels 13 MB.
    static let kept = 16 << 20

    deinit {
        for block in state.withLock({ $0.free }) { block.deallocate() }
    }

    /// Takes the smallest block that is large enough, or makes one.
    func take(_ count: Int) -> Block {
        let (found, render) = state.withLock { state -> (Block?, Int) in
            let free = state.free
            let fitting = free.indices.filter { free[$0].count >= count }
                .min { free[$0].count < free[$1].count }
            return (fitting.map { state.free.remove(at: $0) }, state.renders)
        }
        assert(found?.count ?? count >= count, "a block is too small")
        var block = found ?? Block(count: (count + 4_095) / 4_096 * 4_096)
        block.used = max(block.used, count)
        block.render = render
        return block
    }

    func giveBack(_ block: Block) {
        state.withLock { state in
            var block = block
            // A failed render may give it back after its end.
            if block.render != state.renders { block.clear() }
            assert(!state.free.contains { $0.bytes == block.bytes }, "a block comes back twice")
            state.free.append(block)
        }
    }

    /// Ends a render: frees the largest blocks beyond the bytes that are kept, and clears the others.
    func endRender() {
        state.withLock { state in
            state.renders += 1
            state.free.sort { $0.count < $1.count }
            var sum = state.free.reduce(0) { $0 + $1.count }
            while sum > Self.kept, let largest = state.free.popLast() {
                sum -= largest.count
                largest.deallocate()
            }
            for index in state.free.indices { state.free[index].clear() }
            assert(sum <= Self.kept, "more is kept than may be")
            assert(state.free.allSatisfy { $0.used == 0 }, "a block keeps what a render has left")
        }
    }
}
