package import Fetch
import JSON

/// A source as a configuration describes it, checked.
package struct SourceDefinition: Sendable, Equatable {
    /// First part of its items' names.
    package var name: String
    /// Name for people.
    package var title: String
    /// The hosts that requests may go to. The first that matches a host is used.
    package var hosts: [Host]
    /// Whose pictures these are, for items that name no rights of their own.
    package var rights: String?
    /// The source's page for people.
    package var website: String?
    /// Whether its terms allow pictures to be cropped.
    package var mayCrop = true
    /// Width and height of most pictures, for the gallery.
    package var shape = PictureBox(width: 2, height: 3)
    package var kinds: [Kind]
    package var lists: [List]

    package init(
        name: String, title: String, hosts: [Host], kinds: [Kind] = [], lists: [List] = []
    ) {
        self.name = name
        self.title = title
        self.hosts = hosts
        self.kinds = kinds
        self.lists = lists
    }

    /// The URLs that requests go to.
    var templates: [SourceTemplate] {
        let requests = kinds.compactMap(\.request) + lists.map(\.request)
        return (kinds.map(\.chain) + lists.compactMap(\.chain)).joined()
            .reduce(into: requests) { templates, step in
                if let request = step.request { templates.append(request) }
                if case .template(let template) = step.place { templates.append(template) }
            }
    }

    package struct Host: Sendable, Equatable {
        package var pattern: HostPattern
        package var policy: HostPolicy
        /// Sent with every request to this host.
        package var fields: [Field] = []
        /// Added to the query of requests for JSON documents.
        package var query: [Field] = []

        package init(_ pattern: HostPattern, _ policy: HostPolicy = HostPolicy()) {
            self.pattern = pattern
            self.policy = policy
        }
    }

    /// A header field or a parameter of the query.
    package struct Field: Sendable, Equatable {
        package var name: String
        /// Nil until the environment variable below is read, or if it is not set.
        package var value: Secret?
        /// The environment variable that holds the value; nil for a value from elsewhere.
        package var variable: String?
        /// Stands before the value of the variable, such as `Bearer `.
        package var prefix = ""

        package init(name: String, value: Secret?) {
            self.name = name
            self.value = value
        }

        /// A field whose value the environment holds.
        package init(name: String, variable: String, prefix: String) {
            self.name = name
            self.variable = variable
            self.prefix = prefix
        }
    }

    /// Which ids items of a kind have.
    package enum IDForm: String, Sendable, CaseIterable {
        /// A positive number, without leading zeros.
        case number
        case uuid
        /// Up to 200 letters, digits and `-_~:,;=+@!$'()*`.
        case text
    }

    package struct Kind: Sendable, Equatable {
        package var name: String
        package var id = IDForm.text
        /// The URL of the JSON document that describes an item.
        package var request: SourceTemplate?
        /// Statuses of that request that mean that the item does not exist.
        package var absent: Set<Int> = [404, 410]
        package var fields = Fields()
        package var chain: [Step]

        package init(name: String, chain: [Step]) {
            self.name = name
            self.chain = chain
        }
    }

    /// Where the parts of an item's description are.
    package struct Fields: Sendable, Equatable {
        package var title = SourceValue()
        package var subtitle = SourceValue()
        package var date = SourceValue()
        package var genres = SourceValue()
        package var summary = SourceValue()
        package var link = SourceValue()
        package var rights = SourceValue()

        package init() {}

        /// Returns these fields, and those of `others` where they are empty.
        package func orElse(_ others: Fields) -> Fields {
            var fields = self
            for field in Self.all where fields[keyPath: field.place].isEmpty {
                fields[keyPath: field.place] = others[keyPath: field.place]
            }
            return fields
        }

        /// The names of the fields in a configuration.
        package static let all: [(name: String, place: any Place)] = [
            ("title", \.title), ("subtitle", \.subtitle), ("date", \.date), ("genres", \.genres),
            ("summary", \.summary), ("link", \.link), ("rights", \.rights),
        ]

        package typealias Place = WritableKeyPath<Fields, SourceValue> & Sendable
    }

    /// One place of a picture, or several if `each` selects several.
    package struct Step: Sendable, Equatable {
        package enum Place: Sendable, Equatable {
            /// A URL with values filled in; with `{width}` and `{height}` its server makes any size.
            case template(SourceTemplate)
            /// The URL that an answer has.
            case answer(SourceValue)
            /// The chain of another item of this source.
            case item(kind: String, id: SourceTemplate)
        }

        package var label: String
        package var place: Place
        /// Order of preference, ahead of size.
        package var rank = 0
        package var width: Size?
        package var height: Size?
        /// The JSON document that the paths lead into, if it is not the item's.
        package var request: SourceTemplate?
        /// Selects the values that paths lead into, instead of the whole document.
        package var each: JSONPath?
        /// Limit of the values that `each` selects.
        package var limit = 8

        package init(label: String, place: Place) {
            self.label = label
            self.place = place
        }

        /// Whether it is known without an answer.
        package var isFixed: Bool {
            switch place {
            case .template(let template):
                !template.readsAnswer && each == nil && request == nil
            case .item(_, let id): !id.readsAnswer && each == nil
            case .answer: false
            }
        }
    }

    package enum Size: Sendable, Equatable {
        case fixed(Int)
        case answer(JSONPath)
    }

    package struct List: Sendable, Equatable {
        package var name: String
        /// The kind of its items.
        package var kind: String
        /// Name for people.
        package var title: String
        package var request: SourceTemplate
        /// Parameters of its own with their defaults; nil for one that is required.
        package var parameters: [String: String?] = [:]
        package var items: JSONPath
        package var id: SourceValue
        /// What stands before and after the id in that value.
        package var idInside = Inside()
        package var fields = Fields()
        /// Nil if the items' own documents name their pictures.
        package var chain: [Step]?
        /// Whether each element is what the request for the item returns.
        package var isComplete = false
        package var paging: Paging?
        /// Statuses that mean that the page is past the end of the list.
        package var end: Set<Int> = []

        package init(
            name: String, kind: String, request: SourceTemplate, items: JSONPath, id: SourceValue
        ) {
            self.name = name
            self.kind = kind
            title = name
            self.request = request
            self.items = items
            self.id = id
        }

        package struct Inside: Sendable, Equatable {
            package var before = ""
            package var after = ""

            package init(before: String = "", after: String = "") {
                self.before = before
                self.after = after
            }
        }

        /// The parameter that takes search words.
        package static let term = "q"

        package var isSearch: Bool { request.variables.contains(Self.term) }
    }

    package struct Paging: Sendable, Equatable {
        package enum Form: Sendable, Equatable {
            /// `{page}`, counted from `first`.
            case page(first: Int)
            /// `{offset}` of the first item.
            case offset
            /// `{cursor}`, which the answer names; `first` on the first page.
            case cursor(JSONPath, first: String)
            /// The answer has the URL of the next page, with the same path.
            case link(JSONPath)
        }

        package var form: Form
        /// Items on a page; `{limit}`.
        package var size: Int?
        /// Number of items in the whole list.
        package var total: JSONPath?
        /// Number of pages in the whole list.
        package var pages: JSONPath?

        package init(_ form: Form) { self.form = form }

        /// The parameter that names a page; clients pass it on as `next` has it.
        package var parameter: String {
            switch form {
            case .page: "page"
            case .offset: "offset"
            case .cursor, .link: "cursor"
            }
        }
    }
}

