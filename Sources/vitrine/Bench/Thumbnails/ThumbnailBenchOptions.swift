import ArgumentParser

/// The options of `vitrine bench thumbnails`.
struct ThumbnailBenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Levels to render, separated by commas. (default: all)", valueName: "names"))
    var levels: String?

    @Option(
        help: ArgumentHelp(
            "Formats to render, separated by commas: webp, jpeg, avif, png. (default: all, or "
                + "webp,jpeg with --quick)", valueName: "names"))
    var formats: String?

    @Option(
        help: ArgumentHelp(
            "Numbers of render threads, separated by commas. (default: 1, doubled up to the cores)",
            valueName: "numbers"))
    var threads: String?

    /// What is to be rendered.
    var renditions: RenditionOptions {
        var options = RenditionOptions()
        options.levels = levels
        options.formats = formats
        return options
    }

    /// Returns the numbers in rising order.
    func threadCounts(cores: Int) throws(CommandError) -> [Int] {
        guard let threads else { return Self.doubled(to: cores) }
        var counts: Set<Int> = []
        for text in threads.split(separator: ",") {
            guard let count = Int(text), (1...1_024).contains(count) else {
                throw .usage("--threads: “\(text)” is not a number from 1 to 1024.")
            }
            counts.insert(count)
        }
        if counts.isEmpty { throw .usage("--threads is empty; name a number, such as 1.") }
        return counts.sorted()
    }

    /// Returns 1, 2, 4, … and at last the number of cores.
    static func doubled(to cores: Int) -> [Int] {
        var counts: [Int] = []
        var count = 1
        while count < cores {
            counts.append(count)
            count *= 2
        }
        return counts + [cores]
    }
}
