import { describe, expect, test } from 'vitest'
import type { ModelEvent, ModelPort, ModelRequest } from '@parley/engine'

export const QUESTION: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello!' }] }],
  tools: [],
  maxTokens: 1_000,
}

/** All that a model says to a request. */
export async function told(
  model: ModelPort,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream({ ...QUESTION, ...request }, signal)) events.push(event)
  return events
}

/** What every model keeps to, whoever runs it. `open` gives one that answers the question at length and in words. */
export function describeModel(name: string, open: () => Promise<ModelPort>) {
  describe(`[S11] ModelPort: ${name}`, () => {
    test('says who it is', async () => {
      const model = await open()
      expect(model.provider).not.toBe('')
      expect(model.modelId).not.toBe('')
    })

    test('speaks in text, ends once, and counts in whole tokens', async () => {
      const events = await told(await open())
      const words = events.filter(({ type }) => type === 'text')
      expect(words.length).toBeGreaterThan(1)
      expect(events.slice(0, -1)).toEqual(words)
      const end = events.at(-1)
      if (end?.type !== 'finish') throw new Error(`it ended with ${JSON.stringify(end)}`)
      expect(end.reason).toBe('completed')
      expect(end.usage?.inputTokens).toBeGreaterThan(0)
      expect(end.usage?.outputTokens).toBeGreaterThan(0)
    })

    test('answers two requests at once, each in full', async () => {
      const model = await open()
      const [one, other] = await Promise.all([told(model), told(model)])
      expect(one).toEqual(other)
    })

    test('answers messages in any order', async () => {
      const messages = [
        { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: [{ type: 'text', text: '' }] },
        { role: 'user', content: [{ type: 'text', text: 'Hello!' }] },
      ] as const
      expect((await told(await open(), { messages })).at(-1)).toMatchObject({ type: 'finish' })
    })

    test('falls silent when it is aborted, and says nothing where it was before', async () => {
      const model = await open()
      const abort = new AbortController()
      const events: ModelEvent[] = []
      for await (const event of model.stream(QUESTION, abort.signal)) {
        events.push(event)
        abort.abort()
      }
      expect(events).toHaveLength(1)
      expect(await told(model, {}, abort.signal)).toEqual([])
    })

    test('can be left in the midst', async () => {
      for await (const event of (await open()).stream(QUESTION, new AbortController().signal)) {
        expect(event.type).toBe('text')
        break
      }
    })
  })
}
