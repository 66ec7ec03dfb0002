package import JSON

/// A path that selects values of a JSON document: RFC 9535 without functions.
///
/// `$.images[?@.front == true].thumbnails['500']`, `$.genres[*].name`, `$..id`, `$.docs[0:3]`.
package struct JSONPath: Sendable, Equatable {
    /// As written.
    package let text: String
    let segments: [Segment]

    struct Segment: Sendable, Equatable {
        var selectors: [Selector]
        /// Whether it also applies to everything below the values so far (`..`).
        var isDescendant = false
        /// Its place in the text, in characters.
        var place: Range<Int>
    }

    enum Selector: Sendable, Equatable {
        case name(String)
        case index(Int)
        case wildcard
        case slice(start: Int?, end: Int?, step: Int)
        case filter(Filter)
    }

    indirect enum Filter: Sendable, Equatable {
        case any([Filter])
        case all([Filter])
        case not(Filter)
        /// Whether the query selects a value.
        case exists(Query)
        case comparison(Operand, Comparison, Operand)
    }

    enum Comparison: String, Sendable, CaseIterable {
        // Longer ones first, as a reader must try them.
        case equal = "=="
        case unequal = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
    }

    enum Operand: Sendable, Equatable {
        case literal(JSON)
        /// Selects at most one value.
        case query(Query)
    }

    /// A path within a filter, from the tested value (`@`) or from the document (`$`).
    struct Query: Sendable, Equatable {
        var isRelative: Bool
        var segments: [Segment]
    }

    init(text: String, segments: [Segment]) {
        self.text = text
        self.segments = segments
    }

    /// Limit of selected values. Paths with several `..` could select more than a document has.
    static let maxNodes = 10_000

    /// Limit of values that a path looks at, its filters included: about a second of work. A filter with `..`
    /// could look at each value of a document for each other one.
    static let maxVisits = 2_000_000

    /// One selection from a document.
    final class Walk {
        let root: JSON
        private var visits = 0

        init(_ root: JSON) { self.root = root }

        /// Counts a value and its children. Returns false if the path has looked at enough.
        func visit(_ value: JSON) -> Bool {
            visits += 1 + value.childCount
            return visits <= maxVisits
        }
    }

    /// Returns the selected values in their order, at most ``maxNodes``.
    package func values(in document: JSON) -> [JSON] {
        Self.select(segments, from: document, walk: Walk(document))
    }

    /// Returns the first selected value.
    func first(in document: JSON) -> JSON? { values(in: document).first }

    /// Whether the path leads to a list and selects nothing of it, which is an answer too.
    func leadsToEmptyList(in document: JSON) -> Bool {
        guard let (segment, values) = miss(of: document) else { return false }
        return segment.selectsSeveral && values.contains(where: \.isList)
    }
}

extension JSONPath.Segment {
    /// Whether it selects any number of children.
    fileprivate var selectsSeveral: Bool {
        if isDescendant || selectors.count > 1 { return true }
        return switch selectors.first {
        case .wildcard, .slice, .filter: true
        case .name, .index, nil: false
        }
    }
}

// MARK: - Selecting

extension JSONPath {
    static func select(
        _ segments: [Segment], from value: JSON, walk: Walk
    ) -> [JSON] {
        segments.reduce([value]) { values, segment in
            var selected: [JSON] = []
            for value in values where selected.count < maxNodes && walk.visit(value) {
                selected +=
                    segment.isDescendant
                    ? descendants(of: value, segment, walk: walk)
                    : select(segment.selectors, of: value, walk: walk)
            }
            return Array(selected.prefix(maxNodes))
        }
    }

    private static func descendants(
        of value: JSON, _ segment: Segment, walk: Walk
    ) -> [JSON] {
        var selected = select(segment.selectors, of: value, walk: walk)
        for child in value.children where selected.count < maxNodes && walk.visit(child) {
            selected += descendants(of: child, segment, walk: walk)
        }
        return selected
    }

    private static func select(
        _ selectors: [Selector], of value: JSON, walk: Walk
    ) -> [JSON] {
        selectors.flatMap { select($0, of: value, walk: walk) }
    }

    private static func select(
        _ selector: Selector, of value: JSON, walk: Walk
    ) -> [JSON] {
        switch selector {
        case .name(let name): return [value.member(name)].compactMap(\.self)
        case .index(let index):
            guard case .list(let elements) = value else { return [] }
            let place = index < 0 ? elements.count + index : index
            return elements.indices.contains(place) ? [elements[place]] : []
        case .wildcard: return value.children
        case .slice(let start, let end, let step):
            guard case .list(let elements) = value else { return [] }
            return slice(elements.count, start, end, step).map { elements[$0] }
        case .filter(let filter):
            return value.children.filter { walk.visit($0) && filter.holds(for: $0, walk: walk) }
        }
    }

