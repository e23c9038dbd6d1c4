import type { ModelPort } from '@parley/engine'
import type { ProviderOutcome } from './health-log.ts'
import type { HealthRecorder } from './health-recorder.ts'

interface ModelWatch {
  readonly health: Pick<HealthRecorder, 'time' | 'provider'>
  /** Until when the model is left alone after a failure, in milliseconds since 1970. */
  readonly coolsUntil: () => number | undefined
  readonly mask: (text: string) => string
}

/** The same model; how soon it speaks, and whether it does, is noted. */
export function watchedModel(model: ModelPort, { health, coolsUntil, mask }: ModelWatch): ModelPort {
  const label = `${model.provider}/${model.modelId}`
  return {
    ...model,
    async *stream(request, signal) {
      const began = performance.now()
      const leftAloneUntil = coolsUntil()
      let hasSpoken = false
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'failure') {
          // Where it is still left alone, its failure was noted when that began.
          const isNew = leftAloneUntil === undefined || coolsUntil() !== leftAloneUntil
          if (!signal.aborted && isNew && isProviders(event.error.code)) {
            health.provider(model.provider, failedOutcome(event.error, coolsUntil(), mask))
          }
        } else if (!hasSpoken && event.type !== 'retry') {
          hasSpoken = true
          health.time('model', label, performance.now() - began)
          health.provider(model.provider, { kind: 'worked', at: new Date().toISOString() })
        }
        yield event
      }
    },
  }
}

/** The others are about what was asked, and may say what that was. */
const isProviders = (code: string) => code.startsWith('provider_')

const LONGEST_PROBLEM = 300

export const failedOutcome = (
  { code, message }: { readonly code: string; readonly message: string },
  coolsUntil: number | undefined,
  mask: (text: string) => string,
): ProviderOutcome => ({
  kind: 'failed',
  at: new Date().toISOString(),
  code,
  problem: mask(message).slice(0, LONGEST_PROBLEM),
  ...(coolsUntil !== undefined && { coolsUntil: new Date(coolsUntil).toISOString() }),
})
