import type { Agent } from '@parley/contracts'
import type { ModelPort } from '../ports/model.ts'
import type { ToolPort } from '../ports/tools.ts'
import type { TurnLimits } from '../turn/turn.ts'
import type { RecorderHost } from './turn-recorder.ts'

/** What sessions need of the world. */
export interface SessionsHost extends RecorderHost {
  readonly modelOf: (agent: Agent) => ModelPort
  readonly toolsOf: (agent: Agent) => ToolPort
  readonly limits?: Partial<TurnLimits>
}
