import {
  type AgentSession,
  type Json,
  type SessionMessage,
  SessionMessageSchema,
  type WorkflowDefinition,
  type WorkflowNode,
} from '@parley/contracts'
import { type LogicalTurn, reconstructSessionState } from '../session/reconstruct-session-state.ts'

/** An agent's prompt is not for everybody who may have the transcript; without it the file names the agent alone. */
export type ExportedAgent = 'with-agent' | 'without-agent'

/**
 * A session as a workflow: a straight chain with one agent node for each completed turn, and the whole transcript in
 * its metadata. It depends on what is given and nothing else, so the same session always gives the same workflow.
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
      .map((turn, index) => nodeOf(turn, `turn-${index + 1}`, session.agentSlug)),
    { id: 'output', type: 'output' },
  ]
  return {
    id: workflowId(session.title),
    ...(agent === 'with-agent' && { agents: [session.agentSnapshot] }),
    nodes,
    edges: chainOf(nodes),
    metadata: { relaviumExport: provenanceOf(session, messages) },
  }
}

function nodeOf({ messages }: LogicalTurn, id: string, agent_ref: string): WorkflowNode {
  const prompt_template = neutraliseOpeners(promptOf(messages))
  const tools = toolsOf(messages)
  return {
    id,
    type: 'agent',
    agent_ref,
    ...(prompt_template !== '' && { prompt_template }),
    ...(tools.length > 0 && { tools }),
  }
}

const promptOf = (turn: readonly SessionMessage[]): string =>
  turn
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n')

function toolsOf(turn: readonly SessionMessage[]): string[] {
  const calls = turn
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool_call' ? [part.call.name] : [])))
  return [...new Set(calls)]
}

function chainOf(nodes: readonly WorkflowNode[]): WorkflowDefinition['edges'] {
  const edges: WorkflowDefinition['edges'] = []
  for (const [index, { id: to }] of nodes.entries()) {
    const from = nodes[index - 1]
    if (from) edges.push({ from: from.id, to })
  }
  return edges
}

function provenanceOf(session: AgentSession, messages: readonly SessionMessage[]): Json {
  const { id: sessionId, agentSlug, title, createdAt, updatedAt } = session
  return {
    source: 'session',
    sessionId,
    agentSlug,
    ...(title !== undefined && { title }),
    createdAt,
    updatedAt,
    // Parsed, so that nothing but durable parts can leave, whatever a store may hold.
    messages: messages.map((message) => SessionMessageSchema.parse(message) as Json),
  }
}

/**
 * What a person said, such that a template says it and interpolates nothing: a space goes between adjacent braces.
 * What comes out holds no `{{`, whatever went in, so doing it twice changes nothing.
 */
const neutraliseOpeners = (text: string): string => text.replace(/\{(?=\{)/g, '{ ')

const LONGEST = 64
const FALLBACK = 'exported-session'

/** A title as an id: its ASCII letters and digits, in lower case, with hyphens between the words. */
function workflowId(title: string | undefined): string {
  const slug = (title ?? '')
    .replace(/[^\0-\x7f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '')
  return slug === '' ? FALLBACK : slug
}
