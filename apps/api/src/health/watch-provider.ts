import { PlatformError, isProviderErrorCode } from '@parley/contracts'
import { toFailedOutcome, type HealthRecorder } from '@parley/postgres'
import type { VoiceProvider } from '@parley/reflections'

/** The name of the voice provider in health records. No model provider can have it. */
export const VOICE_PROVIDER_NAME = 'voice provider'

/** The same provider; each call records whether the provider answered. */
export function watchProvider(
  provider: VoiceProvider,
  health: Pick<HealthRecorder, 'recordProviderOutcome'>,
  mask: (text: string) => string,
): VoiceProvider {
  const watched = async (call: () => unknown): Promise<unknown> => {
    try {
      const answer = await call()
      health.recordProviderOutcome(VOICE_PROVIDER_NAME, { kind: 'worked', at: new Date().toISOString() })
      return answer
    } catch (failure) {
      const isProviders = failure instanceof PlatformError && isProviderErrorCode(failure.code)
      if (isProviders)
        health.recordProviderOutcome(VOICE_PROVIDER_NAME, toFailedOutcome(failure, undefined, mask))
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
