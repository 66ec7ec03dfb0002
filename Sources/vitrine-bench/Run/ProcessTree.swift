import App
import CLinux
import Catalog
import Console
import CoreFoundation
import Glibc

/// All processes of the machine, as far as `/proc` shows them.
struct ProcessTree: Sendable {
    struct Entry: Sendable, Equatable {
        var identifier: Int
        var parent: Int
        /// User and system time of the process and of the children that it has waited for.
        var ticks: Int
        /// Pages in memory.
        var residentPages: Int
    }

    var entries: [Entry]

    /// Returns a process and all its descendants.
    func family(of root: Int) -> [Entry] {
        let children = Dictionary(grouping: entries) { $0.parent }
        var found = entries.filter { $0.identifier == root }
        var next = 0
        while next < found.count {
            found += children[found[next].identifier] ?? []
            next += 1
        }
        return found
    }

    /// Returns the one of these processes that none of the others has started; the oldest if there are
    /// several.
    func first(of processes: [Int]) -> Int? {
        let all = Set(processes)
        return entries.filter { all.contains($0.identifier) && !all.contains($0.parent) }
            .map(\.identifier).min()
    }

    static func now() -> ProcessTree {
        let names = (try? LocalFile.names(in: "/proc")) ?? []
        return ProcessTree(
            entries: names.compactMap { name in
                guard let identifier = Int(name),
                    let text = ProcFile.text("/proc/\(identifier)/stat")
                else { return nil }
                return entry(ofStat: text)
            })
    }

    /// Reads a line of `/proc/PID/stat`. The name is in brackets and may hold spaces and brackets.
    static func entry(ofStat text: String) -> Entry? {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"),
            let identifier = Int(text[..<open].filter { $0 != " " })
        else { return nil }
        // From the third field on: state, parent, …; times are the 14th to 17th, resident pages the
        // 24th.
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 21, let parent = Int(fields[1]), let resident = Int(fields[21]) else {
            return nil
        }
        return Entry(
            identifier: identifier, parent: parent,
            ticks: fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }, residentPages: resident)
    }
}
