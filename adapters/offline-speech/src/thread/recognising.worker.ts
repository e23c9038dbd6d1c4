import { parentPort } from 'node:worker_threads'
import type { RecognitionHints, Sound } from '@parley/speech'
import { createRecogniser } from '../hearing/moonshine.ts'
import { readSpeechFile } from '../speech-file.ts'

const recognise = await createRecogniser({
  runtime: await readSpeechFile('ort-wasm-simd-threaded.wasm'),
  encoder: await readSpeechFile('encoder_model.onnx'),
  decoder: await readSpeechFile('decoder_model_merged.onnx'),
})

export interface RecognitionJob {
  readonly utterance: Sound
  readonly hints: RecognitionHints
}

// An error ends the thread, so a broken model is never used again.
async function answer({ utterance, hints }: RecognitionJob): Promise<void> {
  const text = await recognise(utterance, hints)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(text)
}

parentPort?.on('message', (work: RecognitionJob) => void answer(work))
