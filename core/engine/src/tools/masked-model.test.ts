import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ModelEvent, ModelRequest } from '../ports/model.ts'
import { createScriptedModel } from '../testing/fakes.ts'
import { maskModel } from './mask-secrets.ts'

const request: ModelRequest = { system: '', messages: [], tools: [], maxTokens: 100 }
const usage = { inputTokens: 1, outputTokens: 1 }
const text = (said: string): ModelEvent => ({ type: 'text', text: said })
const reasoning = (said: string): ModelEvent => ({ type: 'reasoning', text: said })
const finish = (reason: 'completed' | 'max_tokens'): ModelEvent => ({ type: 'finish', reason, usage })
const call = { id: 'call-1' as CallId, name: 'look', input: { at: 'tides' } }

const secrets = () => [{ name: 'TIDES', value: 'made-up-tides-key' }]

async function shownOf(events: readonly ModelEvent[]): Promise<readonly ModelEvent[]> {
  const model = maskModel(createScriptedModel([events]), secrets)
  const shown: ModelEvent[] = []
  for await (const event of model.stream(request, new AbortController().signal)) shown.push(event)
  return shown
}

test.each<[string, readonly ModelEvent[], readonly ModelEvent[]]>([
  ['what holds no secret', [text('Hello'), finish('completed')], [text('Hello'), finish('completed')]],
  [
    'an empty piece, which says that it goes on',
    [text(''), finish('completed')],
    [text(''), finish('completed')],
  ],
  [
    'what may be the beginning of a secret, once it is known to be none',
    [text('made-up-'), reasoning('Hm.'), finish('completed')],
    [text('made-up-'), reasoning('Hm.'), finish('completed')],
  ],
  [
    'the end of an answer, which is its own, where it is completed',
    [text('made-up-tides'), finish('completed')],
    [text('made-up-tides'), finish('completed')],
  ],
  [
    'most of a secret, masked, where the answer is broken off',
    [text('made-up-tides'), finish('max_tokens')],
    [text('[secret TIDES]'), finish('max_tokens')],
  ],
  ['an answer without a word', [finish('completed')], [finish('completed')]],
])('[S13] a model shows %s', async (_, said, expected) => {
  expect(await shownOf(said)).toEqual(expected)
})

test('[S13] a call that holds no secret is handed on as it came', async () => {
  const event: ModelEvent = { type: 'tool_call', call }
  const [shown] = await shownOf([event, finish('completed')])
  expect(shown).toBe(event)
})
