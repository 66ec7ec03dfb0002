/// Remembers which representation each value of `Accept` leads to. Belongs to one thread.
struct NegotiatedRepresentations {
    /// Browsers send a handful of values. More than this is abuse.
    private static let maxCount = 256
    /// Longest value in bytes that is remembered; browsers' are half as long.
    private static let maxLength = 512

    private let source: any HitSource
    private let withoutField: UInt8
    private var known: [UInt64: (field: [UInt8], representation: UInt8)] = [:]

    init(_ source: any HitSource) {
        self.source = source
        withoutField = source.representation(accept: nil)
    }

    mutating func representation(_ field: UnsafeRawBufferPointer?) -> UInt8 {
        guard let field else { return withoutField }
        let key = field.hash(0)
        if let known = known[key], known.field.equals(field) { return known.representation }
        let representation = source.representation(accept: field)
        guard field.count <= Self.maxLength else { return representation }
        if known.count >= Self.maxCount { known.removeAll() }
        known[key] = (Array(field), representation)
        return representation
    }
}
