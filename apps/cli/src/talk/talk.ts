import type { Writable } from 'node:stream'
import { PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { reportFailure } from '../failure.ts'
import type { Io } from '../io.ts'
import { type ContextFile, readMentionedFiles, mentionNotices } from '../message/attached-files.ts'
import { composeMessage } from '../message/read-message.ts'
import type { Prompt } from '../prompt/prompt.ts'
import { notify, tell } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import type { Status } from '../render/session-lines.ts'
import { neutralise, wrapWords } from '../render/text.ts'
import type { SlashHost, SlashResult } from '../slash/slash-host.ts'
import { OUT_OF_TOKENS, printWaiting } from './answer-once.ts'
import { askApproval } from './ask-approval.ts'
import type { ApprovalRequest, Conversation, Move, TurnEnd, TurnStop } from './conversation.ts'
import { createAnswerPrinter, followTurn } from './print-answer.ts'
import { type ToolScreen, createToolScreen } from './tool-screen.ts'
import { createTurnNotes } from './turn-notes.ts'

interface TalkHost {
  readonly io: Io
  readonly prompt: Prompt
  readonly display: Display
  /** The stream for everything but the answers. */
  readonly screen: Writable
  /** Attached to the first message; absent if files are not possible. */
  readonly files: readonly ContextFile[] | 'refused'
  readonly slash: SlashHost
  readonly status: () => Status
  readonly onTurnEnd: (end: TurnEnd) => Promise<void>
  /** Before the first message: retry the last turn, or decide on a waiting call. */
  readonly beginning?: Move | ApprovalRequest | undefined
  /** Absent if the session can be resumed. */
  readonly afterwards?: 'ended' | undefined
}

/** Runs message by message until the user quits. */
export async function talk(conversation: Conversation, host: TalkHost): Promise<ExitCode> {
  const { io, prompt, screen, beginning } = host
  const quit = () => {
    conversation.stop()
    prompt.close()
  }
  process.once('SIGTERM', quit)
  // Closing a terminal may signal more than once.
  process.on('SIGHUP', quit)

  let { files } = host
  const tools = createToolScreen(screen, host.display)
  const make = async (move: Move): Promise<TurnStop> => {
    const stop = await prompt.during(answer(conversation, move, host, tools), () => conversation.stop())
    if (move.kind === 'say' && files !== 'refused') files = []
    return stop
  }
  const confirm: Prompt['confirm'] = (question, offers) => prompt.confirm(question, offers)
  const decide = (request: ApprovalRequest) =>
    askApproval(request, { confirm, screen, display: host.display })
  const follow = (from: Move | ApprovalRequest) => followTurn(from, { make, decide })
  const send = async (text: string) =>
    follow({ kind: 'say', ...composeMessage(text, await addMentioned(text, files, host)) })

  let last: TurnStop | undefined
  let draft: string | undefined
  try {
    if (beginning) last = await follow(beginning)
    // An undecided call ends the conversation: nothing else can be sent first.
    while (last?.type !== 'agent:approval_requested') {
      const text = await prompt.ask(draft)
      draft = undefined
      if (text === undefined) break
      if (isCommand(text)) {
        const result = await orReport(io, () => runCommand(text, host))
        if (result?.kind === 'quit') break
        if (result?.kind === 'draft') draft = result.text
        continue
      }
      last = await orReport(io, () => send(text.replace(/^\/\//, '/')))
      // A rejected message comes back for editing.
      if (!last) draft = text
    }
  } finally {
    process.off('SIGTERM', quit)
    process.off('SIGHUP', quit)
    prompt.close()
  }
  const { sessionId } = conversation
  if (last?.type === 'agent:approval_requested') printWaiting(last, io)
  else if (sessionId && host.afterwards !== 'ended') screen.write(`To resume: parley resume ${sessionId}\n`)
  return EXIT.done
}

const isCommand = (text: string): boolean => /^\/(?!\/)/.test(text)

async function runCommand(text: string, host: TalkHost): Promise<SlashResult> {
  const { runSlash } = await import('../slash/run-slash.ts')
  const result = await runSlash(text, {
    host: host.slash,
    edit: host.prompt.edit,
    print: (line) => printLine(host, line, (plain) => host.display.style.dim(plain)),
  })
  if (result.kind === 'reply') for (const line of result.lines) printLine(host, neutralise(line))
  if (result.kind === 'draft' && result.notice !== undefined) printLine(host, neutralise(result.notice))
  return result
}

function printLine({ screen, display }: TalkHost, line: string, styled = (text: string) => text): void {
  screen.write(`${styled(display.isTerminal ? wrapWords(line, display.columns - 1) : line)}\n`)
}

/** The files of a message: pending ones and mentioned ones. */
async function addMentioned(
  text: string,
  files: TalkHost['files'],
  { screen, display }: TalkHost,
): Promise<readonly ContextFile[]> {
  if (files === 'refused') return []
  const mentioned = await readMentionedFiles(text)
  const added = mentioned.files.filter(({ path }) => !files.some((file) => file.path === path))
  for (const note of mentionNotices({ ...mentioned, files: added }))
    screen.write(`${display.style.dim(`[${note}]`)}\n`)
  return [...files, ...added]
}

/** A rejected message can be sent again. */
async function orReport<T>(io: Io, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    reportFailure(failure, io, false)
    return undefined
  }
}

async function answer(
  conversation: Conversation,
  move: Move,
  host: TalkHost,
  tools: ToolScreen,
): Promise<TurnStop> {
  const { io, display, screen } = host
  const printer = createAnswerPrinter(io.stdout, display, {
    findNote: createTurnNotes(host.status()),
    print: (note) => printLine(host, `[${note}]`, (text) => display.style.dim(text)),
    tools,
  })
  screen.write('\n')
  try {
    const stop = await conversation.make(move, printer.onEvent)
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

function printEnding({ stopReason, error }: TurnEnd, { io, display, screen }: TalkHost): void {
  if (stopReason === 'cancelled') screen.write(`${display.style.warn('[stopped]')}\n`)
  if (stopReason === 'max_tokens') screen.write(`${display.style.warn(`[${OUT_OF_TOKENS}]`)}\n`)
  if (!error) return
  notify(io, error.message)
  if (error.retryable) tell(io.stderr, 'Your message is saved. Press Up and Enter to send it again.', '  ')
}
