import Catalog

extension ConfigurationKey {
    static let sources: [Self] = [
        Self(
            path: "sources", shape: .tree,
            expected: "a mapping in the configuration file, or sourceFiles",
            summary:
                "Further sources by name, as docs/sources.md describes them. vitrine source "
                + "test shows what yours reads.",
            print: { $0.sources.map(\.name) },
            apply: { texts, _ in
                texts.first.map {
                    Rejection(
                        text: $0, expected: "a mapping in the configuration file, or sourceFiles")
                }
            }),
        .list(
            "sourceFiles", \.sourceFiles, of: .text("the path of a file"),
            "Files with further sources, such as config/sources/open-library.yaml."),
        Self(
            path: "folders", shape: .tree,
            expected: "a mapping in the configuration file",
            summary:
                "Directories whose pictures are shown, by name: pictures: /srv/pictures. "
                + "docs/folders.md has the options of a folder.",
            print: { $0.folderNames },
            apply: { texts, _ in
                texts.first.map {
                    Rejection(text: $0, expected: "a mapping in the configuration file")
                }
            }),
        Self(
            path: "lists", shape: .tree,
            expected: "a mapping in the configuration file",
            summary:
                "Lists of pictures that are shown, by name: posters: posters.csv. A path or a URL. "
                + "docs/sources.md has the options of a list.",
            print: { $0.lists.map(\.name) },
            apply: { texts, _ in
                texts.first.map {
                    Rejection(text: $0, expected: "a mapping in the configuration file")
                }
            }),
    ].map { $0.reloaded() }
}
