import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { type ArtifactInput, buildVoiceArtifacts } from './build-voice-artifacts.ts'
import { diffArtifacts } from './diff-artifacts.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const input: ArtifactInput = {
  displayName: 'Ada Winter',
  evidence: [...createEvidence('essays', 14), ...createEvidence('diary', 14)],
  namespaces: ['essays', 'diary'],
  publishedNamespaces: ['essays'],
}
const built = (change: Partial<ArtifactInput> = {}) => buildVoiceArtifacts({ ...input, ...change }, sha256)

test('equal artifacts have no differences', () => {
  expect(diffArtifacts(built(), built())).toEqual([])
})

test('removing a fact removes its line from each part, without differences in marks', () => {
  const changes = diffArtifacts(built(), built({ evidence: input.evidence.slice(0, -1) }))
  expect(changes.map(({ part, removed, added }) => [part, removed.length, added.length])).toEqual([
    ['evidence', 1, 0],
    ['private dossier', 1, 0],
    ['pack private_standard', 1, 0],
    ['pack private_memory', 1, 0],
    ['pack private_emerging', 1, 0],
  ])
  expect(changes[0]?.removed).toEqual(['diary: Ada Winter is diary number 13.'])
})

test('[P5] a private fact changes no public part', () => {
  const changes = diffArtifacts(
    built(),
    built({ evidence: createEvidence('essays', 14), creatorName: 'A. W.' }),
  )
  expect(changes.map(({ part }) => part).filter((part) => part.includes('public'))).toEqual([])
  expect(changes.length).toBeGreaterThan(0)
})

test('another scope changes the public dossier', () => {
  const changes = diffArtifacts(built(), built({ publishedNamespaces: [] }))
  const [dossier] = changes.filter(({ part }) => part === 'public dossier')
  expect(dossier?.removed).toContain('maturity: established')
  expect(dossier?.added).toContain('maturity: emerging')
})
