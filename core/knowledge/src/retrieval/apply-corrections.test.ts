import type { EvidenceItem, SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AppliedCorrection, applyCorrections, STRUCK } from './apply-corrections.ts'

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
const hash = (text: string) => `hash of ${text}`
const best = (items: readonly EvidenceItem[]) => items.toSorted((a, b) => b.score - a.score)

test('[K3] corrected words are struck out of a passage, and the correction stands above it', () => {
  const text = 'I am Ada. I live in Kent. I like tea.'
  const told = best(applyCorrections([passage(text)], [correction(struck('I live in Kent.'))], hash))
  expect(told).toEqual([
    expect.objectContaining({ text: 'Ada lives in Dover.', corrects: 'Ada lives in', kind: 'fact' }),
    { ...passage(`I am Ada. ${STRUCK} I like tea.`), sha256: `hash of ${text}` },
  ])
})

test('[K3] a correction that the question asks for stands above all, once', () => {
  const own: EvidenceItem = { ...passage('Ada lives in Dover.', 0.1), kind: 'fact', source: fix }
  const told = best(
    applyCorrections([passage('Boats.', 9), own], [correction({ isAsked: true }), correction()], hash),
  )
  expect(told.map(({ text }) => text)).toEqual(['Ada lives in Dover.', 'Boats.'])
})

const fix = { id: 'src_fix' as SourceId, title: 'Correction' }

test.each<[string, string, string, string]>([
  [
    'a sentence that was quoted in part',
    'I live in Kent',
    'I live in Kent, by the sea. Yes.',
    `${STRUCK} Yes.`,
  ],
  ['the last sentence', 'I live in Kent', 'Yes. I live in Kent by the sea', `Yes. ${STRUCK}`],
  ['a line', 'I live in Kent', 'I live in Kent\nYes.', `${STRUCK}\nYes.`],
  ['each place', 'No.', 'No. No. Yes.', `${STRUCK} ${STRUCK} Yes.`],
])('[K3] %s is struck out', (_, quote, text, expected) => {
  const told = applyCorrections([passage(text)], [correction(struck(quote))], hash)
  expect(told.map((item) => item.text)).toContain(expected)
})

test('[K3] the same words of another source stay, and so does a passage that has none', () => {
  const found = [passage('I live in Kent.')]
  expect(applyCorrections(found, [correction(struck('I live in Kent.', 'src_other'))], hash)).toEqual(found)
})

test('[K3] where another fact took the place of a correction, what it corrected stays struck out', () => {
  const { fact: _, ...gone } = correction(struck('I live in Kent.'))
  expect(applyCorrections([passage('I live in Kent.')], [gone], hash)).toMatchObject([{ text: STRUCK }])
})

test('[K3] whatever is corrected, no passage tells it', () => {
  const sentence = fc.stringMatching(/^[A-Z][a-z ]{2,20}[a-z]\.$/)
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 6 }), fc.nat(), (sentences, at) => {
      const wrong = sentences[at % sentences.length] ?? ''
      const told = applyCorrections([passage(sentences.join(' '))], [correction(struck(wrong))], hash)
      const passages = told.filter(({ kind }) => kind === 'chunk').map(({ text }) => text)
      expect(passages.join('\n')).not.toContain(wrong)
    }),
  )
})
