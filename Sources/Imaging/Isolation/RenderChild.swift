import CSandbox

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The other side of a ``ChildPool``: a process that forks children, each of which may do nothing but
/// render.
package enum RenderChild {
    /// Forks children until the parent ends. Call it first in a process, with one thread and the
    /// channel at descriptor 3.
    package static func run() {
        run { confinement in serve(confinement) }
    }

    /// Forks children that run `serve`, for tests.
    ///
    /// - Parameter serve: runs in a child after it has given up its rights, or with the reason why it could
    ///   not. The channel is at descriptor 3.
    package static func run(_ serve: (Result<Void, ImagingError>) -> Void) {
        sandbox_name("vitrine-nursery")
        Allocator.keepBetweenRenders()
        Allocator.clean()
        // If it fails, stacks are as large as elsewhere, and a child finds no memory sooner.
        _ = sandbox_limit_stacks(IsolationPolicy.stack)
        // Some operations of libvips compile code for ORC although it is turned off (8.14).
        setenv("ORC_CODE", "emulate", 1)
        let channel = Channel(Int32(SANDBOX_CHANNEL))
        // The first child of a short run often needs no libraries, and doesn't wait for them.
        if !channel.waits(milliseconds: haste) { loadLibraries() }
        while let received = channel.receiveWithDescriptor() {
            guard let request = NurseryRequest(bytes: received.message) else { return }
            let reply: NurseryReply
            // Of a new child.
            var statm: Int32 = -1
            defer { if statm >= 0 { close(statm) } }
            switch request {
            case .start(let niceness, let memory, let withLibraries):
                guard let channel = received.descriptor else { return }
                if withLibraries { loadLibraries() }
                reply = limited(
                    start(Channel(channel), niceness, serve, withLibraries, &statm), memory, statm)
            case .end(let process): reply = end(process)
            case .limit(let process, let memory):
                reply =
                    sandbox_limit(process, UInt64(clamping: memory)) == 0
                    ? .done(process) : .failed("its memory can't be limited")
            }
            guard channel.send(reply.bytes, descriptor: statm) else { return }
            if !channel.waits(milliseconds: haste) { loadLibraries() }
        }
    }

    private static func end(_ process: Int32) -> NurseryReply {
        var signal: Int32 = 0
        var peak: UInt64 = 0
        var time: Int64 = 0
        guard sandbox_end(process, &signal, &peak, &time) == 0 else {
            return .failed("there is no such process")
        }
        // A fork begins with the pages of this process.
        let own = Int(clamping: ownUsage()?.resident ?? 0)
        return .ended(
            signal: signal, peak: max(0, Int(clamping: peak) - own), time: max(0, time))
    }

    private static func ownUsage() -> sandbox_memory_usage? {
        let statm = sandbox_statm(getpid())
        defer { if statm >= 0 { close(statm) } }
        var usage = sandbox_memory_usage()
        return sandbox_usage(statm, &usage) == 0 ? usage : nil
    }

    /// Lets a new child take `memory` bytes besides what it has, which is what this process has. Returns the
    /// reply, or the reason why the child was ended.
    private static func limited(
        _ reply: NurseryReply, _ memory: Int, _ statm: Int32
    ) -> NurseryReply {
        guard case .done(let process) = reply else { return reply }
        let mapped = Int(clamping: ownUsage()?.mapped ?? 0)
        let most = Int.clampedSum(mapped, memory, IsolationPolicy.untouched)
        if statm >= 0, sandbox_limit(process, UInt64(clamping: most)) == 0 { return reply }
        let reason = errorText(errno)
        _ = end(process)
        return .failed("the memory of a renderer can't be limited: \(reason)")
    }

    /// Milliseconds without a request after which there is time to load libraries.
    private static let haste = 2_000

    private static func loadLibraries() { _ = libraries }

    /// Why they can't be used, if so. Loaded at the first use.
    private static let libraries = Result { () throws(ImagingError) in
        try Vips.start()
        Vips.loadLibraries()
        Vips.allowLoadersOfChildren()
    }

    private static func start(
        _ channel: consuming Channel, _ niceness: Int,
        _ serve: (Result<Void, ImagingError>) -> Void, _ withLibraries: Bool,
        _ statm: inout Int32
    ) -> NurseryReply {
        // A fork has no other threads, but locks they held.
        guard sandbox_is_alone() == 1 else {
            return .failed(
                "a renderer can't give up its rights because its process has threads already")
        }
        let process = sandbox_fork(channel.descriptor, Int32(clamping: niceness), &statm)
        if process == 0 {
            sandbox_name("vitrine-render")
            serve(
                Result { () throws(ImagingError) in
                    if withLibraries { try libraries.get() }
                    try confine()
                })
            sandbox_leave()
        }
        return process > 0
            ? .done(process) : .failed("a renderer can't be forked: \(errorText(errno))")
    }

    private static func confine() throws(ImagingError) {
        var places: [UnsafePointer<CChar>?] = []
        // Never freed: needed as long as the process lives.
        for place in Fonts.directories + [Fonts.caches] {
            places.append(UnsafePointer(copied(place)))
        }
        places.append(nil)
        guard sandbox_confine(places) >= 0 else {
            throw .misconfigured(
                reason: "the renderer can't give up its rights: \(errorText(errno))")
        }
    }

    private static func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }

    private static func copied(_ text: String) -> UnsafeMutablePointer<CChar> {
        let bytes = text.utf8CString
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { memory[index] = byte }
        return memory
    }

    /// Renders until the parent ends.
    package static func serve(_ confinement: Result<Void, ImagingError>) {
        let channel = Channel(Int32(SANDBOX_CHANNEL))
        var memory: SharedMemory?
        while let received = channel.receiveWithDescriptor() {
            guard let request = RenderRequest(bytes: received.message) else { return }
            if let descriptor = received.descriptor {
                memory = SharedMemory(received: descriptor)
            }
            let file = request.isReadFromFile ? receiveFile(channel) : nil
            let result = Result<Rendering?, ImagingError> { () throws(ImagingError) in
                try confinement.get()
                return try render(
                    request, (file ?? memory)?.read(0, request.count), file?.descriptor
                ) { reply in
                    // A closed channel shows with the reply to come.
                    guard let memory else { return }
                    _ = channel.send(
                        reply.message(writingTo: memory, at: request.thumbnails))
                }
            }
            let answer = reply(request.number, result)
            let message =
                memory.map { answer.message(writingTo: $0, at: request.thumbnails) }
                ?? answer.message
            // Before the reply, after which the child's memory is looked at.
            Allocator.bound()
            guard channel.send(message) else { return }
            // What the next picture's decoders find is not this picture's.
            sandbox_clean_stack()
        }
    }

    /// - Parameter result: nil for a picture that the decoder of planes warns of.
    private static func reply(
        _ number: Int, _ result: Result<Rendering?, ImagingError>
    ) -> RenderReply {
        switch result {
        case .success(let rendering?): RenderReply(number: number, result: .success(rendering))
        case .success(nil): RenderReply(doubtful: number)
        case .failure(let error): RenderReply(number: number, result: .failure(error))
        }
    }

    /// Receives the original as a file, which comes behind its request.
    private static func receiveFile(_ channel: borrowing Channel) -> SharedMemory? {
        channel.receiveWithDescriptor()?.descriptor.flatMap(SharedMemory.init(received:))
    }

    /// Returns nil if the decoder of planes warns of the picture.
    private static func render(
        _ request: RenderRequest, _ input: [UInt8]?, _ file: Int32?,
        _ sendEarly: (RenderReply) -> Void
    ) throws(ImagingError) -> Rendering? {
        guard let input else { throw .misconfigured(reason: "the renderer got no picture") }
        let job = try job(request, input, file)
        guard request.early > 0 else { return try job(threads: request.threads) }
        return try withoutActuallyEscaping(sendEarly) {
            (send) throws(ImagingError) -> Rendering? in
            let early = EarlyWork(count: request.early) { seen, thumbnails in
                let rendering = Rendering(thumbnails, of: seen)
                send(
                    RenderReply(
                        number: request.number, result: .success(rendering), isEarly: true))
            }
            return try job(early, threads: request.threads)
        }
    }

    private static func job(
        _ request: RenderRequest, _ input: [UInt8], _ file: Int32?
    ) throws(ImagingError) -> Job {
        var configuration = ImagingConfiguration()
        configuration.maxBytes = request.maxBytes
        configuration.maxPixels = request.maxPixels
        configuration.maxSide = request.maxSide
        configuration.memory = request.allowed
        let decoder = Decoder(limits: Limits(configuration), levels: request.levels)
        switch request.input {
        case .header: return .header(request.format, input)
        case .original, .pyramid:
            guard let header = request.header else {
                throw .misconfigured(reason: "the renderer got no header")
            }
            let render = Render(
                original: input, header: header, levels: request.levels, parts: request.parts,
                decoder: decoder, file: file)
            return request.input == .pyramid ? .pyramid(render) : .original(render)
        case .cut:
            guard let cut = PictureCut(bytes: input), request.parts.count == 1 else {
                throw .misconfigured(reason: "the renderer got no part of a picture")
            }
            return .cut(cut, request.parts[0])
        case .sheet:
            guard let sheet = ContactSheet(bytes: input), request.parts.count == 1 else {
                throw .misconfigured(reason: "the renderer got no contact sheet")
            }
            return .sheet(sheet, request.parts[0], decoder)
        }
    }
}
