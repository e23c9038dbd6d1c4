import { parentPort } from 'node:worker_threads'
import type { SpokenStyle } from '@parley/speech'
import { createFlite } from '../speaking/flite.ts'
import { speechFile } from '../speech-file.ts'

export interface ToSay {
  readonly sentence: string
  readonly style: SpokenStyle
}

const speak = createFlite(await speechFile('flite.wasm'))

parentPort?.on('message', ({ sentence, style }: ToSay) => {
  const sound = speak(sentence, style)
  parentPort?.postMessage(sound, [sound.samples.buffer as ArrayBuffer])
})
