import type { Place, TextSpan } from '@parley/contracts'
import type { SpokenChunk } from '../chunks/split-chunks.ts'
import type { SourceContext } from '../ports/ingest-store.ts'
import { toEntityKey, isCreator } from './names.ts'
import { type SpeakerName, isMachine, findLabelRole, resolveSpeaker } from './speakers.ts'

/** An uninterrupted part of a chunk's text by one speaker. */
export interface Utterance extends TextSpan {
  readonly speaker: SpeakerName
  readonly place: Place
}

/** Reads the utterances of a source, chunk by chunk. Remembers the speaker, and skips code and quotes. */
export function createUtteranceReader(context: SourceContext): (chunk: SpokenChunk) => Generator<Utterance> {
  // By default a source is the person's own text. The speaker of a conversation is unknown.
  let current: SpeakerName = context.isFromConversation
    ? undefined
    : (context.creatorName ?? context.displayName)
  const isCode = createCodeFinder()

  return function* readUtterances(chunk) {
    const { text, place } = chunk
    const turns = findSpeakerTurns(chunk)
    for (const turn of turns) {
      // Statements of programs are repeated or invented.
      if (isMachine(turn.speaker, context)) continue
      const speaker = resolveSpeaker(turn.speaker, context)
      // A message has one author. Inner labels are quotes.
      for (const { from, to, change } of readBlocks(text, turn, createCodeFinder(), findUnknownSpeaker))
        yield {
          from: from + (change?.skip ?? 0),
          to,
          speaker: change ? change.speaker : speaker,
          place: { ...place, speaker: turn.speaker },
        }
    }
    if (turns.length > 0) return
    const whole = { from: 0, to: text.length }
    const findChange = context.isFromConversation ? findUnknownSpeaker : createChangeFinder(text, context)
    for (const { from, to, change } of readBlocks(text, whole, isCode, findChange)) {
      if (change?.lasts === 'on') current = change.speaker
      const speaker = change ? change.speaker : current
      yield { from: from + (change?.skip ?? 0), to, speaker, place }
    }
  }
}

function findSpeakerTurns({ text, place, turns }: SpokenChunk) {
  if (turns) return turns
  return place.speaker === undefined ? [] : [{ from: 0, to: text.length, speaker: place.speaker }]
}

interface TextBlock extends TextSpan {
  /** The change of speaker in its first line. */
  readonly change?: SpeakerChange
}

/** Reads blocks of adjacent lines, without quotes and code. */
function* readBlocks(
  text: string,
  within: TextSpan,
  isCode: (line: string) => boolean,
  findChange: (line: string, next: number) => SpeakerChange | undefined,
): Generator<TextBlock> {
  let open: TextBlock | undefined
  for (const { from, to } of readLines(text, within)) {
    const line = text.slice(from, to).replace(/\n$/, '')
    const isSkipped = isCode(line) || /^\s*>/.test(line)
    const change = isSkipped ? undefined : findChange(line, to)
    const startsBlock = change !== undefined || open?.change?.lasts === 'this line'
    if (open && (isSkipped || startsBlock)) {
      yield open
      open = undefined
    }
    if (!isSkipped) open = open ? { ...open, to } : { from, to, ...(change && { change }) }
  }
  if (open) yield open
}

function* readLines(text: string, within: TextSpan): Generator<TextSpan> {
  let { from } = within
  while (from < within.to) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? within.to : Math.min(end + 1, within.to)
    yield { from, to }
    from = to
  }
}

/** Returns a function that checks each line in order: code is fenced, or indented after a blank line. */
function createCodeFinder(): (line: string) => boolean {
  let fence: string | undefined
  let previous: 'blank' | 'code' | 'text' = 'blank'
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
      if (previous === 'text') previous = 'blank'
      return false
    }
    previous = previous !== 'text' && /^(?: {4}|\t)/.test(line) ? 'code' : 'text'
    return previous === 'code'
  }
}

// A fence that closes in the same line is inline code.
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/

/** A change of speaker, from a line on or in that line only. */
interface SpeakerChange {
  readonly speaker: SpeakerName
  /** Length of the label. */
  readonly skip: number
  readonly lasts: 'on' | 'this line'
}

