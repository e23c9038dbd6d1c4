import { randomUUID } from 'node:crypto'
import type { SessionId } from '@parley/contracts'
import type { HealthLog, ProviderOutcome, TurnFailure } from './health-log.ts'
import { createMinuteSamples, type SampledWhat } from './minute-samples.ts'

/** Where a process notes how it fares. Nothing waits for it. */
export interface HealthRecorder {
  count(what: SampledWhat, label: string, amount?: number): void
  time(what: SampledWhat, label: string, ms: number): void
  turnFailed(sessionId: SessionId, code: string): void
  provider(name: string, outcome: ProviderOutcome): void
  /** Writes all that was noted so far. */
  flush(): Promise<void>
  /** Writes again and again, until it is stopped. */
  begin(): { stop(): Promise<void> }
}

export interface RecorderHost {
  readonly log: HealthLog
  readonly kind: 'api' | 'worker'
  readonly onError: (error: unknown) => void
}

const EVERY_MS = 10_000
/** Of failures that cannot be written, the last are kept. */
const MOST_FAILURES = 200

export function createHealthRecorder({ log, kind, onError }: RecorderHost): HealthRecorder {
  const self = { instance: randomUUID(), kind, startedAt: new Date().toISOString() }
  const samples = createMinuteSamples(Date.now)
  let failures: readonly TurnFailure[] = []
  let providers = new Map<string, ProviderOutcome>()
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const kept = { samples: samples.all(), failures, providers: [...providers] }
    failures = []
    providers = new Map()
    try {
      await log.write(self, kept)
      samples.written(kept.samples)
    } catch (error) {
      failures = [...kept.failures, ...failures].slice(-MOST_FAILURES)
      providers = new Map([...kept.providers, ...providers])
      onError(error)
    }
  }
  // One after another, so that an earlier count does not overwrite a later one.
  const flush = () => (writing = writing.then(write))

  return {
    count: (what, label, amount) => samples.count(what, label, amount),
    time: (what, label, ms) => samples.time(what, label, ms),
    turnFailed(sessionId, code) {
      failures = [...failures, { at: new Date().toISOString(), sessionId, code }].slice(-MOST_FAILURES)
    },
    provider: (name, outcome) => void providers.set(name, outcome),
    flush,
    begin() {
      void flush()
      const timer = setInterval(() => void flush(), EVERY_MS).unref()
      return {
        async stop() {
          clearInterval(timer)
          await flush()
          await log.leave(self.instance).catch(onError)
        },
      }
    },
  }
}
