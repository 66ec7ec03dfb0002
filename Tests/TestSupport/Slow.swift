import Foundation

/// What `make test-slow` changes: soaks, storms and comparisons of all renders run in full.
/// `make test` runs the storms in small and leaves the others out.
package enum Slow {
    /// Whether `VITRINE_SLOW` is set. A suite that reads this is listed in the Makefile's `SLOW`
    /// or run by its `contract`.
    package static let isOn = ProcessInfo.processInfo.environment["VITRINE_SLOW"] != nil
}
