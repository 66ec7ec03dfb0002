import JSON

/// An object's record. Any field may be missing or of an odd type, except those of the header.
struct MuseumObject {
    private let record: JSON
    private let names: MuseumNames

    /// Returns nil if the document is not a record.
    init?(_ document: JSON) {
        guard let record = document.record else { return nil }
        self.record = record
        names = MuseumNames(record)
    }

    /// Whether the record describes an object, and not a person, a place or a picture.
    var isObject: Bool { record.types.isEmpty || record.types.contains("HumanMadeObject") }

    /// Its VisualItems, in the record's order.
    var pictures: [MuseumLink] { record["shows"].links }

    /// Returns the object's entry in both languages. English is the default.
    func entry(of item: Item) -> CatalogEntry {
        let placeholder = Self.unnamed(names.objectNumber ?? item.id)
        let production = record["produced_by"].nodes.first.map(MuseumProduction.init)
        let remarks = record["referred_to_by"].nodes.ordered(by: \.place)
        let types = record["classified_as"].nodes.filter { $0.isA(.objectType) }
        let materials = record["made_of"].nodes
        func translation(_ language: MuseumLanguage) -> CatalogEntry.Translation {
            let title = names.title(in: language)
            var translation = CatalogEntry.Translation(
                title: title?.text ?? placeholder, subtitle: production?.maker(in: language),
                language: title == nil ? "en" : title?.language?.rawValue)
            translation.summary = remarks.best(.preferred, in: language)
            translation.type = types.names(in: language)
            translation.technique = production?.technique(in: language)
            translation.material = materials.names(in: language)
            translation.medium = remarks.best(.medium, in: language)
            translation.dimensions = remarks.best(.dimensions, in: language)
            translation.creditLine = remarks.best(.creditLine, in: language)
            return translation
        }
        let english = translation(.english)
        var entry = CatalogEntry(item: item, title: placeholder).showing(english)
        entry.translations = ["en": english, "nl": translation(.dutch)]
        entry.objectNumber = names.objectNumber
        entry.date = production?.date
        entry.link = Self.link(names.objectNumber, item.id)
        return entry
    }

    /// Returns an entry for an object whose record can't be read.
    static func unreadEntry(of item: Item) -> CatalogEntry {
        var entry = CatalogEntry(item: item, title: unnamed(item.id))
        entry.link = link(nil, item.id)
        return entry
    }

    private static func unnamed(_ number: String) -> String { "Object \(number)" }

    private static func link(_ objectNumber: String?, _ id: String) -> String {
        guard let objectNumber else { return "https://\(MuseumLink.recordHost)/\(id)" }
        return "https://www.rijksmuseum.nl/en/collection/\(objectNumber.percentEncoded)"
    }
}

/// An object's titles, present and former, and its number.
private struct MuseumNames {
    private let names: [JSON]
    let objectNumber: String?

    init(_ record: JSON) {
        let nodes = record["identified_by"].nodes
        // A node with an id such as `_:b52` may be complete in the name that translates it, and only be
        // referenced in its own place.
        var originals: [String: JSON] = [:]
        for node in nodes.flatMap({ $0["translation_of"].nodes }) where node.content != nil {
            guard let id = node["id"].string, originals[id] == nil else { continue }
            originals[id] = node
        }
        names = nodes.filter { $0.types.contains("Name") }
            .compactMap { name in
                name.content != nil ? name : name["id"].string.flatMap { originals[$0] }
            }
            .ordered(by: \.place)
        objectNumber =
            nodes.filter { $0.types.contains("Identifier") && $0.isA(.objectNumber) }
            .ordered(by: \.place).lazy.compactMap(\.content).first
    }

    /// Returns the best title for a language. In order of preference:
    ///
    /// 1. the preferred title in that language
    /// 2. any title in that language
    /// 3. the preferred title in the other language
    /// 4. the first title
    /// 5. a former title
    func title(in language: MuseumLanguage) -> (text: String, language: MuseumLanguage?)? {
        let present = names.filter { !$0.isA(.formerTitle) }
        let inLanguage = present.filter { $0.language == language }
        let name =
            inLanguage.first { $0.isA(.preferred) }
            ?? inLanguage.first
            ?? present.first { $0.isA(.preferred) && $0.language == language.other }
            ?? present.first
            ?? names.first
        return name.flatMap { name in name.content.map { ($0, name.language) } }
    }
}
