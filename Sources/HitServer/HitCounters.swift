import Synchronization

/// Counts of one thread since the start, read from any.
package final class HitCounters: Sendable {
    package let hits = Count()
    package let notModified = Count()
    package let staleHits = Count()
    package let staleNotModified = Count()
    package let bodyBytes = Count()
    /// By the numbers of the routes; pictures are counted apart.
    private let others = HitRoute.allCases.map { _ in RouteCounts() }
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

    /// Responses of one route other than pictures.
    package final class RouteCounts: Sendable {
        package let whole = Count()
        package let partial = Count()
        package let notModified = Count()
        package let staleWhole = Count()
        package let stalePartial = Count()
        package let staleNotModified = Count()

        fileprivate func count(_ answer: HitLookup.Answer) {
            switch (answer.status, answer.isStale) {
            case (206, false): partial.add()
            case (206, true): stalePartial.add()
            case (304, false): notModified.add()
            case (304, true): staleNotModified.add()
            case (_, false): whole.add()
            case (_, true): staleWhole.add()
            }
        }
    }

    /// Responses of a route other than pictures.
    package func of(_ route: HitRoute) -> RouteCounts { others[route.rawValue] }

    package func count(_ answer: HitLookup.Answer) {
        if answer.hasBody { bodyBytes.add(answer.bodySize) }
        let route = answer.prepared.route
        if route == .picture { countPicture(answer) } else { of(route).count(answer) }
    }

    private func countPicture(_ answer: HitLookup.Answer) {
        if answer.isNotModified { notModified.add() } else { hits.add() }
        if answer.isStale {
            if answer.isNotModified { staleNotModified.add() } else { staleHits.add() }
        }
    }
}
