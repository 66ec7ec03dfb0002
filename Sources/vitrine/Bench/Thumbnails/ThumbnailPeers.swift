import App
import FoundationEssentials
import Imaging
import Memory

/// Finds the peers that are installed and plans their cases on one corpus.
struct ThumbnailPeers: Sendable {
    let rounds: ThumbnailRounds
    let levels: [Level]
    let corpus: ThumbnailCorpus

    func plan(formats: [ThumbnailFormat]) async throws -> BenchPlan {
        var plan = BenchPlan()
        for peer in ThumbnailPeer.all where rounds.context.wantsPeer(peer.name) {
            guard let (path, version) = await Self.installed(peer) else {
                plan.notes.append("\(peer.name) is not installed and was left out.")
                continue
            }
            plan.libraries.append(BenchSetting(peer.name, version))
            for format in formats where peer.formats.contains(format) {
                plan.cases.append(try await programCase(peer, path, version, format))
            }
        }
        let hasPrograms = !plan.cases.isEmpty
        for library in ThumbnailLibrary.all where rounds.context.wantsPeer(library.name) {
            guard let python = MeasuredProgram.find("python3"),
                let version = await Self.output(of: python, ["-c", library.version])
            else {
                plan.notes.append(
                    "\(library.name) can't be imported by python3 and was left out.")
                continue
            }
            plan.libraries.append(BenchSetting(library.name, version))
            for format in formats where library.formats.contains(format) {
                plan.cases.append(try await libraryCase(library, python, version, format))
            }
        }
        if hasPrograms {
            for format in formats { plan.cases.append(try await ownCase(format)) }
        }
        return plan
    }

    /// `vitrine thumb`, measured like a peer's program.
    private func ownCase(_ format: ThumbnailFormat) async throws -> any BenchCase {
        let head = head(format, run: "program", note: "`vitrine thumb`, with its start.")
        let output = "\(rounds.context.scratch)/\(head.id)/own"
        // The directory is the input; it has nothing but the pictures.
        let directory = URL(fileURLWithPath: corpus.files[0]).deletingLastPathComponent().path
        var order = MeasuredProgram.Order(
            rounds.program,
            [
                "thumb", directory, "--force", "--output", output, "--formats", format.rawValue,
                "--levels",
                levels.map(\.name).joined(separator: ","),
            ] + rounds.context.settingArguments)
        order.inheritsSettings = true
        return programCase(head, order, variable: nil, output: output)
    }

    private func programCase(
        _ peer: ThumbnailPeer, _ path: String, _ version: String, _ format: ThumbnailFormat
    ) async throws -> any BenchCase {
        let head = head(
            format, run: "program", peer: (peer.name, version), note: peer.note)
        let scratch = "\(rounds.context.scratch)/\(head.id)"
        let list = "\(scratch)/pictures"
        let names = Array(corpus.files.joined(separator: "\0").utf8)
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(scratch)
            try LocalFile.replace(list, with: names)
        }
        let script = peer.script(wanted(format))
        let cores = MachineProcessors.count()
        // One process for each core, with as many pictures as it can take at once.
        let batch = min(64, (corpus.files.count + cores - 1) / cores)
        var order = MeasuredProgram.Order(
            "/usr/bin/xargs",
            [
                "-0", "-a", list, "-P", "\(cores)", "-n", "\(batch)", "sh", "-c", script,
                peer.name,
            ])
        order.environment = [
            "PROGRAM": path, "VIPS_CONCURRENCY": "1", "MAGICK_THREAD_LIMIT": "1",
            "OMP_NUM_THREADS": "1",
        ]
        return programCase(head, order, variable: "OUT", output: "\(scratch)/out")
    }

    private func programCase(
        _ head: BenchRow.Head, _ order: MeasuredProgram.Order, variable: String?, output: String
    ) -> ProgramCase {
        ProgramCase(
            head: head, order: order, variable: variable, output: output,
            errors: "\(rounds.context.scratch)/errors.txt", images: corpus.files.count,
            expected: corpus.files.count * levels.count)
    }

    private func libraryCase(
        _ library: ThumbnailLibrary, _ python: String, _ version: String,
        _ format: ThumbnailFormat
    ) async throws -> any BenchCase {
        let head = head(
            format, run: "threads=1", peer: (library.name, version), note: library.note)
        let scratch = "\(rounds.context.scratch)/\(head.id)"
        let wanted = wanted(format)
        let job = LibraryJob(
            files: corpus.files,
            levels: wanted.levels.map {
                LibraryJob.Box(
                    width: $0.width, height: $0.height, quality: wanted.quality($0),
                    effort: wanted.effort($0))
            }, format: format)
        let input = try await rounds.write(job, to: scratch)
        let script = "\(scratch)/peers.py"
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.replace(script, with: PackageResources.peers_py)
        }
        var order = MeasuredProgram.Order(python, [script, library.name])
        order.input = input
        return OutcomeCase(head: head, order: order, scratch: scratch)
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
    }

    private func head(
        _ format: ThumbnailFormat, run: String, peer: (name: String, version: String)? = nil,
        note: String
    ) -> BenchRow.Head {
        ThumbnailRounds.head(
            corpus, [format], levels, isAll: true, run: run, peer: peer, note: note)
    }

    private func wanted(_ format: ThumbnailFormat) -> ThumbnailPeer.Wanted {
        let largestFirst = levels.sorted { $0.width * $0.height > $1.width * $1.height }
        return ThumbnailPeer.Wanted(
            levels: largestFirst, format: format, imaging: rounds.context.settings.imaging,
            size: corpus.size)
    }

    /// Returns path and version of the first of a peer's programs that is what its name says.
    private static func installed(_ peer: ThumbnailPeer) async -> (path: String, version: String)? {
        for name in peer.programs {
            guard let path = MeasuredProgram.find(name),
                let line = await output(of: path, peer.versionArguments),
                let version = version(in: line, after: peer.marker)
            else { continue }
            return (path, version)
        }
        return nil
    }

    /// Returns the word after a marker: `8.14.1` of `libvips 8.14.1`.
    static func version(in line: String, after marker: String) -> String? {
        guard let place = line.firstRange(of: marker) else { return nil }
        return line[place.upperBound...].split(separator: " ").first.map(String.init)
    }

    /// Returns the first line that a program prints; nil if it fails or prints nothing.
    static func output(of program: String, _ arguments: [String]) async -> String? {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("vitrine-bench-\(UUID().uuidString)").path
        var order = MeasuredProgram.Order(program, arguments)
        order.output = .file(file)
        let end = try? await MeasuredProgram.run(order)
        return await FileThreads.run {
            defer { try? FileManager.default.removeItem(atPath: file) }
            guard end != nil, let text = ProcFile.text(file) else { return nil }
            return text.split(whereSeparator: \.isNewline).first.map(String.init)
        }
    }
}
