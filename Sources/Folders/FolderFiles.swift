/// A folder with its lists and watches: what the service knows of its files. Calls that say so block on
/// the disk, so async code uses ``FileThreads``; any thread.
package final class FolderFiles: Sendable {
    package let tree: FolderTree
    package let lists: DirectoryLists
    /// Nil in a program that keeps nothing in memory.
    private let watches: DirectoryWatches?

    package var folder: Folder { tree.folder }

    package init(_ folder: Folder, watches: DirectoryWatches? = nil) {
        tree = FolderTree(folder)
        lists = DirectoryLists(tree)
        self.watches = watches
    }

    /// Returns the attributes of a file, and watches it from before that. Blocks.
    package func look(_ path: String) throws(FolderError) -> FileFacts {
        guard folder.shows(path) else { throw .notFound }
        watches?.note(path, of: tree)
        let facts: FileFacts
        do throws(FolderError) {
            facts = try tree.look(path)
        } catch {
            if error == .notFound { watches?.noteAbsence(path, of: tree) }
            throw error
        }
        if !facts.isWatchable { watches?.forget(path, of: tree) }
        return facts
    }

    /// Opens a file, and watches it from before that. Blocks.
    package func open(_ path: String) throws(FolderError) -> FolderFile {
        _ = try look(path)
        return try tree.open(path)
    }

    /// Watches a directory whose list was asked for. Blocks.
    package func watch(_ directory: String) {
        guard directory.isEmpty || folder.shows(directory) else { return }
        takeChanges()
        watches?.watch(directory, of: tree)
    }

    /// Reports what has happened before this call. Takes the locks of those to whom it is reported, so that
    /// a caller holds none of them.
    package func takeChanges() { watches?.takeEvents() }

    /// Returns whether a file is as the last call of ``look(_:)`` saw it; never waits.
    package func isUnchanged(_ path: String) -> Bool {
        watches?.isUnchanged(path, of: folder.name) ?? false
    }

    /// Returns whether a file doesn't exist, as the last call of ``look(_:)`` saw it; never waits.
    package func isAbsent(_ path: String) -> Bool {
        watches?.isAbsent(path, of: folder.name) ?? false
    }

    /// Takes notice of a change.
    package func note(_ change: DirectoryWatches.Change) {
        lists.noteChanges(in: change.directories)
    }
}
