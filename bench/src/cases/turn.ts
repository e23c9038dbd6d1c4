import { median, measureTime } from '../medians.ts'
import { createFloorSystem } from '../systems/floor.ts'
import { createOurSystem } from '../systems/ours.ts'
import { createModelScript } from '../systems/script.ts'
import { createSessionSupply } from '../systems/supply.ts'
import type { BenchSession, BenchSystem } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const TURNS = 50

export const turn: BenchCase = {
  name: 'turn',
  what: 'one turn of 20 deltas at 10, 100 and 1,000 messages; `turn flat`: ours at 1,000 to ours at 10',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = createModelScript({ deltas: 20 })
    const ours = createOurSystem(store, script)
    const bare = createFloorSystem(floor, script)
    const times = await medians({
      ours10: measureTurnsAt(10, ours),
      floor10: measureTurnsAt(10, bare),
      ours100: measureTurnsAt(100, ours),
      floor100: measureTurnsAt(100, bare),
      ours1000: measureTurnsAt(1_000, ours),
      floor1000: measureTurnsAt(1_000, bare),
    })
    const row = { unit: 'ms', target: { atMost: 1.5 } } as const
    return [
      { ...row, case: 'turn@10', ours: times.ours10, floor: times.floor10 },
      { ...row, case: 'turn@100', ours: times.ours100, floor: times.floor100 },
      { ...row, case: 'turn@1000', ours: times.ours1000, floor: times.floor1000 },
      { ...row, case: 'turn flat', ours: times.ours1000, floor: times.ours10 },
    ]
  },
}

function measureTurnsAt(messages: number, system: BenchSystem) {
  const supply = createSessionSupply(system, messages)
  return async () => {
    const sessions: BenchSession[] = []
    for (let taken = 0; taken < TURNS; taken += 1) sessions.push(await supply())
    const times: number[] = []
    for (const session of sessions) times.push(await measureTime(() => session.turn()))
    return median(times)
  }
}
