import type { Sound, Speech } from '@parley/speech'
import type { ToRecognise } from './thread/recognising.worker.ts'
import { startRecognising, startSynthesising } from './thread/speech-in-thread.ts'
import type { ToSay } from './thread/synthesising.worker.ts'
import { createThreadPool } from './thread/thread-pool.ts'

export interface SpeechOptions {
  /** A recogniser takes about 400 MB; one of each holds several conversations. */
  readonly threads?: { readonly recognise: number; readonly synthesise: number }
  /** A thread died. The work that it did has failed by itself. */
  readonly onError: (error: Error) => void
}

export interface LocalSpeech extends Speech {
  /** Loads the models, which else the first sentence waits for. */
  warmUp(): Promise<void>
}

const USUAL_THREADS = { recognise: 1, synthesise: 1 }
const LIMITS = { maxWaiting: 32, maxMilliseconds: 60_000 }

/** Speech without any provider: Moonshine hears, flite speaks. Threads start with the first work. */
export function openSpeech({ threads = USUAL_THREADS, onError }: SpeechOptions): LocalSpeech {
  const recognising = createThreadPool<ToRecognise, string>({
    ...LIMITS,
    onError,
    work: 'recognition',
    threads: threads.recognise,
    start: startRecognising,
  })
  const synthesising = createThreadPool<ToSay, Sound>({
    ...LIMITS,
    onError,
    work: 'synthesis',
    threads: threads.synthesise,
    start: startSynthesising,
  })
  const recogniser: Speech['recogniser'] = {
    // A copy: a part of a larger sound would take the whole along to the thread.
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
      const said = await synthesiser.synthesise('Ready.', {}, signal)
      await recogniser.recognise(said, signal)
    },
    async close() {
      await Promise.all([recognising.close(), synthesising.close()])
    },
  }
}
