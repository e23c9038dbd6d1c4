import type { KnowledgeReader, ReflectionStore } from '@parley/knowledge'
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
import type { MembersHost, StoreHost } from './store-host.ts'

/** Reflections in Postgres, through the login of `parley_serving`, which reads knowledge and cannot write it. */
export const postgresReflectionStore = (host: MembersHost): ReflectionStore => ({
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
  readAs: (capability) => {
    const transact = host.transactMember(capability)
    return reader({ ...host, run: (statement, values) => transact((within) => within(statement, values)) })
  },
})

const reader = (host: StoreHost): KnowledgeReader => ({
  ...summary(host),
  ...sourceText(host),
  ...facts(host),
  findSource: sources(host).findSource,
  sources: sources(host).sources,
  patches: patches(host).patches,
  findPatch: patches(host).findPatch,
})
