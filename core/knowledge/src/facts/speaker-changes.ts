import type { About } from '../ports/fact-extractor.ts'
import { entityKey } from './entity-key.ts'
import { isCreator } from './is-creator.ts'
import { roleOf, type Speaker, speakerOf } from './speaker-of.ts'

/** That from a line on, or in it alone, somebody else speaks. */
export interface Change {
  readonly speaker: Speaker
  /** How many characters of the line only say so. */
  readonly skip: number
  readonly lasts: 'on' | 'this line'
}

/** Reads from the lines of a text that nobody has told apart who speaks: labels of a dialogue, letters, mails. */
export function changeReader(text: string, about: About) {
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
export function unknownVoice(line: string): Change | undefined {
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
