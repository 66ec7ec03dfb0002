import Foundation
import Hashing

/// The files of a directory, for benchmarks, at pictures.example.
///
/// `/0/poster.jpg` is a file as it is. `/17/poster.jpg` is a copy with the number in a JPEG comment:
/// another original with the same picture, so that one file stands for any number of pictures.
struct FolderPictures: Sendable {
    private let files: [String: [UInt8]]

    /// Bytes of all files: they are kept in memory, so that no request waits for a disk.
    private static let maxBytes = 2 << 30

    /// Reads all files of a directory. Blocks.
    init(_ directory: String) throws(DemoOriginError) {
        var files: [String: [UInt8]] = [:]
        var bytes = 0
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            where !name.hasPrefix(".") {
                let path = "\(directory)/\(name)"
                var isDirectory: ObjCBool = false
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                    !isDirectory.boolValue
                else { continue }
                let file = try Data(contentsOf: URL(fileURLWithPath: path))
                bytes += file.count
                guard bytes <= Self.maxBytes else {
                    throw DemoOriginError.pictures(
                        reason: "\(directory) has more than 2 GiB of files")
                }
                files[name] = Array(file)
            }
        } catch let error as DemoOriginError {
            throw error
        } catch {
            throw .pictures(reason: "\(directory): \(error.localizedDescription)")
        }
        self.files = files
    }

    /// `/{copy}/{name}`.
    func file(_ request: DemoRequest) -> DemoAnswer {
        guard let copy = Int(request.names[0]),
            let name = PercentCoding.decoded(request.names[1]), let file = files[name]
        else { return .notFound }
        return DemoAnswer(
            status: 200, contentType: "application/octet-stream",
            fields: ["Cache-Control": "public, max-age=2592000"],
            body: copy == 0 ? file : Self.marked(file, copy))
    }

    /// Puts a comment after the first marker of a JPEG. Other files stay as they are.
    static func marked(_ file: [UInt8], _ copy: Int) -> [UInt8] {
        guard file.count > 4, file[0] == 0xff, file[1] == 0xd8 else { return file }
        let text = Array("copy \(copy)".utf8)
        let length = text.count + 2
        let comment = [0xff, 0xd8, 0xff, 0xfe, UInt8(length >> 8), UInt8(length & 0xff)] + text
        return comment + file[2...]
    }
}
