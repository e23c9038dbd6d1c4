import { once } from 'node:events'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createCallAudio } from './call-audio.ts'
import { createSoundFrames } from './conversation-server.fixture.ts'
import { createCallListener } from './call-listener.ts'

test('[X2] a sentence stays whole if the server is busy while the rest arrives', async () => {
  const recognised = Promise.withResolvers<number>()
  const listener = createCallListener({
    recogniser: {
      async recognise({ samples, sampleRate }) {
        recognised.resolve(samples.length / sampleRate)
        return 'hello'
      },
    },
    hints: [],
    format: 'pcm_16000',
    audio: createCallAudio(0),
    now: () => performance.now(),
    onSpeech: () => {},
    onUtterance: () => {},
    onNotUnderstood: () => {},
    onFailure: recognised.reject,
  })
  onTestFinished(() => listener.close())
  const person = await connectTo((bytes) => listener.hear(bytes))

  person.write(speech(0))
  await expect.poll(() => listener.isPersonSpeaking()).toBe(true)
  // After this, Node runs timers before it reads sockets.
  await nextLoop()
  person.write(speech(1))
  stayBusy(1_200)
  expect(await recognised.promise).toBeGreaterThan(1.5)
})

/** A second of speech, and a pause. */
const speech = (pauseSeconds: number): Buffer =>
  Buffer.concat(
    createSoundFrames(pauseSeconds).map(({ user_audio_chunk: chunk }) => Buffer.from(chunk, 'base64')),
  )

const stayBusy = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

async function connectTo(hear: (bytes: Buffer) => void) {
  const server = createServer((socket) => socket.on('data', hear)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  return socket
}
