import type { Handlers } from './handlers.ts'
import {
  CONVERSATIONS,
  type Patch,
  type PatchId,
  PlatformError,
  type ReviewPatch,
  type Source,
  type SourceId,
} from '@parley/contracts'
import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'
import type { Services } from '../services.ts'
import { enterAgain } from '../auth/enter-reflection.ts'
import { readerFor, refuseToWrite } from '../auth/within-reach.ts'
import { readSource } from '../read-source.ts'
import { stopUnpublished } from '../reflections/publishing.ts'
import { present } from './present.ts'
import { maySeeSource, seenBy, withoutConfided } from './without-confided.ts'

/** What a reflection is made from, what was learned of it, and what a person says to that. */
export function sourceHandlers(services: Services) {
  const { reflections } = services
  const add = async (c: Context<ApiEnv>, sourceId?: SourceId) => {
    const source = await readSource(c.req)
    await enterAgain(c, services)
    refuseToWrite(c, [source.namespace])
    const { personId } = c.get('caller')
    const { endedSessions, ...kept } = await reflections.addSource(
      c.get('reflection').id,
      source,
      personId,
      sourceId,
    )
    if (endedSessions) await stopUnpublished(endedSessions.ended, services)
    return kept
  }
  const sourceIn = async (c: Context<ApiEnv>, sourceId: SourceId) => {
    const source = await readerFor(c, reflections).findSource(c.get('reflection').id, sourceId)
    if (source && maySeeSource(source, c.get('memberRole'))) return source
    throw new PlatformError('source_not_found', {
      message: `There is no source ${sourceId} in this reflection.`,
    })
  }

  const patchIn = async (c: Context<ApiEnv>, patchId: Parameters<typeof reflections.findPatch>[1]) => {
    const seen = seenBy(c)
    const patch = await readerFor(c, reflections).findPatch(c.get('reflection').id, patchId, seen)
    if (patch) return patchSeenBy(c, patch)
    if (await reflections.isPreparing(c.get('reflection').id, patchId, seen)) {
      throw new PlatformError('patch_not_pending', {
        message: `The patch ${patchId} is still being prepared. Try again in a moment.`,
        patchId,
      })
    }
    throw new PlatformError('not_found', { message: `There is no patch ${patchId} in this reflection.` })
  }
  const review = async (c: Context<ApiEnv>, patchId: PatchId, decision: ReviewPatch): Promise<Patch> => {
    const patch = await patchIn(c, patchId)
    refuseToWrite(
      c,
      patch.facts.map(({ namespace }) => namespace),
    )
    refuseSettled(patch, decision)
    await reflections.review(c.get('reflection').id, patch.id, decision, c.get('caller').personId)
    return patch
  }

  return {
    addSource: async (c) => c.json(await add(c), 202),

    replaceSource: async (c) => {
      const source = await sourceIn(c, c.req.valid('param').sourceId)
      refuseTranscript(source)
      refuseToWrite(c, [source.namespace])
      return c.json(await add(c, source.id), 202)
    },

    listSources: async (c) => {
      const wanted = { ...present(c.req.valid('query')), ...seenBy(c) }
      const page = await readerFor(c, reflections).sources(c.get('reflection').id, wanted)
      return c.json({ ...page, items: [...page.items] }, 200)
    },

    getSource: async (c) => c.json(await sourceIn(c, c.req.valid('param').sourceId), 200),

    getSourceText: async (c) => {
      const { id } = await sourceIn(c, c.req.valid('param').sourceId)
      return c.json(
        await readerFor(c, reflections).sourceText(c.get('reflection').id, id, present(c.req.valid('query'))),
        200,
      )
    },

    removeSource: async (c) => {
      const source = await sourceIn(c, c.req.valid('param').sourceId)
      refuseToWrite(c, [source.namespace])
      const { personId } = c.get('caller')
      const { ended } = await reflections.removeSource(c.get('reflection').id, source.id, personId)
      await stopUnpublished(ended, services)
      return c.json({ ...source, state: 'removing' as const }, 202)
    },

    listPatches: async (c) => {
      const wanted = { ...present(c.req.valid('query')), ...seenBy(c) }
      const page = await readerFor(c, reflections).patches(c.get('reflection').id, wanted)
      return c.json({ ...page, items: page.items.map((patch) => patchSeenBy(c, patch)) }, 200)
    },

    getPatch: async (c) => c.json(await patchIn(c, c.req.valid('param').patchId), 200),

    approvePatch: async (c) => c.json(await review(c, c.req.valid('param').patchId, 'approve'), 202),

    rejectPatch: async (c) => c.json(await review(c, c.req.valid('param').patchId, 'reject'), 202),

    revertPatch: async (c) => c.json(await review(c, c.req.valid('param').patchId, 'revert'), 202),
  } satisfies Partial<Handlers>
}

/** Confided words cannot be read by another route, name or wording. */
function refuseTranscript({ id, namespace }: Source): void {
  if (namespace !== CONVERSATIONS) return
  throw new PlatformError('namespace_reserved', {
    message: `The source ${id} is what was said in a session. It stays in ${CONVERSATIONS} as it was said, and can only be removed.`,
    sourceId: id,
  })
}

/** What it takes the place of may have been said in confidence. */
const patchSeenBy = (c: Context<ApiEnv>, patch: Patch): Patch => ({
  ...patch,
  supersedes: patch.supersedes.map((fact) => withoutConfided(fact, c.get('memberRole'))),
})

/** What a patch has to be for each, and what is said where it is something else. */
const REVIEWS: Record<ReviewPatch, { readonly of: Patch['status']; readonly only: string }> = {
  approve: { of: 'proposed', only: 'Only a patch that still waits can be approved.' },
  reject: {
    of: 'proposed',
    only: 'Only a patch that still waits can be rejected; one that was applied can be reverted.',
  },
  revert: { of: 'applied', only: 'Only a patch that was applied can be reverted.' },
}

const STANDS: Record<Patch['status'], string> = {
  proposed: 'still waits for a decision',
  applied: 'was applied already',
  rejected: 'was rejected already',
  reverted: 'was reverted already',
}

function refuseSettled({ id, status }: Patch, said: ReviewPatch): void {
  const { of, only } = REVIEWS[said]
  if (status === of) return
  throw new PlatformError('patch_not_pending', {
    message: `The patch ${id} ${STANDS[status]}. ${only}`,
    patchId: id,
    status,
  })
}
