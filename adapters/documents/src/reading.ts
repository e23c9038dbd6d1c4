import type { Segment, UnreadableFile } from '@parley/knowledge'
import type { Limits } from './limits.ts'

/** A file that is being read. Its segments may be of any length, and are not cleaned yet. */
export interface Reading {
  readonly title?: string | undefined
  readonly segments: Iterable<Segment> | AsyncIterable<Segment>
  /** What to say where no segment has text. */
  readonly whenEmpty?: string
}

export type Reader = (
  bytes: Uint8Array,
  limits: Limits,
) => Reading | UnreadableFile | Promise<Reading | UnreadableFile>

export const unreadable = (why: string): UnreadableFile => ({ kind: 'unreadable', why })
