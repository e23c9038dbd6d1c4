import { createRoute } from '@hono/zod-openapi'
import {
  AddNamespace,
  AskReflection,
  AuditPage,
  PublishNamespaces,
  UnpublishNamespaces,
  ChangeReflection,
  CreateReflection,
  Namespace,
  PageQuery,
  PreviewPublish,
  PublishPreview,
  Reflection,
  ReflectionPage,
  ReflectionRef,
  ReflectionSummary,
  Retrieved,
} from '@parley/contracts'
import { storable } from '../storable.ts'
import { body, json, problems } from './describe.ts'

export const CREATE = createRoute({
  method: 'post',
  path: '/v1/reflections',
  summary: 'Make a reflection; you become its owner',
  request: { body: body(storable(CreateReflection)) },
  responses: { 201: json(Reflection, 'The new reflection'), ...problems },
})

export const LIST = createRoute({
  method: 'get',
  path: '/v1/reflections',
  summary: 'The reflections that you are a member of; all of them for the owner of the server',
  description: 'Each with your role on it.',
  request: { query: PageQuery },
  responses: { 200: json(ReflectionPage, 'A page of reflections'), ...problems },
})

export const GET = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}',
  summary: 'One reflection, with your role on it',
  request: { params: ReflectionRef },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

export const SUMMARY = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/summary',
  summary: 'How much there is of it: sources, facts, and what waits for a person',
  request: { params: ReflectionRef },
  responses: { 200: json(ReflectionSummary, 'The counts'), ...problems },
})

export const CHANGE = createRoute({
  method: 'patch',
  path: '/v1/reflections/{reflectionId}',
  summary: 'Change its names, its voice, who approves what is learned, or whether visitors are learned from',
  description:
    'With `null` the creator’s name, or the voice, is taken away. A voice is what the provider lists it as; one that it does not list is a clone unless `kind` says `stock`. A clone needs `consent`. ' +
    'Consent, a stock voice and `shareIngestion` are for the owner to say.',
  request: { params: ReflectionRef, body: body(storable(ChangeReflection)) },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

export const REMOVE = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}',
  summary: 'Remove a reflection with all that it holds',
  description: 'It is out of reach when this answers; what it holds is removed in the background.',
  request: { params: ReflectionRef },
  responses: { 204: { description: 'It is out of reach' }, ...problems },
})

export const ADD_NAMESPACE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/namespaces',
  summary: 'Add a namespace, which is private until it is published',
  request: { params: ReflectionRef, body: body(AddNamespace) },
  responses: { 201: json(Namespace, 'The new namespace'), ...problems },
})

export const PUBLISH = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/publish',
  summary: 'Let the public see these namespaces: all of them, or none',
  request: { params: ReflectionRef, body: body(PublishNamespaces) },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

export const UNPUBLISH = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/unpublish',
  summary: 'Keep these namespaces from the public, from the next question on',
  request: { params: ReflectionRef, body: body(UnpublishNamespaces) },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

export const PREVIEW_PUBLISH = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/publish-preview',
  summary: 'What publishing namespaces, or unpublishing them, would do; nothing is changed or kept',
  description:
    'What the public agent would hold is built as it will be, and compared with what is published now.',
  request: { params: ReflectionRef, body: body(PreviewPublish) },
  responses: { 200: json(PublishPreview, 'What would be public'), ...problems },
})

export const AUDIT = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/audit',
  summary: 'What was done to it, and by whom; latest first',
  request: { params: ReflectionRef, query: PageQuery },
  responses: { 200: json(AuditPage, 'A page of what was done'), ...problems },
})

export const ASK = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/ask',
  summary: 'Find what its sources say about a question',
  description:
    'Passages and facts with where each comes from, best first; of all namespaces, or of those that are named. ' +
    'With the audience `public` it is what a public session would find now, by the same way. ' +
    'What was found in time is given, with `partial` where the time was up.',
  request: { params: ReflectionRef, body: body(storable(AskReflection)) },
  responses: { 200: json(Retrieved, 'The evidence'), ...problems },
})
