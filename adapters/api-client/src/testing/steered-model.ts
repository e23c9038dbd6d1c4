import type { ModelEvent, ModelPort } from '@parley/engine'

export interface SteeredModel extends ModelPort {
  /** Emits events of the running answer. */
  say(...events: readonly ModelEvent[]): void
  /** Ends the running answer. */
  finish(): void
}

const FINISH: ModelEvent = {
  type: 'finish',
  reason: 'completed',
  usage: { inputTokens: 1, outputTokens: 1 },
}

/** A model whose output a test controls step by step. */
export function createSteeredModel(modelId = 'steered'): SteeredModel {
  const waiting: ModelEvent[] = []
  let wake: (() => void) | undefined
  return {
    provider: 'test',
    modelId,
    say(...events) {
      waiting.push(...events)
      wake?.()
    },
    finish() {
      waiting.push(FINISH)
      wake?.()
    },
    async *stream(_, signal) {
      for (;;) {
        if (signal.aborted) return
        const event = waiting.shift()
        if (event) yield event
        if (event?.type === 'finish' || event?.type === 'failure') return
        if (waiting.length > 0) continue
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
  }
}
