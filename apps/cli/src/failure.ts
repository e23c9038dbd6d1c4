import { CommanderError } from 'commander'
import { ERROR_TITLE, type ErrorCode, type ErrorDetail, PlatformError, findSecret } from '@parley/contracts'
import { shouldPrintStack } from './environment.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from './exit-code.ts'
import type { Io } from './io.ts'
import { toJsonLine, notify, printMessage } from './render/output.ts'
import { shortenId } from './session/find-session.ts'

export function reportFailure(failure: unknown, io: Io, json: boolean, usage = HELP_HINT): ExitCode {
  const { code, message, fix, exitCode } = describeFailure(failure, usage)
  notify(io, message)
  if (fix) printMessage(io.stderr, fix, '  ')
  if (shouldPrintStack(io.variables) && failure instanceof Error) io.stderr.write(`${failure.stack}\n`)
  if (json) io.stdout.write(toJsonLine({ error: { code, message } }))
  return exitCode
}

interface FailureReport {
  readonly code: ErrorCode
  readonly message: string
  readonly fix?: string | undefined
  readonly exitCode: ExitCode
}

function describeFailure(failure: unknown, usage: string): FailureReport {
  if (failure instanceof CommanderError) return describeUsageError(failure, usage)
  if (failure instanceof PlatformError) {
    const { code, detail } = failure
    const fix = typeof detail['fix'] === 'string' ? detail['fix'] : FIXES[code]?.(readSessionId(detail))
    return { code, message: detail.message ?? `${ERROR_TITLE[code]}.`, fix, exitCode: EXIT_OF_ERROR[code] }
  }
  const cause = failure instanceof Error ? failure.message : String(failure)
  return {
    code: 'internal',
    message: `Something went wrong inside Parley: ${cause}`,
    fix: 'Set PARLEY_DEBUG=1 to see where.',
    exitCode: EXIT.failed,
  }
}

/** Commander writes "error: …" and puts a suggestion in brackets on a line of its own. */
function describeUsageError({ message }: CommanderError, usage: string): FailureReport {
  const secret = findSecret(message)
  return {
    code: 'validation',
    message:
      secret === undefined ? rewordUsage(message) : `The command line contains what looks like ${secret}.`,
    fix: secret === undefined ? usage : KEY_HINT,
    exitCode: EXIT.badInput,
  }
}

const rewordUsage = (message: string): string =>
  message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/, '. Did you mean $1?')

const HELP_HINT = '`parley --help` lists the commands, `parley COMMAND --help` the options of one.'
const KEY_HINT =
  'Other users can see command lines, and it is now in your shell history: remove it there, and use an environment variable.'

const FIXES: Partial<Record<ErrorCode, (id: string) => string>> = {
  nothing_to_continue: (id) => `\`parley resume ${id}\` opens it for a new message.`,
  session_busy: (id) => `Wait until it is done, or stop it: \`parley sessions cancel ${id}\`.`,
  session_ended: (id) =>
    `\`parley resume ${id} --agent offline\` starts a new session with the same past; \`parley chat\` starts an empty one.`,
  session_not_found: () => '`parley sessions` lists them.',
  transcript_pending: () => 'Try again once the call is over.',
}

const readSessionId = ({ sessionId }: ErrorDetail): string =>
  typeof sessionId === 'string' ? shortenId(sessionId) : 'ID'