    /// Returns the indexes of a slice (RFC 9535, section 2.3.4.2.2).
    private static func slice(_ count: Int, _ start: Int?, _ end: Int?, _ step: Int) -> [Int] {
        guard step != 0 else { return [] }
        func normal(_ index: Int) -> Int { index >= 0 ? index : count + index }
        if step > 0 {
            let lower = min(max(normal(start ?? 0), 0), count)
            let upper = min(max(normal(end ?? count), 0), count)
            return Array(stride(from: lower, to: upper, by: step))
        }
        let upper = min(max(normal(start ?? count - 1), -1), count - 1)
        let lower = end.map { min(max(normal($0), -1), count - 1) } ?? -1
        return Array(stride(from: upper, to: lower, by: step))
    }
}

extension JSONPath.Filter {
    func holds(for value: JSON, walk: JSONPath.Walk) -> Bool {
        switch self {
        case .any(let parts): parts.contains { $0.holds(for: value, walk: walk) }
        case .all(let parts): parts.allSatisfy { $0.holds(for: value, walk: walk) }
        case .not(let part): !part.holds(for: value, walk: walk)
        case .exists(let query): !query.values(for: value, walk: walk).isEmpty
        case .comparison(let left, let comparison, let right):
            comparison.holds(
                left.value(for: value, walk), right.value(for: value, walk), walk: walk)
        }
    }
}

extension JSONPath.Query {
    fileprivate func values(for value: JSON, walk: JSONPath.Walk) -> [JSON] {
        JSONPath.select(segments, from: isRelative ? value : walk.root, walk: walk)
    }
}

extension JSONPath.Operand {
    /// Returns nil if the query selects nothing, which equals only another nothing.
    fileprivate func value(for value: JSON, _ walk: JSONPath.Walk) -> JSON? {
        switch self {
        case .literal(let literal): literal
        case .query(let query): query.values(for: value, walk: walk).first
        }
    }
}

extension JSONPath.Comparison {
    /// Compares as RFC 9535, section 2.3.5.2.2: only numbers and strings have an order.
    /// - Parameter walk: counts what is compared, so that a filter can't compare two large values for
    ///   each value of a document.
    fileprivate func holds(
        _ left: JSON?, _ right: JSON?, walk: JSONPath.Walk
    ) -> Bool {
        switch self {
        case .equal: Self.areEqual(left, right, walk)
        case .unequal: !Self.areEqual(left, right, walk)
        case .less: Self.isLess(left, right)
        case .greater: Self.isLess(right, left)
        case .lessOrEqual: Self.isLess(left, right) || Self.areEqual(left, right, walk)
        case .greaterOrEqual: Self.isLess(right, left) || Self.areEqual(left, right, walk)
        }
    }

    private static func areEqual(
        _ left: JSON?, _ right: JSON?, _ walk: JSONPath.Walk
    ) -> Bool {
        if let left, !walk.visit(left) { return false }
        return switch (left, right) {
        case (nil, nil): true
        case (.number(let left)?, .number(let right)?):
            left == right || Double(left) == Double(right)
        case (.list(let left)?, .list(let right)?):
            left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1, walk) }
        case (.object(let members)?, .object(let others)?):
            members.count == others.count
                && members.allSatisfy { member in
                    // Members are looked up one after the other.
                    walk.visit(.object(others))
                        && right?.member(member.name).map { areEqual(member.value, $0, walk) }
                            ?? false
                }
        default: left == right
        }
    }

    private static func isLess(_ left: JSON?, _ right: JSON?) -> Bool {
        switch (left, right) {
        case (.number(let left)?, .number(let right)?):
            // Every JSON number is a Double, or infinite.
            Double(left) ?? 0 < Double(right) ?? 0
        // RFC 9535 compares Unicode scalars.
        case (.text(let left)?, .text(let right)?):
            left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
        default: false
        }
    }
}

// MARK: - What a path misses

extension JSONPath {
    /// Returns which part of a document the path misses, as a sentence; nil if it selects a value.
    ///
    /// `$.image has no “mediun”: it is an object with “medium”, “original”.`
    package func miss(in document: JSON) -> String? {
        guard let (segment, values) = miss(of: document) else { return nil }
        let before = String(text.prefix(segment.place.lowerBound))
        let part = String(text.dropFirst(segment.place.lowerBound).prefix(segment.place.count))
        let subject = values.count == 1 ? before : "each of the \(values.count) values of \(before)"
        let found = values.count == 1 ? "it is" : "the first is"
        let summary = values.first?.summary ?? "nothing"
        if case .name(let name)? = segment.selectors.first, segment.selectors.count == 1 {
            return "\(subject) has no “\(name)”: \(found) \(summary)."
        }
        return "\(part) selects nothing of \(subject): \(found) \(summary)."
    }

    /// Returns the first segment that selects nothing, and the values of which it does; nil if the path
    /// selects a value.
    private func miss(of document: JSON) -> (segment: Segment, values: [JSON])? {
        var values = [document]
        for segment in segments {
            let walk = Walk(document)
            let next = values.flatMap { Self.select([segment], from: $0, walk: walk) }
            if next.isEmpty { return (segment, values) }
            values = next
        }
        return nil
    }
}

extension JSONPath {
    /// The name that the path ends with, for people; nil if it ends otherwise.
    package var lastName: String? {
        guard let last = segments.last, last.selectors.count == 1,
            case .name(let name) = last.selectors[0]
        else { return nil }
        return name
    }
}
