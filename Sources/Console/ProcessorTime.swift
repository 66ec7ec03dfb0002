// `timeval` is Glibc's, but the compiler takes it for CoreFoundation's wherever that is loaded too.
import CoreFoundation
package import Glibc

extension rusage {
    /// User and system time in seconds.
    package var processorSeconds: Double {
        [ru_utime, ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
