import CSandbox

/// The other side of a ``ChildPool``: a process that renders what it is sent, with no right to do
/// anything else.
package enum RenderChild {
    /// Serves until the parent is gone; to be the first thing that a process does. Needs its end of
    /// the channel at descriptor 3.
    package static func run() {
        let channel = Channel(Int32(SANDBOX_CHANNEL))
        var ready: Result<Void, ImagingError> = .success(())
        do throws(ImagingError) {
            try Vips.start()
            try WarmUp.decode()
            try confine()
        } catch {
            ready = .failure(error)
        }
        while let received = channel.receive() {
            guard let order = RenderOrder(message: received.message) else { return }
            let result = Result<Rendering, ImagingError> { () throws(ImagingError) in
                try ready.get()
                return try render(order, received.memory)
            }
            guard answer(RenderReply(number: order.number, result: result), channel) else { return }
        }
    }

    /// Where fonts and their settings lie, for text in SVG.
    private static let readable = [
        "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
        "/var/cache/fontconfig",
    ]

    private static func confine() throws(ImagingError) {
        var places: [UnsafePointer<CChar>?] = []
        // For as long as the process lives.
        for place in readable { places.append(UnsafePointer(copied(place))) }
        places.append(nil)
        guard sandbox_confine(places) >= 0 else {
            throw .misconfigured(reason: "the renderer can't give up its rights")
        }
    }

    private static func copied(_ text: String) -> UnsafeMutablePointer<CChar> {
        let bytes = text.utf8CString
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { memory[index] = byte }
        return memory
    }

    private static func render(
        _ order: RenderOrder, _ memory: borrowing SharedMemory?
    ) throws(ImagingError) -> Rendering {
        guard let original = read(memory, order.count) else {
            throw .misconfigured(reason: "the renderer got no picture")
        }
        var configuration = ImagingConfiguration()
        configuration.maxBytes = order.maxBytes
        configuration.maxPixels = order.maxPixels
        configuration.maxSide = order.maxSide
        let limits = Limits(configuration)
        let levels = order.parts.map { Level(name: "", width: $0.width, height: $0.height) }
        let render = Render(
            original: original,
            header: try Header.admitted(original, order.format, levels, limits),
            renditions: levels.map { Rendition(level: $0, format: .jpeg) },
            encodings: order.parts.map(\.encoding), decoder: Decoder(limits: limits))
        return try render()
    }

    private static func read(_ memory: borrowing SharedMemory?, _ count: Int) -> [UInt8]? {
        switch memory {
        case .some(let memory): memory.read(0, count)
        case .none: nil
        }
    }

    private static func answer(_ reply: RenderReply, _ channel: borrowing Channel) -> Bool {
        let parts = reply.parts
        guard let bytes = parts.memory else { return channel.send(parts.message) }
        do throws(ImagingError) {
            return channel.send(parts.message, try SharedMemory(bytes))
        } catch {
            let failed = RenderReply(number: reply.number, result: .failure(error))
            return channel.send(failed.parts.message)
        }
    }
}
