import { setTimeout as pause } from 'node:timers/promises'
import { createApiClient } from '@parley/api-client'
import type { Reflection } from '@parley/contracts'
import { startParley, createTemporaryHome } from './running-parley.ts'

const LONGEST_MS = 600_000
const POLL_MS = 250

/** Starts `parley up` with the demo and waits until it is imported and can speak. */
export async function startDemo() {
  const temporary = await createTemporaryHome()
  const parley = await startParley(temporary.home, { demo: true })
  const { url, token } = parley.ready
  const client = createApiClient({ baseUrl: url, token })
  const stop = async () => {
    await parley.stop('SIGINT')
    await temporary.remove()
  }
  try {
    return { parley, client, reflection: await waitForDemo(client), stop }
  } catch (failure) {
    await stop()
    throw failure
  }
}

/** Waits until the demo is imported and its agents are ready. */
export async function waitForDemo({ reflections }: ReturnType<typeof createApiClient>): Promise<Reflection> {
  const until = Date.now() + LONGEST_MS
  while (Date.now() < until) {
    const [demo] = (await reflections.list({ limit: 1 })).items
    if (demo) {
      const { items } = await reflections.sources({ reflectionId: demo.id, limit: 100 })
      const failed = items.find(({ state }) => state === 'failed')
      if (failed) throw new Error(`${failed.title} was not imported: ${failed.problem}`)
      const isImported = items.length > 10 && items.every(({ state }) => state === 'completed')
      const surfaces = isImported ? (await reflections.syncStatus(demo.id)).items : []
      const packs = surfaces.map(({ packKind }) => packKind)
      if (packs.includes('private_standard') && packs.includes('public_standard')) return demo
    }
    await pause(POLL_MS)
  }
  throw new Error('The demo was not imported in time.')
}
