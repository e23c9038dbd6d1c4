import { MAX_SOURCE_BYTES } from '@parley/contracts'

/** How much of a file is read, and what reading it may take. */
export interface Limits {
  readonly maxBytes: number
  readonly maxCharacters: number
  readonly maxSegments: number
  readonly maxPages: number
  readonly maxMilliseconds: number
  /** Of a thread's objects. */
  readonly maxHeapMegabytes: number
  /** Of a thread's buffers, which do not count as its heap. */
  readonly maxBufferMegabytes: number
}

export const LIMITS: Limits = {
  maxBytes: MAX_SOURCE_BYTES,
  maxCharacters: 20_000_000,
  maxSegments: 1_500_000,
  maxPages: 2_000,
  maxMilliseconds: 120_000,
  maxHeapMegabytes: 512,
  maxBufferMegabytes: 768,
}

/** The longest text of one segment, in characters. */
export const MAX_SEGMENT = 4_000

/** Paragraphs are put together until they are about this long. */
export const GROUP = 1_500
