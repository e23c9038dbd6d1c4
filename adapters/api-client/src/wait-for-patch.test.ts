import { Patch, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { waitForPatch } from './wait-for-patch.ts'

const patch = Patch.parse({
  id: 'pat_1',
  origin: 'correction',
  status: 'proposed',
  findings: [],
  facts: [],
  supersedes: [],
  createdAt: '2026-01-01T00:00:00.000Z',
})
const ref = { reflectionId: 'rfl_1', patchId: patch.id } as Parameters<typeof waitForPatch>[1]
const missing = new PlatformError('not_found', { message: 'There is no patch pat_1.' })

/** Returns each in order, then repeats the last. */
const responding = (...responses: readonly (Patch | PlatformError)[]) => {
  let at = 0
  return {
    patch: async () => {
      const next = responses[Math.min(at, responses.length - 1)]
      at += 1
      if (next === undefined || next instanceof PlatformError) throw next
      return next
    },
  }
}

test('[K3] waits until the patch exists and has the wanted state', async () => {
  const applied: Patch = { ...patch, status: 'applied' }
  const preparing = new PlatformError('patch_not_pending', { message: 'It is still being prepared.' })
  const reflections = responding(missing, preparing, patch, applied)
  expect(await waitForPatch(reflections, ref, ({ status }) => status !== 'proposed')).toEqual(applied)
})

test('other errors are thrown at once', async () => {
  const forbidden = new PlatformError('forbidden', { message: 'You are viewer here.' })
  await expect(waitForPatch(responding(forbidden), ref, () => true)).rejects.toBe(forbidden)
})
