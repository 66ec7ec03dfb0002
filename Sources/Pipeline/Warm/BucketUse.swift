import Fetch

/// What a bucket was asked for, because it costs money.
package struct BucketUse: Sendable, Equatable, Codable {
    /// What a request wants.
    enum Operation: String, Sendable {
        case get, list, head

        /// Only lists have a query.
        init(_ request: FetchRequest) {
            let hasQuery = request.url.utf8.contains(UInt8(ascii: "?"))
            self = request.method == .head ? .head : hasQuery ? .list : .get
        }
    }

    /// Requests, retries included.
    package var gets = 0
    package var lists = 0
    package var heads = 0
    /// Received, of objects and lists.
    package var bytes = 0

    package init() {}

    mutating func add(_ operation: Operation, _ times: Int, _ bytes: Int) {
        switch operation {
        case .get: gets += times
        case .list: lists += times
        case .head: heads += times
        }
        self.bytes += bytes
    }

    var counts: [Int] { [gets, lists, heads, bytes] }

    static func + (one: BucketUse, other: BucketUse) -> BucketUse {
        var sum = one
        sum.add(.get, other.gets, other.bytes)
        sum.add(.list, other.lists, 0)
        sum.add(.head, other.heads, 0)
        return sum
    }
}
