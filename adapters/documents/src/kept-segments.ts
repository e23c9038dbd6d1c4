import type { Segment, UnreadableFile } from '@parley/knowledge'
import type { Limits } from './limits.ts'
import { unreadable } from './reading.ts'
import { cleanName } from './text/clean-name.ts'
import { cleanText } from './text/clean-text.ts'
import { splitLong } from './text/split-long.ts'

const BATCH = 2_000
const MAX_KNOWN_NAMES = 1_000

/** Takes segments as readers tell them; cleans, splits and counts them, and hands them over in batches. */
export class KeptSegments {
  count = 0
  #characters = 0
  #batch: Segment[] = []
  readonly #limits: Limits
  readonly #keep: (segments: readonly Segment[]) => void
  /** The same few names come with every message. */
  readonly #names = new Map<string, string>()

  constructor(limits: Limits, keep: (segments: readonly Segment[]) => void) {
    this.#limits = limits
    this.#keep = keep
  }

  /** Whether there is room for more. */
  add(segment: Segment): boolean {
    const place = this.#cleanPlace(segment.place)
    for (const text of splitLong(cleanText(segment.text))) {
      this.count += 1
      this.#characters += text.length
      if (this.#tooMuch()) return false
      this.#batch.push({ text, place })
      if (this.#batch.length === BATCH) this.#handOver()
    }
    return true
  }

  end(): UnreadableFile | undefined {
    const tooMuch = this.#tooMuch()
    if (!tooMuch) this.#handOver()
    return tooMuch
  }

  #tooMuch(): UnreadableFile | undefined {
    const { maxCharacters, maxSegments } = this.#limits
    if (this.#characters > maxCharacters) return tooLong(maxCharacters, 'characters of text')
    if (this.count > maxSegments) return tooLong(maxSegments, 'messages or paragraphs')
    return undefined
  }

  #handOver(): void {
    if (this.#batch.length > 0) this.#keep(this.#batch)
    this.#batch = []
  }

  #cleanPlace(place: Segment['place']): Segment['place'] {
    const { heading: rawHeading, speaker: rawSpeaker, ...rest } = place
    const heading = rawHeading && this.#nameOf(rawHeading)
    const speaker = rawSpeaker && this.#nameOf(rawSpeaker)
    return { ...rest, ...(heading ? { heading } : {}), ...(speaker ? { speaker } : {}) }
  }

  #nameOf(name: string): string {
    const cleaned = this.#names.get(name) ?? cleanName(name)
    if (this.#names.size < MAX_KNOWN_NAMES) this.#names.set(name, cleaned)
    return cleaned
  }
}

const tooLong = (limit: number, what: string): UnreadableFile =>
  unreadable(`The file has more than ${limit} ${what}: split it into smaller files.`)
