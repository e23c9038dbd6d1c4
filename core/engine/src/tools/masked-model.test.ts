import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ModelEvent, ModelRequest } from '../ports/model.ts'
import { createScriptedModel } from '../testing/fakes.ts'
import { maskModel } from './mask-secrets.ts'

const request: ModelRequest = { system: '', messages: [], tools: [], maxTokens: 100 }
const usage = { inputTokens: 1, outputTokens: 1 }
const createText = (said: string): ModelEvent => ({ type: 'text', text: said })
const reasoning = (said: string): ModelEvent => ({ type: 'reasoning', text: said })
const createFinish = (reason: 'completed' | 'max_tokens'): ModelEvent => ({ type: 'finish', reason, usage })
const call = { id: 'call-1' as CallId, name: 'look', input: { at: 'tides' } }

const secrets = () => [{ name: 'TIDES', value: 'made-up-tides-key' }]

async function collectMasked(events: readonly ModelEvent[]): Promise<readonly ModelEvent[]> {
  const model = maskModel(createScriptedModel([events]), secrets)
  const shown: ModelEvent[] = []
  for await (const event of model.stream(request, new AbortController().signal)) shown.push(event)
  return shown
}

test.each<[string, readonly ModelEvent[], readonly ModelEvent[]]>([
  [
    'what holds no secret',
    [createText('Hello'), createFinish('completed')],
    [createText('Hello'), createFinish('completed')],
  ],
  [
    'an empty piece, which says that it goes on',
    [createText(''), createFinish('completed')],
    [createText(''), createFinish('completed')],
  ],
  [
    'what may be the beginning of a secret, once it is known to be none',
    [createText('made-up-'), reasoning('Hm.'), createFinish('completed')],
    [createText('made-up-'), reasoning('Hm.'), createFinish('completed')],
  ],
  [
    'the end of an answer, which is its own, where it is completed',
    [createText('made-up-tides'), createFinish('completed')],
    [createText('made-up-tides'), createFinish('completed')],
  ],
  [
    'most of a secret, masked, where the answer is broken off',
    [createText('made-up-tides'), createFinish('max_tokens')],
    [createText('[secret TIDES]'), createFinish('max_tokens')],
  ],
  ['an answer without a word', [createFinish('completed')], [createFinish('completed')]],
])('[S13] a model shows %s', async (_, said, expected) => {
  expect(await collectMasked(said)).toEqual(expected)
})

test('[S13] a call that holds no secret is handed on as it came', async () => {
  const event: ModelEvent = { type: 'tool_call', call }
  const [shown] = await collectMasked([event, createFinish('completed')])
  expect(shown).toBe(event)
})
