import App
import FoundationEssentials
import Glibc
import Imaging

/// Other programs that serve the same files, or make the same thumbnails.
enum ServePeer: String, CaseIterable, Sendable {
    case nginx, varnish, imgproxy, imagor, thumbor

    /// The program's name in `PATH`.
    var program: String { self == .varnish ? "varnishd" : rawValue }

    /// Where the files are, and where a peer may write.
    struct Place: Sendable {
        var files: String
        var scratch: String
        var processors: Processors?
        /// A server of the files, for peers that only cache.
        var backend = 0
        /// Directory of a certificate, for nginx with HTTP/2.
        var identity: String?
        /// Processes or threads of a peer that makes thumbnails.
        var workers = 1
    }

    /// Path under which a peer serves a finished thumbnail; nil if it has no cache of its own.
    func path(of path: String) -> String? {
        switch self {
        case .nginx, .varnish: path
        case .imgproxy: nil
        case .imagor: "/unsafe\(path)"
        case .thumbor: "/unsafe/0x0\(path)"
        }
    }

    /// Path under which a peer makes a level of an original as JPEG; nil if it can't.
    func path(of name: String, in level: Level, quality: Int) -> String? {
        let box = "\(level.width)x\(level.height)"
        let name = Self.escaped(name)
        switch self {
        case .nginx, .varnish: return nil
        case .imgproxy:
            return "/unsafe/rs:fit:\(level.width):\(level.height)/q:\(quality)"
                + "/plain/local:///\(name)@jpg"
        case .imagor:
            return "/unsafe/fit-in/\(box)/filters:format(jpeg):quality(\(quality))/\(name)"
        case .thumbor:
            return "/unsafe/fit-in/\(box)/filters:format(jpeg):quality(\(quality))/\(name)"
        }
    }

