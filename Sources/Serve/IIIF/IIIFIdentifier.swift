import Catalog
import FoundationEssentials
import Pipeline

/// The identifier of a picture in IIIF: an item, or a signed URL.
struct IIIFIdentifier: Sendable, Equatable {
    /// Decoded: `tvmaze/show/1`, `url/{signature}/{base64url}`, or that and the seconds since 1970 at
    /// which it expires.
    let text: String

    init(_ text: String) { self.text = text }

    /// Returns the item, and when its URL expires.
    ///
    /// - Throws: ``Failure`` of kind `notFound` for what can't be an identifier, `badSignature` for a wrong
    ///   or expired signature.
    func item(of pipeline: MediaPipeline) throws(Failure) -> (Item, linkEnds: Date?) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let unknown = Failure.notFound(
            reason: "“\(text)” is not an item. Items look like tvmaze/show/1, with %2F for /.")
        guard parts.count >= 3 else { throw unknown }
        if parts[0] == SignedURL.name {
            let expires = parts.count == 4 ? Int(parts[3]) : nil
            guard parts.count == 3 || expires != nil else { throw unknown }
            let item = try pipeline.signedItem(
                signature: parts[1], level: IIIFRoute.signedLevel, encodedURL: parts[2],
                expires: expires)
            return (item, expires.map { Date(timeIntervalSince1970: TimeInterval($0)) })
        }
        // Files in directories of a folder have further slashes.
        let id = parts[2...].joined(separator: "/")
        do throws(Failure) {
            return (try pipeline.item(source: parts[0], kind: parts[1], id: id), linkEnds: nil)
        } catch {
            throw error.kind == .invalid ? .notFound(reason: error.reason) : error
        }
    }
}
