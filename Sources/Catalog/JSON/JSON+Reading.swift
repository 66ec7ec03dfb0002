import Fetch

/// Lenient reading: a value of another type counts as missing.
extension JSONTree {
    /// The member of that name; `null` if this is not an object or has no such member.
    subscript(_ name: String) -> JSONTree { member(name) ?? .null }

    /// The value, if it is an object.
    var object: JSONTree? { if case .object = self { self } else { nil } }

    /// The value, if it is a list.
    var list: JSONTree? { isList ? self : nil }

    /// The elements, if this is a list.
    var elements: [JSONTree]? { if case .list(let elements) = self { elements } else { nil } }

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
    /// The JSON body; `null` if it is something else.
    var document: JSONTree {
        // Callers look for fields, which a body of another form doesn't have.
        (try? JSONTree(parsing: body)) ?? .null
    }

    /// Returns what a successful answer says.
    ///
    /// - Parameters:
    ///   - source: names who answered, in messages.
    ///   - host: the host that answered.
    ///   - read: returns nil for JSON of another shape.
    /// - Throws: ``Failure`` of kind `sourceUnavailable` for another status, and for a body that is not JSON or of
    ///   another shape.
    func decoded<Value>(
        _ source: String, by host: HostPattern, _ read: (JSONTree) -> Value?
    ) throws(Failure) -> Value {
        guard isSuccess else { throw refusal(by: host) }
        // The parser's error has only the place of the first wrong byte.
        guard let document = try? JSONTree(parsing: body) else {
            throw .unavailable(reason: "\(source) answered something that is not JSON.")
        }
        guard let value = read(document) else {
            throw .unavailable(reason: "\(source) answered JSON of an unknown shape.")
        }
        return value
    }
}
