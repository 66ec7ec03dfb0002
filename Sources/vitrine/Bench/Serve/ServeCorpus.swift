import App
import FoundationEssentials

/// The originals of `vitrine bench serve` and `fetch`: drawn posters, or the user's pictures.
struct ServeCorpus: Sendable {
    let directory: String
    /// Names of the files, sorted.
    let names: [String]

    /// Takes `--input`, or lets `vitrine-demo` draw posters.
    ///
    /// - Parameter posters: how many are drawn; nil takes what most rows need.
    static func make(
        _ context: BenchContext, named name: String = "serve-corpus", posters: Int? = nil
    ) async throws -> ServeCorpus {
        if let input = context.input {
            return try await FileThreads.run { () throws(CommandError) in try Self.read(input) }
        }
        let directory = "\(context.scratch)/\(name)"
        let count = posters ?? (context.isQuick ? 40 : 120)
        context.say("Drawing \(count) posters.")
        let program = try DemoProgram.path(beside: "/proc/self/exe")
        var order = MeasuredProgram.Order(
            program,
            ["corpus", directory, "--posters", "\(count)", "--seed", "\(context.seed)"])
        order.errors = .file("\(context.scratch)/corpus.log")
        _ = try await MeasuredProgram.run(order)
        return try await FileThreads.run { () throws(CommandError) in
            try Self.read("\(directory)/posters")
        }
    }

    private static func read(_ directory: String) throws(CommandError) -> ServeCorpus {
        let known: Set = ["jpg", "jpeg", "png", "webp", "gif", "avif", "tif", "tiff"]
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw CommandError("\(directory) can't be read; check --input.")
        }
        let pictures = names.filter { name in
            known.contains(name.split(separator: ".").last.map { $0.lowercased() } ?? "")
        }.sorted()
        guard !pictures.isEmpty else {
            throw CommandError("\(directory) has no pictures; check --input.")
        }
        return ServeCorpus(directory: directory, names: pictures)
    }
}
