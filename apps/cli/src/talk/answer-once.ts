import { EXIT, EXIT_OF_ERROR, EXIT_OF_STOP, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { inOneLine } from '../render/text.ts'
import { jsonLine, notify, tell } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { shortId } from '../session/find-session.ts'
import { type Person, askApproval, isBudgetRequest, describeRequest } from './ask-approval.ts'
import type { ApprovalRequest, Conversation, Move, TurnEnd } from './conversation.ts'
import { createAnswerPrinter, followTurn, writeTo } from './print-answer.ts'
import { type ToolScreen, createToolScreen } from './tool-screen.ts'
import { type RequestedModel, createTurnNotes } from './turn-notes.ts'

interface OnceHost {
  readonly io: Io
  readonly json: boolean
  readonly display: Display
  /** Shows tool activity; absent without a terminal. */
  readonly toolDisplay?: Display | undefined
  /** The requested model. */
  readonly requested?: RequestedModel | undefined
  /** Absent without a terminal for questions. */
  readonly person?: Person | undefined
}

/** Runs one move and prints only the answer to standard output; a signal stops it. */
export async function answerOnce(conversation: Conversation, move: Move, host: OnceHost): Promise<ExitCode> {
  const { io, json, person } = host
  const stop = () => conversation.stop()
  // Once: a second signal ends the process. Closing a terminal sends several at once.
  for (const signal of SIGNALS) process.once(signal, stop)
  process.on('SIGHUP', stop)
  try {
    const tools = host.toolDisplay && createToolScreen(io.stderr, host.toolDisplay)
    const make = (next: Move) =>
      json ? printEvents(conversation, next, io) : printAnswer(conversation, next, host, tools)
    let refused = 0
    const end = await followTurn(move, {
      make,
      async decide(request) {
        if (person) {
          person.screen.write('\n')
          return askApproval(request, person)
        }
        if (isBudgetRequest(request)) return 'leave'
        refused += 1
        reportRefusal(request, io)
        return 'unattended'
      },
    })
    if (end.type === 'agent:approval_requested') {
      printWaiting(end, io)
      return EXIT.refused
    }
    if (end.error) notify(io, end.error.message)
    if (end.stopReason === 'max_tokens') notify(io, OUT_OF_TOKENS)
    const code = toExitCode(end)
    return code === EXIT.done && refused > 0 ? EXIT.refused : code
  } finally {
    for (const signal of [...SIGNALS, 'SIGHUP']) process.off(signal, stop)
  }
}

/** Reports a waiting call: without a terminal, or left for later. */
export function printWaiting(request: ApprovalRequest, io: Pick<Io, 'stderr'>): void {
  const id = shortId(request.sessionId)
  notify(io, `Waiting for your approval: ${describeRequest(request)}`)
  tell(
    io.stderr,
    `\`parley resume ${id}\` in a terminal asks you; \`parley sessions cancel ${id}\` cancels it.`,
    '  ',
  )
}

/** Without a terminal for approval, the call is refused. */
function reportRefusal({ tool, target }: ApprovalRequest, io: Io): void {
  const call = inOneLine(`${tool} ${target}`)
  notify(
    io,
    `No terminal to ask for approval, so this was refused: ${call}. Run it in a terminal to be asked.`,
  )
}

export const OUT_OF_TOKENS = 'The answer was cut off at max_tokens.'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const printEvents = (conversation: Conversation, move: Move, { stdout }: Io) =>
  conversation.make(move, (event) => writeTo(stdout, jsonLine(event)))

async function printAnswer(
  conversation: Conversation,
  move: Move,
  { io, display, requested }: OnceHost,
  tools: ToolScreen | undefined,
) {
  const printer = createAnswerPrinter(io.stdout, display, {
    findNote: createTurnNotes(requested),
    print: (note) => notify(io, note),
    tools,
  })
  try {
    return await conversation.make(move, printer.onEvent)
  } finally {
    await printer.end()
  }
}

/** A retry may help, such as for an answer that does not fit `output_schema`: not bad input. */
function toExitCode({ stopReason, error }: TurnEnd): ExitCode {
  if (stopReason !== 'error') return EXIT_OF_STOP[stopReason]
  const code = EXIT_OF_ERROR[error?.code ?? 'internal']
  return code === EXIT.badInput && error?.retryable ? EXIT.failed : code
}
