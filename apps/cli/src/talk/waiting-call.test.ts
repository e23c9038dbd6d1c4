import type { ApprovalDecision, CallId, SessionId } from '@parley/contracts'
import type { ModelEvent, ToolPort } from '@parley/engine'
import {
  answering,
  memorySessionStore,
  type Script,
  scriptedModel,
  testSessions,
} from '@parley/engine/testing'
import { expect, test } from 'vitest'
import type { Confirmation } from '../prompt/yes-or-no.ts'
import { createStyle } from '../render/style.ts'
import { waitingCall } from '../session/waiting-call.ts'
import { talked } from '../testing/talked.ts'
import { testIo } from '../testing/test-io.ts'
import { answerOnce } from './answer-once.ts'
import { createConversation } from './conversation.ts'

const calling = (...ids: readonly string[]): Script => [
  { type: 'text', text: 'Let me look.' },
  ...ids.map((id): ModelEvent => ({
    type: 'tool_call',
    call: { id: id as CallId, name: 'run_command', input: { command: id } },
  })),
  { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
]

/** A tool that asks before each call, and keeps what it was told. */
function askingTool() {
  const decisions: (ApprovalDecision | undefined)[] = []
  const tools: ToolPort = {
    declarations: [{ name: 'run_command', description: 'Runs a command.', inputSchema: {} }],
    async run({ id }, { decision }) {
      if (!decision) return { kind: 'needs-person', target: id }
      decisions.push(decision)
      return decision === 'allow'
        ? { kind: 'ok', text: 'two files' }
        : { kind: 'failed', code: 'tool_denied', text: 'The person said no.' }
    },
  }
  return { tools, decisions }
}

test.each<[string, Confirmation, ApprovalDecision]>([
  ['yes', 'yes', 'allow'],
  ['no', 'no', 'refuse'],
])('[S13] a call that waits is asked about; after %s the turn goes on', async (_, said, decision) => {
  const { tools, decisions } = askingTool()
  const talk = await talked({
    messages: ['How many files?', 'Thanks'],
    scripts: [calling('ls -l'), answering('As it is.'), answering('Gladly.')],
    tools,
    confirmations: [said],
  })
  expect(talk.questions).toEqual(['Allow run_command on ls -l?'])
  expect(decisions).toEqual([decision])
  expect(talk.said).toBe(
    `\nLet me look.\n\n\nAs it is.\n\n\nGladly.\n\nTo go on: parley resume ${talk.sessionId}\n`,
  )
})

test('[S13] each call is asked about by itself, in a line that hides nothing', async () => {
  const { tools, decisions } = askingTool()
  const talk = await talked({
    messages: ['Clean up'],
    scripts: [calling('ls', 'rm\n-r \x1b[8mx'), answering('Done.')],
    tools,
    confirmations: ['yes', 'no'],
  })
  expect(talk.questions).toEqual(['Allow run_command on ls?', 'Allow run_command on rm␊-r ␛[8mx?'])
  expect(decisions).toEqual(['allow', 'refuse'])
})

test('[S13] who leaves the question leaves the call waiting, and is asked again when they come back', async () => {
  const { tools, decisions } = askingTool()
  const left = await talked({
    messages: ['How many files?', 'never said'],
    scripts: [calling('ls -l')],
    tools,
    confirmations: ['leave'],
  })
  const { store, sessionId: id = 'ses_none' as SessionId } = left
  expect(left.code).toBe(0)
  expect(left.told).toContain('parley: The answer waits for your word: run_command on ls -l.\n')
  const record = await store.find(id)
  if (!record) throw new Error('the session is gone')
  expect(record).toMatchObject({ openTurn: { state: 'waiting' }, session: { messageCount: 2 } })

  const beginning = await waitingCall(record, store)
  if (!beginning) throw new Error('nothing waits')
  const back = await talked({
    messages: [],
    scripts: [answering('Two.')],
    tools,
    store,
    confirmations: ['yes'],
    resumed: { id, after: record.lastSequence, beginning },
  })
  expect(back.questions).toEqual(['Allow run_command on ls -l?'])
  expect(decisions).toEqual(['allow'])
  expect(back.said).toContain('Two.')
  expect((await store.find(id))?.openTurn).toBeUndefined()
})

test('a decision that came too late is told, and the talk goes on', async () => {
  const { tools } = askingTool()
  const store = memorySessionStore()
  const elsewhere = testSessions(scriptedModel([answering('Two.')]), { store, tools })
  const { told, said } = await talked({
    messages: ['How many files?', 'And now?'],
    scripts: [calling('ls -l'), answering('Still two.')],
    tools,
    store,
    confirmations: ['yes'],
    beforeConfirming: async (sessionId) => {
      await (
        await elsewhere.sessions.decide(sessionId, 'ls -l' as CallId, 'refuse')
      ).ended
    },
  })
  expect(told).toContain('No call ls -l waits for a person in this session')
  expect(said).toContain('Still two.')
})

/** One message without a prompt. */
async function once(given: { json?: boolean; confirmation?: Confirmation }) {
  const { tools, decisions } = askingTool()
  const { sessions, store, start } = testSessions(scriptedModel([calling('ls -l'), answering('Two.')]), {
    tools,
  })
  const { id } = await start()
  const conversation = createConversation(sessions, { session: async () => ({ id }), after: 1 })
  const { io, said, told } = testIo()
  const { confirmation } = given
  const code = await answerOnce(
    conversation,
    { kind: 'say', text: 'How many files?' },
    {
      io,
      json: given.json ?? false,
      look: { style: createStyle(false), columns: 80, isTerminal: false },
      ...(confirmation && { confirm: async () => confirmation }),
    },
  )
  return { code, decisions, said: said(), told: told(), state: (await store.find(id))?.openTurn?.state, id }
}

test('[S13] where nobody can be asked, what waits is told with the way to decide', async () => {
  const { code, said, told, state, id } = await once({})
  expect({ code, said, state }).toEqual({ code: 3, said: 'Let me look.\n', state: 'waiting' })
  const short = id.slice(4, 12)
  expect(told).toBe(
    'parley: The answer waits for your word: run_command on ls -l.\n' +
      `  \`parley resume ${short}\` at a terminal asks you; \`parley sessions cancel ${short}\` gives it up.\n`,
  )
})

test('[S13] with --json the last line is the call that waits', async () => {
  const { code, said } = await once({ json: true })
  expect(code).toBe(3)
  const events = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })
  expect(events.at(-1)).toMatchObject({
    type: 'agent:approval_requested',
    callId: 'ls -l',
    tool: 'run_command',
    target: 'ls -l',
  })
})

test('[S13] one message at a terminal is asked about, too', async () => {
  const { code, said, decisions, state } = await once({ confirmation: 'yes' })
  expect({ code, said, state }).toEqual({ code: 0, said: 'Let me look.\nTwo.\n', state: undefined })
  expect(decisions).toEqual(['allow'])
})
