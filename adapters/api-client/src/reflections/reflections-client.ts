import {
  type AddSource,
  type AgentSurface,
  AgentTestReport,
  type AskReflection,
  AuditPage,
  type ChangeReflection,
  CorrectionAccepted,
  type CreateReflection,
  type CreateShareLink,
  CreatedShareLink,
  DriftReport,
  ExploreNext,
  type Fact,
  FactHistory,
  type FactId,
  type FactOrder,
  FactPage,
  type FactQuery,
  Invitation,
  type InviteMember,
  LedgerPage,
  type PreviewVariables,
  Member,
  MemberList,
  Namespace,
  Patch,
  type PatchId,
  PatchPage,
  type PatchStatus,
  type PersonId,
  type PreviewPublish,
  type ProposeCorrection,
  PublishPreview,
  Reflection,
  type ReflectionId,
  ReflectionPage,
  ReflectionSummary,
  Retrieved,
  type ReviewPatch,
  type SetMember,
  type ShareLink,
  ShareLinkList,
  Source,
  type SourceId,
  SourcePage,
  SourceText,
  StoredGeneration,
  SyncStatus,
  type TestAgents,
  VariablesPreview,
} from '@parley/contracts'
import { type Api, type Keyed, ask, queryOf, request } from '../request.ts'

interface Unpublish extends OfReflection {
  readonly namespaces: readonly string[]
}

interface Publish extends Unpublish {
  /** The digest of the reviewed preview; a change since then refuses the request. */
  readonly previewHash?: string
}

/** Calls for reflections. Changes to knowledge return once queued. */
export interface ReflectionsClient
  extends SourcesClient, FactsClient, MembersClient, RuntimeClient, SharingClient {
  create(reflection: CreateReflection & Keyed): Promise<Reflection>
  list(page?: PageQuery): Promise<PageOf<Reflection>>
  get(reflectionId: ReflectionId): Promise<Reflection>
  /** Counts of sources, facts and pending patches. */
  summary(reflectionId: ReflectionId): Promise<ReflectionSummary>
  change(change: ChangeReflection & OfReflection): Promise<Reflection>
  remove(reflectionId: ReflectionId): Promise<void>
  addNamespace(namespace: OfReflection & { readonly name: string } & Keyed): Promise<Namespace>
  publish(change: Publish): Promise<Reflection>
  unpublish(change: Unpublish): Promise<Reflection>
  /** A preview of publishing or unpublishing; changes nothing. */
  previewPublish(change: OfReflection & PreviewPublish): Promise<PublishPreview>
}

export const createReflectionsClient = (api: Api): ReflectionsClient => ({
  create: ({ idempotencyKey, ...body }) =>
    ask(api, Reflection, 'POST', REFLECTIONS, { body, idempotencyKey }),
  list: (page = {}) => ask(api, ReflectionPage, 'GET', `${REFLECTIONS}${queryOf({ ...page })}`),
  get: (reflectionId) => ask(api, Reflection, 'GET', at(reflectionId)),
  summary: (reflectionId) => ask(api, ReflectionSummary, 'GET', at(reflectionId, 'summary')),
  change: ({ reflectionId, ...body }) => ask(api, Reflection, 'PATCH', at(reflectionId), { body }),
  remove: async (reflectionId) => void (await request(api, 'DELETE', at(reflectionId), {})),
  addNamespace: ({ reflectionId, idempotencyKey, ...body }) =>
    ask(api, Namespace, 'POST', at(reflectionId, 'namespaces'), { body, idempotencyKey }),
  publish: ({ reflectionId, ...body }) => ask(api, Reflection, 'POST', at(reflectionId, 'publish'), { body }),
  unpublish: ({ reflectionId, ...body }) =>
    ask(api, Reflection, 'POST', at(reflectionId, 'unpublish'), { body }),
  previewPublish: ({ reflectionId, ...body }) =>
    ask(api, PublishPreview, 'POST', at(reflectionId, 'publish-preview'), { body }),
  ...createSourcesClient(api),
  ...createFactsClient(api),
  ...createMembersClient(api),
  ...createRuntimeClient(api),
  ...createSharingClient(api),
})

/** Share links to the public part of a reflection. */
interface SharingClient {
  /** The token is returned only once. */
  share(link: OfReflection & CreateShareLink & Keyed): Promise<CreatedShareLink>
  /** Latest first. */
  shareLinks(reflectionId: ReflectionId): Promise<readonly ShareLink[]>
  unshare(link: OfReflection & { readonly linkId: string }): Promise<void>
}

const createSharingClient = (api: Api): SharingClient => ({
  share: ({ reflectionId, idempotencyKey, ...body }) =>
    ask(api, CreatedShareLink, 'POST', at(reflectionId, 'share-links'), { body, idempotencyKey }),
  shareLinks: async (reflectionId) =>
    (await ask(api, ShareLinkList, 'GET', at(reflectionId, 'share-links'))).items,
  unshare: async ({ reflectionId, linkId }) =>
    void (await request(api, 'DELETE', at(reflectionId, 'share-links', linkId), {})),
})

