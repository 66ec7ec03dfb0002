enum DemoOriginSeed {}
