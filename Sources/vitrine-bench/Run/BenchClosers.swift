import Synchronization

/// What has to be stopped when a subject is done, or when it can't begin.
final class BenchClosers: Sendable {
    private let closers = Mutex<[@Sendable () async -> Void]>([])
    private let programs = Mutex<[@Sendable () -> String?]>([])

    /// Why one of the programs that help to measure has ended, as a sentence; nil while all run.
    var endedProgram: String? { programs.withLock(\.self).lazy.compactMap { $0() }.first }

    /// - Parameter ending: returns why a program that helps to measure has ended, as a sentence.
    func watch(_ ending: @escaping @Sendable () -> String?) {
        programs.withLock { $0.append(ending) }
    }

    func add(_ close: @escaping @Sendable () async -> Void) {
        closers.withLock { $0.append(close) }
    }

    /// Stops everything, the last first. Idempotent.
    func close() async {
        let all = closers.withLock { closers in
            defer { closers = [] }
            return closers
        }
        for close in all.reversed() { await close() }
    }
}
