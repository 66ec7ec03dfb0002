/// The bytes of a request's body until its responder has all of them, whichever version of HTTP they come
/// over. Belongs to the thread of the connection.
struct BodyReader {
    private var bytes: [UInt8] = []
    private var reader: (limit: Int, continuation: CheckedContinuation<RequestBody, Never>)?
    /// Whether the rest of the body is dropped.
    var isUnwanted = false

    var count: Int { bytes.count }
    /// Whether the responder waits for the body.
    var isAwaited: Bool { reader != nil }

    mutating func add(_ more: UnsafeRawBufferPointer) { if !isUnwanted { bytes += more } }

    /// Resumes the responder once the body is whole or too long. Called once.
    mutating func read(
        upTo limit: Int, _ continuation: CheckedContinuation<RequestBody, Never>, isWhole: Bool
    ) {
        assert(reader == nil, "two responders wait for one body")
        reader = (limit, continuation)
        deliver(isWhole: isWhole)
    }

    /// Resumes a responder that waits if the body is whole or too long.
    mutating func deliver(isWhole: Bool) {
        guard let reader else { return }
        if bytes.count > reader.limit {
            finish(.tooLong)
        } else if isWhole {
            finish(.whole(bytes))
        }
    }

    /// Resumes a responder that waits. It gets nothing further.
    mutating func finish(_ body: RequestBody) {
        guard let reader else { return }
        self.reader = nil
        (isUnwanted, bytes) = (true, [])
        reader.continuation.resume(returning: body)
    }

    /// Drops the bytes that no responder got, and those that follow. Returns how many there are.
    mutating func drop() -> Int {
        defer { (isUnwanted, bytes) = (true, []) }
        return bytes.count
    }
}
