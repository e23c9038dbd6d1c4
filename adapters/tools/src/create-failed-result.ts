import type { TurnErrorCode } from '@parley/contracts'
import type { ToolText } from '@parley/engine'

/** The result of a failed tool call. */
export const createFailedResult = (text: string, code: TurnErrorCode = 'tool_failed'): ToolText => ({
  kind: 'failed',
  code,
  text,
})
