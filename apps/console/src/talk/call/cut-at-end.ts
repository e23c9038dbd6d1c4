import type { SessionMessage } from '@parley/contracts'
import type { CallEvent, CallLine } from './call-state.ts'

type Kept = Pick<SessionMessage, 'role' | 'content'>

/** Who hangs up has not heard the last answer to its end: where its words in the transcript end, if that is earlier. */
export function cutAtEnd(
  lines: readonly CallLine[],
  transcript: readonly Kept[],
): Extract<CallEvent, { type: 'corrected' }> | undefined {
  const last = lines.at(-1)
  if (last?.who !== 'agent' || last.isCut) return undefined
  const asked = transcript.findLastIndex(({ role }) => role === 'user')
  const question = lines.findLast(({ who }) => who === 'you')?.text.trim()
  // A transcript that ends with another question is not of this call, or not whole.
  if (question !== textOf(transcript[asked])) return undefined
  const answers = transcript.slice(asked + 1).map(textOf)
  const told = last.text.trim()
  if (answers.includes(told)) return undefined
  const heard = answers.findLast((text) => text !== undefined && told.startsWith(text)) ?? ''
  return { type: 'corrected', original: last.text, heard }
}

/** Undefined where it has no words. */
function textOf(message: Kept | undefined): string | undefined {
  const texts = message?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return texts.join('').trim() || undefined
}
