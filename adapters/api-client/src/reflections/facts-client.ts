import {
  type AskReflection,
  CorrectionAccepted,
  type Fact,
  FactHistory,
  type FactId,
  type FactOrder,
  FactPage,
  type FactQuery,
  Patch,
  type PatchId,
  PatchPage,
  type PatchStatus,
  type ProposeCorrection,
  Retrieved,
  type ReviewPatch,
} from '@parley/contracts'
import { type Api, ask, queryOf } from '../request.ts'
import { at, type OfReflection, type PageOf, type PageQuery } from './of-reflection.ts'

/** Which facts; all where nothing is said. */
type FactsWanted = Pick<Partial<FactQuery>, 'state' | 'namespace' | 'sourceId' | 'search'>

/** What a reflection knows, and what is said of that. */
export interface FactsClient {
  /** As they were learned, latest first. */
  facts(page: PageQuery & OfReflection & FactsWanted): Promise<PageOf<Fact>>
  /** A part from anywhere in the list, and how long that is. */
  factsFrom(
    part: OfReflection &
      FactsWanted & { readonly after: number; readonly limit: number; readonly order?: FactOrder },
  ): Promise<{ readonly items: readonly Fact[]; readonly count: number }>
  /** What it took the place of, and what took its place, with itself; the earliest first. */
  factHistory(fact: OfReflection & { readonly factId: FactId }): Promise<readonly Fact[]>
  /** The patch that it becomes is made in the background, and waits for a person. */
  correct(correction: OfReflection & ProposeCorrection): Promise<CorrectionAccepted>
  patches(page: PageQuery & OfReflection & { readonly status?: PatchStatus }): Promise<PageOf<Patch>>
  patch(patch: OfReflection & { readonly patchId: PatchId }): Promise<Patch>
  review(patch: OfReflection & { readonly patchId: PatchId; readonly said: ReviewPatch }): Promise<Patch>
  ask(question: OfReflection & AskReflection): Promise<Retrieved>
}

export const createFactsClient = (api: Api): FactsClient => ({
  facts: ({ reflectionId, ...page }) =>
    ask(api, FactPage, 'GET', `${at(reflectionId, 'facts')}${queryOf({ ...page })}`),
  factsFrom: async ({ reflectionId, ...part }) => {
    const path = `${at(reflectionId, 'facts')}${queryOf({ ...part })}`
    const { items, count = items.length } = await ask(api, FactPage, 'GET', path)
    return { items, count }
  },
  factHistory: async ({ reflectionId, factId }) =>
    (await ask(api, FactHistory, 'GET', at(reflectionId, 'facts', factId, 'history'))).items,
  correct: ({ reflectionId, ...body }) =>
    ask(api, CorrectionAccepted, 'POST', at(reflectionId, 'corrections'), { body }),
  patches: ({ reflectionId, ...page }) =>
    ask(api, PatchPage, 'GET', `${at(reflectionId, 'patches')}${queryOf({ ...page })}`),
  patch: ({ reflectionId, patchId }) => ask(api, Patch, 'GET', at(reflectionId, 'patches', patchId)),
  review: ({ reflectionId, patchId, said }) =>
    ask(api, Patch, 'POST', at(reflectionId, 'patches', patchId, said)),
  ask: ({ reflectionId, ...body }) => ask(api, Retrieved, 'POST', at(reflectionId, 'ask'), { body }),
})
