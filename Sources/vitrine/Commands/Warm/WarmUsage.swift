import Console
import Glibc

/// What this process and its ended children used, beside what the machine has.
struct WarmUsage: Sendable, Equatable {
    var processorSeconds: Double
    var cores: Int

    static func now(cores: Int) -> WarmUsage {
        var own = rusage()
        getrusage(RUSAGE_SELF.rawValue, &own)
        var children = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &children)
        return WarmUsage(
            processorSeconds: own.processorSeconds + children.processorSeconds,
            cores: max(1, cores))
    }

    /// Seconds that all cores together need for that.
    var seconds: Double { processorSeconds / Double(cores) }
}
