import { createHash } from 'node:crypto'
import { createRoute } from '@hono/zod-openapi'
import {
  CallProposeFactCorrection,
  CallRequestSourceIngest,
  CallRetrieveContext,
  CorrectionProposed,
  IngestRequested,
  type Retrieved,
  ToldEvidence,
} from '@parley/contracts'
import { fence } from '@parley/engine'
import { SAY_GOODBYE } from '@parley/reflections'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { storable } from '../storable.ts'
import {
  proposeFactCorrection,
  requestSourceIngest,
  retrieveContext,
} from '../reflections/reflection-tools.ts'
import { body, json, problems } from './describe.ts'

/** What the voice provider's agents call while they talk. Where from is proven by then; the rest is decided for each call. */
export function toolRoutes(app: Api, services: Services) {
  app.openapi(RETRIEVE, async (c) => {
    const { query } = c.req.valid('json')
    const from = c.get('calledFrom')
    const found = await retrieveContext(from, { query }, services, c.req.raw.signal)
    // Its prompt at the provider holds sources that were unpublished or removed since the call began.
    return c.json({ ...told(found), ...(from.session?.isOutdated && { message: SAY_GOODBYE }) }, 200)
  })

  app.openapi(INGEST, async (c) => {
    const { title, text } = c.req.valid('json')
    const { id } = await requestSourceIngest(c.get('calledFrom'), { title, text }, services)
    return c.json({ sourceId: id }, 202)
  })

  app.openapi(CORRECT, async (c) => {
    const { fact, correction } = c.req.valid('json')
    return c.json(await proposeFactCorrection(c.get('calledFrom'), { fact, correction }, services), 202)
  })
}

/** Without what only we need to know, and each word of a source fenced: the provider's model reads it as it is. */
const told = ({ evidence, partial }: Retrieved): ToldEvidence => ({
  evidence: evidence.map(({ kind, text, place: { heading, speaker, ...place }, source, corrects }) => ({
    kind,
    text: fence(text, 'the sources of this reflection', sha256),
    place: {
      ...place,
      ...(heading !== undefined && { heading: fence(heading, 'a heading in that source', sha256) }),
      ...(speaker !== undefined && { speaker: fence(speaker, 'the name of a speaker', sha256) }),
    },
    source: { title: fence(source.title, 'the title of that source', sha256) },
    ...(corrects !== undefined && {
      corrects: corrects.map((start) => fence(start, 'what it corrects', sha256)),
    }),
  })),
  ...(partial && { partial }),
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const RETRIEVE = createRoute({
  method: 'post',
  path: '/v1/tools/retrieve-context',
  summary: 'What the sources say about a question, for the agent of a running call',
  description: 'With the header `x-tool-secret`. Answers within 700 ms, or in part.',
  request: { body: body(storable(CallRetrieveContext)) },
  responses: { 200: json(ToldEvidence, 'The evidence, the best first'), ...problems },
})

const INGEST = createRoute({
  method: 'post',
  path: '/v1/tools/request-source-ingest',
  summary: 'Hand in what a person told in a running call',
  description: 'With the header `x-tool-secret`. What is learned from it waits for approval.',
  request: { body: body(storable(CallRequestSourceIngest)) },
  responses: { 202: json(IngestRequested, 'The source that it will be'), ...problems },
})

const CORRECT = createRoute({
  method: 'post',
  path: '/v1/tools/propose-fact-correction',
  summary: 'Propose in a running call that a fact is wrong',
  description: 'With the header `x-tool-secret`. Makes a patch, which waits for a person.',
  request: { body: body(storable(CallProposeFactCorrection)) },
  responses: { 202: json(CorrectionProposed, 'The patch that it will be'), ...problems },
})
