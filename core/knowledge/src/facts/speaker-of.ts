import type { About } from '../ports/fact-extractor.ts'
import { entityKey } from './entity-key.ts'
import { isCreator } from './is-creator.ts'

/** Whose words they are: undefined where "I" cannot be told. */
export type Speaker = string | undefined

/** Who a label or the sender of a message is. A number or a sign is nobody of whom anything is told. */
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
