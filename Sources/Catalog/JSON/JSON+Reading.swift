import Fetch
package import JSON
package import Memory

/// Lenient reading: a value of another type counts as missing.
extension JSON {
    /// The value, if it is an object.
    var object: JSON? { if case .object = self { self } else { nil } }

    /// Elements of a list that are read. No page of a catalog has as many, and an item takes a hundred times
    /// the bytes of the shortest element.
    static let mostElements = 10_000

    /// The elements, at most ``mostElements``, if this is a list.
    var elements: [JSON]? {
        guard case .list(let elements) = self else { return nil }
        return elements.count <= Self.mostElements
            ? elements : Array(elements.prefix(Self.mostElements))
    }

    var string: String? { if case .text(let text) = self { text } else { nil } }

    /// The text without white space at its ends; nil if nothing is left.
    var words: String? { string?.trimmed.nonEmpty }

    /// The whole number; nil if it is not within `range`.
    func integer(in range: ClosedRange<Int> = .min ... .max) -> Int? {
        guard case .number(let digits) = self,
            let number = Int(digits) ?? Double(digits).flatMap(Int.init(exactly:)),
            range.contains(number)
        else { return nil }
        return number
    }

    var isList: Bool {
        if case .list = self { true } else { false }
    }

    /// The elements of a list, or the values of an object; empty for other values.
    var children: [JSON] {
        switch self {
        case .list(let elements): elements
        case .object(let members): members.map(\.value)
        case .null, .flag, .number, .text: []
        }
    }

    /// Number of elements or members.
    var childCount: Int {
        switch self {
        case .list(let elements): elements.count
        case .object(let members): members.count
        case .null, .flag, .number, .text: 0
        }
    }

    /// The text of a string without white space at its ends, or the digits of a number; nil for
    /// an empty string and for every other value.
    var plainText: String? {
        switch self {
        case .text(let text): text.trimmed.nonEmpty
        case .number(let digits): digits
        case .null, .flag, .list, .object: nil
        }
    }

    /// The number of pixels or items that a number or a string of digits names; nil if it is not
    /// within `range`.
    func whole(in range: ClosedRange<Int>) -> Int? {
        guard let number = plainText.flatMap(Double.init),
            number >= Double(range.lowerBound), number <= Double(range.upperBound)
        else { return nil }
        return Int(number)
    }

    /// What this is, for people: `an object with “id” and “name”`, `a list of 3`, `"Dune"`.
    package var summary: String {
        switch self {
        case .null: return "null"
        case .flag(let flag): return "\(flag)"
        case .number(let digits): return digits
        case .text(let text): return "\"\(text.count <= 60 ? text : text.prefix(59) + "…")\""
        case .list(let elements):
            return elements.isEmpty ? "an empty list" : "a list of \(elements.count)"
        case .object(let members):
            let names = members.prefix(12).map { "“\($0.name.shortened)”" }
            let more = members.count > names.count ? " and \(members.count - names.count) more" : ""
            return names.isEmpty
                ? "an empty object" : "an object with \(names.joined(separator: ", "))\(more)"
        }
    }

    /// The pixels of a picture's side, if they are plausible.
    var pixels: Int? { integer(in: Bounds.side) }
    /// The number of items, if it is plausible.
    var count: Int? { integer(in: Bounds.count) }

    /// The URL, if it is on one of these hosts. See ``CheckedURL``.
    func url(on hosts: HostPattern...) -> String? { url(on: hosts) }

    func url(on hosts: [HostPattern]) -> String? {
        string.flatMap { CheckedURL($0, hosts: hosts)?.text }
    }

    /// Returns the picture at this URL, if it is on that host.
    func candidate(
        on host: HostPattern, _ label: String, rank: Int = 0, width: Int? = nil, height: Int? = nil
    ) -> ChainStep? {
        url(on: host).map { url in
            .candidate(
                Candidate(url: url, label: label, rank: rank, width: width, height: height))
        }
    }
}

extension APIAnswer {
    /// Bytes of a short document.
    private static let shortBytes = 64 << 10

    /// The JSON body if it is short, as what an API says about an error is; `null` if it is something else.
    var shortDocument: JSON {
        // Callers look for fields, which a body of another form doesn't have.
        body.count <= Self.shortBytes ? (try? JSON(parsing: body)) ?? .null : .null
    }

    /// Waits until there is memory for the document, and reserves it.
    ///
    /// - Parameters:
    ///   - source: names who answered, in messages.
    ///   - held: the reservation for documents that the caller has already. It grows, and nothing waits.
    /// - Throws: ``Failure`` of kind `sourceUnavailable` if it would take more than ``JSON/mostMemory``,
    ///   `overloaded` if `held` can't grow, and `canceled`.
    package func reserve(
        _ source: String, beside held: ByteBudget.Hold? = nil
    ) async throws(Failure) -> ByteBudget.Hold? {
        let extent = JSON.Extent(of: body)
        guard extent.memory <= JSON.mostMemory else {
            throw .unavailable(
                reason: "\(source) answered JSON of \(extent.values) values, which would take "
                    + "\(extent.memory >> 20) MiB of memory; \(JSON.mostMemory >> 20) MiB are "
                    + "allowed.")
        }
        let bytes = body.count + extent.memory
        if let held {
            // Callers that wait while they hold memory would wait for each other.
            guard held.resize(to: held.bytes + bytes) else {
                throw Failure(.overloaded, "There is no memory now for what \(source) answered.")
            }
            return held
        }
        do throws(CancellationError) {
            return try await budget?.reserve(bytes)
        } catch {
            throw .canceled
        }
    }

    /// Returns what a successful answer says.
    ///
    /// - Parameters:
    ///   - source: names who answered, in messages.
    ///   - host: the host that answered.
    ///   - read: returns nil for JSON of another shape.
    /// - Throws: ``Failure`` of kind `sourceUnavailable` for another status, and for a body that is not JSON, of
    ///   another shape or too large; `canceled`.
    func decoded<Value: Sendable>(
        _ source: String, by host: HostPattern, _ read: @Sendable (JSON) -> Value?
    ) async throws(Failure) -> Value {
        guard isSuccess else { throw refusal(by: host) }
        let hold = try await reserve(source)
        defer { withExtendedLifetime(hold) {} }
        // The parser's error has only the place of the first wrong byte.
        guard let document = try? JSON(parsing: body) else {
            throw .unavailable(reason: "\(source) answered something that is not JSON.")
        }
        guard let value = read(document) else {
            throw .unavailable(reason: "\(source) answered JSON of an unknown shape.")
        }
        return value
    }
}
