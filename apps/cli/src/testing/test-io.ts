import { PassThrough } from 'node:stream'
import type { Io } from '../io.ts'

/** Streams that hold what was written to them. */
export function testIo() {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const io = { stdout, stderr, stdin: new PassThrough(), environment: {} } as unknown as Io
  return { io, said: () => String(stdout.read() ?? ''), told: () => String(stderr.read() ?? '') }
}
