import Synchronization

/// The series of one metric, by the values of its labels. Any thread.
///
/// A series lives as long as the metric, so that counts are never lost.
package final class Labeled<Series: Sendable>: Sendable {
    private let make: @Sendable () -> Series
    private let series = Mutex<[[String]: Series]>([:])

    package init(_ make: @escaping @Sendable () -> Series) { self.make = make }

    /// - Parameter values: in the order of the labels, from sets that are small.
    package subscript(_ values: String...) -> Series {
        series.withLock { series in
            if let known = series[values] { return known }
            let made = make()
            series[values] = made
            return made
        }
    }

    package var all: [[String]: Series] { series.withLock { $0 } }
}
