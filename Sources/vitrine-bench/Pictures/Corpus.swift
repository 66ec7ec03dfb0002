import App
import Console
import Foundation
import Imaging
import Memory
import Threads

/// Pictures of one kind, flat in a directory: drawn ones, or the user's.
struct Corpus: Sendable {
    /// What `vitrine-demo corpus` draws: how many of a kind, with `--quick` and without.
    private typealias Kind = (name: String, counts: (quick: Int, usual: Int))

    let name: String
    let directory: String
    /// Names of the files, sorted.
    let names: [String]

    var files: [String] { names.map { "\(directory)/\($0)" } }

    /// Options of `xargs`: a process for each core, with as many pictures as it can take at once.
    var batches: [String] {
        let cores = MachineProcessors.count()
        return ["-P", "\(cores)", "-n", "\(min(64, (names.count + cores - 1) / cores))"]
    }

    /// For `thumbnails`.
    private static let kinds: [Kind] = [
        ("posters", (24, 60)), ("covers", (24, 60)), ("large", (4, 10)), ("huge", (1, 3)),
    ]

    /// Takes `--input`, or draws pictures of all kinds.
    static func all(_ context: BenchContext) async throws -> [Corpus] {
        try await make(kinds, context, into: "corpus")
    }

    /// Takes `--input`, or draws posters for what isn't about their pixels.
    static func posters(
        _ context: BenchContext, into name: String, counts: (quick: Int, usual: Int) = (40, 120)
    ) async throws -> Corpus {
        try await make([("posters", counts)], context, into: name)[0]
    }

    /// Draws pictures of 2000×3000 in each format; none with `--input`.
    static func inputs(_ context: BenchContext) async throws -> [Corpus] {
        if context.options.input != nil { return [] }
        let directory = try await draw([("inputs", (1, 3))], context, into: "inputs")
        return try LocalFile.names(in: directory).sorted().map {
            try Corpus($0, in: "\(directory)/\($0)")
        }
    }

    /// Whether a program has to convert the colors.
    var isTagged: Bool { ["inputs-jpeg-p3", "inputs-jpeg-cmyk"].contains(name) }

    private static func make(
        _ kinds: [Kind], _ context: BenchContext, into name: String
    ) async throws -> [Corpus] {
        if let input = context.options.input { return [try await take(input, context)] }
        let directory = try await draw(kinds, context, into: name)
        return try kinds.map { try Corpus($0.name, in: "\(directory)/\($0.name)") }
    }

    /// Returns the directory with the pictures.
    private static func draw(
        _ kinds: [Kind], _ context: BenchContext, into name: String
    ) async throws -> String {
        context.say("Drawing pictures from seed \(context.seed).")
        let directory = "\(context.scratch)/\(name)"
        let counts = kinds.flatMap { kind in
            ["--\(kind.name)", "\(context.isQuick ? kind.counts.quick : kind.counts.usual)"]
        }
        var order = MeasuredProgram.Order(
            try DemoProgram.path(), ["corpus", directory, "--seed", "\(context.seed)"] + counts)
        order.errors = "\(context.scratch)/corpus.log"
        _ = try await MeasuredProgram.run(order)
        return directory
    }

    init(_ name: String, in directory: String) throws {
        (self.name, self.directory) = (name, directory)
        names = try LocalFile.names(in: directory).sorted()
    }

    /// Links all pictures of a directory below another one, each under a name of its own: peers name
    /// thumbnails after the last part of the path.
    private static func take(_ input: String, _ context: BenchContext) async throws -> Corpus {
        let directory = context.place("input")
        return try await FileThreads.run {
            let root = URL(fileURLWithPath: input).path
            let found = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
            try LocalFile.makeDirectory(directory)
            for (number, name) in found.sorted().enumerated() {
                let file = "\(root)/\(name)"
                guard LocalFile.kindOfEntry(file) == .file,
                    ImageFormat.isPicture(head: try LocalFile.head(file, count: 4_096))
                else { continue }
                let end = name.split(separator: ".").last ?? "img"
                try FileManager.default.createSymbolicLink(
                    atPath: "\(directory)/\(number).\(end)", withDestinationPath: file)
            }
            let corpus = try Corpus("input", in: directory)
            if corpus.names.isEmpty {
                throw CommandError("\(input) contains no picture; check --input.")
            }
            return corpus
        }
    }
}
