import type { ToolText } from '@parley/engine'
import type { ProcessEnd } from './run-process.ts'

/** How a command went, as the model is told. */
export function commandResult(end: ProcessEnd, timeoutSeconds: number): ToolText {
  const text = [headline(end, timeoutSeconds), end.output.trimEnd()].filter(Boolean).join('\n')
  if (end.how === 'cancelled') return { kind: 'failed', code: 'cancelled', text }
  const isWell = end.how === 'by-itself' && end.exitCode === 0
  return isWell ? { kind: 'ok', text } : { kind: 'failed', code: 'tool_failed', text }
}

function headline({ how, exitCode, signal, output }: ProcessEnd, timeoutSeconds: number): string {
  const until = output.trimEnd() === '' ? 'It had written nothing.' : 'What it had written:'
  switch (how) {
    case 'timed-out':
      return `The command took longer than ${timeoutSeconds} seconds; it and all that it started were ended. ${until}`
    case 'cancelled':
      return `The call was cancelled; the command and all that it started were ended. ${until}`
    case 'by-itself':
      return exitCode === null ? `ended by the signal ${signal}` : `exit code ${exitCode}`
    default:
      return how satisfies never
  }
}
