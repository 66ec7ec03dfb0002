package import Imaging
package import Store

/// A stored blob for a response.
package enum BlobContent: Sendable {
    /// An open blob that was compared with its digest.
    case open(OpenBlob)
    /// Only the size, for a response without a body. The bytes were not compared with the digest.
    case size(Int, format: ImageFormat?)

    package var byteCount: Int {
        switch self {
        case .open(let blob): blob.byteCount
        case .size(let count, _): count
        }
    }

    /// Detected from the first bytes; nil if it is unknown.
    package var format: ImageFormat? {
        switch self {
        case .open(let blob): ImageFormat.sniff(blob.beginning)
        case .size(_, let format): format
        }
    }
}
