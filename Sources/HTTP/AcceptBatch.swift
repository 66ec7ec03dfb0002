/// How many connections a thread accepts in one round.
///
/// One as long as they come one at a time, because the kernel makes a socket even for an attempt that fails.
/// More if others have been waiting for many rounds, but never so many that open connections wait for long.
struct AcceptBatch {
    private static let maxCount = 16
    private static let roundsPerConnection = 8

    /// Rounds in a row in which at least ``count`` connections had been waiting.
    private var fullRounds = 0

    var count: Int { min(Self.maxCount, 1 + fullRounds / Self.roundsPerConnection) }

    mutating func grow() {
        fullRounds = min(fullRounds + 1, Self.maxCount * Self.roundsPerConnection)
    }

    /// No further connection was waiting.
    mutating func reset() { fullRounds = 0 }
}
