import {
  type Json,
  PlatformError,
  type SessionId,
  type SessionMessage,
  type WorkflowDefinition,
  type WorkflowFile,
} from '@parley/contracts'
import { writeYaml } from '../files/write-yaml.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { maskIn } from '../tools/mask-secrets.ts'
import { type ExportedAgent, exportSession } from './export-session.ts'

const PAGE = { limit: 500, maxBytes: 4_000_000 }

export interface ExportedSession {
  readonly workflow: WorkflowDefinition
  /** The `.relavium.yaml` file, the same bytes wherever it is asked for. */
  readonly yaml: string
}

type Mask = (text: string) => string

/** A session as it stands, even while a turn is open: what comes meanwhile is left for the next export. */
export async function exportedYaml(
  store: Pick<SessionStore, 'find' | 'readMessages'>,
  sessionId: SessionId,
  { mask, agent }: { readonly mask?: Mask | undefined; readonly agent?: ExportedAgent | undefined } = {},
): Promise<ExportedSession> {
  const record = await store.find(sessionId)
  if (!record)
    throw new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })
  const { session } = record
  const messages: SessionMessage[] = []
  while (messages.length < session.messageCount) {
    const page = await store.readMessages(sessionId, { after: messages.length, ...PAGE })
    if (page.length === 0) break
    messages.push(...page.slice(0, session.messageCount - messages.length))
  }
  const workflow = mask
    ? exportSession(maskIn(session, mask), maskIn(messages, mask), agent)
    : exportSession(session, messages, agent)
  return { workflow, yaml: serializeWorkflow(workflow) }
}

/** The text of a `.relavium.yaml` file: keys sorted, lists as they are. Parsed and written again it is the same bytes. */
export function serializeWorkflow(workflow: WorkflowDefinition): string {
  const schema_version: WorkflowFile['schema_version'] = '1.0'
  // What a schema of ours has read consists of JSON alone.
  return writeYaml({ schema_version, workflow: workflow as Json })
}
