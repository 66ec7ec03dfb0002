/// A parameter that a list has besides the filters of every list.
package struct ListParameter: Sendable, Equatable {
    package var name: String
    package var form: Form

    package enum Form: Sendable, Equatable {
        /// Search words, at least three characters. A request must have them.
        case term
        /// Search words that a request may have, with their fewest characters.
        case words(atLeast: Int)
        /// A text with its default; without one a request must have it.
        case text(String?)
        /// The number of a page, from the range's first.
        case page(ClosedRange<Int>)
        /// Another number that leads to a page, from the range's first.
        case number(ClosedRange<Int>)
        /// As `number`, but the first is not part of a query.
        case part(ClosedRange<Int>)
        /// A text that the source issued and expects back unchanged.
        case token
        /// One of these texts, the first of which is not part of a query.
        case choice([String])
        /// A number of elements, of which the usual one is not part of a query.
        case count(ClosedRange<Int>, usual: Int)
    }

    package init(_ name: String, _ form: Form) {
        self.name = name
        self.form = form
    }

    var isSearch: Bool {
        switch form {
        case .term, .words: true
        case .text, .page, .number, .part, .token, .choice, .count: false
        }
    }

    var isRequired: Bool { form == .term || form == .text(nil) }
}

extension ListParameter {
    /// Limit of a text's characters.
    private static let mostCharacters = 200
    private static let mostTokenBytes = 4_096

    /// Returns the value in its one form; nil if a query doesn't have it.
    func value(of given: String?, owner: String) throws(Failure) -> String? {
        switch form {
        case .term:
            guard let term = given?.trimmed.nonEmpty else {
                throw .invalid(reason: "\(owner) needs words to search for: \(name)=….")
            }
            return try Self.text(term, atLeast: 3, "A search term")
        case .words(let fewest):
            guard let words = given?.trimmed.nonEmpty else { return nil }
            return try Self.text(words, atLeast: fewest, "“\(name)”")
        case .text(let preset):
            guard let text = given?.trimmed.nonEmpty else {
                if let preset { return preset }
                throw .invalid(reason: "\(owner) needs “\(name)”.")
            }
            return try Self.text(text, atLeast: 1, "“\(name)”")
        case .page(let range), .number(let range): return "\(try number(given, in: range))"
        case .part(let range):
            let number = try number(given, in: range)
            return number == range.lowerBound ? nil : "\(number)"
        case .choice(let known):
            guard let text = given?.trimmed.nonEmpty, text != known.first else { return nil }
            guard known.contains(text) else {
                throw .invalid(
                    reason: "“\(name)” must be \(known.listed(by: "or")), not “\(text.shortened)”.")
            }
            return text
        case .count(let range, let usual):
            guard let given, !given.isEmpty else { return nil }
            let count = try number(given, in: range)
            return count == usual ? nil : "\(count)"
        case .token:
            guard let token = given?.nonEmpty else { return nil }
            guard token.utf8.count <= Self.mostTokenBytes else {
                throw .invalid(
                    reason: "“\(name)” may have at most \(Self.mostTokenBytes) bytes.")
            }
            return token
        }
    }

    private static func text(
        _ text: String, atLeast fewest: Int, _ subject: String
    ) throws(Failure) -> String {
        guard text.count >= fewest else {
            throw .invalid(reason: "\(subject) needs at least \(fewest) characters.")
        }
        guard text.count <= mostCharacters else {
            throw .invalid(reason: "\(subject) may have at most \(mostCharacters) characters.")
        }
        return text
    }

    private func number(
        _ given: String?, in range: ClosedRange<Int>
    ) throws(Failure) -> Int {
        guard let text = given, !text.isEmpty else { return range.lowerBound }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else {
            throw .invalid(
                reason: """
                    “\(name)” must be a whole number from \(range.lowerBound) to \
                    \(range.upperBound), not “\(text.shortened)”.
                    """)
        }
        return number
    }
}
