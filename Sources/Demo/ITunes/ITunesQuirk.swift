/// Faults of some albums' artwork at iTunes.
///
/// | albums | share | what the API says | what the artwork host gives |
/// | --- | --- | --- | --- |
/// | 16·n + 5 | 6.3 % | an address of the old form | 60 and 100 pixels only |
/// | 32·n + 12 | 3.1 % | an address of today's form | 403 over 600 pixels |
/// | 32·n + 20 | 3.1 % | an address of today's form | 404 over 600 pixels |
/// | 32·n + 14 | 3.1 % | no artwork at all | nothing |
package enum ITunesQuirk: Quirk, Hashable, CaseIterable {
    case fixedArtwork, largeRefused, largeGone, noArtwork

    /// Pixels a side that ``largeRefused`` and ``largeGone`` still give.
    static let largest = 600

    init?(album number: Int) {
        switch (number % 16, number % 32) {
        case (5, _): self = .fixedArtwork
        case (_, 12): self = .largeRefused
        case (_, 20): self = .largeGone
        case (_, 14): self = .noArtwork
        default: return nil
        }
    }

    var ending: QuirkEnding? {
        switch self {
        case .noArtwork: .placeholder
        case .largeRefused, .largeGone: .fallback
        case .fixedArtwork: nil
        }
    }
}
