import { EXIT } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { RunCommand } from './command.ts'

/** The command that lets the public see namespaces, or no longer. */
export function changePublished(change: 'publish' | 'unpublish'): RunCommand {
  return async (call) => {
    const { io, json, positionals } = call
    const { client, config } = await atServer(call)
    const [given = '', ...namespaces] = positionals
    const { id: reflectionId } = await findReflection(client, given, config)
    const reflection = await client.reflections[change]({ reflectionId, namespaces })
    const published = reflection.namespaces.flatMap(({ name, isPublished }) => (isPublished ? [name] : []))
    if (json) io.stdout.write(jsonLine(reflection))
    else if (published.length === 0) tell(io.stdout, 'Nothing of it is public.')
    else tell(io.stdout, `Public now: ${published.join(', ')}.`)
    return EXIT.done
  }
}
