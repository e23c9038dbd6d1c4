// The page's policy forbids building code from text. Zod tries to when a schema is created, unless this setting exists first.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
