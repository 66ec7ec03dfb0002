/// An object's record. Any field may be missing or of an odd type, except those of the header.
struct MuseumObject: Decodable {
    /// Whether the record describes an object, and not a person, a place or a picture.
    let isObject: Bool
    /// Its VisualItems, in the record's order.
    let pictures: [MuseumLink]
    private let names: MuseumNames
    private let production: MuseumProduction?
    private let remarks: [MuseumText]
    private let types: [MuseumTerm]
    private let materials: [MuseumTerm]

    private enum Key: String, CodingKey {
        case shows
        case types = "classified_as"
        case materials = "made_of"
        case remarks = "referred_to_by"
        case production = "produced_by"
    }

    init(from decoder: any Decoder) throws {
        let types = try LinkedArtHeader(from: decoder).types
        isObject = types.isEmpty || types.contains("HumanMadeObject")
        names = try MuseumNames(from: decoder)
        let fields = try decoder.container(keyedBy: Key.self)
        production = fields.all(MuseumProduction.self, .production).first
        remarks = fields.all(MuseumText.self, .remarks).ordered(by: \.place)
        self.types = fields.all(MuseumTerm.self, .types).filter(\.isType)
        materials = fields.all(MuseumTerm.self, .materials)
        pictures = fields.ids(.shows).compactMap { MuseumLink($0) }
    }

    /// Returns the object's entry in both languages. English is the default.
    func entry(of item: Item) -> CatalogEntry {
        let placeholder = Self.unnamed(names.objectNumber ?? item.id)
        var translations: [String: CatalogEntry.Translation] = [:]
        for language in MuseumLanguage.allCases {
            let title = names.title(in: language)
            var translation = CatalogEntry.Translation(
                title: title?.text ?? placeholder, subtitle: production?.maker(in: language),
                language: title == nil ? "en" : title?.language?.rawValue)
            translation.summary = remark(.preferred, in: language)
            translation.type = MuseumTerm.names(types, in: language)
            translation.technique = production?.technique(in: language)
            translation.material = MuseumTerm.names(materials, in: language)
            translation.medium = remark(.medium, in: language)
            translation.dimensions = remark(.dimensions, in: language)
            translation.creditLine = remark(.creditLine, in: language)
            translations[language.rawValue] = translation
        }
        let english = translations[MuseumLanguage.english.rawValue]
        var entry = CatalogEntry(item: item, title: english?.title ?? placeholder)
        entry.subtitle = english?.subtitle
        entry.language = english?.language
        entry.summary = english?.summary
        entry.type = english?.type
        entry.technique = english?.technique
        entry.material = english?.material
        entry.medium = english?.medium
        entry.dimensions = english?.dimensions
        entry.creditLine = english?.creditLine
        entry.translations = translations
        entry.objectNumber = names.objectNumber
        entry.date = production?.date
        entry.link = Self.link(names.objectNumber, item.id)
        return entry
    }

    /// Returns what the record says in that language, or else in the other. Most descriptions are in
    /// Dutch only.
    private func remark(_ kind: MuseumText.Kind, in language: MuseumLanguage) -> String? {
        remarks.first(kind, in: language) ?? remarks.first(kind, in: language.other)
    }

    /// Returns an entry for an object whose record can't be read.
    static func unreadEntry(of item: Item) -> CatalogEntry {
        var entry = CatalogEntry(item: item, title: unnamed(item.id))
        entry.link = link(nil, item.id)
        return entry
    }

    private static func unnamed(_ number: String) -> String { "Object \(number)" }

    private static func link(_ objectNumber: String?, _ id: String) -> String {
        guard let objectNumber else { return "https://\(MuseumHosts.record)/\(id)" }
        return "https://www.rijksmuseum.nl/en/collection/\(objectNumber.percentEncoded)"
    }
}
