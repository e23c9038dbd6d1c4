import { type Format, type Span, span } from './span.ts'

export interface Parsed {
  readonly spans: readonly Span[]
  /** How much of the text they stand for. The rest can be read only with what comes after it. */
  readonly used: number
}

/** A place in a line at which something may begin. */
export interface At {
  readonly text: string
  readonly place: number
  readonly previous: string
  readonly format: readonly Format[]
  /** Whether the text is the end of the line, or more may come. */
  readonly isWhole: boolean
  /** Marks that nothing up to the end of the text closes. */
  readonly unclosed: Set<string>
  /** Reads what stands within something else. */
  readonly inner: (text: string, format: readonly Format[], before: string) => readonly Span[]
}

/** Undefined where it is not known yet. */
export type Reader = (at: At) => Parsed | undefined

/** What is opened is closed within so many characters, or means itself. */
export const FARTHEST = 500

export const literally = ({ text, place, format }: At, length: number): Parsed => ({
  spans: [span(text.slice(place, place + length), format)],
  used: length,
})

/** Notes that nothing closes this; only if all of the text was looked through. */
export function noteUnclosed({ text, place, unclosed }: At, mark: string): void {
  if (text.length < place + FARTHEST) unclosed.add(mark)
}

/** Whether what was not found can still come. */
export const mayCome = ({ text, place, isWhole }: At): boolean => !isWhole && text.length < place + FARTHEST
