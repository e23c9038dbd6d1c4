import type { Span } from '../chunks/sentences.ts'
import type { About } from '../ports/fact-extractor.ts'
import type { Chunk } from '../ports/ingest-store.ts'
import { entityKey } from './entity-key.ts'
import { isCreator } from './is-creator.ts'

/** Whose words they are: undefined where "I" cannot be told. */
export type Speaker = string | undefined

/** What one speaker says without a break, as a part of a chunk's text. */
export interface Utterance extends Span {
  readonly speaker: Speaker
}

/** Follows who speaks from chunk to chunk of one source. */
export function createListener(about: About) {
  const creator = about.creatorName ?? about.displayName
  // Until something says otherwise, a source is its person's own.
  let current: Speaker = creator

  return function* utterancesOf({ text, place }: Chunk): Generator<Utterance> {
    const labelled = place.speaker === undefined && isDialogue(text, about)
    let speaker = place.speaker === undefined ? current : speakerOf(place.speaker, about)
    let from = 0
    for (const line of linesOf(text)) {
      const written = text.slice(line.from, line.to)
      if (/^\s*>/.test(written)) {
        // Quoted from what somebody else wrote.
        if (line.from > from) yield { from, to: line.from, speaker }
        from = line.to
        continue
      }
      const label = labelled ? labelIn(written) : undefined
      const turned = label
        ? { speaker: speakerOf(label.name, about), skip: label.length }
        : turnIn(written, about)
      if (!turned || place.speaker !== undefined) continue
      if (line.from > from) yield { from, to: line.from, speaker }
      speaker = turned.speaker
      from = line.from + turned.skip
    }
    if (from < text.length) yield { from, to: text.length, speaker }
    if (place.speaker === undefined) current = speaker
  }
}

function* linesOf(text: string): Generator<Span> {
  let from = 0
  while (from < text.length) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end + 1
    yield { from, to }
    from = to
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
function isDialogue(text: string, about: About): boolean {
  const names: string[] = []
  for (const { from, to } of linesOf(text)) {
    const label = labelIn(text.slice(from, to))
    if (label) names.push(label.name)
  }
  return names.some(
    (name, at) => isCreator(name, about) || ROLES.has(entityKey(name)) || names.indexOf(name) < at,
  )
}

const ASKS = undefined
const CREATOR = 'creator'

/** Labels that are no names. */
const ROLES: ReadonlyMap<string, typeof ASKS | typeof CREATOR> = new Map([
  ...[
    'interviewer',
    'host',
    'moderator',
    'q',
    'question',
    'journalist',
    'reporter',
    'audience',
    'narrator',
  ].map((role) => [role, ASKS] as const),
  ...[
    'agent',
    'assistant',
    'system',
    'chatgpt',
    'claude',
    'ai',
    'bot',
    'tool',
    'person',
    'unknown',
    'speaker',
  ].map((role) => [role, ASKS] as const),
  ...['answer', 'respondent', 'interviewee', 'me', 'ich', 'user', 'human', 'you'].map(
    (role) => [role, CREATOR] as const,
  ),
])

function speakerOf(name: string, about: About): Speaker {
  const creator = about.creatorName ?? about.displayName
  const key = name.trim() === 'A' ? 'answer' : entityKey(name.replace(/\s*\d+$/, ''))
  if (ROLES.has(key)) return ROLES.get(key) === CREATOR ? creator : undefined
  if (isCreator(name, about)) return creator
  return name.trim() === '' ? undefined : name.trim().slice(0, 80)
}

const GREETING =
  /^\s*(?:My dear(?:est)?|Dear(?:est)?|Hi|Hello|Hey|Liebe[rs]?|Hallo) ((?:(?:Dr|Mr|Mrs|Ms|Prof|Captain)\.? )?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2})\s*[,!:—–-]/u

const SENDER = /^\s*(?:From|Von):\s*([^<@\n]{2,60})/

/** A letter to the person is not theirs; one to somebody else is. */
function turnIn(line: string, about: About): { speaker: Speaker; skip: number } | undefined {
  const creator = about.creatorName ?? about.displayName
  const sender = SENDER.exec(line)?.[1]?.trim()
  if (sender !== undefined)
    return { speaker: isCreator(sender, about) ? creator : undefined, skip: line.length }
  const greeted = GREETING.exec(line)?.[1]
  if (greeted === undefined) return undefined
  return { speaker: isAddressed(greeted, creator) ? undefined : creator, skip: 0 }
}

function isAddressed(greeted: string, creator: string): boolean {
  const names = new Set(entityKey(creator).split(' '))
  return entityKey(greeted)
    .split(' ')
    .some((word) => names.has(word))
}
