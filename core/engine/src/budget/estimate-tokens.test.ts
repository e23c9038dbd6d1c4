import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ContentPart, ModelRequest } from '../ports/model.ts'
import {
  estimateOverheadTokens,
  estimateMessageTokens,
  estimateMessagesTokens,
  estimateRequestTokens,
  estimateTextTokens,
} from './estimate-tokens.ts'

test.each<[string, string, number]>([
  ['nothing', '', 0],
  ['three characters of ASCII', 'abc', 1],
  ['four characters of ASCII', 'abcd', 2],
  ['the last character of ASCII', '\x7f\x7f\x7f', 1],
  ['the first after it', '\x80\x80\x80', 4],
  ['ten characters of another script', '語'.repeat(10), 13],
  ['both', 'abc語語', 4],
  ['another script at the very beginning', '語bc', 2],
])('[S8] the token count of a text depends on its script: %s', (_, text, expected) => {
  expect(estimateTextTokens(text)).toBe(expected)
})

const call = { id: 'c' as CallId, name: 'look', input: {} }
const words = 'x'.repeat(30)

test.each<[string, readonly ContentPart[], number]>([
  ['nothing', [], 8],
  ['words', [{ type: 'text', text: words }], 18],
  [
    'words twice',
    [
      { type: 'text', text: words },
      { type: 'reasoning', text: words },
    ],
    28,
  ],
  ['a call', [{ type: 'tool_call', call }], 8 + 8 + estimateTextTokens(JSON.stringify(call))],
  ['a result', [{ type: 'tool_result', callId: call.id, outcome: { kind: 'ok', text: words } }], 8 + 8 + 10],
  ['a picture', [{ type: 'media' } as ContentPart], 2_008],
])('[S8] a message counts with its overhead: %s', (_, content, expected) => {
  expect(estimateMessageTokens({ content })).toBe(expected)
  expect(estimateMessageTokens({ content })).toBe(expected)
  expect(estimateMessagesTokens([{ content }, { content }])).toBe(2 * expected)
})

test('[S8] a message is counted once', () => {
  let looks = 0
  const part = {
    type: 'text',
    get text() {
      looks += 1
      return words
    },
  } as const
  const content = [part]
  estimateMessageTokens({ content })
  estimateMessageTokens({ content })
  expect(looks).toBe(1)
})

test('[S8] a request counts as its prompt, its tools and its messages', () => {
  const tool = { name: 'look', description: '', inputSchema: {} }
  const messages = [{ role: 'user', content: [{ type: 'text', text: words }] }] as const
  const request = { system: words, tools: [tool, tool], messages } as unknown as ModelRequest
  expect(estimateOverheadTokens({ system: words, tools: [] })).toBe(18)
  expect(estimateOverheadTokens(request)).toBe(18 + 2 * estimateTextTokens(JSON.stringify(tool)))
  expect(estimateRequestTokens(request)).toBe(estimateOverheadTokens(request) + 18)
})
