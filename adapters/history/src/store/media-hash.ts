import { createHash } from 'node:crypto'
import type { MediaHandle } from '@parley/contracts'

const PREFIX = 'media://sha256-'

export const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

export const handleOf = (hash: Buffer): MediaHandle => `${PREFIX}${hash.toString('hex')}`

export const hashIn = (handle: MediaHandle): Buffer => Buffer.from(handle.slice(PREFIX.length), 'hex')
