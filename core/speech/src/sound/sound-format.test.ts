import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlatformError } from '@parley/contracts'
import {
  SOUND_FORMATS,
  type SoundFormat,
  decodeSound,
  decodeWav,
  encodeSound,
  encodeWav,
  isSoundFormat,
} from './sound-format.ts'

const FORMATS = Object.keys(SOUND_FORMATS).filter((name) => isSoundFormat(name))
const anySamples = fc.int16Array({ maxLength: 400 })

test.each(FORMATS.filter((name) => name.startsWith('pcm')))(
  '[X2] encoding and decoding %s keeps the samples',
  (format) => {
    const { sampleRate } = SOUND_FORMATS[format]
    fc.assert(
      fc.property(anySamples, (given) => {
        const bytes = encodeSound({ samples: given, sampleRate }, format)
        expect(decodeSound(bytes, format)).toEqual({ samples: given, sampleRate })
      }),
    )
  },
)

test.each<[string, Uint8Array, number[]]>([
  ['little-endian', Uint8Array.of(0x34, 0x12, 0xff, 0xff), [0x1234, -1]],
  ['an incomplete last sample is ignored', Uint8Array.of(1, 0, 7), [1]],
  ['a part of a larger buffer', Uint8Array.of(9, 9, 9, 2, 0).subarray(3), [2]],
])('[X2] PCM: %s', (_, bytes, expected) => {
  expect([...decodeSound(bytes, 'pcm_16000').samples]).toEqual(expected)
})

test.each<[number, number]>([
  [0, 0xff],
  [4, 0xff - 1],
  [-4, 0x7f - 1],
  [1_000, 0xce],
  [-1_000, 0x4e],
  [32_767, 0x80],
  [-32_768, 0x00],
])('[X2] μ-law encodes %i as in G.711', (sample, byte) => {
  expect([...encodeSound({ samples: Int16Array.of(sample), sampleRate: 8_000 }, 'ulaw_8000')]).toEqual([byte])
})

test('[X2] μ-law keeps every sample within a sixteenth of its size', () => {
  fc.assert(
    fc.property(anySamples, (given) => {
      const { samples: heard } = decodeSound(
        encodeSound({ samples: given, sampleRate: 8_000 }, 'ulaw_8000'),
        'ulaw_8000',
      )
      for (const [index, sample] of given.entries())
        expect(Math.abs((heard[index] ?? NaN) - sample)).toBeLessThanOrEqual(Math.abs(sample) / 16 + 133)
    }),
  )
})

test('[X2] decoding and encoding a μ-law byte returns it', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const again = encodeSound(decodeSound(bytes, 'ulaw_8000'), 'ulaw_8000')
  // Of the two zeros, the encoder uses one.
  expect(again).toEqual(bytes.map((byte) => (byte === 0x7f ? 0xff : byte)))
})

const SAMPLE_BYTES: Record<SoundFormat, number> = {
  pcm_8000: 2,
  pcm_16000: 2,
  pcm_22050: 2,
  pcm_24000: 2,
  pcm_44100: 2,
  pcm_48000: 2,
  ulaw_8000: 1,
}

test.each(FORMATS)('[X2] a second of sound has the right size in %s', (format) => {
  const second = { samples: new Int16Array(16_000), sampleRate: 16_000 }
  expect(encodeSound(second, format)).toHaveLength(SOUND_FORMATS[format].sampleRate * SAMPLE_BYTES[format])
})

test.each([
  ['pcm_16000', true],
  ['mp3_44100_128', false],
  ['toString', false],
])('[X2] %s is a supported format: %s', (name, expected) => {
  expect(isSoundFormat(name)).toBe(expected)
})

test('[X2] a WAV file decodes to the encoded sound', () => {
  fc.assert(
    fc.property(fc.int16Array({ maxLength: 200 }), fc.constantFrom(8_000, 22_050), (samples, sampleRate) => {
      expect(decodeWav(encodeWav({ samples, sampleRate }))).toEqual({ samples, sampleRate })
    }),
  )
})

const file = encodeWav({ samples: Int16Array.of(1, 2), sampleRate: 16_000 })
const changeByte = (at: number, byte: number) => file.with(at, byte)

test('[X2] unknown chunks and their padding are skipped', () => {
  const note = Uint8Array.of(...new TextEncoder().encode('LIST'), 3, 0, 0, 0, 9, 9, 9, 0)
  const noted = Uint8Array.of(...file.subarray(0, 12), ...note, ...file.subarray(12))
  expect(decodeWav(noted).samples).toEqual(Int16Array.of(1, 2))
})

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['text', new TextEncoder().encode('This is a letter, and no sound at all.')],
  ['a file without its sound', file.subarray(0, 36)],
  ['two channels', changeByte(22, 2)],
  ['samples of eight bits', changeByte(34, 8)],
  ['another encoding', changeByte(20, 7)],
])('[X2] %s is rejected', (_, bytes) => {
  expect(() => decodeWav(bytes)).toThrow(expect.objectContaining({ code: 'validation' }))
})

test('[X2] any bytes are either decoded or rejected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(44), (bytes, at) => {
      const broken = Uint8Array.of(...file.subarray(0, at), ...bytes)
      expect(['read', 'validation']).toContain(tryDecode(broken))
    }),
  )
})

function tryDecode(bytes: Uint8Array): unknown {
  try {
    decodeWav(bytes)
    return 'read'
  } catch (error) {
    return error instanceof PlatformError ? error.code : error
  }
}
