import { createRoute, type RouteConfig } from '@hono/zod-openapi'
import {
  AddSource,
  MAX_SOURCE_BYTES,
  NamespaceName,
  PageQuery,
  Patch,
  PatchPage,
  PatchQuery,
  PatchRef,
  ReflectionRef,
  type ReviewPatch,
  Source,
  SourcePage,
  SourceRef,
  SourceText,
  SourceTextQuery,
} from '@parley/contracts'
import { z } from 'zod'
import { json, problems } from './describe.ts'

const SourceQuery = PageQuery.extend({ namespace: NamespaceName.optional() })

/** Described, but not read, by the framework: a source is read with limits of its own. */
const SOURCE_BODY: RequestBody = {
  required: true,
  description: `Text as JSON, or a file of up to ${MAX_SOURCE_BYTES} bytes as a form`,
  content: {
    'application/json': { schema: plain(AddSource) },
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file', 'namespace'],
        properties: {
          file: { type: 'string', format: 'binary' },
          namespace: { type: 'string' },
          title: { type: 'string', description: 'The name of the file, where absent' },
        },
      },
    },
  },
}

export const ADD = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/sources',
  summary: 'Add a source, which is read in the background',
  request: { params: ReflectionRef, body: SOURCE_BODY },
  responses: { 202: json(Source, 'The source, kept and queued'), ...problems },
})

export const REPLACE = createRoute({
  method: 'put',
  path: '/v1/reflections/{reflectionId}/sources/{sourceId}',
  summary: 'Give a new version of a source',
  description: 'Its facts take the place of those of the version before, which are kept as superseded.',
  request: { params: SourceRef, body: SOURCE_BODY },
  responses: { 202: json(Source, 'The source, kept and queued'), ...problems },
})

export const LIST = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/sources',
  summary: 'Its sources, or those of one namespace, each with how far it is',
  request: { params: ReflectionRef, query: SourceQuery },
  responses: { 200: json(SourcePage, 'A page of sources'), ...problems },
})

export const GET = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/sources/{sourceId}',
  summary: 'One source, with how far it is',
  request: { params: SourceRef },
  responses: { 200: json(Source, 'The source'), ...problems },
})

export const TEXT = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/sources/{sourceId}/text',
  summary: 'What a source says, as it was read, passage by passage',
  description:
    'What was said in sessions is read by admins. With `words` the passages around the first place that ' +
    'has them are given, and `foundAt` says which one that is.',
  request: { params: SourceRef, query: SourceTextQuery },
  responses: { 200: json(SourceText, 'Passages of the source'), ...problems },
})

export const REMOVE = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}/sources/{sourceId}',
  summary: 'Remove a source with all that was learned from it, in the background',
  request: { params: SourceRef },
  responses: { 202: json(Source, 'The source, which is being removed'), ...problems },
})

export const PATCHES = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/patches',
  summary: 'What was extracted, batch by batch, and what became of it',
  request: { params: ReflectionRef, query: PatchQuery },
  responses: { 200: json(PatchPage, 'A page of patches'), ...problems },
})

export const PATCH = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/patches/{patchId}',
  summary: 'One patch, with its facts, those that they supersede, and what the rules found of them',
  request: { params: PatchRef },
  responses: { 200: json(Patch, 'The patch'), ...problems },
})

export const reviewRoute = <Said extends ReviewPatch>(said: Said) =>
  createRoute({
    method: 'post',
    path: `/v1/reflections/{reflectionId}/patches/{patchId}/${said}`,
    summary: REVIEWS[said],
    request: { params: PatchRef },
    responses: {
      202: json(Patch, 'The patch as it still stands: it is changed in the background'),
      ...problems,
    },
  })

const REVIEWS: Record<ReviewPatch, string> = {
  approve: 'Let the facts of a patch count',
  reject: 'Let the facts of a patch never count',
  revert: 'Take back a patch that was applied',
}

type RequestBody = NonNullable<NonNullable<RouteConfig['request']>['body']>
type DescribedBody = Extract<RequestBody['content'][string], { schema: unknown }>
type PlainSchema = Extract<DescribedBody['schema'], { readOnly?: boolean }>

/** What is no Zod schema is shown and not applied. */
function plain(schema: z.ZodType): PlainSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest as PlainSchema
}
