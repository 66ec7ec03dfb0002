package import Catalog
package import Folders
package import Imaging
import Threads

/// What a name below a folder stands for.
package struct NamedFile: Sendable, Equatable {
    package var item: Item
    /// Nil if the format is negotiated.
    package var format: ThumbnailFormat?
    /// What it stands for if that item turns out not to exist; nil if that is known, or there is nothing else.
    package var otherwise: Otherwise?

    package struct Otherwise: Sendable, Equatable {
        package var item: Item
        package var format: ThumbnailFormat
    }
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
        guard let folder = context.sources.folder(source) else {
            return try context.sources.bucket(source).map { bucket throws(Failure) in
                try object(name, of: bucket, format)
            }
        }
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
        guard let folder = context.sources.folder(source) else {
            return context.sources.bucket(source).flatMap { knownObject(name, of: $0, format) }
        }
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

    /// Returns what a name below a bucket stands for. If only asking the bucket tells, that is the object of
    /// that name, and otherwise the other one.
    private func object(
        _ name: String, of bucket: BucketSource, _ format: (Substring) -> ThumbnailFormat?
    ) throws(Failure) -> NamedFile {
        let exact = try bucket.item(kind: BucketSource.kind, id: name)
        guard let other = otherwise(name, of: bucket, format) else { return NamedFile(item: exact) }
        switch context.buckets.names.standing(of: exact) {
        case .present?: return NamedFile(item: exact)
        case .absent(let until)? where until > now():
            return NamedFile(item: other.item, format: other.format)
        case .absent?, nil: return NamedFile(item: exact, otherwise: other)
        }
    }

    /// The same as far as it is known; never waits.
    private func knownObject(
        _ name: String, of bucket: BucketSource, _ format: (Substring) -> ThumbnailFormat?
    ) -> NamedFile? {
        guard let named = try? object(name, of: bucket, format) else { return nil }
        return named.otherwise == nil ? named : nil
    }

    /// Returns the object without the last extension, in the format that it names; nil if it names none.
    private func otherwise(
        _ name: String, of bucket: BucketSource, _ format: (Substring) -> ThumbnailFormat?
    ) -> NamedFile.Otherwise? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            let format = format(name[name.utf8.index(after: dot)...]),
            let stem = try? bucket.item(kind: BucketSource.kind, id: String(name[..<dot])),
            stem.id.utf8.last != UInt8(ascii: "/")
        else { return nil }
        return .init(item: stem, format: format)
    }

    /// Returns the thumbnail of what a name stands for, and what that is. If its item doesn't exist, that of
    /// the other one.
    ///
    /// - Parameter format: of the item's picture.
    /// - Throws: as ``picture(of:level:format:)``.
    package func picture(
        of named: NamedFile, level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> (answer: PictureAnswer, named: NamedFile) {
        let answer = try await picture(of: named.item, level: level, format: format)
        guard let other = named.otherwise else { return (answer, named) }
        guard Self.isAbsent(answer.picture) else {
            if !answer.picture.isPlaceholder { context.buckets.names.note(named.item, .present) }
            return (answer, named)
        }
        if let until = answer.picture.failure?.until {
            context.buckets.names.note(named.item, .absent(until: until))
        }
        let second = try await picture(of: other.item, level: level, format: other.format)
        if Self.isAbsent(second.picture) { return (answer, named) }
        return (second, NamedFile(item: other.item, format: other.format))
    }

    private static func isAbsent(_ picture: Picture) -> Bool {
        picture.isPlaceholder && picture.failure?.kind == .absent
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
