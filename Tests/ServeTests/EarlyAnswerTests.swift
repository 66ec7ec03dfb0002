import CoreMetrics
import Foundation
import Imaging
import Pipeline
import PipelineSupport
import Synchronization
import TestSupport
import Testing

/// A picture is answered when it is rendered. The disk follows.
@Suite(.timeLimit(.minutes(1))) struct EarlyAnswerTests {
    /// Stops the threads that write blobs as soon as a picture is rendered.
    private final class SlowDisk: MetricsFactory, TimerHandler {
        /// More than there are threads.
        private static let count = 64

        private let stopped = Mutex<Pictures?>(nil)
        private let end = DispatchSemaphore(value: 0)

        func stop(_ pictures: Pictures) { stopped.withLock { $0 = pictures } }
        func start() { for _ in 0..<Self.count { end.signal() } }

        func recordNanoseconds(_ duration: Int64) {
            guard let pictures = stopped.withLock({ $0.take() }) else { return }
            for _ in 0..<Self.count { pictures.onThread { [end] in end.wait() } }
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            label == "vitrine_render_seconds" ? self : NOOPMetricsHandler.instance
        }
        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            NOOPMetricsHandler.instance
        }
        func makeRecorder(
            label: String, dimensions: [(String, String)], aggregate: Bool
        ) -> any RecorderHandler { NOOPMetricsHandler.instance }
        func destroyTimer(_ handler: any TimerHandler) {}
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
    }

    @Test func `a picture is answered before it is stored, and a purge waits for its storing`()
        async throws
    {
        let disk = SlowDisk()
        try await withHarness(Harness(metrics: PipelineMetrics(disk))) { harness in
            harness.serveShow(1, medium: nil)
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 300, height: 400, seed: 5)))
            let (pictures, item) = (harness.pipeline.pictures, harness.item(1))
            let level = try harness.pipeline.level("m")
            disk.stop(pictures)
            let first = try await pictures.picture(of: item, level: level, format: .jpeg)
            #expect(first.outcome == .miss)
            #expect(harness.pipeline.status.misses == 1)
            let second = try await pictures.picture(of: item, level: level, format: .jpeg)
            #expect(second.outcome == .hit)
            #expect(second.picture.digest == first.picture.digest)
            async let purge = harness.pipeline.purge.run(.item(item))
            await eventually { pictures.waiting(for: item) >= 1 }
            disk.start()
            #expect(try await purge.thumbnails > 0)
            let third = try await pictures.picture(of: item, level: level, format: .jpeg)
            #expect(third.outcome == .miss)
        }
    }
}
