import {
  type AgentSession,
  type Json,
  PlatformError,
  type SessionId,
  type SessionMessage,
  SessionMessageSchema,
  type WorkflowDefinition,
  type WorkflowFile,
  type WorkflowNode,
} from '@parley/contracts'
import { writeYaml } from '../files/write-yaml.ts'
import type { SessionStore } from '../ports/session-store.ts'
import { readAllMessages } from '../session/read-all-messages.ts'
import { type LogicalTurn, reconstructSessionState } from '../session/reconstruct-session-state.ts'
import { maskValue } from '../tools/mask-secrets.ts'

/** A person may be allowed to export the transcript but not the agent's prompt; the file then only names the agent. */
export type ExportedAgent = 'with-agent' | 'without-agent'

/**
 * A session as a workflow: a straight chain with one agent node for each completed turn, and the whole transcript in
 * its metadata. It depends on its arguments alone, so the same session always gives the same workflow.
 */
export function exportSession(
  session: AgentSession,
  messages: readonly SessionMessage[],
  agent: ExportedAgent = 'with-agent',
): WorkflowDefinition {
  const nodes: WorkflowNode[] = [
    { id: 'input', type: 'input' },
    ...reconstructSessionState(messages)
      .filter(({ outcome }) => outcome === 'completed')
      .map((turn, index) => toNode(turn, `turn-${index + 1}`, session.agentSlug)),
    { id: 'output', type: 'output' },
  ]
  return {
    id: toWorkflowId(session.title),
    ...(agent === 'with-agent' && { agents: [session.agentSnapshot] }),
    nodes,
    edges: connectInOrder(nodes),
    metadata: { relaviumExport: createProvenance(session, messages) },
  }
}

function toNode({ messages }: LogicalTurn, id: string, agent_ref: string): WorkflowNode {
  const prompt_template = escapeBraces(joinQuestions(messages))
  const tools = listCalledTools(messages)
  return {
    id,
    type: 'agent',
    agent_ref,
    ...(prompt_template !== '' && { prompt_template }),
    ...(tools.length > 0 && { tools }),
  }
}

const joinQuestions = (turn: readonly SessionMessage[]): string =>
  turn
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n')

function listCalledTools(turn: readonly SessionMessage[]): string[] {
  const calls = turn
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool_call' ? [part.call.name] : [])))
  return [...new Set(calls)]
}

function connectInOrder(nodes: readonly WorkflowNode[]): WorkflowDefinition['edges'] {
  const edges: WorkflowDefinition['edges'] = []
  for (const [index, { id: to }] of nodes.entries()) {
    const from = nodes[index - 1]
    if (from) edges.push({ from: from.id, to })
  }
  return edges
}

function createProvenance(session: AgentSession, messages: readonly SessionMessage[]): Json {
  const { id: sessionId, agentSlug, title, createdAt, updatedAt } = session
  return {
    source: 'session',
    sessionId,
    agentSlug,
    ...(title !== undefined && { title }),
    createdAt,
    updatedAt,
    // Parsed, so only durable parts are exported, whatever the store holds.
    messages: messages.map((message) => SessionMessageSchema.parse(message) as Json),
  }
}

/**
 * Escapes a person's text for a template: a space goes between adjacent braces, so nothing is interpolated. The result
 * never contains `{{`, so escaping twice changes nothing.
 */
const escapeBraces = (text: string): string => text.replace(/\{(?=\{)/g, '{ ')

const LONGEST = 64
const FALLBACK = 'exported-session'

/** Turns a title into an id: lower-case ASCII letters and digits, with hyphens between words. */
function toWorkflowId(title: string | undefined): string {
  const slug = (title ?? '')
    .replace(/[^\0-\x7f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '')
  return slug === '' ? FALLBACK : slug
}

export interface ExportedSession {
  readonly workflow: WorkflowDefinition
  /** The `.relavium.yaml` file, the same bytes everywhere. */
  readonly yaml: string
}

type Mask = (text: string) => string

/** Exports the session's current state, even while a turn is open; later messages wait for the next export. */
export async function exportSessionYaml(
  store: Pick<SessionStore, 'find' | 'readMessages'>,
  sessionId: SessionId,
  { mask, agent }: { readonly mask?: Mask | undefined; readonly agent?: ExportedAgent | undefined } = {},
): Promise<ExportedSession> {
  const record = await store.find(sessionId)
  if (!record)
    throw new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })
  const { session } = record
  const messages = await readAllMessages(store, sessionId, session.messageCount)
  const workflow = mask
    ? exportSession(maskValue(session, mask), maskValue(messages, mask), agent)
    : exportSession(session, messages, agent)
  return { workflow, yaml: serializeWorkflow(workflow) }
}

/** The text of a `.relavium.yaml` file, with sorted keys. Parsing and writing it again gives the same bytes. */
export function serializeWorkflow(workflow: WorkflowDefinition): string {
  const schema_version: WorkflowFile['schema_version'] = '1.0'
  // Our schemas produce only JSON values.
  return writeYaml({ schema_version, workflow: workflow as Json })
}
