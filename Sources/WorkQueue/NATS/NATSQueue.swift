import Threads

#if NATS
    import CNats
    import FoundationEssentials
    import Synchronization

    /// Jobs in a work-queue stream of JetStream.
    ///
    /// Each lane, route and origin has a subject and a durable pull consumer of its own, because
    /// consumers of such a stream must not overlap. The stream has no limits: a stream that is full
    /// loses acknowledged messages (nats-server #7608).
    final class NATSQueue: WorkQueue {
        /// The pauses between two looks for jobs, doubled up to the longest.
        private static let pause = Duration.milliseconds(20)
        private static let maxPause = Duration.milliseconds(500)
        /// How long the list of consumers is believed.
        private static let listLife = Duration.seconds(2)

        /// A pull consumer. Its name is `LANE_ROUTE_ORIGIN`.
        private struct Consumer: Hashable {
            var lane: QueueJob.Lane
            var route: String
            var origin: String

            var name: String { "\(lane.rawValue)_\(route)_\(origin)" }

            init(_ lane: QueueJob.Lane, _ route: String, _ origin: String) {
                self.lane = lane
                self.route = route
                self.origin = origin
            }

            init?(_ name: String) {
                let parts = name.split(separator: "_", omittingEmptySubsequences: false)
                guard parts.count == 3, let lane = QueueJob.Lane(rawValue: String(parts[0])) else {
                    return nil
                }
                self.init(lane, String(parts[1]), String(parts[2]))
            }
        }

        /// Open subscriptions. Used by one thread at a time.
        ///
        /// Unchecked, because it is only used inside of a lock.
        private final class Subscriptions: @unchecked Sendable {
            var open: [Consumer: (OpaquePointer, inbox: String)] = [:]
            /// Rotates, so that every origin is the first one now and then.
            var turn = 0

            deinit {
                for (subscription, _) in open.values { natsSubscription_Destroy(subscription) }
            }
        }

        private let connection: NATSConnection
        private let name: String
        private let policy: QueuePolicy
        private let created = Mutex<Set<Consumer>>([])
        /// The consumers as they were listed last, and until when the list is believed.
        private let listing = Mutex<(consumers: [Consumer], until: ContinuousClock.Instant)?>(nil)
        private let subscriptions = Mutex(Subscriptions())

        private var jobs: String { "\(name)-jobs" }
        private var graves: String { "\(name)-dead" }

        /// - Throws: ``QueueError`` if the streams can't be created.
        init(
            _ connection: NATSConnection, name: String, _ policy: QueuePolicy
        ) async throws(QueueError) {
            self.connection = connection
            self.name = name
            self.policy = policy
            try await connection.addStream(
                jobs, subject: "\(name).job.>", isWorkQueue: true, maxAge: .zero,
                dedupe: policy.dedupe)
            try await connection.addStream(
                graves, subject: "\(name).dead.>", isWorkQueue: false, maxAge: policy.retention,
                dedupe: policy.dedupe)
        }

        private func subject(_ consumer: Consumer) -> String {
            "\(name).job.\(consumer.lane.rawValue).\(consumer.route).\(consumer.origin)"
        }

        func publish(_ job: QueueJob) async throws(QueueError) -> Bool {
            let consumer = Consumer(job.lane, job.route, job.origin)
            try await create(consumer)
            let answer = try await connection.publish(
                job.body, subject: subject(consumer), id: job.id)
            return !answer.isDuplicate
        }

        private func create(_ consumer: Consumer) async throws(QueueError) {
            if created.withLock({ $0.contains(consumer) }) { return }
            let (stream, filter) = (jobs, subject(consumer))
            let (lease, maxLeased) = (policy.lease.nanoseconds, Int64(policy.maxLeased))
            try await connection.call("create a consumer") { context throws(QueueError) in
                var code = jsErrCode(rawValue: 0)
                let status = vitrine_nats_add_consumer(
                    context, stream, consumer.name, filter, lease, maxLeased, &code)
                try NATSConnection.check(status, "create a consumer", code)
            }
            created.withLock { _ = $0.insert(consumer) }
            listing.withLock { $0 = nil }
        }

        func fetch(_ request: QueueFetch, wait: Duration) async throws -> [Delivery] {
            let deadline = ContinuousClock.now + wait
            var pause = Self.pause
            while true {
                try Task.checkCancellation()
                let consumers = try await consumers(of: request)
                if !consumers.isEmpty {
                    let found = try await connection.threads.run { [self] () throws -> [Delivery] in
                        try take(consumers, request.limit)
                    } abandon: { [self] (found: [Delivery]) in
                        // The caller is gone. Other workers take them at once.
                        for delivery in found { _ = tell(delivery, "-NAK") }
                    }
                    if !found.isEmpty { return found }
                }
                let left = deadline - .now
                guard left > .zero else { return [] }
                policy.idles()
                try await Task.sleep(for: min(left, pause))
                pause = min(pause * 2, Self.maxPause)
            }
        }

        private func consumers(of request: QueueFetch) async throws -> [Consumer] {
            let known = listing.withLock { listing in
                listing.flatMap { $0.until > .now ? $0.consumers : nil }
            }
            var all = known ?? []
            if known == nil {
                all = try await connection.threads.run { [self] () throws -> [Consumer] in
                    try listed()
                } abandon: { (_: [Consumer]) in
                }
                listing.withLock { [all] in $0 = (all, .now + Self.listLife) }
            }
            return all.filter {
                $0.route == request.route && !request.without.contains($0.origin)
            }
        }

        /// Blocks.
        private func listed() throws(QueueError) -> [Consumer] {
            var list: UnsafeMutablePointer<jsConsumerNamesList>?
            var code = jsErrCode(rawValue: 0)
            let status = js_ConsumerNames(&list, connection.stream, jobs, nil, &code)
            // A stream without a consumer.
            if status == NATS_NOT_FOUND { return [] }
            try NATSConnection.check(status, "list consumers", code)
            defer { jsConsumerNamesList_Destroy(list) }
            guard let list, let names = list.pointee.List else { return [] }
            return (0..<Int(list.pointee.Count)).compactMap { index in
                names[index].flatMap { Consumer(String(cString: $0)) }
            }.sorted { $0.name < $1.name }
        }

        /// Takes what is there. Blocks.
        private func take(
            _ consumers: [Consumer], _ limit: Int
        ) throws(QueueError) -> [Delivery] {
            try subscriptions.withLock { subscriptions throws(QueueError) in
                var found: [Delivery] = []
                for lane in QueueJob.Lane.allCases {
                    var own = consumers.filter { $0.lane == lane }
                    guard !own.isEmpty else { continue }
                    subscriptions.turn &+= 1
                    let first = abs(subscriptions.turn % own.count)
                    own = Array(own[first...] + own[..<first])
                    // Each origin its share, then the rest for those that have more.
                    for round in 0..<2 {
                        let share = max(1, (limit - found.count) / own.count)
                        for consumer in own where found.count < limit {
                            let most = round == 0 ? share : limit - found.count
                            found += try take(consumer, most, subscriptions)
                        }
                    }
                }
                return found
            }
        }

        /// Asks for what is there. The server ends its answer with a status, unless the answer is
        /// as long as it may be.
        private func take(
            _ consumer: Consumer, _ limit: Int, _ subscriptions: Subscriptions
        ) throws(QueueError) -> [Delivery] {
            let (subscription, inbox) = try open(consumer, subscriptions)
            try NATSConnection.check(
                natsConnection_PublishRequestString(
                    connection.connection, "$JS.API.CONSUMER.MSG.NEXT.\(jobs).\(consumer.name)",
                    inbox, #"{"batch":\#(limit),"no_wait":true}"#), "fetch")
            var found: [Delivery] = []
            while found.count < limit {
                var message: OpaquePointer?
                let status = natsSubscription_NextMsg(&message, subscription, Self.answerLimit)
                guard status == NATS_OK, let message else {
                    // No server leads the consumer just now. A late answer is found by the next
                    // request.
                    if status != NATS_TIMEOUT { try NATSConnection.check(status, "fetch") }
                    break
                }
                defer { natsMsg_Destroy(message) }
                let code = vitrine_nats_status(message)
                if code == Self.noResponders {
                    throw .unreachable(reason: "no server leads the stream")
                }
                if code != 0 { break }
                guard let reply = natsMsg_GetReply(message).map({ String(cString: $0) }) else {
                    continue
                }
                found.append(
                    Delivery(
                        lane: consumer.lane, route: consumer.route, origin: consumer.origin,
                        body: NATSConnection.bytes(of: message), count: Self.deliveries(reply),
                        handle: reply))
            }
            return found
        }

        /// Milliseconds within which the server answers.
        private static let answerLimit: Int64 = 2_000
        private static let noResponders: CInt = 503

        /// `$JS.ACK.STREAM.CONSUMER.DELIVERIES.…`, or with a domain and an account before the stream.
        private static func deliveries(_ reply: String) -> Int {
            let parts = reply.split(separator: ".")
            let place = parts.count >= 11 ? 6 : 4
            return parts.count > place ? Int(parts[place]) ?? 1 : 1
        }

        private func open(
            _ consumer: Consumer, _ subscriptions: Subscriptions
        ) throws(QueueError) -> (OpaquePointer, inbox: String) {
            if let known = subscriptions.open[consumer] { return known }
            let inbox = "_INBOX.\(String(UInt64.random(in: .min ... .max), radix: 36))"
            var subscription: OpaquePointer?
            let status = natsConnection_SubscribeSync(&subscription, connection.connection, inbox)
            try NATSConnection.check(status, "subscribe")
            guard let subscription else {
                throw .failed(operation: "subscribe", reason: "no subscription")
            }
            subscriptions.open[consumer] = (subscription, inbox)
            return (subscription, inbox)
        }

        /// Sends what became of a job, without a confirmation.
        private func tell(_ delivery: Delivery, _ text: String) -> natsStatus {
            guard let reply = delivery.handle as? String else { return NATS_OK }
            return natsConnection_PublishString(connection.connection, reply, text)
        }

        func extend(_ delivery: Delivery) async throws(QueueError) {
            try await connection.call("renew a lease", isRepeated: false) {
                [self] _ throws(QueueError) in
                try NATSConnection.check(tell(delivery, "+WPI"), "renew a lease")
            }
        }

        func finish(_ delivery: Delivery) async throws(QueueError) {
            guard let address = delivery.handle as? String else { return }
            try await connection.call("confirm a job") { [self] _ throws(QueueError) in
                var reply: OpaquePointer?
                let status = natsConnection_RequestString(
                    &reply, connection.connection, address, "+ACK", Self.answerLimit)
                natsMsg_Destroy(reply)
                try NATSConnection.check(status, "confirm a job")
            }
        }

        func retry(_ delivery: Delivery, after delay: Duration) async throws(QueueError) {
            let pause = delay.nanoseconds
            let text = pause > 0 ? #"-NAK {"delay":\#(pause)}"# : "-NAK"
            try await connection.call("give a job back") { [self] _ throws(QueueError) in
                try NATSConnection.check(tell(delivery, text), "give a job back")
            }
        }

        func bury(_ delivery: Delivery, reason: String, body: [UInt8]) async throws(QueueError) {
            let dead = DeadJob(
                reason: reason, origin: delivery.origin, deliveries: delivery.count,
                at: Date().timeIntervalSince1970, body: body)
            guard let bytes = try? JSONEncoder().encode(dead) else {
                throw .failed(operation: "keep a dead job", reason: "it can't be written")
            }
            // The reason is stored before the job is removed.
            _ = try await connection.publish(
                Array(bytes), subject: "\(name).dead.\(delivery.origin)", id: nil)
            try await finish(delivery)
        }

        func backlog() async throws(QueueError) -> Backlog {
            let state = try await connection.state(jobs)
            let dead = try await connection.state(graves)
            let parts = try await connection.call("count its jobs") {
                [self] context throws(QueueError) in
                var parts: [Backlog.Part] = []
                for consumer in try listed() {
                    var state = vitrine_nats_consumer_state()
                    var code = jsErrCode(rawValue: 0)
                    let status = vitrine_nats_get_consumer(
                        context, jobs, consumer.name, &state, &code)
                    if status == NATS_NOT_FOUND { continue }
                    try NATSConnection.check(status, "count its jobs", code)
                    parts.append(
                        Backlog.Part(
                            lane: consumer.lane, route: consumer.route, origin: consumer.origin,
                            waiting: Int(clamping: state.waiting),
                            leased: Int(clamping: state.leased),
                            redelivered: Int(clamping: state.redelivered)))
                }
                return parts
            }
            var backlog = Backlog(parts: parts.filter { $0.waiting + $0.leased > 0 })
            // A server may count a message that is confirmed for a moment.
            if state.messages > 0, !backlog.parts.isEmpty {
                let age = Date().timeIntervalSince1970 - Double(state.firstTime) / 1e9
                backlog.oldest = max(0, age)
            }
            backlog.dead = Int(clamping: dead.messages)
            return backlog
        }

        func dead(limit: Int) async throws(QueueError) -> [DeadJob] {
            let state = try await connection.state(graves)
            var found: [DeadJob] = []
            var number = state.last
            while found.count < limit, number >= max(1, state.first), state.messages > 0 {
                if let bytes = try await connection.message(number, of: graves),
                    let dead = try? JSONDecoder().decode(DeadJob.self, from: Data(bytes))
                {
                    found.append(dead)
                }
                number -= 1
            }
            return found
        }
    }

    /// Events in a stream that drops them by their age.
    struct NATSEvents: EventLog {
        private let connection: NATSConnection
        private let name: String

        private var stream: String { "\(name)-purges" }

        /// - Throws: ``QueueError`` if the stream can't be created.
        init(
            _ connection: NATSConnection, name: String, _ policy: QueuePolicy
        ) async throws(QueueError) {
            self.connection = connection
            self.name = name
            try await connection.addStream(
                "\(name)-purges", subject: "\(name).purge", isWorkQueue: false,
                maxAge: policy.retention, dedupe: policy.dedupe)
        }

        func append(_ bytes: [UInt8]) async throws(QueueError) -> UInt64 {
            // The id makes a repeated attempt harmless.
            let id = String(UInt64.random(in: .min ... .max), radix: 36)
            return try await connection.publish(bytes, subject: "\(name).purge", id: id).number
        }

        func extent() async throws(QueueError) -> EventExtent {
            let state = try await connection.state(stream)
            return EventExtent(
                identity: "\(state.created)",
                first: state.messages > 0 ? state.first : state.last + 1, last: state.last)
        }

        func event(_ number: UInt64) async throws(QueueError) -> [UInt8]? {
            try await connection.message(number, of: stream)
        }
    }
#endif
