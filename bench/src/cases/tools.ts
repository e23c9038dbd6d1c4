import { median, timeOf } from '../medians.ts'
import { floorOn } from '../systems/floor.ts'
import { oursOn } from '../systems/ours.ts'
import { scriptOf } from '../systems/script.ts'
import type { System } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const TURNS = 20

export const tools: BenchCase = {
  name: 'tools',
  what: 'one turn of 10 tool rounds and an answer; every call is stored before it runs, every result after it: 22 writes',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = scriptOf({ deltas: 20, toolRounds: 10 })
    const times = await medians({
      ours: toolTurns(oursOn(store, script)),
      floor: toolTurns(floorOn(floor, script)),
    })
    return [{ case: 'tools', unit: 'ms', ...times, target: { atMost: 2 } }]
  },
}

const toolTurns = (system: System) => async () => {
  const times: number[] = []
  for (let made = 0; made < TURNS; made += 1) {
    const session = await system.start()
    times.push(await timeOf(() => session.turn()))
  }
  return median(times)
}
