import { type RecognitionHints, resample, type Sound } from '@parley/speech'
import { createMoonshine, MOONSHINE_RATE, type MoonshineFiles } from './moonshine.ts'
import { windowsOf } from './windows-of.ts'

const LONGEST_WINDOW = 20 * MOONSHINE_RATE
// The model makes up words for what is shorter or fainter.
const SHORTEST = 0.1 * MOONSHINE_RATE
const FAINTEST = 0.002

export async function createHearing(
  files: MoonshineFiles,
): Promise<(utterance: Sound, hints: RecognitionHints) => Promise<string>> {
  const moonshine = await createMoonshine(files)
  return async (utterance, hints) => {
    const texts: string[] = []
    for (const window of windowsOf(floatsOf(utterance), LONGEST_WINDOW)) {
      if (window.length < SHORTEST || loudness(window) < FAINTEST) continue
      texts.push(await moonshine(window, hints))
    }
    return modern(texts.join(' ').trim())
  }
}

/** The model learned from books, and writes to-morrow. */
const modern = (text: string) => text.replace(/\b(to)-(day|morrow|night)\b/giu, '$1$2')

function floatsOf(utterance: Sound): Float32Array {
  return Float32Array.from(resample(utterance, MOONSHINE_RATE).samples, (sample) => sample / 32_768)
}

function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}
