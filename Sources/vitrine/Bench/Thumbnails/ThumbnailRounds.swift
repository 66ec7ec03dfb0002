import App
import FoundationEssentials
import Imaging

/// Makes cases that run in processes of their own, a process for each round.
struct ThumbnailRounds: Sendable {
    let context: BenchContext
    /// The program that is running.
    let program: String

    init(_ context: BenchContext) {
        self.context = context
        program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    }

    /// A case of a job in a process of its own.
    func outcome(
        _ job: RenderJob, _ head: BenchRow.Head, in scratch: String,
        environment: [String: String]
    ) async throws -> OutcomeCase {
        let input = try await write(job, to: scratch)
        var order = MeasuredProgram.Order(program, ["bench-render"] + context.settingArguments)
        order.input = input
        order.inheritsSettings = true
        order.environment = environment
        return OutcomeCase(head: head, order: order, scratch: scratch)
    }

    /// Writes a job as JSON to `DIRECTORY/job.json` and returns its path.
    func write(_ job: some Encodable, to directory: String) async throws -> String {
        let bytes = Array(try JSONEncoder().encode(job))
        let path = "\(directory)/job.json"
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(directory)
            try LocalFile.replace(path, with: bytes)
        }
        return path
    }

    static func head(
        _ corpus: ThumbnailCorpus, _ formats: [ThumbnailFormat], _ levels: [Level], isAll: Bool,
        run: String, lane: Lane.Choice = .auto, peer: (name: String, version: String)? = nil,
        note: String? = nil
    ) -> BenchRow.Head {
        let format = formats.map(\.rawValue).joined(separator: "+")
        let level = isAll ? "all-levels" : levels.map(\.name).joined(separator: "+")
        return BenchRow.Head(
            .thumbnails,
            [corpus.name, format, level, run] + (lane == .auto ? [] : ["lane=\(lane.rawValue)"])
                + (peer.map { ["peer=\($0.name)"] } ?? []),
            labels: [
                BenchSetting("corpus", corpus.name), BenchSetting("format", format),
                BenchSetting("level", level), BenchSetting("lane", lane.rawValue),
            ], peer: peer.map { "\($0.name) \($0.version)" }, note: note)
    }
}
