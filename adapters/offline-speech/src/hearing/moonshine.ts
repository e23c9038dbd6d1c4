import tokenizer from 'llama-tokenizer-js'
import { InferenceSession, Tensor, env } from 'onnxruntime-web/wasm'
import { type RecognitionHints, type Sound, resample } from '@parley/speech'

const MOONSHINE_RATE = 16_000

interface MoonshineFiles {
  readonly runtime: Uint8Array
  readonly encoder: Uint8Array
  readonly decoder: Uint8Array
}

/** Recognises one utterance: samples at 16 kHz, between −1 and 1. Prefers `hints` over words that sound alike. */
export type Moonshine = (utterance: Float32Array, hints?: readonly string[]) => Promise<string>

const FIRST_TOKEN = 1
const LAST_TOKEN = 2
// Nobody speaks faster; the model makes up anything beyond.
const TOKENS_PER_SECOND = 6
const LAYERS = 6
const EMPTY_CACHE = [0, 8, 1, 36]

type Tensors = Readonly<Record<string, Tensor>>

/** Recognises speech with Moonshine, a small English model. */
async function createMoonshine(files: MoonshineFiles): Promise<Moonshine> {
  env.wasm.numThreads = 1
  env.wasm.wasmBinary = files.runtime
  const encoder = await InferenceSession.create(files.encoder, { executionProviders: ['wasm'] })
  const decoder = await InferenceSession.create(files.decoder, { executionProviders: ['wasm'] })

  return async (utterance, hints = []) => {
    const preference = createHintPreference(hints)
    const input = new Tensor('float32', utterance, [1, utterance.length])
    const { last_hidden_state: encoded } = await encoder.run({ input_values: input })
    if (!encoded) throw new Error('The model returned no output: these are not Moonshine files.')

    const maxTokens = Math.ceil((utterance.length / MOONSHINE_RATE) * TOKENS_PER_SECOND)
    const tokens: number[] = []
    let cache: Tensors = createEmptyCache()
    let token = FIRST_TOKEN
    while (tokens.length < maxTokens) {
      const isFirst = tokens.length === 0
      const out = await decoder.run({
        input_ids: new Tensor('int64', [BigInt(token)], [1, 1]),
        encoder_hidden_states: encoded,
        use_cache_branch: new Tensor('bool', [!isFirst]),
        ...cache,
      })
      token = findMostLikely(preference.applyTo(out['logits']?.data as Float32Array))
      if (token === LAST_TOKEN) break
      preference.advance(token)
      tokens.push(token)
      cache = updateCache(cache, out, isFirst)
    }
    return cutRepeats(tokenizer.decode(tokens, false, false).trim())
  }
}

const CACHE_NAMES = Array.from({ length: LAYERS }, (_, layer) =>
  ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map((part) => `${layer}.${part}`),
).flat()

function createEmptyCache(): Tensors {
  const empty = new Tensor('float32', new Float32Array(), EMPTY_CACHE)
  return Object.fromEntries(CACHE_NAMES.map((name) => [`past_key_values.${name}`, empty]))
}

/** The encoder's cache is fixed after the first step; only the decoder's grows. */
function updateCache(cache: Tensors, out: Tensors, isFirst: boolean): Tensors {
  const grown = CACHE_NAMES.filter((name) => isFirst || name.includes('decoder'))
  const entries = grown.map((name) => [`past_key_values.${name}`, out[`present.${name}`]])
  return { ...cache, ...Object.fromEntries(entries) }
}

function findMostLikely(scores: Float32Array): number {
  let best = 0
  for (let token = 1; token < scores.length; token++)
    if ((scores[token] ?? 0) > (scores[best] ?? 0)) best = token
  return best
}

// Added to the model's scores. Found by trial: less has no effect, more finds names everywhere.
const FIRST_BONUS = 4
const NEXT_BONUS = 8

type HintTree = Map<number, HintTree>

/** Raises the scores of tokens that begin or continue a hint. */
function createHintPreference(hints: readonly string[]) {
  const root: HintTree = new Map()
  for (const hint of hints) {
    let node = root
    for (const token of tokenizer.encode(hint, false, true)) {
      const next: HintTree = node.get(token) ?? new Map()
      node.set(token, next)
      node = next
    }
  }
  let begun: readonly HintTree[] = []
  return {
    applyTo(scores: Float32Array): Float32Array {
      if (root.size === 0) return scores
      const raised = scores.slice()
      const raise = (tokens: Iterable<number>, bonus: number) => {
        for (const token of tokens) raised[token] = (scores[token] ?? 0) + bonus
      }
      raise(root.keys(), FIRST_BONUS)
      for (const node of begun) raise(node.keys(), NEXT_BONUS)
      return raised
    },
    advance(token: number): void {
      begun = [root, ...begun].flatMap((node) => node.get(token) ?? [])
    },
  }
}

// A confused model repeats phrases; people do not repeat them this often.
const REPEATS = 4
const MAX_PHRASE_WORDS = 12

/** Cuts the text after the first copy of a phrase that repeats at least four times. */
export function cutRepeats(text: string): string {
  const words = text.split(/\s+/u)
  for (let start = 0; start < words.length; start++)
    for (let length = 1; length <= MAX_PHRASE_WORDS; length++)
      if (isRepeated(words, start, length)) return words.slice(0, start + length).join(' ')
  return text
}

function isRepeated(words: readonly string[], start: number, length: number): boolean {
  const end = start + length * REPEATS
  if (end > words.length) return false
  for (let at = start + length; at < end; at++)
    if (normaliseWord(words[at]) !== normaliseWord(words[at - length])) return false
  return true
}

const normaliseWord = (word = '') => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const MAX_WINDOW_SAMPLES = 20 * MOONSHINE_RATE
// The model makes up words for shorter or fainter sound.
const MIN_SAMPLES = 0.1 * MOONSHINE_RATE
const FAINTEST = 0.002

export async function createRecogniser(
  files: MoonshineFiles,
): Promise<(utterance: Sound, hints: RecognitionHints) => Promise<string>> {
  const moonshine = await createMoonshine(files)
  return async (utterance, hints) => {
    const texts: string[] = []
    for (const window of splitWindows(toFloats(utterance), MAX_WINDOW_SAMPLES)) {
      if (window.length < MIN_SAMPLES || measureLoudness(window) < FAINTEST) continue
      texts.push(await moonshine(window, hints))
    }
    return moderniseSpelling(texts.join(' ').trim())
  }
}

/** The model was trained on old books and writes "to-morrow". */
const moderniseSpelling = (text: string) => text.replace(/\b(to)-(day|morrow|night)\b/giu, '$1$2')

function toFloats(utterance: Sound): Float32Array {
  return Float32Array.from(resample(utterance, MOONSHINE_RATE).samples, (sample) => sample / 32_768)
}

function measureLoudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}

const SAMPLES_IN_FRAME = 320

/** Cuts a long utterance at its quietest points into windows of at most `longest` samples. */
export function splitWindows(utterance: Float32Array, longest: number): readonly Float32Array[] {
  if (utterance.length <= longest) return [utterance]
  const cut = findQuietest(utterance, Math.floor(longest / 2), longest)
  return [utterance.subarray(0, cut), ...splitWindows(utterance.subarray(cut), longest)]
}

/** The middle of the quietest tenth of a second between two positions. */
function findQuietest(samples: Float32Array, from: number, to: number): number {
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
