import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { screenOf } from '../render/screen-of.ts'
import { openPrompt } from './open-prompt.ts'
import type { Confirmation } from './yes-or-no.ts'

/** Whether somebody is there to be asked. */
export const canAsk = ({ stdin, stdout, stderr }: Io): boolean =>
  stdin.isTTY && (stdout.isTTY || stderr.isTTY)

/** One question of yes or no, where there is no prompt yet. */
export async function confirm(io: Io, config: Config, question: string): Promise<Confirmation> {
  const prompt = await openPrompt(io, config, { style: screenOf(io.stdout, config).style, history: [] })
  const leave = () => prompt.close()
  for (const signal of LEAVING) process.once(signal, leave)
  try {
    return await prompt.confirm(question)
  } finally {
    for (const signal of LEAVING) process.off(signal, leave)
    prompt.close()
  }
}

const LEAVING = ['SIGTERM', 'SIGHUP'] as const
