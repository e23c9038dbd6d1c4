import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { SessionEvent, type SessionId } from '@parley/contracts'
import {
  type ModelEvent,
  type SessionStore,
  type ToolRegistry,
  createRunEventBus,
  createSessions,
  noTools,
} from '@parley/engine'
import {
  type ModelScript,
  createMemorySessionStore,
  createScriptedModel,
  testAgent,
  createTestIds,
  testOwner,
} from '@parley/engine/testing'
import { DEFAULT_CHAT } from '../config/chat-settings.ts'
import type { Io } from '../io.ts'
import type { Confirmation, Prompt } from '../prompt/prompt.ts'
import { createStyle } from '../render/display.ts'
import { createLocalSlashHost } from '../slash/local-slash-host.ts'
import { type ApprovalRequest, type UserAction, createChat } from '../chat/chat.ts'
import { chatUntilQuit } from '../chat/chat-at-prompt.ts'

interface ScriptedChat {
  readonly messages: readonly (string | undefined)[]
  readonly scripts: readonly ModelScript[]
  readonly files?: readonly { path: string; text: string }[]
  readonly interrupting?: boolean
  readonly tools?: ToolRegistry
  /** The answers to the questions, in order. */
  readonly confirmations?: readonly Confirmation[]
  readonly beforeConfirming?: (sessionId: SessionId) => Promise<void>
  readonly store?: SessionStore
  /** The session to resume and its first action. */
  readonly resumed?: {
    readonly id: SessionId
    readonly after: number
    readonly beginning?: UserAction | ApprovalRequest
  }
}

/** Runs a whole chat with scripted user and model. */
export async function runScriptedChat(given: ScriptedChat) {
  const {
    messages,
    scripts,
    files = [],
    interrupting = false,
    tools = noTools,
    confirmations = [],
    resumed,
  } = given
  const store = given.store ?? createMemorySessionStore()
  const model = createScriptedModel(scripts)
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: { now: Date.now },
    ids: createTestIds(),
    getModel: () => model,
    getTools: () => tools,
  })
  const start = () =>
    sessions.start({
      ownerId: testOwner,
      channel: 'text',
      agent: testAgent,
      context: { workingDir: '/', fsScopeTier: 'sandboxed' },
    })
  const chat = createChat(sessions, {
    openSession: async () => resumed ?? start(),
    after: resumed?.after ?? 0,
  })
  const typed = messages.values()
  const decided = confirmations.values()
  const questions: string[] = []
  const drafts: (string | undefined)[] = []
  const prompt: Prompt = {
    async ask(draft) {
      drafts.push(draft)
      return typed.next().value
    },
    async confirm(question) {
      questions.push(question)
      if (chat.sessionId) await given.beforeConfirming?.(chat.sessionId)
      return decided.next().value ?? 'leave'
    },
    async during(work, interrupt) {
      if (interrupting) interrupt()
      return work
    },
    close: () => undefined,
  }
  const { slash, status, onTurnEnd } = createLocalSlashHost({
    settings: { mcp_servers: {}, chat: DEFAULT_CHAT, web_search: undefined },
    providers: [{ name: 'test', kind: 'offline', source: 'here' }],
    models: { getModel: () => model, listModels: async () => [{ id: model.modelId }] },
    sessions,
    store,
    chat,
    agent: testAgent,
    findAgent: async () => testAgent,
    workingDir: '/',
    fsScope: 'sandboxed',
  })
  const { io, said, told } = testIo()
  const display = { style: createStyle(false), columns: 40, isTerminal: true }
  const code = await chatUntilQuit(chat, {
    io,
    slash,
    status,
    onTurnEnd,
    prompt,
    display,
    files,
    screen: io.stdout,
    beginning: resumed?.beginning,
  })
  return {
    code,
    store,
    questions,
    drafts,
    asked: model.asked,
    sessionId: chat.sessionId,
    said: said(),
    told: told(),
  }
}

/** A scripted answer that never ends. */
export async function* streamEndlessly(): AsyncIterable<ModelEvent> {
  for (let count = 0; ; count += 1) {
    yield { type: 'text', text: `${count} ` }
    await new Promise(setImmediate)
  }
}

/** Prepares a very long answer and returns its command. */
export async function prepareLongAnswer(home: string): Promise<readonly string[]> {
  await writeFile(join(home, 'long.txt'), `${'on and '.repeat(40_000)}over`)
  await writeFile(
    join(home, 'patient.agent.yaml'),
    'id: patient\nprovider: offline\nmodel: offline\nmax_tokens: 999999\n',
  )
  return ['chat', '--agent', 'patient.agent.yaml', '--file', 'long.txt', '--message', 'Read it all back']
}

/** Parses the `--json` output, one event per line. */
export const parseEvents = (stdout: string): readonly SessionEvent[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => SessionEvent.parse(JSON.parse(line)))

/** Streams that record their output. */
export function testIo() {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const io = { stdout, stderr, stdin: new PassThrough(), variables: {} } as unknown as Io
  return { io, said: () => String(stdout.read() ?? ''), told: () => String(stderr.read() ?? '') }
}
