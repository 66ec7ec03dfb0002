import Foundation

/// The files of one row, and where they come from.
struct FetchWork: Sendable {
    let origin: BenchOrigin
    let names: [String]
    /// What must come, in the order of `names`.
    let files: [[UInt8]]
    /// Files of a round; names come again in the same order.
    let count: Int
    let concurrency: Int
    let transport: String

    var scheme: String { transport == "plain" ? "http" : "https" }

    /// The address of a file of the round.
    func url(_ number: Int) -> String {
        "\(scheme)://\(BenchOrigin.pictureHost)\(path(number))"
    }

    func path(_ number: Int) -> String { "/0/\(names[number % names.count])" }

    func file(_ number: Int) -> [UInt8] { files[number % files.count] }
}
