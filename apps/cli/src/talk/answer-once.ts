import { EXIT, EXIT_OF_ERROR, EXIT_OF_STOP, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { inOneLine } from '../render/text.ts'
import { jsonLine, tell } from '../render/output.ts'
import type { ScreenLook } from '../render/screen-look.ts'
import { shortId } from '../session/find-session.ts'
import { type Person, askApproval, isOfMoney, wishOf } from './ask-approval.ts'
import type { ApprovalRequest, Conversation, Move, TurnEnd } from './conversation.ts'
import { createAnswerPrinter, followTurn, writeTo } from './print-answer.ts'
import { type ToolScreen, createToolScreen } from './tool-screen.ts'
import { type Asked, createTurnNotes } from './turn-notes.ts'

interface OnceHost {
  readonly io: Io
  readonly json: boolean
  readonly look: ScreenLook
  /** How what the agent does is told beside its answer; absent where nobody looks. */
  readonly beside?: ScreenLook | undefined
  /** The model that is asked. */
  readonly asked?: Asked | undefined
  /** Absent where nobody is there to be asked. */
  readonly person?: Person | undefined
}

/** One move and its answer, which alone goes to standard output; a signal stops it. */
export async function answerOnce(conversation: Conversation, move: Move, host: OnceHost): Promise<ExitCode> {
  const { io, json, person } = host
  const stop = () => conversation.stop()
  // Once: a second signal ends the process as it would any other. Who closes a terminal sends several at once.
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
        if (isOfMoney(request)) return 'leave'
        refused += 1
        tellRefused(request, io)
        return 'unattended'
      },
    })
    if (end.type === 'agent:approval_requested') {
      tellWaiting(end, io)
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

/** Nobody is there to decide, or they left it for later. */
export function tellWaiting(request: ApprovalRequest, { stderr }: Io): void {
  const id = shortId(request.sessionId)
  tell(stderr, `parley: The answer waits for your word: ${wishOf(request)}`)
  tell(
    stderr,
    `\`parley resume ${id}\` at a terminal asks you; \`parley sessions cancel ${id}\` gives it up.`,
    '  ',
  )
}

/** Nobody is there to decide, and a call that nobody allowed is not made. */
function tellRefused({ tool, target }: ApprovalRequest, { stderr }: Io): void {
  const call = inOneLine(`${tool} ${target}`)
  tell(
    stderr,
    `parley: Refused, since nobody is there to be asked: ${call}. Start it at a terminal to be asked.`,
  )
}

export const OUT_OF_TOKENS = 'The answer ends here because it reached its longest length (max_tokens).'

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

/** What may work when it is tried again, such as an answer that does not fit `output_schema`, was no bad input. */
function exitCodeOf({ stopReason, error }: TurnEnd): ExitCode {
  if (stopReason !== 'error') return EXIT_OF_STOP[stopReason]
  const code = EXIT_OF_ERROR[error?.code ?? 'internal']
  return code === EXIT.badInput && error?.retryable ? EXIT.failed : code
}
