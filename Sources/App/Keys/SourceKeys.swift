import Catalog

extension ConfigurationKey {
    static let sources: [Self] = [
        tree(
            "sources", expected: "a mapping in the configuration file, or sourceFiles",
            "Further sources by name, as docs/sources.md describes them. vitrine source "
                + "test shows what yours reads.",
            names: { $0.sources.map(\.name) }),
        .list(
            "sources.offered", \.offeredSources, of: .text("the name of a source"),
            "Names of the sources, folders and lists that clients of the service may ask. Empty: "
                + "your own; the five built-in ones where you have none. Warm runs, workers and "
                + "commands take every source."),
        .list(
            "sourceFiles", \.sourceFiles, of: .text("the path of a file"),
            "Files with further sources, such as config/sources/open-library.yaml."),
        tree(
            "folders",
            "Directories whose pictures are shown, by name: pictures: /srv/pictures. "
                + "docs/folders.md has the options of a folder.",
            names: \.folderNames),
        tree(
            "lists",
            "Lists of pictures that are shown, by name: posters: posters.csv. A path or a URL. "
                + "docs/sources.md has the options of a list.",
            names: { $0.lists.map(\.name) }),
    ].map { $0.reloaded() }

    static let blocked: [Self] = [
        .single(
            "blocked", \.blockedFile, .optional(.text("the path of a file")),
            "File that names pictures that are never fetched or shown; docs/operating.md has its "
                + "form. vitrine block adds others."
        ).reloaded()
    ]

    /// Returns the key of a mapping of mappings, which has no form in flags and variables.
    private static func tree(
        _ path: String, expected: String = "a mapping in the configuration file",
        _ summary: String, names: @escaping @Sendable (Settings) -> [String]
    ) -> Self {
        Self(
            path: path, shape: .tree, expected: expected, summary: summary, print: names,
            apply: { texts, _ in texts.first.map { Rejection(text: $0, expected: expected) } })
    }
}
