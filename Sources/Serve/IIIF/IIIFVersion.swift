import Catalog
import Hashing
import Pipeline

/// A version of the IIIF Image API.
package enum IIIFVersion: Int, Sendable, CaseIterable {
    case two = 2
    case three = 3

    /// The first part of the path: `/iiif/3`.
    var root: String { "/iiif/\(rawValue)" }

    var context: String { "http://iiif.io/api/image/\(rawValue)/context.json" }

    /// Returns the URL of a compliance level.
    func profile(_ level: IIIFLevel) -> String {
        "http://iiif.io/api/image/\(rawValue)/\(level.rawValue).json"
    }
}

/// A compliance level of the IIIF Image API.
enum IIIFLevel: String, Sendable {
    /// Whole pictures only, for sources whose terms forbid cropping.
    case zero = "level0"
    case two = "level2"

    init(of item: Item, _ sources: Sources) {
        self = sources.isUncropped(item.source) ? .zero : .two
    }
}

/// A request to the IIIF Image API, parsed as far as the path shows.
package struct IIIFRoute: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        /// `/iiif/3/{identifier}`, which redirects to the next.
        case base
        /// `…/info.json`
        case information
        /// `…/{region}/{size}/{rotation}/{quality}.{format}`, decoded and not read yet.
        case image(region: String, size: String, rotation: String, name: String)
    }

    /// The level that URLs are signed with for IIIF.
    package static let signedLevel = "iiif"

    package var version: IIIFVersion
    /// Decoded: `tvmaze/show/1`, or `url/{signature}/{base64url}`.
    package var identifier: String
    package var part: Part

    package init(version: IIIFVersion, identifier: String, part: Part) {
        self.version = version
        self.identifier = identifier
        self.part = part
    }

    /// The path of an item's service, without a slash at its end.
    package static func path(_ version: IIIFVersion, _ identifier: String) -> String {
        "\(version.root)/\(PercentCoding.encoded(identifier))"
    }
}

/// Why a request to the IIIF Image API can't be answered, in one sentence.
enum IIIFError: Error, Equatable {
    /// 400
    case bad(String)
    /// 501: valid, but not offered.
    case notOffered(String)
}
