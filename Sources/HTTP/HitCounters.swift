package import Metrics
import Synchronization

/// Counts of one thread since the start, read from any.
package final class HitCounters: Sendable {
    /// By the numbers of the routes: fresh, then stale.
    private let responses = HitRoute.allCases.flatMap { _ in [Responses(), Responses()] }
    package let accepted = Count()
    package let open: Count
    package let timedOut: Count
    /// Requests that responders got.
    package let responded: Count
    /// Requests that were refused before routing.
    package let refused = Count()

    /// - Parameter onChange: called after ``open``, ``timedOut`` and ``responded`` have changed, on the thread that
    ///   changed them.
    package init(onChange: (@Sendable () -> Void)? = nil) {
        open = Count(onChange: onChange)
        timedOut = Count(onChange: onChange)
        responded = Count(onChange: onChange)
    }

    /// A number that one thread writes, so that adding needs no atomic read-modify-write.
    package struct Count: ~Copyable, Sendable {
        private let value = Atomic<Int>(0)
        private let onChange: (@Sendable () -> Void)?

        package init(onChange: (@Sendable () -> Void)? = nil) {
            self.onChange = onChange
        }

        package func add(_ amount: Int = 1) {
            value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
            onChange?()
        }

        package var now: Int { value.load(ordering: .relaxed) }
    }

    /// Prepared responses of one route that are equally fresh.
    package final class Responses: Sendable {
        /// 200, `HEAD` included.
        package let whole = Count()
        package let partial = Count()
        package let notModified = Count()
        package let seconds = Histogram()
    }

    package func responses(_ route: HitRoute, isStale: Bool) -> Responses {
        responses[2 * route.rawValue + (isStale ? 1 : 0)]
    }

    func count(_ answer: HitLookup.Answer) {
        let responses = responses(answer.prepared.route, isStale: answer.isStale)
        switch answer.status {
        case 206: responses.partial.add()
        case 304: responses.notModified.add()
        default: responses.whole.add()
        }
    }
}
