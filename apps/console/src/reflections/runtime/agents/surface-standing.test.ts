import type { SurfaceStatus } from '@parley/contracts'
import { expect, test } from 'vitest'
import { surfaceStanding } from './surface-standing.ts'

const fresh: SurfaceStatus = { surface: 'public', status: 'fresh', differs: [], missing: [] }

test.each<[string, Partial<SurfaceStatus>, object]>([
  ['what is current has nothing against it', {}, { label: 'Current', look: 'good', reasons: [] }],
  [
    '[P8] what is out of date says in what',
    { status: 'stale', differs: ['the pack', 'the dossier'] },
    { label: 'Out of date', reasons: ['Differs: the pack.', 'Differs: the dossier.'] },
  ],
  [
    '[P8] what cannot be yet says what is missing',
    { status: 'not_ready', missing: ['nothing is published'] },
    { label: 'Not ready', reasons: ['Missing: nothing is published.'] },
  ],
])('%s', (_, status, expected) => {
  expect(surfaceStanding({ ...fresh, ...status })).toMatchObject(expected)
})
