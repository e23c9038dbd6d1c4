import type { ChangeReflection, ProviderVoice } from '@parley/contracts'

type ChosenVoice = NonNullable<ChangeReflection['voice']>

/**
 * Whose a chosen voice is. That it is nobody's is for the provider to say of those that it lists, whatever is claimed; of
 * one that it does not list, the claim is all that there is.
 */
export function settleVoiceKind(chosen: ChosenVoice, listed: readonly ProviderVoice[]): ChosenVoice {
  if (chosen.kind === 'clone') return chosen
  const known = listed.find(({ voiceId }) => voiceId === chosen.voiceId)
  return known ? { ...chosen, kind: known.kind } : chosen
}
