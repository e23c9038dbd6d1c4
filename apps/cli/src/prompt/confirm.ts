import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { screenOf } from '../render/screen-of.ts'
import { openPrompt } from './open-prompt.ts'
import type { Confirmation, Offer } from './yes-or-no.ts'

/** Whether somebody is there to be asked. */
export const canAsk = ({ stdin, stdout, stderr }: Io): boolean =>
  stdin.isTTY && (stdout.isTTY || stderr.isTTY)

/** One question, where there is no prompt yet. */
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

/** Takes in what stands in the terminal's buffer, a line with each look at it, while there is no question yet. */
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
