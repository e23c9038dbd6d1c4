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

test('[P5] publishing adds only the lines of the published sources', () => {
  const { dossier, published } = preview(ofScope('essays'), ofScope('essays', 'diary'))
  expect(published).toEqual(['essays', 'diary'])
  expect(dossier.added.toSorted()).toEqual([0, 1, 2].map((at) => `Ada Winter is diary number ${at}.`))
  expect(dossier.removed).toEqual([])
  expect(dossier.kept).toHaveLength(14)
})

test('[P6] unpublishing removes these lines, also from the prompt', () => {
  const { dossier, prompt } = preview(ofScope('essays', 'diary'), ofScope('essays'))
  expect(dossier.removed).toHaveLength(3)
  expect(prompt).not.toContain('diary')
})

test('the preview equals the later build, and its approval too', () => {
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
  ['another name, which changes the prompt', { ...then, displayName: 'Ada Summer' }, {}],
  ['another source', then, { sources: [letter, { ...letter, id: 'src_2' as SourceId }] }],
  ['another title', then, { sources: [{ ...letter, title: 'Letters' }] }],
  ['another text of a source', then, { sources: [{ ...letter, contentHash: 'of another' }] }],
  ['other facts of the same number', then, { facts: { count: 3, idsHash: 'of other three' } }],
])('[P11] %s changes the hash', (_, other, change) => {
  expect(preview(now, other, change).previewHash).not.toBe(preview(now, then).previewHash)
})

test('[P11] private content does not change the hash', () => {
  const hidden = { ...then, evidence: [...then.evidence, ...createEvidence('letters', 2)] }
  const { previewHash } = preview(now, then)
  expect(preview(now, then).previewHash).toBe(previewHash)
  expect(preview(now, hidden).previewHash).toBe(previewHash)
  expect(previewHash).toMatch(/^[0-9a-f]{64}$/)
})
