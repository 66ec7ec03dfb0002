import Glibc

/// nginx, beside which hits are measured: it serves the same bytes from files.
struct Nginx: FileServer {
    static let peer = Peer("nginx", version: ["-v"])

    let program: String
    let files: String
    let identity: String
    let context: BenchContext
    let processors: Processors?

    func start(isSecure: Bool) async throws -> ServerProcess {
        let work = context.place("nginx")
        return try await ServerProcess.start("nginx", scratch: context.scratch) { port in
            let rules = rules(port, work, isSecure: isSecure)
            try await context.write(rules.utf8, to: "\(work)/rules")
            var order = MeasuredProgram.Order(
                program, ["-p", work, "-c", "\(work)/rules", "-e", "stderr"])
            order.processors = processors
            return order
        }
    }

    /// One worker, no logs, and the fields that this program sends, too.
    func rules(_ port: Int, _ work: String, isSecure: Bool) -> String {
        // Before 1.23.4 TLS 1.3 is off by default. Its handshake costs more than that of TLS 1.2.
        let secure = """
             ssl http2; ssl_protocols TLSv1.2 TLSv1.3; \
            ssl_certificate \(identity)/certificate.pem; ssl_certificate_key \(identity)/key.pem
            """
        let fields = """
            add_header X-Content-Type-Options nosniff; add_header Access-Control-Allow-Origin *;
            """
        return """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off; worker_processes 1; pid \(work)/nginx.pid; error_log stderr crit;
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
                    listen 127.0.0.1:\(port) backlog=1024\(isSecure ? secure : ""); root \(files);
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
}
