/** Lines of prompts and tool results that programs read too. Each has its writer and its reader here. */

/** The first line of a reflection's prompt. */
export const writeReflectionLine = (name: string, creator?: string): string =>
  `You are the reflection of ${name}${creator === undefined ? '' : `, made by ${creator}`}: you speak for ${name}`

const REFLECTION_LINE =
  /^\s*You are the reflection of ([^\n]{1,200}?)(?:, made by ([^\n]{0,200}?))?: you speak for/

/** Undefined if this is not a reflection's prompt. */
export function readReflectionLine(
  body: string,
): { readonly name: string; readonly creator: string } | undefined {
  const [, name = '', creator = ''] = (REFLECTION_LINE.exec(body) ?? []).map((part) => part?.trim())
  return name === '' ? undefined : { name, creator }
}

/** A prompt whose policy is in front, between two lines with a mark. */
export interface MarkedPrompt {
  readonly mark: string
  readonly policy: string
  readonly body: string
}

export const writeMarkedPrompt = ({ mark, policy, body }: MarkedPrompt): string =>
  `[policy ${mark}]\n${policy}${endPolicy(mark)}${body}`

const endPolicy = (mark: string): string => `\n[end of policy ${mark}]\n\n`

/** Undefined if a prompt does not begin with a policy, or the policy has no end. */
export function readMarkedPrompt(prompt: string): MarkedPrompt | undefined {
  const [opening = '', mark = ''] = /^\s*\[policy ([0-9a-f]+)\]\n/.exec(prompt) ?? []
  const end = opening === '' ? -1 : prompt.indexOf(endPolicy(mark), opening.length)
  if (end < 0) return undefined
  return {
    mark,
    policy: prompt.slice(opening.length, end),
    body: prompt.slice(end + endPolicy(mark).length),
  }
}

/** The first sentence of a policy. */
export const writeAllowedActions = (actions: string): string => `Only call actions listed in ${actions}.`

/** The actions that a policy allows. */
export const readAllowedActions = (policy: string): readonly string[] =>
  (/^Only call actions listed in ([\w, -]{1,300})\./.exec(policy)?.[1] ?? '').split(/[\s,]+/).filter(Boolean)

/** The origin of a fenced dossier. */
export const writeDossierOrigin = (name?: string): string =>
  name === undefined ? DOSSIER_ORIGIN : `${DOSSIER_ORIGIN} of ${name}`

const DOSSIER_ORIGIN = 'the dossier'

export const isDossierOrigin = (origin: string): boolean => origin.startsWith(DOSSIER_ORIGIN)

/** The origins of fenced lines about earlier conversations. */
export const CONVERSATION_ORIGINS = {
  last: 'the last conversation',
  earlier: 'earlier conversations',
} as const

export const isConversationOrigin = (origin: string): boolean =>
  Object.values<string>(CONVERSATION_ORIGINS).includes(origin)

/** The first words of an interviewer's prompt. */
export const INTERVIEW_LINE = 'This is an interview'

/** An interviewer's open questions, on one line. */
export const writeOpenQuestions = (questions: string): string => `${OPEN_QUESTIONS_LABEL} ${questions}`

const OPEN_QUESTIONS_LABEL = 'Still unknown, ask in this order:'
const OPEN_QUESTIONS = new RegExp(`^${OPEN_QUESTIONS_LABEL} (.*)$`, 'm')

/** Undefined if this is not an interviewer's prompt. */
export function readOpenQuestions(prompt: string): readonly string[] | undefined {
  if (!prompt.includes(INTERVIEW_LINE)) return undefined
  return [...(OPEN_QUESTIONS.exec(prompt)?.[1] ?? '').matchAll(/[^?]+\?/g)].map(([question]) =>
    question.replace(/^[\s,]+/, ''),
  )
}

/** The line before the updates that a client sends during a call. */
export const UPDATES_HEADING = 'What has come up during the conversation:'

/** A tool's message after the session has ended. */
export const writeConversationOver = (rest: string): string => `${CONVERSATION_OVER}${rest}`

const CONVERSATION_OVER = 'This conversation is over'

/** The message may be anywhere in a result. */
export const saysConversationOver = (result: string): boolean => result.includes(CONVERSATION_OVER)
