/// What the nodes of a fleet share beside the store of pictures: jobs, small values, and purges.
package struct Hub: Sendable {
    package let address: QueueAddress
    package let policy: QueuePolicy
    package let queue: any WorkQueue
    /// Values that stay: cursors, progress, shares of rates.
    package let values: any SharedValues
    /// Values that vanish a short time after their last write: nodes that are up.
    package let live: any SharedValues
    /// Values that stay for good: what is blocked.
    package let blocks: any SharedValues
    package let purges: any EventLog
    private let end: @Sendable () async -> Void

    /// Opens a queue, and creates what is missing in it.
    ///
    /// - Parameter client: names this process on the servers.
    package static func open(
        _ address: QueueAddress, _ credentials: QueueCredentials = QueueCredentials(),
        client: String = "vitrine", policy: QueuePolicy = QueuePolicy()
    ) async throws -> Hub {
        #if NATS
            let connection = try await NATSConnection.open(
                address.servers, credentials, client: client, patience: policy.patience)
            do {
                return try await open(connection, address, policy)
            } catch {
                await connection.close()
                throw error
            }
        #else
            throw QueueError.unsupported(
                reason: "This build has no NATS client. Install libnats-dev and build with the "
                    + "package trait NATS, which is on by default.")
        #endif
    }

    #if NATS
        private static func open(
            _ connection: NATSConnection, _ address: QueueAddress, _ policy: QueuePolicy
        ) async throws -> Hub {
            let queue = try await NATSQueue(connection, name: address.name, policy)
            return Hub(
                address: address, policy: policy, queue: queue,
                values: try await NATSValues.open(
                    connection, bucket: "\(address.name)-values", life: policy.retention),
                live: try await NATSValues.open(
                    connection, bucket: "\(address.name)-live", life: policy.life),
                // 0 is without an end.
                blocks: try await NATSValues.open(
                    connection, bucket: "\(address.name)-blocks", life: .zero),
                purges: try await NATSEvents(connection, name: address.name, policy)
            ) { await connection.close() }
        }
    #endif

    init(
        address: QueueAddress, policy: QueuePolicy, queue: any WorkQueue,
        values: any SharedValues, live: any SharedValues, blocks: any SharedValues,
        purges: any EventLog,
        end: @escaping @Sendable () async -> Void
    ) {
        self.address = address
        self.policy = policy
        self.queue = queue
        self.values = values
        self.live = live
        self.blocks = blocks
        self.purges = purges
        self.end = end
    }

    /// Ends the connection. Jobs that are leased come back when their leases end.
    package func close() async { await end() }
}
