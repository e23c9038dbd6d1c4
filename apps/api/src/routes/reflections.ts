import type { Handlers } from './handlers.ts'
import type { Context } from 'hono'
import {
  CONVERSATIONS,
  type MemberNamespaces,
  Namespace,
  type PersonId,
  PlatformError,
  Reflection,
  type ReflectionId,
} from '@parley/contracts'
import { visibleNamespaces } from '@parley/reflections'
import type { ApiEnv } from '../api.ts'
import { mayChangeReflection } from '../auth/may-change.ts'
import { readerFor } from '../auth/within-reach.ts'
import { settleListedVoice } from '../reflections/listed-voice.ts'
import { previewPublishing, stopUnpublished } from '../reflections/publishing.ts'
import type { RetrievalQuestion } from '../retrieve-for.ts'
import type { Services } from '../services.ts'
import { tokenBuckets } from '../token-buckets.ts'
import { present } from './present.ts'
import { maySeeConfided, seenBy } from './without-confided.ts'

/** Reflections as a whole: make, change, publish and remove them, ask. */
export function reflectionHandlers(services: Services) {
  const { reflections, retrieve } = services
  const mayAsk = tokenBuckets(ASKING)

  return {
    createReflection: async (c) => {
      const { personId: ownerId } = c.get('caller')
      const reflection = await reflections.create({ ...c.req.valid('json'), ownerId })
      return c.json({ ...reflection, role: 'owner' as const }, 201)
    },

    listReflections: async (c) => {
      const { personId, role } = c.get('caller')
      const query = present(c.req.valid('query'))
      if (role !== 'owner') {
        const page = await reflections.list({ ...query, personId })
        return c.json({ ...page, items: [...page.items] }, 200)
      }
      const page = await reflections.list(query)
      return c.json({ ...page, items: page.items.map((reflection) => ({ ...reflection, role })) }, 200)
    },

    getReflection: (c) => c.json(asSeen(c, c.get('reflection')), 200),

    getReflectionSummary: async (c) => {
      const seen = seenBy(c)
      return c.json(await readerFor(c, reflections).summary(c.get('reflection').id, seen), 200)
    },

    changeReflection: async (c) => {
      const { id } = c.get('reflection')
      const asked = c.req.valid('json')
      const role = c.get('memberRole')
      mayChangeReflection(role, asked)
      const change = await settleListedVoice(asked, role, services)
      const changed = await reflections.change(id, change, c.get('caller').personId)
      return c.json(asSeen(c, changed), 200)
    },

    removeReflection: async (c) => {
      await removeReflection(c.get('reflection').id, c.get('caller').personId, services)
      return c.body(null, 204)
    },

    addNamespace: async (c) => {
      const { name } = c.req.valid('json')
      const added = await reflections.addNamespace(c.get('reflection').id, name, c.get('caller').personId)
      return c.json(added, 201)
    },

    publishNamespaces: async (c) => {
      const { namespaces, previewHash } = c.req.valid('json')
      const { id } = c.get('reflection')
      const reflection = await reflections.publish(id, namespaces, c.get('caller').personId, previewHash)
      return c.json(asSeen(c, reflection), 200)
    },

    unpublishNamespaces: async (c) => {
      const { namespaces } = c.req.valid('json')
      const { id } = c.get('reflection')
      const { personId } = c.get('caller')
      const { reflection, ended } = await reflections.unpublish(id, namespaces, personId)
      await stopUnpublished(ended, services)
      return c.json(asSeen(c, reflection), 200)
    },

    previewPublish: async (c) => {
      return c.json(await previewPublishing(c.get('reflection'), c.req.valid('json'), services), 200)
    },

    listReflectionAudit: async (c) => {
      const page = await reflections.audit(c.get('reflection').id, present(c.req.valid('query')))
      return c.json({ ...page, items: [...page.items] }, 200)
    },

    askReflection: async (c) => {
      if (!mayAsk(c.get('caller').tokenHash.toString('hex'))) {
        throw new PlatformError('rate_limited', {
          message: `A token asks ${ASKING.most} times at once, and then ${ASKING.perSecond} times a second. Wait a little.`,
        })
      }
      const reflection = c.get('reflection')
      const question = present(c.req.valid('json'))
      refuseUnknown(question, reflection.namespaces)
      const onlyFactsOf = maySeeConfided(c.get('memberRole')) ? [] : [CONVERSATIONS]
      const asked = { ...question, onlyFactsOf, capability: c.get('reach')?.capability }
      const { tookMs = 0, ...found } = await retrieve(reflection, asked, c.req.raw.signal)
      return c.json({ ...found, tookMs: Math.round(tookMs * 10) / 10 }, 200)
    },
  } satisfies Partial<Handlers>
}

const ASKING = { most: 60, perSecond: 2 }

/** A reflection with what the caller is to it. */
const asSeen = (c: Context<ApiEnv>, reflection: Reflection): Reflection => ({
  ...reflection,
  role: c.get('memberRole'),
  reads: readsOf(c),
})

const readsOf = (c: Context<ApiEnv>): MemberNamespaces => {
  const reach = c.get('reach')
  return reach ? [...reach.chosen] : 'all'
}

function refuseUnknown({ audience, namespaces = [] }: RetrievalQuestion, all: readonly Namespace[]): void {
  const known = visibleNamespaces({ sessionAudience: audience }, undefined, { namespaces: [...all] })
  const unknown = namespaces.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const kind = audience === 'public' ? 'published namespace' : 'namespace'
  const there = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
  throw new PlatformError('validation', {
    message: `There is no ${kind} ${unknown} in this reflection. ${there}`,
  })
}

const REMOVE_MS = 60_000

/** Removes a reflection and the sessions with it; what the provider has of their calls goes in the background. */
async function removeReflection(
  reflectionId: ReflectionId,
  by: PersonId,
  { reflections, reflectionSessions, voice, logger }: Services,
): Promise<void> {
  const calls = voice ? await reflectionSessions.callsOf(reflectionId) : []
  await reflections.remove(reflectionId, by)
  const signal = AbortSignal.timeout(REMOVE_MS)
  void (async () => {
    for (const call of calls) {
      await voice?.provider.removeConversation(call, signal).catch((err: unknown) => {
        logger.warn({ err, call, reflectionId }, 'the provider keeps a call with a removed reflection')
      })
    }
  })()
}
