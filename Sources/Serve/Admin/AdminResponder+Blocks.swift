import Catalog
import FoundationEssentials
import HTTPTypes
import Pipeline
import Store

/// Responds to `/admin/block…`.
extension AdminResponder {
    /// A block as clients read it.
    private struct Shown: Encodable {
        var target: String
        var reason: String?
        var blockedAt: Date
        /// `operators`, `file`, or `derived` from `parent`.
        var origin: String
        var parent: String?

        init(_ record: BlockRecord) {
            target = record.target
            reason = record.reason
            blockedAt = record.changedAt
            origin = record.origin.rawValue
            parent = record.parent
        }
    }

    /// Responds with all blocks, the oldest first.
    func blocks() -> Response {
        Self.document(["blocks": pipeline.blocking.all.map(Shown.init)])
    }

    /// Responds with one block.
    func block(_ text: String) throws(Failure) -> Response {
        let target = try pipeline.blocking.target(text)
        guard let record = pipeline.blocking.all.first(where: { $0.target == target }) else {
            throw .notFound(reason: "\(target) is not blocked.")
        }
        return Self.document(Shown(record))
    }

    func block(_ text: String, _ request: Request) async throws(Failure) -> Response {
        var order = BlockBody()
        // A block needs no reason, and then no body.
        if request.fields[.contentType] != nil {
            do throws(Problem) {
                order = try await request.json(
                    BlockBody.self, members: BlockBody.members, limit: Self.maxBody)
            } catch {
                return error.answer
            }
        }
        return answer(try await pipeline.blocking.block(text, reason: order.reason))
    }

    func unblock(_ text: String) async throws(Failure) -> Response {
        answer(try await pipeline.blocking.unblock(text))
    }

    /// Caches in front are told after the response, and one may fail.
    private func answer(_ receipt: BlockReceipt) -> Response {
        Self.document(receipt, pipeline.purge.tellsCaches ? .accepted : .ok)
    }
}

/// The body of `PUT /admin/block/…`.
private struct BlockBody: Decodable {
    var reason: String?

    static let members = ["reason"]
}
