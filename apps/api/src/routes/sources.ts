import { type Handlers, omitUndefined } from './handlers.ts'
import { type Patch, type PatchId, PlatformError, type ReviewPatch, type SourceId } from '@parley/contracts'
import {
  canReadSource,
  checkNewSource,
  checkReview,
  createConfidentialFilter,
  toReadablePatch,
  refuseTranscript,
  refuseWrite,
} from '@parley/reflections'
import type { Context } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import type { Services } from '../services.ts'
import { getKnowledgeReader, recheckMember } from '../auth/enter-reflection.ts'
import { readSource } from '../read-source.ts'

/** The sources of a reflection, and the patches that wait for review. */
export function createSourceHandlers(services: Services) {
  const { reflections } = services
  const add = async (c: Context<ApiEnv>, sourceId?: SourceId) => {
    const source = await readSource(c.req)
    checkNewSource(source)
    await recheckMember(c, services)
    refuseWrite(c.get('reach'), [source.namespace])
    const { personId } = c.get('caller')
    const { endedSessions: _, ...kept } = await reflections.addSource(
      c.get('reflection').id,
      source,
      personId,
      sourceId,
    )
    return kept
  }
  const requireSource = async (c: Context<ApiEnv>, sourceId: SourceId) => {
    const source = await getKnowledgeReader(c, reflections).findSource(c.get('reflection').id, sourceId)
    if (source && canReadSource(source, c.get('memberRole'))) return source
    throw new PlatformError('source_not_found', {
      message: `There is no source ${sourceId} in this reflection.`,
    })
  }

  const requirePatch = async (c: Context<ApiEnv>, patchId: Parameters<typeof reflections.findPatch>[1]) => {
    const filter = getConfidentialFilter(c)
    const patch = await getKnowledgeReader(c, reflections).findPatch(c.get('reflection').id, patchId, filter)
    if (patch) return toReadablePatch(patch, c.get('memberRole'))
    if (await reflections.isPreparing(c.get('reflection').id, patchId, filter)) {
      throw new PlatformError('patch_not_pending', {
        message: `The patch ${patchId} is still being prepared. Try again in a moment.`,
        patchId,
      })
    }
    throw new PlatformError('not_found', { message: `There is no patch ${patchId} in this reflection.` })
  }
  const review = async (c: Context<ApiEnv>, patchId: PatchId, decision: ReviewPatch): Promise<Patch> => {
    const patch = await requirePatch(c, patchId)
    refuseWrite(
      c.get('reach'),
      patch.facts.map(({ namespace }) => namespace),
    )
    checkReview(patch, decision)
    await reflections.review(c.get('reflection').id, patch.id, decision, c.get('caller').personId)
    return patch
  }

  return {
    addSource: async (c) => c.json(await add(c), 202),

    replaceSource: async (c) => {
      const source = await requireSource(c, c.req.valid('param').sourceId)
      refuseTranscript(source)
      refuseWrite(c.get('reach'), [source.namespace])
      return c.json(await add(c, source.id), 202)
    },

    listSources: async (c) => {
      const query = { ...omitUndefined(c.req.valid('query')), ...getConfidentialFilter(c) }
      const page = await getKnowledgeReader(c, reflections).listSources(c.get('reflection').id, query)
      return c.json({ ...page, items: [...page.items] }, 200)
    },

    getSource: async (c) => c.json(await requireSource(c, c.req.valid('param').sourceId), 200),

    getSourceText: async (c) => {
      const { id } = await requireSource(c, c.req.valid('param').sourceId)
      return c.json(
        await getKnowledgeReader(c, reflections).readSourceText(
          c.get('reflection').id,
          id,
          omitUndefined(c.req.valid('query')),
        ),
        200,
      )
    },

    removeSource: async (c) => {
      const source = await requireSource(c, c.req.valid('param').sourceId)
      refuseWrite(c.get('reach'), [source.namespace])
      const { personId } = c.get('caller')
      await reflections.removeSource(c.get('reflection').id, source.id, personId)
      return c.json({ ...source, state: 'removing' as const }, 202)
    },

    listPatches: async (c) => {
      const query = { ...omitUndefined(c.req.valid('query')), ...getConfidentialFilter(c) }
      const page = await getKnowledgeReader(c, reflections).listPatches(c.get('reflection').id, query)
      return c.json(
        { ...page, items: page.items.map((patch) => toReadablePatch(patch, c.get('memberRole'))) },
        200,
      )
    },

    getPatch: async (c) => c.json(await requirePatch(c, c.req.valid('param').patchId), 200),

    approvePatch: async (c) => c.json(await review(c, c.req.valid('param').patchId, 'approve'), 202),

    rejectPatch: async (c) => c.json(await review(c, c.req.valid('param').patchId, 'reject'), 202),

    revertPatch: async (c) => c.json(await review(c, c.req.valid('param').patchId, 'revert'), 202),
  } satisfies Partial<Handlers>
}

const getConfidentialFilter = (c: Context<ApiEnv>) =>
  createConfidentialFilter(c.get('memberRole'), c.get('caller').personId)
