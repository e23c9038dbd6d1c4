import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { screenOf } from '../render/screen-look.ts'
import { type Confirmation, type Offer, openPrompt } from './prompt.ts'
import { holdTerminal } from './raw-terminal.ts'

/** Whether a terminal is available for questions. */
export const canAsk = ({ stdin, stdout, stderr }: Io): boolean =>
  stdin.isTTY && (stdout.isTTY || stderr.isTTY)

/** Asks one question without an open prompt. */
export async function confirm(
  io: Io,
  config: Config,
  question: string,
  offers: readonly Offer[] = [],
): Promise<Confirmation> {
  const prompt = await openPrompt(io, config, { style: screenOf(io.stdout, config).style, history: [] })
  const leave = () => prompt.close()
  for (const signal of LEAVING) process.once(signal, leave)
  try {
    await pastTypedAhead(io.stdin)
    return await prompt.confirm(question, offers)
  } finally {
    for (const signal of LEAVING) process.off(signal, leave)
    prompt.close()
  }
}

/** Discards input typed before the question. */
async function pastTypedAhead(input: Readable): Promise<void> {
  let hasCome = true
  const onData = () => (hasCome = true)
  input.on('data', onData)
  while (hasCome) {
    hasCome = false
    for (let looks = 0; looks < 2; looks += 1) await setImmediate()
  }
  input.off('data', onData)
}

const LEAVING = ['SIGTERM', 'SIGHUP'] as const

/** Reads a line without showing it; undefined if the user cancels. */
export function readHidden({ stdin, stderr }: Io, question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed = ''
    const done = (value: string | undefined) => {
      held.close()
      stderr.write('\n')
      resolve(value)
    }
    const held = holdTerminal(
      { input: stdin, output: stderr },
      {
        onResize: () => undefined,
        onKey(key) {
          if (key.name === 'enter') done(typed)
          else if (key.name === 'interrupt' || key.name === 'end-of-input') done(undefined)
          else if (key.name === 'delete-back') typed = typed.slice(0, -1)
          else if (key.name === 'text' || key.name === 'paste') typed += key.text
        },
      },
    )
    stderr.write(question)
  })
}
