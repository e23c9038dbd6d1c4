import type { ReflectionStore } from '@parley/knowledge'
import { audit } from './audit.ts'
import { corrections } from './corrections.ts'
import { facts } from './facts.ts'
import { members } from './members.ts'
import { namespaces } from './namespaces.ts'
import { patches } from './patches.ts'
import { reflections } from './reflections.ts'
import { sourceText } from './source-text.ts'
import { sources } from './sources.ts'
import { summary } from './summary.ts'
import type { StoreHost } from './store-host.ts'

/** Reflections in Postgres, through the login of `parley_serving`, which reads knowledge and cannot write it. */
export const postgresReflectionStore = (host: StoreHost): ReflectionStore => ({
  ...reflections(host),
  ...members(host),
  ...namespaces(host),
  ...sources(host),
  ...summary(host),
  ...sourceText(host),
  ...facts(host),
  ...patches(host),
  ...corrections(host),
  ...audit(host),
})
