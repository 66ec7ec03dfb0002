import App
import Console

/// What a subject needs to plan its cases.
struct BenchContext: Sendable {
    var rounds: Int
    var seed: UInt64
    var isQuick: Bool
    /// Directory of pictures that replaces the drawn ones.
    var input: String?
    /// Whether a peer is to be measured if it is installed.
    var wantsPeer: @Sendable (String) -> Bool
    /// The settings in force. Their cache is not touched: a subject takes a directory in ``scratch``.
    var settings: Settings
    /// The options that give `vitrine` the same settings, such as `--config FILE`.
    var settingArguments: [String]
    /// A directory of this run, removed at its end.
    var scratch: String
    /// `vitrine`, which lies beside this program.
    var vitrine: String
    /// Writes a line for people.
    var say: @Sendable (String) -> Void
}

extension SharedOptions {
    /// The same options for another process.
    var arguments: [String] {
        let single = [
            ("--config", config), ("--cache", cache), ("--log-level", logLevel),
            ("--ca-file", caFile), ("--proxy", proxy),
        ]
        return single.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + connectTo.flatMap { ["--connect-to", $0] }
            + allowNetwork.flatMap { ["--allow-network", $0] }
    }
}
