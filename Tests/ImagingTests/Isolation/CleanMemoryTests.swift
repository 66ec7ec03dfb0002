import Glibc
import TestSupport
import Testing

@testable import Imaging

/// No memory shows what it held before.
@Suite(.timeLimit(.minutes(1))) struct CleanMemoryTests {
    /// Small ones, which threads keep; larger ones; and some that come from the kernel.
    static let sizes = [1, 24, 100, 1_000, 1_040, 5_000, 70_000, 1 << 20, 5 << 20]

    private func isZero(_ block: UnsafeMutableRawPointer, _ range: Range<Int>) -> Bool {
        UnsafeRawBufferPointer(start: block, count: range.upperBound)[range].allSatisfy { $0 == 0 }
    }

    /// Leaves blocks of a size, full of ones, to the heap.
    private func soil(_ size: Int) throws {
        let blocks = try (0..<20).map { _ in try #require(malloc(size)) }
        for block in blocks {
            memset(block, 0xFF, size)
            free(block)
        }
    }

    @Test(.disabled(if: Sanitizer.isAtWork), arguments: sizes)
    func `a block of the heap is zero, however it is allocated`(size: Int) throws {
        Allocator.clean()
        try soil(size)
        var posix: UnsafeMutableRawPointer?
        #expect(posix_memalign(&posix, 64, size) == 0)
        let made = [
            malloc(size), calloc(1, size), realloc(nil, size), aligned_alloc(64, size),
            reallocarray(nil, 1, size), posix,
        ]
        for block in made {
            let block = try #require(block)
            #expect(isZero(block, 0..<size))
        }
        for block in made { free(block) }
    }

    @Test(.disabled(if: Sanitizer.isAtWork), arguments: sizes)
    func `what a block grows by is zero, and what it held stays`(size: Int) throws {
        Allocator.clean()
        try soil(size)
        try soil(3 * size)
        var block = try #require(malloc(size))
        memset(block, 0xAA, size)
        for grown in [size + 9, 2 * size + 40, 3 * size + 5_000] {
            block = try #require(realloc(block, grown))
            #expect(isZero(block, size..<grown))
        }
        // It shrinks, and grows again to where it was.
        block = try #require(realloc(block, size))
        block = try #require(realloc(block, 2 * size + 40))
        #expect(isZero(block, size..<2 * size + 40))
        let kept = UnsafeRawBufferPointer(start: block, count: size)
        #expect(kept.allSatisfy { $0 == 0xAA })
        free(block)
    }

    @Test(.disabled(if: Sanitizer.isAtWork))
    func `a block that is freed no longer holds what it held`() throws {
        Allocator.clean()
        // Two of them, so that the heap keeps the first one as it is. Its own words come at the start.
        let (block, after) = (try #require(malloc(9_000)), try #require(malloc(9_000)))
        memset(block, 0xA7, 9_000)
        free(block)
        // Another thread may write to it meanwhile.
        let bytes = UnsafeRawBufferPointer(start: block, count: 9_000)
        #expect(bytes.count { $0 == 0xA7 } < 1_000)
        free(after)
    }

    @Test func `memory that renders keep is zero for the next one`() {
        let memory = RenderMemory()
        func filled() -> RenderMemory.Block {
            let block = memory.take(5_000)
            block.bytes.update(repeating: 0xFF, count: 5_000)
            return block
        }
        func isClean() -> Bool {
            let block = memory.take(5_000)
            defer { memory.giveBack(block) }
            return isZero(UnsafeMutableRawPointer(block.bytes), 0..<5_000)
        }
        memory.giveBack(filled())
        memory.endRender()
        #expect(isClean())
        // A render that failed gives it back later.
        let late = filled()
        memory.endRender()
        memory.giveBack(late)
        #expect(isClean())
    }

    @Test(arguments: [1 << 20, 0])
    func `shared memory is zero for the next picture`(most: Int) throws {
        let memory = try SharedMemory(count: 1 << 16)
        #expect(memory.write([UInt8](repeating: 0xFF, count: 9_000), at: 0))
        // A child has written, and this process read.
        let other = try #require(SharedMemory(received: dup(memory.descriptor)))
        #expect(other.write([1, 2, 3], at: 20_000))
        #expect(memory.read(20_000, 3) == [1, 2, 3])
        memory.clear(releasingOver: most)
        #expect(memory.read(0, 1 << 16) == [UInt8](repeating: 0, count: 1 << 16))
    }

    private static let renditions = [ThumbnailFormat.png, .jpeg, .webp].map {
        Rendition(level: Level(name: "m", width: 160, height: 120), format: $0)
    }

    /// One color, with alpha or without, as a PNG and what is made of it.
    private func poster(_ color: [Int], _ renderer: Renderer) async throws -> [[UInt8]] {
        let png = FixtureImages.png(width: 300, height: 200) { _, _, band in color[band] }
        let clear = FixtureImages.png(width: 300, height: 200, .rgba) { _, _, band in
            (color + [128])[band]
        }
        let all = ThumbnailFormat.allCases.map {
            Rendition(level: Level(name: "l", width: 300, height: 200), format: $0)
        }
        return [png, clear] + (try await renderer.render(png, all).thumbnails.map(\.bytes))
    }

    /// Pictures whose decoders write less than a picture, and one that needs what another brought.
    enum Doubtful: String, CaseIterable, Sendable {
        case hevcTile, av1Tile, damagedHEVC, jpegWithoutTables
    }

    private func bytes(_ kind: Doubtful) throws -> [UInt8] {
        switch kind {
        // The tile says that it covers the canvas, which no header contradicts.
        case .hevcTile:
            return FixtureImages.heif(
                .hevc, .grid(width: 160, height: 120, columns: 1, rows: 1), said: (160, 120))
        case .av1Tile:
            let avif = try ContainerHeaderTests.avif(width: 64, height: 64)
            return FixtureImages.heif(
                .av1(of: avif, width: 64, height: 64),
                .grid(width: 160, height: 120, columns: 1, rows: 1), said: (160, 120))
        case .damagedHEVC:
            var part = FixtureImages.HEIFPart.hevc
            part.data[9] ^= 0x5A
            part.data[14] ^= 0x5A
            return FixtureImages.heif(part, .alpha(width: 64, height: 64))
        case .jpegWithoutTables:
            return FixtureImages.jpeg(width: 120, height: 90).withoutTables
        }
    }

    @Test(arguments: Doubtful.allCases)
    func `a picture shows nothing of those that its child rendered before`(kind: Doubtful)
        async throws
    {
        let picture = try bytes(kind)
        let fresh = try await withRenderer(.isolated(.child())) {
            await $0.outcome(picture, Self.renditions)
        }
        try await withRenderer(.isolated(.child())) { renderer in
            for color in [[250, 20, 140], [10, 230, 60]] {
                for before in try await poster(color, renderer) {
                    _ = try await renderer.render(before, Self.renditions)
                }
                #expect(await renderer.outcome(picture, Self.renditions) == fresh)
            }
            // AVIF has one of its own. A JPEG that the child's decoder of planes warns of is read by libvips in a
            // new one, each time.
            let doubts = kind == .jpegWithoutTables ? 2 : 0
            #expect(renderer.children.started <= 2 + doubts)
        }
    }

    @Test func `a JPEG without tables is refused, whatever this process decoded before`()
        async throws
    {
        let picture = try bytes(.jpegWithoutTables)
        try await withRenderer(.isolated(.inside)) { renderer in
            let fresh = await renderer.outcome(picture, Self.renditions)
            _ = try await renderer.render(
                FixtureImages.jpeg(width: 120, height: 90), Self.renditions)
            #expect(await renderer.outcome(picture, Self.renditions) == fresh)
        }
    }

    @Test func `the decoder of planes has no tables of the picture before`() throws {
        let picture = FixtureImages.jpeg(width: 120, height: 90)
        let header = try JPEGFixture.header(picture)
        let sampling = try #require(header.planes)
        let decoded = try [picture, picture.withoutTables].map { (bytes) throws(ImagingError) in
            try RenderWorkspace.with { (workspace) throws(ImagingError) in
                Planes(header.size, sampling, in: workspace).decode(bytes, header)
            }
        }
        #expect(decoded == [true, false])
    }
}

extension [UInt8] {
    /// A JPEG without the tables of its decoder.
    fileprivate var withoutTables: [UInt8] {
        var result = Array(prefix(2))
        var at = 2
        while at + 4 <= count, self[at] == 0xFF {
            let end = at + 2 + Int(self[at + 2]) << 8 + Int(self[at + 3])
            // Quantization and Huffman tables.
            if self[at + 1] != 0xDB, self[at + 1] != 0xC4 { result += self[at..<end] }
            // What follows is the scan.
            if self[at + 1] == 0xDA { return result + self[end...] }
            at = end
        }
        return result
    }
}
