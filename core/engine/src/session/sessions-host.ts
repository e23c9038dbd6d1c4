import type { Agent } from '@parley/contracts'
import type { ModelPort } from '../ports/model.ts'
import type { ToolPort } from '../ports/tools.ts'
import type { SessionLimits } from '../turn/turn.ts'
import type { RecorderHost } from './turn-recorder.ts'

/** What sessions need of the world. */
export interface SessionsHost extends RecorderHost {
  /** The model of an agent, or of one of its fallbacks in place of it; throws where it is not to be had. */
  readonly modelOf: (agent: Agent) => ModelPort
  readonly toolsOf: (agent: Agent) => ToolPort
  readonly limits?: Partial<SessionLimits>
}
