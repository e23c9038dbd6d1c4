import { PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { SessionTitle } from '../session/session-title.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'

/** Gives a session another title. */
export async function renameSession(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const title = titleOf(positionals.slice(1))
  return atSession(call, async (session) => {
    await session.rename(title)
    const renamed = await session.look()
    if (json) io.stdout.write(jsonLine(renamed))
    else tell(io.stdout, `It is called "${renamed.title ?? title}" now.`)
    return EXIT.done
  })
}

function titleOf(words: readonly string[]): string {
  const parsed = SessionTitle.safeParse(words.join(' '))
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: `The title ${parsed.error.issues[0]?.message ?? 'is invalid'}.`,
  })
}
