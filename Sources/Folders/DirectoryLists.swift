import CLinux
import Glibc
import Synchronization

/// Lists of a folder's directories, kept while the directories don't change. Every call blocks on the
/// disk; any thread.
package final class DirectoryLists: Sendable {
    package enum Order: String, Sendable, CaseIterable {
        case name
        /// The last changed first.
        case time
    }

    /// A page of one directory.
    package struct Page: Sendable, Equatable {
        /// Paths of files, which need not be pictures.
        package var files: [String] = []
        /// Paths of directories in this one.
        package var directories: [String] = []
        /// Number of files in the directory.
        package var total = 0
        /// Number of directories in it.
        package var totalDirectories = 0
    }

    private struct Kept {
        var list: DirectoryList
        /// In the order of time, once it was asked for.
        var byTime: [DirectoryList.File]?
        var readAt: ContinuousClock.Instant
        var lastUse: Int
    }

    private struct State {
        var kept: [ExactText: Kept] = [:]
        var entries = 0
        var uses = 0
        /// Changes whenever something is forgotten.
        var epoch = 0
        /// Directories of which a file was written to since they were read.
        var written: Set<ExactText> = []
    }

    /// Entries of all lists together, about 60 bytes each.
    static let maxEntries = 400_000
    private static let maxDirectoriesKept = 10_000
    /// Directories that are read for one page of a tree.
    private static let maxDirectories = 1_000

    private let tree: FolderTree
    private let state = Mutex(State())
    /// One directory is read at a time, so that callers of the same one share the work.
    private let reading = Mutex(())
    /// Directories read since the start, for tests.
    let reads = Atomic(0)

    /// Returns whether a change from now on shows in a directory's times.
    private let isSettled: @Sendable (FileFacts) -> Bool

    package init(
        _ tree: FolderTree, isSettled: @escaping @Sendable (FileFacts) -> Bool = { $0.isSettled }
    ) {
        self.tree = tree
        self.isSettled = isSettled
    }

    /// Notes that files of these directories have changed. Changes of names show in the directory itself.
    func noteChanges(in directories: Set<ExactText>) {
        state.withLock { state in
            state.epoch += 1
            for directory in directories where state.kept[directory] != nil {
                state.written.insert(directory)
            }
        }
    }

    private func forgetTimes(of directory: String) {
        let directory = ExactText(directory)
        state.withLock { state in
            guard state.written.remove(directory) != nil,
                let old = state.kept.removeValue(forKey: directory)
            else { return }
            state.entries -= old.list.count
        }
    }

    /// Returns a part of a directory: these of its files in that order, and these of its directories by
    /// name. Numbers beyond its end mean nothing.
    package func page(
        _ directory: String, by order: Order, files wanted: Range<Int>,
        directories wantedDirectories: Range<Int> = 0..<0
    ) throws(FolderError) -> Page {
        var page = Page()
        let files: [DirectoryList.File]
        if order == .time { forgetTimes(of: directory) }
        let list = try list(directory, withTimes: order == .time)
        switch order {
        case .name: files = list.files
        case .time: files = byTime(directory, list)
        }
        page.total = files.count
        page.totalDirectories = list.directories.count
        page.files = files[wanted.clamped(to: files.indices)]
            .map { Folder.joined(directory, $0.name) }
        page.directories = list.directories[wantedDirectories.clamped(to: list.directories.indices)]
            .map { Folder.joined(directory, $0) }
        return page
    }

    /// Returns files of a directory and all below it: first those of a directory, then those of each
    /// directory in it. Directories that are links are not entered.
    ///
    /// - Parameters:
    ///   - after: the place where an earlier page ended; nil for the first page.
    /// - Returns: at most `limit` paths, and the place of the next page; nil at the end.
    package func page(
        below directory: String, after: String?, limit: Int
    ) throws(FolderError) -> (files: [String], next: String?) {
        var walk = Walk(limit: limit, directoriesLeft: Self.maxDirectories)
        var rest: [Substring] = []
        if let after {
            guard let below = Folder.rest(of: after, below: directory) else { throw .notFound }
            rest = Folder.parts(below)
        }
        try collect(directory, rest[...], &walk, isFirst: true)
        return (walk.files, walk.next)
    }

    private struct Walk {
        var limit: Int
        var directoriesLeft: Int
        var files: [String] = []
        var next: String?
    }

    private func collect(
        _ directory: String, _ after: ArraySlice<Substring>, _ walk: inout Walk,
        isFirst: Bool = false
    ) throws(FolderError) {
        guard walk.directoriesLeft > 0 else {
            walk.next = walk.next ?? "\(directory)/"
            return
        }
        walk.directoriesLeft -= 1
        let list: DirectoryList
        do throws(FolderError) {
            list = try self.list(directory)
        } catch {
            // One that can't be read hides nothing but itself.
            if isFirst { throw error }
            return
        }
        if after.count <= 1 {
            let start = after.first.map { after in Self.place(in: list.files, after: after) } ?? 0
            for file in list.files[start...] {
                if walk.files.count == walk.limit {
                    walk.next = walk.files.last
                    return
                }
                walk.files.append(Folder.joined(directory, file.name))
            }
        }
        for name in list.directories where !list.linkedDirectories.contains(ExactText(name)) {
            var rest: ArraySlice<Substring> = []
            if after.count > 1, let first = after.first {
                if ExactText(name) < ExactText(first) { continue }
                if ExactText(name) == ExactText(first) { rest = after.dropFirst() }
            }
            try collect(Folder.joined(directory, name), rest, &walk)
            if walk.next != nil { return }
        }
    }

    /// Returns the index of the first file whose name comes after another.
    private static func place(in files: [DirectoryList.File], after name: Substring) -> Int {
        let name = ExactText(name)
        var (low, high) = (0, files.count)
        while low < high {
            let middle = (low + high) / 2
            if ExactText(files[middle].name) <= name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Keeping

    private func list(
        _ directory: String, withTimes: Bool = false
    ) throws(FolderError) -> DirectoryList {
        if let kept = try known(directory, withTimes) { return kept }
        let result: Result<DirectoryList, FolderError> = reading.withLock { _ in
            Result { () throws(FolderError) in
                if let kept = try known(directory, withTimes) { return kept }
                let epoch = state.withLock { $0.epoch }
                let list = try tree.list(directory, withTimes: withTimes)
                reads.add(1, ordering: .relaxed)
                keep(list, of: directory, since: epoch)
                return list
            }
        }
        return try result.get()
    }

    /// Returns the kept list if the directory is as it was.
    private func known(
        _ directory: String, _ withTimes: Bool
    ) throws(FolderError) -> DirectoryList? {
        let name = ExactText(directory)
        let kept = state.withLock { state in
            state.uses += 1
            state.kept[name]?.lastUse = state.uses
            return state.kept[name]
        }
        guard let kept, kept.list.hasTimes || !withTimes,
            kept.readAt.duration(to: .now) < .seconds(tree.folder.recheck)
        else {
            return nil
        }
        let place = try tree.beneath(directory, vitrine_path_flag())
        defer { close(place.descriptor) }
        return place.facts == kept.list.facts ? kept.list : nil
    }

    private func byTime(_ directory: String, _ list: DirectoryList) -> [DirectoryList.File] {
        let directory = ExactText(directory)
        let kept = state.withLock { $0.kept[directory] }
        if let kept, kept.list.facts == list.facts, let files = kept.byTime { return files }
        let files = list.byTime
        state.withLock { state in
            guard state.kept[directory]?.list.facts == list.facts else { return }
            state.kept[directory]?.byTime = files
        }
        return files
    }

    private func keep(_ list: DirectoryList, of directory: String, since epoch: Int) {
        // A change at the same moment might not show in its times.
        guard isSettled(list.facts), list.count <= Self.maxEntries else { return }
        let directory = ExactText(directory)
        state.withLock { state in
            guard state.epoch == epoch else { return }
            if let old = state.kept.removeValue(forKey: directory) {
                state.entries -= old.list.count
            }
            if state.entries + list.count > Self.maxEntries
                || state.kept.count >= Self.maxDirectoriesKept
            {
                // The used half stays, so that few calls sort.
                for (name, old) in state.kept.sorted(by: { $0.value.lastUse < $1.value.lastUse })
                    .prefix(max(1, state.kept.count / 2))
                {
                    state.kept[name] = nil
                    state.written.remove(name)
                    state.entries -= old.list.count
                }
                while state.entries + list.count > Self.maxEntries,
                    let (name, old) = state.kept.first
                {
                    state.kept[name] = nil
                    state.entries -= old.list.count
                }
            }
            state.written.remove(directory)
            state.uses += 1
            state.entries += list.count
            state.kept[directory] = Kept(list: list, readAt: .now, lastUse: state.uses)
        }
    }
}
