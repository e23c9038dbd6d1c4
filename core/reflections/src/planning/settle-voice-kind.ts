import type { ChangeReflection, ProviderVoice } from '@parley/contracts'

type ChosenVoice = NonNullable<ChangeReflection['voice']>

/**
 * Trusts the provider's stock/clone flag for listed voices, and the claim for unlisted ones.
 */
export function settleVoiceKind(chosen: ChosenVoice, listed: readonly ProviderVoice[]): ChosenVoice {
  if (chosen.kind === 'clone') return chosen
  const known = listed.find(({ voiceId }) => voiceId === chosen.voiceId)
  return known ? { ...chosen, kind: known.kind } : chosen
}
