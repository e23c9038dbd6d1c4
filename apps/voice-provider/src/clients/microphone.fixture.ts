import { encodeSound, SOUND_FORMATS, type SoundFormat } from '@parley/speech'

const EVERY_MS = 50

interface Playing {
  left: Uint8Array
  readonly done: () => void
}

/** A microphone in real time: sends the queued sound, and silence between. */
export function startMicrophone(send: (audio: Buffer) => void, format: SoundFormat) {
  const silence = encodeSound({ samples: new Int16Array(16_000), sampleRate: 16_000 }, format)
  const bytesASample = SOUND_FORMATS[format].encoding === 'pcm' ? 2 : 1
  const startedAt = performance.now()
  let playing: Playing | undefined
  let sentSamples = 0

  const sendDue = () => {
    const elapsed = (performance.now() - startedAt) / 1_000
    const due = Math.floor(elapsed * SOUND_FORMATS[format].sampleRate) - sentSamples
    sentSamples += due
    for (let left = due * bytesASample; left > 0;) {
      const piece = (playing?.left ?? silence).subarray(0, left)
      left -= piece.length
      send(Buffer.from(piece))
      if (!playing) continue
      playing.left = playing.left.subarray(piece.length)
      if (playing.left.length > 0) continue
      playing.done()
      playing = undefined
    }
  }

  const timer = setInterval(sendDue, EVERY_MS)
  return {
    /** Resolves when all was sent. */
    play: (bytes: Uint8Array) =>
      new Promise<void>((done) => {
        playing = { left: bytes, done }
      }),
    stop: () => clearInterval(timer),
  }
}
