import { createFloorSystem } from '../systems/floor.ts'
import { createOurSystem } from '../systems/ours.ts'
import { createModelScript } from '../systems/script.ts'
import type { BenchSession, BenchSystem } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const SESSIONS = 200
const TURNS_EACH = 5

export const crowd: BenchCase = {
  name: 'crowd',
  what: '200 parallel sessions in one process, 5 turns each',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = createModelScript({ deltas: 20 })
    const rates = await medians({
      ours: measureTurnsPerSecond(createOurSystem(store, script)),
      floor: measureTurnsPerSecond(createFloorSystem(floor, script)),
    })
    return [{ case: 'crowd', unit: 'turns/s', ...rates, target: { atLeast: 0.7 } }]
  },
}

const measureTurnsPerSecond = (system: BenchSystem) => async () => {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => system.start()))
  const began = performance.now()
  await Promise.all(sessions.map(takeTurns))
  return (SESSIONS * TURNS_EACH * 1_000) / (performance.now() - began)
}

async function takeTurns(session: BenchSession): Promise<void> {
  for (let made = 0; made < TURNS_EACH; made += 1) await session.turn()
}
