/// A fault of a picture, as some of the real ones have it.
///
/// | source | items | what the API says | what the image host gives |
/// | --- | --- | --- | --- |
/// | TVmaze | shows 30·n + 7 | `"medium": null` | the original |
/// | | shows 60·n + 13 | no `medium` at all | the original |
/// | | shows 30·n + 19 | `"image": null`, no images | nothing |
/// | | shows 60·n + 23 | both | the medium; the original is cut off |
/// | | shows 60·n + 53 | both | the medium; the original is an HTML page with status 200 |
/// | | shows 30·n + 29 | both | the original; the medium is a 404 |
/// | iTunes | albums 16·n + 5 | an address of the old form | 60 and 100 pixels only |
/// | | albums 32·n + 12 | an address of today's form | 403 over 600 pixels |
/// | | albums 32·n + 20 | an address of today's form | 404 over 600 pixels |
/// | | albums 32·n + 14 | no artwork at all | nothing |
/// | Spotify | artists 5·n + 4, albums 24·n + 11 | no images | nothing |
/// | | artists 8·n + 5, albums 24·n + 17 | no widths and heights | all of them |
/// | | artists 8·n + 2, albums 24·n + 7 | images that aren't square | all of them |
/// | | artists 16·n + 8, albums 24·n + 20 | three images | the largest is a 404 |
/// | TMDB | films 12·n + 6 | no poster, but a backdrop | the backdrop |
/// | | films 24·n + 17 | neither poster nor backdrop | nothing |
/// | | films 16·n + 11 | both | the poster in all sizes but `original`, a 404 |
/// | Rijksmuseum | objects 20·n + 9 | the visual item is shown by nothing | nothing |
/// | | objects 40·n + 13 | the object shows nothing | its image |
/// | | objects 40·n + 33 | the digital object has no access point | its image |
/// | | objects 20·n + 4 | two digital objects, only the second has an access point | its image |
/// | | objects 20·n + 17 | in copyright, “niet downloadbaar” | its image |
package enum Quirk: Sendable, Hashable, CaseIterable {
    case mediumNull, mediumMissing, noPicture, originalCut, originalHTML, mediumGone
    case fixedArtwork, largeRefused, largeGone
    case sizesNull, uneven, largestGone
    case noPoster, originalGone
    case noVisualItem, noAccessPoint, secondDigitalObject, notDownloadable

    /// What becomes of an item with a quirk. Nil stands for a picture at the first attempt.
    package enum Ending: Sendable { case placeholder, fallback }

    package var ending: Ending? {
        switch self {
        case .noPicture, .noVisualItem, .noAccessPoint, .notDownloadable: .placeholder
        case .originalCut, .originalHTML, .largeRefused, .largeGone, .largestGone, .originalGone:
            .fallback
        case .mediumNull, .mediumMissing, .mediumGone, .fixedArtwork, .sizesNull, .uneven,
            .noPoster,
            .secondDigitalObject:
            nil
        }
    }

    /// The quirks of a source: each counts from `first` in steps. Of several the first counts.
    private typealias Rows = [(first: Int, step: Int, quirk: Quirk)]

    private static func first(_ number: Int, _ rows: Rows) -> Quirk? {
        rows.first { number % $0.step == $0.first }?.quirk
    }

    package static func tvmaze(show id: Int) -> Quirk? {
        first(
            id,
            [
                (7, 30, .mediumNull), (13, 60, .mediumMissing), (19, 30, .noPicture),
                (23, 60, .originalCut), (53, 60, .originalHTML), (29, 30, .mediumGone),
            ])
    }

    package static func iTunes(album number: Int) -> Quirk? {
        first(
            number,
            [
                (5, 16, .fixedArtwork), (12, 32, .largeRefused), (20, 32, .largeGone),
                (14, 32, .noPicture),
            ])
    }

    package static func spotify(artist number: Int) -> Quirk? {
        first(
            number,
            [(4, 5, .noPicture), (5, 8, .sizesNull), (2, 8, .uneven), (8, 16, .largestGone)])
    }

    package static func spotify(album number: Int) -> Quirk? {
        first(
            number,
            [(11, 24, .noPicture), (17, 24, .sizesNull), (7, 24, .uneven), (20, 24, .largestGone)])
    }

    package static func tmdb(film number: Int) -> Quirk? {
        first(number, [(6, 12, .noPoster), (17, 24, .noPicture), (11, 16, .originalGone)])
    }

    package static func rijksmuseum(object index: Int) -> Quirk? {
        first(
            index,
            [
                (9, 20, .noPicture), (13, 40, .noVisualItem), (33, 40, .noAccessPoint),
                (4, 20, .secondDigitalObject), (17, 20, .notDownloadable),
            ])
    }
}
