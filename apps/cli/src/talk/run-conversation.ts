import type { History } from '@parley/history'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { type ContextFile, mentionedFiles, notesOn, readContextFiles } from '../message/attached-files.ts'
import { composeMessage, givenText, promptless } from '../message/read-message.ts'
import type { Complete } from '../prompt/completion.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { openPrompt } from '../prompt/prompt.ts'
import { jsonLine, tell } from '../render/output.ts'
import { type ScreenLook, screenOf } from '../render/screen-look.ts'
import { type Status, statusLine } from '../render/session-lines.ts'
import type { SlashHost } from '../slash/slash-host.ts'
import { answerOnce, printWaiting } from './answer-once.ts'
import type { Person } from './ask-approval.ts'
import type { ApprovalRequest, Conversation, Move, TurnEnd } from './conversation.ts'
import { talk } from './talk.ts'

interface Talking {
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
  readonly greet: (look: ScreenLook, files: readonly string[]) => string | Promise<string>
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
  readonly files?: 'not-taken' | undefined
  readonly afterwards?: 'ended' | undefined
}

/**
 * Sends one message if given or piped in, else opens a prompt. Reports input errors first, then errors of
 * `find`, before anything is sent.
 */
export async function runConversation(
  talking: Talking,
  open: (history: History) => Promise<Opened>,
  find?: (history: History) => Promise<unknown>,
): Promise<ExitCode> {
  const { io, json, config } = talking
  const files = await readContextFiles(talking.file)
  const openHistory = () => openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))

  let history: History | undefined
  let opened: Opened | undefined
  try {
    if (find) await find((history = await openHistory()))
    const { move, said } = await givenMove(talking, files)
    if (!move && json) throw promptless()
    opened = await open((history ??= await openHistory()))
    const asSaid = opened.files === 'not-taken' && said !== undefined ? sayAlone(said) : move
    return await converse(opened, talking, { move: asSaid, files })
  } finally {
    await opened?.close()
    history?.close()
  }
}

/** Runs one move if given, else a prompt. */
export const converse = (opened: Opened, talking: Talking, requireSessionId: Begun): Promise<ExitCode> => {
  const { move } = requireSessionId
  const isOnce = move?.kind === 'say' || talking.json || !talking.io.stdin.isTTY
  return isOnce && move ? moveOnce(opened, move, talking) : talkAtPrompt(opened, talking, requireSessionId)
}

/** Plain text without files. */
export const sayAlone = (text: string): Move => ({ kind: 'say', ...composeMessage(text, []) })

interface Begun {
  readonly move: Move | undefined
  readonly files: readonly ContextFile[]
}

async function moveOnce(
  { conversation, aside, hint, waiting, status }: Opened,
  move: Move,
  { io, json, config }: Talking,
): Promise<ExitCode> {
  if (aside !== undefined) tell(io.stderr, `parley: ${aside}`)
  if (waiting) {
    if (json) io.stdout.write(jsonLine(waiting))
    printWaiting(waiting, io)
    if (move.kind === 'say') tell(io.stderr, 'Your message was not sent.', '  ')
    return EXIT.refused
  }
  const firstHint = json ? undefined : await hint?.()
  if (firstHint !== undefined) tell(io.stderr, `parley: ${firstHint}`)
  return answerOnce(conversation, move, {
    io,
    json,
    look: screenOf(io.stdout, config),
    ...(io.stderr.isTTY && { beside: screenOf(io.stderr, config) }),
    asked: status(),
    ...(canAsk(io) && !json && { person: personAt(io, config) }),
  })
}

function personAt(io: Io, config: Config): Person {
  const screen = screenFor(io)
  return {
    screen,
    look: screenOf(screen, config),
    confirm: (question, offers) => confirm(io, config, question, offers),
  }
}

/** The terminal for questions. */
const screenFor = ({ stdout, stderr }: Io) => (stdout.isTTY ? stdout : stderr)

async function talkAtPrompt(
  opened: Opened,
  { io, config, file }: Talking,
  { move, files }: Begun,
): Promise<ExitCode> {
  const { conversation, history, earlier, greet, slash, status, onTurnEnd, waiting } = opened
  const screen = screenFor(io)
  screen.write(await greet(screenOf(screen, config), file))
  const look = screenOf(io.stdout, config)
  const prompt = await openPrompt(io, config, {
    style: look.style,
    history,
    earlier,
    status: () => statusLine(status()),
    complete: completeWith(slash),
  })
  const beginning = waiting ?? move
  return talk(conversation, {
    io,
    prompt,
    look,
    files: opened.files ?? files,
    slash,
    status,
    onTurnEnd,
    screen,
    beginning,
    afterwards: opened.afterwards,
  })
}

/** Loaded with the first completion. */
function completeWith(slash: SlashHost): Complete {
  let loading: Promise<Complete> | undefined
  const load = async () => {
    const [{ createComplete }, { offeredBy }] = await Promise.all([
      import('../prompt/completion.ts'),
      import('../slash/run-slash.ts'),
    ])
    const commands = offeredBy({ host: slash, edit: async (text) => ({ kind: 'edited', text }) })
    return createComplete({ commands, folder: process.cwd() })
  }
  return async (text, cursor) => {
    loading ??= load()
    return (await loading)(text, cursor)
  }
}

/** Piped text is never searched for files to attach: it may be untrusted. */
async function givenMove(
  { io, message, continue: goesOn }: Talking,
  files: readonly ContextFile[],
): Promise<{ readonly move?: Move; readonly said?: string }> {
  if (goesOn) return { move: { kind: 'continue' } }
  const given = await givenText(message, io)
  if (given.kind === 'prompt') return {}
  const { text: said } = given
  if (given.kind === 'piped') return { move: { kind: 'say', ...composeMessage(said, files) }, said }
  const mentioned = await mentionedFiles(said)
  for (const note of notesOn({ files: [], unknown: mentioned.unknown })) tell(io.stderr, `parley: ${note}.`)
  const added = mentioned.files.filter(({ path }) => !files.some((file) => file.path === path))
  return { move: { kind: 'say', ...composeMessage(said, [...files, ...added]) }, said }
}
