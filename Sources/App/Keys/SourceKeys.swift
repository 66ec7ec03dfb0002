import Catalog

extension ConfigurationKey {
    static let sources: [Self] = [
        Self(
            path: "sources", shape: .tree,
            expected: "a mapping in the configuration file, or sourceFiles",
            summary:
                "Further sources by name: their hosts, kinds of items and lists, as docs/sources.md "
                + "describes them. vitrine source test shows what a description reads.",
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
    ]
}
