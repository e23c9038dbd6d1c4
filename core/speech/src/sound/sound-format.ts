import type { Sound } from '../ports/speech.ts'
import { decodePcm, encodePcm } from './pcm.ts'
import { resample } from './resample.ts'

/** μ-law as in G.711: a byte of sign, exponent and mantissa, all inverted. */
function decodeUlaw(bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, decodeByte)
}

function encodeUlaw(samples: Int16Array): Uint8Array {
  return Uint8Array.from(samples, encodeSample)
}

const BIAS = 132
const LOUDEST = 32_635

function decodeByte(byte: number): number {
  const bits = ~byte
  const exponent = (bits >> 4) & 7
  const magnitude = ((((bits & 15) << 3) + BIAS) << exponent) - BIAS
  return bits & 128 ? -magnitude : magnitude
}

function encodeSample(sample: number): number {
  const sign = sample < 0 ? 128 : 0
  const biased = Math.min(Math.abs(sample), LOUDEST) + BIAS
  const exponent = 24 - Math.clz32(biased)
  const mantissa = (biased >> (exponent + 3)) & 15
  return ~(sign | (exponent << 4) | mantissa) & 255
}

/** How sound travels: one channel, little-endian. */
export const SOUND_FORMATS = {
  pcm_8000: { encoding: 'pcm', sampleRate: 8_000 },
  pcm_16000: { encoding: 'pcm', sampleRate: 16_000 },
  pcm_22050: { encoding: 'pcm', sampleRate: 22_050 },
  pcm_24000: { encoding: 'pcm', sampleRate: 24_000 },
  pcm_44100: { encoding: 'pcm', sampleRate: 44_100 },
  pcm_48000: { encoding: 'pcm', sampleRate: 48_000 },
  ulaw_8000: { encoding: 'ulaw', sampleRate: 8_000 },
} as const satisfies Record<string, { readonly encoding: Encoding; readonly sampleRate: number }>

export type SoundFormat = keyof typeof SOUND_FORMATS

type Encoding = 'pcm' | 'ulaw'

interface Codec {
  readonly decode: (bytes: Uint8Array) => Int16Array
  readonly encode: (samples: Int16Array) => Uint8Array
}

const CODECS: Record<Encoding, Codec> = {
  pcm: { decode: decodePcm, encode: encodePcm },
  ulaw: { decode: decodeUlaw, encode: encodeUlaw },
}

export function isSoundFormat(name: string): name is SoundFormat {
  return Object.hasOwn(SOUND_FORMATS, name)
}

export function decodeSound(bytes: Uint8Array, format: SoundFormat): Sound {
  const { encoding, sampleRate } = SOUND_FORMATS[format]
  return { samples: CODECS[encoding].decode(bytes), sampleRate }
}

export function encodeSound(sound: Sound, format: SoundFormat): Uint8Array {
  const { encoding, sampleRate } = SOUND_FORMATS[format]
  return CODECS[encoding].encode(resample(sound, sampleRate).samples)
}
