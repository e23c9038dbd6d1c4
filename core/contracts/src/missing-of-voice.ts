import type { ReflectionVoice } from './reflection.ts'

/** What keeps a voice from being used, each as a sentence's part; nothing where it may be. A stock voice is nobody's. */
export function missingOfVoice(voice: ReflectionVoice | undefined): readonly string[] {
  if (!voice) return ['no voice is chosen']
  const isAllowed = voice.kind === 'stock' || voice.consent
  return [
    ...(voice.isUnlisted ? ['the voice provider has no such voice'] : []),
    ...(isAllowed ? [] : ['the person whose voice it is has not consented']),
  ]
}
