import CVips
import SandboxProbe

/// The attempts of a program that a picture has taken over, on each kind of thread of a confined
/// process.
struct Attempts {
    let target: probe_target

    private static let room = 4_096

    /// Returns the names of successful attempts by thread; only the threads' names if every attempt failed.
    func made() -> String {
        [("first", onFirstThread()), ("new", onNewThread()), ("libvips", onWorker())]
            .map { thread, done in "\(thread):\(done)" }.joined(separator: ";")
    }

    private func onFirstThread() -> String {
        guard probe_is_first_thread() == 1 else { return "another-thread" }
        return Self.text { probe_attempt(target, $0, Self.room) }
    }

    private func onNewThread() -> String {
        Self.text { probe_attempt_on_thread(target, $0, Self.room) }
    }

    /// The context of libvips' generate function.
    private struct Job {
        var target: probe_target
        var names: UnsafeMutablePointer<CChar>
        var hasRun = false
    }

    /// Runs on one of libvips' worker threads.
    private func onWorker() -> String {
        Self.text { names in
            var job = Job(target: target, names: names)
            withUnsafeMutablePointer(to: &job) { job in
                let image = vips_image_new()
                defer { g_object_unref(image) }
                vips_image_init_fields(
                    image, 1, 1, 1, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE, VIPS_INTERPRETATION_B_W, 1,
                    1)
                var inputs: UnsafeMutablePointer<VipsImage>?
                vips_image_pipeline_array(image, VIPS_DEMAND_STYLE_THINSTRIP, &inputs)
                vips_image_generate(
                    image, nil,
                    { _, _, job, _, _ in
                        let job = job?.assumingMemoryBound(to: Job.self)
                        guard let job, !job.pointee.hasRun, probe_is_first_thread() == 0 else {
                            return 0
                        }
                        job.pointee.hasRun = true
                        probe_attempt(job.pointee.target, job.pointee.names, Attempts.room)
                        return 0
                    }, nil, job, nil)
                var count = 0
                g_free(vips_image_write_to_memory(image, &count))
                if !job.pointee.hasRun { Self.write("not-run", to: names) }
            }
        }
    }

    private static func write(_ text: String, to names: UnsafeMutablePointer<CChar>) {
        for (index, byte) in text.utf8CString.enumerated() { names[index] = byte }
    }

    private static func text(_ body: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        let names = UnsafeMutablePointer<CChar>.allocate(capacity: room)
        names.initialize(repeating: 0, count: room)
        defer { names.deallocate() }
        body(names)
        return String(cString: names)
    }
}
