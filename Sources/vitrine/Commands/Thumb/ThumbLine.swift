import FoundationEssentials
import Imaging
import Store

/// What came of a picture, as a JSON line of `--json` and `--manifest`.
struct ThumbLine: Codable, Equatable {
    /// The path or URL as it was given or found.
    var input: String
    /// As a list has them.
    var id: String?
    var title: String?
    /// `made`, `kept` or `failed`; in a dry run `missing` instead of `made`.
    var status: String
    var reason: String?
    /// SHA-256 of the original.
    var digest: String?
    /// Of the original.
    var bytes: Int?
    var width: Int?
    var height: Int?
    /// ThumbHash in base64.
    var thumbhash: String?
    /// The dominant color, `#rrggbb`.
    var color: String?
    /// Paths of the thumbnails.
    var outputs: [String]
    /// Milliseconds from the beginning to the last file.
    var ms: Double

    init(_ outcome: ThumbRun.Outcome, isDryRun: Bool) {
        input =
            switch outcome.input.place {
            case .file(let path): path
            case .url(let url): url
            }
        id = outcome.input.id
        title = outcome.input.title
        switch outcome.end {
        case .made: status = isDryRun ? "missing" : "made"
        case .kept: status = "kept"
        case .failed(let sentence):
            status = "failed"
            reason = sentence
        }
        if let original = outcome.digest, let summary = outcome.summary {
            digest = "\(original)"
            bytes = outcome.byteCount
            width = summary.width
            height = summary.height
            thumbhash = Data(summary.thumbHash).base64EncodedString()
            color = summary.color.hex
        }
        outputs = outcome.outputs
        ms = ((outcome.took / .microseconds(1)) / 10).rounded() / 100
    }
}
