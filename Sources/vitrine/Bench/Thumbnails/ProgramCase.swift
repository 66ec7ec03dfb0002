import App
import FoundationEssentials
import Store

/// A program that writes thumbnails into a directory, measured from outside with its start.
struct ProgramCase: BenchCase {
    var head: BenchRow.Head
    var order: MeasuredProgram.Order
    /// Name of the environment variable that names the directory to write to; nil if the arguments do.
    var variable: String?
    /// Emptied before each round.
    var output: String
    /// Where standard error goes.
    var errors: String
    /// Pictures that go in, and files that must come out.
    var images: Int
    var expected: Int

    func round(_ number: Int) async throws -> BenchSample {
        var order = order
        if let variable { order.environment[variable] = output }
        order.errors = .file(errors)
        let directory = output
        try await FileThreads.run { try Self.empty(directory) }
        let end = try await MeasuredProgram.run(order)
        let written = try await FileThreads.run { () throws(LocalFileError) in
            try Written(directory)
        }
        try await FileThreads.run { try Self.empty(directory) }
        let count = Double(images)
        var values: [(BenchQuantity, Double)] = [
            (.rate("images/s"), count / end.wall),
            (.processorTime("ms/image"), end.processor * 1_000 / count),
            (.bytesOut("KB/image"), Double(written.bytes) / 1_000 / count),
            (.pageFaults("/image"), Double(end.faults) / count),
        ]
        if let peak = end.peakMemory {
            values.insert((.peakMemory, Double(peak) / 1_000_000), at: 2)
        }
        let missing = max(0, expected - written.count)
        return BenchSample(
            values, errors: missing,
            firstError: missing > 0
                ? "\(missing) of \(expected) thumbnails are missing." : nil,
            digest: written.digest)
    }

    func cleanUp() async {
        let directory = output
        await FileThreads.run { try? Self.empty(directory) }
    }

    private static func empty(_ directory: String) throws {
        if FileManager.default.fileExists(atPath: directory) {
            try FileManager.default.removeItem(atPath: directory)
        }
        try LocalFile.makeDirectory(directory)
    }

    /// What lies in a directory.
    private struct Written: Sendable {
        var count = 0
        var bytes = 0
        var digest: String

        init(_ directory: String) throws(LocalFileError) {
            var all: [UInt8] = []
            for name in try LocalFile.names(in: directory) {
                let file = try LocalFile.read("\(directory)/\(name)", limit: 1 << 28)
                count += 1
                bytes += file.count
                all += Digest(of: file).bytes
            }
            digest = Digest(of: all).hex
        }
    }
}
