import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import {
  AddNamespace,
  AskReflection,
  AuditPage,
  CONVERSATIONS,
  ChangeReflection,
  CreateReflection,
  type MemberNamespaces,
  Namespace,
  PageQuery,
  type PersonId,
  PlatformError,
  PreviewPublish,
  PublishNamespaces,
  PublishPreview,
  Reflection,
  type ReflectionId,
  ReflectionPage,
  ReflectionRef,
  ReflectionSummary,
  Retrieved,
  UnpublishNamespaces,
} from '@parley/contracts'
import { visibleNamespaces } from '@parley/reflections'
import type { Api, ApiEnv } from '../api.ts'
import { mayChangeReflection } from '../auth/may-change.ts'
import { readerFor } from '../auth/within-reach.ts'
import { settleListedVoice } from '../reflections/listed-voice.ts'
import { previewPublishing, stopUnpublished } from '../reflections/publishing.ts'
import type { RetrievalQuestion } from '../retrieve-for.ts'
import type { Services } from '../services.ts'
import { storable } from '../storable.ts'
import { tokenBuckets } from '../token-buckets.ts'
import { body, json, problems } from './describe.ts'
import { present } from './present.ts'
import { maySeeConfided, seenBy } from './without-confided.ts'

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
    const change = await settleListedVoice(asked, role, services)
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
    return c.json(await previewPublishing(c.get('reflection'), c.req.valid('json'), services), 200)
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

const CREATE = createRoute({
  method: 'post',
  path: '/v1/reflections',
  summary: 'Make a reflection; you become its owner',
  request: { body: body(storable(CreateReflection)) },
  responses: { 201: json(Reflection, 'The new reflection'), ...problems },
})

const LIST = createRoute({
  method: 'get',
  path: '/v1/reflections',
  summary: 'The reflections that you are a member of; all of them for the owner of the server',
  description: 'Each with your role on it.',
  request: { query: PageQuery },
  responses: { 200: json(ReflectionPage, 'A page of reflections'), ...problems },
})

const GET = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}',
  summary: 'One reflection, with your role on it',
  request: { params: ReflectionRef },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

const SUMMARY = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/summary',
  summary: 'How much there is of it: sources, facts, and what waits for a person',
  request: { params: ReflectionRef },
  responses: { 200: json(ReflectionSummary, 'The counts'), ...problems },
})

const CHANGE = createRoute({
  method: 'patch',
  path: '/v1/reflections/{reflectionId}',
  summary: 'Change its names, its voice, who approves what is learned, or whether visitors are learned from',
  description:
    'With `null` the creator’s name, or the voice, is taken away. A voice is what the provider lists it as; one that it does not list is a clone unless `kind` says `stock`. A clone needs `consent`. ' +
    'Consent, a stock voice and `shareIngestion` are for the owner to say.',
  request: { params: ReflectionRef, body: body(storable(ChangeReflection)) },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

const REMOVE = createRoute({
  method: 'delete',
  path: '/v1/reflections/{reflectionId}',
  summary: 'Remove a reflection with all that it holds',
  description: 'It is out of reach when this answers; what it holds is removed in the background.',
  request: { params: ReflectionRef },
  responses: { 204: { description: 'It is out of reach' }, ...problems },
})

const ADD_NAMESPACE = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/namespaces',
  summary: 'Add a namespace, which is private until it is published',
  request: { params: ReflectionRef, body: body(AddNamespace) },
  responses: { 201: json(Namespace, 'The new namespace'), ...problems },
})

const PUBLISH = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/publish',
  summary: 'Let the public see these namespaces: all of them, or none',
  request: { params: ReflectionRef, body: body(PublishNamespaces) },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

const UNPUBLISH = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/unpublish',
  summary: 'Keep these namespaces from the public, from the next question on',
  request: { params: ReflectionRef, body: body(UnpublishNamespaces) },
  responses: { 200: json(Reflection, 'The reflection'), ...problems },
})

const PREVIEW_PUBLISH = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/publish-preview',
  summary: 'What publishing namespaces, or unpublishing them, would do; nothing is changed or kept',
  description:
    'What the public agent would hold is built as it will be, and compared with what is published now.',
  request: { params: ReflectionRef, body: body(PreviewPublish) },
  responses: { 200: json(PublishPreview, 'What would be public'), ...problems },
})

const AUDIT = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/audit',
  summary: 'The audit log of a reflection; latest first',
  request: { params: ReflectionRef, query: PageQuery },
  responses: { 200: json(AuditPage, 'A page of what was done'), ...problems },
})

const ASK = createRoute({
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
