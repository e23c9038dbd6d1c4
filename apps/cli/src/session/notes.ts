import { mkdir, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentSession, type SessionMessage, type SessionView, Usage } from '@parley/contracts'
import { type AgentSessionRecord, type SessionStore, reconstructSessionState } from '@parley/engine'
import { type ConfiguredProvider, isUsable } from '../config/configured-providers.ts'
import type { ApprovalRequest } from '../talk/conversation.ts'
import { shortId } from './find-session.ts'

/** What a person who comes back has to know of the last turn, and what they can do about it. */
export function resumeNote(
  { id: sessionId, openTurn }: Pick<SessionView, 'id' | 'openTurn'>,
  messages: readonly SessionMessage[],
): string | undefined {
  const id = shortId(sessionId)
  const goOn = `\`parley resume ${id} --continue\` goes on with it, or just say something.`
  const state = openTurn?.state
  switch (state) {
    case 'running':
      return (
        'This session is being answered in another terminal right now: what you type has to wait until that ' +
        `is done, or stop it with \`parley sessions cancel ${id}\`.`
      )
    case 'waiting':
      return undefined
    case 'interrupted':
      return `The last answer was interrupted, and your message is kept: ${goOn}`
    case undefined:
      return reconstructSessionState(messages).at(-1)?.outcome === 'rolled-back'
        ? `Your last message has no answer: ${goOn}`
        : undefined
    default:
      return state satisfies never
  }
}

/** What a person has to know who goes on with a session whose folder is gone, or is not the one they are in. */
export async function folderNote(
  { context: { workingDir }, agentSnapshot }: Pick<AgentSession, 'context' | 'agentSnapshot'>,
  here: string,
): Promise<string | undefined> {
  // Without tools a folder is only where a talk began.
  if (!agentSnapshot.tools?.length) return undefined
  const found = await stat(workingDir).catch(() => undefined)
  if (!found?.isDirectory()) {
    return `The folder that this session works in is gone: ${workingDir}. Its tools do nothing without it. Make it again, or start a new session with \`parley chat\` in the right folder.`
  }
  const [theirs, ours] = await Promise.all([workingDir, here].map((path) => realpath(path).catch(() => path)))
  return theirs === ours
    ? undefined
    : `This session works in ${workingDir}, which is not the folder that you are in.`
}

/** The file that says that it was told. */
export const HINT_SHOWN = 'provider-hint-shown'

/** How a person gets another model than the offline one; told once for each data folder. */
export async function firstRunHint(
  home: string,
  providers: readonly ConfiguredProvider[],
): Promise<string | undefined> {
  const isFirst = await markShown(join(home, HINT_SHOWN))
  if (!isFirst) return undefined
  const ready = providers.find((provider) => provider.kind !== 'offline' && isUsable(provider))
  return ready
    ? `${ready.name} is ready: parley chat --model ${ready.name}/MODEL; \`parley providers models ${ready.name}\` lists its models.`
    : 'For another model: `parley providers add anthropic --kind anthropic`, with its key in ANTHROPIC_API_KEY.'
}

/** False where it was shown before. A folder that cannot be written is told of by those who need it. */
async function markShown(file: string): Promise<boolean> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 }).catch(() => undefined)
  return writeFile(file, '', { flag: 'wx', mode: 0o600 }).then(
    () => true,
    () => false,
  )
}

/** How many numbers of events are looked back through. */
const BACK = 100

/** What the last turn of a session took, if it is among its last events. */
export async function lastUsage(
  { session, lastSequence }: AgentSessionRecord,
  store: SessionStore,
): Promise<Usage | undefined> {
  const after = Math.max(0, lastSequence - BACK)
  const events = await store.readEvents(session.id, { after, limit: BACK })
  const last = events.findLast(({ body }) => body.type === 'session:turn_completed')
  return Usage.safeParse(last?.body['usage']).data
}

/** The call that a turn waits with: the last thing that was told of it. */
export async function waitingCall(
  { session, lastSequence, openTurn }: AgentSessionRecord,
  store: SessionStore,
): Promise<ApprovalRequest | undefined> {
  if (openTurn?.state !== 'waiting') return undefined
  const [last] = await store.readEvents(session.id, { after: lastSequence - 1, limit: 1 })
  if (last?.body.type !== 'agent:approval_requested') return undefined
  const { body, sequenceNumber, timestamp } = last
  return { ...body, sequenceNumber, timestamp, sessionId: session.id } as ApprovalRequest
}
