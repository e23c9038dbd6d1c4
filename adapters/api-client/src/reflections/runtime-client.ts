import {
  AgentTestReport,
  DriftReport,
  ExploreNext,
  LedgerPage,
  type LookAtVariables,
  type ReflectionId,
  StoredGeneration,
  type AgentSurface,
  SyncStatus,
  type TestAgents,
  VariablesLook,
} from '@parley/contracts'
import { type Api, ask, queryOf } from '../request.ts'
import { at, type OfReflection, type PageQuery } from './of-reflection.ts'

/** What speaks for a reflection, here and at the voice provider. */
export interface RuntimeClient {
  /** Latest first. */
  ledger(page: PageQuery & OfReflection): Promise<LedgerPage>
  generation(of: OfReflection & { readonly generation: number }): Promise<StoredGeneration>
  /** How the voice provider's agent of each surface stands. */
  syncStatus(reflectionId: ReflectionId): Promise<SyncStatus>
  /** Of one surface, or of all. */
  sync(of: OfReflection & { readonly surface?: AgentSurface }): Promise<SyncStatus>
  /** What a session of this kind would be told; none is started. */
  variables(of: OfReflection & Partial<LookAtVariables>): Promise<VariablesLook>
  /** What an interview with who asks would ask about, in order. */
  exploreNext(reflectionId: ReflectionId): Promise<ExploreNext>
  /** What the provider holds beside what should be there, after it was repaired where that is asked for. */
  drift(of: OfReflection & { readonly repair?: boolean }): Promise<DriftReport>
  testAgents(of: OfReflection & TestAgents): Promise<AgentTestReport>
}

export const createRuntimeClient = (api: Api): RuntimeClient => ({
  ledger: ({ reflectionId, ...page }) =>
    ask(api, LedgerPage, 'GET', `${at(reflectionId, 'artifacts')}${queryOf({ ...page })}`),
  generation: ({ reflectionId, generation }) =>
    ask(api, StoredGeneration, 'GET', at(reflectionId, 'artifacts', String(generation))),
  syncStatus: (reflectionId) => ask(api, SyncStatus, 'GET', at(reflectionId, 'sync')),
  sync: ({ reflectionId, ...body }) =>
    ask(api, SyncStatus, 'POST', at(reflectionId, 'sync'), { body, signal: whileProviderWorks() }),
  variables: ({ reflectionId, ...body }) =>
    ask(api, VariablesLook, 'POST', at(reflectionId, 'variables'), { body }),
  exploreNext: (reflectionId) => ask(api, ExploreNext, 'GET', at(reflectionId, 'explore-next')),
  drift: ({ reflectionId, ...body }) =>
    ask(api, DriftReport, 'POST', at(reflectionId, 'audit'), { body, signal: whileProviderWorks() }),
  testAgents: ({ reflectionId, ...body }) =>
    ask(api, AgentTestReport, 'POST', at(reflectionId, 'agent-tests'), {
      body,
      signal: whileProviderWorks(),
    }),
})

const LONGEST_PROVIDER_MS = 660_000
const whileProviderWorks = () => AbortSignal.timeout(LONGEST_PROVIDER_MS)
