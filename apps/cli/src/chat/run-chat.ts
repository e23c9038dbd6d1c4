import { MAX_MESSAGE_LENGTH, PlatformError } from '@parley/contracts'
import type { History } from '@parley/history'
import { openLocalHistory } from '../compose.ts'
import type { Environment } from '../environment.ts'
import { EXIT, EXIT_OF_ERROR, EXIT_OF_STOP, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import {
  type ContextFile,
  composeMessage,
  createTooLongError,
  listMentionNotices,
  readContextFiles,
  readMentionedFiles,
} from './attachments.ts'
import { canAsk, confirm, readInput } from '../prompt/confirm.ts'
import { type Display, readDisplay } from '../render/display.ts'
import { notify, printMessage, toJsonLine, writeTo } from '../render/output.ts'
import { toSingleLine } from '../render/text.ts'
import { type Approver, askApproval, followTurn, isBudgetRequest, printWaitingCall } from './ask-approval.ts'
import { type ApprovalRequest, type Chat, type TurnEnd, type UserAction } from './chat.ts'
import { createAnswerPrinter } from './print-answer.ts'
import { type OpenChat, chooseScreen, chatAtPrompt } from './chat-at-prompt.ts'
import { type ToolPrinter, createToolPrinter } from './tool-printer.ts'
import { CUT_OFF_NOTE, type RequestedModel, createTurnNotes } from './turn-notes.ts'

interface ChatInput {
  readonly io: Io
  readonly json: boolean
  readonly environment: Environment
  readonly message?: string | undefined
  readonly file: readonly string[]
  /** Continues the last, unanswered turn instead of sending a message. */
  readonly continue?: boolean | undefined
}

type OpenHistory = () => Promise<History>

/**
 * Sends one message if given or piped in, else opens a prompt. First checks the files, then runs `prepare`, then reads
 * the message, and only then opens the chat: bad input is reported before anything is stored or sent.
 */
export async function runChat(
  input: ChatInput,
  prepare: (openHistory: OpenHistory) => Promise<() => Promise<OpenChat>>,
): Promise<ExitCode> {
  const { io, json, environment } = input
  const files = await readContextFiles(input.file)

  let history: History | undefined
  let opened: OpenChat | undefined
  try {
    const open = await prepare(
      async () => (history ??= await openLocalHistory(environment, (notice) => notify(io, notice))),
    )
    const { action, text } = await readFirstAction(input, files)
    if (!action && json) throw createNoPromptError()
    opened = await open()
    const isPlain = opened.refusesFiles && text !== undefined
    return await runOpenChat(opened, input, { action: isPlain ? toSayAction(text) : action, files })
  } finally {
    await opened?.close()
    history?.close()
  }
}

/** Piped text is never searched for files to attach: it may be untrusted. */
async function readFirstAction(
  { io, message, continue: continues }: ChatInput,
  files: readonly ContextFile[],
): Promise<{ readonly action?: UserAction; readonly text?: string }> {
  if (continues) return { action: { kind: 'continue' } }
  const input = await readMessage(message, io)
  if (input.kind === 'prompt') return {}
  const { text } = input
  if (input.kind === 'piped') return { action: toSayAction(text, files), text }
  const mentioned = await readMentionedFiles(text)
  for (const notice of listMentionNotices({ files: [], unknown: mentioned.unknown })) notify(io, `${notice}.`)
  const added = mentioned.files.filter(({ path }) => !files.some((file) => file.path === path))
  return { action: toSayAction(text, [...files, ...added]), text }
}

type MessageInput =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'piped'; readonly text: string }
  | { readonly kind: 'prompt' }

/** A dash, or no message without a terminal, reads standard input. */
export async function readMessage(message: string | undefined, { stdin }: Io): Promise<MessageInput> {
  const isPiped = message === '-' || (message === undefined && !stdin.isTTY)
  if (isPiped) return { kind: 'piped', text: await readInput(stdin, MAX_INPUT_BYTES, createTooLongError) }
  return message === undefined ? { kind: 'prompt' } : { kind: 'written', text: message }
}

/** A character takes at most four bytes. */
const MAX_INPUT_BYTES = 4 * MAX_MESSAGE_LENGTH

export const createNoPromptError = () =>
  new PlatformError('validation', {
    message: 'With --json there is no prompt.',
    fix: 'Give the message with --message TEXT, or pipe it in.',
  })

export const toSayAction = (text: string, files: readonly ContextFile[] = []): UserAction => ({
  kind: 'say',
  ...composeMessage(text, files),
})

