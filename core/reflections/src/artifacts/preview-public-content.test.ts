import { createHash } from 'node:crypto'
import type { SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { type ArtifactInput, buildVoiceArtifacts } from './build-voice-artifacts.ts'
import { previewPublicContent, type ScopeChange } from './preview-public-content.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const ofScope = (...publishedNamespaces: readonly string[]): ArtifactInput => ({
  displayName: 'Ada Winter',
  evidence: [...createEvidence('essays', 14), ...createEvidence('diary', 3)],
  namespaces: ['essays', 'diary'],
  publishedNamespaces,
})

const letter = { id: 'src_1' as SourceId, title: 'Letter', contentHash: 'of the letter' }
const CHANGE = { sources: [letter], facts: { count: 3, idsHash: 'of three' } }
const preview = (before: ArtifactInput, after: ArtifactInput, change: Partial<ScopeChange> = {}) =>
  previewPublicContent({ ...CHANGE, before, after, ...change }, sha256)

test('[P5] publishing adds the lines of what becomes public, and no other', () => {
  const { dossier, published } = preview(ofScope('essays'), ofScope('essays', 'diary'))
  expect(published).toEqual(['essays', 'diary'])
  expect(dossier.added.toSorted()).toEqual([0, 1, 2].map((at) => `Ada Winter is diary number ${at}.`))
  expect(dossier.removed).toEqual([])
  expect(dossier.kept).toHaveLength(14)
})

test('[P6] unpublishing takes them away, and the prompt does not hold them any more', () => {
  const { dossier, prompt } = preview(ofScope('essays', 'diary'), ofScope('essays'))
  expect(dossier.removed).toHaveLength(3)
  expect(prompt).not.toContain('diary')
})

test('it is what the build will be, word for word, and is judged as that will be', () => {
  const then = ofScope('diary')
  const { prompt_packs } = buildVoiceArtifacts(then, sha256)
  expect(preview(ofScope(), then)).toMatchObject({
    prompt: prompt_packs.public_emerging.prompt,
    firstMessage: prompt_packs.public_emerging.firstMessage,
    refused: [],
  })
})

const [now, then] = [ofScope(), ofScope('diary')]
const more = { ...then, evidence: [...then.evidence, ...createEvidence('diary', 4).slice(3)] }

test.each<[string, ArtifactInput, Partial<ScopeChange>]>([
  ['another namespace', ofScope('diary', 'essays'), {}],
  ['another line', more, {}],
  ['another name, and so another prompt', { ...then, displayName: 'Ada Summer' }, {}],
  ['another source', then, { sources: [letter, { ...letter, id: 'src_2' as SourceId }] }],
  ['another title', then, { sources: [{ ...letter, title: 'Letters' }] }],
  ['other words in a source', then, { sources: [{ ...letter, contentHash: 'of another' }] }],
  ['as many facts, but others', then, { facts: { count: 3, idsHash: 'of other three' } }],
])('[P11] with %s it has another hash', (_, other, change) => {
  expect(preview(now, other, change).previewHash).not.toBe(preview(now, then).previewHash)
})

test('[P11] the same has the same hash, whatever else is private', () => {
  const hidden = { ...then, evidence: [...then.evidence, ...createEvidence('letters', 2)] }
  const { previewHash } = preview(now, then)
  expect(preview(now, then).previewHash).toBe(previewHash)
  expect(preview(now, hidden).previewHash).toBe(previewHash)
  expect(previewHash).toMatch(/^[0-9a-f]{64}$/)
})
