import { PlatformError } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { type ContextFile, readContextFiles } from '../message/context-files.ts'
import { composeMessage, readInput } from '../message/read-message.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { openPrompt } from '../prompt/open-prompt.ts'
import { jsonLine } from '../render/json-line.ts'
import { type ScreenLook, screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import { answerOnce, tellWaiting } from './answer-once.ts'
import type { ApprovalRequest, Conversation, Move } from './conversation.ts'
import { talk } from './talk.ts'

interface Talking {
  readonly io: Io
  readonly json: boolean
  readonly config: Config
  readonly message?: string | undefined
  readonly file: readonly string[]
  /** Goes on with the last turn instead of saying something. */
  readonly continue?: boolean | undefined
}

export interface Opened {
  readonly conversation: Conversation
  /** What was sent in it before, oldest first. */
  readonly history: readonly string[]
  /** What stands above the first prompt. */
  readonly greet: (look: ScreenLook, files: readonly string[]) => string
  /** What is told beside a single answer. */
  readonly aside?: string | undefined
  /** A call that waits for the person since an earlier time. */
  readonly waiting?: ApprovalRequest | undefined
}

/** One message where one is given or piped in, else a prompt. What is wrong with the input is told before anything else. */
export async function runConversation(
  talking: Talking,
  open: (store: SessionStore) => Promise<Opened>,
): Promise<ExitCode> {
  const { io, json, config } = talking
  const files = await readContextFiles(talking.file)
  const move = await givenMove(talking, files)
  const isOnce = move?.kind === 'say' || json || !io.stdin.isTTY
  if (!move && json) throw promptless()

  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const opened = await open(history.store)
    return isOnce && move
      ? await moveOnce(opened, move, talking)
      : await talkAtPrompt(opened, talking, { move, files })
  } finally {
    history.close()
  }
}

async function moveOnce(
  { conversation, aside, waiting }: Opened,
  move: Move,
  { io, json, config }: Talking,
): Promise<ExitCode> {
  if (aside !== undefined) tell(io.stderr, `parley: ${aside}`)
  if (waiting) {
    if (json) io.stdout.write(jsonLine(waiting))
    tellWaiting(waiting, io)
    if (move.kind === 'say') tell(io.stderr, 'Your message was not sent.', '  ')
    return EXIT.refused
  }
  return answerOnce(conversation, move, {
    io,
    json,
    look: screenOf(io.stdout, config),
    ...(canAsk(io) && !json && { confirm: (question) => confirm(io, config, question) }),
  })
}

async function talkAtPrompt(
  { conversation, history, greet, waiting }: Opened,
  { io, config, file }: Talking,
  { move, files }: { move: Move | undefined; files: readonly ContextFile[] },
): Promise<ExitCode> {
  const screen = io.stdout.isTTY ? io.stdout : io.stderr
  screen.write(greet(screenOf(screen, config), file))
  const look = screenOf(io.stdout, config)
  const prompt = await openPrompt(io, config, look, history)
  return talk(conversation, { io, prompt, look, files, screen, beginning: waiting ?? move })
}

async function givenMove(
  { io, message, continue: goesOn }: Talking,
  files: readonly ContextFile[],
): Promise<Move | undefined> {
  if (goesOn) return { kind: 'continue' }
  const isPiped = message === '-' || (message === undefined && !io.stdin.isTTY)
  const text = isPiped ? await readInput(io.stdin) : message
  return text === undefined ? undefined : { kind: 'say', text: composeMessage(text, files) }
}

const promptless = () =>
  new PlatformError('validation', {
    message: 'With --json there is no prompt.',
    mend: 'Give the message with --message TEXT, or pipe it in.',
  })
