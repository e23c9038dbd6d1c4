import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Whoever calls is a member of the reflection no more. */
export async function leaveReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, config } = await atServer(call)
  const { id, displayName } = await findReflection(client, positionals[0] ?? '', config)
  await client.reflections.leave(id)
  if (json) io.stdout.write(jsonLine({ id }))
  else tell(io.stdout, `You have left ${displayName}.`)
  return EXIT.done
}
