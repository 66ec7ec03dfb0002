import Catalog
import Imaging
import Pipeline

extension ConfigurationKey {
    static let warm: [Self] = [
        .list(
            "warm.formats", \.pipeline.warm.formats, of: .format,
            "Formats that warm runs make by default. Leave out what your clients don't request."),
        .list(
            "warm.levels", \.pipeline.warm.levels, of: .text("the name of a level"),
            "Levels that warm runs make by default; an empty list is all."),
        .list(
            "warm.jobs", \.pipeline.warm.jobs, of: .warmJob,
            "Lists that the service keeps warm, one at a time, as on the command line of "
                + "vitrine warm: tvmaze shows --pages 0-3 --every 6h. See docs/warming.md."),
    ]
}

extension ValueSyntax where Value == ThumbnailFormat {
    /// `webp`, `jpeg` or `jpg`, `avif`, `png`.
    static var format: Self {
        let known = ThumbnailFormat.allCases.map(\.rawValue).listed(by: "or")
        return Self(
            expected: known,
            parse: { ThumbnailFormat(rawValue: $0 == "jpg" ? "jpeg" : $0) },
            print: { $0.rawValue })
    }
}

extension ValueSyntax where Value == WarmSchedule.Job {
    /// `SOURCE LIST [WORD…] [NAME=VALUE…] [--pages A-B] [--limit N] [--formats F,…] [--pin] --every DURATION`.
    static var warmJob: Self {
        Self(
            expected: "a list and how often, such as tvmaze shows --pages 0-3 --every 6h",
            parse: parse, print: print)
    }

    private static let every = ValueSyntax<Duration>.duration(.seconds(60)...ConfigurationKey.year)

    private static func parse(_ text: String) -> WarmSchedule.Job? {
        var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        var options: [String: String] = [:]
        let pin = words.firstIndex(of: "--pin")
        if let pin { words.remove(at: pin) }
        while let index = words.firstIndex(where: { $0.hasPrefix("--") }) {
            guard index + 1 < words.count,
                options.updateValue(words[index + 1], forKey: words[index]) == nil
            else { return nil }
            words.removeSubrange(index...index + 1)
        }
        let known: Set = ["--pages", "--limit", "--formats", "--every"]
        guard words.count >= 2, Set(options.keys).isSubset(of: known),
            let duration = options["--every"].flatMap(every.parse)
        else { return nil }
        var job = WarmSchedule.Job(source: words[0], list: words[1], every: duration)
        job.isPinned = pin != nil
        if let pages = options["--pages"] {
            guard WarmPlan.range(pages) != nil else { return nil }
            job.pages = pages
        }
        if let limit = options["--limit"] {
            guard let number = Int(limit), number > 0 else { return nil }
            job.limit = number
        }
        if let formats = options["--formats"] {
            for name in formats.split(separator: ",", omittingEmptySubsequences: false) {
                guard let format = ValueSyntax<ThumbnailFormat>.format.parse(String(name)) else {
                    return nil
                }
                job.formats.append(format)
            }
        }
        for word in words.dropFirst(2) {
            guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
                job.words.append(word)
                continue
            }
            let name = String(word[..<sign])
            guard job.parameters[name] == nil else { return nil }
            job.parameters[name] = String(word[word.index(after: sign)...])
        }
        return job
    }

    private static func print(_ job: WarmSchedule.Job) -> String {
        let parameters = job.parameters.map { "\($0.key)=\($0.value)" }.sorted()
        let options = [
            job.pages.map { "--pages \($0)" }, job.limit.map { "--limit \($0)" },
            job.formats.isEmpty
                ? nil : "--formats \(job.formats.map(\.rawValue).joined(separator: ","))",
            job.isPinned ? "--pin" : nil, "--every \(every.print(job.every))",
        ].compactMap(\.self)
        return ([job.source, job.list] + job.words + parameters + options).joined(separator: " ")
    }
}
