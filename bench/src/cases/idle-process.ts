/** A process whose memory is measured: it gets a job, opens the sessions, and sends its memory in bytes. */
import { setImmediate as settled } from 'node:timers/promises'
import { collectGarbage } from '../collect-garbage.ts'
import { openFloor, openOurs, type StorePlace } from '../stores/place.ts'
import { createModelScript } from '../systems/script.ts'
import type { BenchSystem } from '../systems/system.ts'

const SESSIONS = 1_000

export interface IdleJob {
  readonly place: StorePlace
  readonly system: 'ours' | 'floor'
}

process.once('disconnect', () => process.exit())
process.once('message', (job: IdleJob) => void openSessions(job))

const openedSessions: unknown[] = []

async function openSessions(job: IdleJob): Promise<void> {
  const system = await openSystem(job)
  for (let opened = 0; opened < SESSIONS; opened += 1) {
    const session = await system.start()
    const reader = new AbortController()
    const listening = session.listen(reader.signal)
    await session.turn()
    openedSessions.push({ session, reader, listening })
  }
  await settled()
  collectGarbage()
  process.send?.(process.memoryUsage().rss)
}

/** Loads only the code of this system. */
async function openSystem({ place, system }: IdleJob): Promise<BenchSystem> {
  const script = createModelScript({ deltas: 20 })
  if (system === 'floor') {
    const { createFloorSystem: floorOn } = await import('../systems/floor.ts')
    return floorOn(await openFloor(place), script)
  }
  const { createOurSystem: oursOn } = await import('../systems/ours.ts')
  return oursOn((await openOurs(place)).store, script)
}
