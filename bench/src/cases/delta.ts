import { median, timeOf } from '../medians.ts'
import { floorOn } from '../systems/floor.ts'
import { oursOn } from '../systems/ours.ts'
import { scriptOf } from '../systems/script.ts'
import type { System } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const DELTAS = 20_000
const TURNS = 5

export const delta: BenchCase = {
  name: 'delta',
  what: 'one turn of 20,000 deltas, by the delta; `delta heard`: ours with one reader, for information',
  on: 'each store',
  async measure({ store, floor, medians }) {
    const script = scriptOf({ deltas: DELTAS })
    const ours = oursOn(store, script)
    const times = await medians({
      ours: longTurns(ours),
      floor: longTurns(floorOn(floor, script)),
      heard: longTurns(ours, { heard: true }),
    })
    return [
      { case: 'delta', unit: 'µs', ours: times.ours, floor: times.floor, target: { atMost: 2 } },
      { case: 'delta heard', unit: 'µs', ours: times.heard, floor: times.floor },
    ]
  },
}

const longTurns =
  (system: System, { heard = false } = {}) =>
  async () => {
    const times: number[] = []
    for (let made = 0; made < TURNS; made += 1) {
      const session = await system.start()
      const reader = new AbortController()
      const listening = heard ? session.listen(reader.signal) : undefined
      times.push(await timeOf(() => session.turn()))
      reader.abort()
      await listening
    }
    return (median(times) * 1_000) / DELTAS
  }
