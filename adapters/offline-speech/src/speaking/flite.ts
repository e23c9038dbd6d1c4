import { type Sound, type SpokenStyle, decodeWav } from '@parley/speech'

const SLOWEST = 0.5
const FASTEST = 2

/** Speaks with flite, a small synthesiser compiled to WebAssembly. */
export function createFlite(program: Uint8Array<ArrayBuffer>): (text: string, style: SpokenStyle) => Sound {
  const module = new WebAssembly.Module(program)
  return (text, { voiceId, speed = 1 }) => {
    const plain = toAscii(text)
    if (plain === '') return { samples: new Int16Array(), sampleRate: 16_000 }
    const stretch = 1 / Math.min(FASTEST, Math.max(SLOWEST, speed))
    const style = `-voice ${findVoiceName(voiceId)} --setf duration_stretch=${stretch}`.split(' ')
    return decodeWav(runWasi(module, ['flite', ...style, '-t', plain, '-o', 'spoken.wav']))
  }
}

/** flite's name for each voice id. */
const VOICES: Readonly<Record<string, string>> = { slt: 'slt', rms: 'rms', awb: 'awb', kal: 'kal16' }

const DEFAULT_VOICE = 'slt'

function findVoiceName(voiceId: string | undefined): string {
  return voiceId !== undefined && Object.hasOwn(VOICES, voiceId)
    ? (VOICES[voiceId] ?? DEFAULT_VOICE)
    : DEFAULT_VOICE
}

// flite reads ASCII only: replace common symbols, drop the rest.
const REPLACEMENTS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/[‘’]/gu, "'"],
  [/[–—―]/gu, ', '],
  [/…/gu, '...'],
  [/&/gu, ' and '],
  [/€\s?(\d[\d.,]*)/gu, '$1 euros '],
  [/£\s?(\d[\d.,]*)/gu, '$1 pounds '],
  [/°/gu, ' degrees '],
  [/ß/gu, 'ss'],
  [/æ/giu, 'ae'],
  [/œ/giu, 'oe'],
  [/ø/giu, 'o'],
  [/ł/giu, 'l'],
  [/[^\x21-\x7E]+/gu, ' '],
]

// About a minute of speech.
const MAX_LENGTH = 1_000

/** Bounded ASCII text for flite; '' if there is nothing to say. */
export function toAscii(text: string): string {
  let plain = text.slice(0, MAX_LENGTH).normalize('NFKD').replace(/\p{M}/gu, '')
  for (const [pattern, replacement] of REPLACEMENTS) plain = plain.replace(pattern, replacement)
  plain = plain.trim().slice(0, MAX_LENGTH)
  return /[a-z0-9]/iu.test(plain) ? plain : ''
}

/**
 * Runs a command-line program that writes one file, and returns that file. The program is sandboxed: it sees its
 * arguments and an empty folder, but no files, clock or output of this machine.
 */
function runWasi(program: WebAssembly.Module, parameters: readonly string[]): Uint8Array {
  const written: Uint8Array[] = []
  const words = parameters.map((word) => new TextEncoder().encode(`${word}\0`))
  const memory = () => (instance.exports['memory'] as WebAssembly.Memory).buffer
  const setNumber = (at: number, value: number) => new DataView(memory()).setUint32(at, value, true)

  const instance = new WebAssembly.Instance(program, {
    wasi_snapshot_preview1: {
      args_sizes_get(count: number, size: number) {
        setNumber(count, words.length)
        setNumber(
          size,
          words.reduce((sum, word) => sum + word.length, 0),
        )
        return DONE
      },
      args_get(pointers: number, text: number) {
        let at = text
        for (const [index, word] of words.entries()) {
          setNumber(pointers + 4 * index, at)
          new Uint8Array(memory()).set(word, at)
          at += word.length
        }
        return DONE
      },
      fd_prestat_get(descriptor: number, answer: number) {
        if (descriptor !== FOLDER) return BAD_DESCRIPTOR
        setNumber(answer, 0)
        setNumber(answer + 4, 1)
        return DONE
      },
      fd_prestat_dir_name(_descriptor: number, name: number) {
        new Uint8Array(memory())[name] = '/'.charCodeAt(0)
        return DONE
      },
      path_open(...parts: readonly unknown[]) {
        setNumber(Number(parts.at(-1)), FILE)
        return DONE
      },
      fd_write(descriptor: number, pieces: number, count: number, length: number) {
        const view = new DataView(memory())
        let sum = 0
        for (let piece = pieces; piece < pieces + 8 * count; piece += 8) {
          const at = view.getUint32(piece, true)
          const bytes = new Uint8Array(memory().slice(at, at + view.getUint32(piece + 4, true)))
          if (descriptor === FILE) written.push(bytes)
          sum += bytes.length
        }
        setNumber(length, sum)
        return DONE
      },
      clock_time_get(_clock: number, _precision: bigint, answer: number) {
        new DataView(memory()).setBigUint64(answer, 0n, true)
        return DONE
      },
      fd_fdstat_get(_descriptor: number, answer: number) {
        new Uint8Array(memory()).fill(0, answer, answer + 24)
        return DONE
      },
      fd_close: () => DONE,
      fd_fdstat_set_flags: () => DONE,
      fd_read: () => BAD_DESCRIPTOR,
      fd_seek: () => BAD_DESCRIPTOR,
      proc_exit: (code: number) => {
        throw new ProgramExit(code)
      },
    },
  })
  startProgram(instance)
  return Buffer.concat(written)
}

const DONE = 0
const BAD_DESCRIPTOR = 8
const FOLDER = 3
const FILE = 4

class ProgramExit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`The program ended with code ${code}.`)
    this.code = code
  }
}

function startProgram(instance: WebAssembly.Instance): void {
  try {
    ;(instance.exports['_start'] as () => void)()
  } catch (error) {
    if (!(error instanceof ProgramExit && error.code === 0)) throw error
  }
}
