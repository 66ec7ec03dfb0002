/// A request to the IIIF Presentation API, parsed as far as the path shows.
package enum PresentationPart: Sendable, Equatable {
    /// `/iiif/presentation/3/{source}/{list}?…`
    case collection(source: String, list: String)
    /// `/iiif/presentation/3/{identifier}/manifest`
    case manifest(identifier: String)
}
