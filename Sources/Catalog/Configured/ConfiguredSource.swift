package import Fetch
import FoundationEssentials
import JSON
import Synchronization

/// A source that a configuration describes: URL templates, JSON requests, and paths into their
/// answers.
package struct ConfiguredSource: Source {
    package let definition: SourceDefinition

    /// Notes what is read, for `vitrine source test`; nil reads only.
    package var recorder: SourceRecorder?

    /// The hosts that are asked without TLS, because the description names them with http://.
    let plainHosts: Set<String>

    package init(_ definition: SourceDefinition) {
        self.definition = definition
        plainHosts = Set(definition.templates.compactMap(\.plainHost))
    }

    package var name: String { definition.name }
    package var title: String { definition.title }
    package var kinds: [String] { definition.kinds.map(\.name) }
    package var lists: [ListDescription] { definition.lists.map(description) }
    package var imageHosts: [HostPattern] { definition.hosts.map(\.pattern) }
    package var hostPolicies: [(pattern: HostPattern, policy: HostPolicy)] {
        definition.hosts.map { ($0.pattern, $0.policy) }
    }
    package var mayCrop: Bool { definition.mayCrop }
    package var plainIsInside: Bool { true }
    package var filters: Set<String> {
        let fields = definition.kinds.map(\.fields) + definition.lists.map(\.fields)
        let hasDates = fields.contains { !$0.date.isEmpty }
        let hasGenres = fields.contains { !$0.genres.isEmpty }
        return Set(["title"] + (hasDates ? ["from", "to"] : []) + (hasGenres ? ["genre"] : []))
    }

    package var missing: String? {
        for host in definition.hosts {
            if let field = (host.fields + host.query).first(where: { $0.value == nil }) {
                return need(of: field, host)
            }
        }
        return nil
    }

    /// Limit of a list's pages. It keeps page numbers from becoming arbitrary keys.
    static let pages = 100_000
    static let offsets = 0...10_000_000

    package func idPattern(ofKind kind: String) -> String {
        switch definition.kinds.first(where: { $0.name == kind })?.id {
        case .number?: "^[0-9]{1,18}$"
        case .uuid?: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
        case .text?, nil: "^[-A-Za-z0-9_~:,;=+@!$'()*]{1,200}$"
        }
    }

    package func fields(forHost host: String) -> [RequestField] {
        (definition.host(host)?.fields ?? []).compactMap { field in
            field.value.map { RequestField(name: field.name, value: $0) }
        }
    }

    package var tab: SourceTab? {
        if browsedLists.isEmpty, searchList == nil { return nil }
        let credit = definition.rights ?? title
        return SourceTab(
            shape: definition.shape,
            credit: [definition.website.map { .link(credit, to: $0) } ?? .text(credit)])
    }

    /// Returns a list with the term first, then its own parameters, then that of a page.
    private func description(_ list: SourceDefinition.List) -> ListDescription {
        var parameters = list.parameters.sorted { $0.key < $1.key }
            .map { ListParameter($0.key, .text($0.value)) }
        if list.isSearch {
            parameters.insert(ListParameter(SourceDefinition.List.term, .term), at: 0)
        }
        if let paging = list.paging {
            let form: ListParameter.Form =
                switch paging.form {
                case .page(let first): .page(first...(first + Self.pages))
                case .offset: .number(Self.offsets)
                case .cursor, .link: .token
                }
            parameters.append(ListParameter(paging.parameter, form))
        }
        let isBrowsed = !list.isSearch && list.parameters.allSatisfy { $0.value != nil }
        return ListDescription(
            list.name, title: isBrowsed ? "\(title): \(list.title)" : title, parameters,
            tabTitle: list.title)
    }

    // MARK: - Checking

    package func item(kind: String, id: String) throws(Failure) -> Item {
        guard let known = definition.kinds.first(where: { $0.name == kind }) else {
            throw .notFound("\(title) has no kind", kind, among: kinds)
        }
        guard let canonical = known.id.canonical(id) else {
            throw .invalid(
                reason: """
                    An id of \(name)/\(kind) is \(known.id.description), not “\(id.shortened)”.
                    """)
        }
        return Item(source: name, kind: kind, id: canonical)
    }

    /// Words are search terms; `name=value` sets a parameter of the list.
    package func listing(
        named name: String, words: [String]
    ) throws(Failure) -> (list: String, parameters: [String: String]) {
        let known = try definition(ofList: name)
        var parameters: [String: String] = [:]
        var terms: [String] = []
        for word in words {
            let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
            if halves.count == 2, known.parameters.keys.contains(halves[0]) {
                parameters[halves[0]] = halves[1]
            } else {
                terms.append(word)
            }
        }
        if !terms.isEmpty {
            guard known.isSearch else {
                throw .invalid(
                    reason: "\(title)'s list “\(name)” is not a search; leave “\(terms[0])” out.")
            }
            parameters[SourceDefinition.List.term] = terms.joined(separator: " ")
        }
        return (name, parameters)
    }

    func definition(
        ofList name: String
    ) throws(Failure) -> SourceDefinition.List {
        guard let list = definition.lists.first(where: { $0.name == name }) else {
            let names = definition.lists.map(\.name)
            if names.isEmpty { throw .notFound(reason: "\(title) has no lists.") }
            throw .notFound("\(title) has no list", name, among: names)
        }
        return list
    }

    func kind(_ name: String) throws(Failure) -> SourceDefinition.Kind {
        guard let kind = definition.kinds.first(where: { $0.name == name }) else {
            throw .notFound(reason: "\(title) has no kind “\(name.shortened)”.")
        }
        return kind
    }

    // MARK: - Reading

    package func freeDetails(of item: Item) -> ItemDetails? {
        guard let kind = definition.kinds.first(where: { $0.name == item.kind }),
            kind.chain.allSatisfy(\.isFixed)
        else { return nil }
        let values = SourceTemplate.Values(.null, ["id": item.id])
        let fields = kind.request == nil ? kind.fields : .init()
        var details = ItemDetails(
            entry: entry(item, fields, values),
            chain: chain(kind.chain, item, values))
        details.isComplete = kind.request == nil
        return details
    }

    /// The steps that need no answer.
    package func remainder(of item: Item) -> [ChainStep] {
        guard let kind = definition.kinds.first(where: { $0.name == item.kind }) else { return [] }
        return chain(
            kind.chain.filter(\.isFixed), item, .init(.null, ["id": item.id]))
    }
}

