import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { splitFiles } from '../chat/attachments.ts'

const MAX_SESSIONS = 20
const MAX_MESSAGES = 100
const MAX_PROMPTS = 500
const MAX_PROMPT_LENGTH = 10_000

/**
 * The user's messages in other sessions, oldest first. Read from the sessions: a separate copy would be
 * unencrypted and outlive them.
 */
export async function readEarlierPrompts(
  store: SessionStore,
  except: () => SessionId | undefined,
): Promise<readonly string[]> {
  const { items } = await store.list({ limit: MAX_SESSIONS })
  const prompts: string[] = []
  for (const { session } of items.toReversed()) {
    if (session.id === except() || session.channel !== 'text') continue
    prompts.push(...listPrompts(await store.readTail(session.id, MAX_MESSAGES)))
    // Let pending key presses go first.
    await new Promise(setImmediate)
  }
  return prompts.filter((prompt, index) => prompt !== prompts[index - 1]).slice(-MAX_PROMPTS)
}

/** The messages to offer again: not those that start with a space or look like a secret. */
export const listPrompts = (messages: readonly SessionMessage[]): readonly string[] =>
  messages.filter(({ role }) => role === 'user').flatMap(toPrompt)

function toPrompt({ content }: SessionMessage): readonly string[] {
  const whole = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (whole.startsWith(' ')) return []
  const { text } = splitFiles(whole)
  return text === '' || text.length > MAX_PROMPT_LENGTH || LIKE_A_SECRET.test(text) ? [] : [text]
}

const LIKE_A_SECRET = new RegExp(
  [
    String.raw`\b(?:sk|pk|rk)[-_][\w-]{16,}`,
    String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
    String.raw`\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[a-z]-[\w-]{10,}|\bAIza[\w-]{30,}`,
    String.raw`\beyJ[\w-]{10,}\.[\w-]{10,}\.`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
    String.raw`\b(?:password|passwd|secret|token|api[_-]?key)\b["']?\s*[=:]\s*\S{6,}`,
  ].join('|'),
  'i',
)
