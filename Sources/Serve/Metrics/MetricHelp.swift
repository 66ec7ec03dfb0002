/// The help text of each metric in `/metrics`.
enum MetricHelp {
    static let texts = [
        "vitrine_build_info": "Version of the program; always 1.",
        "vitrine_http_requests_total": "Requests by route, status and cache result.",
        "vitrine_http_request_seconds":
            "Duration of requests by route and cache result, without hits in memory or in a known file.",
        "vitrine_http_body_bytes_total": "Bytes of bodies sent from memory.",
        "vitrine_http_connections": "Connections open.",
        "vitrine_http_connections_total": "Connections accepted.",
        "vitrine_http_connections_timed_out_total":
            "Connections closed because their client neither sent nor read in time.",
        "vitrine_http_refused_total":
            "Requests refused before routing: 400, 408, 414, 431, 501, 503 and 505.",
        "vitrine_render_queue_seconds": "Wait for a render thread, by lane.",
        "vitrine_render_seconds":
            "Duration of decoding, resampling and encoding, by format and lane, without queue wait.",
        "vitrine_thumbnails_rendered_total":
            "Thumbnails rendered, by format and by the lane that made them: planar or libvips.",
        "vitrine_render_failures_total": "Failed renders by reason.",
        "vitrine_render_waiting": "Pictures waiting for a thread or memory, by lane.",
        "vitrine_render_running": "Running renders.",
        "vitrine_render_overdue": "Renders past their deadline that ignore cancellation.",
        "vitrine_render_memory_bytes": "Predicted memory of running renders.",
        "vitrine_render_memory_limit_bytes": "imaging.memory.",
        "vitrine_render_oldest_seconds": "Age of the oldest running render.",
        "vitrine_renders_total": "Started decodes.",
        "vitrine_quarantined_total": "Originals that crashed a renderer.",
        "vitrine_fetch_requests_total": "Requests to origins by host and final status or failure.",
        "vitrine_fetch_attempts_total": "Attempts by host, retries included.",
        "vitrine_fetch_retries_total": "Attempts by host after the first of each request.",
        "vitrine_fetch_breaker_state":
            "By host: 0 closed, 1 half open (the next transfer is a probe), 2 open (not asked).",
        "vitrine_fetch_waiting": "Transfers queued for their host.",
        "vitrine_fetch_running": "Running transfers by host.",
        "vitrine_fetch_bytes_total": "Bytes of bodies received.",
        "vitrine_fetch_queue_seconds": "Wait in the queue of the host, including its rate limit.",
        "vitrine_fetch_first_byte_seconds": "From the start of a transfer to its first byte.",
        "vitrine_fetch_seconds": "Duration of a transfer from its start to the last byte.",
        "vitrine_walks": "Misses in flight.",
        "vitrine_walks_waiting":
            "Misses that wait for their host or for a place under load.misses.",
        "vitrine_lookups_waiting":
            "Queued look-ups of catalog pages and items; at most load.waitingLookups.",
        "vitrine_memory_share_bytes": "Bytes in use, by share of memory.budget.",
        "vitrine_memory_share_limit_bytes": "Bytes that a share of memory.budget may have.",
        "vitrine_memory_waiting": "Originals and responses that wait for memory.",
        "vitrine_memory_tier_bytes": "Bytes of pictures kept in memory.",
        "vitrine_memory_tier_entries": "Pictures kept in memory.",
        "vitrine_memory_tier_evictions_total":
            "Pictures evicted from memory. They stay on disk.",
        "vitrine_store_bytes": "Bytes of originals and thumbnails in the index.",
        "vitrine_store_originals": "Originals in the index.",
        "vitrine_store_thumbnails": "Thumbnails in the index.",
        "vitrine_store_quarantined":
            "Originals that are not rendered again because they crashed a renderer.",
        "vitrine_store_heals_total": "Damaged blobs that were quarantined.",
        "vitrine_store_behind": "1 while the disk fails and the service continues from memory.",
        "vitrine_store_unsaved_bytes": "Bytes of blobs in memory that are not on disk yet.",
        "vitrine_store_failed_writes_total": "Writes that failed.",
        "vitrine_store_failed_reads_total": "Reads that failed and counted as missing.",
        "vitrine_store_databases_set_aside_total":
            "Damaged databases that were moved aside and replaced.",
        "vitrine_disk_bytes": "Bytes of everything below the cache directory.",
        "vitrine_disk_limit_bytes":
            "Limit of vitrine_disk_bytes now: cache.budget, less if the file system is full.",
        "vitrine_disk_files": "Files and directories below the cache directory.",
        "vitrine_disk_limit_files": "Limit of vitrine_disk_files now.",
        "vitrine_disk_free_bytes": "Free bytes of the cache's file system.",
        "vitrine_disk_pinned_bytes": "Bytes of thumbnails of pinned items and favorites.",
        "vitrine_evictions_total": "Blobs evicted from disk, by role.",
        "vitrine_evicted_bytes_total": "Bytes of blobs evicted from disk.",
        "vitrine_scrub_blobs_total": "Blobs that the scrub read.",
        "vitrine_scrub_bytes_total": "Bytes of blobs that the scrub read.",
        "vitrine_scrub_damaged_total": "Damaged blobs that the scrub found.",
        "vitrine_shared_requests_total":
            "Requests to the shared store by operation and result; skipped while it rests.",
        "vitrine_shared_seconds": "Duration of requests to the shared store by operation.",
        "vitrine_shared_lookups_total":
            "Misses of this node's cache by what the shared store had: hit, miss, wrong, unavailable.",
        "vitrine_shared_bytes_total":
            "Bytes of bundles and references that were sent to the shared store or received.",
        "vitrine_shared_wrong_total":
            "Objects of the shared store that were not what they should be, and were replaced.",
        "vitrine_shared_breaker_state":
            "Shared store: 0 asked, 1 the next request is a probe, 2 not asked after failures.",
        "vitrine_shared_uploads_waiting": "Items that are not in the shared store yet.",
        "vitrine_shared_uploads_oldest_seconds":
            "Age of the oldest item that waits for its upload.",
        "vitrine_shared_uploads_total":
            "Uploads in the background by result: stored, failed (tried again), abandoned, gone, dropped.",
        "vitrine_queue_reached": "1 if the queue answered at the last look.",
        "vitrine_queue_jobs":
            "Jobs of up to 16 items, by lane: waiting, or leased to workers and waiting for another attempt.",
        "vitrine_queue_oldest_seconds": "Age of the oldest job.",
        "vitrine_queue_redelivered": "Jobs in the queue that were delivered more than once.",
        "vitrine_queue_dead": "Jobs that were given up, of the last week.",
        "vitrine_fleet_nodes": "Nodes that are up, by role.",
        "vitrine_fleet_places": "Items that all workers may have under way.",
        "vitrine_fleet_busy": "Items that all workers have under way.",
        "vitrine_worker_items_total": "Items of this worker, by result: done, failed.",
        "vitrine_worker_jobs_total":
            "Jobs of this worker, by result: done, retried, buried (given up), returned.",
        "vitrine_worker_busy": "Items that this worker has under way.",
        "vitrine_worker_places": "Items that this worker may have under way.",
        "vitrine_purge_number": "The last purge of the fleet that this node has followed.",
        "vitrine_purge_lag": "Purges of the fleet that this node knows of and has not followed.",
        "vitrine_purges_skipped":
            "Purges of the fleet that this process could not read and has skipped.",
        "vitrine_cdn_purges_total":
            "Groups of names that a cache in front was told to purge, by way and result: told, failed.",
        "vitrine_libvips_memory_bytes": "Memory tracked by libvips.",
        "process_cpu_seconds_total": "User and system time.",
        "process_resident_memory_bytes": "Resident memory.",
        "process_virtual_memory_bytes": "Virtual memory.",
        "process_open_fds": "Open file descriptors.",
        "process_max_fds": "Limit of open file descriptors.",
        "process_start_time_seconds": "Start of the process since the epoch.",
    ]
}
