import type { ApiClient } from '@parley/api-client'
import { PlatformError, type SessionMessage, type SessionView } from '@parley/contracts'
import { promptsIn } from '../prompt/earlier-prompts.ts'
import type { FoundSession } from '../session/find-anywhere.ts'
import { inLine } from '../render/in-line.ts'
import { renderLastTurns } from '../render/last-turns.ts'
import { lookFor } from '../render/markdown/load-highlight.ts'
import { quotedTitle } from '../render/quoted-title.ts'
import { resumeNote } from '../session/resume-note.ts'
import { sessionThere } from '../session/session-there.ts'
import { shortId } from '../session/short-id.ts'
import { type ApprovalRequest, createConversation } from '../talk/conversation.ts'
import { openedAtServer } from '../talk/opened-at-server.ts'
import type { Opened } from '../talk/run-conversation.ts'
import { sessionsAt } from '../talk/sessions-at.ts'
import type { ResumeOptions } from './resume-options.ts'

/** How many messages are looked through for what is shown again. */
const TAIL = 200

/** Goes on with a session of the Parley that runs; it stays as it is when the person leaves. */
export async function resumeThere(
  { view: found, server: { client } }: Extract<FoundSession, { kind: 'there' }>,
  given: ResumeOptions,
): Promise<Opened> {
  refuseOthers(given)
  if (found.status === 'ended') throw isEnded(found)
  const { id, openTurn } = found
  const { agent } = await sessionThere(found, client)
  const view = await client.sessions.resume(id)
  const messages = await lastMessages(view, client)
  const conversation = createConversation(sessionsAt(client), {
    session: async () => view,
    sessionId: id,
    after: view.lastSequence,
  })
  const last = given.continue
    ? { open: 'running' as const }
    : { open: openTurn?.state, note: resumeNote({ id, openTurn }, messages) }
  const { model, provider } = view
  return openedAtServer(conversation, client, {
    agent,
    model,
    provider,
    history: promptsIn(messages),
    greet: async (look) =>
      `${look.style.bold(inLine(agent))}\n${look.style.dim(PLACE)}\n\n${renderLastTurns(
        { session: view, agent: { name: agent, model }, messages, ...last },
        await lookFor(look, messages),
      )}`,
    waiting: await waitingCall(view, client),
  })
}

const PLACE = 'at the Parley that runs; /help lists commands, Ctrl-C stops an answer, Ctrl-D leaves'

async function lastMessages(
  { id: sessionId, messageCount }: SessionView,
  { sessions }: ApiClient,
): Promise<readonly SessionMessage[]> {
  const after = Math.max(0, messageCount - TAIL)
  return (await sessions.messages({ sessionId, after, limit: TAIL })).items
}

/** The call that a turn waits with is the last thing that was told of it. */
async function waitingCall(
  { id: sessionId, lastSequence, openTurn }: SessionView,
  { sessions }: ApiClient,
): Promise<ApprovalRequest | undefined> {
  if (openTurn?.state !== 'waiting') return undefined
  const { signal } = new AbortController()
  for await (const event of sessions.events({ sessionId, after: lastSequence - 1, signal })) {
    return event.type === 'agent:approval_requested' ? event : undefined
  }
  return undefined
}

/** What a session of this machine can be resumed with, and one of a server cannot. */
function refuseOthers({ agent, model, file }: ResumeOptions): void {
  const flag = agent !== undefined ? '--agent' : model !== undefined ? '--model' : '--file'
  if (flag === '--file' && file.length === 0) return
  throw new PlatformError('validation', {
    message: `${WHY[flag]}: ${flag} is not for it.`,
    mend: `Leave out ${flag}.`,
  })
}

const OWN_AGENT = 'This session is kept at the Parley that runs, and goes on with its own agent'
const WHY = {
  '--agent': OWN_AGENT,
  '--model': OWN_AGENT,
  '--file': 'This session is kept at the Parley that runs, and only words are sent there',
} as const

const isEnded = (view: SessionView) =>
  new PlatformError('session_ended', {
    message: `${quotedTitle(view)} has ended, and nothing more can be said in it.`,
    mend: `\`parley sessions show ${shortId(view.id)}\` prints what was said; \`parley chat --reflection NAME\` starts a new one.`,
    sessionId: view.id,
  })
