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

    package init() {}
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
            guard let source = try? pictures.context.sources.source(of: kept),
                case .candidate(let candidate)? = source.freeDetails(of: kept)?.chain.first
            else { continue }
            places.append((candidate.url, source))
        }
        if places.isEmpty { return nil }
        var sample = WarmSample()
        sample.asked = places.count
        var sum = 0
        await withTaskGroup(of: Answer.self) { group in
            for (url, source) in places {
                group.addTask { [self] in
                    (try? await Timeout.wait(Self.patience) { [self] in
                        await ask(url, source)
                    }) ?? .unknown("An origin did not answer in time.")
                }
            }
            for await answer in group {
                switch answer {
                case .bytes(let count):
                    sample.sized += 1
                    sum += count
                case .absent: sample.absent += 1
                case .unknown(let reason): sample.reason = sample.reason ?? reason
                }
            }
        }
        if sample.sized > 0 { sample.meanBytes = sum / sample.sized }
        return sample
    }

    private enum Answer: Sendable {
        case bytes(Int)
        case absent
        case unknown(String)
    }

    private func ask(_ url: String, _ source: any Source) async -> Answer {
        if let response = try? await fetched(url, source, .head) {
            if response.status == 404 || response.status == 410 { return .absent }
            if response.status == 200,
                let count = response.header("content-length").flatMap(Int.init),
                count > 0
            {
                return .bytes(count)
            }
        }
        // Some servers don't know HEAD, or don't tell the length then.
        do {
            let response = try await fetched(url, source, .get)
            switch response.status {
            case 404, 410: return .absent
            case 206:
                let total = response.header("content-range")?.split(separator: "/").last
                return total.flatMap { Int($0) }.map(Answer.bytes)
                    ?? .unknown("An origin sent a part without the size of the whole.")
            case 200: return .bytes(response.body.count)
            default: return .unknown("An origin answered \(response.status).")
            }
        } catch {
            return .unknown("\(error)")
        }
    }

    private func fetched(
        _ url: String, _ source: any Source, _ method: FetchRequest.Method
    ) async throws -> FetchResponse {
        var request = FetchRequest(url: url, purpose: .original, maxBytes: Self.firstBytes)
        request.method = method
        request.allowedHosts = source.imageHosts
        request.plainIsInside = source.plainIsInside
        request.headers = (HostNames.host(of: url).map(source.fields) ?? [])
            .map { ($0.name, $0.value.reveal()) }
        if method == .get { request.headers.append(("Range", "bytes=0-\(Self.firstBytes - 1)")) }
        request.finalStatuses = Set(400...599)
        return try await pictures.context.originals.fetch.fetch(request)
    }
}
