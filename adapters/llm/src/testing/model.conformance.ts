import { describe, expect, test } from 'vitest'
import type { ModelEvent, ModelPort, ModelRequest } from '@parley/engine'

export const QUESTION: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello!' }] }],
  tools: [],
  maxTokens: 1_000,
}

/** All events of a model's answer to a request. */
export async function collectEvents(
  model: ModelPort,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream({ ...QUESTION, ...request }, signal)) events.push(event)
  return events
}

/** The contract of every model. `open` returns a model that answers the question with several words. */
export function describeModel(name: string, open: () => Promise<ModelPort>) {
  describe(`[S11] ModelPort: ${name}`, () => {
    test('has a provider and an id', async () => {
      const model = await open()
      expect(model.provider).not.toBe('')
      expect(model.modelId).not.toBe('')
    })

    test('streams text, ends once, and reports its usage', async () => {
      const events = await collectEvents(await open())
      const words = events.filter(({ type }) => type === 'text')
      expect(words.length).toBeGreaterThan(1)
      expect(events.slice(0, -1)).toEqual(words)
      const end = events.at(-1)
      if (end?.type !== 'finish') throw new Error(`the last event is ${JSON.stringify(end)}`)
      expect(end.reason).toBe('completed')
      expect(end.usage?.inputTokens).toBeGreaterThan(0)
      expect(end.usage?.outputTokens).toBeGreaterThan(0)
    })

    test('answers two parallel requests in full', async () => {
      const model = await open()
      const [one, other] = await Promise.all([collectEvents(model), collectEvents(model)])
      expect(one).toEqual(other)
    })

    test('answers messages in any order', async () => {
      const messages = [
        { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: [{ type: 'text', text: '' }] },
        { role: 'user', content: [{ type: 'text', text: 'Hello!' }] },
      ] as const
      expect((await collectEvents(await open(), { messages })).at(-1)).toMatchObject({ type: 'finish' })
    })

    test('stops when aborted, and emits nothing if aborted before', async () => {
      const model = await open()
      const abort = new AbortController()
      const events: ModelEvent[] = []
      for await (const event of model.stream(QUESTION, abort.signal)) {
        events.push(event)
        abort.abort()
      }
      expect(events).toHaveLength(1)
      expect(await collectEvents(model, {}, abort.signal)).toEqual([])
    })

    test('allows its consumer to stop early', async () => {
      for await (const event of (await open()).stream(QUESTION, new AbortController().signal)) {
        expect(event.type).toBe('text')
        break
      }
    })
  })
}
