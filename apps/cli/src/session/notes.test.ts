import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MessageId, OpenTurn, SessionId, SessionMessage, TurnId } from '@parley/contracts'
import { createTestSession, testAgent } from '@parley/engine/testing'
import { createFolder, createHome, parley } from '../testing/parley-process.ts'
import { takeFirstRunHint, describeSessionFolder, describeUnfinishedTurn } from './notes.ts'

const AT = '2026-11-15T14:03:00.000Z'
const [session] = createTestSession('ses_abcdefghijk' as SessionId, AT)

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
const GO_ON = '`parley resume abcdefgh --continue` answers it, or send a new message.'

test.each<[string, OpenTurn['state'] | undefined, readonly SessionMessage[], string | undefined]>([
  ['there are no messages', undefined, [], undefined],
  ['the last message was answered', undefined, ANSWERED, undefined],
  ['the last answer was stopped', undefined, CANCELLED, undefined],
  ['the last answer failed', undefined, FAILED, `Your last message has no answer: ${GO_ON}`],
  ['no answer started', undefined, [said('user')], `Your last message has no answer: ${GO_ON}`],
  [
    'the last answer was interrupted',
    'interrupted',
    [said('user')],
    `The last answer was interrupted. Your message is saved: ${GO_ON}`,
  ],
  [
    'an answer runs in another terminal',
    'running',
    [said('user')],
    'An answer is running in another terminal: your message waits until it is done, ' +
      'or stop it with `parley sessions cancel abcdefgh`.',
  ],
  ['a call waits, which is asked about separately', 'waiting', [said('user')], undefined],
])('[S4] the note on resuming, when %s', (_, state, messages, note) => {
  const openTurn = state && { openTurn: { turnId: 'trn_1' as TurnId, state } }
  expect(describeUnfinishedTurn({ id: session.id, ...openTurn }, messages)).toBe(note)
})

const of = (workingDir: string, tools = ['read_file']) => ({
  context: { workingDir, fsScopeTier: 'sandboxed' as const },
  agentSnapshot: { ...testAgent, tools },
})

test('[S4] in the folder of the session there is no note, also through a link', async () => {
  await using at = await createFolder()
  await mkdir(join(at.home, 'tides'))
  await symlink('tides', join(at.home, 'link'))
  expect(await describeSessionFolder(of(join(at.home, 'tides')), join(at.home, 'tides'))).toBeUndefined()
  expect(await describeSessionFolder(of(join(at.home, 'tides')), join(at.home, 'link'))).toBeUndefined()
})

test('[S4] in another folder the note names the folder of the session, or how to replace it', async () => {
  await using at = await createFolder()
  const gone = join(at.home, 'gone')
  expect(await describeSessionFolder(of(at.home), '/')).toBe(
    `This session works in ${at.home}, not in the current folder.`,
  )
  expect(await describeSessionFolder(of(gone), at.home)).toMatch(
    /no longer exists: .*gone\. .*Create it again, or run `parley chat`/,
  )
})

test('[S4] for an agent without tools there is no folder note', async () => {
  expect(await describeSessionFolder(of('/gone', []), '/')).toBeUndefined()
})

const offline = { name: 'offline', kind: 'offline', source: 'built in' } as const
const openai = { name: 'openai', kind: 'openai', source: 'config', apiKeyName: 'OPENAI_API_KEY' } as const

test.each([
  [
    'only the offline model',
    [offline],
    /^To use another model, set ANTHROPIC_API_KEY, then: parley chat --model anthropic/,
  ],
  [
    'a provider without its key',
    [openai, offline],
    /^To use another model, set ANTHROPIC_API_KEY, then: parley chat --model anthropic/,
  ],
  [
    'a provider that is ready',
    [{ ...openai, apiKey: 'made-up' }, offline],
    /^To use openai: parley chat --model openai\//,
  ],
])('with %s the first-run hint is shown once per data folder', async (_, providers, expected) => {
  await using at = await createHome()
  const home = join(at.home, 'not-made-yet')
  expect(await takeFirstRunHint(home, providers)).toMatch(expected)
  expect(await takeFirstRunHint(home, providers)).toBeUndefined()
})

test('in a pipe the hint is shown with the first answer only', async () => {
  await using at = await createHome()
  const environment = { PARLEY_HOME: join(at.home, 'not-made-yet') }
  const answered = () => parley(['chat', '--message', 'My boat is called Wanda.'], { ...at, environment })
  expect(await answered()).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Noted/),
    stderr: expect.stringMatching(/^parley: To use another model, set ANTHROPIC_API_KEY, .*\n$/),
  })
  expect(await answered()).toMatchObject({ code: 0, stderr: '' })
})
