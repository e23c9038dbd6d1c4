import { type Handlers, omitUndefined } from './register-endpoints.ts'
import type { Context } from 'hono'
import { type MemberNamespaces, PlatformError, type Reflection } from '@parley/contracts'
import {
  checkReflectionChange,
  createConfidentialFilter,
  listReflections,
  previewPublishing,
  removeReflection,
  resolveListedVoice,
  unpublishNamespaces,
} from '@parley/reflections'
import type { ApiEnv } from '../api-env.ts'
import { getMember } from '../auth/admit-caller.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import type { Services } from '../services.ts'
import { createRateLimiter } from '../rate-limiter.ts'

/** Reflections: create, change, publish, remove and question them. */
export function createReflectionHandlers(services: Services) {
  const { reflections, askQuestion } = services
  const host = toReflectionHost(services)
  const mayAsk = createRateLimiter(QUESTION_RATE)

  return {
    createReflection: async (c) => {
      const { personId: ownerId } = c.get('caller')
      const reflection = await reflections.create({ ...c.req.valid('json'), ownerId })
      return c.json({ ...reflection, role: 'owner' as const }, 201)
    },

    listReflections: async (c) => {
      const query = omitUndefined(c.req.valid('query'))
      return c.json(await listReflections(c.get('caller'), query, reflections), 200)
    },

    getReflection: (c) => c.json(toResponse(c, c.get('reflection')), 200),

    getReflectionSummary: async (c) => {
      const { reflectionId, role, personId, knowledge } = getMember(c, reflections)
      const filter = createConfidentialFilter(role, personId)
      return c.json(await knowledge.countKnowledge(reflectionId, filter), 200)
    },

    changeReflection: async (c) => {
      const { id } = c.get('reflection')
      const requested = c.req.valid('json')
      const role = c.get('memberRole')
      checkReflectionChange(role, requested)
      const change = await resolveListedVoice(requested, role, services)
      const changed = await reflections.change(id, change, c.get('caller').personId)
      return c.json(toResponse(c, changed), 200)
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
      return c.json(toResponse(c, reflection), 200)
    },

    unpublishNamespaces: async (c) => {
      const { namespaces } = c.req.valid('json')
      const { id } = c.get('reflection')
      const { personId } = c.get('caller')
      const reflection = await unpublishNamespaces(id, namespaces, personId, host)
      return c.json(toResponse(c, reflection), 200)
    },

    previewPublish: async (c) => {
      return c.json(await previewPublishing(c.get('reflection'), c.req.valid('json'), services), 200)
    },

    listReflectionAudit: async (c) => {
      const page = await reflections.listAuditEntries(
        c.get('reflection').id,
        omitUndefined(c.req.valid('query')),
      )
      return c.json({ ...page, items: [...page.items] }, 200)
    },

    askReflection: async (c) => {
      if (!mayAsk(c.get('caller').tokenHash.toString('hex'))) {
        throw new PlatformError('rate_limited', {
          message: `A token allows ${QUESTION_RATE.most} questions at once, then ${QUESTION_RATE.perSecond} a second. Try again in a moment.`,
        })
      }
      const question = omitUndefined(c.req.valid('json'))
      const asker = { role: c.get('memberRole'), reach: c.get('reach') }
      const { tookMs = 0, ...found } = await askQuestion(
        question,
        asker,
        c.get('reflection'),
        c.req.raw.signal,
      )
      return c.json({ ...found, tookMs: Math.round(tookMs * 10) / 10 }, 200)
    },
  } satisfies Partial<Handlers>
}

const QUESTION_RATE = { most: 60, perSecond: 2 }

/** A reflection with the caller's role and reach. */
const toResponse = (c: Context<ApiEnv>, reflection: Reflection): Reflection => ({
  ...reflection,
  role: c.get('memberRole'),
  reads: getMemberNamespaces(c),
})

const getMemberNamespaces = (c: Context<ApiEnv>): MemberNamespaces => {
  const reach = c.get('reach')
  return reach ? [...reach.chosen] : 'all'
}
