/// The value of a span's attribute.
package enum SpanValue: Sendable, Equatable {
    case text(String)
    case number(Int)
}

extension SpanValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int) { self = .number(number) }
}
