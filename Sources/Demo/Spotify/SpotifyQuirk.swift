/// Faults of some pictures at Spotify.
///
/// | artists | albums | what the API says | what the image host gives |
/// | --- | --- | --- | --- |
/// | 5·n + 4 | 24·n + 11 | no images | nothing |
/// | 8·n + 5 | 24·n + 17 | images without width and height | all of them |
/// | 8·n + 2 | 24·n + 7 | images that aren't square, four of artists | all of them |
/// | 16·n + 8 | 24·n + 20 | three images | the largest is a 404 |
package enum SpotifyQuirk: Quirk, Hashable, CaseIterable {
    case noImages, sizesNull, uneven, largestGone

    init?(artist number: Int) {
        switch (number % 5, number % 8, number % 16) {
        case (4, _, _): self = .noImages
        case (_, 5, _): self = .sizesNull
        case (_, 2, _): self = .uneven
        case (_, _, 8): self = .largestGone
        default: return nil
        }
    }

    init?(album number: Int) {
        switch number % 24 {
        case 11: self = .noImages
        case 17: self = .sizesNull
        case 7: self = .uneven
        case 20: self = .largestGone
        default: return nil
        }
    }

    var ending: QuirkEnding? {
        switch self {
        case .noImages: .placeholder
        case .largestGone: .fallback
        case .sizesNull, .uneven: nil
        }
    }
}
