import type { Agent } from '@parley/contracts'
import type { ModelPort } from '../ports/model.ts'
import type { ToolRegistry, ToolSession } from '../ports/tools.ts'
import type { Secret } from '../tools/mask-secrets.ts'
import type { SessionLimits } from '../turn/turn.ts'
import type { SettledSession } from './settled-session.ts'
import type { RecorderHost } from './turn-recorder.ts'

/** What sessions need of the world. */
export interface SessionsHost extends RecorderHost {
  /** The model of an agent, or of one of its fallbacks in place of it; throws where it is not to be had. */
  readonly modelOf: (agent: Agent) => ModelPort
  readonly toolsOf: (session: ToolSession) => ToolRegistry | Promise<ToolRegistry>
  /** Values that are masked in all that is stored, shown or given to a model. The same list while nothing changes. */
  readonly secrets?: () => readonly Secret[]
  readonly limits?: Partial<SessionLimits>
  /** What holds in place of them for the turns of one session. */
  readonly limitsFor?: (session: SettledSession) => Promise<Partial<SessionLimits>> | undefined
}
