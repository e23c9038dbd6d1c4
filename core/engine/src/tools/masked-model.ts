import type { ModelPort } from '../ports/model.ts'
import { maskIn } from './mask-secrets.ts'

/** The same model, which is given no secret, not even one that was said before it became one, and repeats none in its failures. */
export const maskedModel = (model: ModelPort, mask: (text: string) => string): ModelPort => ({
  ...model,
  async *stream({ system, messages, ...request }, signal) {
    const masked = { ...request, system: mask(system), messages: maskIn(messages, mask) }
    for await (const event of model.stream(masked, signal))
      yield 'error' in event ? maskIn(event, mask) : event
  },
})
