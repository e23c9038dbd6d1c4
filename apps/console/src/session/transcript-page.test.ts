import type { TranscriptTurn } from '@parley/api-client'
import type { CallId, SessionMessage } from '@parley/contracts'
import { expect, test } from 'vitest'
import { findInTurns } from './transcript-page.tsx'

const turn = (key: number, asked: string, ...parts: TranscriptTurn['parts']): TranscriptTurn => ({
  key,
  question: { content: [{ type: 'text', text: asked }] } as unknown as SessionMessage,
  parts,
  state: 'completed',
})

const call = { id: 'c1' as CallId, name: 'read_file', input: { path: 'Letters/Oslo.md' } }
const TURNS = [
  turn(1, 'Where is Kyōto?', { kind: 'text', text: 'In Japan.' }),
  turn(3, 'Read it', { kind: 'tool', call, outcome: { kind: 'ok', text: 'Dear Runa' } }),
  turn(5, 'Why?', { kind: 'reasoning', text: 'They ask for Japan.' }),
]

test.each<[string, readonly number[]]>([
  ['kyōto', [1]],
  ['JAPAN', [1, 5]],
  ['oslo', [3]],
  ['runa', [3]],
  [' ', []],
  ['nowhere', []],
])('%j is found in the turns %j', (words, keys) => {
  expect(findInTurns(TURNS, words).map(({ key }) => key)).toEqual(keys)
})
