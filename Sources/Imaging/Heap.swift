import CVips

/// The heap that the libraries' C code uses.
package enum Heap {
    /// Bounds its arenas to one a core, and two. Threads that render take what they need from any of
    /// them and give it back in pieces, so that each arena comes to hold the peak of one picture, and
    /// reserves 64 MB of address space. For the start of a process, before other threads are there.
    package static func boundArenas() {
        vitrine_bound_arenas(Int32(max(2, RenderThreads.cores)))
    }
}
