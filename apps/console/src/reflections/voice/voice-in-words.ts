import { missingOfVoice, type ReflectionVoice } from '@parley/contracts'

/** Whether a reflection may be spoken with, and what is missing where it may not. */
export function voiceInWords(voice: ReflectionVoice | undefined): string {
  const missing = missingOfVoice(voice)
  if (missing.length > 0) return `It cannot be spoken with yet: ${missing.join(', and ')}.`
  return voice?.kind === 'clone'
    ? `It speaks with the voice ${voice.voiceId}, made from a person’s, with their consent.`
    : `It speaks with the voice ${voice?.voiceId}, one of the provider’s own.`
}
