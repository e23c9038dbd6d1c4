/** Sound formats, resampling, voice activity and sentence splitting, and the ports of recognisers and synthesisers. Start reading at listening/voice-activity.ts. */
export { createVoiceActivity, type VoiceEvent } from './listening/voice-activity.ts'
export type { RecognitionHints, Recogniser, Sound, Speech, SpokenStyle, Synthesiser } from './ports/speech.ts'
export { createResampler, joinSamples, resample } from './sound/resample.ts'
export {
  SOUND_FORMATS,
  type SoundFormat,
  decodeSound,
  decodeWav,
  encodeSound,
  encodeWav,
  isSoundFormat,
} from './sound/sound-format.ts'
export { createSentenceSplitter, type Sentence } from './speaking/sentence-splitter.ts'
