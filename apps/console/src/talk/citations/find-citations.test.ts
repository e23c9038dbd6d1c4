import { describe, expect, test } from 'vitest'
import { splitUsedResults, type EvidenceText, findSupportingWords } from './find-citations.ts'

const createEvidence = (title: string, text: string, quote?: string): EvidenceText => ({
  text,
  quote,
  source: { title },
})
const LANGUAGES = createEvidence(
  'Curriculum vitae',
  'Languages. Norwegian, Portuguese and English. Posts. Harbour pilot, 1998.',
)
const CHAT = createEvidence(
  'WhatsApp with Ida',
  'Ida: can you speak English at dinner? Edda: of course, my dear',
)
const TREE = createEvidence(
  'Garden notes',
  'Ada Winter planted a pear tree.',
  'The pear tree was planted by Runa in 1998.',
)
const KENT = createEvidence('Garden notes', 'Ada Winter lives in Kent.')
const LETTER = createEvidence('Letter to Ida', 'Father ran the boatyard in Bergen, and we were always cold.')
const DIARY = createEvidence('Diary', 'We moved to Lisbon in 1987, all four of us.')

describe('[K5] an answer cites the results that support it', () => {
  test.each<[string, string, readonly EvidenceText[], readonly EvidenceText[]]>([
    [
      'and no other results',
      'I speak Norwegian, Portuguese and English. That is from the Curriculum vitae.',
      [LANGUAGES, CHAT],
      [LANGUAGES],
    ],
    ['the same words in other forms', 'I live in Kent.', [TREE, KENT], [KENT]],
    ['by its quote', 'My sister Runa planted the pear tree in 1998.', [TREE, KENT], [TREE]],
    [
      'by several, each for its part',
      'My father had a boatyard in Bergen before the family moved to Lisbon in 1987.',
      [DIARY, CHAT, LETTER],
      [DIARY, LETTER],
    ],
    [
      'by the one that it names, where others say it as well',
      'I live in Kent. That is from Almanac.',
      [KENT, createEvidence('Almanac', 'Those who live in Kent: Ada Winter.')],
      [createEvidence('Almanac', 'Those who live in Kent: Ada Winter.')],
    ],
    [
      'by its name alone, in another language',
      'Ich spreche Norwegisch (Curriculum vitae).',
      [LANGUAGES, CHAT],
      [LANGUAGES],
    ],
    ['in one word', 'Runa.', [TREE, KENT], [TREE]],
    ['an answer without results cites nothing', 'I find nothing about that in my sources.', [LANGUAGES], []],
    [
      'an alternative offer cites nothing',
      'I find nothing about that in my sources. I could tell you instead about my life in Kent.',
      [KENT],
      [],
    ],
    [
      'nor by a source that is named for not saying it',
      'I find nothing about that in the Diary.',
      [DIARY],
      [],
    ],
    ['nor is small talk', 'You are welcome. I am still here. Ask me whenever you like.', [KENT, CHAT], []],
    ['a question cites nothing', 'Would you like to hear of the boatyard in Bergen?', [LETTER], []],
    ['a fact from the summary cites nothing', 'I live in Kent. That is from my dossier.', [KENT], []],
    ['one shared word is not enough', 'I never learned to swim in English rivers.', [CHAT, LANGUAGES], []],
    ['the name of the person is not enough', 'Ada Winter was knighted.', [KENT, TREE], []],
    ['and nothing from nothing', '', [KENT], []],
  ])('%s', (_, answer, items, used) => {
    const result = splitUsedResults(answer, items, 'Ada Winter')
    expect(result.used).toEqual(used)
    expect([...result.used, ...result.unused].toSorted(toTexts)).toEqual([...items].toSorted(toTexts))
  })
})

const toTexts = (one: EvidenceText, other: EvidenceText) => one.text.localeCompare(other.text)

describe('[K5] the sentence of a long passage that supports the answer is marked', () => {
  const passage =
    'Ada Winter writes often.\n\n- The boat is green.\n- She grows pears.\nFather ran the boatyard in Bergen for years. It was cold.'

  test.each<[string, string, string | undefined]>([
    [
      'the one that says most of it',
      'My father ran a boatyard in Bergen.',
      'Father ran the boatyard in Bergen for years.',
    ],
    ['another for another answer', 'The boat was green, I think.', '- The boat is green.'],
    ['none for the name alone', 'I am Ada Winter.', undefined],
    ['none if no sentence matches', 'I live in Kent.', undefined],
    ['none for no answer', '', undefined],
  ])('%s', (_, answer, expected) => {
    const words = findSupportingWords(answer, passage, 'Ada Winter')
    expect(words && passage.slice(words.start, words.end)).toBe(expected)
  })
})
