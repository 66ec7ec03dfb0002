/// Faults of some objects' pictures at the Rijksmuseum.
///
/// | objects | share | what the records say | what the index says of an image |
/// | --- | --- | --- | --- |
/// | 20·n + 9 | 5 % | the visual item is shown by nothing | there is none |
/// | 40·n + 13 | 2.5 % | the object shows nothing | there is one |
/// | 40·n + 33 | 2.5 % | the digital object has no access point | there is one |
/// | 20·n + 4 | 5 % | two digital objects, only the second has an access point | there is one |
/// | 20·n + 17 | 5 % | in copyright, “niet downloadbaar” | there is one, and it is served |
package enum MuseumQuirk: Quirk, Hashable, CaseIterable {
    case noDigitalObject, noVisualItem, noAccessPoint, secondDigitalObject, notDownloadable

    init?(object index: Int) {
        switch (index % 20, index % 40) {
        case (9, _): self = .noDigitalObject
        case (_, 13): self = .noVisualItem
        case (_, 33): self = .noAccessPoint
        case (4, _): self = .secondDigitalObject
        case (17, _): self = .notDownloadable
        default: return nil
        }
    }

    /// Pictures that aren't given away aren't taken.
    var ending: QuirkEnding? {
        switch self {
        case .noVisualItem, .noAccessPoint, .notDownloadable, .noDigitalObject: .placeholder
        case .secondDigitalObject: nil
        }
    }
}
