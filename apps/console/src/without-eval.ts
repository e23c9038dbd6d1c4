// The page's policy forbids building code from text. Zod tries that as soon as a schema is made, unless its settings,
// which it looks for here, are there before it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
