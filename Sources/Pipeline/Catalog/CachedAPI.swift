import Catalog
import FoundationEssentials
import Store

/// Reads API documents through what is kept of earlier answers: hops of chains, configurations.
/// While an API can't be asked, the answer kept last is used.
struct CachedAPI: APIReading {
    private let api: any APIReading
    private let index: Index
    private let now: @Sendable () -> Date
    private let memory = MemoryTier<String, DocumentRecord>(maxCost: 64 << 20, maxCount: 20_000)
    private let inFlight = InFlight<String, Void, Result<APIAnswer, CatalogError>> { _, _ in true }
    private let epochs = Epochs()

    init(_ api: any APIReading, index: Index, now: @escaping @Sendable () -> Date) {
        self.api = api
        self.index = index
        self.now = now
    }

    func read(_ call: APICall) async throws(CatalogError) -> APIAnswer {
        guard let keeping = call.keeping else { return try await api.read(call) }
        if let known = memory.value(keeping.key), isFresh(known, keeping) {
            return APIAnswer(status: 200, body: known.body)
        }
        let landing = await inFlight.value(for: keeping.key, ()) { [self] _ in
            do throws(CatalogError) {
                return .success(try await readThrough(call, keeping))
            } catch {
                return .failure(error)
            }
        }
        guard let landing else { throw .cancelled }
        return try landing.value.get()
    }

    /// Lets go of what is in memory of those answers; `isUnwanted` is asked by the key on disk.
    func forget(_ isUnwanted: (_ diskKey: String) -> Bool) {
        epochs.advanceAll()
        memory.removeAll { isUnwanted("api:\($0)") }
    }

    private func readThrough(
        _ call: APICall, _ keeping: APICall.Keeping
    ) async throws(CatalogError) -> APIAnswer {
        let key = "api:\(keeping.key)"
        let epoch = epochs.value(of: key)
        let known = try await kept(key)
        if let known, isFresh(known, keeping) {
            // A purge may have come meanwhile.
            memory.insert(known, for: keeping.key, cost: known.body.count + 256) { _ in
                epochs.value(of: key) == epoch
            }
            return APIAnswer(status: 200, body: known.body)
        }
        let answer: APIAnswer
        do throws(CatalogError) {
            answer = try await api.read(call)
        } catch {
            guard error.leavesOpen, let known else { throw error }
            return APIAnswer(status: 200, body: known.body)
        }
        guard 200..<300 ~= answer.status, Self.isWhole(answer.body),
            let part = keeping.part(answer.body)
        else { return answer }
        let record = DocumentRecord(
            key: key, body: part, fetchedAt: now(),
            expiresAt: now().addingTimeInterval(keeping.timeToLive))
        memory.insert(record, for: keeping.key, cost: record.body.count + 256)
        do throws(StoreError) {
            try await index.record(documents: [record])
        } catch {
            throw .unavailable(reason: "\(error)", timedOut: false, retryAfter: nil)
        }
        return answer
    }

    /// Not what a clock that was ahead of this one would keep for longer.
    private func isFresh(_ known: DocumentRecord, _ keeping: APICall.Keeping) -> Bool {
        let soon = now().addingTimeInterval(FreshnessPolicy.tolerance)
        return known.expiresAt > now() && known.fetchedAt <= soon
            && known.expiresAt <= soon.addingTimeInterval(keeping.timeToLive)
    }

    /// Whether the body begins and ends as a JSON document does: an error page with a good status
    /// must not be believed for days.
    private static func isWhole(_ body: [UInt8]) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let first = body.first { !isSpace($0) }
        let last = body.last { !isSpace($0) }
        switch (first, last) {
        case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")):
            return true
        default: return false
        }
    }

    private func kept(_ key: String) async throws(CatalogError) -> DocumentRecord? {
        do throws(StoreError) {
            return try await index.document(key)
        } catch {
            throw .unavailable(reason: "\(error)", timedOut: false, retryAfter: nil)
        }
    }
}
