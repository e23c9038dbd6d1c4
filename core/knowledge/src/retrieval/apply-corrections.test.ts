import type { EvidenceItem, SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AppliedCorrection, applyCorrections, withoutCorrected } from './apply-corrections.ts'

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

const struck = (quote: string, sourceId = 'src_notes') => ({ struck: { sourceId, quote } })
const QUERY = 'Tell me.'
const hash = (text: string) => `hash of ${text}`
const best = (items: readonly EvidenceItem[]) => items.toSorted((a, b) => b.score - a.score)

test('[K3] corrected words are struck out of a passage, and the correction stands above it', () => {
  const text = 'I am Ada. I live in Kent. I like tea.'
  const told = best(applyCorrections([passage(text)], [correction(struck('I live in Kent.'))], QUERY, hash))
  expect(told).toEqual([
    expect.objectContaining({ text: 'Ada lives in Dover.', corrects: ['Ada lives in'], kind: 'fact' }),
    { ...passage('I am Ada. I like tea.'), sha256: `hash of ${text}` },
  ])
})

test('[K3] a correction that the question asks for stands above all, once', () => {
  const own: EvidenceItem = { ...passage('Ada lives in Dover.', 0.1), kind: 'fact', source: fix }
  const told = best(
    applyCorrections([passage('Boats.', 9), own], [correction({ isAsked: true }), correction()], QUERY, hash),
  )
  expect(told.map(({ text }) => text)).toEqual(['Ada lives in Dover.', 'Boats.'])
})

const fix = { id: 'src_fix' as SourceId, title: 'Correction' }

test.each<[string, string, string, string]>([
  [
    'a sentence that was quoted in part',
    'I live in Kent',
    'I live in Kent, by the sea. Yes.',
    '[corrected] Yes.',
  ],
  ['the last sentence', 'I live in Kent', 'Yes. I live in Kent by the sea', 'Yes. [corrected]'],
  ['a line', 'I live in Kent', 'I live in Kent\nYes.', '[corrected]\nYes.'],
  ['each place', 'No.', 'No. No. Yes.', '[corrected] [corrected] Yes.'],
])(
  '[K3] %s is struck out, with a mark in a citation and without one in evidence',
  (_, quote, text, cited) => {
    const corrections = [correction(struck(quote))]
    expect(withoutCorrected(passage(text), corrections)).toBe(cited)
    const told = applyCorrections([passage(text)], corrections, QUERY, hash)
    expect(told.map((item) => item.text)).toContain(text.startsWith('Yes') ? 'Yes.' : cited.slice(-4))
  },
)

const of = (id: string, text: string, predicate: string, quote: string) => {
  const { fact } = correction()
  const source = { id: id as SourceId, title: 'Correction' }
  return correction({ ...(fact && { fact: { ...fact, text, predicate, source } }), ...struck(quote) })
}

test('[K3] the correction of what a question names comes before those of other facts in the same passage', () => {
  const corrections = [
    of('src_home', 'Ada lives in Dover.', 'lives_in', 'Ada lives in Kent.'),
    of('src_job', 'He is a diver.', 'works_as', 'Ada works as a welder.'),
    of('src_boat', 'The boat is Freya.', 'owns', 'Ada has a boat.'),
  ]
  const text = 'Ada lives in Kent. Ada works as a welder. Ada has a boat. Ada likes tea.'
  const first = (query: string) => best(applyCorrections([passage(text)], corrections, query, hash))[0]?.text
  expect(first('What do you work as? Job, profession: works as.')).toBe('He is a diver.')
  expect(first('Where do you live?')).toBe('Ada lives in Dover.')
})

test('[K3] the same words of another source stay, and so does a passage that has none', () => {
  const found = [passage('I live in Kent.')]
  expect(applyCorrections(found, [correction(struck('I live in Kent.', 'src_other'))], QUERY, hash)).toEqual(
    found,
  )
})

test('[K3] where another fact took the place of a correction, a passage with nothing else is not told', () => {
  const { fact: _, ...gone } = correction(struck('I live in Kent.'))
  expect(applyCorrections([passage('I live in Kent.')], [gone], QUERY, hash)).toEqual([])
})

test('[K3] whatever is corrected, no passage tells it', () => {
  const sentence = fc.stringMatching(/^[A-Z][a-z ]{2,20}[a-z]\.$/)
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 6 }), fc.nat(), (sentences, at) => {
      const wrong = sentences[at % sentences.length] ?? ''
      const told = applyCorrections([passage(sentences.join(' '))], [correction(struck(wrong))], QUERY, hash)
      const passages = told.filter(({ kind }) => kind === 'chunk').map(({ text }) => text)
      expect(passages.join('\n')).not.toContain(wrong)
    }),
  )
})
