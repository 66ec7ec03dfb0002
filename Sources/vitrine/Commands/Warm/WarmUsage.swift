// `timeval` is Glibc's, but the compiler takes it for CoreFoundation's wherever that is loaded too.
import CoreFoundation
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
        let seconds = [own, children].reduce(0) {
            $0 + Self.seconds($1.ru_utime) + Self.seconds($1.ru_stime)
        }
        return WarmUsage(processorSeconds: seconds, cores: max(1, cores))
    }

    /// Seconds that all cores together need for that.
    var seconds: Double { processorSeconds / Double(cores) }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
