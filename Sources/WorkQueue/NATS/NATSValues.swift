#if NATS
    import CNats

    /// Values in a bucket of JetStream.
    ///
    /// Unchecked, because libnats guards its handles with its own locks; they are released last.
    final class NATSValues: SharedValues, @unchecked Sendable {
        /// Milliseconds within which the bucket must begin to list its values.
        private static let listLimit: Int64 = 5_000

        private let connection: NATSConnection
        private let store: OpaquePointer

        private init(_ connection: NATSConnection, _ store: OpaquePointer) {
            self.connection = connection
            self.store = store
        }

        /// - Throws: ``QueueError`` if the bucket can't be created.
        static func open(
            _ connection: NATSConnection, bucket: String, life: Duration
        ) async throws(QueueError) -> NATSValues {
            try await connection.call("create the bucket \(bucket)") {
                stream throws(QueueError) in
                var store: OpaquePointer?
                let status = vitrine_nats_bucket(
                    &store, stream, bucket, life.nanoseconds, connection.replicas)
                try NATSConnection.check(status, "create the bucket \(bucket)")
                guard let store else {
                    throw .failed(operation: "create the bucket \(bucket)", reason: "no bucket")
                }
                return NATSValues(connection, store)
            }
        }

        deinit { kvStore_Destroy(store) }

        func value(_ key: String) async throws(QueueError) -> SharedValue? {
            try await connection.call("read a value") { [self] _ throws(QueueError) in
                try read(key)
            }
        }

        /// Blocks.
        private func read(_ key: String) throws(QueueError) -> SharedValue? {
            var entry: OpaquePointer?
            let status = kvStore_Get(&entry, store, key)
            if status == NATS_NOT_FOUND { return nil }
            try NATSConnection.check(status, "read a value")
            defer { kvEntry_Destroy(entry) }
            return Self.value(entry)
        }

        private static func value(_ entry: OpaquePointer?) -> SharedValue {
            let count = Int(kvEntry_ValueLen(entry))
            let bytes = UnsafeRawBufferPointer(
                start: count > 0 ? kvEntry_Value(entry) : nil, count: count)
            return SharedValue(bytes: Array(bytes), revision: kvEntry_Revision(entry))
        }

        func set(_ key: String, _ bytes: [UInt8]) async throws(QueueError) -> UInt64 {
            try await connection.call("write a value") { [self] _ throws(QueueError) in
                var revision: UInt64 = 0
                let status = kvStore_Put(&revision, store, key, bytes, CInt(bytes.count))
                try NATSConnection.check(status, "write a value")
                return revision
            }
        }

        func exchange(
            _ key: String, _ bytes: [UInt8], for revision: UInt64?
        ) async throws(QueueError) -> UInt64? {
            try await connection.call("write a value") { [self] _ throws(QueueError) in
                var new: UInt64 = 0
                let count = CInt(bytes.count)
                let status =
                    revision.map { kvStore_Update(&new, store, key, bytes, count, $0) }
                    ?? kvStore_Create(&new, store, key, bytes, count)
                if status == NATS_OK { return new }
                // The library doesn't say whether another node was first.
                guard let found = try read(key) else {
                    if revision != nil { return nil }
                    try NATSConnection.check(status, "write a value")
                    return nil
                }
                if found.bytes == bytes, found.revision > revision ?? 0 { return found.revision }
                if found.revision != revision { return nil }
                try NATSConnection.check(status, "write a value")
                return nil
            }
        }

        func remove(_ key: String) async throws(QueueError) {
            try await connection.call("remove a value") { [self] _ throws(QueueError) in
                try NATSConnection.check(kvStore_Delete(store, key), "remove a value")
            }
        }

        func all(_ prefix: String) async throws(QueueError) -> [String: SharedValue] {
            try await connection.call("list values") { [self] _ throws(QueueError) in
                var watcher: OpaquePointer?
                var options = kvWatchOptions()
                kvWatchOptions_Init(&options)
                options.IgnoreDeletes = true
                try NATSConnection.check(
                    kvStore_WatchAll(&watcher, store, &options), "list values")
                defer { kvWatcher_Destroy(watcher) }
                var values: [String: SharedValue] = [:]
                while true {
                    var entry: OpaquePointer?
                    let status = kvWatcher_Next(&entry, watcher, Self.listLimit)
                    try NATSConnection.check(status, "list values")
                    // The present values end with nothing.
                    guard let entry else { return values }
                    defer { kvEntry_Destroy(entry) }
                    let key = String(cString: kvEntry_Key(entry))
                    if key.hasPrefix(prefix) { values[key] = Self.value(entry) }
                }
            }
        }
    }
#endif
