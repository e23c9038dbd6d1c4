import { PlatformError } from '@parley/contracts'
import { failedOutcome, type HealthRecorder } from '@parley/postgres'
import type { VoiceProvider } from '@parley/reflections'

/** The name under which the voice provider's health is kept; no model provider can have it. */
export const VOICE = 'voice provider'

/** The same provider; each call records whether the provider answered. */
export function watchedProvider(
  provider: VoiceProvider,
  health: Pick<HealthRecorder, 'provider'>,
  mask: (text: string) => string,
): VoiceProvider {
  const watched = async (call: () => unknown): Promise<unknown> => {
    try {
      const answer = await call()
      health.provider(VOICE, { kind: 'worked', at: new Date().toISOString() })
      return answer
    } catch (failure) {
      const isProviders = failure instanceof PlatformError && failure.code.startsWith('provider_')
      if (isProviders) health.provider(VOICE, failedOutcome(failure, undefined, mask))
      throw failure
    }
  }
  return new Proxy(provider, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name)
      if (typeof call !== 'function') return call
      return (...given: readonly unknown[]) => watched(() => Reflect.apply(call, target, given) as unknown)
    },
  })
}
