package import Catalog
package import Folders
package import Imaging
import Threads

/// What a name below a folder stands for.
package struct NamedFile: Sendable, Equatable {
    package var item: Item
    /// Nil if the format is negotiated.
    package var format: ThumbnailFormat?
}

extension Pictures {
    /// Returns what a name below a folder stands for: the file of that name, or the file without the last
    /// extension in the format that it names. Nil for a source that is not a folder.
    ///
    /// - Parameter format: returns the format of an extension.
    /// - Throws: ``Failure`` of kind `notFound` for a name that no file can have.
    package func named(
        _ name: String, of source: String, format: (Substring) -> ThumbnailFormat?
    ) async throws(Failure) -> NamedFile? {
        guard let folder = context.sources.folder(source) else { return nil }
        let exact = try folder.item(kind: FolderSource.kind, id: name)
        guard let dot = name.lastIndex(of: "."),
            let format = format(name[name.index(after: dot)...]), dot > name.startIndex,
            name[name.index(before: dot)] != "/"
        else { return NamedFile(item: exact) }
        do throws(FolderError) {
            _ = try await FileThreads.run { () throws(FolderError) in
                try folder.files.look(name)
            }
            return NamedFile(item: exact)
        } catch {
            guard error == .notFound else { return NamedFile(item: exact) }
            let stem = try folder.item(kind: FolderSource.kind, id: String(name[..<dot]))
            let isThere =
                (try? await FileThreads.run { () throws(FolderError) in
                    try folder.files.look(stem.id)
                }) != nil
            return isThere ? NamedFile(item: stem, format: format) : NamedFile(item: exact)
        }
    }

    /// The same as far as it is known; never waits.
    package func knownName(
        _ name: String, of source: String, format: (Substring) -> ThumbnailFormat?
    ) -> NamedFile? {
        guard let folder = context.sources.folder(source) else { return nil }
        folder.files.takeChanges()
        if folder.files.isUnchanged(name) {
            return NamedFile(item: Item(source: source, kind: FolderSource.kind, id: name))
        }
        guard folder.files.isAbsent(name), let dot = name.lastIndex(of: "."),
            let format = format(name[name.index(after: dot)...])
        else { return nil }
        let stem = String(name[..<dot])
        guard folder.files.isUnchanged(stem) else { return nil }
        return NamedFile(
            item: Item(source: source, kind: FolderSource.kind, id: stem), format: format)
    }

    /// Returns whether responses for an item may be kept: every change of its original is noticed.
    package func mayKeep(_ item: Item) -> Bool {
        context.folders.folder(of: item)?.files.takeChanges()
        return context.folders.mayKeep(item)
    }

    /// Whether an item's original is a file on this machine.
    package func isFile(_ item: Item) -> Bool { context.folders.folder(of: item) != nil }

    /// Drops what is in memory of files that have changed.
    package func drop(_ changes: [DirectoryWatches.Change]) {
        for change in changes {
            guard let folder = context.sources.folder(change.folder) else { continue }
            folder.files.note(change)
            guard !change.files.isEmpty else { continue }
            let items = Set(
                change.files.map {
                    Item(source: change.folder, kind: FolderSource.kind, id: $0)
                })
            let names = items.flatMap { item in
                configuration.levels.flatMap { level in
                    ThumbnailFormat.allCases.map { format in
                        name(of: item, level: level, format: format)
                    }
                }
            }
            memory.removeAll(names) { items.contains($0.item) }
        }
        context.folders.changes.add()
        StateChange.tell()
    }
}
