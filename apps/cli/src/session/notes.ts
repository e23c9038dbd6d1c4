import { mkdir, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentSession, type SessionMessage, type SessionView, Usage } from '@parley/contracts'
import {
  type AgentSessionRecord,
  type SessionStore,
  readApprovalRequest,
  reconstructSessionState,
} from '@parley/engine'
import { type ConfiguredProvider, isUsable } from '../config/configured-providers.ts'
import type { ApprovalRequest } from '../chat/chat.ts'
import { shortenId } from './find-session.ts'

/** The note about an unfinished last turn, with the next step. */
export function describeUnfinishedTurn(
  { id: sessionId, openTurn }: Pick<SessionView, 'id' | 'openTurn'>,
  messages: readonly SessionMessage[],
): string | undefined {
  const id = shortenId(sessionId)
  const nextStep = `\`parley resume ${id} --continue\` answers it, or send a new message.`
  const state = openTurn?.state
  switch (state) {
    case 'running':
      return (
        'An answer is running in another terminal: your message waits until it ' +
        `is done, or stop it with \`parley sessions cancel ${id}\`.`
      )
    case 'waiting':
      return undefined
    case 'interrupted':
      return `The last answer was interrupted. Your message is saved: ${nextStep}`
    case undefined:
      return reconstructSessionState(messages).at(-1)?.outcome === 'rolled-back'
        ? `Your last message has no answer: ${nextStep}`
        : undefined
    default:
      return state satisfies never
  }
}

/** The note if the folder of the session is missing or not the current one. */
export async function describeSessionFolder(
  { context: { workingDir }, agentSnapshot }: Pick<AgentSession, 'context' | 'agentSnapshot'>,
  here: string,
): Promise<string | undefined> {
  // Without tools the folder does not matter.
  if (!agentSnapshot.tools?.length) return undefined
  const stats = await stat(workingDir).catch(() => undefined)
  if (!stats?.isDirectory()) {
    return `The folder of this session no longer exists: ${workingDir}. Its tools need it. Create it again, or run \`parley chat\` in the right folder.`
  }
  const [folder, current] = await Promise.all(
    [workingDir, here].map((path) => realpath(path).catch(() => path)),
  )
  return folder === current ? undefined : `This session works in ${workingDir}, not in the current folder.`
}

/** Marks that the hint was shown. */
export const HINT_SHOWN_FILE = 'provider-hint-shown'

/** How to use a model other than the offline one; shown once per data folder. */
export async function takeFirstRunHint(
  home: string,
  providers: readonly ConfiguredProvider[],
): Promise<string | undefined> {
  const isFirst = await markShown(join(home, HINT_SHOWN_FILE))
  if (!isFirst) return undefined
  const ready = providers.find((provider) => provider.kind !== 'offline' && isUsable(provider))
  return ready
    ? `To use ${ready.name}: parley chat --model ${ready.name}/MODEL. \`parley providers models ${ready.name}\` lists its models.`
    : 'To use another model, set ANTHROPIC_API_KEY, then: parley chat --model anthropic/MODEL. `parley providers add` adds other providers.'
}

/** False if it was shown before. Other code reports an unwritable folder. */
async function markShown(file: string): Promise<boolean> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 }).catch(() => undefined)
  return writeFile(file, '', { flag: 'wx', mode: 0o600 }).then(
    () => true,
    () => false,
  )
}

/** How many events to search backwards. */
const MAX_EVENTS = 100

/** The usage of the last turn, if among the last events. */
export async function readLastUsage(
  { session, lastSequence }: AgentSessionRecord,
  store: SessionStore,
): Promise<Usage | undefined> {
  const after = Math.max(0, lastSequence - MAX_EVENTS)
  const events = await store.readEvents(session.id, { after, limit: MAX_EVENTS })
  const last = events.findLast(({ body }) => body.type === 'session:turn_completed')
  return Usage.safeParse(last?.body['usage']).data
}

/** The call that waits for approval. */
export const readWaitingCall = async (
  record: AgentSessionRecord,
  store: SessionStore,
): Promise<ApprovalRequest | undefined> =>
  record.openTurn?.state === 'waiting' ? readApprovalRequest(record, store) : undefined
