import CSandbox
import CVips
import Memory
import Synchronization

/// Settings of the heap that the C libraries use.
package enum Allocator {
    private static let renders = Atomic(0)

    /// Bounds the arenas to one per core, at least two. Each arena comes to hold the peak of one
    /// picture and reserves 64 MB of address space. Call at the start of a process, before other
    /// threads.
    package static func boundArenas() {
        vitrine_bound_arenas(Int32(max(2, MachineProcessors.count())))
    }

    /// Bytes that a child keeps between renders: twice what a poster of 680×1000 takes.
    private static let kept = 16 << 20

    /// Keeps freed memory for the next render; for children.
    static func keepBetweenRenders() { vitrine_keep_heap(Int32(kept)) }

    /// From now on a decoder in this process gets no memory that shows what it held before: every block is
    /// zero when it is allocated and is overwritten when it is freed. Costs a few nanoseconds for each
    /// small block.
    static func clean() { _ = isClean }

    /// Whether blocks are cleaned, which needs glibc. A child without it renders one picture only. The first
    /// use begins to clean.
    static let isClean = sandbox_clean_heap() == 0

    /// Returns memory beyond that to the system after a child's render.
    static func bound() { vitrine_bound_heap(kept) }

    /// Call after each render. Every 256th time it returns the gaps that pictures of all sizes
    /// leave to the system, which takes some milliseconds.
    static func rendered() {
        let number = renders.add(1, ordering: .relaxed).newValue
        if number.isMultiple(of: 256) { vitrine_trim_heap() }
    }
}

/// The memory of this process, which other processes of its user could read.
package enum OwnMemory {
    /// Hides this process's memory, environment and open files under /proc from other processes and
    /// debuggers, except those of root. Disables core files.
    package static func hide() { sandbox_hide() }
}
