import type { z } from 'zod'
import {
  AGENT_ACTIONS,
  type ActionInput,
  AgentAction,
  type MediaHandle,
  PlatformError,
  createToolInput,
} from '@parley/contracts'
import {
  type Secret,
  type Tool,
  type ToolRegistry,
  type ToolSession,
  createToolRegistry,
  createToolCallRefusal,
} from '@parley/engine'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import { ACTION_HANDLERS, type ActionHost, requireAllowed } from './action-handlers.ts'

export interface ReflectionToolsHost extends ActionHost {
  readonly sessionRows: Pick<ReflectionSessionStore, 'find'>
  readonly secrets: () => readonly Secret[]
  readonly toMediaHandle: (bytes: Uint8Array) => MediaHandle
}

/** The tools of a session with a reflection: one for each action. Undefined for any other session. */
export async function createReflectionTools(
  { id, agentSnapshot }: Pick<ToolSession, 'id' | 'agentSnapshot'>,
  host: ReflectionToolsHost,
): Promise<ToolRegistry | undefined> {
  const granted = agentSnapshot.tools ?? []
  if (!granted.some((name) => AgentAction.safeParse(name).success)) return undefined
  if (!(await host.sessionRows.find(id))) return undefined
  const { secrets, toMediaHandle, sha256: hash, bytesOf } = host
  const tools = AgentAction.options.map((action) => createActionTool(action, id, host))
  return createToolRegistry(tools, { granted, secrets, toMediaHandle, hash, encodeUtf8: bytesOf })
}

function createActionTool<Action extends AgentAction>(
  action: Action,
  sessionId: ReflectionSession['sessionId'],
  host: ReflectionToolsHost,
): Tool<ActionInput<Action>> {
  const { description, input: schema, effect } = AGENT_ACTIONS[action]
  const { subject, origin, callFromEngine } = ACTION_HANDLERS[action]
  // At each call: the session may have ended, and its person may have another role.
  const requireSession = async () =>
    requireAllowed(action, { session: await host.sessionRows.find(sessionId) }, host)

  return {
    name: action,
    description,
    input: createToolInput(schema as unknown as z.ZodType<ActionInput<Action>>),
    ...(effect === 'reads' && { mayRepeat: true }),
    async plan(input) {
      const target = subject(input)
      const refusal = await findRefusal(requireSession)
      if (refusal !== undefined) return createToolCallRefusal(refusal, 'tool_denied', target)
      return {
        kind: 'plan',
        target,
        ...(origin !== undefined && { origin }),
        carryOut: async (signal) => {
          const session = await requireSession()
          return { kind: 'ok', text: await callFromEngine(input, { session, host, signal }) }
        },
      }
    },
  }
}

async function findRefusal(decide: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await decide()
    return undefined
  } catch (failure) {
    if (failure instanceof PlatformError)
      return `${failure.detail.message ?? failure.code} Continue without it.`
    throw failure
  }
}
