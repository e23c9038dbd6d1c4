import { createHash, createHmac, randomFillSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createIdSource } from '@parley/engine'
import type { Wait } from '@parley/engine'

// Node's ids, clock, hash and bytes for the pure core.

const IDS = createIdSource(randomFillSync)

export const newSessionId = () => IDS.sessionId()

/** Waits for the time, or until the signal aborts. */
export const wait: Wait = (ms, signal) => pause(ms, undefined, { signal }).catch(() => {})

export const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest()

export const sha256 = (text: string): string => computeDigest(text).toString('hex')

export const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex')

export const bytesOf = (text: string): Uint8Array => Buffer.from(text)