/** Members of a reflection and its audit log. */
interface MembersClient {
  members(reflectionId: ReflectionId): Promise<readonly Member[]>
  setMember(member: OfReflection & SetMember): Promise<Member>
  /** The link is returned only once. */
  invite(person: OfReflection & InviteMember & Keyed): Promise<Invitation>
  /** A new link for the same person, returned only once; the old one is revoked. */
  inviteAgain(member: OfReflection & { readonly personId: PersonId } & Keyed): Promise<Invitation>
  removeMember(member: OfReflection & { readonly personId: PersonId }): Promise<void>
  /** Removes the caller from the members. */
  leave(reflectionId: ReflectionId): Promise<void>
  /** The audit log, latest first. */
  audit(page: PageQuery & OfReflection): Promise<AuditPage>
}

const createMembersClient = (api: Api): MembersClient => ({
  members: async (reflectionId) => (await ask(api, MemberList, 'GET', at(reflectionId, 'members'))).items,
  setMember: ({ reflectionId, ...body }) => ask(api, Member, 'PUT', at(reflectionId, 'members'), { body }),
  invite: ({ reflectionId, idempotencyKey, ...body }) =>
    ask(api, Invitation, 'POST', at(reflectionId, 'invitations'), { body, idempotencyKey }),
  inviteAgain: ({ reflectionId, personId, idempotencyKey }) =>
    ask(api, Invitation, 'POST', at(reflectionId, 'members', personId, 'link'), {
      body: {},
      idempotencyKey,
    }),
  removeMember: async ({ reflectionId, personId }) =>
    void (await request(api, 'DELETE', at(reflectionId, 'members', personId), {})),
  leave: async (reflectionId) => void (await request(api, 'POST', at(reflectionId, 'leave'), { body: {} })),
  audit: ({ reflectionId, ...page }) =>
    ask(api, AuditPage, 'GET', `${at(reflectionId, 'audit')}${queryOf({ ...page })}`),
})

/** A reflection's runtime, here and at the voice provider. */
interface RuntimeClient {
  /** Latest first. */
  ledger(page: PageQuery & OfReflection): Promise<LedgerPage>
  generation(of: OfReflection & { readonly generation: number }): Promise<StoredGeneration>
  /** The status of each surface's agent at the voice provider. */
  syncStatus(reflectionId: ReflectionId): Promise<SyncStatus>
  /** For one surface, or all. */
  sync(of: OfReflection & { readonly surface?: AgentSurface }): Promise<SyncStatus>
  /** The variables of such a session; starts none. */
  variables(of: OfReflection & Partial<PreviewVariables>): Promise<VariablesPreview>
  /** The next interview topics for the caller, in order. */
  exploreNext(reflectionId: ReflectionId): Promise<ExploreNext>
  /** Differences at the provider, after an optional repair. */
  drift(of: OfReflection & { readonly repair?: boolean }): Promise<DriftReport>
  testAgents(of: OfReflection & TestAgents): Promise<AgentTestReport>
}

const createRuntimeClient = (api: Api): RuntimeClient => ({
  ledger: ({ reflectionId, ...page }) =>
    ask(api, LedgerPage, 'GET', `${at(reflectionId, 'artifacts')}${queryOf({ ...page })}`),
  generation: ({ reflectionId, generation }) =>
    ask(api, StoredGeneration, 'GET', at(reflectionId, 'artifacts', String(generation))),
  syncStatus: (reflectionId) => ask(api, SyncStatus, 'GET', at(reflectionId, 'sync')),
  sync: ({ reflectionId, ...body }) =>
    ask(api, SyncStatus, 'POST', at(reflectionId, 'sync'), { body, signal: providerTimeout() }),
  variables: ({ reflectionId, ...body }) =>
    ask(api, VariablesPreview, 'POST', at(reflectionId, 'variables'), { body }),
  exploreNext: (reflectionId) => ask(api, ExploreNext, 'GET', at(reflectionId, 'explore-next')),
  drift: ({ reflectionId, ...body }) =>
    ask(api, DriftReport, 'POST', at(reflectionId, 'audit'), { body, signal: providerTimeout() }),
  testAgents: ({ reflectionId, ...body }) =>
    ask(api, AgentTestReport, 'POST', at(reflectionId, 'agent-tests'), {
      body,
      signal: providerTimeout(),
    }),
})

const LONGEST_PROVIDER_MS = 660_000
const providerTimeout = () => AbortSignal.timeout(LONGEST_PROVIDER_MS)

/** A file or a text to import. */
export type SourceToAdd =
  | AddSource
  | { readonly title: string; readonly namespace: string; readonly file: Blob; readonly fileName: string }

interface OneSource extends OfReflection {
  readonly sourceId: SourceId
}

/** A reflection's sources. */
interface SourcesClient {
  /** With a source id, replaces that source, which needs no key. */
  addSource(reflectionId: ReflectionId, source: SourceToAdd & Keyed, sourceId?: SourceId): Promise<Source>
  sources(page: PageQuery & OfReflection & { readonly namespace?: string }): Promise<PageOf<Source>>
  source(source: OneSource): Promise<Source>
  /** The text from a passage, or from the position of the given words. */
  sourceText(
    text: OneSource & { readonly after?: number; readonly limit?: number; readonly words?: string },
  ): Promise<SourceText>
  removeSource(source: OneSource): Promise<Source>
}

