package import Store

extension Settings {
    /// The limits and promises of the cache. Failed writes throw, as commands need it.
    package var storePolicy: StorePolicy {
        var policy = StorePolicy()
        policy.limits = cache.limits
        policy.durability = cache.durability
        return policy
    }
}
