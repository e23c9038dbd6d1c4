import { createRoute } from '@hono/zod-openapi'
import {
  CorrectionAccepted,
  FactHistory,
  FactPage,
  FactQuery,
  FactRef,
  ProposeCorrection,
  ReflectionRef,
} from '@parley/contracts'
import { storable } from '../storable.ts'
import { body, json, problems } from './describe.ts'

export const FACTS = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/facts',
  summary: 'What was learned, with the words that bear it out',
  description:
    'As it was learned, latest first, page by page. With `order` or `after`, a part from anywhere in the list, and `count` ' +
    'says how long that is. What was said in sessions is quoted to admins.',
  request: { params: ReflectionRef, query: FactQuery },
  responses: { 200: json(FactPage, 'A page of facts'), ...problems },
})

export const HISTORY = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/facts/{factId}/history',
  summary: 'A fact, what it took the place of, and what took its place',
  request: { params: FactRef },
  responses: { 200: json(FactHistory, 'The facts, the earliest first'), ...problems },
})

export const CORRECT = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/corrections',
  summary: 'Say that a fact is wrong, and how it is instead',
  description:
    'The fact is named by its id, or in words. A patch is made of it in the background, under the id that is given, and ' +
    'waits for a person; where there is no such fact, it is rejected and says so.',
  request: { params: ReflectionRef, body: body(storable(ProposeCorrection)) },
  responses: { 202: json(CorrectionAccepted, 'The patch that will wait for a person'), ...problems },
})
