import type { ReflectionStore } from '@parley/knowledge'
import { audit } from './audit.ts'
import { corrections } from './corrections.ts'
import { namespaces } from './namespaces.ts'
import { patches } from './patches.ts'
import { reflections } from './reflections.ts'
import { sources } from './sources.ts'
import type { StoreHost } from './store-host.ts'

/** Reflections in Postgres, through the login of `parley_serving`, which reads knowledge and cannot write it. */
export const postgresReflectionStore = (host: StoreHost): ReflectionStore => ({
  ...reflections(host),
  ...namespaces(host),
  ...sources(host),
  ...patches(host),
  ...corrections(host),
  ...audit(host),
})