/// Where a text of an answer is: the first of these that has a value.
package struct SourceValue: Sendable, Equatable {
    package enum Alternative: Sendable, Equatable {
        case path(JSONPath)
        case template(SourceTemplate)

        package var text: String {
            switch self {
            case .path(let path): path.text
            case .template(let template): template.text
            }
        }
    }

    package var alternatives: [Alternative] = []

    package init(_ alternatives: [Alternative] = []) { self.alternatives = alternatives }

    package var isEmpty: Bool { alternatives.isEmpty }

    /// As written, alternatives separated by “or”.
    package var text: String { alternatives.map(\.text).joined(separator: " or ") }

    /// Returns the texts of the first alternative that has any.
    func texts(_ values: SourceTemplate.Values) -> [String] {
        for alternative in alternatives {
            switch alternative {
            case .path(let path):
                let texts = path.values(in: values.document).compactMap(\.plainText)
                if !texts.isEmpty { return texts }
            case .template(let template):
                if case .text(let text) = template.filled(with: values, isURL: template.isURL),
                    let text = text.trimmed.nonEmpty
                {
                    return [text]
                }
            }
        }
        return []
    }

    /// Returns what the alternatives miss, as sentences.
    func miss(_ values: SourceTemplate.Values) -> String {
        alternatives.map { alternative in
            switch alternative {
            case .path(let path): return path.missedText(in: values.document)
            case .template(let template):
                if case .missing(let path) = template.filled(with: values) {
                    return path.missedText(in: values.document)
                }
                return "“\(template.text)” is empty."
            }
        }.joined(separator: " ")
    }
}

extension JSONPath {
    /// Returns why this path leads to no text, as a sentence.
    func missedText(in document: JSON) -> String {
        if let miss = miss(in: document) { return miss }
        let found = first(in: document)?.summary ?? "nothing"
        return "\(text) is \(found), not a text or a number."
    }
}
