import type { TurnErrorCode } from '@parley/contracts'
import type { RawToolResult } from '@parley/engine'

/** The result of a failed tool call. */
export const createFailedResult = (text: string, code: TurnErrorCode = 'tool_failed'): RawToolResult => ({
  kind: 'failed',
  code,
  text,
})
