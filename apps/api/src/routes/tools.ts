import type { Handlers } from './handlers.ts'
import { createHash } from 'node:crypto'
import { type Retrieved, RetrievedEvidence } from '@parley/contracts'
import { fence } from '@parley/engine'
import { SAY_GOODBYE } from '@parley/reflections'
import type { Services } from '../services.ts'
import {
  proposeFactCorrection,
  requestSourceIngest,
  retrieveContext,
} from '../reflections/reflection-tools.ts'

/** What the voice provider's agents call while they talk. Where from is proven by then; the rest is decided for each call. */
export function toolHandlers(services: Services) {
  return {
    retrieveContext: async (c) => {
      const { query } = c.req.valid('json')
      const from = c.get('calledFrom')
      const found = await retrieveContext(from, { query }, services, c.req.raw.signal)
      // Its prompt at the provider holds sources that were unpublished or removed since the call began.
      return c.json({ ...told(found), ...(from.session?.isOutdated && { message: SAY_GOODBYE }) }, 200)
    },

    requestSourceIngest: async (c) => {
      const { title, text } = c.req.valid('json')
      const { id } = await requestSourceIngest(c.get('calledFrom'), { title, text }, services)
      return c.json({ sourceId: id }, 202)
    },

    proposeFactCorrection: async (c) => {
      const { fact, correction } = c.req.valid('json')
      return c.json(await proposeFactCorrection(c.get('calledFrom'), { fact, correction }, services), 202)
    },
  } satisfies Partial<Handlers>
}

/** Without what only we need to know, and each word of a source fenced: the provider's model reads it as it is. */
const told = ({ evidence, partial }: Retrieved): RetrievedEvidence => ({
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
