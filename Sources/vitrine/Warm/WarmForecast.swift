import Catalog
import Imaging
import Pipeline

/// The work that a warm run would do.
struct WarmForecast: Sendable, Encodable {
    var items = 0
    /// Items with a missing or stale picture.
    var cold = 0
    /// Thumbnails that are missing.
    var thumbnails = 0
    /// Bytes to fetch, estimated from the stored originals; `nil` if there are none.
    var bytes: Int?

    var text: String {
        let volume = bytes.map { ", about \(ProgressReport.megabytes($0))" } ?? ""
        return """
            \(ProgressReport.counted(items, "item")): \(items - cold) warm, \(cold) cold; \
            would fetch up to \(ProgressReport.counted(cold, "original"))\(volume) and render \
            \(ProgressReport.counted(thumbnails, "thumbnail"))
            """
    }

    static func make(
        _ items: WarmItems, _ pipeline: MediaPipeline, _ renditions: Set<Rendition>
    ) async throws -> WarmForecast {
        var forecast = WarmForecast()
        for try await item in items {
            let missing = try await pipeline.missing(item, renditions)
            forecast.items += 1
            forecast.cold += missing.isEmpty ? 0 : 1
            forecast.thumbnails += missing.count
        }
        let mean = try await pipeline.meanOriginalBytes()
        forecast.bytes = mean.map { $0 * forecast.cold }
        return forecast
    }
}
