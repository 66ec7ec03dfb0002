package import Store

extension Settings {
    /// The limits and promises of the cache. Failed writes throw, as commands need it.
    package var storePolicy: StorePolicy {
        var policy = StorePolicy()
        policy.limits = cache.limits
        policy.limits.maxPinned = Double(cache.maxPinned) / 100
        policy.durability = cache.durability
        return policy
    }
}
