import Catalog
import HTTP
import HTTPTypes
import Imaging
import Pipeline

/// A target of a blob, and what `Accept` leads to.
struct BlobTarget: Sendable {
    let hitRoute: HitRoute
    private let text: String
    private let format: ThumbnailFormat

    init(_ target: UnsafeRawBufferPointer, _ representation: UInt8) {
        hitRoute = HitRoute(target) ?? .blob
        text = String(decoding: target, as: UTF8.self)
        format = ThumbnailFormat(negotiated: representation)
    }

    /// Nil if the target is malformed.
    var meaning: (route: Route, parameters: [(String, String)])? {
        guard let target = try? RequestTarget(text, maxBytes: .max),
            let route = try? Route(path: target.path),
            let parameters = try? Route.decodeQuery(target.query)
        else { return nil }
        return (route, parameters)
    }

    func request(_ method: HTTPRequest.Method) -> Request {
        Request(method: method, target: text, fields: [.accept: format.contentType])
    }
}

extension ThumbnailFormat {
    /// Numbers of the representations that `Accept` chooses from. A sum with ``orStoredAVIF`` prefers
    /// AVIF where it is stored.
    static let (negotiatedJPEG, negotiatedWebP) = (UInt8(0), UInt8(1))
    static let orStoredAVIF = UInt8(2)

    /// The format that is made if none is stored.
    init(negotiated representation: UInt8) {
        self = representation & 1 == Self.negotiatedWebP ? .webp : .jpeg
    }
}
