import type { Sound, Speech } from '@parley/speech'
import type { RecognitionJob } from './thread/recognising.worker.ts'
import { startRecognising, startSynthesising } from './thread/speech-in-thread.ts'
import type { SynthesisJob } from './thread/synthesising.worker.ts'
import { createThreadPool } from './thread/thread-pool.ts'

export interface SpeechOptions {
  /** A recogniser takes about 400 MB. One thread of each kind serves several conversations. */
  readonly threads?: { readonly recognise: number; readonly synthesise: number }
  /** Called when a thread stops. Its job has already failed. */
  readonly onError: (error: Error) => void
}

export interface LocalSpeech extends Speech {
  /** Loads the models before the first sentence needs them. */
  warmUp(): Promise<void>
}

const DEFAULT_THREADS = { recognise: 1, synthesise: 1 }
const LIMITS = { maxWaiting: 32, maxMilliseconds: 60_000 }

/** Offline speech: Moonshine recognises, flite speaks. Threads start with the first job. */
export function openSpeech({ threads = DEFAULT_THREADS, onError }: SpeechOptions): LocalSpeech {
  const recognising = createThreadPool<RecognitionJob, string>({
    ...LIMITS,
    onError,
    work: 'recognition',
    threads: threads.recognise,
    start: startRecognising,
  })
  const synthesising = createThreadPool<SynthesisJob, Sound>({
    ...LIMITS,
    onError,
    work: 'synthesis',
    threads: threads.synthesise,
    start: startSynthesising,
  })
  const recogniser: Speech['recogniser'] = {
    // Copy the samples: a view would send its whole buffer to the thread.
    recognise: ({ samples, sampleRate }, signal, hints = []) =>
      recognising.run({ utterance: { samples: samples.slice(), sampleRate }, hints }, signal),
  }
  const synthesiser: Speech['synthesiser'] = {
    synthesise: (sentence, style, signal) => synthesising.run({ sentence, style }, signal),
  }
  return {
    recogniser,
    synthesiser,
    async warmUp() {
      const { signal } = new AbortController()
      const sound = await synthesiser.synthesise('Ready.', {}, signal)
      await recogniser.recognise(sound, signal)
    },
    async close() {
      await Promise.all([recognising.close(), synthesising.close()])
    },
  }
}
