import App
import Console
import FoundationEssentials
import Threads

/// Another program that does the same work, if it is installed.
struct Peer: Sendable {
    let name: String
    /// Names of the program; the first that is what its version says counts.
    let programs: [String]
    /// Prints the version.
    let versionArguments: [String]
    /// What the version comes after: a program of the same name may be another one.
    let marker: String

    init(
        _ name: String, programs: [String]? = nil, version: [String] = ["--version"],
        marker: String = ""
    ) {
        self.name = name
        self.programs = programs ?? [name]
        versionArguments = version
        self.marker = marker
    }

    /// A peer of this machine.
    struct Installed: Sendable {
        let peer: Peer
        let path: String
        let version: String

        /// What its rows are called.
        var row: (name: String, version: String) { (peer.name, "\(peer.name) \(version)") }
    }

    /// Returns the first number with points after the marker: `1.22.1` of `nginx/1.22.1`.
    static func version(in text: String, after marker: String = "") -> String? {
        let place = marker.isEmpty ? text.startIndex : text.firstRange(of: marker)?.upperBound
        return place.map { text[$0...] }?.split { !($0.isNumber || $0 == ".") }.map(String.init)
            .first { $0.contains(".") && $0.first?.isNumber == true && $0.last?.isNumber == true }
    }
}

extension BenchContext {
    /// Returns the peers that are wanted and installed, and adds their versions to the plan. A note
    /// says which are missing.
    func installed(_ peers: [Peer], _ plan: inout BenchPlan) async -> [Peer.Installed] {
        var found: [Peer.Installed] = []
        for peer in peers where options.wants(peer: peer.name) {
            if let one = await installed(peer) {
                plan.libraries.append(BenchSetting(peer.name, one.version))
                found.append(one)
            } else {
                plan.notes.append("\(peer.name) is not installed and was left out.")
            }
        }
        return found
    }

    private func installed(_ peer: Peer) async -> Peer.Installed? {
        for path in peer.programs.compactMap(MeasuredProgram.find) {
            if let text = await MeasuredProgram.output(of: path, peer.versionArguments),
                let version = Peer.version(in: text, after: peer.marker)
            {
                return Peer.Installed(peer: peer, path: path, version: version)
            }
        }
        return nil
    }

    /// A program that writes files, measured from outside with its start.
    ///
    /// - Parameters:
    ///   - count: things that go in.
    ///   - thing: what they are called, such as `image`.
    ///   - order: the command for a new directory that is made for it.
    ///   - check: looks at what the directory has afterwards.
    func program(
        _ head: BenchRow.Head, _ count: Int, of thing: String,
        _ order: @escaping @Sendable (_ directory: String) async throws -> MeasuredProgram.Order,
        check: @escaping @Sendable (_ directory: String, inout BenchSample) throws -> Void
    ) -> BenchCase {
        BenchCase(head) { _ in
            let directory = place("output")
            try await FileThreads.run { try LocalFile.makeDirectory(directory) }
            var order = try await order(directory)
            order.errors = directory + "-errors"
            let end = try await MeasuredProgram.run(order)
            let sample = end.sample(count, of: thing)
            return try await FileThreads.run {
                var sample = sample
                try check(directory, &sample)
                return sample
            }
        }
    }
}

extension MeasuredProgram.End {
    /// The figures of a program that did the work of a row.
    func sample(_ count: Int, of thing: String) -> BenchSample {
        var sample = BenchSample.work(
            count, of: thing, in: .milliseconds, wall: wall, processor: processor)
        sample.add(.wallTime, wall)
        if let peakMemory { sample.add(.peakMemory, Double(peakMemory) / 1e6) }
        return sample
    }
}