/** Finds changes of speaker in plain text: dialogue labels, letters and mails. */
function createChangeFinder(text: string, context: SourceContext) {
  const isDialogue = isDialogueText(text, context)
  return (line: string, next: number): SpeakerChange | undefined => {
    const label = findLabel(line)
    if (label && isDialogue)
      return { speaker: resolveSpeaker(label.name, context), skip: label.length, lasts: 'on' }
    return (
      findMailChange(line, text.slice(next), context) ??
      findLetterChange(line, context) ??
      findUnknownSpeaker(line)
    )
  }
}

const LABEL =
  /^\s*(?:\*\*|__)?((?:\p{Lu}[\p{L}\p{N}.'’-]*)(?: \p{Lu}[\p{L}.'’-]*){0,3})(?: \([^()\n]{1,40}\))?:(?:\*\*|__)?\s+/u

function findLabel(line: string): { name: string; length: number } | undefined {
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

/** Labels form a dialogue if one repeats, or one is the person or a role such as "Interviewer". */
function isDialogueText(text: string, context: SourceContext): boolean {
  const names = text.split('\n').flatMap((line) => findLabel(line)?.name ?? [])
  return names.some(
    (name, at) => isCreator(name, context) || findLabelRole(name) !== undefined || names.indexOf(name) < at,
  )
}

/** Finds chat lines such as "10:02 rui: I …", whose speaker may not be the person. */
function findUnknownSpeaker(line: string): SpeakerChange | undefined {
  const [whole, name = ''] = UNKNOWN_SPEAKER.exec(line) ?? []
  return whole === undefined || FIELDS.has(name.toLowerCase())
    ? undefined
    : { speaker: undefined, skip: whole.length, lasts: 'this line' }
}

const UNKNOWN_SPEAKER =
  /^\s*(?:\[?\d[\d:./, -]{3,24}(?:[AaPp]\.?[Mm]\.?)?\]?\s*(?:[-–]\s*)?)?([^\s:.,;!?]{1,30}(?: [^\s:.,;!?]{1,30})?|\+?\d[\d ()-]{5,20}):\s+(?=(?:I|We|we|My|my|Our|our|Ich|ich|Mein|mein)\b)/u

const SENDER = /^\s*(?:From|Von):\s*([^<@\n]{2,60})/

/** Headers above quoted earlier mails. Lines marked with > are skipped anyway. */
const QUOTED_MAIL =
  /^\s*(?:On\b.{6,120}\bwrote|Am\b.{6,120}\bschrieb\b.{0,80}):\s*$|^\s*[-_]{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Weitergeleitete Nachricht)\b/i

function findMailChange(line: string, rest: string, context: SourceContext): SpeakerChange | undefined {
  const sender = SENDER.exec(line)?.[1]?.trim()
  const isQuoted = QUOTED_MAIL.test(line) && !/^\s*>/.test(rest.slice(0, 200))
  if (sender === undefined && !isQuoted) return undefined
  const isCreators = sender !== undefined && isCreator(sender, context)
  return {
    speaker: isCreators ? (context.creatorName ?? context.displayName) : undefined,
    skip: line.length,
    lasts: 'on',
  }
}

const GREETING =
  /^\s*(?:My dear(?:est)?|Dear(?:est)?|Hi|Hello|Hey|Liebe[rs]?|Hallo) ((?:(?:Dr|Mr|Mrs|Ms|Prof|Captain)\.? )?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2})\s*[,!:—–-]/u

/** The person did not write letters addressed to them, but did write letters to others. */
function findLetterChange(line: string, context: SourceContext): SpeakerChange | undefined {
  const recipient = GREETING.exec(line)?.[1]
  if (recipient === undefined) return undefined
  const creator = context.creatorName ?? context.displayName
  return { speaker: isSamePerson(recipient, creator) ? undefined : creator, skip: 0, lasts: 'on' }
}

function isSamePerson(recipient: string, creator: string): boolean {
  const names = new Set(toEntityKey(creator).split(' '))
  return toEntityKey(recipient)
    .split(' ')
    .some((word) => names.has(word))
}
