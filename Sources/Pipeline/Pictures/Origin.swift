import Catalog

/// Where the original of an item comes from: hosts, by ``Originals``, or folders of this machine, by
/// ``FolderOriginals``.
protocol Origin: Sendable {
    /// Whether originals are files. Other nodes have other ones, and a changed file is another picture.
    var hasFiles: Bool { get }

    /// Returns the original at a candidate of an item.
    ///
    /// - Parameters:
    ///   - again: gets it although it is known, because its blob is gone.
    ///   - visit: takes a place for a download once its host allows it to start.
    /// - Throws: ``StoreError``, `CancellationError`.
    func acquire(
        _ candidate: Candidate, of item: Item, by source: any Source, again: Bool,
        visit: AdmissionQueue.Visit?
    ) async throws -> Acquisition

    /// Remembers that the original's bytes are not a usable picture. Also returns the usable
    /// original that was stored before, which stays.
    func reject(
        _ original: Original, reason: String
    ) async throws -> (failure: Failure, kept: Original?)
}

/// What became of an original that a miss asked for.
enum Acquisition: Sendable {
    case original(Original)
    /// `asked` is false if an earlier failure was remembered. `took` is as for an original.
    case failure(Failure, asked: Bool, took: Duration? = nil)
}