    /// Escapes everything that could mean something in a path.
    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic && byte < 0x80
            if isPlain || (48...57).contains(byte) || [45, 46, 95].contains(byte) {
                return String(scalar)
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%\(digits.count < 2 ? "0" : "")\(digits)"
        }.joined()
    }

    /// Whether it sends the files' own bytes: the others encode them again.
    var sendsFiles: Bool { self == .nginx || self == .varnish }

    /// Arguments that make it print its version.
    var versionArguments: [String] {
        switch self {
        case .nginx: ["-v"]
        case .varnish: ["-V"]
        case .imgproxy: ["version"]
        case .imagor: ["-version"]
        case .thumbor: ["--version"]
        }
    }

    /// Starts it with a configuration of its own and returns once it listens.
    func start(_ program: String, _ place: Place) async throws -> ServerProcess {
        let port = try LoopbackPort.free()
        let work = "\(place.scratch)/\(rawValue)-\(UUID().uuidString)"
        try await FileThreads.run {
            try FileManager.default.createDirectory(
                atPath: work, withIntermediateDirectories: true)
        }
        let arguments = try await arguments(port, work, place)
        var order = MeasuredProgram.Order(program, arguments)
        // varnishd compiles its rules with the C compiler of this path.
        order.environment = environment(port, place).merging(["HOME": work]) { _, home in home }
        return try await ServerProcess.start(
            rawValue, port: port, order, on: place.processors, scratch: place.scratch)
    }

    /// imgproxy has no options.
    private func environment(_ port: Int, _ place: Place) -> [String: String] {
        guard self == .imgproxy else { return [:] }
        return [
            "IMGPROXY_BIND": "127.0.0.1:\(port)",
            "IMGPROXY_LOCAL_FILESYSTEM_ROOT": place.files,
            "IMGPROXY_WORKERS": "\(place.workers)",
            // What older versions call the workers.
            "IMGPROXY_CONCURRENCY": "\(place.workers)",
            // In megapixels: photographs of cameras have more than its 50.
            "IMGPROXY_MAX_SRC_RESOLUTION": "200",
            "IMGPROXY_LOG_LEVEL": "error",
        ]
    }

    private func arguments(_ port: Int, _ work: String, _ place: Place) async throws -> [String] {
        switch self {
        case .nginx:
            let file = "\(work)/nginx.conf"
            try await write(
                Self.nginxRules(port, work, place.files, identity: place.identity), to: file)
            return ["-p", work, "-c", file, "-e", "stderr"]
        case .varnish:
            return [
                "-F", "-a", "127.0.0.1:\(port)", "-b", "127.0.0.1:\(place.backend)", "-s",
                "malloc,512m", "-n", "\(work)/state", "-t", "86400", "-j", "none", "-p",
                "thread_pool_min=50",
            ]
        case .imgproxy: return []
        case .imagor:
            return [
                "-host", "127.0.0.1", "-port", "\(port)", "-imagor-unsafe", "-file-loader-base-dir",
                place.files, "-file-result-storage-base-dir", "\(work)/results",
            ]
        case .thumbor:
            let file = "\(work)/thumbor.conf"
            try await write(Self.thumborRules(work, place.files), to: file)
            return [
                "-p", "\(port)", "-i", "127.0.0.1", "-c", file, "-l", "critical", "--processes",
                "\(place.workers)",
            ]
        }
    }

    private func write(_ text: String, to file: String) async throws {
        try await FileThreads.run { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
    }

    /// One worker, no logs, and the fields that this program sends, too.
    ///
    /// - Parameter identity: directory of a certificate; nil serves without TLS.
    static func nginxRules(
        _ port: Int, _ work: String, _ files: String, identity: String?
    ) -> String {
        let secure = identity.map {
            " ssl http2; ssl_certificate \($0)/certificate.pem; ssl_certificate_key \($0)/key.pem"
        }
        let user = geteuid() == 0 ? "user root;\n" : ""
        let fields = """
            add_header X-Content-Type-Options nosniff; add_header Access-Control-Allow-Origin *;
            """
        return """
            \(user)daemon off; worker_processes 1; pid \(work)/nginx.pid; error_log stderr crit;
            events { worker_connections 4096; multi_accept on; }
            http {
                access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; server_tokens off;
                keepalive_requests 1000000000;
                open_file_cache max=10000 inactive=600s; open_file_cache_valid 600s;
                types { image/jpeg jpg; image/webp webp; }
                client_body_temp_path \(work)/body; proxy_temp_path \(work)/proxy;
                fastcgi_temp_path \(work)/fastcgi; uwsgi_temp_path \(work)/uwsgi;
                scgi_temp_path \(work)/scgi;
                server {
                    listen 127.0.0.1:\(port) backlog=1024\(secure ?? ""); root \(files);
                    add_header Cache-Control "public, max-age=604800"; \(fields)
                    location \(ServedDocument.plainFiles) { default_type text/plain; }
                    location \(ServedDocument.compressedFiles) {
                        default_type application/json; add_header Content-Encoding gzip;
                        add_header Vary Accept-Encoding;
                        add_header Cache-Control "public, max-age=900"; \(fields)
                    }
                }
            }

            """
    }

    private static func thumborRules(_ work: String, _ files: String) -> String {
        """
        LOADER = 'thumbor.loaders.file_loader'
        FILE_LOADER_ROOT_PATH = '\(files)'
        STORAGE = 'thumbor.storages.no_storage'
        RESULT_STORAGE = 'thumbor.result_storages.file_storage'
        RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = '\(work)/results'
        RESULT_STORAGE_STORES_UNSAFE = True
        ALLOW_UNSAFE_URL = True
        SECURITY_KEY = 'benchmark'

        """
    }
}

extension ServePeer {
    /// Returns the program's name and version as it prints them; its name alone if it prints none.
    func version(_ program: String, scratch: String) async -> String {
        let file = "\(scratch)/\(rawValue)-version"
        var order = MeasuredProgram.Order(program, versionArguments)
        order.errors = .file(file)
        order.output = .file(file + "-out")
        do {
            _ = try await MeasuredProgram.run(order)
        } catch {
            return rawValue
        }
        let text = (ProcFile.text(file) ?? "") + (ProcFile.text(file + "-out") ?? "")
        return Self.version(in: text).map { "\(rawValue) \($0)" } ?? rawValue
    }

    /// Returns the first number with points in a text, such as `1.22.1`.
    static func version(in text: String) -> String? {
        text.split { !($0.isNumber || $0 == ".") }.map(String.init)
            .first { $0.contains(".") && $0.first?.isNumber == true && $0.last?.isNumber == true }
    }
}
