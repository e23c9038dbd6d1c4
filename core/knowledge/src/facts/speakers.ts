import type { About } from '../ports/ingest-store.ts'
import { entityKey, isCreator } from './names.ts'

/** Whose words they are: undefined where "I" cannot be told. */
export type Speaker = string | undefined

/** The person behind a label or a sender. A number or a sign is nobody. */
export function speakerOf(name: string, about: About): Speaker {
  const role = roleOf(name)
  if (role === 'creator' || isCreator(name, about)) return about.creatorName ?? about.displayName
  if (role !== undefined || ACCOUNT.test(name.trim())) return undefined
  const spoken = name.replace(AROUND, '').trim().slice(0, LONGEST_NAME)
  return /\p{L}{2}/u.test(spoken) ? spoken : undefined
}

/** Whether it is the label of a program that talks, unless the person is called so. */
export const isMachine = (name: string, about: About): boolean =>
  roleOf(name) === 'machine' && !isCreator(name, about)

/** Labels that are no names. */
export function roleOf(name: string): LabelRole | undefined {
  return ROLES.get(name.trim() === 'A' ? 'answer' : entityKey(name.replace(/\s*\d+$/, '')))
}

const LONGEST_NAME = 80

/** As an app writes who has no name: an id of its own. */
const ACCOUNT = /^(?=.*\d)[A-Z][A-Z\d]{6,}$/

/** What stands around a name and is none: signs, numbers, emoji. */
const AROUND = /^[^\p{L}]+|[^\p{L}\p{M}.]+$/gu

type LabelRole = 'asks' | 'machine' | 'creator'

const ASK =
  'interviewer host moderator q question journalist reporter audience narrator person unknown speaker'
const MACHINE = 'agent assistant system chatgpt claude ai bot tool'
const ANSWER = 'answer respondent interviewee me ich user human you'

const ROLES: ReadonlyMap<string, LabelRole> = new Map([
  ...ASK.split(' ').map((role) => [role, 'asks'] as const),
  ...MACHINE.split(' ').map((role) => [role, 'machine'] as const),
  ...ANSWER.split(' ').map((role) => [role, 'creator'] as const),
])

/** Words of a source, and whose they are. */
export interface Quoted {
  readonly speaker: Speaker
  readonly quote: string
}

/**
 * Whether words count for a subject: of the person, and of what is theirs, only the person tells. What somebody told in a
 * conversation counts too, for it waits for approval, where it speaks of the person by name.
 */
export function mayTell({ speaker, quote }: Quoted, subject: string, about: About): boolean {
  if (speaker === (about.creatorName ?? about.displayName)) return true
  const [owner = ''] = subject.split(/['’]s\s/)
  if (!isCreator(owner, about)) return true
  return about.isFromConversation === true && isNamed(quote, about) && !OF_ONESELF.test(quote)
}

const OF_ONESELF =
  /(?<![\p{L}\p{N}])(?:I|me|my|mine|myself|we|us|our|ours|ich|mich|mir|mein\p{L}*|wir|uns\p{L}*)(?![\p{L}\p{N}])/iu

function isNamed(quote: string, { displayName, creatorName = displayName }: About): boolean {
  const words = new Set(quote.split(/[^\p{L}\p{M}\p{N}]+/u).map(entityKey))
  return [displayName, creatorName].some((name) =>
    entityKey(name)
      .split(' ')
      .some((part) => words.has(part)),
  )
}
