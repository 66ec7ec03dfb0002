/// Faults of some films' pictures at TMDB.
///
/// | films | share | what the API says | what the image host gives |
/// | --- | --- | --- | --- |
/// | 12·n + 6 | 8.3 % | no poster, but a backdrop | the backdrop |
/// | 24·n + 17 | 4.2 % | neither poster nor backdrop | nothing |
/// | 16·n + 11 | 6.3 % | both | the poster in all sizes but `original`, a 404 |
package enum TMDBQuirk: Quirk, Hashable, CaseIterable {
    case noPoster, noPictures, originalGone

    init?(film number: Int) {
        switch (number % 12, number % 24, number % 16) {
        case (6, _, _): self = .noPoster
        case (_, 17, _): self = .noPictures
        case (_, _, 11): self = .originalGone
        default: return nil
        }
    }

    var ending: QuirkEnding? {
        switch self {
        case .noPictures: .placeholder
        case .originalGone: .fallback
        case .noPoster: nil
        }
    }
}
