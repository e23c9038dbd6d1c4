import type { ModelEvent } from '@parley/engine'

/** The script of an answer that ends only when it is stopped. */
export async function* endless(): AsyncIterable<ModelEvent> {
  for (let count = 0; ; count += 1) {
    yield { type: 'text', text: `${count} ` }
    await new Promise(setImmediate)
  }
}
