import App
import Console
import Imaging
import Threads

// How much is lost in encoding: thumbnails beside the same ones as PNG, by SSIMULACRA2.
extension ThumbnailBench {
    /// Pictures that are compared. Half a second each, and encoders treat drawn pictures alike.
    private static let compared = 4
    /// The tool's name in libjxl, and that of the package of Python.
    private static let qualityTools = ["ssimulacra2", "ssymulacra2"]

    /// Returns the mean over pictures and levels by format; empty if the tool isn't in `PATH`.
    func quality(of corpus: Corpus) async -> [ThumbnailFormat: Double] {
        guard let tool = Self.qualityTools.compactMap(MeasuredProgram.find).first else {
            return [:]
        }
        let output = "\(context.scratch)/quality"
        let order = context.vitrine(
            ["thumb"] + corpus.files.prefix(Self.compared) + ["-o", output]
                + ["--formats", (formats + [.png]).map(\.rawValue).joined(separator: ",")]
                + ["--levels", levels.map(\.name).joined(separator: ",")])
        guard (try? await MeasuredProgram.run(order)) != nil else { return [:] }
        let names = await FileThreads.run { (try? LocalFile.names(in: output)) ?? [] }
        var figures: [ThumbnailFormat: Double] = [:]
        for format in formats where format != .png {
            var scores: [Double] = []
            for name in names where name.hasSuffix(".\(format.fileExtension)") {
                let lossless = name.dropLast(format.fileExtension.count) + "png"
                let text = await MeasuredProgram.output(
                    of: tool, ["\(output)/\(lossless)", "\(output)/\(name)"])
                if let score = text.flatMap(Self.score) { scores.append(score) }
            }
            if !scores.isEmpty {
                figures[format] = scores.reduce(0, +) / Double(scores.count)
            }
        }
        return figures
    }

    /// Returns the first number that a text has on a line of its own.
    static func score(in text: String) -> Double? {
        text.split(whereSeparator: \.isNewline).lazy.compactMap { Double($0) }.first
    }
}
