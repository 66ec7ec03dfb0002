/// Faults of some shows' pictures, as real ones have them.
///
/// | ids | share | what the API says | what the image host gives |
/// | --- | --- | --- | --- |
/// | 30·n + 7 | 3.3 % | `"medium": null` | the original |
/// | 60·n + 13 | 1.7 % | no `medium` at all | the original |
/// | 30·n + 19 | 3.3 % | `"image": null`, no images | nothing |
/// | 60·n + 23 | 1.7 % | both | the medium; the original is cut off |
/// | 60·n + 53 | 1.7 % | both | the medium; the original is an HTML page with status 200 |
/// | 30·n + 29 | 3.3 % | both | the original; the medium is a 404 |
package enum TVMazeQuirk: Quirk, Hashable, CaseIterable {
    case mediumNull, mediumMissing, noPicture, originalCut, originalHTML, mediumGone

    init?(show id: Int) {
        switch (id % 30, id % 60) {
        case (7, _): self = .mediumNull
        case (_, 13): self = .mediumMissing
        case (19, _): self = .noPicture
        case (_, 23): self = .originalCut
        case (_, 53): self = .originalHTML
        case (29, _): self = .mediumGone
        default: return nil
        }
    }

    var ending: QuirkEnding? {
        switch self {
        case .noPicture: .placeholder
        case .originalCut, .originalHTML: .fallback
        case .mediumNull, .mediumMissing, .mediumGone: nil
        }
    }
}
