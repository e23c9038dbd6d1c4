import type { ModelEvent, ModelPort } from '../ports/model.ts'
import { createMaskedStream, maskIn, maskSecrets, type Secret } from './mask-secrets.ts'

/**
 * The same model without secrets, in both directions: it is given none, not even one that was said before it became
 * one, and none comes out in its text, reasoning, calls or failures. What is a secret is settled when a step begins.
 */
export const maskedModel = (model: ModelPort, secretsNow: () => readonly Secret[]): ModelPort => ({
  ...model,
  async *stream({ system, messages, ...request }, signal) {
    const secrets = secretsNow()
    const mask = (text: string) => maskSecrets(text, secrets)
    const masked = { ...request, system: mask(system), messages: maskIn(messages, mask) }
    const spoken = createMaskedStream(secrets)
    let part: 'text' | 'reasoning' | undefined
    /** Of the part that is being said, and what is shown of it. */
    let original = ''
    let shown = ''

    const show = (text: string): readonly ModelEvent[] => {
      shown += text
      return part && text !== '' ? [{ type: part, text }] : []
    }

    const endPart = (): readonly ModelEvent[] => show(spoken.end())
    const breakOff = (): readonly ModelEvent[] => show(spoken.breakOff())

    for await (const event of model.stream(masked, signal)) {
      switch (event.type) {
        case 'text':
        case 'reasoning':
          if (part !== event.type) {
            yield* endPart()
            part = event.type
            original = ''
            shown = ''
          }
          original += event.text
          if (event.text === '') yield event
          else yield* show(spoken.push(event.text))
          break
        case 'proof':
          yield* endPart()
          // A signature does not fit what was masked: it still ends the part, and proves nothing.
          yield shown === original ? event : { ...event, proof: { ...event.proof, data: null } }
          part = undefined
          break
        case 'tool_call': {
          const call = maskIn(event.call, mask)
          yield call === event.call ? event : { type: 'tool_call', call }
          break
        }
        case 'finish':
        case 'retry':
        case 'failure':
          yield* event.type === 'finish' && event.reason === 'completed' ? endPart() : breakOff()
          yield maskIn(event, mask)
          break
        default:
          event satisfies never
      }
    }
    yield* breakOff()
  },
})
