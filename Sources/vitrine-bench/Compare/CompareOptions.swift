import App
import ArgumentParser
import Console
import FoundationEssentials
import Threads

/// The options of `vitrine bench --compare`.
struct CompareOptions: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Two reports that --json wrote; the second is judged. Measures nothing.",
            valueName: "before after"))
    var compare: [String] = []

    @Option(
        help: ArgumentHelp("Loss that is accepted. (default: 5%)", valueName: "percent"))
    var tolerance: String?

    func validate() throws {
        if !compare.isEmpty, compare.count != 2 {
            throw ValidationError("--compare takes two files: the report before and the one after.")
        }
        _ = try share()
    }

    /// Prints the comparison.
    ///
    /// - Throws: `ExitCode(3)` if something is worse.
    func run() async throws {
        let (share, paths) = (try share(), compare)
        let reports = try await FileThreads.run { () throws(CommandError) in
            try paths.map { path throws(CommandError) in try Self.report(path) }
        }
        let comparison = BenchComparison(reports[0], reports[1], tolerance: share)
        print(comparison.text())
        if comparison.isWorse { throw ExitCode(3) }
    }

    /// The tolerance as a share: 0.05 of `5%`, `5 %` or `5`.
    func share() throws -> Double {
        guard let tolerance else { return 0.05 }
        let number = tolerance.split(separator: "%", omittingEmptySubsequences: false)
        let text = number[0].filter { $0 != " " }
        guard number.count <= 2, number.dropFirst().allSatisfy(\.isEmpty),
            let percent = Double(text), (0...1_000).contains(percent)
        else {
            throw ValidationError(
                "--tolerance is “\(tolerance)”; expected a percentage, such as 5%.")
        }
        return percent / 100
    }

    /// Reads a report.
    static func report(_ path: String) throws(CommandError) -> BenchReport {
        let bytes: [UInt8]
        do throws(LocalFileError) {
            bytes = try LocalFile.read(path, limit: 64 << 20)
        } catch {
            throw CommandError(error.description)
        }
        struct Format: Decodable { var format: Int }
        let data = Data(bytes)
        guard let format = try? JSONDecoder().decode(Format.self, from: data) else {
            throw CommandError("\(path) is not a report of vitrine bench --json.")
        }
        guard format.format == BenchReport.format else {
            throw CommandError(
                "\(path) has format \(format.format); this version reads "
                    + "\(BenchReport.format). Measure again.")
        }
        guard let report = try? JSONDecoder().decode(BenchReport.self, from: data) else {
            throw CommandError("\(path) is a damaged report. Measure again.")
        }
        return report
    }
}
