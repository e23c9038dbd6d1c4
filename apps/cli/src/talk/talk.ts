import type { Writable } from 'node:stream'
import { PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { reportFailure } from '../failure.ts'
import type { Io } from '../io.ts'
import type { ContextFile } from '../message/context-files.ts'
import { composeMessage } from '../message/read-message.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { Conversation, TurnEnd } from './conversation.ts'
import { createAnswerPrinter } from './print-answer.ts'
import { OUT_OF_TOKENS } from './say-once.ts'

interface TalkHost {
  readonly io: Io
  readonly prompt: Prompt
  readonly look: ScreenLook
  /** Where everything but the answers goes: where the person looks. */
  readonly screen: Writable
  /** They go along with the first message. */
  readonly files: readonly ContextFile[]
}

/** Message by message, until the person leaves. */
export async function talk(conversation: Conversation, host: TalkHost): Promise<ExitCode> {
  const { prompt, screen } = host
  const leave = () => {
    conversation.stop()
    prompt.close()
  }
  process.once('SIGTERM', leave)
  process.once('SIGHUP', leave)
  let { files } = host
  try {
    for (;;) {
      const text = await prompt.ask()
      if (text === undefined) break
      const taken = await prompt.during(answer(conversation, text, { ...host, files }), () =>
        conversation.stop(),
      )
      if (taken) files = []
    }
  } finally {
    process.off('SIGTERM', leave)
    process.off('SIGHUP', leave)
    prompt.close()
  }
  const { sessionId } = conversation
  if (sessionId) screen.write(`To go on: parley resume ${sessionId}\n`)
  return EXIT.done
}

/** Whether the message was taken; one that was not can be sent again. */
async function answer(conversation: Conversation, text: string, host: TalkHost): Promise<boolean> {
  const { io, look, files, screen } = host
  const printer = createAnswerPrinter(io.stdout, look.isTerminal ? look.columns : undefined)
  screen.write('\n')
  try {
    const end = await conversation.say(composeMessage(text, files), printer.onEvent)
    await printer.end()
    tellEnding(end, host)
    screen.write('\n')
    return true
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    await printer.end()
    reportFailure(failure, io, false)
    return false
  }
}

function tellEnding({ stopReason, error }: TurnEnd, { io, look, screen }: TalkHost): void {
  if (stopReason === 'cancelled') screen.write(`${look.style.warn('[stopped here]')}\n`)
  if (stopReason === 'max_tokens') screen.write(`${look.style.warn(`[${OUT_OF_TOKENS}]`)}\n`)
  if (!error) return
  tell(io.stderr, `parley: ${error.message}`)
  if (error.retryable)
    tell(io.stderr, 'Your message is kept. Arrow up brings it back to be sent again.', '  ')
}
