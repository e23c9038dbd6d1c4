import type { ChangeReflection, ReflectionVoice } from '@parley/contracts'

/** A voice as it was chosen: one of the provider's own by its id, one made from a person's, or none. */
export type ChosenVoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'stock'; readonly voiceId: string }
  | { readonly kind: 'clone'; readonly voiceId: string; readonly consent: boolean }

export function chosenOf(voice: ReflectionVoice | undefined): ChosenVoice {
  if (!voice) return { kind: 'none' }
  const { voiceId, kind, consent } = voice
  return kind === 'stock' ? { kind, voiceId } : { kind, voiceId, consent }
}

/** What to save; undefined where there is nothing to save, or not enough. */
export function voiceWanted(
  chosen: ChosenVoice,
  now: ReflectionVoice | undefined,
): ChangeReflection | undefined {
  // One that the provider did not have may be there by now: saved again, it is looked for again.
  if (JSON.stringify(chosen) === JSON.stringify(chosenOf(now)) && !now?.isUnlisted) return undefined
  switch (chosen.kind) {
    case 'none':
      return { voice: null }
    case 'stock':
      return { voice: { voiceId: chosen.voiceId, kind: 'stock', consent: false } }
    case 'clone': {
      const voiceId = chosen.voiceId.trim()
      return voiceId === '' ? undefined : { voice: { voiceId, kind: 'clone', consent: chosen.consent } }
    }
    default:
      return chosen satisfies never
  }
}
