import { median, measureTime } from '../medians.ts'
import { createFloorSystem } from '../systems/floor.ts'
import { createOurSystem } from '../systems/ours.ts'
import { createModelScript } from '../systems/script.ts'
import type { BenchSystem } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const TURNS = 20

export const tools: BenchCase = {
  name: 'tools',
  what: 'one turn of 10 tool rounds and an answer: 22 writes, because each call is stored before it runs, and its result after it',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = createModelScript({ deltas: 20, toolRounds: 10 })
    const times = await medians({
      ours: measureToolTurns(createOurSystem(store, script)),
      floor: measureToolTurns(createFloorSystem(floor, script)),
    })
    return [{ case: 'tools', unit: 'ms', ...times, target: { atMost: 2 } }]
  },
}

const measureToolTurns = (system: BenchSystem) => async () => {
  const times: number[] = []
  for (let made = 0; made < TURNS; made += 1) {
    const session = await system.start()
    times.push(await measureTime(() => session.turn()))
  }
  return median(times)
}
