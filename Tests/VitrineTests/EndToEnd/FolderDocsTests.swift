import Foundation
import TestSupport
import Testing

/// Folders, through the built program.
@Suite(.timeLimit(.minutes(1))) struct FolderDocsTests {
    private static let environment = PlayedTVMaze.patience.merging(
        ["VITRINE_SERVER_PORT": "0"]) { $1 }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// A directory with the files that the page names.
    private static func place() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for name in ["Pictures/2024/summer/beach.jpg", "Pictures/cover.jpg", "cover.jpg"] {
            try write(FixtureImages.jpeg(width: 120, height: 80), directory.file(name))
        }
        try write(Array("url,id\ncover.jpg,one\n".utf8), directory.file("shop.csv"))
        let products = "article,back_image,headline\n7,https://images.example/7.jpg,Lamp\n"
        try write(Array(products.utf8), directory.file("products.csv"))
        try DocumentedPage.writeFiles(of: "folders.md", to: directory.path)
        return directory
    }

    @Test func `every command of docs/folders.md works`() async throws {
        let directory = try Self.place()
        let fences = try DocumentedPage.fences("folders.md")
        let commands = try await DocumentedPage.run(
            fences.filter { $0.language == "sh" }.flatMap(\.lines), in: directory.path,
            environment: Self.environment)
        #expect(commands >= 15)
        let tile = try DecodedSize(
            path: directory.file("tiles/2024/summer/beach.tile.jpg"))
        #expect(tile.width == tile.height)
    }

    /// The size that a JPEG says it has.
    private struct DecodedSize {
        var width = 0
        var height = 0

        init(path: String) throws {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let frame = try #require(
                bytes.indices.dropLast(9).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
            height = Int(bytes[frame + 5]) << 8 | Int(bytes[frame + 6])
            width = Int(bytes[frame + 7]) << 8 | Int(bytes[frame + 8])
        }
    }

    @Test func `the settings of the page are valid`() async throws {
        let directory = try Self.place()
        for file in ["pictures.yaml", "archive.yaml"] {
            let finished = try await Executable.run(
                ["source", "list", "--config", file], in: directory.path,
                environment: Self.environment)
            #expect(finished.status == 0, "\(finished.error)")
        }
    }
}
