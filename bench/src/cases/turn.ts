import { median, timeOf } from '../medians.ts'
import { floorOn } from '../systems/floor.ts'
import { oursOn } from '../systems/ours.ts'
import { scriptOf } from '../systems/script.ts'
import { supplyOf } from '../systems/supply.ts'
import type { BenchSession, System } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const TURNS = 50

export const turn: BenchCase = {
  name: 'turn',
  what: 'one turn of 20 deltas at 10, 100 and 1,000 messages; `turn flat`: ours at 1,000 by ours at 10',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = scriptOf({ deltas: 20 })
    const ours = oursOn(store, script)
    const bare = floorOn(floor, script)
    const times = await medians({
      ours10: turnsAt(10, ours),
      floor10: turnsAt(10, bare),
      ours100: turnsAt(100, ours),
      floor100: turnsAt(100, bare),
      ours1000: turnsAt(1_000, ours),
      floor1000: turnsAt(1_000, bare),
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

function turnsAt(messages: number, system: System) {
  const supply = supplyOf(system, messages)
  return async () => {
    const sessions: BenchSession[] = []
    for (let taken = 0; taken < TURNS; taken += 1) sessions.push(await supply())
    const times: number[] = []
    for (const session of sessions) times.push(await timeOf(() => session.turn()))
    return median(times)
  }
}
