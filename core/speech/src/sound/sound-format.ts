import { PlatformError } from '@parley/contracts'
import type { Sound } from '../ports/speech.ts'
import { resample } from './resample.ts'

/** Signed 16-bit samples, little-endian. An odd last byte is ignored. */
function decodePcm(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Int16Array(bytes.length >> 1)
  for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(index * 2, true)
  return samples
}

function encodePcm(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < samples.length; index += 1) view.setInt16(index * 2, samples[index] ?? 0, true)
  return bytes
}

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

/** Wire formats: one channel, little-endian. */
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

/** A sound as a WAV file. */
export function encodeWav({ samples, sampleRate }: Sound): Uint8Array {
  const data = encodePcm(samples)
  const bytes = new Uint8Array(HEADER_BYTES + data.length)
  const view = new DataView(bytes.buffer)
  writeText(bytes, 0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  writeText(bytes, 8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, PCM, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  writeText(bytes, 36, 'data')
  view.setUint32(40, data.length, true)
  bytes.set(data, HEADER_BYTES)
  return bytes
}

/** Reads a WAV file of one channel of 16-bit samples. */
export function decodeWav(bytes: Uint8Array): Sound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (readText(bytes, 0) !== 'RIFF' || readText(bytes, 8) !== 'WAVE') throw createUnreadableError()

  let sampleRate: number | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = readText(bytes, at)
    const body = bytes.subarray(at + 8, at + 8 + view.getUint32(at + 4, true))
    if (name === 'fmt ') sampleRate = readSampleRate(body)
    if (name === 'data' && sampleRate) return { samples: decodePcm(body), sampleRate }
    // Chunks of odd length are padded by one byte.
    at += 8 + body.length + (body.length % 2)
  }
  throw createUnreadableError()
}

const HEADER_BYTES = 44
const PCM = 1

function readSampleRate(format: Uint8Array): number {
  if (format.length < 16) throw createUnreadableError()
  const view = new DataView(format.buffer, format.byteOffset, format.byteLength)
  const isOurs =
    view.getUint16(0, true) === PCM && view.getUint16(2, true) === 1 && view.getUint16(14, true) === 16
  if (!isOurs) throw createUnreadableError()
  return view.getUint32(4, true)
}

const createUnreadableError = () =>
  new PlatformError('validation', {
    message: 'Not a WAV file with one channel of 16-bit samples. Convert it and try again.',
  })

function writeText(bytes: Uint8Array, at: number, text: string): void {
  bytes.set(
    Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
    at,
  )
}

const readText = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
