import { type Handlers, omitUndefined } from './register-endpoints.ts'
import type { ReviewPatch, SourceId } from '@parley/contracts'
import {
  addSource,
  createConfidentialFilter,
  findReadablePatch,
  findReadableSource,
  findReplaceableSource,
  removeSource,
  reviewPatch,
  toReadablePatch,
} from '@parley/reflections'
import type { Context } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import type { Services } from '../services.ts'
import { getMember, recheckCaller } from '../auth/admit-caller.ts'
import { readSource } from '../read-source.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'

/** The sources of a reflection, and the patches that wait for review. */
export function createSourceHandlers(services: Services) {
  const { reflections } = services
  const host = toReflectionHost(services)
  const add = async (c: Context<ApiEnv>, replaced?: SourceId) => {
    const content = await readSource(c.req)
    await recheckCaller(c, services)
    return addSource(getMember(c, reflections), content, host, replaced)
  }
  const review = async (c: PatchContext, decision: ReviewPatch) => {
    const { patchId } = c.req.valid('param')
    return c.json(await reviewPatch(getMember(c, reflections), patchId, decision, reflections), 202)
  }

  return {
    addSource: async (c) => c.json(await add(c), 202),

    replaceSource: async (c) => {
      const { sourceId } = c.req.valid('param')
      const { id } = await findReplaceableSource(getMember(c, reflections), sourceId)
      return c.json(await add(c, id), 202)
    },

    listSources: async (c) => {
      const { reflectionId, role, personId, knowledge } = getMember(c, reflections)
      const filter = createConfidentialFilter(role, personId)
      const query = { ...omitUndefined(c.req.valid('query')), ...filter }
      const page = await knowledge.listSources(reflectionId, query)
      return c.json({ ...page, items: [...page.items] }, 200)
    },

    getSource: async (c) => {
      const { sourceId } = c.req.valid('param')
      return c.json(await findReadableSource(getMember(c, reflections), sourceId), 200)
    },

    getSourceText: async (c) => {
      const member = getMember(c, reflections)
      const { id } = await findReadableSource(member, c.req.valid('param').sourceId)
      const from = omitUndefined(c.req.valid('query'))
      return c.json(await member.knowledge.readSourceText(member.reflectionId, id, from), 200)
    },

    removeSource: async (c) => {
      const { sourceId } = c.req.valid('param')
      return c.json(await removeSource(getMember(c, reflections), sourceId, host), 202)
    },

    listPatches: async (c) => {
      const { reflectionId, role, personId, knowledge } = getMember(c, reflections)
      const filter = createConfidentialFilter(role, personId)
      const query = { ...omitUndefined(c.req.valid('query')), ...filter }
      const page = await knowledge.listPatches(reflectionId, query)
      return c.json({ ...page, items: page.items.map((patch) => toReadablePatch(patch, role)) }, 200)
    },

    getPatch: async (c) => {
      const { patchId } = c.req.valid('param')
      return c.json(await findReadablePatch(getMember(c, reflections), patchId, reflections), 200)
    },

    approvePatch: (c) => review(c, 'approve'),

    rejectPatch: (c) => review(c, 'reject'),

    revertPatch: (c) => review(c, 'revert'),
  } satisfies Partial<Handlers>
}

type PatchContext = Parameters<Handlers['approvePatch']>[0]
