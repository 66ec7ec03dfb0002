/// The policies that ``MemoryBench`` compares.
enum PolicyName: String, CaseIterable, Sendable {
    case lru, sieve
    case s3fifo = "s3-fifo"
    case tinyLFU = "w-tinylfu"

    var policy: any TracedPolicy.Type {
        switch self {
        case .lru: LRUPolicy.self
        case .sieve: SievePolicy.self
        case .s3fifo: S3FIFOPolicy.self
        case .tinyLFU: TinyLFUPolicy.self
        }
    }
}
