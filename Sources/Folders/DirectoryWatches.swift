import CLinux
import Dispatch
import Glibc
import Synchronization

/// Reports changes in directories of folders, as the kernel does (inotify). Any thread.
///
/// Callers note a file before they look at it. As long as the note stays, the file is as they saw it. A
/// change removes the note first and is reported then.
package final class DirectoryWatches: Sendable {
    /// Files of one folder that changed, or were noted and can't be watched any longer.
    package struct Change: Sendable, Equatable {
        package var folder: String
        /// Paths of noted files.
        package var files: [String] = []
        /// Directories in which something changed, for their lists.
        var directories: Set<ExactText> = []
    }

    private enum Note {
        case present
        /// The file is missing, so that another one answers for its name.
        case absent
    }

    /// A directory of a folder.
    private struct Place: Hashable {
        var folder: String
        var name: ExactText

        init(_ folder: String, _ directory: String) {
            self.folder = folder
            name = ExactText(directory)
        }

        var directory: String { name.text }
    }

    private struct State {
        var places: [CInt: Set<Place>] = [:]
        var watches: [Place: CInt] = [:]
        var notes: [Place: [ExactText: Note]] = [:]
        /// In the order of their beginning; may have ended ones.
        var order: [Place] = []
        var noteCount = 0
        var isClosed = false
    }

    /// Limit of noted files, about 100 bytes each.
    private static let maxNotes = 500_000
    /// A watch takes about 1 KB of the kernel's memory, which `memory.budget` doesn't count.
    private static let mostWatches = 32_768
    /// Watches that kernels before 5.11 allow a user.
    private static let watchesOfOldKernels = 8_192

    private let inotify: CInt
    private let maxWatches: Int
    private let state = Mutex(State())
    /// Unchecked because Dispatch's sources may be used by any thread.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?
    /// Held from before events are read until they are reported.
    private let reporting = Mutex(())
    private let reportsUnderWay = Atomic(0)
    /// Whether a directory was ever watched.
    private let hasBegun = Atomic(false)
    /// Takes events that no caller has taken.
    let queue = DispatchQueue(label: "vitrine.watches")
    private let onChange: Mutex<(@Sendable ([Change]) -> Void)?> = Mutex(nil)

    /// - Parameter maxWatches: limit of watched directories. Files of further directories are not kept in
    ///   memory.
    package init(maxWatches: Int = DirectoryWatches.limitOfMachine) {
        self.maxWatches = maxWatches
        let inotify = vitrine_inotify()
        self.inotify = inotify
        guard inotify >= 0 else {
            source = nil
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
        self.source = source
        source.setEventHandler { [weak self] in self?.takeEvents() }
        source.setCancelHandler { close(inotify) }
        source.resume()
    }

    deinit { source?.cancel() }

    /// How many directories this process may watch on this machine. Blocks for a look at `/proc`.
    package static var limitOfMachine: Int {
        let descriptor = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return limit(ofUser: watchesOfOldKernels) }
        defer { close(descriptor) }
        var digits = [UInt8](repeating: 0, count: 20)
        let count = read(descriptor, &digits, digits.count)
        let text = String(decoding: digits.prefix(max(0, count)), as: UTF8.self)
        return limit(ofUser: Int(text.prefix { $0.isNumber }) ?? watchesOfOldKernels)
    }

    /// Returns the half of what the kernel allows a user, so that other programs can watch, too.
    static func limit(ofUser allowed: Int) -> Int { min(mostWatches, max(1, allowed / 2)) }

    /// Calls `body` for all further changes, on a thread of this object.
    package func start(_ body: @escaping @Sendable ([Change]) -> Void) {
        onChange.withLock { $0 = body }
    }

    /// Number of watched directories.
    package var count: Int { state.withLock { $0.watches.count } }

    // MARK: - Notes

    /// Begins to watch a directory and those above it. Returns false if changes in it may not be
    /// reported.
    @discardableResult func watch(_ directory: String, of tree: FolderTree) -> Bool {
        guard source != nil else { return false }
        let folder = tree.folder.name
        if isWatched(Place(folder, directory)) { return true }
        var path = ""
        // From the top, so that a directory that is renamed meanwhile is noticed.
        for part in [""] + Folder.parts(directory[...]) {
            path = part.isEmpty ? "" : Folder.joined(path, String(part))
            let place = Place(folder, path)
            if !isWatched(place), !begin(place, tree) { return false }
        }
        return true
    }

    /// Notes a file that a caller is about to look at.
    func note(_ path: String, of tree: FolderTree) {
        // What is in memory goes before the file counts as unchanged again.
        takeEvents()
        let (directory, name) = Folder.split(path)
        guard watch(directory, of: tree) else { return }
        let place = Place(tree.folder.name, directory)
        let dropped = state.withLock { state -> [Change] in
            guard state.watches[place] != nil else { return [] }
            var dropped: [Change] = []
            if state.noteCount >= Self.maxNotes { dropped = Self.dropOldest(&state, inotify) }
            let key = ExactText(name)
            if state.watches[place] != nil,
                state.notes[place, default: [:]].updateValue(.present, forKey: key) == nil
            {
                state.noteCount += 1
            }
            return dropped
        }
        report(dropped)
    }

    /// Notes that a file which was noted before does not exist. Does nothing if it changed since.
    func noteAbsence(_ path: String, of tree: FolderTree) {
        let (directory, name) = Folder.split(path)
        let (place, key) = (Place(tree.folder.name, directory), ExactText(name))
        state.withLock { state in
            if state.notes[place]?[key] != nil { state.notes[place]?[key] = .absent }
        }
    }

    /// Removes the note of a file whose changes may come from elsewhere.
    func forget(_ path: String, of tree: FolderTree) {
        let (directory, name) = Folder.split(path)
        let (place, key) = (Place(tree.folder.name, directory), ExactText(name))
        state.withLock { state in
            if state.notes[place]?.removeValue(forKey: key) != nil { state.noteCount -= 1 }
        }
    }

    /// Returns whether a file is as the caller saw it that noted it last.
    func isUnchanged(_ path: String, of folder: String) -> Bool { note(path, folder) == .present }

    /// Returns whether a file is known not to exist.
    func isAbsent(_ path: String, of folder: String) -> Bool { note(path, folder) == .absent }

    private func note(_ path: String, _ folder: String) -> Note? {
        let (directory, name) = Folder.split(path)
        let place = Place(folder, directory)
        return state.withLock { $0.notes[place]?[ExactText(name)] }
    }

    // MARK: - Watches

    private func isWatched(_ place: Place) -> Bool {
        state.withLock { $0.watches[place] != nil }
    }

    private func begin(_ place: Place, _ tree: FolderTree) -> Bool {
        hasBegun.store(true, ordering: .releasing)
        guard let opened = try? tree.beneath(place.directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK)
        else { return false }
        defer { close(opened.descriptor) }
        guard !opened.isBehindLink, vitrine_is_local(opened.descriptor) else { return false }
        let (isBegun, dropped) = state.withLock { state -> (Bool, [Change]) in
            if state.isClosed { return (false, []) }
            if state.watches[place] != nil { return (true, []) }
            var dropped: [Change] = []
            if state.watches.count >= maxWatches { dropped = Self.dropOldest(&state, inotify) }
            let watch = vitrine_watch_directory(
                inotify, "/proc/self/fd/\(opened.descriptor)")
            guard watch >= 0 else { return (false, dropped) }
            state.places[watch, default: []].insert(place)
            state.watches[place] = watch
            state.order.append(place)
            return (true, dropped)
        }
        report(dropped)
        return isBegun
    }

    /// Ends the watches of a folder, which is gone or has another directory now. Its files count as changed.
    package func end(_ folder: String) {
        let changes = state.withLock { [inotify] state -> [Change] in
            var changes = Changes()
            for place in state.watches.keys where place.folder == folder {
                Self.end(place, &state, inotify, &changes)
            }
            return changes.all
        }
        report(changes)
    }

    /// Ends the older half of all watches. Their files count as changed.
    private static func dropOldest(_ state: inout State, _ inotify: CInt) -> [Change] {
        let live = state.order.filter { state.watches[$0] != nil }
        let old = live.prefix(max(1, live.count / 2))
        state.order = Array(live.dropFirst(old.count))
        var changes = Changes()
        for place in old { end(place, &state, inotify, &changes) }
        return changes.all
    }

    private static func end(
        _ place: Place, _ state: inout State, _ inotify: CInt, _ changes: inout Changes
    ) {
        if let notes = state.notes.removeValue(forKey: place) {
            state.noteCount -= notes.count
            for (name, note) in notes { changes.add(place, name.text, note == .absent) }
        }
        changes.add(place)
        guard let watch = state.watches.removeValue(forKey: place) else { return }
        state.places[watch]?.remove(place)
        if state.places[watch]?.isEmpty == true {
            state.places[watch] = nil
            _ = vitrine_unwatch(inotify, watch)
        }
    }

    private func report(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        onChange.withLock { $0 }?(changes)
    }

    /// Changes by folder.
    private struct Changes {
        private var byFolder: [String: Change] = [:]

        mutating func add(_ place: Place) {
            byFolder[place.folder, default: Change(folder: place.folder)].directories
                .insert(place.name)
        }

        /// - Parameter wasAbsent: whether the file without the last extension answered for the name.
        mutating func add(_ place: Place, _ name: String, _ wasAbsent: Bool) {
            let path = Folder.joined(place.directory, name)
            byFolder[place.folder, default: Change(folder: place.folder)].files.append(path)
            if wasAbsent, let dot = path.lastIndex(of: ".") {
                byFolder[place.folder]?.files.append(String(path[..<dot]))
            }
        }

        var all: [Change] { Array(byFolder.values) }
    }

    // MARK: - Events

    private static let overflow = UInt32(IN_Q_OVERFLOW)
    private static let gone = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)
    private static let ignored = UInt32(IN_IGNORED)
    private static let ofDirectory = UInt32(IN_ISDIR)
    private static let renaming = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

    /// Reports everything that has happened before this call, or waits until another thread has. Costs a
    /// system call. Takes the locks of those to whom it is reported, so that a caller holds none of them.
    package func takeEvents() {
        var waiting = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
        guard source != nil, hasBegun.load(ordering: .acquiring),
            poll(&waiting, 1, 0) > 0 || reportsUnderWay.load(ordering: .acquiring) > 0
        else { return }
        reporting.withLock { _ in
            reportsUnderWay.add(1, ordering: .acquiringAndReleasing)
            report(nextChanges())
            reportsUnderWay.subtract(1, ordering: .acquiringAndReleasing)
        }
    }

    /// Reads all events that wait.
    private func nextChanges() -> [Change] {
        var all: [Change] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // With the lock from before the events are taken, so that no caller finds neither them nor what
            // follows from them.
            let changes = state.withLock { state -> [Change]? in
                let count = buffer.withUnsafeMutableBytes {
                    Glibc.read(inotify, $0.baseAddress, $0.count)
                }
                guard count > 0 else { return nil }
                var changes = Changes()
                buffer.withUnsafeBytes { bytes in
                    var at = 0
                    let head = MemoryLayout<inotify_event>.size
                    while at + head <= count {
                        let event = bytes.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
                        let length = Int(event.len)
                        let name = bytes[at + head..<at + head + length].prefix { $0 != 0 }
                        apply(
                            event.wd, event.mask, String(validating: name, as: UTF8.self) ?? "",
                            &state, &changes)
                        at += head + length
                    }
                }
                return changes.all
            }
            guard let changes else { return all }
            all += changes
        }
    }

    /// Does what lost events do, for tests.
    func apply(overflow: Void) {
        report(
            state.withLock { state in
                var changes = Changes()
                apply(-1, Self.overflow, "", &state, &changes)
                return changes.all
            })
    }

    private func apply(
        _ watch: CInt, _ mask: UInt32, _ name: String, _ state: inout State,
        _ changes: inout Changes
    ) {
        if mask & Self.overflow != 0 {
            // Some events are lost, so that every file may have changed.
            for place in Array(state.watches.keys) { Self.end(place, &state, inotify, &changes) }
            state.order = []
            return
        }
        let places = state.places[watch] ?? []
        if mask & Self.ignored != 0 {
            // The kernel has ended it; its number may be used again.
            state.places[watch] = nil
            for place in places {
                state.watches[place] = nil
                Self.end(place, &state, inotify, &changes)
            }
            return
        }
        for place in places {
            if mask & Self.gone != 0 {
                endAll(below: place, &state, &changes)
            } else if mask & Self.ofDirectory != 0 {
                changes.add(place)
                guard mask & Self.renaming != 0, !name.isEmpty else { continue }
                let inner = Folder.joined(place.directory, name)
                endAll(below: Place(place.folder, inner), &state, &changes)
            } else {
                changes.add(place)
                guard let note = state.notes[place]?.removeValue(forKey: ExactText(name))
                else { continue }
                state.noteCount -= 1
                changes.add(place, name, note == .absent)
            }
        }
    }

    /// Ends the watches of a directory and all below it.
    private func endAll(below place: Place, _ state: inout State, _ changes: inout Changes) {
        let ended = state.watches.keys.filter {
            $0.folder == place.folder
                && ($0.name == place.name
                    || Folder.rest(of: $0.directory, below: place.directory) != nil)
        }
        for place in ended { Self.end(place, &state, inotify, &changes) }
    }
}
