import type { MessageId, OpenTurn, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import { newSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { resumeNote } from './resume-note.ts'

const AT = '2026-11-15T14:03:00.000Z'
const [session] = newSession('ses_abcdefghijk' as SessionId, AT)

const said = (role: SessionMessage['role'], given: Partial<SessionMessage> = {}): SessionMessage => ({
  id: 'msg_1' as MessageId,
  sessionId: session.id,
  sequenceNumber: 1,
  role,
  content: [{ type: 'text', text: 'Hello' }],
  timestamp: AT,
  ...given,
})

const ANSWERED = [said('user'), said('assistant')]
const CANCELLED = [said('user'), said('assistant', { cutShort: 'cancelled' })]
const FAILED = [said('user'), said('assistant', { cutShort: 'failed' })]
const GO_ON = '`parley resume abcdefgh --continue` goes on with it, or just say something.'

test.each<[string, OpenTurn['state'] | undefined, readonly SessionMessage[], string | undefined]>([
  ['nothing was ever said', undefined, [], undefined],
  ['the last message was answered', undefined, ANSWERED, undefined],
  ['the last answer was stopped', undefined, CANCELLED, undefined],
  ['the last answer failed', undefined, FAILED, `Your last message has no answer: ${GO_ON}`],
  ['no answer ever began', undefined, [said('user')], `Your last message has no answer: ${GO_ON}`],
  [
    'the last answer was interrupted',
    'interrupted',
    [said('user')],
    `The last answer was interrupted, and your message is kept: ${GO_ON}`,
  ],
  [
    'another terminal is being answered',
    'running',
    [said('user')],
    'This session is being answered in another terminal right now: what you type has to wait until that is done, ' +
      'or stop it with `parley sessions cancel abcdefgh`.',
  ],
  ['a call waits, which is asked about at once', 'waiting', [said('user')], undefined],
])('[S4] who comes back is told where %s', (_, state, messages, note) => {
  const openTurn = state && { openTurn: { turnId: 'trn_1' as TurnId, state } }
  expect(resumeNote({ id: session.id, ...openTurn }, messages)).toBe(note)
})
