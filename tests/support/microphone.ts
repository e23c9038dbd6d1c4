import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSpeech } from '@parley/offline-speech'
import { encodeWav, joinSamples } from '@parley/speech'
import type { Browser } from 'playwright-core'
import { openBrowser } from './open-browser.ts'

interface SpokenQuestion {
  readonly question: string
  /** Silence before and after the question. */
  readonly secondsBefore: number
  readonly secondsAfter: number
  /** Whether the microphone repeats the question. */
  readonly isRepeated: boolean
}

/** Opens a browser whose microphone hears a question. The sound file is written to the folder. */
export async function openBrowserWithMicrophone(folder: string, spoken: SpokenQuestion): Promise<Browser> {
  const file = join(folder, 'microphone.wav')
  await writeFile(file, await speakQuestion(spoken))
  return openBrowser(
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}${spoken.isRepeated ? '' : '%noloop'}`,
    '--autoplay-policy=no-user-gesture-required',
  )
}

async function speakQuestion({ question, secondsBefore, secondsAfter }: SpokenQuestion): Promise<Uint8Array> {
  const speech = openSpeech({ onError: () => undefined })
  const { signal } = new AbortController()
  const { samples, sampleRate } = await speech.synthesiser.synthesise(question, {}, signal)
  await speech.close()
  const createSilence = (seconds: number) => new Int16Array(seconds * sampleRate)
  return encodeWav({
    samples: joinSamples([createSilence(secondsBefore), samples, createSilence(secondsAfter)]),
    sampleRate,
  })
}
