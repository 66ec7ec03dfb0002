package import Catalog
import Imaging

/// The catalogs of this service, by name.
package struct Sources: Sendable {
    package let all: [any Source]
    private let folders: [String: FolderSource]
    private let listsByName: [String: ListSource]
    /// Names of sources whose pictures must not be cropped.
    private let uncropped: Set<String>

    package init(_ all: [any Source]) {
        self.all = all
        uncropped = Set(all.filter { !$0.mayCrop }.map(\.name))
        folders = Dictionary(
            all.compactMap { $0 as? FolderSource }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        listsByName = Dictionary(
            all.compactMap { $0 as? ListSource }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    package func named(_ name: String) throws(Failure) -> any Source {
        guard let source = all.first(where: { $0.name == name }) else {
            let known = all.map(\.name)
            let rest =
                NearestName.of(name, among: known).map { "did you mean “\($0)”?" }
                ?? "known are \(known.joined(separator: ", "))."
            throw Failure(.unknownSource, "Source “\(name)” is unknown; \(rest)")
        }
        return source
    }

    /// Returns the item in its canonical form.
    func item(source: String, kind: String, id: String) throws(Failure) -> Item {
        let source = try named(source)
        return try source.item(kind: kind, id: id)
    }

    func source(of item: Item) throws(Failure) -> any Source {
        try named(item.source)
    }

    /// Whether pictures of a source must not be cropped.
    package func isUncropped(_ source: String) -> Bool { uncropped.contains(source) }

    /// Returns a level as it is for an item: pictures of a source whose terms forbid it are not cropped.
    func level(_ level: Level, of item: Item) -> Level {
        guard case .cover = level.fit, uncropped.contains(item.source) else { return level }
        return level.uncropped
    }

    func rendition(_ rendition: Rendition, of item: Item) -> Rendition {
        Rendition(level: level(rendition.level, of: item), format: rendition.format)
    }

    /// Returns the list of that name; nil if it is another source, or none.
    package func list(_ name: String) -> ListSource? {
        listsByName.isEmpty ? nil : listsByName[name]
    }

    /// The lists that are shown like catalogs.
    var pictureLists: [ListSource] { Array(listsByName.values) }

    /// Returns the folder of that name; nil if it is another source, or none.
    package func folder(_ name: String) -> FolderSource? {
        folders.isEmpty ? nil : folders[name]
    }
}
