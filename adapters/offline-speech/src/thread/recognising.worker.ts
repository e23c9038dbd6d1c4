import { parentPort } from 'node:worker_threads'
import type { RecognitionHints, Sound } from '@parley/speech'
import { createHearing } from '../hearing/moonshine.ts'
import { speechFile } from '../speech-file.ts'

const hear = await createHearing({
  runtime: await speechFile('ort-wasm-simd-threaded.wasm'),
  encoder: await speechFile('encoder_model.onnx'),
  decoder: await speechFile('decoder_model_merged.onnx'),
})

/** What the thread is given. */
export interface ToRecognise {
  readonly utterance: Sound
  readonly hints: RecognitionHints
}

// What fails ends the thread: a model that broke once is not asked again.
async function answer({ utterance, hints }: ToRecognise): Promise<void> {
  const text = await hear(utterance, hints)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(text)
}

parentPort?.on('message', (work: ToRecognise) => void answer(work))
