import type { LocalVoice } from './rest/rest-env.ts'

/** Those of the speech that comes with Parley; the first speaks for any id that is none of them. */
export const LOCAL_VOICES: readonly LocalVoice[] = [
  { voiceId: 'slt', name: 'Slt', description: 'A woman’s voice, American' },
  { voiceId: 'rms', name: 'Rms', description: 'A man’s voice, American' },
  { voiceId: 'awb', name: 'Awb', description: 'A man’s voice, Scottish' },
  { voiceId: 'kal', name: 'Kal', description: 'An old, plain voice' },
]
