import { parentPort } from 'node:worker_threads'
import type { SpokenStyle } from '@parley/speech'
import { createFlite } from '../speaking/flite.ts'
import { readSpeechFile } from '../speech-file.ts'

export interface SynthesisJob {
  readonly sentence: string
  readonly style: SpokenStyle
}

const speak = createFlite(await readSpeechFile('flite.wasm'))

parentPort?.on('message', ({ sentence, style }: SynthesisJob) => {
  const sound = speak(sentence, style)
  parentPort?.postMessage(sound, [sound.samples.buffer as ArrayBuffer])
})
