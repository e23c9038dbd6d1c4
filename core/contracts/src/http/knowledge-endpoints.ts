import { z } from 'zod'
import { FactId, PatchId, SourceId } from '../ids.ts'
import {
  AddSource,
  CorrectionAccepted,
  FactHistory,
  FactPage,
  FactQuery,
  MAX_SOURCE_BYTES,
  Patch,
  PatchPage,
  PatchStatus,
  ProposeCorrection,
  Source,
  SourcePage,
  SourceText,
} from '../knowledge.ts'
import { PageQuery } from '../page.ts'
import { NamespaceName } from '../reflection.ts'
import { requireStorable } from '../text.ts'
import { jsonBody, defineEndpoints, jsonResponse, ReflectionRef } from './endpoint.ts'

const SourceRef = ReflectionRef.extend({ sourceId: SourceId })
const FactRef = ReflectionRef.extend({ factId: FactId })
const PatchRef = ReflectionRef.extend({ patchId: PatchId })

const SourceQuery = PageQuery.extend({ namespace: NamespaceName.optional() })
const PatchQuery = PageQuery.extend({ status: PatchStatus.optional() })

const SourceTextQuery = z.object({
  /** The number of the passage before the page. */
  after: z.coerce.number().int().min(0).max(10_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** An exact text: the page then has the passages around it, and `after` is ignored. */
  words: z.string().min(1).max(300).optional(),
})

/** Plain JSON Schema, so the framework documents the body and does not read it: the handler reads it with its own limits. */
const SOURCE_BODY = {
  required: true as const,
  description: `Text as JSON, or a file of up to ${MAX_SOURCE_BYTES} bytes as a form`,
  content: {
    'application/json': {
      schema: toPlainSchema(AddSource),
      example: {
        title: 'The observatory',
        namespace: 'essays',
        text: 'We built the observatory in Ankara in 1954.',
      },
    },
    'multipart/form-data': {
      schema: {
        type: 'object' as const,
        required: ['file', 'namespace'],
        properties: {
          file: { type: 'string' as const, format: 'binary' },
          namespace: { type: 'string' as const },
          title: { type: 'string' as const, description: 'Default: the name of the file' },
        },
      },
    },
  },
}

const REVIEWED_PATCH = jsonResponse(Patch, 'The patch as it is now; it changes in the background')

export const SOURCES = defineEndpoints('sources', {
  listSources: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/sources',
    access: 'member:viewer',
    summary: 'List the sources, or those of one namespace, with their progress',
    request: { params: ReflectionRef, query: SourceQuery },
    responses: { 200: jsonResponse(SourcePage, 'A page of sources') },
  },
  addSource: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/sources',
    access: 'member:operator',
    idempotent: true,
    summary: 'Add a source; it is read in the background',
    request: { params: ReflectionRef, body: SOURCE_BODY },
    responses: { 202: jsonResponse(Source, 'The source, stored and queued') },
  },
  getSource: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/sources/{sourceId}',
    access: 'member:viewer',
    summary: 'Get a source, with its progress',
    request: { params: SourceRef },
    responses: { 200: jsonResponse(Source, 'The source') },
  },
  getSourceText: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/sources/{sourceId}/text',
    access: 'member:viewer',
    summary: 'Get the text of a source, passage by passage',
    description:
      'Conversations are for admins only. With `words`, the passages around the first match are returned, and `foundAt` is the number of the matching one.',
    request: { params: SourceRef, query: SourceTextQuery },
    responses: { 200: jsonResponse(SourceText, 'Passages of the source') },
  },
  replaceSource: {
    method: 'put',
    path: '/v1/reflections/{reflectionId}/sources/{sourceId}',
    access: 'member:operator',
    summary: 'Replace a source by a new version',
    description: 'Facts of the new version replace those of the old one, which are kept as superseded.',
    request: { params: SourceRef, body: SOURCE_BODY },
    responses: { 202: jsonResponse(Source, 'The source, stored and queued') },
  },
  removeSource: {
    method: 'delete',
    path: '/v1/reflections/{reflectionId}/sources/{sourceId}',
    access: 'member:operator',
    summary: 'Remove a source and everything learned from it, in the background',
    request: { params: SourceRef },
    responses: { 202: jsonResponse(Source, 'The source, now being removed') },
  },
})

export const FACTS = defineEndpoints('facts', {
  listFacts: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/facts',
    access: 'member:viewer',
    summary: 'List the facts, with the quotes that support them',
    description:
      'Latest first, in pages. With `order` or `after`, a part from anywhere in the list; `count` is its length. Quotes from conversations are for admins only.',
    request: { params: ReflectionRef, query: FactQuery },
    responses: { 200: jsonResponse(FactPage, 'A page of facts') },
  },
  getFactHistory: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/facts/{factId}/history',
    access: 'member:viewer',
    summary: 'List the versions of a fact, earliest first',
    request: { params: FactRef },
    responses: { 200: jsonResponse(FactHistory, 'The versions, earliest first') },
  },
  proposeCorrection: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/corrections',
    access: 'member:operator',
    idempotent: true,
    summary: 'Propose a correction of a fact',
    description:
      'The fact is named by its id or in words. A patch with the returned id is created in the background and waits for approval; if there is no such fact, it is rejected with a reason.',
    request: {
      params: ReflectionRef,
      body: jsonBody(requireStorable(ProposeCorrection), {
        fact: 'The observatory was built in 1954',
        correction: 'It was built in 1956',
      }),
    },
    responses: { 202: jsonResponse(CorrectionAccepted, 'The id of the new patch') },
  },
  listPatches: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/patches',
    access: 'member:viewer',
    summary: 'List the patches: extracted facts, in batches, with their status',
    request: { params: ReflectionRef, query: PatchQuery },
    responses: { 200: jsonResponse(PatchPage, 'A page of patches') },
  },
  getPatch: {
    method: 'get',
    path: '/v1/reflections/{reflectionId}/patches/{patchId}',
    access: 'member:viewer',
    summary: 'Get a patch, with its facts, the facts they replace, and the findings of the rules',
    request: { params: PatchRef },
    responses: { 200: jsonResponse(Patch, 'The patch') },
  },
  approvePatch: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/patches/{patchId}/approve',
    access: 'member:operator',
    summary: 'Approve a patch: its facts become active',
    request: { params: PatchRef },
    responses: { 202: REVIEWED_PATCH },
  },
  rejectPatch: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/patches/{patchId}/reject',
    access: 'member:operator',
    summary: 'Reject a patch: its facts never become active',
    request: { params: PatchRef },
    responses: { 202: REVIEWED_PATCH },
  },
  revertPatch: {
    method: 'post',
    path: '/v1/reflections/{reflectionId}/patches/{patchId}/revert',
    access: 'member:operator',
    summary: 'Undo an applied patch',
    request: { params: PatchRef },
    responses: { 202: REVIEWED_PATCH },
  },
})

function toPlainSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}
