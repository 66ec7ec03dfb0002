import App
import Console
import FoundationEssentials
import Glibc
import Imaging
import Threads

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
        switch self {
        case .nginx, .varnish: nil
        case .imgproxy:
            "/unsafe/rs:fit:\(level.width):\(level.height)/q:\(quality)/plain/local:///\(name)@jpg"
        case .imagor, .thumbor:
            "/unsafe/fit-in/\(level.width)x\(level.height)/filters:format(jpeg):quality(\(quality))"
                + "/\(name)"
        }
    }

    /// Whether it sends the files' own bytes: the others encode them again.
    var sendsFiles: Bool { self == .nginx || self == .varnish }

    private var versionArguments: [String] {
        switch self {
        case .nginx: ["-v"]
        case .varnish: ["-V"]
        case .imgproxy: ["version"]
        case .imagor: ["-version"]
        case .thumbor: ["--version"]
        }
    }

    /// Returns the program's name and version as it prints them; its name alone if it prints none.
    func version(_ program: String) async -> String {
        let text = await MeasuredProgram.output(of: program, versionArguments) ?? ""
        return Self.version(in: text).map { "\(rawValue) \($0)" } ?? rawValue
    }

    /// Returns the first number with points in a text, such as `1.22.1`.
    static func version(in text: String) -> String? {
        text.split { !($0.isNumber || $0 == ".") }.map(String.init)
            .first { $0.contains(".") && $0.first?.isNumber == true && $0.last?.isNumber == true }
    }

    /// Starts it with a configuration of its own and returns once it listens.
    func start(_ program: String, _ place: Place) async throws -> ServerProcess {
        let work = "\(place.scratch)/\(rawValue)-\(UUID().uuidString)"
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(work)
        }
        return try await ServerProcess.start(rawValue, scratch: place.scratch) { port in
            var order = MeasuredProgram.Order(program, arguments(port, work, place))
            // varnishd compiles its rules with the C compiler of this path.
            order.environment = ["HOME": work]
            let rules: String
            switch self {
            case .nginx: rules = Self.nginxRules(port, work, place)
            case .thumbor: rules = Self.thumborRules(work, place)
            case .imgproxy:
                // It has no options. Photographs of cameras have more than its 50 megapixels.
                order.environment["IMGPROXY_BIND"] = "127.0.0.1:\(port)"
                order.environment["IMGPROXY_LOCAL_FILESYSTEM_ROOT"] = place.files
                order.environment["IMGPROXY_WORKERS"] = "\(place.workers)"
                order.environment["IMGPROXY_MAX_SRC_RESOLUTION"] = "200"
                order.environment["IMGPROXY_LOG_LEVEL"] = "error"
                rules = ""
            default: rules = ""
            }
            try await FileThreads.run { () throws(LocalFileError) in
                try LocalFile.replace("\(work)/rules", with: Array(rules.utf8))
            }
            order.processors = place.processors
            return order
        }
    }

    private func arguments(_ port: Int, _ work: String, _ place: Place) -> [String] {
        let files = ["\(work)/rules", "\(work)/results"]
        return switch self {
        case .nginx: ["-p", work, "-c", files[0], "-e", "stderr"]
        case .varnish:
            [
                "-F", "-a", "127.0.0.1:\(port)", "-b", "127.0.0.1:\(place.backend)", "-s",
                "malloc,512m", "-n", "\(work)/state", "-t", "86400", "-j", "none", "-p",
                "thread_pool_min=50",
            ]
        case .imgproxy: []
        case .imagor:
            [
                "-host", "127.0.0.1", "-port", "\(port)", "-imagor-unsafe", "-file-loader-base-dir",
                place.files, "-file-result-storage-base-dir", files[1],
            ]
        case .thumbor:
            [
                "-p", "\(port)", "-i", "127.0.0.1", "-c", files[0], "-l", "critical",
                "--processes", "\(place.workers)",
            ]
        }
    }

    /// One worker, no logs, and the fields that this program sends, too.
    static func nginxRules(_ port: Int, _ work: String, _ place: Place) -> String {
        let secure = place.identity.map {
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
                    listen 127.0.0.1:\(port) backlog=1024\(secure ?? ""); root \(place.files);
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

    private static func thumborRules(_ work: String, _ place: Place) -> String {
        """
        LOADER = 'thumbor.loaders.file_loader'
        FILE_LOADER_ROOT_PATH = '\(place.files)'
        STORAGE = 'thumbor.storages.no_storage'
        RESULT_STORAGE = 'thumbor.result_storages.file_storage'
        RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = '\(work)/results'
        RESULT_STORAGE_STORES_UNSAFE = True
        ALLOW_UNSAFE_URL = True
        SECURITY_KEY = 'benchmark'

        """
    }
}
