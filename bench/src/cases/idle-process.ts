/** A process whose memory is measured: it is sent what to hold, holds it, and sends how many bytes it takes. */
import { setImmediate as settled } from 'node:timers/promises'
import { collectGarbage } from '../collect-garbage.ts'
import { openFloor, openOurs, type Place } from '../stores/place.ts'
import { scriptOf } from '../systems/script.ts'
import type { System } from '../systems/system.ts'

const SESSIONS = 1_000

export interface IdleJob {
  readonly place: Place
  readonly system: 'ours' | 'floor'
}

process.once('disconnect', () => process.exit())
process.once('message', (job: IdleJob) => void hold(job))

const held: unknown[] = []

async function hold(job: IdleJob): Promise<void> {
  const system = await systemOf(job)
  for (let opened = 0; opened < SESSIONS; opened += 1) {
    const session = await system.start()
    const reader = new AbortController()
    const listening = session.listen(reader.signal)
    await session.turn()
    held.push({ session, reader, listening })
  }
  await settled()
  collectGarbage()
  process.send?.(process.memoryUsage().rss)
}

/** Each system loads only what it needs itself. */
async function systemOf({ place, system }: IdleJob): Promise<System> {
  const script = scriptOf({ deltas: 20 })
  if (system === 'floor') {
    const { floorOn } = await import('../systems/floor.ts')
    return floorOn(await openFloor(place), script)
  }
  const { oursOn } = await import('../systems/ours.ts')
  return oursOn((await openOurs(place)).store, script)
}
