import { expect, test } from 'vitest'
import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import type { CallId, Citation, Json } from '@parley/contracts'
import { groupCitationsByTurn, listToolEvidence } from './typed-view.tsx'

const createSearchResult = (text: string): AnswerPart => ({
  kind: 'tool',
  call: { id: 'c' as CallId, name: 'retrieve-context', input: { query: 'Where?' } },
  outcome: { kind: 'ok', text },
})
const createToolOutput = (...sources: readonly unknown[]) =>
  JSON.stringify({ evidence: sources.map((source) => ({ text: 'x', source })) })

test.each<[string, readonly AnswerPart[], readonly string[]]>([
  [
    'each piece with its title',
    [createSearchResult(createToolOutput('Letter', 'Diary'))],
    ['Letter', 'Diary'],
  ],
  ['nothing if the search found nothing', [createSearchResult(createToolOutput())], []],
  [
    'nothing if the result has another format',
    [
      createSearchResult('no JSON'),
      createSearchResult('{"evidence":1}'),
      createSearchResult(createToolOutput(3)),
    ],
    [],
  ],
  ['nothing from plain text', [{ kind: 'text', text: createToolOutput('Letter') }], []],
])('%s', (_, parts, titles) => {
  expect(listToolEvidence({ parts })).toEqual(titles.map((title) => ({ text: 'x', source: { title } })))
})

const createSearch = (query: Json, name = 'retrieve-context'): AnswerPart => ({
  kind: 'tool',
  call: { id: 'c' as CallId, name, input: { query } },
})
const createText = (text: string): AnswerPart => ({ kind: 'text', text })
const turn = (key: number, ...parts: readonly AnswerPart[]): TranscriptTurn => ({
  key,
  parts,
  state: 'completed',
})
const citation = (number: number, query: string): Citation => ({
  number,
  query,
  at: '2026-01-01T00:00:00.000Z',
  evidence: [],
  gone: 0,
})

test.each<
  [string, readonly TranscriptTurn[], readonly Citation[], readonly (readonly [number, readonly number[]])[]]
>([
  [
    'a search belongs to its turn',
    [turn(1, createSearch('Where?'), createText('Here.'))],
    [citation(1, 'Where?')],
    [[1, [1]]],
  ],
  [
    'the same query twice is two searches',
    [turn(1, createSearch('Where?')), turn(4, createSearch('Where?'))],
    [citation(1, 'Where?'), citation(2, 'Where?')],
    [
      [1, [1]],
      [4, [2]],
    ],
  ],
  [
    'a search without citations takes none from another',
    [turn(1, createSearch('Lost?')), turn(4, createSearch('When?'))],
    [citation(1, 'When?')],
    [[4, [1]]],
  ],
  [
    'a turn may search twice',
    [turn(1, createSearch('a'), createSearch('b'))],
    [citation(1, 'a'), citation(2, 'b')],
    [[1, [1, 2]]],
  ],
  [
    'a provider spells the tool name differently',
    [turn(1, createSearch('a', 'retrieve_context'))],
    [citation(1, 'a')],
    [[1, [1]]],
  ],
  [
    'other calls and odd inputs find nothing',
    [turn(1, createSearch('a', 'read_file'), createSearch(3))],
    [citation(1, 'a')],
    [],
  ],
])('%s', (_, turns, citations, expected) => {
  const found = [...groupCitationsByTurn(turns, citations)]
  expect(found.map(([key, cited]) => [key, cited.map(({ number }) => number)])).toEqual(expected)
})
