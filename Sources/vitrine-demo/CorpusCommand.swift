import ArgumentParser
import Demo
import Foundation

struct CorpusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Write pictures for benchmarks.",
        discussion: """
            JPEGs with texture and grain, so that they weigh what real ones weigh: posters of 680×1000 \
            about 112 KB, covers of 640×640 84 KB, large ones of 2000×3000 1.3 MB, huge ones of \
            6000×4500 8 MB. The same seed writes the same bytes.
            """)

    @Argument(help: "Directory to write to; made if it is missing.")
    var directory: String

    @Option(help: ArgumentHelp("All pictures follow from this number.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Pictures of 680×1000.", valueName: "n"))
    var posters = 0

    @Option(help: ArgumentHelp("Pictures of 640×640.", valueName: "n"))
    var covers = 0

    @Option(help: ArgumentHelp("Pictures of 2000×3000.", valueName: "n"))
    var large = 0

    @Option(help: ArgumentHelp("Pictures of 6000×4500.", valueName: "n"))
    var huge = 0

    @Option(
        help: ArgumentHelp(
            "Pictures of 2000×3000 in each format, in directories that begin with “inputs-”.",
            valueName: "n"))
    var inputs = 0

    func validate() throws {
        guard [posters, covers, large, huge, inputs].allSatisfy({ (0...100_000).contains($0) })
        else {
            throw ValidationError("Counts are 0 to 100000.")
        }
    }

    func run() async throws {
        let corpus = Corpus(seed: seed)
        var progress = CorpusProgress(total: posters + covers + large + huge, at: .now)
        for (kind, count) in [
            (Corpus.Kind.posters, posters), (.covers, covers), (.large, large), (.huge, huge),
        ] where count > 0 {
            var sizes: [Int] = []
            for index in 0..<count {
                let bytes = try corpus.picture(kind, index, of: count)
                try write(bytes, kind.rawValue, index, "jpg")
                sizes.append(bytes.count)
                if let line = progress.wrote(at: .now) {
                    FileHandle.standardError.write(Data("\(line)\n".utf8))
                }
            }
            say(kind.rawValue, sizes)
        }
        var sizes: [Corpus.Input: [Int]] = [:]
        for index in 0..<inputs {
            for (kind, bytes) in try corpus.inputs(index, of: inputs) {
                try write(bytes, "inputs-\(kind.rawValue)", index, kind.fileExtension)
                sizes[kind, default: []].append(bytes.count)
            }
        }
        for kind in Corpus.Input.allCases {
            if let sizes = sizes[kind] { say("inputs-\(kind.rawValue)", sizes) }
        }
    }

    private func write(
        _ bytes: [UInt8], _ kind: String, _ index: Int, _ fileExtension: String
    ) throws {
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
            .appendingPathComponent(kind, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let digits = String(index)
        let name = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        try Data(bytes).write(to: folder.appendingPathComponent("\(name).\(fileExtension)"))
    }

    private func say(_ kind: String, _ sizes: [Int]) {
        let (sorted, count) = (sizes.sorted(), sizes.count)
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2_000
        print("\(kind): \(count), median \(median) KB")
    }
}
