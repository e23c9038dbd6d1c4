import { EXIT_OF_ERROR, EXIT_OF_STOP, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { jsonLine } from '../render/json-line.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { Conversation, TurnEnd } from './conversation.ts'
import { createAnswerPrinter, writeTo } from './print-answer.ts'

/** One message and its answer, which alone goes to standard output; a signal stops it. */
export async function sayOnce(
  conversation: Conversation,
  text: string,
  { io, json, look }: { io: Io; json: boolean; look: ScreenLook },
): Promise<ExitCode> {
  const stop = () => conversation.stop()
  // Once: a second signal ends the process as it would any other.
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    const end = json
      ? await tellEvents(conversation, text, io)
      : await tellAnswer(conversation, text, io, look)
    if (end.error) tell(io.stderr, `parley: ${end.error.message}`)
    if (end.stopReason === 'max_tokens') tell(io.stderr, `parley: ${OUT_OF_TOKENS}`)
    return exitCodeOf(end)
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

export const OUT_OF_TOKENS = 'The answer ends here because it reached its longest length (max_tokens).'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const tellEvents = (conversation: Conversation, text: string, { stdout }: Io): Promise<TurnEnd> =>
  conversation.say(text, (event) => writeTo(stdout, jsonLine(event)))

async function tellAnswer(conversation: Conversation, text: string, { stdout }: Io, look: ScreenLook) {
  const printer = createAnswerPrinter(stdout, look.isTerminal ? look.columns : undefined)
  const end = await conversation.say(text, printer.onEvent)
  await printer.end()
  return end
}

function exitCodeOf({ stopReason, error }: TurnEnd): ExitCode {
  return stopReason === 'error' ? EXIT_OF_ERROR[error?.code ?? 'internal'] : EXIT_OF_STOP[stopReason]
}
