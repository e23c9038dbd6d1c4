import type { SessionId } from '@parley/contracts'
import {
  createRunEventBus,
  createSessions,
  noTools,
  type SessionStore,
  type ToolRegistry,
} from '@parley/engine'
import {
  memorySessionStore,
  type Script,
  scriptedModel,
  testAgent,
  testIds,
  testOwner,
} from '@parley/engine/testing'
import { DEFAULT_CHAT } from '../config/chat-rules.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Confirmation } from '../prompt/yes-or-no.ts'
import { createStyle } from '../render/style.ts'
import { createLocalSlashHost } from '../slash/local-slash-host.ts'
import { type ApprovalRequest, createConversation, type Move } from '../talk/conversation.ts'
import { talk } from '../talk/talk.ts'
import { testIo } from './test-io.ts'

interface Talked {
  readonly messages: readonly (string | undefined)[]
  readonly scripts: readonly Script[]
  readonly files?: readonly { path: string; text: string }[]
  readonly interrupting?: boolean
  readonly tools?: ToolRegistry
  /** What is said to each question, in order. */
  readonly confirmations?: readonly Confirmation[]
  readonly beforeConfirming?: (sessionId: SessionId) => Promise<void>
  readonly store?: SessionStore
  /** The session to go on with, and what comes first in it. */
  readonly resumed?: {
    readonly id: SessionId
    readonly after: number
    readonly beginning?: Move | ApprovalRequest
  }
}

/** A talk from its first prompt to its end, with a scripted person and a scripted model. */
export async function talked(given: Talked) {
  const {
    messages,
    scripts,
    files = [],
    interrupting = false,
    tools = noTools,
    confirmations = [],
    resumed,
  } = given
  const store = given.store ?? memorySessionStore()
  const model = scriptedModel(scripts)
  const sessions = createSessions({
    store,
    hub: createRunEventBus(),
    clock: { now: Date.now },
    ids: testIds(),
    modelOf: () => model,
    toolsOf: () => tools,
  })
  const start = () =>
    sessions.start({
      ownerId: testOwner,
      channel: 'text',
      agent: testAgent,
      context: { workingDir: '/', fsScopeTier: 'sandboxed' },
    })
  const conversation = createConversation(sessions, {
    session: async () => resumed ?? start(),
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
      if (conversation.sessionId) await given.beforeConfirming?.(conversation.sessionId)
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
    models: { modelOf: () => model, listModels: async () => [{ id: model.modelId }] },
    sessions,
    store,
    conversation,
    agent: testAgent,
    findAgent: async () => testAgent,
    workingDir: '/',
    fsScope: 'sandboxed',
  })
  const { io, said, told } = testIo()
  const look = { style: createStyle(false), columns: 40, isTerminal: true }
  const code = await talk(conversation, {
    io,
    slash,
    status,
    onTurnEnd,
    prompt,
    look,
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
    sessionId: conversation.sessionId,
    said: said(),
    told: told(),
  }
}
