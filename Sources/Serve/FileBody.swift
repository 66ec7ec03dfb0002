import JSON
import Store

/// A body made of parts of a stored blob and text between them.
struct FileBody: Sendable {
    enum Part: Sendable {
        case text([UInt8])
        case range(Range<Int>)

        var count: Int {
            switch self {
            case .text(let bytes): bytes.count
            case .range(let range): range.count
            }
        }
    }

    /// nil if the body is not sent.
    let blob: OpenBlob?
    let parts: [Part]

    var length: Int { parts.reduce(0) { $0 + $1.count } }
}
