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

interface OfReflection {
  readonly reflectionId: ReflectionId
}

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

export interface PageOf<Item> {
  readonly items: readonly Item[]
  /** Pass as `cursor` for the next page; absent at the end. */
  readonly nextCursor?: string | undefined
}

interface Unpublish extends OfReflection {
  readonly namespaces: readonly string[]
}

interface Publish extends Unpublish {
  /** The digest of the reviewed preview; a change since then refuses the request. */
  readonly previewHash?: string
}

/** Calls for reflections. Changes to knowledge return once queued. */
export interface ReflectionsClient
  extends
    ReturnType<typeof createLifecycleClient>,
    ReturnType<typeof createSourcesClient>,
    ReturnType<typeof createFactsClient>,
    ReturnType<typeof createMembersClient>,
    ReturnType<typeof createRuntimeClient>,
    ReturnType<typeof createSharingClient> {}

export const createReflectionsClient = (api: Api): ReflectionsClient => ({
  ...createLifecycleClient(api),
  ...createSourcesClient(api),
  ...createFactsClient(api),
  ...createMembersClient(api),
  ...createRuntimeClient(api),
  ...createSharingClient(api),
})

const createLifecycleClient = (api: Api) => ({
  create: ({ idempotencyKey, ...body }: CreateReflection & Keyed) =>
    ask<Reflection>(api, Reflection, 'POST', REFLECTIONS, { body, idempotencyKey }),
  list: (page: PageQuery = {}) => ask(api, ReflectionPage, 'GET', `${REFLECTIONS}${queryOf({ ...page })}`),
  get: (reflectionId: ReflectionId) => ask<Reflection>(api, Reflection, 'GET', at(reflectionId)),
  /** Counts of sources, facts and pending patches. */
  summary: (reflectionId: ReflectionId) =>
    ask<ReflectionSummary>(api, ReflectionSummary, 'GET', at(reflectionId, 'summary')),
  change: ({ reflectionId, ...body }: ChangeReflection & OfReflection) =>
    ask<Reflection>(api, Reflection, 'PATCH', at(reflectionId), { body }),
  remove: async (reflectionId: ReflectionId) => void (await request(api, 'DELETE', at(reflectionId), {})),
  addNamespace: ({ reflectionId, idempotencyKey, ...body }: OfReflection & { name: string } & Keyed) =>
    ask<Namespace>(api, Namespace, 'POST', at(reflectionId, 'namespaces'), { body, idempotencyKey }),
  publish: ({ reflectionId, ...body }: Publish) =>
    ask<Reflection>(api, Reflection, 'POST', at(reflectionId, 'publish'), { body }),
  unpublish: ({ reflectionId, ...body }: Unpublish) =>
    ask<Reflection>(api, Reflection, 'POST', at(reflectionId, 'unpublish'), { body }),
  /** A preview of publishing or unpublishing; changes nothing. */
  previewPublish: ({ reflectionId, ...body }: OfReflection & PreviewPublish) =>
    ask<PublishPreview>(api, PublishPreview, 'POST', at(reflectionId, 'publish-preview'), { body }),
})

/** Share links to the public part of a reflection. */
const createSharingClient = (api: Api) => ({
  /** The token is returned only once. */
  share: ({ reflectionId, idempotencyKey, ...body }: OfReflection & CreateShareLink & Keyed) =>
    ask<CreatedShareLink>(api, CreatedShareLink, 'POST', at(reflectionId, 'share-links'), {
      body,
      idempotencyKey,
    }),
  /** Latest first. */
  shareLinks: async (reflectionId: ReflectionId) =>
    (await ask(api, ShareLinkList, 'GET', at(reflectionId, 'share-links'))).items,
  unshare: async ({ reflectionId, linkId }: OfReflection & { linkId: string }) =>
    void (await request(api, 'DELETE', at(reflectionId, 'share-links', linkId), {})),
})

type OneMember = OfReflection & { readonly personId: PersonId }

/** Members of a reflection and its audit log. */
const createMembersClient = (api: Api) => ({
  members: async (reflectionId: ReflectionId) =>
    (await ask(api, MemberList, 'GET', at(reflectionId, 'members'))).items,
  setMember: ({ reflectionId, ...body }: OfReflection & SetMember) =>
    ask<Member>(api, Member, 'PUT', at(reflectionId, 'members'), { body }),
  /** The link is returned only once. */
  invite: ({ reflectionId, idempotencyKey, ...body }: OfReflection & InviteMember & Keyed) =>
    ask<Invitation>(api, Invitation, 'POST', at(reflectionId, 'invitations'), { body, idempotencyKey }),
  /** A new link for the same person, returned only once; the old one is revoked. */
  inviteAgain: ({ reflectionId, personId, idempotencyKey }: OneMember & Keyed) =>
    ask<Invitation>(api, Invitation, 'POST', at(reflectionId, 'members', personId, 'link'), {
      body: {},
      idempotencyKey,
    }),
  removeMember: async ({ reflectionId, personId }: OneMember) =>
    void (await request(api, 'DELETE', at(reflectionId, 'members', personId), {})),
  /** Removes the caller from the members. */
  leave: async (reflectionId: ReflectionId) =>
    void (await request(api, 'POST', at(reflectionId, 'leave'), { body: {} })),
  /** The audit log, latest first. */
  audit: ({ reflectionId, ...page }: PageQuery & OfReflection) =>
    ask(api, AuditPage, 'GET', `${at(reflectionId, 'audit')}${queryOf({ ...page })}`),
})

