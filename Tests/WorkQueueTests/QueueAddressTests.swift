import TestSupport
import Testing
import WorkQueueSupport

@testable import WorkQueue

@Suite(.timeLimit(.minutes(1))) struct QueueAddressTests {
    @Test func `addresses name servers, or a fleet`() throws {
        #expect(
            try QueueAddress("nats://a:4222,nats://b:4222")
                == QueueAddress(servers: ["nats://a:4222", "nats://b:4222"]))
        #expect(
            try QueueAddress("tls://a:4222/photos")
                == QueueAddress(servers: ["tls://a:4222"], name: "photos"))
    }

    @Test(arguments: [
        "", "nats://", "http://x:secret@a", "x:secret@a:4222", "sqlite:/tmp/q",
        "nats://x:secret@a,b", "nats://x:secret@a/b c", "nats://x:secret@a/x,nats://b",
        "nats://x:secret@a/b.c", "nats://x:secret@a b", "nats://x:secret@a?b",
        "nats://a,,nats://x:secret@b",
    ])
    func `other texts are refused without being repeated`(_ text: String) {
        #expect {
            _ = try QueueAddress(text)
        } throws: { error in
            !"\(error)".contains("secret") && "\(error)".contains("nats://HOST")
        }
    }

    @Test func `credentials are never shown`() throws {
        let address = try QueueAddress("nats://joe:s3cret@a:4222,nats://joe:s3c@ret@b:4222/f")
        #expect("\(address)" == "nats://a:4222,nats://b:4222/f")
    }

    @Test func `wrong credentials are rejected at once, servers that are down are not reached`()
        async throws
    {
        let port = try LoopbackPort()
        defer { withExtendedLifetime(port) {} }
        var policy = QueuePolicy()
        policy.patience = .zero
        await #expect {
            _ = try await Hub.open(
                try QueueAddress("nats://joe:s3cret@127.0.0.1:\(port.number)"), policy: policy)
        } throws: { error in
            guard case QueueError.unreachable = error else { return false }
            return !"\(error)".contains("s3cret")
        }
        guard Servers.program != nil else { return }
        try await withScratchDirectory { directory in
            let servers = try await Servers(1, in: directory)
            await #expect {
                // A day is longer than the limit of the test.
                var patient = QueuePolicy()
                patient.patience = .seconds(86_400)
                _ = try await Hub.open(
                    try QueueAddress(servers.url),
                    QueueCredentials(user: "joe", password: "s3cret"),
                    policy: patient)
            } throws: { error in
                guard case QueueError.rejected = error else { return false }
                return !"\(error)".contains("s3cret")
            }
            try await servers.stop()
        }
    }
}
