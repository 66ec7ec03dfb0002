import App
import Console
import FoundationEssentials
import Threads

/// What a subject needs to plan its cases.
struct BenchContext: Sendable {
    let options: BenchOptions
    /// The name of the configuration if there are two.
    let name: String
    /// The settings in force. Their cache is not touched: a subject takes a directory in ``scratch``.
    let settings: Settings
    /// The options that give `vitrine` the same settings, such as `--config FILE`.
    let settingArguments: [String]
    /// A directory of this run, removed at its end.
    let scratch: String
    /// `vitrine`, which lies beside this program.
    let vitrine: String

    var isQuick: Bool { options.quick }
    var seed: UInt64 { options.seed }

    /// Writes a line for people.
    func say(_ line: String) { StandardError.shared.line(line) }

    /// Returns a path in the scratch directory where nothing is.
    ///
    /// What is left there stays until the end of the run: ext4 passes by inodes that were deleted
    /// lately, so deleting the files of one round would slow down the next.
    func place(_ name: String) -> String { "\(scratch)/\(name)-\(UUID().uuidString)" }

    /// Writes a file below the scratch directory, and makes the directories above it.
    func write(_ bytes: some Sequence<UInt8> & Sendable, to path: String) async throws {
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(String(LocalFile.directory(of: path)))
            try LocalFile.replace(path, with: Array(bytes))
        }
    }

    /// A command of the service with the same settings.
    func vitrine(_ arguments: [String]) -> MeasuredProgram.Order {
        var order = MeasuredProgram.Order(
            vitrine, arguments + settingArguments + ["--log-level", "error"])
        order.inheritsSettings = true
        return order
    }
}
