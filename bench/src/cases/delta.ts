import { median, measureTime } from '../medians.ts'
import { createFloorSystem } from '../systems/floor.ts'
import { createOurSystem } from '../systems/ours.ts'
import { createModelScript } from '../systems/script.ts'
import type { BenchSystem } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const DELTAS = 20_000
const TURNS = 5

export const delta: BenchCase = {
  name: 'delta',
  what: 'one turn of 20,000 deltas, per delta; `delta heard`: ours with one reader, for information',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = createModelScript({ deltas: DELTAS })
    const ours = createOurSystem(store, script)
    const times = await medians({
      ours: measureLongTurns(ours),
      floor: measureLongTurns(createFloorSystem(floor, script)),
      heard: measureLongTurns(ours, { heard: true }),
    })
    return [
      { case: 'delta', unit: 'µs', ours: times.ours, floor: times.floor, target: { atMost: 2 } },
      { case: 'delta heard', unit: 'µs', ours: times.heard, floor: times.floor },
    ]
  },
}

const measureLongTurns =
  (system: BenchSystem, { heard = false } = {}) =>
  async () => {
    const times: number[] = []
    for (let made = 0; made < TURNS; made += 1) {
      const session = await system.start()
      const reader = new AbortController()
      const listening = heard ? session.listen(reader.signal) : undefined
      times.push(await measureTime(() => session.turn()))
      reader.abort()
      await listening
    }
    return (median(times) * 1_000) / DELTAS
  }
