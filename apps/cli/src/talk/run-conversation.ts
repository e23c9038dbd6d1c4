import { PlatformError } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { openLocalHistory } from '../compose.ts'
import type { Config } from '../config.ts'
import type { ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { type ContextFile, readContextFiles } from '../message/context-files.ts'
import { composeMessage, readInput } from '../message/read-message.ts'
import { type ScreenLook, screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { Conversation } from './conversation.ts'
import { openPrompt } from './open-prompt.ts'
import { sayOnce } from './say-once.ts'
import { talk } from './talk.ts'

interface Talking {
  readonly io: Io
  readonly json: boolean
  readonly config: Config
  readonly message?: string | undefined
  readonly file: readonly string[]
}

interface Opened {
  readonly conversation: Conversation
  /** What was sent in it before, oldest first. */
  readonly history: readonly string[]
  /** What stands above the first prompt. */
  readonly greet: (look: ScreenLook, files: readonly string[]) => string
}

/** One message where one is given or piped in, else a prompt. What is wrong with the input is told before anything else. */
export async function runConversation(
  talking: Talking,
  open: (store: SessionStore) => Promise<Opened>,
): Promise<ExitCode> {
  const { io, json, config } = talking
  const files = await readContextFiles(talking.file)
  const given = await givenMessage(talking)
  const text = given === undefined ? undefined : composeMessage(given, files)
  if (text === undefined && json) throw promptless()

  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const opened = await open(history.store)
    const look = screenOf(io.stdout, config)
    return text === undefined
      ? await talkAtPrompt(opened, talking, { look, files })
      : await sayOnce(opened.conversation, text, { io, json, look })
  } finally {
    history.close()
  }
}

async function talkAtPrompt(
  { conversation, history, greet }: Opened,
  { io, config, file }: Talking,
  { look, files }: { look: ScreenLook; files: readonly ContextFile[] },
): Promise<ExitCode> {
  const screen = io.stdout.isTTY ? io.stdout : io.stderr
  screen.write(greet(screenOf(screen, config), file))
  const prompt = await openPrompt(io, config, look, history)
  return talk(conversation, { io, prompt, look, files, screen })
}

async function givenMessage({ io, message }: Talking): Promise<string | undefined> {
  if (message !== undefined && message !== '-') return message
  return message === '-' || !io.stdin.isTTY ? readInput(io.stdin) : undefined
}

const promptless = () =>
  new PlatformError('validation', {
    message: 'With --json there is no prompt.',
    mend: 'Give the message with --message TEXT, or pipe it in.',
  })
