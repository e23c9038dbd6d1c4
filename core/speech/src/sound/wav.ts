import { PlatformError } from '@parley/contracts'
import type { Sound } from '../ports/speech.ts'
import { decodePcm, encodePcm } from './pcm.ts'

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
  if (readText(bytes, 0) !== 'RIFF' || readText(bytes, 8) !== 'WAVE') throw unreadable()

  let sampleRate: number | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = readText(bytes, at)
    const body = bytes.subarray(at + 8, at + 8 + view.getUint32(at + 4, true))
    if (name === 'fmt ') sampleRate = rateOf(body)
    if (name === 'data' && sampleRate) return { samples: decodePcm(body), sampleRate }
    // A part of odd length is followed by one byte of filling.
    at += 8 + body.length + (body.length % 2)
  }
  throw unreadable()
}

const HEADER_BYTES = 44
const PCM = 1

function rateOf(format: Uint8Array): number {
  if (format.length < 16) throw unreadable()
  const view = new DataView(format.buffer, format.byteOffset, format.byteLength)
  const isOurs =
    view.getUint16(0, true) === PCM && view.getUint16(2, true) === 1 && view.getUint16(14, true) === 16
  if (!isOurs) throw unreadable()
  return view.getUint32(4, true)
}

const unreadable = () =>
  new PlatformError('validation', {
    message: 'This is no WAV file of one channel of 16-bit samples: convert it to that, and try again.',
  })

function writeText(bytes: Uint8Array, at: number, text: string): void {
  bytes.set(
    Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
    at,
  )
}

const readText = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
