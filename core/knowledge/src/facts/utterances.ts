import type { Place } from '@parley/contracts'
import type { Span } from '../chunks/sentences.ts'
import type { SpokenChunk } from '../chunks/split-chunks.ts'
import type { About } from '../ports/fact-extractor.ts'
import { createCodeFinder } from './code-finder.ts'
import { type Change, changeReader, unknownVoice } from './speaker-changes.ts'
import { isMachine, type Speaker, speakerOf } from './speaker-of.ts'

/** What one speaker says without a break, as a part of a chunk's text. */
export interface Utterance extends Span {
  readonly speaker: Speaker
  readonly place: Place
}

/** Follows who speaks from chunk to chunk of one source. Code, and what was quoted from others, is left out. */
export function createListener(about: About): (chunk: SpokenChunk) => Generator<Utterance> {
  // Until something says otherwise, a source is its person's own; of what was told, nothing says so.
  let current: Speaker = about.isTold ? undefined : (about.creatorName ?? about.displayName)
  const isCode = createCodeFinder()

  return function* utterancesOf(chunk) {
    const { text, place } = chunk
    const turns = turnsOf(chunk)
    for (const turn of turns) {
      // What a machine said, it had from somebody else, or made up.
      if (isMachine(turn.speaker, about)) continue
      const speaker = speakerOf(turn.speaker, about)
      // Nothing within a message makes it another's; it may quote one.
      for (const { from, to, change } of spansIn(text, turn, createCodeFinder(), unknownVoice))
        yield {
          from: from + (change?.skip ?? 0),
          to,
          speaker: change ? change.speaker : speaker,
          place: { ...place, speaker: turn.speaker },
        }
    }
    if (turns.length > 0) return
    const whole = { from: 0, to: text.length }
    const changeIn = about.isTold ? unknownVoice : changeReader(text, about)
    for (const { from, to, change } of spansIn(text, whole, isCode, changeIn)) {
      if (change?.lasts === 'on') current = change.speaker
      const speaker = change ? change.speaker : current
      yield { from: from + (change?.skip ?? 0), to, speaker, place }
    }
  }
}

function turnsOf({ text, place, turns }: SpokenChunk) {
  if (turns) return turns
  return place.speaker === undefined ? [] : [{ from: 0, to: text.length, speaker: place.speaker }]
}

interface Stretch extends Span {
  /** What its first line says of who speaks. */
  readonly change?: Change
}

/** The stretches of lines that stand together, without what is quoted or code. */
function* spansIn(
  text: string,
  within: Span,
  isCode: (line: string) => boolean,
  changeIn: (line: string, next: number) => Change | undefined,
): Generator<Stretch> {
  let open: Stretch | undefined
  for (const { from, to } of linesOf(text, within)) {
    const line = text.slice(from, to).replace(/\n$/, '')
    const isLeftOut = isCode(line) || /^\s*>/.test(line)
    const change = isLeftOut ? undefined : changeIn(line, to)
    const isApart = change !== undefined || open?.change?.lasts === 'this line'
    if (open && (isLeftOut || isApart)) {
      yield open
      open = undefined
    }
    if (!isLeftOut) open = open ? { ...open, to } : { from, to, ...(change && { change }) }
  }
  if (open) yield open
}

function* linesOf(text: string, within: Span): Generator<Span> {
  let { from } = within
  while (from < within.to) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? within.to : Math.min(end + 1, within.to)
    yield { from, to }
    from = to
  }
}
