import Imaging
import Memory
import Pipeline
import Serve
import Store

extension Settings {
    /// Divides the budget and sets every size that is a share of it.
    ///
    /// - Parameter budget: used if none is set.
    mutating func divideMemory(_ budget: Int) throws(ConfigurationError) {
        let shares: MemoryShares
        do throws(MemoryShares.Excess) {
            shares = try MemoryShares(
                budget: memory.budget ?? budget, imaging: memory.imaging, cache: memory.cache,
                encrypted: tlsCertificate == nil ? 0 : server.maxConnections)
        } catch {
            throw ConfigurationError(
                "imaging.memory, cache.memory and the rest of the program need "
                    + "\(SizeText.print(error.needed)) together, which is more than memory.budget "
                    + "(\(SizeText.print(error.budget))); lower one of them or raise memory.budget."
            )
        }
        let largest = ByteBudget.largest(of: shares.originals)
        if let wanted = memory.maxBytes, wanted > largest {
            throw ConfigurationError(
                "imaging.maxBytes is \(SizeText.print(wanted)), which is more than four fifths of the "
                    + "memory for originals (\(SizeText.print(largest))); lower it or raise "
                    + "memory.budget.")
        }
        memory.resolvedBudget = shares.budget
        memory.encryptedConnections =
            tlsCertificate == nil
            ? nil : shares.connections / MemoryShares.encryptedConnection
        pipeline.originalBytes = shares.originals
        pipeline.catalogBytes = shares.catalogs
        imaging.memory = shares.imaging
        imaging.isolation.memory = shares.imaging
        imaging.queueMemory = shares.originals
        imaging.maxBytes = memory.maxBytes ?? min(ImagingConfiguration().maxBytes, largest)
        pipeline.maxOriginalBytes = imaging.maxBytes
        imaging.isolation.idle = shares.idleChildren
        pipeline.hitBytes = shares.cache
        store.unsavedBytes = shares.unsaved
        server.responseBytes = shares.responses
    }
}
