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
  RetrievalResult,
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
import { type ApiConnection, type Keyed, requestJson, toQuery, request } from '../request.ts'

interface ReflectionParams {
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

interface Unpublish extends ReflectionParams {
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

export const createReflectionsClient = (api: ApiConnection): ReflectionsClient => ({
  ...createLifecycleClient(api),
  ...createSourcesClient(api),
  ...createFactsClient(api),
  ...createMembersClient(api),
  ...createRuntimeClient(api),
  ...createSharingClient(api),
})

const createLifecycleClient = (api: ApiConnection) => ({
  create: ({ idempotencyKey, ...body }: CreateReflection & Keyed) =>
    requestJson<Reflection>(api, Reflection, 'POST', REFLECTIONS, { body, idempotencyKey }),
  list: (page: PageQuery = {}) =>
    requestJson(api, ReflectionPage, 'GET', `${REFLECTIONS}${toQuery({ ...page })}`),
  get: (reflectionId: ReflectionId) =>
    requestJson<Reflection>(api, Reflection, 'GET', toReflectionPath(reflectionId)),
  /** Counts of sources, facts and pending patches. */
  summary: (reflectionId: ReflectionId) =>
    requestJson<ReflectionSummary>(api, ReflectionSummary, 'GET', toReflectionPath(reflectionId, 'summary')),
  change: ({ reflectionId, ...body }: ChangeReflection & ReflectionParams) =>
    requestJson<Reflection>(api, Reflection, 'PATCH', toReflectionPath(reflectionId), { body }),
  remove: async (reflectionId: ReflectionId) =>
    void (await request(api, 'DELETE', toReflectionPath(reflectionId), {})),
  addNamespace: ({ reflectionId, idempotencyKey, ...body }: ReflectionParams & { name: string } & Keyed) =>
    requestJson<Namespace>(api, Namespace, 'POST', toReflectionPath(reflectionId, 'namespaces'), {
      body,
      idempotencyKey,
    }),
  publish: ({ reflectionId, ...body }: Publish) =>
    requestJson<Reflection>(api, Reflection, 'POST', toReflectionPath(reflectionId, 'publish'), { body }),
  unpublish: ({ reflectionId, ...body }: Unpublish) =>
    requestJson<Reflection>(api, Reflection, 'POST', toReflectionPath(reflectionId, 'unpublish'), { body }),
  /** A preview of publishing or unpublishing; changes nothing. */
  previewPublish: ({ reflectionId, ...body }: ReflectionParams & PreviewPublish) =>
    requestJson<PublishPreview>(
      api,
      PublishPreview,
      'POST',
      toReflectionPath(reflectionId, 'publish-preview'),
      { body },
    ),
})

/** Share links to the public part of a reflection. */
const createSharingClient = (api: ApiConnection) => ({
  /** The token is returned only once. */
  share: ({ reflectionId, idempotencyKey, ...body }: ReflectionParams & CreateShareLink & Keyed) =>
    requestJson<CreatedShareLink>(
      api,
      CreatedShareLink,
      'POST',
      toReflectionPath(reflectionId, 'share-links'),
      {
        body,
        idempotencyKey,
      },
    ),
  /** Latest first. */
  shareLinks: async (reflectionId: ReflectionId) =>
    (await requestJson(api, ShareLinkList, 'GET', toReflectionPath(reflectionId, 'share-links'))).items,
  unshare: async ({ reflectionId, linkId }: ReflectionParams & { linkId: string }) =>
    void (await request(api, 'DELETE', toReflectionPath(reflectionId, 'share-links', linkId), {})),
})

type MemberParams = ReflectionParams & { readonly personId: PersonId }

/** Members of a reflection and its audit log. */
const createMembersClient = (api: ApiConnection) => ({
  members: async (reflectionId: ReflectionId) =>
    (await requestJson(api, MemberList, 'GET', toReflectionPath(reflectionId, 'members'))).items,
  setMember: ({ reflectionId, ...body }: ReflectionParams & SetMember) =>
    requestJson<Member>(api, Member, 'PUT', toReflectionPath(reflectionId, 'members'), { body }),
  /** The link is returned only once. */
  invite: ({ reflectionId, idempotencyKey, ...body }: ReflectionParams & InviteMember & Keyed) =>
    requestJson<Invitation>(api, Invitation, 'POST', toReflectionPath(reflectionId, 'invitations'), {
      body,
      idempotencyKey,
    }),
  /** A new link for the same person, returned only once; the old one is revoked. */
  inviteAgain: ({ reflectionId, personId, idempotencyKey }: MemberParams & Keyed) =>
    requestJson<Invitation>(
      api,
      Invitation,
      'POST',
      toReflectionPath(reflectionId, 'members', personId, 'link'),
      {
        body: {},
        idempotencyKey,
      },
    ),
  removeMember: async ({ reflectionId, personId }: MemberParams) =>
    void (await request(api, 'DELETE', toReflectionPath(reflectionId, 'members', personId), {})),
  /** Removes the caller from the members. */
  leave: async (reflectionId: ReflectionId) =>
    void (await request(api, 'POST', toReflectionPath(reflectionId, 'leave'), { body: {} })),
  /** The audit log, latest first. */
  audit: ({ reflectionId, ...page }: PageQuery & ReflectionParams) =>
    requestJson(api, AuditPage, 'GET', `${toReflectionPath(reflectionId, 'audit')}${toQuery({ ...page })}`),
})

/** A reflection's runtime, here and at the voice provider. */
const createRuntimeClient = (api: ApiConnection) => ({
  /** Latest first. */
  ledger: ({ reflectionId, ...page }: PageQuery & ReflectionParams) =>
    requestJson<LedgerPage>(
      api,
      LedgerPage,
      'GET',
      `${toReflectionPath(reflectionId, 'artifacts')}${toQuery({ ...page })}`,
    ),
  generation: ({ reflectionId, generation }: ReflectionParams & { generation: number }) =>
    requestJson<StoredGeneration>(
      api,
      StoredGeneration,
      'GET',
      toReflectionPath(reflectionId, 'artifacts', String(generation)),
    ),
  /** The status of each surface's agent at the voice provider. */
  syncStatus: (reflectionId: ReflectionId) =>
    requestJson(api, SyncStatus, 'GET', toReflectionPath(reflectionId, 'sync')),
  /** For one surface, or all. */
  sync: ({ reflectionId, ...body }: ReflectionParams & { surface?: AgentSurface }) =>
    requestJson(api, SyncStatus, 'POST', toReflectionPath(reflectionId, 'sync'), {
      body,
      signal: providerTimeout(),
    }),
  /** The variables of such a session; starts none. */
  variables: ({ reflectionId, ...body }: ReflectionParams & Partial<PreviewVariables>) =>
    requestJson<VariablesPreview>(
      api,
      VariablesPreview,
      'POST',
      toReflectionPath(reflectionId, 'variables'),
      { body },
    ),
  /** The next interview topics for the caller, in order. */
  exploreNext: (reflectionId: ReflectionId) =>
    requestJson(api, ExploreNext, 'GET', toReflectionPath(reflectionId, 'explore-next')),
  /** Differences at the provider, after an optional repair. */
  drift: ({ reflectionId, ...body }: ReflectionParams & { repair?: boolean }) =>
    requestJson<DriftReport>(api, DriftReport, 'POST', toReflectionPath(reflectionId, 'audit'), {
      body,
      signal: providerTimeout(),
    }),
  testAgents: ({ reflectionId, ...body }: ReflectionParams & TestAgents) =>
    requestJson<AgentTestReport>(
      api,
      AgentTestReport,
      'POST',
      toReflectionPath(reflectionId, 'agent-tests'),
      {
        body,
        signal: providerTimeout(),
      },
    ),
})

const MAX_PROVIDER_MS = 660_000
const providerTimeout = () => AbortSignal.timeout(MAX_PROVIDER_MS)

/** A file or a text to import. */
export type SourceToAdd =
  | AddSource
  | { readonly title: string; readonly namespace: string; readonly file: Blob; readonly fileName: string }

type SourceParams = ReflectionParams & { readonly sourceId: SourceId }

/** A reflection's sources. */
const createSourcesClient = (api: ApiConnection) => ({
  /** With a source id, replaces that source, which needs no key. */
  addSource: (
    reflectionId: ReflectionId,
    { idempotencyKey, ...source }: SourceToAdd & Keyed,
    sourceId?: SourceId,
  ) =>
    sourceId === undefined
      ? requestJson<Source>(api, Source, 'POST', toReflectionPath(reflectionId, 'sources'), {
          ...toBody(source),
          idempotencyKey,
        })
      : requestJson<Source>(
          api,
          Source,
          'PUT',
          toReflectionPath(reflectionId, 'sources', sourceId),
          toBody(source),
        ),
  sources: ({ reflectionId, ...page }: PageQuery & ReflectionParams & { namespace?: string }) =>
    requestJson(
      api,
      SourcePage,
      'GET',
      `${toReflectionPath(reflectionId, 'sources')}${toQuery({ ...page })}`,
    ),
  source: ({ reflectionId, sourceId }: SourceParams) =>
    requestJson<Source>(api, Source, 'GET', toReflectionPath(reflectionId, 'sources', sourceId)),
  /** The text from a passage, or from the position of the given words. */
  sourceText: ({
    reflectionId,
    sourceId,
    ...from
  }: SourceParams & { after?: number; limit?: number; words?: string }) =>
    requestJson<SourceText>(
      api,
      SourceText,
      'GET',
      `${toReflectionPath(reflectionId, 'sources', sourceId, 'text')}${toQuery({ ...from })}`,
    ),
  removeSource: ({ reflectionId, sourceId }: SourceParams) =>
    requestJson<Source>(api, Source, 'DELETE', toReflectionPath(reflectionId, 'sources', sourceId)),
})

/** Timeout for a large file over a slow connection. */
const MAX_UPLOAD_MS = 600_000

function toBody(source: SourceToAdd) {
  const signal = AbortSignal.timeout(MAX_UPLOAD_MS)
  if (!('file' in source)) return { body: source, signal }
  const form = new FormData()
  form.set('title', source.title)
  form.set('namespace', source.namespace)
  form.set('file', source.file, source.fileName)
  return { form, signal }
}

/** Fact filters; all facts by default. */
type FactFilter = Pick<Partial<FactQuery>, 'state' | 'namespace' | 'sourceId' | 'search'>

type PatchParams = ReflectionParams & { readonly patchId: PatchId }

/** A reflection's facts and corrections. */
const createFactsClient = (api: ApiConnection) => ({
  /** Latest first. */
  facts: ({ reflectionId, ...page }: PageQuery & ReflectionParams & FactFilter) =>
    requestJson(api, FactPage, 'GET', `${toReflectionPath(reflectionId, 'facts')}${toQuery({ ...page })}`),
  /** A window of the list, with the total. */
  factsFrom: async ({
    reflectionId,
    ...part
  }: ReflectionParams & FactFilter & { after: number; limit: number; order?: FactOrder }) => {
    const path = `${toReflectionPath(reflectionId, 'facts')}${toQuery({ ...part })}`
    const { items, count = items.length } = await requestJson(api, FactPage, 'GET', path)
    return { items, count }
  },
  /** The fact with its predecessors and successors, the earliest first. */
  factHistory: async ({ reflectionId, factId }: ReflectionParams & { factId: FactId }) =>
    (await requestJson(api, FactHistory, 'GET', toReflectionPath(reflectionId, 'facts', factId, 'history')))
      .items,
  /** Creates a patch in the background, for review. */
  correct: ({ reflectionId, idempotencyKey, ...body }: ReflectionParams & ProposeCorrection & Keyed) =>
    requestJson(api, CorrectionAccepted, 'POST', toReflectionPath(reflectionId, 'corrections'), {
      body,
      idempotencyKey,
    }),
  patches: ({ reflectionId, ...page }: PageQuery & ReflectionParams & { status?: PatchStatus }) =>
    requestJson(api, PatchPage, 'GET', `${toReflectionPath(reflectionId, 'patches')}${toQuery({ ...page })}`),
  patch: ({ reflectionId, patchId }: PatchParams) =>
    requestJson<Patch>(api, Patch, 'GET', toReflectionPath(reflectionId, 'patches', patchId)),
  review: ({ reflectionId, patchId, said }: PatchParams & { said: ReviewPatch }) =>
    requestJson<Patch>(api, Patch, 'POST', toReflectionPath(reflectionId, 'patches', patchId, said)),
  ask: ({ reflectionId, ...body }: ReflectionParams & AskReflection) =>
    requestJson<RetrievalResult>(api, RetrievalResult, 'POST', toReflectionPath(reflectionId, 'ask'), {
      body,
    }),
})

const REFLECTIONS = '/v1/reflections'

/** The path of a reflection or one of its resources. */
const toReflectionPath = (...parts: readonly string[]): string =>
  `${REFLECTIONS}/${parts.map(encodeURIComponent).join('/')}`
