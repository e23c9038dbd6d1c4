import type { Agent, AgentSession } from '@parley/contracts'
import type { ModelPort } from '../ports/model.ts'
import type { ToolRegistry, ToolSession } from '../ports/tools.ts'
import type { Secret } from '../tools/mask-secrets.ts'
import type { SessionLimits } from '../turn/turn.ts'
import type { RecorderHost } from './turn-recorder.ts'

export const DEFAULT_LIMITS: SessionLimits = {
  maxTurns: 50,
  maxToolTurns: 100,
  maxMessages: 200,
  autoCompact: true,
  compactThreshold: 0.8,
  onExceed: 'fail',
}

export const resolveLimits = ({ limits = {} }: Pick<SessionsHost, 'limits'>): SessionLimits => ({
  ...DEFAULT_LIMITS,
  ...limits,
  maxTurns: limits.maxTurns || DEFAULT_LIMITS.maxTurns,
  maxToolTurns: limits.maxToolTurns || DEFAULT_LIMITS.maxToolTurns,
})

/** Throws if the agent's own model is not available. */
export function requireModel(agent: Agent, { getModel }: Pick<SessionsHost, 'getModel'>): void {
  getModel(agent)
}

/** Throws if the agent's own model or one of its fallbacks is not available. */
export function requireAllModels(agent: Agent, { getModel }: Pick<SessionsHost, 'getModel'>): void {
  getModel(agent)
  for (const fallback of agent.fallback_chain ?? []) getModel({ ...agent, ...fallback })
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
