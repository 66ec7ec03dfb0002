// Takes jobs of a queue and keeps them until it is killed: a worker that dies.
//
// usage: QueueChild URL ROUTE. Credentials are in NATS_USER and NATS_PASSWORD. Says "taken" when it
// has jobs.
import Foundation
import WorkQueue

let environment = ProcessInfo.processInfo.environment
var policy = QueuePolicy()
policy.lease = .seconds(3)
let hub = try await Hub.open(
    try QueueAddress(CommandLine.arguments[1]),
    QueueCredentials(user: environment["NATS_USER"], password: environment["NATS_PASSWORD"]),
    client: "child", policy: policy)
let taken = try await hub.queue.fetch(
    QueueFetch(route: CommandLine.arguments[2], limit: 4), wait: .seconds(60))
FileHandle.standardOutput.write(Data("taken \(taken.count)\n".utf8))
try await Task.sleep(for: .seconds(3_600))
