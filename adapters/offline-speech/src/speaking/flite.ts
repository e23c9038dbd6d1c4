import { decodeWav, type Sound, type SpokenStyle } from '@parley/speech'
import { plainLetters } from './plain-letters.ts'
import { runWasi } from './run-wasi.ts'
import { voiceOf } from './voices.ts'

const SLOWEST = 0.5
const FASTEST = 2

/** Speaks with flite, a small synthesiser that is compiled to WebAssembly. */
export function createFlite(program: Uint8Array<ArrayBuffer>): (text: string, style: SpokenStyle) => Sound {
  const module = new WebAssembly.Module(program)
  return (text, { voiceId, speed = 1 }) => {
    const plain = plainLetters(text)
    if (plain === '') return { samples: new Int16Array(), sampleRate: 16_000 }
    const stretch = 1 / Math.min(FASTEST, Math.max(SLOWEST, speed))
    const style = `-voice ${voiceOf(voiceId)} --setf duration_stretch=${stretch}`.split(' ')
    return decodeWav(runWasi(module, ['flite', ...style, '-t', plain, '-o', 'spoken.wav']))
  }
}
