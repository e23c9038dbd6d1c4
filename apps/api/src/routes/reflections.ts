import { type Namespace, PlatformError, type Reflection } from '@parley/contracts'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { mayChangeMember } from '../auth/may-change-member.ts'
import type { Asked } from '../retrieve-for.ts'
import type { Services } from '../services.ts'
import { tokenBuckets } from '../token-buckets.ts'
import { present } from './present.ts'
import {
  ADD_NAMESPACE,
  ASK,
  AUDIT,
  CHANGE,
  CREATE,
  GET,
  LIST,
  MEMBERS,
  PUBLISH,
  REMOVE,
  REMOVE_MEMBER,
  SET_MEMBER,
  UNPUBLISH,
} from './reflection-routes-described.ts'

/** Reflections as a whole: make, change, publish and remove them, say who may, ask. */
export function reflectionRoutes(app: Api, { reflections, retrieve }: Services) {
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

  app.openapi(CHANGE, async (c) => {
    const { id } = c.get('reflection')
    const changed = await reflections.change(id, c.req.valid('json'), c.get('caller').personId)
    return c.json(asSeen(c, changed), 200)
  })

  app.openapi(REMOVE, async (c) => {
    await reflections.remove(c.get('reflection').id, c.get('caller').personId)
    return c.body(null, 204)
  })

  app.openapi(ADD_NAMESPACE, async (c) => {
    const { name } = c.req.valid('json')
    const added = await reflections.addNamespace(c.get('reflection').id, name, c.get('caller').personId)
    return c.json(added, 201)
  })

  app.openapi(PUBLISH, async (c) => {
    const { namespaces } = c.req.valid('json')
    const { personId } = c.get('caller')
    return c.json(asSeen(c, await reflections.publish(c.get('reflection').id, namespaces, personId)), 200)
  })

  app.openapi(UNPUBLISH, async (c) => {
    const { namespaces } = c.req.valid('json')
    const { personId } = c.get('caller')
    return c.json(asSeen(c, await reflections.unpublish(c.get('reflection').id, namespaces, personId)), 200)
  })

  app.openapi(MEMBERS, async (c) => {
    return c.json({ items: [...(await reflections.members(c.get('reflection').id))] }, 200)
  })

  app.openapi(SET_MEMBER, async (c) => {
    const { id } = c.get('reflection')
    const wanted = c.req.valid('json')
    mayChangeMember(c.get('memberRole'), await reflections.members(id), wanted)
    await reflections.setMember(id, wanted, c.get('caller').personId)
    const member = (await reflections.members(id)).find(({ personId }) => personId === wanted.personId)
    return c.json(member ?? { ...wanted, label: wanted.personId }, 200)
  })

  app.openapi(REMOVE_MEMBER, async (c) => {
    const { id } = c.get('reflection')
    const { personId } = c.req.valid('param')
    mayChangeMember(c.get('memberRole'), await reflections.members(id), { personId })
    await reflections.removeMember(id, personId, c.get('caller').personId)
    return c.body(null, 204)
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
    const { tookMs = 0, ...found } = await retrieve(reflection, question, c.req.raw.signal)
    return c.json({ ...found, tookMs: Math.round(tookMs * 10) / 10 }, 200)
  })
}

const ASKING = { most: 60, perSecond: 2 }

/** A reflection with what the caller is to it. */
const asSeen = (c: Context<ApiEnv>, reflection: Reflection): Reflection => ({
  ...reflection,
  role: c.get('memberRole'),
})

function refuseUnknown({ audience, namespaces = [] }: Asked, all: readonly Namespace[]): void {
  const within = audience === 'public' ? all.filter(({ isPublished }) => isPublished) : all
  const known = within.map(({ name }) => name)
  const unknown = namespaces.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const kind = audience === 'public' ? 'published namespace' : 'namespace'
  const there = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
  throw new PlatformError('validation', {
    message: `There is no ${kind} ${unknown} in this reflection. ${there}`,
  })
}
