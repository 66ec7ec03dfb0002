package import Catalog
import Imaging

/// The catalogs of this service, by name.
package struct Sources: Sendable {
    package let all: [any Source]
    /// Those that clients of the service may ask. The operator's commands and runs may ask all.
    package let offered: [any Source]
    private let folders: [String: FolderSource]
    private let listsByName: [String: ListSource]
    /// Names of sources whose pictures must not be cropped.
    private let uncropped: Set<String>

    package init(_ all: [any Source], offers: (any Source) -> Bool = { _ in true }) {
        self.all = all
        offered = all.filter(offers)
        uncropped = Set(all.filter { !$0.mayCrop }.map(\.name))
        folders = Dictionary(
            all.compactMap { $0 as? FolderSource }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        listsByName = Dictionary(
            all.compactMap { $0 as? ListSource }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    package func named(_ name: String) throws(Failure) -> any Source {
        try Self.source(name, among: all)
    }

    /// Returns the source of that name for a client. One that is not offered is unknown to clients.
    package func offered(_ name: String) throws(Failure) -> any Source {
        try Self.source(name, among: offered)
    }

    package func isOffered(_ name: String) -> Bool { offered.contains { $0.name == name } }

    private static func source(
        _ name: String, among sources: [any Source]
    ) throws(Failure) -> any Source {
        guard let source = sources.first(where: { $0.name == name }) else {
            let known = sources.map(\.name)
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

    /// Returns the item of a text such as `tvmaze/show/1`, or of the URL of a picture.
    func item(_ text: String) throws(Failure) -> Item {
        if text.schemeMark != nil { return try SignedURL.item(of: text) }
        guard let item = Item(text) else {
            throw .invalid(reason: "“\(text)” is not an item. Items look like tvmaze/show/1.")
        }
        return try self.item(source: item.source, kind: item.kind, id: item.id)
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
    package var pictureLists: [ListSource] { Array(listsByName.values) }

    /// Returns the folder of that name; nil if it is another source, or none.
    package func folder(_ name: String) -> FolderSource? {
        folders.isEmpty ? nil : folders[name]
    }

    /// Returns the name under which an item's picture is kept, see ``Pictures/pictured(_:)``.
    ///
    /// - Parameter api: fetches a list on a server; nil reads the copy on this machine.
    func pictured(_ item: Item, api: (any APIReading)?) async -> Item {
        guard let list = list(item.source) else { return item }
        // Without its row, the item is one without a picture, and why shows when it is resolved.
        return (try? await list.pictured(item, api: api)) ?? item
    }

    /// Returns the name under which the thumbnails of a pinned item are kept: those of a list's row are kept by
    /// the picture that it shows.
    ///
    /// - Parameter api: as for ``pictured(_:api:)``.
    package func keptName(of name: String, api: (any APIReading)?) async -> String {
        guard let item = Item(name) else { return name }
        return await pictured(item, api: api).description
    }
}