/** Runs one action if given, else a prompt. */
export const runOpenChat = (
  opened: OpenChat,
  input: ChatInput,
  { action, files }: { action: UserAction | undefined; files: readonly ContextFile[] },
): Promise<ExitCode> => {
  const isOnce = action?.kind === 'say' || input.json || !input.io.stdin.isTTY
  if (isOnce && action) return performOnce(opened, action, input)
  return chatAtPrompt(opened, { ...input, files, beginning: opened.waiting ?? action })
}

async function performOnce(
  { chat, noteBefore, hint, waiting, status }: OpenChat,
  action: UserAction,
  { io, json, environment }: ChatInput,
): Promise<ExitCode> {
  if (noteBefore !== undefined) notify(io, noteBefore)
  if (waiting) {
    if (json) io.stdout.write(toJsonLine(waiting))
    printWaitingCall(waiting, io)
    if (action.kind === 'say') printMessage(io.stderr, 'Your message was not sent.', '  ')
    return EXIT.refused
  }
  const firstHint = json ? undefined : await hint?.()
  if (firstHint !== undefined) notify(io, firstHint)
  return answerOnce(chat, action, {
    io,
    json,
    display: readDisplay(io.stdout, environment),
    ...(io.stderr.isTTY && { toolDisplay: readDisplay(io.stderr, environment) }),
    requested: status(),
    ...(canAsk(io) && !json && { approver: createApprover(io, environment) }),
  })
}

function createApprover(io: Io, environment: Environment): Approver {
  const screen = chooseScreen(io)
  return {
    screen,
    display: readDisplay(screen, environment),
    confirm: (question, offers) => confirm(io, environment, question, offers),
  }
}

interface AnswerHost {
  readonly io: Io
  readonly json: boolean
  readonly display: Display
  /** Shows tool activity; absent without a terminal. */
  readonly toolDisplay?: Display | undefined
  readonly requested?: RequestedModel | undefined
  /** Absent without a terminal for questions. */
  readonly approver?: Approver | undefined
}

/** Performs one action and prints only the answer to standard output; a signal stops it. */
export async function answerOnce(chat: Chat, action: UserAction, host: AnswerHost): Promise<ExitCode> {
  const { io, json, approver } = host
  const stop = () => chat.stop()
  // Once: a second signal ends the process. Closing a terminal sends several at once.
  for (const signal of SIGNALS) process.once(signal, stop)
  process.on('SIGHUP', stop)
  try {
    const tools = host.toolDisplay && createToolPrinter(io.stderr, host.toolDisplay)
    let refusals = 0
    const end = await followTurn(action, {
      perform: (next) => (json ? printEvents(chat, next, io) : printAnswer(chat, next, host, tools)),
      async decide(request) {
        if (approver) {
          approver.screen.write('\n')
          return askApproval(request, approver)
        }
        if (isBudgetRequest(request)) return 'leave'
        refusals += 1
        reportRefusal(request, io)
        return 'unattended'
      },
    })
    if (end.type === 'agent:approval_requested') {
      printWaitingCall(end, io)
      return EXIT.refused
    }
    if (end.error) notify(io, end.error.message)
    if (end.stopReason === 'max_tokens') notify(io, CUT_OFF_NOTE)
    const code = toExitCode(end)
    return code === EXIT.done && refusals > 0 ? EXIT.refused : code
  } finally {
    for (const signal of [...SIGNALS, 'SIGHUP']) process.off(signal, stop)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Without a terminal for approval, the call is refused. */
function reportRefusal({ tool, target }: ApprovalRequest, io: Io): void {
  const call = toSingleLine(`${tool} ${target}`)
  notify(
    io,
    `No terminal to ask for approval, so this was refused: ${call}. Run it in a terminal to be asked.`,
  )
}

const printEvents = (chat: Chat, action: UserAction, { stdout }: Io) =>
  chat.perform(action, (event) => writeTo(stdout, toJsonLine(event)))

async function printAnswer(
  chat: Chat,
  action: UserAction,
  { io, display, requested }: AnswerHost,
  tools: ToolPrinter | undefined,
) {
  const printer = createAnswerPrinter(io.stdout, display, {
    findNote: createTurnNotes(requested),
    print: (note) => notify(io, note),
    tools,
  })
  try {
    return await chat.perform(action, printer.onEvent)
  } finally {
    await printer.end()
  }
}

/** Another attempt may help, such as for an answer that does not fit `output_schema`: not bad input. */
function toExitCode({ stopReason, error }: TurnEnd): ExitCode {
  if (stopReason !== 'error') return EXIT_OF_STOP[stopReason]
  const code = EXIT_OF_ERROR[error?.code ?? 'internal']
  return code === EXIT.badInput && error?.retryable ? EXIT.failed : code
}
