/// An invented show.
package struct DemoShow: Sendable, Equatable {
    package let id: Int
    package let title: String
    package let genres: [String]
    package let peculiarity: Peculiarity?
    let kind: Kind
    let language: String
    /// ISO dates; `ended` is `nil` while the show runs.
    let premiered: String?
    let ended: String?
    let runtime: Int?
    let channel: Channel
    let day: String
    let time: String
    /// 0…10 with one decimal, in tenths.
    let rating: Int?
    let weight: Int
    /// HTML, as the real catalogue has it.
    let summary: String?
    /// Seconds since 1970.
    let updated: Int

    enum Kind: String, Sendable {
        case scripted = "Scripted"
        case animation = "Animation"
        case documentary = "Documentary"
    }

    /// Last part of its page's address: `the-quiet-harbour`.
    var slug: String { title.slug }

    var firstYear: Int? { premiered.flatMap { Int($0.prefix(4)) } }
}
