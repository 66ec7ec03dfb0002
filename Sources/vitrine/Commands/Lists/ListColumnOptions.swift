import ArgumentParser
import Catalog

/// The options that name the columns of a list, shared by several commands.
struct ListColumnOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The column with the URLs, by its name or number. (default: the one whose values are "
                + "URLs)", valueName: "column"))
    var urlColumn: String?

    @Option(
        help: ArgumentHelp(
            "The column with the ids. (default: id, sku and the like)", valueName: "column"))
    var idColumn: String?

    @Option(
        help: ArgumentHelp(
            "The column with the titles. (default: title, name and the like)",
            valueName: "column"))
    var titleColumn: String?

    var columns: ListColumns {
        ListColumns(url: urlColumn, id: idColumn, title: titleColumn)
    }

    /// Whether an option is given.
    var isGiven: Bool { columns != ListColumns() }
}
