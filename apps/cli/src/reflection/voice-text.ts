import type { Reflection } from '@parley/contracts'

/** The voice that it speaks with, and whose that is. */
export function voiceText({ voice }: Pick<Reflection, 'voice'>): string {
  if (!voice) return 'none of its own'
  if (voice.kind === 'stock') return `${voice.voiceId}, one of the provider's`
  return `${voice.voiceId}, a person's, ${voice.consent ? 'who agreed' : 'whose consent is not given'}`
}

export const visitorsText = ({ shareIngestion }: Pick<Reflection, 'shareIngestion'>): string =>
  shareIngestion ? 'learned from' : 'kept, and not learned from'
