import App
import Glibc

/// A server whose processor time can be read.
protocol TimedServer: Sendable {
    /// Processor time of it and all its children until now, in seconds. Blocks on `/proc`.
    func processorTime() -> Double
}

extension ServerProcess: TimedServer {}

/// A process that runs already, found by the TCP port on which it listens.
struct ListeningProcess: TimedServer, Equatable {
    /// The first of its family, if children listen, too.
    let identifier: Int

    /// Returns nil if no process listens on the port, or if this user may not look at it.
    static func find(port: Int) -> ListeningProcess? {
        // Sockets that listen come first; after a benchmark there are megabytes of others. A machine
        // without IPv6 or /proc lacks a table.
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap {
            try? LocalFile.head($0, count: 1 << 20)
        }
        let sockets = tables.reduce(into: Set<String>()) {
            $0.formUnion(listening(on: port, table: String(decoding: $1, as: UTF8.self)))
        }
        guard !sockets.isEmpty else { return nil }
        let tree = ProcessTree.now()
        let holders = tree.entries.map(\.identifier).filter { holds(sockets, $0) }
        return tree.first(of: holders).map { ListeningProcess(identifier: $0) }
    }

    func processorTime() -> Double {
        Double(ProcessTree.now().ticks(under: identifier)) / ProcessUsage.ticksPerSecond
    }

    /// Returns the inodes of the sockets that listen on a port, from a table as proc(5) describes it.
    static func listening(on port: Int, table: String) -> Set<String> {
        let state = "0A"
        var found: Set<String> = []
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == state,
                let own = fields[1].split(separator: ":").last, Int(own, radix: 16) == port
            else { continue }
            found.insert(String(fields[9]))
        }
        return found
    }

    private static func holds(_ sockets: Set<String>, _ process: Int) -> Bool {
        let directory = "/proc/\(process)/fd"
        // Processes of other users can't be looked at.
        guard let names = try? LocalFile.names(in: directory) else { return false }
        return names.contains { name in
            var target = [CChar](repeating: 0, count: 64)
            let length = readlink("\(directory)/\(name)", &target, target.count)
            guard length > 0 else { return false }
            let text = String(
                decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("socket:["), text.hasSuffix("]") else { return false }
            return sockets.contains(String(text.dropFirst(8).dropLast()))
        }
    }
}

extension ProcessTree {
    /// Returns the one of these processes that none of the others has started; the oldest if there are
    /// several.
    func first(of processes: [Int]) -> Int? {
        let all = Set(processes)
        return entries.filter { all.contains($0.identifier) && !all.contains($0.parent) }
            .map(\.identifier).min()
    }
}
