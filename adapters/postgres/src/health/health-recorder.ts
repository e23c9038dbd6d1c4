import { randomUUID } from 'node:crypto'
import { type SessionId, isProviderErrorCode } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { HealthLog, ProviderOutcome, TurnFailure } from './health-log.ts'
import { type SampleKind, createMinuteSamples } from './minute-samples.ts'

interface ModelWatch {
  readonly health: Pick<HealthRecorder, 'time' | 'recordProviderOutcome'>
  /** The end of the pause after a failure, in milliseconds since 1970. */
  readonly coolsUntil: () => number | undefined
  readonly mask: (text: string) => string
}

/** The same model, with its time to the first event and its failures recorded. */
export function watchModel(model: ModelPort, { health, coolsUntil, mask }: ModelWatch): ModelPort {
  const label = `${model.provider}/${model.modelId}`
  return {
    ...model,
    async *stream(request, signal) {
      const began = performance.now()
      const pausedUntil = coolsUntil()
      let hasStarted = false
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'failure') {
          // During a pause, the failure is already recorded. Other errors concern the request, and may quote it.
          const isNew = pausedUntil === undefined || coolsUntil() !== pausedUntil
          if (!signal.aborted && isNew && isProviderErrorCode(event.error.code)) {
            health.recordProviderOutcome(model.provider, toFailedOutcome(event.error, coolsUntil(), mask))
          }
        } else if (!hasStarted && event.type !== 'retry') {
          hasStarted = true
          health.time('model', label, performance.now() - began)
          health.recordProviderOutcome(model.provider, { kind: 'worked', at: new Date().toISOString() })
        }
        yield event
      }
    },
  }
}

const MAX_PROBLEM_LENGTH = 300

export const toFailedOutcome = (
  { code, message }: { readonly code: string; readonly message: string },
  coolsUntil: number | undefined,
  mask: (text: string) => string,
): ProviderOutcome => ({
  kind: 'failed',
  at: new Date().toISOString(),
  code,
  problem: mask(message).slice(0, MAX_PROBLEM_LENGTH),
  ...(coolsUntil !== undefined && { coolsUntil: new Date(coolsUntil).toISOString() }),
})

/** Records the health of this process. Callers never wait for it. */
export interface HealthRecorder {
  count(what: SampleKind, label: string, amount?: number): void
  time(what: SampleKind, label: string, ms: number): void
  recordTurnFailure(sessionId: SessionId, code: string): void
  recordProviderOutcome(name: string, outcome: ProviderOutcome): void
  /** Writes everything recorded so far. */
  flush(): Promise<void>
  /** Writes at an interval, until stopped. */
  start(): { stop(): Promise<void> }
}

interface RecorderHost {
  readonly log: HealthLog
  readonly kind: 'api' | 'worker'
  readonly onError: (error: unknown) => void
}

const WRITE_INTERVAL_MS = 10_000
/** If failures cannot be written, the last ones are kept. */
const MAX_FAILURES = 200

export function createHealthRecorder({ log, kind, onError }: RecorderHost): HealthRecorder {
  const self = { instance: randomUUID(), kind, startedAt: new Date().toISOString() }
  const samples = createMinuteSamples(Date.now)
  let failures: readonly TurnFailure[] = []
  let providers = new Map<string, ProviderOutcome>()
  let writing: Promise<void> = Promise.resolve()

  const write = async () => {
    const batch = { samples: samples.all(), failures, providers: [...providers] }
    failures = []
    providers = new Map()
    try {
      await log.write(self, batch)
      samples.forgetWritten(batch.samples)
    } catch (error) {
      failures = [...batch.failures, ...failures].slice(-MAX_FAILURES)
      providers = new Map([...batch.providers, ...providers])
      onError(error)
    }
  }
  // In sequence, so that an earlier count does not overwrite a later one.
  const flush = () => (writing = writing.then(write))

  return {
    count: (what, label, amount) => samples.count(what, label, amount),
    time: (what, label, ms) => samples.time(what, label, ms),
    recordTurnFailure(sessionId, code) {
      failures = [...failures, { at: new Date().toISOString(), sessionId, code }].slice(-MAX_FAILURES)
    },
    recordProviderOutcome: (name, outcome) => void providers.set(name, outcome),
    flush,
    start() {
      void flush()
      const timer = setInterval(() => void flush(), WRITE_INTERVAL_MS).unref()
      return {
        async stop() {
          clearInterval(timer)
          await flush()
          await log.removeProcess(self.instance).catch(onError)
        },
      }
    },
  }
}
