import type { Writable } from 'node:stream'
import { PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { reportFailure } from '../failure.ts'
import type { Environment } from '../environment.ts'
import type { Io } from '../io.ts'
import { type ContextFile, composeMessage, listMentionNotices, readMentionedFiles } from './attachments.ts'
import type { CompleteText } from '../prompt/completion.ts'
import { type Prompt, openPrompt } from '../prompt/prompt.ts'
import { notify, printMessage } from '../render/output.ts'
import { type Display, readDisplay } from '../render/display.ts'
import { type Status, formatStatus } from '../render/session-lines.ts'
import { sanitise, wrapWords } from '../render/text.ts'
import type { SlashHost, SlashResult } from '../slash/slash-host.ts'
import { askApproval, followTurn, printWaitingCall } from './ask-approval.ts'
import { type ApprovalRequest, type Chat, type TurnEnd, type TurnStop, type UserAction } from './chat.ts'
import { createAnswerPrinter } from './print-answer.ts'
import { type ToolPrinter, createToolPrinter } from './tool-printer.ts'
import { CUT_OFF_NOTE, createTurnNotes } from './turn-notes.ts'

/** A chat that was opened, locally or on a server, with what its prompt needs. */
export interface OpenChat {
  readonly chat: Chat
  /** Messages sent in this session, oldest first. */
  readonly history: readonly string[]
  /** Messages sent in other sessions, oldest first. */
  readonly earlier: () => Promise<readonly string[]>
  /** The text above the first prompt. */
  readonly greet: (display: Display, files: readonly string[]) => string | Promise<string>
  readonly slash: SlashHost
  readonly status: () => Status
  readonly onTurnEnd: (end: TurnEnd) => Promise<void>
  /** A note to print before a single answer; at a prompt, `greet` has it. */
  readonly noteBefore?: string | undefined
  /** A hint for the first answer of a data folder. */
  readonly hint?: () => Promise<string | undefined>
  /** Stops processes that tools started. */
  readonly close: () => Promise<void>
  /** A call that still waits for approval. */
  readonly waiting?: ApprovalRequest | undefined
  readonly refusesFiles?: true
  /** Whether quitting ends the session, so that it cannot be resumed. */
  readonly endsOnQuit?: true
}

interface PromptInput {
  readonly io: Io
  readonly environment: Environment
  /** The attached files, by path and by content. */
  readonly file: readonly string[]
  readonly files: readonly ContextFile[]
  /** Before the first message: the last turn to continue, or a waiting call to decide on. */
  readonly beginning: UserAction | ApprovalRequest | undefined
}

/** Greets the user, opens a prompt, and chats until the user quits. */
export async function chatAtPrompt(
  opened: OpenChat,
  { io, environment, file, files, beginning }: PromptInput,
): Promise<ExitCode> {
  const { chat, history, earlier, slash, status, onTurnEnd, endsOnQuit } = opened
  const screen = chooseScreen(io)
  screen.write(await opened.greet(readDisplay(screen, environment), file))
  const display = readDisplay(io.stdout, environment)
  const prompt = await openPrompt(io, environment, {
    style: display.style,
    history,
    earlier,
    status: () => formatStatus(status()),
    complete: createLazyComplete(slash),
  })
  return chatUntilQuit(chat, {
    io,
    prompt,
    display,
    files: opened.refusesFiles ? undefined : files,
    slash,
    status,
    onTurnEnd,
    screen,
    beginning,
    ...(endsOnQuit && { endsOnQuit }),
  })
}

/** The terminal for questions. */
export const chooseScreen = ({ stdout, stderr }: Io) => (stdout.isTTY ? stdout : stderr)

function createLazyComplete(slash: SlashHost): CompleteText {
  let loading: Promise<CompleteText> | undefined
  const load = async () => {
    const [{ createComplete }, { listOffered }] = await Promise.all([
      import('../prompt/completion.ts'),
      import('../slash/run-slash.ts'),
    ])
    const commands = listOffered({ host: slash, edit: async (text) => ({ kind: 'edited', text }) })
    return createComplete({ commands, folder: process.cwd() })
  }
  return async (text, cursor) => {
    loading ??= load()
    return (await loading)(text, cursor)
  }
}

interface ChatHost extends Pick<OpenChat, 'slash' | 'status' | 'onTurnEnd' | 'endsOnQuit'> {
  readonly io: Io
  readonly prompt: Prompt
  readonly display: Display
  /** The stream for everything but the answers. */
  readonly screen: Writable
  /** Attached to the first message; absent if the chat refuses files. */
  readonly files?: readonly ContextFile[] | undefined
  readonly beginning?: PromptInput['beginning']
}

/** Runs message by message until the user quits. */
export async function chatUntilQuit(chat: Chat, host: ChatHost): Promise<ExitCode> {
  const { io, prompt, screen, beginning } = host
  const quit = () => {
    chat.stop()
    prompt.close()
  }
  process.once('SIGTERM', quit)
  // Closing a terminal may signal more than once.
  process.on('SIGHUP', quit)

  let { files } = host
  const tools = createToolPrinter(screen, host.display)
  const perform = async (action: UserAction): Promise<TurnStop> => {
    const stop = await prompt.during(printTurn(chat, action, host, tools), () => chat.stop())
    if (action.kind === 'say' && files) files = []
    return stop
  }
  const confirm: Prompt['confirm'] = (question, offers) => prompt.confirm(question, offers)
  const decide = (request: ApprovalRequest) =>
    askApproval(request, { confirm, screen, display: host.display })
  const follow = (from: UserAction | ApprovalRequest) => followTurn(from, { perform, decide })
  const send = async (text: string) =>
    follow({ kind: 'say', ...composeMessage(text, await addMentionedFiles(text, files, host)) })

  let last: TurnStop | undefined
  let draft: string | undefined
  try {
    if (beginning) last = await follow(beginning)
    // An undecided call ends the chat: nothing else can be sent first.
    while (last?.type !== 'agent:approval_requested') {
      const text = await prompt.ask(draft)
      draft = undefined
      if (text === undefined) break
      if (isCommand(text)) {
        const result = await tryOrReport(io, () => runCommand(text, host))
        if (result?.kind === 'quit') break
        if (result?.kind === 'draft') draft = result.text
        continue
      }
      last = await tryOrReport(io, () => send(text.replace(/^\/\//, '/')))
      // A rejected message comes back for editing.
      if (!last) draft = text
    }
  } finally {
    process.off('SIGTERM', quit)
    process.off('SIGHUP', quit)
    prompt.close()
  }
  const { sessionId } = chat
  if (last?.type === 'agent:approval_requested') printWaitingCall(last, io)
  else if (sessionId && !host.endsOnQuit) screen.write(`To resume: parley resume ${sessionId}\n`)
  return EXIT.done
}

const isCommand = (text: string): boolean => /^\/(?!\/)/.test(text)

async function runCommand(text: string, host: ChatHost): Promise<SlashResult> {
  const { runSlash } = await import('../slash/run-slash.ts')
  const result = await runSlash(text, {
    host: host.slash,
    edit: host.prompt.edit,
    print: (line) => printLine(host, line, (plain) => host.display.style.dim(plain)),
  })
  if (result.kind === 'reply') for (const line of result.lines) printLine(host, sanitise(line))
  if (result.kind === 'draft' && result.notice !== undefined) printLine(host, sanitise(result.notice))
  return result
}

function printLine({ screen, display }: ChatHost, line: string, styled = (text: string) => text): void {
  screen.write(`${styled(display.isTerminal ? wrapWords(line, display.columns - 1) : line)}\n`)
}

/** The files of a message: pending ones and mentioned ones. */
async function addMentionedFiles(
  text: string,
  files: ChatHost['files'],
  { screen, display }: ChatHost,
): Promise<readonly ContextFile[]> {
  if (!files) return []
  const mentioned = await readMentionedFiles(text)
  const added = mentioned.files.filter(({ path }) => !files.some((file) => file.path === path))
  for (const note of listMentionNotices({ ...mentioned, files: added }))
    screen.write(`${display.style.dim(`[${note}]`)}\n`)
  return [...files, ...added]
}

/** A rejected message can be sent again. */
async function tryOrReport<T>(io: Io, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    reportFailure(failure, io, false)
    return undefined
  }
}

async function printTurn(
  chat: Chat,
  action: UserAction,
  host: ChatHost,
  tools: ToolPrinter,
): Promise<TurnStop> {
  const { io, display, screen } = host
  const printer = createAnswerPrinter(io.stdout, display, {
    findNote: createTurnNotes(host.status()),
    print: (note) => printLine(host, `[${note}]`, (text) => display.style.dim(text)),
    tools,
  })
  screen.write('\n')
  try {
    const stop = await chat.perform(action, printer.onEvent)
    await printer.end()
    if (stop.type === 'session:turn_completed') {
      printEnding(stop, host)
      await host.onTurnEnd(stop)
    }
    screen.write('\n')
    return stop
  } catch (failure) {
    await printer.end()
    throw failure
  }
}

function printEnding({ stopReason, error }: TurnEnd, { io, display, screen }: ChatHost): void {
  if (stopReason === 'cancelled') screen.write(`${display.style.warn('[stopped]')}\n`)
  if (stopReason === 'max_tokens') screen.write(`${display.style.warn(`[${CUT_OFF_NOTE}]`)}\n`)
  if (!error) return
  notify(io, error.message)
  if (error.retryable)
    printMessage(io.stderr, 'Your message is saved. Press Up and Enter to send it again.', '  ')
}