/// Notes what a configured source reads from its answers, step by step, for `vitrine source test`.
package final class SourceRecorder: Sendable {
    package enum Step: Sendable, Equatable {
        case answered(url: String, status: Int, bytes: Int, document: String)
        case failed(url: String, reason: String)
        case found(name: String, place: String, value: String)
        case missed(name: String, place: String, reason: String)
        case note(String)
    }

    private let noted = Mutex<[Step]>([])

    package init() {}

    package var steps: [Step] { noted.withLock { $0 } }

    func add(_ step: Step) { noted.withLock { $0.append(step) } }
}

extension ConfiguredSource {
    /// Notes what was looked for at a place and is not there.
    func missed(
        _ name: String, _ place: @autoclosure () -> String, _ reason: @autoclosure () -> String
    ) {
        recorder?.add(.missed(name: name, place: place(), reason: reason()))
    }
}

extension SourceDefinition {
    /// The description of a host: one of that name before one of a pattern.
    package func host(_ host: String) -> Host? {
        hosts.first { $0.pattern.description == host } ?? hosts.first { $0.pattern.matches(host) }
    }
}

extension SourceDefinition.IDForm {
    /// What an id is, for people.
    package var description: String {
        switch self {
        case .number: "a positive number of at most 18 digits"
        case .uuid: "a UUID"
        case .text: "up to 200 letters, digits and -_~:,;=+@!$'()*"
        }
    }

    /// Returns the id in its one form; nil if it is not an id.
    func canonical(_ id: String) -> String? {
        switch self {
        case .number: return id.itemNumber(atMostDigits: 18)
        case .uuid:
            let groups = id.split(separator: "-", omittingEmptySubsequences: false)
            guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
                groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
            else { return nil }
            return id.lowercased()
        case .text:
            // A dot would begin the extension of a thumbnail.
            guard (1...200).contains(id.utf8.count),
                id.allSatisfy({ character in
                    character.isASCII
                        && (character.isLetter || character.isNumber
                            || "-_~:,;=+@!$'()*".contains(character))
                })
            else { return nil }
            return id
        }
    }
}
