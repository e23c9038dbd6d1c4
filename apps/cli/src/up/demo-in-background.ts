import type { createLogger } from '../log/create-logger.ts'
import type { ApiClient } from '@parley/api-client'
import { giveDemo } from './give-demo.ts'

interface DemoHost {
  readonly client: ApiClient
  readonly home: string
  readonly say: (line: string) => void
  readonly logger: ReturnType<typeof createLogger>
}

/** Nothing waits for the demo, and nothing fails with it. Returns what ends it. */
export function demoInBackground(host: DemoHost): () => Promise<void> {
  const stopping = new AbortController()
  const given = give(host, stopping.signal)
  return async () => {
    stopping.abort()
    await given
  }
}

async function give({ client, home, say, logger }: DemoHost, signal: AbortSignal): Promise<void> {
  try {
    const demo = await giveDemo(client, home, signal)
    if (!demo) return
    const { sources, facts, failed } = demo
    const but = failed > 0 ? `, ${failed} of them came to nothing` : ''
    say(`  ✓ demo: ${sources} sources, ${facts} facts${but}`)
  } catch (err) {
    if (!signal.aborted) logger.error({ err }, 'demo')
  }
}
