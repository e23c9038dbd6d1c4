import { setTimeout as pause } from 'node:timers/promises'
import type { ModelPort } from '@parley/engine'

const WORDS = 1_500
const EVERY_MS = 6

/** A model that streams for about ten seconds at a realistic speed, so that the benchmark can type meanwhile. */
export const slowModel: ModelPort = {
  provider: 'bench',
  modelId: 'slow',
  async *stream(_, signal) {
    for (let said = 0; said < WORDS && !signal.aborted; said += 1) {
      yield { type: 'text', text: said % 40 === 39 ? 'tide.\n\n' : 'tide, ' }
      await pause(EVERY_MS)
    }
    yield { type: 'finish', reason: 'completed', usage: { inputTokens: 100, outputTokens: WORDS } }
  },
}
