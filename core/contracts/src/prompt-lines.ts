/** Lines of prompts and tool results that the offline model recognises, shared by their writers and readers. */

/** The first line of a reflection's prompt. */
export const writeReflectionLine = (name: string, maker?: string): string =>
  `You are the reflection of ${name}${maker === undefined ? '' : `, made by ${maker}`}: you speak for ${name}`

const REFLECTION_LINE =
  /^\s*You are the reflection of ([^\n]{1,200}?)(?:, made by ([^\n]{0,200}?))?: you speak for/

/** Undefined if this is not a reflection's prompt. */
export function readReflectionLine(
  body: string,
): { readonly name: string; readonly maker: string } | undefined {
  const [, name = '', maker = ''] = (REFLECTION_LINE.exec(body) ?? []).map((part) => part?.trim())
  return name === '' ? undefined : { name, maker }
}

/** The first words of an interviewer's prompt. */
export const INTERVIEW_LINE = 'This is an interview'

/** The heading of an interviewer's open questions. */
export const OPEN_QUESTIONS_LABEL = 'Still unknown, ask in this order:'

/** The start of a tool's message after the session has ended. */
export const CONVERSATION_OVER = 'This conversation is over'
