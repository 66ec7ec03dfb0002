import App
import Console
import Foundation
import Imaging
import Threads

/// Pictures of one kind, flat in a directory: drawn ones, or the user's.
struct Corpus: Sendable {
    var name: String
    var directory: String
    /// Names of the files, sorted.
    var names: [String]
    /// Width and height of all of them; nil if they differ.
    var size: (width: Int, height: Int)?

    var files: [String] { names.map { "\(directory)/\($0)" } }

    /// What `vitrine-demo corpus` can draw, and how many of each for `thumbnails`.
    private static let drawn: [(name: String, width: Int, height: Int, quick: Int, usual: Int)] = [
        ("posters", 680, 1_000, 24, 60), ("covers", 640, 640, 24, 60),
        ("large", 2_000, 3_000, 4, 10), ("huge", 6_000, 4_500, 1, 3),
    ]

    /// Takes `--input`, or draws pictures of all kinds.
    static func all(_ context: BenchContext) async throws -> [Corpus] {
        if let input = context.input { return [try await take(input, context)] }
        context.say("Drawing pictures from seed \(context.seed).")
        let directory = "\(context.scratch)/corpus"
        let counts = drawn.flatMap { one in
            ["--\(one.name)", "\(context.isQuick ? one.quick : one.usual)"]
        }
        try await draw(counts, into: directory, context)
        return try drawn.map { one in
            try Corpus(
                one.name, in: "\(directory)/\(one.name)", size: (one.width, one.height))
        }
    }

    /// Takes `--input`, or draws posters.
    ///
    /// - Parameter count: how many are drawn; nil takes what most rows need.
    static func posters(
        _ context: BenchContext, into name: String, count: Int? = nil
    ) async throws -> Corpus {
        if let input = context.input { return try await take(input, context) }
        let count = count ?? (context.isQuick ? 40 : 120)
        context.say("Drawing \(count) posters.")
        let directory = "\(context.scratch)/\(name)"
        try await draw(["--posters", "\(count)"], into: directory, context)
        return try Corpus("posters", in: "\(directory)/posters", size: nil)
    }

    private init(_ name: String, in directory: String, size: (width: Int, height: Int)?) throws {
        self.name = name
        self.directory = directory
        self.size = size
        names = try LocalFile.names(in: directory).sorted()
    }

    private static func draw(
        _ counts: [String], into directory: String, _ context: BenchContext
    ) async throws {
        var order = MeasuredProgram.Order(
            try DemoProgram.path(), ["corpus", directory, "--seed", "\(context.seed)"] + counts)
        order.errors = "\(context.scratch)/corpus.log"
        _ = try await MeasuredProgram.run(order)
    }

    /// Links all pictures of a directory below another one, each under a name of its own: peers name
    /// thumbnails after the last part of the path.
    private static func take(_ input: String, _ context: BenchContext) async throws -> Corpus {
        let directory = "\(context.scratch)/input"
        return try await FileThreads.run {
            let root = URL(fileURLWithPath: input).path
            let found = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
            try LocalFile.makeDirectory(directory)
            for (number, name) in found.sorted().enumerated() {
                let file = "\(root)/\(name)"
                let link = "\(directory)/\(number).\(name.split(separator: ".").last ?? "img")"
                guard LocalFile.kindOfEntry(file) == .file,
                    ImageFormat.isPicture(head: try LocalFile.head(file, count: 4_096)),
                    !FileManager.default.fileExists(atPath: link)
                else { continue }
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: file)
            }
            let corpus = try Corpus("input", in: directory, size: nil)
            if corpus.names.isEmpty {
                throw CommandError("\(input) contains no picture; check --input.")
            }
            return corpus
        }
    }
}
