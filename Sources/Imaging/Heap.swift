import CVips
import Memory
import Synchronization

/// The heap that the libraries' C code uses.
package enum Heap {
    private static let renders = Atomic(0)

    /// Bounds its arenas to one a core, and two. Threads that render take what they need from any of
    /// them and give it back in pieces, so that each arena comes to hold the peak of one picture, and
    /// reserves 64 MB of address space. For the start of a process, before other threads are there.
    package static func boundArenas() {
        vitrine_bound_arenas(Int32(max(2, MachineProcessors.count())))
    }

    /// Bytes that a process which only renders keeps between renders: what a poster of 680×1000 takes,
    /// twice.
    private static let kept = 16 << 20

    /// For a process that only renders: keeps what a render gives back for the next one.
    static func keepBetweenRenders() { vitrine_keep_heap(Int32(kept)) }

    /// Gives back what is more than that, after a render of such a process.
    static func bound() { vitrine_bound_heap(kept) }

    /// To be called after a render; some milliseconds, once in a few hundred. Pictures of all sizes leave
    /// gaps, which would add up over a day.
    static func rendered() {
        let number = renders.add(1, ordering: .relaxed).newValue
        if number.isMultiple(of: 256) { vitrine_trim_heap() }
    }
}