const createSourcesClient = (api: Api): SourcesClient => ({
  addSource: (reflectionId, { idempotencyKey, ...source }, sourceId) =>
    sourceId === undefined
      ? ask(api, Source, 'POST', at(reflectionId, 'sources'), { ...toBody(source), idempotencyKey })
      : ask(api, Source, 'PUT', at(reflectionId, 'sources', sourceId), toBody(source)),
  sources: ({ reflectionId, ...page }) =>
    ask(api, SourcePage, 'GET', `${at(reflectionId, 'sources')}${queryOf({ ...page })}`),
  source: ({ reflectionId, sourceId }) => ask(api, Source, 'GET', at(reflectionId, 'sources', sourceId)),
  sourceText: ({ reflectionId, sourceId, ...from }) =>
    ask(api, SourceText, 'GET', `${at(reflectionId, 'sources', sourceId, 'text')}${queryOf({ ...from })}`),
  removeSource: ({ reflectionId, sourceId }) =>
    ask(api, Source, 'DELETE', at(reflectionId, 'sources', sourceId)),
})

/** Timeout for a large file over a slow connection. */
const LONGEST_UPLOAD_MS = 600_000

function toBody(source: SourceToAdd) {
  const signal = AbortSignal.timeout(LONGEST_UPLOAD_MS)
  if (!('file' in source)) return { body: source, signal }
  const form = new FormData()
  form.set('title', source.title)
  form.set('namespace', source.namespace)
  form.set('file', source.file, source.fileName)
  return { form, signal }
}

/** Fact filters; all facts by default. */
type FactFilter = Pick<Partial<FactQuery>, 'state' | 'namespace' | 'sourceId' | 'search'>

/** A reflection's facts and corrections. */
interface FactsClient {
  /** Latest first. */
  facts(page: PageQuery & OfReflection & FactFilter): Promise<PageOf<Fact>>
  /** A window of the list, with the total. */
  factsFrom(
    part: OfReflection &
      FactFilter & { readonly after: number; readonly limit: number; readonly order?: FactOrder },
  ): Promise<{ readonly items: readonly Fact[]; readonly count: number }>
  /** The fact with its predecessors and successors, the earliest first. */
  factHistory(fact: OfReflection & { readonly factId: FactId }): Promise<readonly Fact[]>
  /** Creates a patch in the background, for review. */
  correct(correction: OfReflection & ProposeCorrection & Keyed): Promise<CorrectionAccepted>
  patches(page: PageQuery & OfReflection & { readonly status?: PatchStatus }): Promise<PageOf<Patch>>
  patch(patch: OfReflection & { readonly patchId: PatchId }): Promise<Patch>
  review(patch: OfReflection & { readonly patchId: PatchId; readonly said: ReviewPatch }): Promise<Patch>
  ask(question: OfReflection & AskReflection): Promise<Retrieved>
}

const createFactsClient = (api: Api): FactsClient => ({
  facts: ({ reflectionId, ...page }) =>
    ask(api, FactPage, 'GET', `${at(reflectionId, 'facts')}${queryOf({ ...page })}`),
  factsFrom: async ({ reflectionId, ...part }) => {
    const path = `${at(reflectionId, 'facts')}${queryOf({ ...part })}`
    const { items, count = items.length } = await ask(api, FactPage, 'GET', path)
    return { items, count }
  },
  factHistory: async ({ reflectionId, factId }) =>
    (await ask(api, FactHistory, 'GET', at(reflectionId, 'facts', factId, 'history'))).items,
  correct: ({ reflectionId, idempotencyKey, ...body }) =>
    ask(api, CorrectionAccepted, 'POST', at(reflectionId, 'corrections'), { body, idempotencyKey }),
  patches: ({ reflectionId, ...page }) =>
    ask(api, PatchPage, 'GET', `${at(reflectionId, 'patches')}${queryOf({ ...page })}`),
  patch: ({ reflectionId, patchId }) => ask(api, Patch, 'GET', at(reflectionId, 'patches', patchId)),
  review: ({ reflectionId, patchId, said }) =>
    ask(api, Patch, 'POST', at(reflectionId, 'patches', patchId, said)),
  ask: ({ reflectionId, ...body }) => ask(api, Retrieved, 'POST', at(reflectionId, 'ask'), { body }),
})

interface OfReflection {
  readonly reflectionId: ReflectionId
}

export interface PageOf<Item> {
  readonly items: readonly Item[]
  /** Pass as `cursor` for the next page; absent at the end. */
  readonly nextCursor?: string | undefined
}

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

const REFLECTIONS = '/v1/reflections'

/** The path of a reflection or one of its resources. */
const at = (...parts: readonly string[]): string =>
  `${REFLECTIONS}/${parts.map(encodeURIComponent).join('/')}`
