import App
import FoundationEssentials
import Imaging

/// Pictures of one kind.
struct ThumbnailCorpus: Sendable {
    var name: String
    var files: [String]
    /// Width and height of all of them; nil if they differ.
    var size: (width: Int, height: Int)?

    /// What `vitrine-demo corpus` can draw, and how many of each.
    struct Drawn: Sendable {
        var name: String
        var size: (width: Int, height: Int)
        var quick: Int
        var standard: Int

        static let all = [
            Drawn(name: "posters", size: (680, 1_000), quick: 24, standard: 60),
            Drawn(name: "covers", size: (640, 640), quick: 24, standard: 60),
            Drawn(name: "large", size: (2_000, 3_000), quick: 4, standard: 10),
            Drawn(name: "huge", size: (6_000, 4_500), quick: 1, standard: 3),
        ]
    }

    /// Draws all kinds into a directory with the program that lies beside this one.
    static func draw(
        into directory: String, seed: UInt64, isQuick: Bool
    ) async throws -> [ThumbnailCorpus] {
        var arguments = ["corpus", directory, "--seed", "\(seed)"]
        for one in Drawn.all {
            arguments += ["--\(one.name)", "\(isQuick ? one.quick : one.standard)"]
        }
        var order = MeasuredProgram.Order(
            try DemoProgram.path(beside: "/proc/self/exe"), arguments)
        order.errors = .inherited
        _ = try await MeasuredProgram.run(order)
        return try await FileThreads.run {
            try Drawn.all.map { one in
                let files = try LocalFile.names(in: "\(directory)/\(one.name)")
                return ThumbnailCorpus(
                    name: one.name, files: files.map { "\(directory)/\(one.name)/\($0)" },
                    size: one.size)
            }
        }
    }

    /// Takes all pictures of a directory and links them below another, each under a name of its own:
    /// peers name thumbnails after the last part of the path.
    static func take(_ input: String, linkedInto directory: String) async throws
        -> ThumbnailCorpus
    {
        try await FileThreads.run {
            let walk = PictureWalk(isPicture: ImageFormat.isPicture, excluded: directory)
            let places = try walk.pictures(of: [input]).map(\.place)
            try LocalFile.makeDirectory(directory)
            var files: [String] = []
            for (number, place) in places.enumerated() {
                guard case .file(let path) = place else { continue }
                let absolute = URL(fileURLWithPath: path).path
                let end = path.split(separator: "/").last?.split(separator: ".").last ?? "img"
                let link = "\(directory)/\(number).\(end)"
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: absolute)
                files.append(link)
            }
            if files.isEmpty {
                throw CommandError("\(input) contains no picture; check --input.")
            }
            return ThumbnailCorpus(name: "input", files: files)
        }
    }
}
