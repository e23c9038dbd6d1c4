import type { SourceContext } from '../ports/ingest-store.ts'
import { toEntityKey, isCreator } from './names.ts'

/** The speaker of a text; undefined if unknown. */
export type SpeakerName = string | undefined

/** Resolves a label or sender to a person. Numbers and symbols are not names. */
export function resolveSpeaker(name: string, context: SourceContext): SpeakerName {
  const role = findLabelRole(name)
  if (role === 'creator' || isCreator(name, context)) return context.creatorName ?? context.displayName
  if (role !== undefined || ACCOUNT.test(name.trim())) return undefined
  const plain = name.replace(AROUND, '').trim().slice(0, MAX_NAME_LENGTH)
  return /\p{L}{2}/u.test(plain) ? plain : undefined
}

/** Whether a label names a program, unless it is the person's name. */
export const isMachine = (name: string, context: SourceContext): boolean =>
  findLabelRole(name) === 'machine' && !isCreator(name, context)

/** The role of a label that is not a name, such as "Interviewer". */
export function findLabelRole(name: string): LabelRole | undefined {
  return ROLES.get(name.trim() === 'A' ? 'answer' : toEntityKey(name.replace(/\s*\d+$/, '')))
}

const MAX_NAME_LENGTH = 80

/** User ids that apps write instead of names. */
const ACCOUNT = /^(?=.*\d)[A-Z][A-Z\d]{6,}$/

/** Symbols, numbers and emoji around a name. */
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

/** Words of a source, with their speaker. */
export interface Quoted {
  readonly speaker: SpeakerName
  readonly quote: string
}

/**
 * Whether a quote can support a fact about this subject. Only the person's own words support facts about them and their
 * possessions. Conversations also count if they name the person, because their facts need approval.
 */
export function mayStateFact({ speaker, quote }: Quoted, subject: string, context: SourceContext): boolean {
  if (speaker === (context.creatorName ?? context.displayName)) return true
  const [owner = ''] = subject.split(/['’]s\s/)
  if (!isCreator(owner, context)) return true
  return context.isFromConversation === true && isNamed(quote, context) && !FIRST_PERSON.test(quote)
}

const FIRST_PERSON =
  /(?<![\p{L}\p{N}])(?:I|me|my|mine|myself|we|us|our|ours|ich|mich|mir|mein\p{L}*|wir|uns\p{L}*)(?![\p{L}\p{N}])/iu

function isNamed(quote: string, { displayName, creatorName = displayName }: SourceContext): boolean {
  const words = new Set(quote.split(/[^\p{L}\p{M}\p{N}]+/u).map(toEntityKey))
  return [displayName, creatorName].some((name) =>
    toEntityKey(name)
      .split(' ')
      .some((part) => words.has(part)),
  )
}
