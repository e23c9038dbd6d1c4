import type { Reflection } from '@parley/contracts'

/** The voice that it speaks with, whose that is, and where it cannot be had. */
export function voiceText({ voice }: Pick<Reflection, 'voice'>): string {
  if (!voice) return 'none of its own'
  const consent = voice.consent ? 'who agreed' : 'whose consent is not given'
  const whose = voice.kind === 'stock' ? "one of the provider's" : `a person's, ${consent}`
  return `${voice.voiceId}, ${whose}${voice.isUnlisted ? '; the voice provider has no such voice' : ''}`
}

export const visitorsText = ({ shareIngestion }: Pick<Reflection, 'shareIngestion'>): string =>
  shareIngestion ? 'learned from' : 'kept, and not learned from'
