package import Imaging

/// When the lists that a service keeps warm are due. One runs at a time. Pure.
package struct WarmSchedule: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// A list that is warmed again and again.
    package struct Job: Sendable, Equatable {
        package var source: String
        package var list: String
        package var words: [String] = []
        package var parameters: [String: String] = [:]
        package var pages: String?
        package var limit: Int?
        /// In place of `warm.formats`; empty for those.
        package var formats: [ThumbnailFormat] = []
        package var isPinned = false
        /// The time between the end of one run and the begin of the next.
        package var every: Duration

        package init(source: String, list: String, every: Duration) {
            self.source = source
            self.list = list
            self.every = every
        }
    }

    /// Runs after a start begin within this time, spread so that services that start together don't
    /// ask an origin together.
    private static let firstWithin = Duration.seconds(60)
    /// A pause is shorter or longer by up to this part.
    private static let jitter = 0.1

    package let jobs: [Job]
    private var due: [Instant] = []

    /// - Parameter random: returns a number in 0 ..< 1.
    package init(_ jobs: [Job], at now: Instant, random: () -> Double) {
        self.jobs = jobs
        due = jobs.map { now.advanced(by: min(Self.firstWithin, $0.every) * random()) }
    }

    /// Returns the job that runs next, and when; nil without jobs.
    package var next: (job: Int, at: Instant)? {
        due.indices.min { due[$0] < due[$1] }.map { ($0, due[$0]) }
    }

    /// Plans the next run of a job that ended.
    package mutating func ended(_ job: Int, at now: Instant, random: () -> Double) {
        let part = 1 + Self.jitter * (2 * random() - 1)
        due[job] = now.advanced(by: jobs[job].every * part)
    }
}
