import type { Place } from '@parley/contracts'
import type { Span } from '../chunks/sentences.ts'
import type { SpokenChunk } from '../chunks/split-chunks.ts'
import type { About } from '../ports/ingest-store.ts'
import { entityKey, isCreator } from './names.ts'
import { type Speaker, isMachine, roleOf, speakerOf } from './speakers.ts'

/** What one speaker says without a break, as a part of a chunk's text. */
export interface Utterance extends Span {
  readonly speaker: Speaker
  readonly place: Place
}

/** Follows the speaker from chunk to chunk of one source. Code and quotes of others are left out. */
export function createListener(about: About): (chunk: SpokenChunk) => Generator<Utterance> {
  // Until something says otherwise, a source is its person's own; of what was told, nothing says so.
  let current: Speaker = about.isFromConversation ? undefined : (about.creatorName ?? about.displayName)
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
    const changeIn = about.isFromConversation ? unknownVoice : changeReader(text, about)
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

/** Blocks of adjacent lines, without quotes and code. */
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

/** Tells of each line in its turn whether it is code: fenced, or set in after a blank line. */
function createCodeFinder(): (line: string) => boolean {
  let fence: string | undefined
  let before: 'blank' | 'code' | 'text' = 'blank'
  return (line) => {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return true
    }
    if (mark !== undefined) {
      fence = mark
      return true
    }
    if (line.trim() === '') {
      if (before === 'text') before = 'blank'
      return false
    }
    before = before !== 'text' && /^(?: {4}|\t)/.test(line) ? 'code' : 'text'
    return before === 'code'
  }
}

// What opens and closes within one line is no block.
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/

/** That from a line on, or in it alone, somebody else speaks. */
interface Change {
  readonly speaker: Speaker
  /** How many characters of the line only say so. */
  readonly skip: number
  readonly lasts: 'on' | 'this line'
}

/** Reads from the lines of a text that nobody has told apart who speaks: labels of a dialogue, letters, mails. */
function changeReader(text: string, about: About) {
  const isDialogue = labelsMakeDialogue(text, about)
  return (line: string, next: number): Change | undefined => {
    const label = labelIn(line)
    if (label && isDialogue) return { speaker: speakerOf(label.name, about), skip: label.length, lasts: 'on' }
    return mailChange(line, text.slice(next), about) ?? letterChange(line, about) ?? unknownVoice(line)
  }
}

const LABEL =
  /^\s*(?:\*\*|__)?((?:\p{Lu}[\p{L}\p{N}.'’-]*)(?: \p{Lu}[\p{L}.'’-]*){0,3})(?: \([^()\n]{1,40}\))?:(?:\*\*|__)?\s+/u

function labelIn(line: string): { name: string; length: number } | undefined {
  const found = LABEL.exec(line)
  const name = found?.[1]
  if (!found || name === undefined || FIELDS.has(name.toLowerCase())) return undefined
  return { name, length: found[0].length }
}

const FIELDS = new Set(
  `note notes address date subject from to cc phone email e-mail location education experience employment skills languages
  interests hobbies references ps p.s todo warning example summary name title author ingredients method serves time place
  monday tuesday wednesday thursday friday saturday sunday edit update born died website url page chapter`.split(
    /\s+/,
  ),
)

/** Lines that begin with names make a dialogue if somebody speaks twice, or one is known to be who asks or who is asked. */
function labelsMakeDialogue(text: string, about: About): boolean {
  const names = text.split('\n').flatMap((line) => labelIn(line)?.name ?? [])
  return names.some(
    (name, at) => isCreator(name, about) || roleOf(name) !== undefined || names.indexOf(name) < at,
  )
}

/** "10:02 rui: I …": whoever that is, it need not be the person. */
function unknownVoice(line: string): Change | undefined {
  const [whole, name = ''] = UNKNOWN_VOICE.exec(line) ?? []
  return whole === undefined || FIELDS.has(name.toLowerCase())
    ? undefined
    : { speaker: undefined, skip: whole.length, lasts: 'this line' }
}

const UNKNOWN_VOICE =
  /^\s*(?:\[?\d[\d:./, -]{3,24}(?:[AaPp]\.?[Mm]\.?)?\]?\s*(?:[-–]\s*)?)?([^\s:.,;!?]{1,30}(?: [^\s:.,;!?]{1,30})?|\+?\d[\d ()-]{5,20}):\s+(?=(?:I|We|we|My|my|Our|our|Ich|ich|Mein|mein)\b)/u

const SENDER = /^\s*(?:From|Von):\s*([^<@\n]{2,60})/

/** What somebody wrote before, below an answer to it; marked lines are left out by themselves. */
const WRITTEN_BEFORE =
  /^\s*(?:On\b.{6,120}\bwrote|Am\b.{6,120}\bschrieb\b.{0,80}):\s*$|^\s*[-_]{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Weitergeleitete Nachricht)\b/i

function mailChange(line: string, rest: string, about: About): Change | undefined {
  const sender = SENDER.exec(line)?.[1]?.trim()
  const isBefore = WRITTEN_BEFORE.test(line) && !/^\s*>/.test(rest.slice(0, 200))
  if (sender === undefined && !isBefore) return undefined
  const isTheirs = sender !== undefined && isCreator(sender, about)
  return {
    speaker: isTheirs ? (about.creatorName ?? about.displayName) : undefined,
    skip: line.length,
    lasts: 'on',
  }
}

const GREETING =
  /^\s*(?:My dear(?:est)?|Dear(?:est)?|Hi|Hello|Hey|Liebe[rs]?|Hallo) ((?:(?:Dr|Mr|Mrs|Ms|Prof|Captain)\.? )?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2})\s*[,!:—–-]/u

/** A letter to the person is not theirs; one to somebody else is. */
function letterChange(line: string, about: About): Change | undefined {
  const greeted = GREETING.exec(line)?.[1]
  if (greeted === undefined) return undefined
  const creator = about.creatorName ?? about.displayName
  return { speaker: isAddressed(greeted, creator) ? undefined : creator, skip: 0, lasts: 'on' }
}

function isAddressed(greeted: string, creator: string): boolean {
  const names = new Set(entityKey(creator).split(' '))
  return entityKey(greeted)
    .split(' ')
    .some((word) => names.has(word))
}
