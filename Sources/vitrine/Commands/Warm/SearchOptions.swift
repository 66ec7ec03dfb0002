import ArgumentParser

/// Search terms for lists that search by more than one field, and the filters of every list.
struct SearchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Words of the title; a filter where the list has no such search.", valueName: "words"))
    var title: String?

    @Option(help: ArgumentHelp("The maker, as the catalog spells the name.", valueName: "name"))
    var creator: String?

    @Option(help: ArgumentHelp("Kind of object, such as painting.", valueName: "kind"))
    var type: String?

    @Option(help: ArgumentHelp("What it is made of, such as canvas.", valueName: "material"))
    var material: String?

    @Option(help: ArgumentHelp("How it was made, such as etching.", valueName: "technique"))
    var technique: String?

    @Option(
        help: ArgumentHelp(
            "The catalog's object number; * and ? are wildcards.", valueName: "number"))
    var objectNumber: String?

    @Option(help: ArgumentHelp("When it was made; * and ? are wild.", valueName: "year"))
    var creationDate: String?

    @Option(help: ArgumentHelp("Only items of this date or later.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("Only items of this date or earlier.", valueName: "date"))
    var to: String?

    @Option(help: ArgumentHelp("Only items of this genre.", valueName: "genre"))
    var genre: String?

    /// The given terms by the lists' parameter names.
    var parameters: [String: String] {
        let given = [
            "title": title, "creator": creator, "type": type, "material": material,
            "technique": technique, "objectNumber": objectNumber, "creationDate": creationDate,
            "from": from, "to": to, "genre": genre,
        ]
        return given.compactMapValues(\.self)
    }

    /// Returns the option of a list's parameter, such as `--object-number`; nil if there is none.
    static func option(of parameter: String) -> String? {
        guard SearchOptions.names.contains(parameter) else { return nil }
        return "--"
            + parameter.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }

    private static let names: Set = [
        "title", "creator", "type", "material", "technique", "objectNumber", "creationDate", "from",
        "to", "genre",
    ]
}
