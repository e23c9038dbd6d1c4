import type { EvidenceItem, SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AppliedCorrection, applyCorrections, replaceCorrected } from './apply-corrections.ts'

const passage = (text: string, score = 1): EvidenceItem => ({
  kind: 'chunk',
  text,
  namespace: 'general',
  source: { id: 'src_notes' as SourceId, title: 'Notes' },
  place: {},
  score,
})

const correction = (given: Partial<AppliedCorrection> = {}): AppliedCorrection => ({
  fact: {
    kind: 'fact',
    text: 'Ada lives in Dover.',
    namespace: 'general',
    source: { id: 'src_fix' as SourceId, title: 'Correction' },
    place: {},
    subject: 'Ada',
    predicate: 'lives_in',
  },
  isAsked: false,
  ...given,
})

const correcting = (quote: string, sourceId = 'src_notes') => ({ corrected: { sourceId, quote } })
const QUERY = 'Tell me.'
const hash = (text: string) => `hash of ${text}`
const best = (items: readonly EvidenceItem[]) => items.toSorted((a, b) => b.score - a.score)

test('[K3] removes corrected words from a passage, and ranks the correction above it', () => {
  const text = 'I am Ada. I live in Kent. I like tea.'
  const result = best(
    applyCorrections([passage(text)], [correction(correcting('I live in Kent.'))], QUERY, hash),
  )
  expect(result).toEqual([
    expect.objectContaining({ text: 'Ada lives in Dover.', corrects: ['Ada lives in'], kind: 'fact' }),
    { ...passage('I am Ada. I like tea.'), sha256: `hash of ${text}` },
  ])
})

test('[K3] ranks a correction first, and once, if the question asks for it', () => {
  const own: EvidenceItem = { ...passage('Ada lives in Dover.', 0.1), kind: 'fact', source: fix }
  const result = best(
    applyCorrections([passage('Boats.', 9), own], [correction({ isAsked: true }), correction()], QUERY, hash),
  )
  expect(result.map(({ text }) => text)).toEqual(['Ada lives in Dover.', 'Boats.'])
})

const fix = { id: 'src_fix' as SourceId, title: 'Correction' }

test.each<[string, string, string, string]>([
  ['a partly quoted sentence', 'I live in Kent', 'I live in Kent, by the sea. Yes.', '[corrected] Yes.'],
  ['the last sentence', 'I live in Kent', 'Yes. I live in Kent by the sea', 'Yes. [corrected]'],
  ['a line', 'I live in Kent', 'I live in Kent\nYes.', '[corrected]\nYes.'],
  ['each occurrence', 'No.', 'No. No. Yes.', '[corrected] [corrected] Yes.'],
])('[K3] replaces %s by a mark in a citation, and removes it from evidence', (_, quote, text, cited) => {
  const corrections = [correction(correcting(quote))]
  expect(replaceCorrected(passage(text), corrections)).toBe(cited)
  const result = applyCorrections([passage(text)], corrections, QUERY, hash)
  expect(result.map((item) => item.text)).toContain(text.startsWith('Yes') ? 'Yes.' : cited.slice(-4))
})

const correctionFrom = (id: string, text: string, predicate: string, quote: string) => {
  const { fact } = correction()
  const source = { id: id as SourceId, title: 'Correction' }
  return correction({ ...(fact && { fact: { ...fact, text, predicate, source } }), ...correcting(quote) })
}

test('[K3] ranks the correction that the question asks for above others of the same passage', () => {
  const corrections = [
    correctionFrom('src_home', 'Ada lives in Dover.', 'lives_in', 'Ada lives in Kent.'),
    correctionFrom('src_job', 'He is a diver.', 'works_as', 'Ada works as a welder.'),
    correctionFrom('src_boat', 'The boat is Freya.', 'owns', 'Ada has a boat.'),
  ]
  const text = 'Ada lives in Kent. Ada works as a welder. Ada has a boat. Ada likes tea.'
  const first = (query: string) => best(applyCorrections([passage(text)], corrections, query, hash))[0]?.text
  expect(first('What do you work as? Job, profession: works as.')).toBe('He is a diver.')
  expect(first('Where do you live?')).toBe('Ada lives in Dover.')
})

test('[K3] keeps the same words in another source', () => {
  const found = [passage('I live in Kent.')]
  expect(
    applyCorrections(found, [correction(correcting('I live in Kent.', 'src_other'))], QUERY, hash),
  ).toEqual(found)
})

test('[K3] drops a passage that only contained words corrected by a replaced fact', () => {
  const { fact: _, ...replaced } = correction(correcting('I live in Kent.'))
  expect(applyCorrections([passage('I live in Kent.')], [replaced], QUERY, hash)).toEqual([])
})

test('[K3] no passage contains corrected words', () => {
  const sentence = fc.stringMatching(/^[A-Z][a-z ]{2,20}[a-z]\.$/)
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 6 }), fc.nat(), (sentences, at) => {
      const wrong = sentences[at % sentences.length] ?? ''
      const result = applyCorrections(
        [passage(sentences.join(' '))],
        [correction(correcting(wrong))],
        QUERY,
        hash,
      )
      const passages = result.filter(({ kind }) => kind === 'chunk').map(({ text }) => text)
      expect(passages.join('\n')).not.toContain(wrong)
    }),
  )
})
