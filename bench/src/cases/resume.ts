import { median } from '../medians.ts'
import { openFloor, openOurs, type StorePlace } from '../stores/place.ts'
import { createFloorSystem } from '../systems/floor.ts'
import { createOurSystem } from '../systems/ours.ts'
import { type BenchScript, createModelScript } from '../systems/script.ts'
import { createSessionSupply } from '../systems/supply.ts'
import type { BenchSystem } from '../systems/system.ts'
import type { BenchCase } from './bench-case.ts'

const SAMPLES = 5

export const resume: BenchCase = {
  name: 'resume',
  what: 'a session in a newly opened store, from `send` to the model request: ours at 10,000 messages to ours at 100; `resume@…`: to the floor, for information',
  on: 'each store',
  async measure({ place, store, floor, medians }) {
    const script = createModelScript({ deltas: 20 })
    const ours = measureResume(createOurSystem(store, script), () => openFreshOurs(place))
    const bare = measureResume(createFloorSystem(floor, script), () => openFreshFloor(place))
    const times = await medians({
      ours100: ours(100),
      floor100: bare(100),
      ours1000: ours(1_000),
      floor1000: bare(1_000),
      ours10000: ours(10_000),
      floor10000: bare(10_000),
    })
    const unit = 'ms'
    return [
      { case: 'resume', unit, ours: times.ours10000, floor: times.ours100, target: { atMost: 2 } },
      { case: 'resume@100', unit, ours: times.ours100, floor: times.floor100 },
      { case: 'resume@1000', unit, ours: times.ours1000, floor: times.floor1000 },
      { case: 'resume@10000', unit, ours: times.ours10000, floor: times.floor10000 },
    ]
  },
}

interface FreshSystem {
  readonly system: BenchSystem
  /** Time of the last model request. */
  readonly askedAt: () => number
  readonly close: () => Promise<void>
}

/** A permanent system creates the sessions; a newly opened system resumes each of them. */
const measureResume = (maker: BenchSystem, openFresh: () => Promise<FreshSystem>) => (messages: number) => {
  const supply = createSessionSupply(maker, messages)
  return async () => {
    const times: number[] = []
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { id } = await supply()
      const { system, askedAt, close } = await openFresh()
      // The first turn of a connection prepares its statements, which does not belong to resuming.
      await (await system.start()).turn()
      const session = await system.open(id)
      const began = performance.now()
      await session.turn()
      times.push(askedAt() - began)
      await close()
    }
    return median(times)
  }
}

async function openFreshOurs(place: StorePlace): Promise<FreshSystem> {
  const { script, askedAt } = createWatchedScript()
  const { store, close } = await openOurs(place)
  return { system: createOurSystem(store, script), askedAt, close }
}

async function openFreshFloor(place: StorePlace): Promise<FreshSystem> {
  const { script, askedAt } = createWatchedScript()
  const store = await openFloor(place)
  return {
    system: createFloorSystem(store, script, { readsTail: true }),
    askedAt,
    close: () => store.close(),
  }
}

function createWatchedScript(): { script: BenchScript; askedAt: () => number } {
  const { model, runTool } = createModelScript({ deltas: 20 })
  let asked = Number.NaN
  const stream: typeof model.stream = (request, signal) => {
    asked = performance.now()
    return model.stream(request, signal)
  }
  return { script: { model: { ...model, stream }, runTool }, askedAt: () => asked }
}
