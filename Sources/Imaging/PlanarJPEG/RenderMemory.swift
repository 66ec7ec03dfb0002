import Synchronization

/// Memory that a render uses and the next one uses again, so that no picture needs fresh pages. One thread
/// takes blocks at a time; they may come back from others.
final class RenderMemory: Sendable {
    private let free = Mutex<[Block]>([])

    /// Memory of at least the size that was asked for, aligned to a cache line.
    ///
    /// Unchecked because one thread at a time writes to it: the one that took it.
    struct Block: @unchecked Sendable {
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int

        init(count: Int) {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
            bytes = memory.bindMemory(to: UInt8.self, capacity: count)
            self.count = count
        }

        func deallocate() { UnsafeMutableRawPointer(bytes).deallocate() }
    }

    /// Bytes that are kept for the next render. A poster's planes and thumbnails take 4 MB, those of
    /// 2000×3000 pixels 13 MB.
    static let kept = 16 << 20

    deinit {
        for block in free.withLock({ $0 }) { block.deallocate() }
    }

    /// Takes the smallest block that is large enough, or makes one.
    func take(_ count: Int) -> Block {
        let found = free.withLock { free -> Block? in
            let fitting = free.indices.filter { free[$0].count >= count }
                .min { free[$0].count < free[$1].count }
            return fitting.map { free.remove(at: $0) }
        }
        return found ?? Block(count: (count + 4_095) / 4_096 * 4_096)
    }

    func giveBack(_ block: Block) { free.withLock { $0.append(block) } }

    /// Frees the largest blocks beyond the bytes that are kept.
    func trim() {
        free.withLock { free in
            free.sort { $0.count < $1.count }
            var sum = free.reduce(0) { $0 + $1.count }
            while sum > Self.kept, let largest = free.popLast() {
                sum -= largest.count
                largest.deallocate()
            }
        }
    }
}
