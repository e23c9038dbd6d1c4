import type { Dossier, FactId } from '@parley/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSupported } from './is-supported.ts'

const LINES = [
  'Ada Winter is a bookbinder.',
  'Ada Winter was born in Bergen in 1961.',
  'Ada Winter lives in Oslo.',
  'Ada Winter does not like coffee.',
  'Ada Winter likes tea.',
  'Ada Winter taught Ida Holm.',
  'Ada Winter owns 5% of Acme.',
  'Ida Holm makes fiddles.',
  "Ada Winter's sister works at Shell.",
]
const dossier: Pick<Dossier, 'displayName' | 'lines'> = {
  displayName: 'Ada Winter',
  lines: LINES.map((text, index) => ({ section: 'else', text, factIds: [factId(index)] })),
}
function factId(index: number): FactId {
  return `fct_${index}` as FactId
}
const says = (text: string, ...lines: number[]) =>
  isSupported({ text, factIds: lines.map((line) => factId(line)) }, dossier)

describe('[P10] a sentence of a model is supported if it', () => {
  test.each<[string, ...number[]]>([
    ['Ada Winter is a bookbinder.', 0],
    ['Ada Winter is a bookbinder who was born in Bergen in 1961 and lives in Oslo.', 0, 1, 2],
    ['Ada lives in Oslo; Ada was born in Bergen in 1961.', 1, 2],
    ['They likes tea and they does not like coffee.', 3, 4],
    ['Ida Holm makes fiddles, and Ada lives in Oslo.', 2, 7],
    ['Ada Winter, who lives in Oslo, taught Ida Holm and likes tea.', 2, 4, 5],
    ["Ada Winter lives in Oslo, and Ada Winter's sister works at Shell.", 2, 8],
  ])('“%s”', (text, ...lines) => {
    expect(says(text, ...lines)).toBe(true)
  })
})

describe('[P10] a sentence of a model is not supported if it', () => {
  test.each<[string, string, ...number[]]>([
    ['adds a word', 'Ada Winter is a famous bookbinder.', 0],
    ['uses a word of a line that it does not cite', 'Ada Winter is a bookbinder in Oslo.', 0],
    ['changes a number', 'Ada Winter was born in Bergen in 1962.', 1],
    ['drops a negation', 'Ada Winter like coffee.', 3],
    ['drops part of a line', 'Ada Winter was born in Bergen.', 1],
    ['moves a negation', 'Ada Winter does not likes tea, Ada like coffee.', 3, 4],
    ['shares one verb between two lines', 'Ada Winter likes tea, does not coffee.', 3, 4],
    ['drops a mark with a meaning', 'Ada Winter owns 5 of Acme.', 6],
    ['gives one person another’s fact', 'Ada Winter makes fiddles.', 7],
    ['gives one person another’s fact, in the middle', 'Ada Winter taught and makes fiddles Ida Holm.', 5, 7],
    ['gives another person the creator’s fact', 'Ida Holm makes fiddles and lives in Oslo.', 2, 7],
    [
      'gives another person the creator’s fact, at the end',
      'Ida Holm makes fiddles and they likes tea.',
      4,
      7,
    ],
    ['is about the person named last', 'Ada Winter taught Ida Holm, who lives in Oslo.', 2, 5],
    ['is about a sister', "Ada Winter's sister works at Shell and lives in Oslo.", 2, 8],
    ['moves a name that is not at the start of a line', 'Ada Winter Ida Holm taught.', 5],
    ['mixes two lines', 'Ada Winter lives and was born in 1961 in Oslo in Bergen.', 1, 2],
    ['reverses a line', 'Ida Holm taught Ada Winter, the Holm.', 5],
    ['changes the time', 'Ada Winter was a bookbinder.', 0],
    ['cites an unknown fact', 'Ada Winter is a bookbinder.', 0, 99],
    ['cites a line that it does not use', 'Ada Winter is a bookbinder.', 0, 4],
    ['cites nothing', 'Ada Winter.'],
    ['contains a variable', 'Ada Winter is a {{secret__x}} bookbinder.', 0],
    ['has more than one line', 'Ada Winter is\na bookbinder.', 0],
    ['has a link', 'Ada Winter is a <a>bookbinder</a>.', 0],
  ])('%s', (_, text, ...lines) => {
    expect(says(text, ...lines)).toBe(false)
  })

  test('has an additional word, in any place', () => {
    const word = fc.stringMatching(/^[a-z0-9]{2,12}$/).filter((made) => !KNOWN.has(made))
    fc.assert(
      fc.property(word, fc.nat(4), (made, at) => {
        const words = 'Ada Winter is a bookbinder'.split(' ')
        expect(says(`${words.toSpliced(at + 1, 0, made).join(' ')}.`, 0)).toBe(false)
      }),
    )
  })
})

const KNOWN = new Set(
  'a an the and who whose which that they their them also both ada winter is bookbinder'.split(' '),
)
