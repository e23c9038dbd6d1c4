import {
  CONVERSATIONS,
  type MemberNamespaces,
  type Namespace,
  PlatformError,
  type Reflection,
} from '@parley/contracts'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { mayChangeReflection } from '../auth/may-change-reflection.ts'
import { readerFor } from '../auth/within-reach.ts'
import { visibleNamespaces } from '@parley/reflections'
import type { Asked } from '../retrieve-for.ts'
import type { Services } from '../services.ts'
import { tokenBuckets } from '../token-buckets.ts'
import { previewPublishFor } from '../voice/preview-publish-for.ts'
import { removeReflection } from '../voice/remove-reflection.ts'
import { stopUnpublished } from '../voice/stop-unpublished.ts'
import { voiceAsListed } from '../voice/voice-as-listed.ts'
import { present } from './present.ts'
import { maySeeConfided, seenBy } from './without-confided.ts'
import {
  ADD_NAMESPACE,
  ASK,
  AUDIT,
  CHANGE,
  CREATE,
  GET,
  LIST,
  PREVIEW_PUBLISH,
  PUBLISH,
  REMOVE,
  SUMMARY,
  UNPUBLISH,
} from './reflection-routes-described.ts'

/** Reflections as a whole: make, change, publish and remove them, ask. */
export function reflectionRoutes(app: Api, services: Services) {
  const { reflections, retrieve } = services
  app.openapi(CREATE, async (c) => {
    const { personId: ownerId } = c.get('caller')
    const reflection = await reflections.create({ ...c.req.valid('json'), ownerId })
    return c.json({ ...reflection, role: 'owner' as const }, 201)
  })

  app.openapi(LIST, async (c) => {
    const { personId, role } = c.get('caller')
    const query = present(c.req.valid('query'))
    if (role !== 'owner') {
      const page = await reflections.list({ ...query, personId })
      return c.json({ ...page, items: [...page.items] }, 200)
    }
    const page = await reflections.list(query)
    return c.json({ ...page, items: page.items.map((reflection) => ({ ...reflection, role })) }, 200)
  })

  app.openapi(GET, (c) => c.json(asSeen(c, c.get('reflection')), 200))

  app.openapi(SUMMARY, async (c) => {
    const seen = seenBy(c)
    return c.json(await readerFor(c, reflections).summary(c.get('reflection').id, seen), 200)
  })

  app.openapi(CHANGE, async (c) => {
    const { id } = c.get('reflection')
    const asked = c.req.valid('json')
    const role = c.get('memberRole')
    mayChangeReflection(role, asked)
    const change = await voiceAsListed(asked, role, services)
    const changed = await reflections.change(id, change, c.get('caller').personId)
    return c.json(asSeen(c, changed), 200)
  })

  app.openapi(REMOVE, async (c) => {
    await removeReflection(c.get('reflection').id, c.get('caller').personId, services)
    return c.body(null, 204)
  })

  app.openapi(ADD_NAMESPACE, async (c) => {
    const { name } = c.req.valid('json')
    const added = await reflections.addNamespace(c.get('reflection').id, name, c.get('caller').personId)
    return c.json(added, 201)
  })

  app.openapi(PUBLISH, async (c) => {
    const { namespaces, previewHash } = c.req.valid('json')
    const { id } = c.get('reflection')
    const reflection = await reflections.publish(id, namespaces, c.get('caller').personId, previewHash)
    return c.json(asSeen(c, reflection), 200)
  })

  app.openapi(UNPUBLISH, async (c) => {
    const { namespaces } = c.req.valid('json')
    const { id } = c.get('reflection')
    const { personId } = c.get('caller')
    const { reflection, ended } = await reflections.unpublish(id, namespaces, personId)
    await stopUnpublished(ended, services)
    return c.json(asSeen(c, reflection), 200)
  })

  app.openapi(PREVIEW_PUBLISH, async (c) => {
    return c.json(await previewPublishFor(c.get('reflection'), c.req.valid('json'), services), 200)
  })

  app.openapi(AUDIT, async (c) => {
    const page = await reflections.audit(c.get('reflection').id, present(c.req.valid('query')))
    return c.json({ ...page, items: [...page.items] }, 200)
  })

  const mayAsk = tokenBuckets(ASKING)
  app.openapi(ASK, async (c) => {
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
  })
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

function refuseUnknown({ audience, namespaces = [] }: Asked, all: readonly Namespace[]): void {
  const known = visibleNamespaces({ sessionAudience: audience }, undefined, { namespaces: [...all] })
  const unknown = namespaces.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const kind = audience === 'public' ? 'published namespace' : 'namespace'
  const there = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
  throw new PlatformError('validation', {
    message: `There is no ${kind} ${unknown} in this reflection. ${there}`,
  })
}
