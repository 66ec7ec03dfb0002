import FoundationEssentials
import Imaging
import JSON

/// What documents of responses are put together of. Their members are sorted, dates are ISO 8601.
extension JSON {
    /// `null` for nil.
    init(_ date: Date?) { self = date.map(JSON.date) ?? .null }

    static func date(_ date: Date) -> JSON { .text(date.formatted(.iso8601)) }

    /// A size in pixels.
    static func size(_ width: Int, _ height: Int) -> JSON {
        ["width": .integer(width), "height": .integer(height)]
    }

    /// The same; `null` unless both are known.
    static func size(_ width: Int?, _ height: Int?) -> JSON {
        guard let width, let height else { return .null }
        return size(width, height)
    }
}
