import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { narrowArtifacts } from './narrow-pack.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const NAMESPACES = ['conversations', 'diary', 'essays', 'talks']
const evidence = NAMESPACES.flatMap((namespace) =>
  createEvidence(namespace, 12).map((item) => ({
    ...item,
    statement: `${item.statement} Canary of ${namespace}.`,
    quote: `${item.quote} Canary of ${namespace}.`,
  })),
)

test('[P4] [V7] for any reach, a member’s artifacts contain exactly what the member reaches', () => {
  fc.assert(
    fc.property(fc.subarray(NAMESPACES), (reached) => {
      const narrowed = narrowArtifacts({ displayName: 'Ada Winter', evidence }, reached, sha256)
      const shown = JSON.stringify(narrowed)
      for (const namespace of NAMESPACES) {
        expect(shown.includes(`Canary of ${namespace}.`)).toBe(reached.includes(namespace))
      }
    }),
  )
})
