import type { ToolText } from '@parley/engine'
import { failedText, mcpFailureOf } from './mcp-failure.ts'

/** A server that fails is something for the model to read. */
export async function told(signal: AbortSignal, work: () => Promise<ToolText>): Promise<ToolText> {
  try {
    return await work()
  } catch (failure) {
    signal.throwIfAborted()
    return failedText(mcpFailureOf(failure, 'The MCP server cannot be used.'))
  }
}
