import App
import Console
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Threads

/// Other programs and libraries that make thumbnails of files, on one corpus.
struct ThumbnailPeers: Sendable {
    let bench: ThumbnailBench
    let corpus: Corpus

    private var context: BenchContext { bench.context }

    /// Adds the peers that are wanted and installed, and `vitrine thumb` beside programs.
    func add(to plan: inout BenchPlan, _ formats: [ThumbnailFormat]) async throws {
        for peer in ThumbnailPeer.all where context.wantsPeer(peer.name) {
            guard let (path, version) = await peer.installed() else {
                plan.notes.append("\(peer.name) is not installed and was left out.")
                continue
            }
            plan.libraries.append(BenchSetting(peer.name, version))
            for format in formats where peer.formats.contains(format) {
                plan.cases.append(try await programCase(peer, path, version, format))
            }
        }
        if plan.cases.contains(where: { $0.head["peer"] != nil }) {
            for format in formats { plan.cases.append(ownCase(format)) }
        }
        for (name, version, note) in ThumbnailPeer.libraries where context.wantsPeer(name) {
            guard let python = MeasuredProgram.find("python3"),
                let text = await MeasuredProgram.output(of: python, ["-c", version]),
                let number = text.split(whereSeparator: \.isNewline).first.map(String.init)
            else {
                plan.notes.append("\(name) can't be imported by python3 and was left out.")
                continue
            }
            plan.libraries.append(BenchSetting(name, number))
            for format in formats {
                let head = head(format, "threads=1", peer: (name, "\(name) \(number)"), note)
                let script = "\(context.scratch)/peers.py"
                try await FileThreads.run { () throws(LocalFileError) in
                    try LocalFile.replace(script, with: PackageResources.peers_py)
                }
                let order = MeasuredProgram.Order(python, [script, name])
                plan.cases.append(
                    try await bench.outcomeCase(head, order, LibraryJob(wanted(format), corpus)))
            }
        }
    }

    /// What `peers.py` reads.
    private struct LibraryJob: Encodable {
        struct Box: Encodable {
            var width: Int
            var height: Int
            var quality: Int
            var effort: Int
        }

        var files: [String]
        var levels: [Box]
        var format: ThumbnailFormat

        init(_ wanted: ThumbnailPeer.Wanted, _ corpus: Corpus) {
            files = corpus.files
            levels = wanted.levels.map {
                Box(
                    width: $0.width, height: $0.height, quality: wanted.quality($0),
                    effort: wanted.effort($0))
            }
            format = wanted.format
        }
    }

    /// `vitrine thumb`, measured like a peer's program. The directory has nothing but the pictures.
    private func ownCase(_ format: ThumbnailFormat) -> BenchCase {
        let head = head(format, "program", nil)
        let output = "\(context.scratch)/\(head.id)/own"
        var order = MeasuredProgram.Order(
            context.vitrine,
            [
                "thumb", corpus.directory, "--force", "--output", output, "--formats",
                format.rawValue, "--levels", bench.levels.map(\.name).joined(separator: ","),
            ] + context.settingArguments)
        order.inheritsSettings = true
        return writingCase(head, order, output)
    }

    private func programCase(
        _ peer: ThumbnailPeer, _ path: String, _ version: String, _ format: ThumbnailFormat
    ) async throws -> BenchCase {
        let head = head(
            format, "program", peer: (peer.name, "\(peer.name) \(version)"), peer.note)
        let scratch = "\(context.scratch)/\(head.id)"
        let names = Array(corpus.files.joined(separator: "\0").utf8)
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(scratch)
            try LocalFile.replace("\(scratch)/pictures", with: names)
        }
        let cores = MachineProcessors.count()
        // One process for each core, with as many pictures as it can take at once.
        let batch = min(64, (corpus.files.count + cores - 1) / cores)
        var order = MeasuredProgram.Order(
            "/usr/bin/xargs",
            [
                "-0", "-a", "\(scratch)/pictures", "-P", "\(cores)", "-n", "\(batch)", "sh", "-c",
                peer.script(wanted(format)), peer.name,
            ])
        order.environment = [
            "PROGRAM": path, "OUT": "\(scratch)/out", "VIPS_CONCURRENCY": "1",
            "MAGICK_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1",
        ]
        return writingCase(head, order, "\(scratch)/out")
    }

    private func writingCase(
        _ head: BenchRow.Head, _ order: MeasuredProgram.Order, _ output: String
    ) -> BenchCase {
        var order = order
        order.errors = "\(context.scratch)/errors.txt"
        return Self.writingCase(
            head, order, output, images: corpus.files.count,
            expected: corpus.files.count * bench.levels.count)
    }

    /// A program that writes thumbnails into a directory, measured from outside with its start.
    ///
    /// - Parameters:
    ///   - images: pictures that go in.
    ///   - expected: files that must come out.
    static func writingCase(
        _ head: BenchRow.Head, _ command: MeasuredProgram.Order, _ output: String, images: Int,
        expected: Int
    ) -> BenchCase {
        let count = Double(images)
        return BenchCase(head) { _ in
            try await FileThreads.run {
                if FileManager.default.fileExists(atPath: output) {
                    try FileManager.default.removeItem(atPath: output)
                }
                try LocalFile.makeDirectory(output)
            }
            let end = try await MeasuredProgram.run(command)
            let files = try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.names(in: output).sorted().map { name throws(LocalFileError) in
                    try LocalFile.read("\(output)/\(name)", limit: 1 << 28)
                }
            }
            var sample = BenchSample(
                [
                    (.rate("images/s"), count / end.wall),
                    (.processorTime("ms/image"), end.processor * 1_000 / count),
                    (
                        .bytesOut("KB/image"),
                        Double(files.reduce(0) { $0 + $1.count }) / 1_000 / count
                    ),
                ], digest: Digest(of: files.flatMap { Digest(of: $0).bytes }).hex)
            if let peak = end.peakMemory { sample.add(.peakMemory, Double(peak) / 1_000_000) }
            sample.expect(
                files.count >= expected,
                "\(expected - files.count) of \(expected) thumbnails are missing.")
            return sample
        }
    }

    private func head(
        _ format: ThumbnailFormat, _ run: String, peer: (name: String, version: String)? = nil,
        _ note: String?
    ) -> BenchRow.Head {
        bench.head(corpus, [format], bench.levels, run, peer: peer, note: note)
    }

    private func wanted(_ format: ThumbnailFormat) -> ThumbnailPeer.Wanted {
        let largestFirst = bench.levels.sorted { $0.width * $0.height > $1.width * $1.height }
        return ThumbnailPeer.Wanted(
            levels: largestFirst, format: format, imaging: context.settings.imaging,
            size: corpus.size)
    }
}
