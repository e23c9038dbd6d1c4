import { type RecognitionHints, type Sound, resample } from '@parley/speech'
import { MOONSHINE_RATE, type MoonshineFiles, createMoonshine } from './moonshine.ts'

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

const SAMPLES_IN_FRAME = 320

/** Cuts a long utterance where it is quietest, so that no window is longer than `longest` samples and few words are cut. */
export function windowsOf(utterance: Float32Array, longest: number): readonly Float32Array[] {
  if (utterance.length <= longest) return [utterance]
  const cut = quietest(utterance, Math.floor(longest / 2), longest)
  return [utterance.subarray(0, cut), ...windowsOf(utterance.subarray(cut), longest)]
}

/** The middle of the quietest tenth of a second between two places. */
function quietest(samples: Float32Array, from: number, to: number): number {
  let best = to
  let least = Infinity
  for (let at = from; at + 5 * SAMPLES_IN_FRAME <= to; at += SAMPLES_IN_FRAME) {
    let energy = 0
    for (let index = at; index < at + 5 * SAMPLES_IN_FRAME; index++) energy += (samples[index] ?? 0) ** 2
    if (energy < least) {
      least = energy
      best = at + Math.floor(2.5 * SAMPLES_IN_FRAME)
    }
  }
  return best
}
