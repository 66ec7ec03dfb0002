import Pipeline

extension WarmForecast {
    /// One sentence for people.
    var text: String {
        let volume = bytes.map { ", about \(ProgressReport.megabytes($0))" } ?? ""
        return """
            \(ProgressReport.counted(items, "item")): \(items - cold) warm, \(cold) cold; \
            would fetch up to \(ProgressReport.counted(cold, "original"))\(volume) and render \
            \(ProgressReport.counted(thumbnails, "thumbnail"))
            """
    }
}
