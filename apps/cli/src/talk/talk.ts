import type { Writable } from 'node:stream'
import { PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { reportFailure } from '../failure.ts'
import type { Io } from '../io.ts'
import { type ContextFile, mentionedFiles, notesOn } from '../message/attached-files.ts'
import { composeMessage } from '../message/read-message.ts'
import type { Prompt } from '../prompt/prompt.ts'
import { tell } from '../render/output.ts'
import type { ScreenLook } from '../render/screen-look.ts'
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
  readonly look: ScreenLook
  /** The stream for everything but the answers. */
  readonly screen: Writable
  /** Attached to the first message; absent if files are not possible. */
  readonly files: readonly ContextFile[] | 'not-taken'
  readonly slash: SlashHost
  /** The current state of the conversation. */
  readonly status: () => Status
  /** Called at the end of each turn. */
  readonly onTurnEnd: (end: TurnEnd) => Promise<void>
  /** Before the first message: retry the last turn, or decide on a waiting call. */
  readonly beginning?: Move | ApprovalRequest | undefined
  /** Absent if the session can be resumed. */
  readonly afterwards?: 'ended' | undefined
}

/** Runs message by message until the user quits. */
export async function talk(conversation: Conversation, host: TalkHost): Promise<ExitCode> {
  const { io, prompt, screen, beginning } = host
  const leave = () => {
    conversation.stop()
    prompt.close()
  }
  process.once('SIGTERM', leave)
  // Closing a terminal may signal more than once.
  process.on('SIGHUP', leave)

  let { files } = host
  const tools = createToolScreen(screen, host.look)
  const make = async (move: Move): Promise<TurnStop> => {
    const stop = await prompt.during(answer(conversation, move, host, tools), () => conversation.stop())
    if (move.kind === 'say' && files !== 'not-taken') files = []
    return stop
  }
  const confirm: Prompt['confirm'] = (question, offers) => prompt.confirm(question, offers)
  const decide = (request: ApprovalRequest) => askApproval(request, { confirm, screen, look: host.look })
  const follow = (from: Move | ApprovalRequest) => followTurn(from, { make, decide })
  const say = async (text: string) =>
    follow({ kind: 'say', ...composeMessage(text, await withMentioned(text, files, host)) })

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
        const result = await orTell(io, () => command(text, host))
        if (result?.kind === 'quit') break
        if (result?.kind === 'draft') draft = result.text
        continue
      }
      last = await orTell(io, () => say(text.replace(/^\/\//, '/')))
      // A rejected message comes back for editing.
      if (!last) draft = text
    }
  } finally {
    process.off('SIGTERM', leave)
    process.off('SIGHUP', leave)
    prompt.close()
  }
  const { sessionId } = conversation
  if (last?.type === 'agent:approval_requested') printWaiting(last, io)
  else if (sessionId && host.afterwards !== 'ended') screen.write(`To resume: parley resume ${sessionId}\n`)
  return EXIT.done
}

const isCommand = (text: string): boolean => /^\/(?!\/)/.test(text)

async function command(text: string, host: TalkHost): Promise<SlashResult> {
  const { runSlash } = await import('../slash/run-slash.ts')
  const result = await runSlash(text, {
    host: host.slash,
    edit: host.prompt.edit,
    say: (line) => sayTo(host, line, (plain) => host.look.style.dim(plain)),
  })
  if (result.kind === 'told') for (const line of result.lines) sayTo(host, neutralise(line))
  if (result.kind === 'draft' && result.told !== undefined) sayTo(host, neutralise(result.told))
  return result
}

function sayTo({ screen, look }: TalkHost, line: string, styled = (text: string) => text): void {
  screen.write(`${styled(look.isTerminal ? wrapWords(line, look.columns - 1) : line)}\n`)
}

/** The files of a message: pending ones and mentioned ones. */
async function withMentioned(
  text: string,
  files: TalkHost['files'],
  { screen, look }: TalkHost,
): Promise<readonly ContextFile[]> {
  if (files === 'not-taken') return []
  const mentioned = await mentionedFiles(text)
  const added = mentioned.files.filter(({ path }) => !files.some((file) => file.path === path))
  for (const note of notesOn({ ...mentioned, files: added })) screen.write(`${look.style.dim(`[${note}]`)}\n`)
  return [...files, ...added]
}

/** A rejected message can be sent again. */
async function orTell<T>(io: Io, work: () => Promise<T>): Promise<T | undefined> {
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
  const { io, look, screen } = host
  const printer = createAnswerPrinter(io.stdout, look, {
    noteOn: createTurnNotes(host.status()),
    tell: (note) => sayTo(host, `[${note}]`, (text) => look.style.dim(text)),
    tools,
  })
  screen.write('\n')
  try {
    const stop = await conversation.make(move, printer.onEvent)
    await printer.end()
    if (stop.type === 'session:turn_completed') {
      tellEnding(stop, host)
      await host.onTurnEnd(stop)
    }
    screen.write('\n')
    return stop
  } catch (failure) {
    await printer.end()
    throw failure
  }
}

function tellEnding({ stopReason, error }: TurnEnd, { io, look, screen }: TalkHost): void {
  if (stopReason === 'cancelled') screen.write(`${look.style.warn('[stopped]')}\n`)
  if (stopReason === 'max_tokens') screen.write(`${look.style.warn(`[${OUT_OF_TOKENS}]`)}\n`)
  if (!error) return
  tell(io.stderr, `parley: ${error.message}`)
  if (error.retryable) tell(io.stderr, 'Your message is saved. Press Up and Enter to send it again.', '  ')
}
