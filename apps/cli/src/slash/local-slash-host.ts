import { type Agent, PlatformError, type SessionId } from '@parley/contracts'
import type { Sessions, SessionStore } from '@parley/engine'
import { LOCAL_PERSON } from '../compose.ts'
import { splitFiles } from '../message/context-files.ts'
import type { Status } from '../render/status-line.ts'
import type { Conversation } from '../talk/conversation.ts'
import type { SlashHost } from './slash-host.ts'

interface Local {
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly conversation: Conversation
  /** Who answers at first. */
  readonly agent: Agent
  readonly findAgent: (named: string) => Promise<Agent>
  readonly workingDir: string
}

/** How many messages are looked through for the files that came with them. */
const TAIL = 500

/** The commands of a conversation of this machine. */
export function createLocalSlashHost(local: Local): { slash: SlashHost; status: () => Status } {
  const { sessions, store, conversation, findAgent, workingDir } = local
  let { agent } = local
  const nameOf = () => agent.name ?? agent.id

  const slash: SlashHost = {
    async context() {
      const { sessionId } = conversation
      const record = sessionId === undefined ? undefined : await store.find(sessionId)
      const session = record?.session
      return {
        sessionId,
        title: session?.title,
        agent: nameOf(),
        model: agent.model,
        workingDir: session?.context.workingDir ?? workingDir,
        messages: session?.messageCount ?? 0,
      }
    },
    async files() {
      const { sessionId } = conversation
      const messages = sessionId === undefined ? [] : await store.readTail(sessionId, TAIL)
      const paths = messages
        .filter(({ role }) => role === 'user')
        .flatMap(({ content }) => content)
        .flatMap((part) => (part.type === 'text' ? splitFiles(part.text).files : []))
        .map(({ path }) => path)
      return [...new Set(paths)]
    },
    rename: (title) => store.rename(begun(conversation), title),
    async fork(named) {
      const from = begun(conversation)
      const next = named === undefined ? agent : await findAgent(named)
      const session = await sessions.fork(from, { ownerId: LOCAL_PERSON, agent: next })
      conversation.goTo(session.id)
      agent = next
      return { sessionId: session.id, from, agent: nameOf(), model: agent.model }
    },
    async cancel() {
      const { sessionId } = conversation
      return sessionId !== undefined && sessions.cancel(sessionId)
    },
  }
  return { slash, status: () => ({ agent: nameOf(), model: agent.model }) }
}

function begun({ sessionId }: Conversation): SessionId {
  if (sessionId) return sessionId
  throw new PlatformError('validation', {
    message: 'Nothing was said in this conversation yet.',
    mend: 'Say something first.',
  })
}
