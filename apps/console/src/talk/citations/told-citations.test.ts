import type { AnswerPart } from '@parley/api-client'
import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toldEvidence } from './told-citations.ts'

const looked = (text: string): AnswerPart => ({
  kind: 'tool',
  call: { id: 'c' as CallId, name: 'retrieve-context', input: { query: 'Where?' } },
  outcome: { kind: 'ok', text },
})
const told = (...sources: readonly unknown[]) =>
  JSON.stringify({ evidence: sources.map((source) => ({ text: 'x', source })) })

test.each<[string, readonly AnswerPart[], readonly string[]]>([
  ['each piece with its title', [looked(told('Letter', 'Diary'))], ['Letter', 'Diary']],
  ['nothing where nothing was found', [looked(told())], []],
  [
    'nothing where the result is not ours',
    [looked('no JSON'), looked('{"evidence":1}'), looked(told(3))],
    [],
  ],
  ['nothing of what was only said', [{ kind: 'text', text: told('Letter') }], []],
])('%s', (_, parts, titles) => {
  expect(toldEvidence({ parts })).toEqual(titles.map((title) => ({ text: 'x', source: { title } })))
})
