import {
  type ChangeReflection,
  type CreateReflection,
  Namespace,
  type PreviewPublish,
  PublishPreview,
  Reflection,
  type ReflectionId,
  ReflectionPage,
  ReflectionSummary,
} from '@parley/contracts'
import { type Api, ask, queryOf, request } from '../request.ts'
import { createFactsClient, type FactsClient } from './facts-client.ts'
import { createMembersClient, type MembersClient } from './members-client.ts'
import { at, type OfReflection, type PageOf, type PageQuery, REFLECTIONS } from './of-reflection.ts'
import { createRuntimeClient, type RuntimeClient } from './runtime-client.ts'
import { createSharingClient, type SharingClient } from './sharing-client.ts'
import { createSourcesClient, type SourcesClient } from './sources-client.ts'

interface Unpublish extends OfReflection {
  readonly namespaces: readonly string[]
}

interface Publish extends Unpublish {
  /** Of the preview that was looked at: where there would be another one by now, nothing is changed. */
  readonly previewHash?: string
}

/** The calls for reflections. What changes knowledge is answered once it is queued. */
export interface ReflectionsClient
  extends SourcesClient, FactsClient, MembersClient, RuntimeClient, SharingClient {
  create(reflection: CreateReflection): Promise<Reflection>
  list(page?: PageQuery): Promise<PageOf<Reflection>>
  get(reflectionId: ReflectionId): Promise<Reflection>
  /** How much there is of it. */
  summary(reflectionId: ReflectionId): Promise<ReflectionSummary>
  change(change: ChangeReflection & OfReflection): Promise<Reflection>
  remove(reflectionId: ReflectionId): Promise<void>
  addNamespace(namespace: OfReflection & { readonly name: string }): Promise<Namespace>
  publish(change: Publish): Promise<Reflection>
  unpublish(change: Unpublish): Promise<Reflection>
  /** What publishing or unpublishing would do; nothing is changed. */
  previewPublish(wanted: OfReflection & PreviewPublish): Promise<PublishPreview>
}

export const createReflectionsClient = (api: Api): ReflectionsClient => ({
  create: (body) => ask(api, Reflection, 'POST', REFLECTIONS, { body }),
  list: (page = {}) => ask(api, ReflectionPage, 'GET', `${REFLECTIONS}${queryOf({ ...page })}`),
  get: (reflectionId) => ask(api, Reflection, 'GET', at(reflectionId)),
  summary: (reflectionId) => ask(api, ReflectionSummary, 'GET', at(reflectionId, 'summary')),
  change: ({ reflectionId, ...body }) => ask(api, Reflection, 'PATCH', at(reflectionId), { body }),
  remove: async (reflectionId) => void (await request(api, 'DELETE', at(reflectionId), {})),
  addNamespace: ({ reflectionId, ...body }) =>
    ask(api, Namespace, 'POST', at(reflectionId, 'namespaces'), { body }),
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
