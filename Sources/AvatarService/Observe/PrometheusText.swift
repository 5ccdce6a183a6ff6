import AvatarCore

/// The service's numbers in Prometheus' text format. No URL and no host in a label.
struct PrometheusText {
  private(set) var text = ""

  init(_ figures: Figures) {
    requests(figures)
    fetches(figures)
    cache(figures)
    workers(figures)
    process(figures)
  }

  private mutating func requests(_ figures: Figures) {
    let metrics = figures.metrics
    head("http_requests_total", "counter", "Requests answered.")
    for route in Route.allCases {
      for index in 0...Metrics.statuses.count {
        let count = metrics.requests[route.rawValue * (Metrics.statuses.count + 1) + index]
        guard count > 0 else { continue }
        let status = index < Metrics.statuses.count ? "\(Metrics.statuses[index])" : "other"
        line("http_requests_total", "side=\"\(route.side)\",route=\"\(route.name)\",status=\"\(status)\"", "\(count)")
      }
    }
    head("http_request_duration_seconds", "histogram", "Time from the request's arrival to its answer.")
    for route in Route.allCases {
      for use in Metrics.CacheUse.allCases {
        let labels = "route=\"\(route.name)\",cache=\"\(use)\""
        histogram("http_request_duration_seconds", figures.histogram(route, use), labels)
      }
    }
    head("errors_total", "counter", "Answers with an error, by its code.")
    for (index, code) in AvatarError.Code.allCases.enumerated() {
      line("errors_total", "code=\"\(code.rawValue)\"", "\(metrics.errors[index])")
    }
    single("coalesced_requests_total", "counter", "Requests that joined another's flight.", metrics.collapsed[0])
    single("connections", "gauge", "Open client connections.", figures.connections())
  }

  private mutating func fetches(_ figures: Figures) {
    let flights = figures.resolver.figures
    head("fetches_total", "counter", "Exchanges with origins, by their outcome.")
    for (index, outcome) in FlightFigures.outcomes.enumerated() where flights.fetches[index] > 0 {
      line("fetches_total", "outcome=\"\(outcome)\"", "\(flights.fetches[index])")
    }
    for (name, help, values) in [
      ("fetch_duration_seconds", "Exchange with an origin.", flights.fetchDurations),
      ("decode_duration_seconds", "CPU time of a worker for one picture.", flights.decodeDurations),
      ("queue_duration_seconds", "Waiting for a worker.", flights.queueDurations),
    ] {
      head(name, "histogram", help)
      histogram(name, values, "", evenIfEmpty: true)
    }
    let running = figures.fetches()
    single("fetches_in_flight", "gauge", "Exchanges under way.", running.inFlight)
    single("fetches_queued", "gauge", "Fetches that wait for a slot.", running.queued)
    let hosts = figures.resolver.gate.statistics
    single("hosts_throttled", "gauge", "Hosts left alone by their Retry-After.", hosts.throttled)
    single("breakers_open", "gauge", "Hosts left alone after repeated failures.", hosts.open)
    single("remembered_failures", "gauge", "Negative entries.", figures.resolver.failures.count)
    single("prefetches_pending", "gauge", "Prefetched avatars under way.", figures.pendingPrefetches())
  }

  private mutating func cache(_ figures: Figures) {
    let memory = figures.resolver.memory.statistics
    let disk = figures.resolver.cache.store.statistics()
    for (name, kind, help, values) in [
      ("cache_bytes", "gauge", "Bytes held.", (memory.bytes, disk.bytes)),
      ("cache_objects", "gauge", "Objects held.", (memory.count, disk.objects)),
      ("cache_evictions_total", "counter", "Objects evicted.", (memory.evictions, disk.evictions)),
    ] {
      head(name, kind, help)
      line(name, "tier=\"memory\"", "\(values.0)")
      line(name, "tier=\"disk\"", "\(values.1)")
    }
    single("cache_entries", "gauge", "Entries in the index.", disk.entries)
    single("cache_store_failures_total", "counter", "Avatars that the disk did not take.", disk.failures)
    single("cache_damaged_objects_total", "counter", "Objects found damaged.", disk.damaged)
    single("cache_writable", "gauge", "Whether the disk takes writes.", disk.isWritable ? 1 : 0)
  }

  private mutating func workers(_ figures: Figures) {
    let workers = figures.workers()
    single("workers_busy", "gauge", "Workers at work.", workers.busy)
    single("workers_up", "gauge", "Workers up.", workers.up)
    single("workers_queued", "gauge", "Pictures that wait for a worker.", workers.queued)
    head("worker_restarts_total", "counter", "Workers replaced, by reason.")
    for (reason, count) in workers.restarts.sorted(by: { $0.key < $1.key }) {
      line("worker_restarts_total", "reason=\"\(reason)\"", "\(count)")
    }
    head("build_info", "gauge", "The version that runs.")
    line("build_info", "version=\"\(figures.version)\"", "1")
  }

  private mutating func process(_ figures: Figures) {
    for sample in ProcessFigures.read(started: figures.started) {
      text +=
        "# HELP \(sample.name) \(sample.help)\n# TYPE \(sample.name) \(sample.kind)\n\(sample.name) \(sample.value)\n"
    }
  }

  private mutating func head(_ name: String, _ kind: String, _ help: String) {
    text += "# HELP avatar_\(name) \(help)\n# TYPE avatar_\(name) \(kind)\n"
  }

  private mutating func line(_ name: String, _ labels: String, _ value: String) {
    text += labels.isEmpty ? "avatar_\(name) \(value)\n" : "avatar_\(name){\(labels)} \(value)\n"
  }

  private mutating func single(_ name: String, _ kind: String, _ help: String, _ value: Int) {
    head(name, kind, help)
    line(name, "", "\(value)")
  }

  private mutating func histogram(_ name: String, _ values: Histogram, _ labels: String, evenIfEmpty: Bool = false) {
    let cumulative = values.cumulative
    guard let total = cumulative.last, total > 0 || evenIfEmpty else { return }
    let more = labels.isEmpty ? "" : labels + ","
    for (bound, count) in zip(Histogram.bounds.map { "\($0)" } + ["+Inf"], cumulative) {
      line("\(name)_bucket", "\(more)le=\"\(bound)\"", "\(count)")
    }
    line("\(name)_sum", labels, "\(values.sum)")
    line("\(name)_count", labels, "\(total)")
  }
}
