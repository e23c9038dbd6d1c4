import type { AgentSession, CallId, DurableContentPart, SessionId, SessionMessage } from '@parley/contracts'
import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { createTestSession } from '../testing/fixtures.ts'

const AT = '2026-03-01T09:00:00.000Z'
const LATER = '2026-03-01T09:30:00.000Z'
const ID = 'ses_4k2m9q7w1x8z5c3v6b0n' as SessionId

export const createSession = (given: Partial<AgentSession> = {}): AgentSession =>
  createTestSession(ID, AT, { title: 'Letters to Oslo', updatedAt: LATER, ...given })[0]

export type Said = Pick<SessionMessage, 'role' | 'content'> & Partial<SessionMessage>

/** Numbered messages in order. Each question opens its own turn unless stated otherwise. */
export function transcript(...said: readonly Said[]): readonly SessionMessage[] {
  let turn = 0
  return said.map((message, index) => {
    if (message.role === 'user') turn += 1
    return {
      id: `msg_${index + 1}` as SessionMessage['id'],
      sessionId: ID,
      sequenceNumber: index + 1,
      turnId: `trn_${turn}` as NonNullable<SessionMessage['turnId']>,
      timestamp: AT,
      ...message,
    }
  })
}

const text = (words: string): DurableContentPart => ({ type: 'text', text: words })

export const createQuestion = (...words: readonly string[]): Said => ({
  role: 'user',
  content: words.map(text),
})
export const createAnswer = (words: string, given: Partial<SessionMessage> = {}): Said => ({
  role: 'assistant',
  content: [text(words)],
  modelId: 'scripted',
  ...given,
})
export const createCalls = (...names: readonly string[]): Said => ({
  role: 'assistant',
  modelId: 'scripted',
  content: names.map((name, index) => ({
    type: 'tool_call',
    call: { id: `call_${index}` as CallId, name, input: { path: 'notes.md' } },
  })),
})
export const createResult = (words: string): Said => ({
  role: 'tool',
  content: [{ type: 'tool_result', callId: 'call_0' as CallId, outcome: { kind: 'ok', text: words } }],
})

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{',
        '{{',
        '{{{',
        '}}',
        '{%',
        '{#',
        '${',
        '{{ctx.name}}',
        '\u200b',
        '\n',
        '  ',
        '\ud800',
        '\0',
        '\u2028',
      ),
      fc.string({ unit: anyLetter }),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''))

const anyPart: fc.Arbitrary<DurableContentPart> = fc.oneof(
  anyText.map(text),
  fc.record({ type: fc.constant('reasoning' as const), text: anyText }),
  fc.record({
    type: fc.constant('tool_call' as const),
    call: fc.record({
      id: fc.constant('call_0' as CallId),
      name: fc.oneof(
        fc.constantFrom('read_file', 'git_commit'),
        anyText.filter((name) => name !== ''),
      ),
      input: fc.jsonValue({ stringUnit: anyLetter }).map((value) => JSON.parse(JSON.stringify(value))),
    }),
  }),
  anyText.map((words): DurableContentPart => ({
    type: 'tool_result',
    callId: 'call_0' as CallId,
    outcome: { kind: 'failed', code: 'tool_failed', text: words },
  })),
  fc.constant<DurableContentPart>({
    type: 'media',
    handle: `media://sha256-${'a'.repeat(64)}`,
    mediaType: 'image/png',
  }),
)

/** Everything a store may hold: split rows, unanswered questions, unfinished steps, consecutive questions. */
export const anyTranscript: fc.Arbitrary<readonly SessionMessage[]> = fc
  .array(
    fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'tool', 'user', 'assistant', 'system'),
        content: fc.array(anyPart, { maxLength: 3 }),
        cutShort: fc.constantFrom('cancelled', 'unfinished', 'failed'),
        modelId: anyText,
        turnId: fc.constantFrom('trn_a', 'trn_b').map((id) => id as NonNullable<SessionMessage['turnId']>),
      },
      { requiredKeys: ['role', 'content'] },
    ),
    { maxLength: 12 },
  )
  .map((said) => transcript(...said))

export const anySession: fc.Arbitrary<AgentSession> = fc
  .record(
    {
      title: fc.oneof(
        anyText,
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.constantFrom('a'.repeat(90), 'K', 'ｆｕｌｌ', '東京 trip'),
      ),
    },
    { requiredKeys: [] },
  )
  .map((given) => {
    const { title: _, ...session } = createSession()
    return { ...session, ...given }
  })
