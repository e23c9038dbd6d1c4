import { EXIT, EXIT_OF_ERROR, EXIT_OF_STOP, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { inOneLine } from '../render/text.ts'
import { jsonLine, tell } from '../render/output.ts'
import type { ScreenLook } from '../render/screen-look.ts'
import { shortId } from '../session/find-session.ts'
import { type Person, askApproval, isBudgetRequest, describeRequest } from './ask-approval.ts'
import type { ApprovalRequest, Conversation, Move, TurnEnd } from './conversation.ts'
import { createAnswerPrinter, followTurn, writeTo } from './print-answer.ts'
import { type ToolScreen, createToolScreen } from './tool-screen.ts'
import { type RequestedModel, createTurnNotes } from './turn-notes.ts'

interface OnceHost {
  readonly io: Io
  readonly json: boolean
  readonly look: ScreenLook
  /** Shows tool activity; absent without a terminal. */
  readonly beside?: ScreenLook | undefined
  /** The requested model. */
  readonly asked?: RequestedModel | undefined
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
    const tools = host.beside && createToolScreen(io.stderr, host.beside)
    const make = (next: Move) =>
      json ? tellEvents(conversation, next, io) : tellAnswer(conversation, next, host, tools)
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
        tellRefused(request, io)
        return 'unattended'
      },
    })
    if (end.type === 'agent:approval_requested') {
      printWaiting(end, io)
      return EXIT.refused
    }
    if (end.error) tell(io.stderr, `parley: ${end.error.message}`)
    if (end.stopReason === 'max_tokens') tell(io.stderr, `parley: ${OUT_OF_TOKENS}`)
    const code = exitCodeOf(end)
    return code === EXIT.done && refused > 0 ? EXIT.refused : code
  } finally {
    for (const signal of [...SIGNALS, 'SIGHUP']) process.off(signal, stop)
  }
}

/** No terminal for approval, or the user left it for later. */
export function printWaiting(request: ApprovalRequest, { stderr }: Io): void {
  const id = shortId(request.sessionId)
  tell(stderr, `parley: Waiting for your approval: ${describeRequest(request)}`)
  tell(
    stderr,
    `\`parley resume ${id}\` in a terminal asks you; \`parley sessions cancel ${id}\` cancels it.`,
    '  ',
  )
}

/** Without a terminal for approval, the call is refused. */
function tellRefused({ tool, target }: ApprovalRequest, { stderr }: Io): void {
  const call = inOneLine(`${tool} ${target}`)
  tell(
    stderr,
    `parley: No terminal to ask for approval, so this was refused: ${call}. Run it in a terminal to be asked.`,
  )
}

export const OUT_OF_TOKENS = 'The answer was cut off at max_tokens.'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const tellEvents = (conversation: Conversation, move: Move, { stdout }: Io) =>
  conversation.make(move, (event) => writeTo(stdout, jsonLine(event)))

async function tellAnswer(
  conversation: Conversation,
  move: Move,
  { io, look, asked }: OnceHost,
  tools: ToolScreen | undefined,
) {
  const printer = createAnswerPrinter(io.stdout, look, {
    noteOn: createTurnNotes(asked),
    tell: (note) => tell(io.stderr, `parley: ${note}`),
    tools,
  })
  try {
    return await conversation.make(move, printer.onEvent)
  } finally {
    await printer.end()
  }
}

/** A retry may help, such as for an answer that does not fit `output_schema`: not bad input. */
function exitCodeOf({ stopReason, error }: TurnEnd): ExitCode {
  if (stopReason !== 'error') return EXIT_OF_STOP[stopReason]
  const code = EXIT_OF_ERROR[error?.code ?? 'internal']
  return code === EXIT.badInput && error?.retryable ? EXIT.failed : code
}
