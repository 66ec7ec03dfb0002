import Imaging
import Memory
import Pipeline
import Serve

extension Settings {
    /// Divides the budget and sets every size that is a share of it.
    ///
    /// - Parameter budget: used if none is set.
    mutating func divideMemory(_ budget: Int) throws(ConfigurationError) {
        let shares: MemoryShares
        do throws(MemoryShares.Excess) {
            var given = memory.shares
            if imaging.isolation.scope == .none { given.idleChildren = 0 }
            shares = try MemoryShares(
                budget: memory.budget ?? budget, given,
                encrypted: server.tlsCertificate == nil ? 0 : server.tuning.maxConnections)
        } catch {
            throw ConfigurationError(
                "imaging.memory, memory.originals, memory.responses, memory.catalogs, cache.memory, "
                    + "cache.unsaved, imaging.idleChildren (\(SizeText.print(MemoryShares.idleChild)) each) and the "
                    + "program need \(SizeText.print(error.needed)) together, which is more than "
                    + "memory.budget (\(SizeText.print(error.budget))); lower one of them or raise "
                    + "memory.budget.")
        }
        let largest = ByteBudget.largest(of: shares.originals)
        let bounds = [
            ("imaging.childMemory", memory.child, "imaging.memory", shares.imaging),
            ("imaging.queueMemory", memory.queue, "memory.originals", shares.originals),
            ("imaging.maxBytes", memory.maxBytes, "four fifths of memory.originals", largest),
        ]
        for (part, given, whole, most) in bounds {
            guard let given, given > most else { continue }
            throw ConfigurationError(
                "\(part) is \(SizeText.print(given)), which is more than \(whole) "
                    + "(\(SizeText.print(most))); lower the first or raise the second.")
        }
        memory.resolvedBudget = shares.budget
        memory.encryptedConnections =
            server.tlsCertificate == nil
            ? nil : shares.connections / MemoryShares.encryptedConnection
        memory.originals = shares.originals
        memory.catalogs = shares.catalogs
        imaging.memory = shares.imaging
        imaging.isolation.memory = memory.child ?? shares.imaging
        imaging.queueMemory = memory.queue ?? shares.originals
        imaging.maxBytes = memory.maxBytes ?? min(ImagingConfiguration().maxBytes, largest)
        imaging.isolation.idle = shares.idleChildren
        cache.memory = shares.cache
        cache.unsaved = shares.unsaved
        server.tuning.responseBytes = shares.responses
    }
}