/** A reflection's runtime, here and at the voice provider. */
const createRuntimeClient = (api: Api) => ({
  /** Latest first. */
  ledger: ({ reflectionId, ...page }: PageQuery & OfReflection) =>
    ask<LedgerPage>(api, LedgerPage, 'GET', `${at(reflectionId, 'artifacts')}${queryOf({ ...page })}`),
  generation: ({ reflectionId, generation }: OfReflection & { generation: number }) =>
    ask<StoredGeneration>(api, StoredGeneration, 'GET', at(reflectionId, 'artifacts', String(generation))),
  /** The status of each surface's agent at the voice provider. */
  syncStatus: (reflectionId: ReflectionId) => ask(api, SyncStatus, 'GET', at(reflectionId, 'sync')),
  /** For one surface, or all. */
  sync: ({ reflectionId, ...body }: OfReflection & { surface?: AgentSurface }) =>
    ask(api, SyncStatus, 'POST', at(reflectionId, 'sync'), { body, signal: providerTimeout() }),
  /** The variables of such a session; starts none. */
  variables: ({ reflectionId, ...body }: OfReflection & Partial<PreviewVariables>) =>
    ask<VariablesPreview>(api, VariablesPreview, 'POST', at(reflectionId, 'variables'), { body }),
  /** The next interview topics for the caller, in order. */
  exploreNext: (reflectionId: ReflectionId) => ask(api, ExploreNext, 'GET', at(reflectionId, 'explore-next')),
  /** Differences at the provider, after an optional repair. */
  drift: ({ reflectionId, ...body }: OfReflection & { repair?: boolean }) =>
    ask<DriftReport>(api, DriftReport, 'POST', at(reflectionId, 'audit'), {
      body,
      signal: providerTimeout(),
    }),
  testAgents: ({ reflectionId, ...body }: OfReflection & TestAgents) =>
    ask<AgentTestReport>(api, AgentTestReport, 'POST', at(reflectionId, 'agent-tests'), {
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

type OneSource = OfReflection & { readonly sourceId: SourceId }

/** A reflection's sources. */
const createSourcesClient = (api: Api) => ({
  /** With a source id, replaces that source, which needs no key. */
  addSource: (
    reflectionId: ReflectionId,
    { idempotencyKey, ...source }: SourceToAdd & Keyed,
    sourceId?: SourceId,
  ) =>
    sourceId === undefined
      ? ask<Source>(api, Source, 'POST', at(reflectionId, 'sources'), { ...toBody(source), idempotencyKey })
      : ask<Source>(api, Source, 'PUT', at(reflectionId, 'sources', sourceId), toBody(source)),
  sources: ({ reflectionId, ...page }: PageQuery & OfReflection & { namespace?: string }) =>
    ask(api, SourcePage, 'GET', `${at(reflectionId, 'sources')}${queryOf({ ...page })}`),
  source: ({ reflectionId, sourceId }: OneSource) =>
    ask<Source>(api, Source, 'GET', at(reflectionId, 'sources', sourceId)),
  /** The text from a passage, or from the position of the given words. */
  sourceText: ({
    reflectionId,
    sourceId,
    ...from
  }: OneSource & { after?: number; limit?: number; words?: string }) =>
    ask<SourceText>(
      api,
      SourceText,
      'GET',
      `${at(reflectionId, 'sources', sourceId, 'text')}${queryOf({ ...from })}`,
    ),
  removeSource: ({ reflectionId, sourceId }: OneSource) =>
    ask<Source>(api, Source, 'DELETE', at(reflectionId, 'sources', sourceId)),
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

type OnePatch = OfReflection & { readonly patchId: PatchId }

/** A reflection's facts and corrections. */
const createFactsClient = (api: Api) => ({
  /** Latest first. */
  facts: ({ reflectionId, ...page }: PageQuery & OfReflection & FactFilter) =>
    ask(api, FactPage, 'GET', `${at(reflectionId, 'facts')}${queryOf({ ...page })}`),
  /** A window of the list, with the total. */
  factsFrom: async ({
    reflectionId,
    ...part
  }: OfReflection & FactFilter & { after: number; limit: number; order?: FactOrder }) => {
    const path = `${at(reflectionId, 'facts')}${queryOf({ ...part })}`
    const { items, count = items.length } = await ask(api, FactPage, 'GET', path)
    return { items, count }
  },
  /** The fact with its predecessors and successors, the earliest first. */
  factHistory: async ({ reflectionId, factId }: OfReflection & { factId: FactId }) =>
    (await ask(api, FactHistory, 'GET', at(reflectionId, 'facts', factId, 'history'))).items,
  /** Creates a patch in the background, for review. */
  correct: ({ reflectionId, idempotencyKey, ...body }: OfReflection & ProposeCorrection & Keyed) =>
    ask(api, CorrectionAccepted, 'POST', at(reflectionId, 'corrections'), {
      body,
      idempotencyKey,
    }),
  patches: ({ reflectionId, ...page }: PageQuery & OfReflection & { status?: PatchStatus }) =>
    ask(api, PatchPage, 'GET', `${at(reflectionId, 'patches')}${queryOf({ ...page })}`),
  patch: ({ reflectionId, patchId }: OnePatch) =>
    ask<Patch>(api, Patch, 'GET', at(reflectionId, 'patches', patchId)),
  review: ({ reflectionId, patchId, said }: OnePatch & { said: ReviewPatch }) =>
    ask<Patch>(api, Patch, 'POST', at(reflectionId, 'patches', patchId, said)),
  ask: ({ reflectionId, ...body }: OfReflection & AskReflection) =>
    ask<Retrieved>(api, Retrieved, 'POST', at(reflectionId, 'ask'), { body }),
})

const REFLECTIONS = '/v1/reflections'

/** The path of a reflection or one of its resources. */
const at = (...parts: readonly string[]): string =>
  `${REFLECTIONS}/${parts.map(encodeURIComponent).join('/')}`
