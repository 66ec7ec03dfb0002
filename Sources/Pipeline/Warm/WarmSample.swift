import Catalog
import Fetch
import FoundationEssentials
import Imaging

/// What the origins of a few pictures say about their sizes, for a forecast. The JSON has these names.
package struct WarmSample: Sendable, Equatable, Codable {
    /// Origins that were asked.
    package var asked = 0
    /// Those that told a size.
    package var sized = 0
    /// Those that have no picture there.
    package var absent = 0
    /// Mean bytes of the sized ones.
    package var meanBytes = 0
    /// Why one of the others told no size: a sentence.
    package var reason: String?
}

/// Picks some of a run's items and asks their origins for sizes, with HEAD or for the first kilobyte.
struct WarmSampling: Sendable {
    /// Pictures of which an origin is asked.
    private static let most = 20
    /// Of a request, and of all together. A slow host counts as one that doesn't answer.
    private static let patience = Duration.seconds(10)
    private static let firstBytes = 1_024

    let pictures: Pictures
    private var seen = 0
    private var chosen: [Item] = []

    init(_ pictures: Pictures) { self.pictures = pictures }

    /// Takes an item whose origin would be asked. Each is chosen with the same probability.
    mutating func add(_ item: Item) {
        seen += 1
        if chosen.count < Self.most {
            chosen.append(item)
            return
        }
        let place = Int.random(in: 0..<seen)
        if place < Self.most { chosen[place] = item }
    }

    /// Returns what the origins say; nil if no place of a picture is known without its catalog.
    func sample() async -> WarmSample? {
        var places: [(url: String, source: any Source)] = []
        for item in chosen {
            let kept = await pictures.pictured(item)
            // A bucket is asked by its own client, and its requests cost money.
            guard let source = try? pictures.context.sources.source(of: kept),
                !(source is BucketSource),
                case .candidate(let candidate)? = source.freeDetails(of: kept)?.chain.first
            else { continue }
            places.append((candidate.url, source))
        }
        if places.isEmpty { return nil }
        var sample = WarmSample()
        sample.asked = places.count
        var sum = 0
        await withTaskGroup(of: Result<Int?, any Error>.self) { group in
            for (url, source) in places {
                group.addTask { [self] in
                    do {
                        let told = try await withTimeout(Self.patience) { [self] in
                            try await size(url, source)
                        }
                        guard let told else { throw unknown("An origin did not answer in time.") }
                        return .success(told)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for await size in group {
                switch size {
                case .success(let count?):
                    sample.sized += 1
                    sum += count
                case .success(nil): sample.absent += 1
                case .failure(let error): sample.reason = sample.reason ?? "\(error)"
                }
            }
        }
        if sample.sized > 0 { sample.meanBytes = sum / sample.sized }
        return sample
    }

    private func unknown(_ reason: String) -> Failure { Failure(.unavailable, reason) }

    /// Returns the bytes of a picture; nil if its origin has none.
    ///
    /// - Throws: an error whose description says in a sentence why that is unknown.
    private func size(_ url: String, _ source: any Source) async throws -> Int? {
        if let response = try? await fetched(url, source, .head) {
            if response.status == 404 || response.status == 410 { return nil }
            if response.status == 200,
                let count = response.header("content-length").flatMap(Int.init), count > 0
            {
                return count
            }
        }
        // Some servers don't know HEAD, or don't tell the length then.
        let response = try await fetched(url, source, .get)
        switch response.status {
        case 404, 410: return nil
        case 206:
            let total = response.header("content-range")?.split(separator: "/").last
            guard let count = total.flatMap({ Int($0) }) else {
                throw unknown("An origin sent a part without the size of the whole.")
            }
            return count
        case 200: return response.body.count
        default: throw unknown("An origin answered \(response.status).")
        }
    }

    private func fetched(
        _ url: String, _ source: any Source, _ method: FetchRequest.Method
    ) async throws -> FetchResponse {
        var request = FetchRequest(url: url, purpose: .original, maxBytes: Self.firstBytes)
        request.method = method
        request.allowedHosts = source.imageHosts
        request.plainIsInside = source.plainIsInside
        request.headers = source.fields(forPicture: url).map { ($0.name, $0.value.reveal()) }
        if method == .get { request.headers.append(("Range", "bytes=0-\(Self.firstBytes - 1)")) }
        request.finalStatuses = Set(400...599)
        return try await pictures.context.originals.fetch.fetch(request)
    }
}
