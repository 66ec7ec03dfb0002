/// What each metric says, for who reads `/metrics`.
enum MetricHelp {
    static let texts = [
        "vitrine_build_info": "Version of the program; always 1.",
        "vitrine_http_requests_total": "Requests answered, by route, status and cache result.",
        "vitrine_http_request_seconds":
            "From a request to its answer, by route and cache result, hits in memory left out.",
        "vitrine_http_body_bytes_total": "Bytes of bodies sent from memory.",
        "vitrine_http_connections": "Connections open.",
        "vitrine_http_connections_total": "Connections accepted.",
        "vitrine_http_connections_timed_out_total":
            "Connections closed because their client neither sent nor read.",
        "vitrine_http_refused_total": "Requests refused before routing: 408, 414 and 431.",
        "vitrine_render_queue_seconds": "Waiting for a render thread, by lane.",
        "vitrine_render_seconds":
            "Decoding, resampling and encoding, by format and lane, queue wait apart.",
        "vitrine_render_failures_total": "Renders that gave no picture, by reason.",
        "vitrine_render_waiting": "Pictures waiting for a thread or memory, by lane.",
        "vitrine_render_running": "Renders under way.",
        "vitrine_render_overdue": "Renders past their deadline that did not stop when told to.",
        "vitrine_render_memory_bytes": "Bytes that renders under way are predicted to take.",
        "vitrine_render_memory_limit_bytes": "imaging.memory.",
        "vitrine_render_oldest_seconds": "How long the oldest render under way has been running.",
        "vitrine_renders_total": "Decodes begun.",
        "vitrine_quarantined_total": "Originals that brought a renderer down.",
        "vitrine_fetch_requests_total": "Requests to origins by host and final status or failure.",
        "vitrine_fetch_attempts_total": "Attempts by host, retries included.",
        "vitrine_fetch_retries_total": "Attempts by host after the first of each request.",
        "vitrine_fetch_breaker_state":
            "By host: 0 closed, 1 half open (the next transfer is a probe), 2 open (not asked).",
        "vitrine_fetch_waiting": "Transfers that wait for a turn at their host.",
        "vitrine_fetch_running": "Transfers under way, by host.",
        "vitrine_fetch_bytes_total": "Bytes of bodies received.",
        "vitrine_fetch_queue_seconds": "Waiting for a turn at the host, politeness included.",
        "vitrine_fetch_first_byte_seconds": "From the start of a transfer to its first byte.",
        "vitrine_fetch_seconds": "One transfer from start to last byte.",
        "vitrine_walks": "Misses in flight.",
        "vitrine_walks_waiting":
            "Cold pictures that wait for their host or for a place under load.misses.",
        "vitrine_lookups_waiting":
            "Catalogue pages and items in line, load.waitingLookups at most.",
        "vitrine_memory_share_bytes": "Bytes in use, by share of memory.budget.",
        "vitrine_memory_share_limit_bytes": "Bytes that a share of memory.budget may have.",
        "vitrine_memory_waiting": "Originals and responses that wait for memory.",
        "vitrine_memory_tier_bytes": "Bytes of pictures kept in memory.",
        "vitrine_memory_tier_entries": "Pictures kept in memory.",
        "vitrine_memory_tier_evictions_total":
            "Pictures that went out of memory for want of room; on disk they stay.",
        "vitrine_store_bytes": "Bytes of originals and thumbnails the index knows.",
        "vitrine_store_originals": "Originals the index knows.",
        "vitrine_store_thumbnails": "Thumbnails the index knows.",
        "vitrine_store_quarantined": "Originals not rendered again, because they brought one down.",
        "vitrine_store_heals_total": "Blobs found damaged and set aside.",
        "vitrine_store_behind": "1 while the disk takes nothing and answers go on from memory.",
        "vitrine_store_unsaved_bytes": "Bytes of blobs in memory that wait for the disk.",
        "vitrine_store_failed_writes_total": "Writes that the disk did not take.",
        "vitrine_store_failed_reads_total": "Reads that failed and counted as missing.",
        "vitrine_store_databases_set_aside_total":
            "Damaged databases that were set aside and begun anew.",
        "vitrine_libvips_memory_bytes": "Memory libvips tracks.",
        "process_cpu_seconds_total": "User and system time.",
        "process_resident_memory_bytes": "Resident memory.",
        "process_virtual_memory_bytes": "Virtual memory.",
        "process_open_fds": "Open file descriptors.",
        "process_max_fds": "File descriptors that may be open.",
        "process_start_time_seconds": "Start of the process since the epoch.",
    ]
}
