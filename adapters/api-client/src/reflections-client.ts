import {
  type AddSource,
  type AskReflection,
  AuditPage,
  type ChangeReflection,
  CorrectionAccepted,
  type CreateReflection,
  type Fact,
  FactPage,
  type FactState,
  Member,
  MemberList,
  type MemberRole,
  Namespace,
  Patch,
  type PatchId,
  PatchPage,
  type PatchStatus,
  type PersonId,
  type ProposeCorrection,
  Reflection,
  type ReflectionId,
  ReflectionPage,
  Retrieved,
  type ReviewPatch,
  Source,
  type SourceId,
  SourcePage,
} from '@parley/contracts'
import { type Api, ask, queryOf, request } from './request.ts'

export interface PageOf<Item> {
  readonly items: readonly Item[]
  /** Give it as `cursor` to read on; absent at the end. */
  readonly nextCursor?: string | undefined
}

interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

interface OfReflection {
  readonly reflectionId: ReflectionId
}

/** A file to learn from, or a text. */
export type SourceToAdd =
  | AddSource
  | { readonly title: string; readonly namespace: string; readonly file: Blob; readonly fileName: string }

/** The calls for reflections. What changes knowledge is answered once it is queued. */
export interface ReflectionsClient {
  create(reflection: CreateReflection): Promise<Reflection>
  list(page?: PageQuery): Promise<PageOf<Reflection>>
  get(reflectionId: ReflectionId): Promise<Reflection>
  change(change: ChangeReflection & OfReflection): Promise<Reflection>
  remove(reflectionId: ReflectionId): Promise<void>
  addNamespace(namespace: OfReflection & { readonly name: string }): Promise<Namespace>
  publish(published: OfReflection & { readonly namespaces: readonly string[] }): Promise<Reflection>
  unpublish(published: OfReflection & { readonly namespaces: readonly string[] }): Promise<Reflection>
  members(reflectionId: ReflectionId): Promise<readonly Member[]>
  setMember(
    member: OfReflection & { readonly personId: PersonId; readonly role: MemberRole },
  ): Promise<Member>
  removeMember(member: OfReflection & { readonly personId: PersonId }): Promise<void>
  /** What was done to it, and by whom; latest first. */
  audit(page: PageQuery & OfReflection): Promise<AuditPage>
  /** With the id of a source, this is a new version of it. */
  addSource(reflectionId: ReflectionId, source: SourceToAdd, sourceId?: SourceId): Promise<Source>
  sources(page: PageQuery & OfReflection & { readonly namespace?: string }): Promise<PageOf<Source>>
  source(source: OfReflection & { readonly sourceId: SourceId }): Promise<Source>
  removeSource(source: OfReflection & { readonly sourceId: SourceId }): Promise<Source>
  facts(page: PageQuery & OfReflection & { readonly state?: FactState }): Promise<PageOf<Fact>>
  /** The patch that it becomes is made in the background, and waits for a person. */
  correct(correction: OfReflection & ProposeCorrection): Promise<CorrectionAccepted>
  patches(page: PageQuery & OfReflection & { readonly status?: PatchStatus }): Promise<PageOf<Patch>>
  patch(patch: OfReflection & { readonly patchId: PatchId }): Promise<Patch>
  review(patch: OfReflection & { readonly patchId: PatchId; readonly said: ReviewPatch }): Promise<Patch>
  ask(question: OfReflection & AskReflection): Promise<Retrieved>
}

/** A large file over a slow line. */
const LONGEST_UPLOAD_MS = 600_000

export function createReflectionsClient(api: Api): ReflectionsClient {
  return {
    create: (body) => ask(api, Reflection, 'POST', ALL, { body }),
    list: (page = {}) => ask(api, ReflectionPage, 'GET', `${ALL}${queryOf({ ...page })}`),
    get: (reflectionId) => ask(api, Reflection, 'GET', at(reflectionId)),
    change: ({ reflectionId, ...body }) => ask(api, Reflection, 'PATCH', at(reflectionId), { body }),
    remove: async (reflectionId) => void (await request(api, 'DELETE', at(reflectionId), {})),
    addNamespace: ({ reflectionId, ...body }) =>
      ask(api, Namespace, 'POST', at(reflectionId, 'namespaces'), { body }),
    publish: ({ reflectionId, ...body }) =>
      ask(api, Reflection, 'POST', at(reflectionId, 'publish'), { body }),
    unpublish: ({ reflectionId, ...body }) =>
      ask(api, Reflection, 'POST', at(reflectionId, 'unpublish'), { body }),
    members: async (reflectionId) => (await ask(api, MemberList, 'GET', at(reflectionId, 'members'))).items,
    setMember: ({ reflectionId, ...body }) => ask(api, Member, 'PUT', at(reflectionId, 'members'), { body }),
    removeMember: async ({ reflectionId, personId }) =>
      void (await request(api, 'DELETE', at(reflectionId, 'members', personId), {})),
    audit: ({ reflectionId, ...page }) =>
      ask(api, AuditPage, 'GET', `${at(reflectionId, 'audit')}${queryOf({ ...page })}`),
    addSource: (reflectionId, source, sourceId) =>
      sourceId === undefined
        ? ask(api, Source, 'POST', at(reflectionId, 'sources'), bodyOf(source))
        : ask(api, Source, 'PUT', at(reflectionId, 'sources', sourceId), bodyOf(source)),
    sources: ({ reflectionId, ...page }) =>
      ask(api, SourcePage, 'GET', `${at(reflectionId, 'sources')}${queryOf({ ...page })}`),
    source: ({ reflectionId, sourceId }) => ask(api, Source, 'GET', at(reflectionId, 'sources', sourceId)),
    removeSource: ({ reflectionId, sourceId }) =>
      ask(api, Source, 'DELETE', at(reflectionId, 'sources', sourceId)),
    facts: ({ reflectionId, ...page }) =>
      ask(api, FactPage, 'GET', `${at(reflectionId, 'facts')}${queryOf({ ...page })}`),
    correct: ({ reflectionId, ...body }) =>
      ask(api, CorrectionAccepted, 'POST', at(reflectionId, 'corrections'), { body }),
    patches: ({ reflectionId, ...page }) =>
      ask(api, PatchPage, 'GET', `${at(reflectionId, 'patches')}${queryOf({ ...page })}`),
    patch: ({ reflectionId, patchId }) => ask(api, Patch, 'GET', at(reflectionId, 'patches', patchId)),
    review: ({ reflectionId, patchId, said }) =>
      ask(api, Patch, 'POST', at(reflectionId, 'patches', patchId, said)),
    ask: ({ reflectionId, ...body }) => ask(api, Retrieved, 'POST', at(reflectionId, 'ask'), { body }),
  }
}

const ALL = '/v1/reflections'

const at = (...parts: readonly string[]): string => `${ALL}/${parts.map(encodeURIComponent).join('/')}`

function bodyOf(source: SourceToAdd) {
  const signal = AbortSignal.timeout(LONGEST_UPLOAD_MS)
  if (!('file' in source)) return { body: source, signal }
  const form = new FormData()
  form.set('title', source.title)
  form.set('namespace', source.namespace)
  form.set('file', source.file, source.fileName)
  return { form, signal }
}
