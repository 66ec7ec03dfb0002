/// A name and its value, kept in order: a setting, a label, a library's version.
struct BenchSetting: Sendable, Hashable, Codable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The same setting as that of one of several configurations.
    func with(configuration: String) -> BenchSetting {
        BenchSetting("\(name) (\(configuration))", value)
    }

    /// Returns the setting without the configuration's name; nil if it is another's.
    func of(configuration: String) -> BenchSetting? {
        let end = " (\(configuration))"
        return name.hasSuffix(end) ? BenchSetting(String(name.dropLast(end.count)), value) : nil
    }
}
