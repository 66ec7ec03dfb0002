import Catalog
import HTTPTypes
import Pipeline

extension LanguagePreference {
    /// The parameter of every list and item.
    static let parameter = "lang"

    /// The languages that a client wants titles in: `lang=`, else `Accept-Language`.
    init(_ parameters: [(String, String)], _ request: Request) throws(Failure) {
        let values = parameters.filter { $0.0 == Self.parameter }.map(\.1)
        guard values.count <= 1 else {
            throw .invalid(reason: "The parameter “\(Self.parameter)” is given twice.")
        }
        let given = values.first.flatMap { $0.isEmpty ? nil : $0 }
        try self.init(lang: given, acceptLanguage: request.fields[.acceptLanguage])
    }

    /// Returns a response's language fields: the languages of its titles, as far as sources name
    /// them.
    static func fields(of entries: [CatalogEntry]) -> HTTPFields {
        var fields: HTTPFields = [.vary: "Accept-Language"]
        let tags = Set(entries.compactMap(\.language)).sorted()
        if !tags.isEmpty { fields[.contentLanguage] = tags.joined(separator: ", ") }
        return fields
    }
}
