import { PlatformError } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeWav, encodeWav } from './wav.ts'

test('[X2] a WAV file comes back as the sound that it was', () => {
  fc.assert(
    fc.property(fc.int16Array({ maxLength: 200 }), fc.constantFrom(8_000, 22_050), (samples, sampleRate) => {
      expect(decodeWav(encodeWav({ samples, sampleRate }))).toEqual({ samples, sampleRate })
    }),
  )
})

const file = encodeWav({ samples: Int16Array.of(1, 2), sampleRate: 16_000 })
const withByte = (at: number, byte: number) => file.with(at, byte)

test('[X2] a part that is not known is passed over, with its filling', () => {
  const note = Uint8Array.of(...new TextEncoder().encode('LIST'), 3, 0, 0, 0, 9, 9, 9, 0)
  const noted = Uint8Array.of(...file.subarray(0, 12), ...note, ...file.subarray(12))
  expect(decodeWav(noted).samples).toEqual(Int16Array.of(1, 2))
})

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['text', new TextEncoder().encode('This is a letter, and no sound at all.')],
  ['a file without its sound', file.subarray(0, 36)],
  ['two channels', withByte(22, 2)],
  ['samples of eight bits', withByte(34, 8)],
  ['another encoding', withByte(20, 7)],
])('[X2] %s is refused', (_, bytes) => {
  expect(() => decodeWav(bytes)).toThrow(expect.objectContaining({ code: 'validation' }))
})

test('[X2] whatever bytes come, they are a sound or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(44), (bytes, at) => {
      const broken = Uint8Array.of(...file.subarray(0, at), ...bytes)
      expect(['read', 'validation']).toContain(outcomeOf(broken))
    }),
  )
})

function outcomeOf(bytes: Uint8Array): unknown {
  try {
    decodeWav(bytes)
    return 'read'
  } catch (error) {
    return error instanceof PlatformError ? error.code : error
  }
}
