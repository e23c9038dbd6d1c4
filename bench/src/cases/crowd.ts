import { floorOn } from '../systems/floor.ts'
import { oursOn } from '../systems/ours.ts'
import { scriptOf } from '../systems/script.ts'
import type { BenchSession, System } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const SESSIONS = 200
const TURNS_EACH = 5

export const crowd: BenchCase = {
  name: 'crowd',
  what: '200 sessions at once in one process, 5 turns each',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = scriptOf({ deltas: 20 })
    const rates = await medians({
      ours: turnsPerSecond(oursOn(store, script)),
      floor: turnsPerSecond(floorOn(floor, script)),
    })
    return [{ case: 'crowd', unit: 'turns/s', ...rates, target: { atLeast: 0.7 } }]
  },
}

const turnsPerSecond = (system: System) => async () => {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => system.start()))
  const began = performance.now()
  await Promise.all(sessions.map(talk))
  return (SESSIONS * TURNS_EACH * 1_000) / (performance.now() - began)
}

async function talk(session: BenchSession): Promise<void> {
  for (let made = 0; made < TURNS_EACH; made += 1) await session.turn()
}
