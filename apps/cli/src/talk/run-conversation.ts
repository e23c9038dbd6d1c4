import type { History } from '@parley/history'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import {
  type ContextFile,
  readMentionedFiles,
  mentionNotices,
  readContextFiles,
} from '../message/attached-files.ts'
import { composeMessage, readMessage, promptUnavailable } from '../message/read-message.ts'
import type { Complete } from '../prompt/completion.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { openPrompt } from '../prompt/prompt.ts'
import { jsonLine, notify, tell } from '../render/output.ts'
import { type Display, readDisplay } from '../render/display.ts'
import { type Status, statusLine } from '../render/session-lines.ts'
import type { SlashHost } from '../slash/slash-host.ts'
import { answerOnce, printWaiting } from './answer-once.ts'
import type { Person } from './ask-approval.ts'
import type { ApprovalRequest, Conversation, Move, TurnEnd } from './conversation.ts'
import { talk } from './talk.ts'

interface ConversationInput {
  readonly io: Io
  readonly json: boolean
  readonly config: Config
  readonly message?: string | undefined
  readonly file: readonly string[]
  /** Retries the last turn instead of sending a message. */
  readonly continue?: boolean | undefined
}

export interface Opened {
  readonly conversation: Conversation
  /** Messages sent in this session, oldest first. */
  readonly history: readonly string[]
  /** Messages sent in other sessions, oldest first. */
  readonly earlier: () => Promise<readonly string[]>
  /** The text above the first prompt. */
  readonly greet: (display: Display, files: readonly string[]) => string | Promise<string>
  readonly slash: SlashHost
  readonly status: () => Status
  readonly onTurnEnd: (end: TurnEnd) => Promise<void>
  /** A note for a single answer. */
  readonly aside?: string | undefined
  /** A hint for the first answer of a data folder. */
  readonly hint?: () => Promise<string | undefined>
  /** Stops processes that tools started. */
  readonly close: () => Promise<void>
  /** A call that still waits for approval. */
  readonly waiting?: ApprovalRequest | undefined
  /** Absent if files can be attached and the session stays open on quitting. */
  readonly files?: 'refused' | undefined
  readonly afterwards?: 'ended' | undefined
}

/**
 * Sends one message if given or piped in, else opens a prompt. Reports input errors first, then errors of
 * `find`, before anything is sent.
 */
export async function runConversation(
  input: ConversationInput,
  open: (history: History) => Promise<Opened>,
  find?: (history: History) => Promise<unknown>,
): Promise<ExitCode> {
  const { io, json, config } = input
  const files = await readContextFiles(input.file)
  const openHistory = () => openLocalHistory(config, (notice) => notify(io, notice))

  let history: History | undefined
  let opened: Opened | undefined
  try {
    if (find) await find((history = await openHistory()))
    const { move, text } = await readFirstMove(input, files)
    if (!move && json) throw promptUnavailable()
    opened = await open((history ??= await openHistory()))
    const isPlain = opened.files === 'refused' && text !== undefined
    return await converse(opened, input, { move: isPlain ? toMove(text) : move, files })
  } finally {
    await opened?.close()
    history?.close()
  }
}

/** Runs one move if given, else a prompt. */
export const converse = (opened: Opened, input: ConversationInput, first: FirstMove): Promise<ExitCode> => {
  const { move } = first
  const isOnce = move?.kind === 'say' || input.json || !input.io.stdin.isTTY
  return isOnce && move ? moveOnce(opened, move, input) : talkAtPrompt(opened, input, first)
}

/** A message with its files. */
export const toMove = (text: string, files: readonly ContextFile[] = []): Move => ({
  kind: 'say',
  ...composeMessage(text, files),
})

interface FirstMove {
  readonly move: Move | undefined
  readonly files: readonly ContextFile[]
}

async function moveOnce(
  { conversation, aside, hint, waiting, status }: Opened,
  move: Move,
  { io, json, config }: ConversationInput,
): Promise<ExitCode> {
  if (aside !== undefined) notify(io, aside)
  if (waiting) {
    if (json) io.stdout.write(jsonLine(waiting))
    printWaiting(waiting, io)
    if (move.kind === 'say') tell(io.stderr, 'Your message was not sent.', '  ')
    return EXIT.refused
  }
  const firstHint = json ? undefined : await hint?.()
  if (firstHint !== undefined) notify(io, firstHint)
  return answerOnce(conversation, move, {
    io,
    json,
    display: readDisplay(io.stdout, config),
    ...(io.stderr.isTTY && { toolDisplay: readDisplay(io.stderr, config) }),
    requested: status(),
    ...(canAsk(io) && !json && { person: createPerson(io, config) }),
  })
}

function createPerson(io: Io, config: Config): Person {
  const screen = screenFor(io)
  return {
    screen,
    display: readDisplay(screen, config),
    confirm: (question, offers) => confirm(io, config, question, offers),
  }
}

/** The terminal for questions. */
const screenFor = ({ stdout, stderr }: Io) => (stdout.isTTY ? stdout : stderr)

async function talkAtPrompt(
  opened: Opened,
  { io, config, file }: ConversationInput,
  { move, files }: FirstMove,
): Promise<ExitCode> {
  const { conversation, history, earlier, greet, slash, status, onTurnEnd, waiting } = opened
  const screen = screenFor(io)
  screen.write(await greet(readDisplay(screen, config), file))
  const display = readDisplay(io.stdout, config)
  const prompt = await openPrompt(io, config, {
    style: display.style,
    history,
    earlier,
    status: () => statusLine(status()),
    complete: createLazyComplete(slash),
  })
  const beginning = waiting ?? move
  return talk(conversation, {
    io,
    prompt,
    display,
    files: opened.files ?? files,
    slash,
    status,
    onTurnEnd,
    screen,
    beginning,
    afterwards: opened.afterwards,
  })
}

function createLazyComplete(slash: SlashHost): Complete {
  let loading: Promise<Complete> | undefined
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

/** Piped text is never searched for files to attach: it may be untrusted. */
async function readFirstMove(
  { io, message, continue: isRetry }: ConversationInput,
  files: readonly ContextFile[],
): Promise<{ readonly move?: Move; readonly text?: string }> {
  if (isRetry) return { move: { kind: 'continue' } }
  const input = await readMessage(message, io)
  if (input.kind === 'prompt') return {}
  const { text } = input
  if (input.kind === 'piped') return { move: toMove(text, files), text }
  const mentioned = await readMentionedFiles(text)
  for (const notice of mentionNotices({ files: [], unknown: mentioned.unknown })) notify(io, `${notice}.`)
  const added = mentioned.files.filter(({ path }) => !files.some((file) => file.path === path))
  return { move: toMove(text, [...files, ...added]), text }
}
