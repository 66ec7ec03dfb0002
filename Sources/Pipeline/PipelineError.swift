package import Catalog
package import Imaging
package import Store

/// Why a request gets no answer at all, not even a placeholder.
package enum PipelineError: Error, Equatable {
    case unknownLevel(name: String, known: [String])
    case unknownSource(name: String, known: [String])
    /// From a source: a bad id or parameter, no such list or item, unreachable, not configured.
    case catalog(CatalogError)
    case unknownBlob(Digest)
    /// A signed URL is not honoured.
    case signature(URLSignature.Refusal)
    /// `smaller` is the largest level that such a sheet can have.
    case sheetTooLarge(count: Int, level: String, smaller: String?)
    /// The item has no picture, and the caller wanted its original, for which nothing stands in.
    case noPicture(Failure)
    /// A bounded queue is full; there will be room in about so many seconds.
    case overloaded(retryAfter: Int)
    case imaging(ImagingError)
    case store(StoreError)
    case cancelled
    /// Nothing that this service foresees; `reason` is the error's own text, for the log.
    case unexpected(reason: String)
}

extension PipelineError {
    /// Whether the caller asked for something that can't be meant.
    package var isBadRequest: Bool {
        switch self {
        case .unknownLevel, .unknownSource, .catalog(.invalid), .sheetTooLarge: true
        default: false
        }
    }
}

extension PipelineError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownLevel(let name, let known):
            "There is no level “\(name)”; configured are \(known.joined(separator: ", "))."
        case .unknownSource(let name, let known):
            "There is no source “\(name)”; there are \(known.joined(separator: ", "))."
        case .catalog(let error): "\(error)"
        case .unknownBlob(let digest): "There is no blob \(digest)."
        case .signature(let refusal): "\(refusal)"
        case .sheetTooLarge(let count, let level, let smaller):
            "A sheet of \(count) thumbnails of level “\(level)” is over the limit of pixels "
                + "(sheet.maxPixels); "
                + (smaller.map { "take level “\($0)”, or filter the list." } ?? "filter the list.")
        case .noPicture(let failure): failure.reason
        case .overloaded(let seconds):
            "Too much is waiting to be fetched and rendered; try again in \(seconds) s."
        case .imaging(let error): "\(error)"
        case .store(let error): "\(error)"
        case .cancelled: "The request was cancelled."
        case .unexpected(let reason): "Something unexpected went wrong: \(reason)."
        }
    }
}

extension PipelineError {
    /// Runs `body` and turns what the stages throw into what this module throws.
    static func mapping<Value>(
        _ body: () async throws -> Value
    ) async throws(PipelineError) -> Value {
        do {
            return try await body()
        } catch {
            throw PipelineError(error)
        }
    }

    private init(_ error: any Error) {
        switch error {
        case let error as PipelineError: self = error
        case let error as StoreError: self = .store(error)
        case let error as CatalogError: self = error == .cancelled ? .cancelled : .catalog(error)
        case ImagingError.overloaded: self = .overloaded(retryAfter: 1)
        case ImagingError.cancelled: self = .cancelled
        case let error as ImagingError: self = .imaging(error)
        case is CancellationError: self = .cancelled
        default: self = .unexpected(reason: "\(error)")
        }
    }
}
