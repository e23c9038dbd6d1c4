import type { Place } from '@parley/contracts'
import type { Segment } from '@parley/knowledge'
import { GROUP, MAX_SEGMENT } from '../limits.ts'
import type { Block } from './html-blocks.ts'

/** The blocks under each heading, a few together. */
export function* groupBlocks(blocks: Iterable<Block>, fixed: Place = {}): Generator<Segment> {
  let heading: string | undefined
  let texts: string[] = []
  let length = 0

  const take = (): Segment => {
    const segment = { text: texts.join('\n\n'), place: { ...fixed, ...(heading ? { heading } : {}) } }
    texts = []
    length = 0
    return segment
  }

  for (const { text, kind } of blocks) {
    const isFull = length >= GROUP || length + text.length > MAX_SEGMENT
    if (texts.length > 0 && (isFull || kind === 'heading')) yield take()
    if (kind === 'heading') heading = text
    texts.push(text)
    length += text.length + 2
  }
  if (texts.length > 0) yield take()
}
