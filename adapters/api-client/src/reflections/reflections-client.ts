import {
  type AddSource,
  AgentTestReport,
  AuditPage,
  CorrectionAccepted,
  CreatedShareLink,
  DriftReport,
  type EndpointInput,
  ExploreNext,
  FactHistory,
  FactPage,
  Invitation,
  type Keyed,
  LedgerPage,
  Member,
  MemberList,
  Namespace,
  Patch,
  PatchPage,
  PublishPreview,
  Reflection,
  type ReflectionId,
  ReflectionPage,
  ReflectionSummary,
  RetrievalResult,
  type ReviewPatch,
  ShareLinkList,
  Source,
  type SourceId,
  SourcePage,
  SourceText,
  StoredGeneration,
  SyncStatus,
  VariablesPreview,
} from '@parley/contracts'
import type { CreateCall } from '../call-endpoint.ts'

export interface PageOf<Item> {
  readonly items: readonly Item[]
  /** Pass as `cursor` for the next page; absent at the end. */
  readonly nextCursor?: string | undefined
}

/** Calls for reflections. Changes to knowledge return once queued. */
export interface ReflectionsClient extends ReturnType<typeof createReflectionsClient> {}

export const createReflectionsClient = (call: CreateCall) => ({
  create: call('POST /v1/reflections', Reflection),
  list: call('GET /v1/reflections', ReflectionPage),
  get: (reflectionId: ReflectionId) =>
    call('GET /v1/reflections/{reflectionId}', Reflection)({ reflectionId }),
  /** Counts of sources, facts and pending patches. */
  summary: (reflectionId: ReflectionId) =>
    call('GET /v1/reflections/{reflectionId}/summary', ReflectionSummary)({ reflectionId }),
  change: call('PATCH /v1/reflections/{reflectionId}', Reflection),
  remove: (reflectionId: ReflectionId) => call('DELETE /v1/reflections/{reflectionId}')({ reflectionId }),
  addNamespace: call('POST /v1/reflections/{reflectionId}/namespaces', Namespace),
  /** With the digest of a reviewed preview, a change since then refuses the request. */
  publish: call('POST /v1/reflections/{reflectionId}/publish', Reflection),
  unpublish: call('POST /v1/reflections/{reflectionId}/unpublish', Reflection),
  /** A preview of publishing or unpublishing; changes nothing. */
  previewPublish: call('POST /v1/reflections/{reflectionId}/publish-preview', PublishPreview),

  // Sources.
  /** With a source id, replaces that source, which needs no key. */
  addSource: (
    reflectionId: ReflectionId,
    { idempotencyKey, ...source }: SourceToAdd & Keyed,
    sourceId?: SourceId,
  ) => {
    const add = call('POST /v1/reflections/{reflectionId}/sources', Source, UPLOAD_TIMEOUT_MS)
    const replace = call('PUT /v1/reflections/{reflectionId}/sources/{sourceId}', Source, UPLOAD_TIMEOUT_MS)
    return sourceId === undefined
      ? add({ reflectionId, ...source, ...(idempotencyKey !== undefined && { idempotencyKey }) })
      : replace({ reflectionId, sourceId, ...source })
  },
  sources: call('GET /v1/reflections/{reflectionId}/sources', SourcePage),
  source: call('GET /v1/reflections/{reflectionId}/sources/{sourceId}', Source),
  /** The text from a passage, or from the position of the given words. */
  sourceText: call('GET /v1/reflections/{reflectionId}/sources/{sourceId}/text', SourceText),
  removeSource: call('DELETE /v1/reflections/{reflectionId}/sources/{sourceId}', Source),

  // Facts and corrections.
  /** Latest first. */
  facts: call('GET /v1/reflections/{reflectionId}/facts', FactPage),
  /** A window of the list, with the total. */
  factsFrom: async (
    part: EndpointInput<'GET /v1/reflections/{reflectionId}/facts'> & { after: number; limit: number },
  ) => {
    const { items, count = items.length } = await call(
      'GET /v1/reflections/{reflectionId}/facts',
      FactPage,
    )(part)
    return { items, count }
  },
  /** The fact with its predecessors and successors, the earliest first. */
  factHistory: async (fact: EndpointInput<'GET /v1/reflections/{reflectionId}/facts/{factId}/history'>) =>
    (await call('GET /v1/reflections/{reflectionId}/facts/{factId}/history', FactHistory)(fact)).items,
  /** Creates a patch in the background, for review. */
  correct: call('POST /v1/reflections/{reflectionId}/corrections', CorrectionAccepted),
  patches: call('GET /v1/reflections/{reflectionId}/patches', PatchPage),
  patch: call('GET /v1/reflections/{reflectionId}/patches/{patchId}', Patch),
  review: ({
    said,
    ...patch
  }: { said: ReviewPatch } & EndpointInput<'GET /v1/reflections/{reflectionId}/patches/{patchId}'>) =>
    call(`POST /v1/reflections/{reflectionId}/patches/{patchId}/${said}`, Patch)(patch),
  ask: call('POST /v1/reflections/{reflectionId}/ask', RetrievalResult),

  // Members and the audit log.
  members: async (reflectionId: ReflectionId) =>
    (await call('GET /v1/reflections/{reflectionId}/members', MemberList)({ reflectionId })).items,
  setMember: call('PUT /v1/reflections/{reflectionId}/members', Member),
  /** The link is returned only once. */
  invite: call('POST /v1/reflections/{reflectionId}/invitations', Invitation),
  /** A new link for the same person, returned only once; the old one is revoked. */
  inviteAgain: call('POST /v1/reflections/{reflectionId}/members/{personId}/link', Invitation),
  removeMember: call('DELETE /v1/reflections/{reflectionId}/members/{personId}'),
  /** Removes the caller from the members. */
  leave: (reflectionId: ReflectionId) => call('POST /v1/reflections/{reflectionId}/leave')({ reflectionId }),
  /** The audit log, latest first. */
  audit: call('GET /v1/reflections/{reflectionId}/audit', AuditPage),

  // The runtime, here and at the voice provider.
  /** Latest first. */
  ledger: call('GET /v1/reflections/{reflectionId}/artifacts', LedgerPage),
  generation: call('GET /v1/reflections/{reflectionId}/artifacts/{generation}', StoredGeneration),
  /** The status of each surface's agent at the voice provider. */
  syncStatus: (reflectionId: ReflectionId) =>
    call('GET /v1/reflections/{reflectionId}/sync', SyncStatus)({ reflectionId }),
  /** For one surface, or all. */
  sync: call('POST /v1/reflections/{reflectionId}/sync', SyncStatus, PROVIDER_TIMEOUT_MS),
  /** The variables of such a session; starts none. */
  variables: call('POST /v1/reflections/{reflectionId}/variables', VariablesPreview),
  /** The next interview topics for the caller, in order. */
  exploreNext: (reflectionId: ReflectionId) =>
    call('GET /v1/reflections/{reflectionId}/explore-next', ExploreNext)({ reflectionId }),
  /** Differences at the provider, after an optional repair. */
  drift: call('POST /v1/reflections/{reflectionId}/audit', DriftReport, PROVIDER_TIMEOUT_MS),
  testAgents: call('POST /v1/reflections/{reflectionId}/agent-tests', AgentTestReport, PROVIDER_TIMEOUT_MS),

  // Share links to the public part.
  /** The token is returned only once. */
  share: call('POST /v1/reflections/{reflectionId}/share-links', CreatedShareLink),
  /** Latest first. */
  shareLinks: async (reflectionId: ReflectionId) =>
    (await call('GET /v1/reflections/{reflectionId}/share-links', ShareLinkList)({ reflectionId })).items,
  unshare: call('DELETE /v1/reflections/{reflectionId}/share-links/{linkId}'),
})

const PROVIDER_TIMEOUT_MS = 660_000

/** A file or a text to import. */
export type SourceToAdd =
  | AddSource
  | { readonly title: string; readonly namespace: string; readonly file: Blob; readonly fileName: string }

/** Timeout for a large file over a slow connection. */
const UPLOAD_TIMEOUT_MS = 600_000
