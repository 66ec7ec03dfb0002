import Threads

#if NATS
    import CNats
    import Glibc
    import Synchronization

    /// A connection to the servers, which is made again for ever once it was made.
    ///
    /// Unchecked, because libnats guards its handles with its own locks; they are released last.
    final class NATSConnection: @unchecked Sendable {
        /// Calls that may be under way at once, each on a thread of its own.
        private static let threadCount = 8
        /// The pauses between two attempts, doubled up to the longest.
        private static let pause = Duration.milliseconds(50)
        private static let maxPause = Duration.seconds(1)

        let patience: Duration
        let threads: ThreadPool
        let connection: OpaquePointer
        /// The context of JetStream.
        let stream: OpaquePointer

        private init(
            _ connection: OpaquePointer, _ stream: OpaquePointer, _ threads: ThreadPool,
            _ patience: Duration
        ) {
            self.connection = connection
            self.stream = stream
            self.threads = threads
            self.patience = patience
        }

        deinit {
            jsCtx_Destroy(stream)
            natsConnection_Destroy(connection)
        }

        /// Connects. Tries again for as long as `patience` lasts.
        ///
        /// - Throws: ``QueueError/rejected(reason:)`` at once for wrong credentials,
        ///   ``QueueError/unreachable(reason:)``; `CancellationError`.
        static func open(
            _ servers: [String], _ credentials: QueueCredentials, client: String,
            patience: Duration
        ) async throws -> NATSConnection {
            let threads = ThreadPool("nats", count: threadCount, .forServer)
            let deadline = ContinuousClock.now + patience
            while true {
                try Task.checkCancellation()
                do throws(QueueError) {
                    return try await threads.run { () throws(QueueError) in
                        try connect(servers, credentials, client, threads, patience)
                    }
                } catch {
                    guard error.isTransient, .now < deadline else { throw error }
                }
                try await Task.sleep(for: pause)
            }
        }

        private static func connect(
            _ servers: [String], _ credentials: QueueCredentials, _ client: String,
            _ threads: ThreadPool, _ patience: Duration
        ) throws(QueueError) -> NATSConnection {
            var connection: OpaquePointer?
            var names: [UnsafePointer<CChar>?] = servers.map {
                strdup($0).map { UnsafePointer($0) }
            }
            defer { for name in names { free(UnsafeMutablePointer(mutating: name)) } }
            let status = vitrine_nats_connect(
                &connection, &names, CInt(servers.count), credentials.user, credentials.password,
                credentials.file, client)
            guard status == NATS_OK, let connection else {
                // The library's text may have the URL with its password.
                let text = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
                if status == NATS_CONNECTION_AUTH_FAILED || text.contains("uthoriz") {
                    throw .rejected(reason: "check NATS_USER and NATS_PASSWORD")
                }
                throw .unreachable(reason: reason(status))
            }
            var stream: OpaquePointer?
            let made = natsConnection_JetStream(&stream, connection, nil)
            guard made == NATS_OK, let stream else {
                natsConnection_Destroy(connection)
                throw .unreachable(reason: reason(made))
            }
            return NATSConnection(connection, stream, threads, patience)
        }

        /// Ends the connection. Further calls fail.
        func close() async {
            await threads.run { [self] in natsConnection_Close(connection) }
        }

        /// Streams are kept three times where there are three servers.
        var replicas: CInt { vitrine_nats_servers(connection) >= 3 ? 3 : 1 }

        /// Makes a call on a thread of its own.
        ///
        /// - Parameter isRepeated: whether a call that failed is made again for as long as the
        ///   patience lasts, such as until a stream has a leader again.
        func call<Value: Sendable>(
            _ operation: String, isRepeated: Bool = true,
            _ body: @escaping @Sendable (_ stream: OpaquePointer) throws(QueueError) -> Value
        ) async throws(QueueError) -> Value {
            let deadline = ContinuousClock.now + patience
            var pause = Self.pause
            while true {
                do throws(QueueError) {
                    return try await threads.run { [self] () throws(QueueError) in
                        try body(stream)
                    }
                } catch {
                    guard isRepeated, error.isTransient, .now < deadline, !Task.isCancelled else {
                        throw error
                    }
                }
                // A canceled pause ends early; the call is then made a last time.
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, Self.maxPause)
            }
        }

        /// Returns unless the call failed.
        static func check(
            _ status: natsStatus, _ operation: String, _ code: jsErrCode = jsErrCode(rawValue: 0)
        ) throws(QueueError) {
            guard status != NATS_OK else { return }
            switch status {
            case NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED, NATS_NO_SERVER,
                NATS_STALE_CONNECTION, NATS_IO_ERROR, NATS_NO_RESPONDERS, NATS_TIMEOUT:
                throw .unreachable(reason: reason(status))
            default:
                let detail = code.rawValue == 0 ? "" : ", code \(code.rawValue)"
                throw .failed(operation: operation, reason: reason(status) + detail)
            }
        }

        private static func reason(_ status: natsStatus) -> String {
            natsStatus_GetText(status).map { String(cString: $0).lowercased() } ?? "unknown"
        }

        /// Creates a stream with as many replicas as the servers allow, if it is missing.
        func addStream(
            _ name: String, subject: String, isWorkQueue: Bool, maxAge: Duration, dedupe: Duration
        ) async throws(QueueError) {
            try await call("create the stream \(name)") { [self] stream throws(QueueError) in
                var state = vitrine_nats_stream_state()
                var code = jsErrCode(rawValue: 0)
                let known = vitrine_nats_get_stream(stream, name, &state, &code)
                if known == NATS_OK { return }
                if known != NATS_NOT_FOUND {
                    try Self.check(known, "read the stream \(name)", code)
                }
                func add(_ replicas: CInt) -> natsStatus {
                    vitrine_nats_add_stream(
                        stream, name, subject, isWorkQueue, replicas, maxAge.nanoseconds,
                        dedupe.nanoseconds, &code)
                }
                var status = add(replicas)
                if status != NATS_OK, Int(code.rawValue) == Int(vitrine_nats_not_clustered) {
                    status = add(1)
                }
                try Self.check(status, "create the stream \(name)", code)
            }
        }

        /// Returns what a stream holds.
        func state(_ name: String) async throws(QueueError) -> vitrine_nats_stream_state {
            try await call("read the stream \(name)") { stream throws(QueueError) in
                var state = vitrine_nats_stream_state()
                var code = jsErrCode(rawValue: 0)
                try Self.check(
                    vitrine_nats_get_stream(stream, name, &state, &code),
                    "read the stream \(name)", code)
                return state
            }
        }

        /// Adds a message and returns its number, and whether one with this id was there before.
        func publish(
            _ bytes: [UInt8], subject: String, id: String?
        ) async throws(QueueError) -> (number: UInt64, isDuplicate: Bool) {
            try await call("publish") { stream throws(QueueError) in
                var number: UInt64 = 0
                var isDuplicate = false
                var code = jsErrCode(rawValue: 0)
                let status = vitrine_nats_publish(
                    stream, subject, bytes, CInt(bytes.count), id, Self.publishLimit, &number,
                    &isDuplicate, &code)
                try Self.check(status, "publish", code)
                return (number, isDuplicate)
            }
        }

        /// Milliseconds after which a message is published again.
        private static let publishLimit: Int64 = 2_000

        /// Returns a message of a stream; nil if none has that number.
        func message(_ number: UInt64, of name: String) async throws(QueueError) -> [UInt8]? {
            try await call("read the stream \(name)") { stream throws(QueueError) in
                var message: OpaquePointer?
                var code = jsErrCode(rawValue: 0)
                let status = js_GetMsg(&message, stream, name, number, nil, &code)
                if status == NATS_NOT_FOUND { return nil }
                try Self.check(status, "read the stream \(name)", code)
                defer { natsMsg_Destroy(message) }
                return Self.bytes(of: message)
            }
        }

        static func bytes(of message: OpaquePointer?) -> [UInt8] {
            guard let data = natsMsg_GetData(message) else { return [] }
            let count = Int(natsMsg_GetDataLength(message))
            return Array(UnsafeRawBufferPointer(start: data, count: count))
        }
    }

    extension Duration {
        var nanoseconds: Int64 {
            let (seconds, fraction) = components
            return Int64(clamping: seconds) &* 1_000_000_000 &+ fraction / 1_000_000_000
        }
    }
#endif
