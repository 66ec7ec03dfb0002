/// One number of a metric, or all buckets of a histogram.
protocol MetricSeries: AnyObject, Sendable {
    var value: MetricSample.Value { get }
}
