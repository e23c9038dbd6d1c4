import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { ApprovalDecision, CallId, SessionId } from '@parley/contracts'
import type { ModelEvent, ToolRegistry } from '@parley/engine'
import {
  type ModelScript,
  createAnswerScript,
  createFakeTools,
  createMemorySessionStore,
  createScriptedModel,
  createTestSessions,
} from '@parley/engine/testing'
import type { Confirmation } from '../prompt/prompt.ts'
import { createStyle } from '../render/display.ts'
import { readWaitingCall } from '../session/notes.ts'
import { parseEvents, runScriptedChat, testIo } from '../testing/scripted-chat.ts'
import { answerOnce } from './run-chat.ts'
import { createChat } from './chat.ts'

const calling = (...ids: readonly string[]): ModelScript => [
  { type: 'text', text: 'Let me look.' },
  ...ids.map((id): ModelEvent => ({
    type: 'tool_call',
    call: { id: id as CallId, name: 'run_command', input: { command: id } },
  })),
  { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
]

/** A tool that asks before each call and records the decisions. */
function askingTool() {
  const decisions: (ApprovalDecision | undefined)[] = []
  const tools = createFakeTools({
    declarations: [{ name: 'run_command', description: 'Runs a command.', inputSchema: {} }],
    findTargetToApprove: ({ id }) => id,
    async run(_, { decision }) {
      decisions.push(decision)
      return decision === 'refuse'
        ? { kind: 'failed', code: 'tool_denied', text: 'The person said no.' }
        : { kind: 'ok', text: 'two files' }
    },
  })
  return { tools, decisions }
}

const NO = "  n  no (default). Ctrl-C quits; \n     you'll be asked again on resume."

/** The question about `ls -l`, with the choice to approve it for the session. */
const QUESTION =
  'Allow run_command on ls -l?\n  y  yes, once\n' +
  `  s  yes, and every run_command on ls \n     -l in this session\n${NO}`

test.each<[string, Confirmation, ApprovalDecision]>([
  ['yes', 'yes', 'allow'],
  ['yes for the session', 'session', 'allow_session'],
  ['no', 'no', 'refuse'],
])('[S13] a waiting call asks for approval, and the turn continues after %s', async (_, said, decision) => {
  const { tools, decisions } = askingTool()
  const talk = await runScriptedChat({
    messages: ['How many files?', 'Thanks'],
    scripts: [calling('ls -l'), createAnswerScript('As it is.'), createAnswerScript('Gladly.')],
    tools,
    confirmations: [said],
  })
  expect(talk.questions).toEqual([QUESTION])
  expect(decisions).toEqual([decision])
  const result = decision === 'refuse' ? 'refused: The person said no.' : 'two files'
  expect(talk.said).toBe(
    `\nLet me look.\n\n\n* run_command ls -l\n  ${result}\n\nAs it is.\n\n\nGladly.\n\n` +
      `To resume: parley resume ${talk.sessionId}\n`,
  )
})

test('[S13] each call has its own question, and the question shows control characters', async () => {
  const { tools, decisions } = askingTool()
  const talk = await runScriptedChat({
    messages: ['Clean up'],
    scripts: [calling('ls', 'rm\n-r \x1b[8mx'), createAnswerScript('Done.')],
    tools,
    confirmations: ['yes', 'no'],
  })
  expect(talk.questions.map((question) => question.split('\n  y')[0])).toEqual([
    'Allow run_command on ls?',
    'Allow run_command on rm␊-r ␛[8mx?',
  ])
  expect(decisions).toEqual(['allow', 'refuse'])
})

test('[S13] an approval applies only to the input that was shown', async () => {
  const answers: unknown[] = []
  const inputHash = 'a'.repeat(64)
  const tools: ToolRegistry = {
    declarations: [{ name: 'run_command', description: 'Runs a command.', inputSchema: {} }],
    async decide(_, { answer }) {
      if (!answer)
        return { kind: 'asks', target: 'ls', inputHash, preview: { kind: 'text', text: 'in /tmp' } }
      answers.push(answer)
      return {
        kind: 'refused',
        decided: { by: 'policy', target: 'ls', reason: 'There is no ls.\nNot here.' },
        outcome: { kind: 'failed', code: 'tool_denied', text: 'There is no ls.' },
      }
    },
  }
  const { said, questions } = await runScriptedChat({
    messages: ['How many files?'],
    scripts: [calling('ls'), createAnswerScript('None.')],
    tools,
    confirmations: ['yes'],
  })
  expect(answers).toEqual([{ decision: 'allow', inputHash }])
  expect(questions).toEqual([`Allow run_command on ls?\n  y  yes, once\n${NO}`])
  expect(said).toContain('\n| in /tmp\n\n')
  expect(said).toContain('\n* run_command ls\n  refused: There is no ls.\n  Not here.\n\nNone.\n')
})

test('[S13] quitting at a question leaves the call waiting, and resuming asks again', async () => {
  const { tools, decisions } = askingTool()
  const left = await runScriptedChat({
    messages: ['How many files?', 'never said'],
    scripts: [calling('ls -l')],
    tools,
    confirmations: ['leave'],
  })
  const { store, sessionId: id = 'ses_none' as SessionId } = left
  expect(left.code).toBe(0)
  expect(left.told).toContain('parley: Waiting for your approval: run_command on ls -l.\n')
  const record = await store.find(id)
  if (!record) throw new Error('the session is gone')
  expect(record).toMatchObject({ openTurn: { state: 'waiting' }, session: { messageCount: 2 } })

  const beginning = await readWaitingCall(record, store)
  if (!beginning) throw new Error('no call is waiting')
  const back = await runScriptedChat({
    messages: [],
    scripts: [createAnswerScript('Two.')],
    tools,
    store,
    confirmations: ['yes'],
    resumed: { id, after: record.lastSequence, beginning },
  })
  expect(back.questions).toEqual([QUESTION])
  expect(decisions).toEqual(['allow'])
  expect(back.said).toContain('Two.')
  expect((await store.find(id))?.openTurn).toBeUndefined()
})

test('a decision that comes too late is reported, and the session continues', async () => {
  const { tools } = askingTool()
  const store = createMemorySessionStore()
  const elsewhere = createTestSessions(createScriptedModel([createAnswerScript('Two.')]), { store, tools })
  const { told, said } = await runScriptedChat({
    messages: ['How many files?', 'And now?'],
    scripts: [calling('ls -l'), createAnswerScript('Still two.')],
    tools,
    store,
    confirmations: ['yes'],
    beforeConfirming: async (sessionId) => {
      await (
        await elsewhere.sessions.decide(sessionId, 'ls -l' as CallId, { decision: 'refuse' })
      ).ended
    },
  })
  expect(told).toContain('No call ls -l is waiting for approval in this session')
  expect(said).toContain('Still two.')
})

const LOOK = { style: createStyle(false), columns: 80, isTerminal: false }

/** One message without a prompt. */
async function once(given: {
  json?: boolean
  confirmation?: Confirmation
  scripts?: readonly ModelScript[]
}) {
  const { tools, decisions } = askingTool()
  const { confirmation, scripts = [calling('ls -l', 'rm x'), createAnswerScript('Two.')] } = given
  const { sessions, store, start } = createTestSessions(createScriptedModel(scripts), { tools })
  const { id } = await start()
  const chat = createChat(sessions, { openSession: async () => ({ id }), after: 1 })
  const { io, said, told } = testIo()
  const code = await answerOnce(
    chat,
    { kind: 'say', text: 'How many files?' },
    {
      io,
      json: given.json ?? false,
      display: LOOK,
      ...(confirmation && {
        approver: { confirm: async () => confirmation, screen: new PassThrough(), display: LOOK },
      }),
    },
  )
  return { code, decisions, said: said(), told: told(), state: (await store.find(id))?.openTurn?.state }
}

const REFUSED =
  'parley: No terminal to ask for approval, so this was refused: run_command ls -l. Run it in a terminal to be asked.\n' +
  'parley: No terminal to ask for approval, so this was refused: run_command rm x. Run it in a terminal to be asked.\n'

test('[S13] each call is refused and reported without a terminal, and the turn continues', async () => {
  expect(await once({})).toEqual({
    code: 3,
    said: 'Let me look.\nTwo.\n',
    told: REFUSED,
    state: undefined,
    decisions: ['refuse', 'refuse'],
  })
})

test('[S13] refused calls appear as events with --json', async () => {
  const { code, said, told } = await once({ json: true })
  expect({ code, told }).toEqual({ code: 3, told: REFUSED })
  const events = parseEvents(said)
  expect(events.filter(({ type }) => type.startsWith('agent:approval'))).toMatchObject([
    { type: 'agent:approval_requested', callId: 'ls -l', tool: 'run_command', target: 'ls -l' },
    { type: 'agent:approval_answered', callId: 'ls -l', decision: 'refuse' },
    { type: 'agent:approval_requested', callId: 'rm x' },
    { type: 'agent:approval_answered', callId: 'rm x', decision: 'refuse' },
  ])
  expect(events.at(-1)).toMatchObject({ type: 'session:turn_completed', stopReason: 'completed' })
})

test('[S13] an error of the turn sets the exit code even after refused calls', async () => {
  const failing: ModelScript = [
    { type: 'failure', error: { code: 'provider_auth', message: 'No such key.', retryable: false } },
  ]
  const { code, told, decisions } = await once({ scripts: [calling('ls -l'), failing] })
  expect({ code, decisions }).toEqual({ code: 1, decisions: ['refuse'] })
  expect(told).toContain('parley: No such key.\n')
})

test('[S13] a single message asks for approval at a terminal', async () => {
  expect(await once({ confirmation: 'yes' })).toMatchObject({
    code: 0,
    said: 'Let me look.\nTwo.\n',
    told: '',
    state: undefined,
    decisions: ['allow', 'allow'],
  })
})

test('[S13] quitting at the question of a single message leaves the call waiting', async () => {
  const { code, told, state, decisions } = await once({ confirmation: 'leave' })
  expect({ code, state, decisions }).toEqual({ code: 3, state: 'waiting', decisions: [] })
  expect(told).toMatch(
    /^parley: Waiting for your approval: run_command on ls -l\.\n  `parley resume \w{8}` in a terminal asks you;/,
  )
})
