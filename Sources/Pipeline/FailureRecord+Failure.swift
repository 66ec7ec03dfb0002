import Store

extension FailureRecord {
    init(_ failure: Failure) {
        self.init(kind: failure.kind.rawValue, reason: failure.reason, until: failure.until)
    }
}

extension Failure {
    /// `nil` where the record holds a kind that this program doesn't know: then it is as if nothing
    /// had been remembered.
    init?(_ record: FailureRecord) {
        guard let kind = Kind(rawValue: record.kind) else { return nil }
        self.init(kind: kind, reason: record.reason, until: record.until)
    }
}
