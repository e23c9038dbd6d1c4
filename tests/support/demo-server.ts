import { setTimeout as pause } from 'node:timers/promises'
import { createApiClient } from '@parley/api-client'
import type { Reflection } from '@parley/contracts'
import { startParley, temporaryHome } from './running-parley.ts'

const LONGEST_MS = 600_000
const LOOK_EVERY_MS = 250

/** A Parley as a newcomer has it: with the demo, once all of it is learned and speaks. */
export async function startDemo() {
  const place = await temporaryHome()
  const parley = await startParley(place.home, { demo: true })
  const { url, token } = parley.ready
  const client = createApiClient({ baseUrl: url, token })
  const stop = async () => {
    await parley.stop('SIGINT')
    await place.remove()
  }
  try {
    return { parley, client, reflection: await learnedDemo(client), stop }
  } catch (failure) {
    await stop()
    throw failure
  }
}

/** The demo's reflection, once all of it is learned and speaks. */
export async function learnedDemo({ reflections }: ReturnType<typeof createApiClient>): Promise<Reflection> {
  const until = Date.now() + LONGEST_MS
  while (Date.now() < until) {
    const [demo] = (await reflections.list({ limit: 1 })).items
    if (demo) {
      const { items } = await reflections.sources({ reflectionId: demo.id, limit: 100 })
      const failed = items.find(({ state }) => state === 'failed')
      if (failed) throw new Error(`${failed.title} was not learned: ${failed.problem}`)
      const isLearned = items.length > 10 && items.every(({ state }) => state === 'completed')
      const surfaces = isLearned ? (await reflections.syncStatus(demo.id)).items : []
      const packs = surfaces.map(({ packKind }) => packKind)
      if (packs.includes('private_standard') && packs.includes('public_standard')) return demo
    }
    await pause(LOOK_EVERY_MS)
  }
  throw new Error('The demo was not learned in time.')
}
