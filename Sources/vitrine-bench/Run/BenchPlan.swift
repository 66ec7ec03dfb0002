/// The cases of one subject.
struct BenchPlan: Sendable {
    var cases: [BenchCase] = []
    /// Added to the report's settings.
    var settings: [BenchSetting] = []
    /// Added to the report's notes, such as peers that are not installed.
    var notes: [String] = []
    /// Libraries and peers with their versions, added to the machine's.
    var libraries: [BenchSetting] = []

    /// Adds the plan of another configuration, whose rows and settings have its name. Nil is the
    /// only one.
    mutating func add(_ other: BenchPlan, configuration: String?) {
        cases += other.cases.map { one in
            var one = one
            if let configuration { one.head = one.head.with(configuration: configuration) }
            return one
        }
        settings += other.settings.map { setting in
            configuration.map { setting.with(configuration: $0) } ?? setting
        }
        notes += other.notes.filter { !notes.contains($0) }
        libraries += other.libraries.filter { !libraries.contains($0) }
    }
}
