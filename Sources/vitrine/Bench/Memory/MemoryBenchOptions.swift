import App
import ArgumentParser

/// The options of `vitrine bench memory`.
struct MemoryBenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Only this trace: zipf, scan, loop, shift or new; or a file with lines "KEY BYTES". \
            (default: all five)
            """, valueName: "trace"))
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Bytes that the cache may hold, such as 64MiB.", valueName: "size"))
    var capacity: CacheCapacity = CacheCapacity(bytes: 64 << 20)
}

/// A size from 1 MiB to 64 GiB.
struct CacheCapacity: ExpressibleByArgument, Sendable, Equatable, CustomStringConvertible {
    private static let range = 1 << 20...64 << 30

    var bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    init?(argument: String) {
        guard let bytes = SizeText.parse(argument), Self.range.contains(bytes) else { return nil }
        self.bytes = bytes
    }

    var description: String { SizeText.print(bytes) }
    var defaultValueDescription: String { description }
}
