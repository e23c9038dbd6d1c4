import type { Agent, AgentSession, MediaHandle } from '@parley/contracts'
import type { ModelPort } from '../ports/model.ts'
import type { ToolRegistry, ToolSession } from '../ports/tools.ts'
import type { Secret } from '../tools/mask-secrets.ts'
import type { SessionLimits, TurnHost } from '../turn/turn.ts'
import type { RecorderHost } from './turn-recorder.ts'

export const DEFAULT_LIMITS: SessionLimits = {
  maxTurns: 50,
  maxToolTurns: 100,
  maxMessages: 200,
  autoCompact: true,
  compactThreshold: 0.8,
  onExceed: 'fail',
}

const DEFAULT_MAX_TOKENS = 4_096

export const resolveLimits = ({ limits = {} }: Pick<SessionsHost, 'limits'>): SessionLimits => ({
  ...DEFAULT_LIMITS,
  ...limits,
  maxTurns: limits.maxTurns || DEFAULT_LIMITS.maxTurns,
  maxToolTurns: limits.maxToolTurns || DEFAULT_LIMITS.maxToolTurns,
})

/** The agent's own model, then its fallbacks; throws if one of them is not available. */
export const resolveModels = (
  agent: Agent,
  { getModel }: Pick<SessionsHost, 'getModel'>,
): readonly ModelPort[] => [
  getModel(agent),
  ...(agent.fallback_chain ?? []).map((fallback) => getModel({ ...agent, ...fallback })),
]

/** Creates the host of a session's turn; throws if its own model is not available. */
export async function createTurnHost(
  session: FixedSession,
  host: SessionsHost,
): Promise<Omit<TurnHost, 'signal' | 'streamText' | 'nextStepId' | 'costs' | 'grants'>> {
  const { store, getTools } = host
  const agent = session.agentSnapshot
  const readMedia = (handle: MediaHandle) => store.getMedia(session.id, handle)
  const { temperature, reasoning_effort: reasoningEffort } = agent
  return {
    models: findAvailableModels(agent, host),
    tools: await getTools({ ...session, readMedia }),
    limits: {
      ...resolveLimits({ limits: { ...host.limits, ...(await host.getSessionLimits?.(session)) } }),
      ...(agent.memory?.type === 'summary' && { autoCompact: true, summarisesOldest: true }),
    },
    maxTokens: agent.max_tokens ?? DEFAULT_MAX_TOKENS,
    readMedia,
    toMediaHandle: (bytes) => store.toMediaHandle(bytes),
    ...(agent.output_schema && { outputSchema: agent.output_schema }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
  }
}

/** Throws if the agent's own model is not available. A missing fallback, such as one without a key, is skipped. */
export function findAvailableModels(agent: Agent, { getModel }: SessionsHost): readonly ModelPort[] {
  const fallbacks = (agent.fallback_chain ?? []).flatMap((fallback) => {
    try {
      return [getModel({ ...agent, ...fallback })]
    } catch {
      return []
    }
  })
  return [getModel(agent), ...fallbacks]
}

/** The dependencies of sessions. */
export interface SessionsHost extends RecorderHost {
  /** The model of an agent or of one of its fallbacks; throws if it is not available. */
  readonly getModel: (agent: Agent) => ModelPort
  readonly getTools: (session: ToolSession) => ToolRegistry | Promise<ToolRegistry>
  /** Values that are masked wherever text is stored, shown or sent to a model. The same array while nothing changes. */
  readonly secrets?: () => readonly Secret[]
  readonly limits?: Partial<SessionLimits>
  /** Overrides for the turns of one session. */
  readonly getSessionLimits?: (session: FixedSession) => Promise<Partial<SessionLimits>> | undefined
}

/** The parts of a session that are fixed at its start. */
export type FixedSession = Pick<AgentSession, 'id' | 'ownerId' | 'agentSnapshot' | 'context'>
