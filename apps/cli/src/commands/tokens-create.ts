import { PlatformError, readsInWords, Role } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { NamespacesOption } from '../reflection/namespaces-option.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const CreateOptions = z.object({
  role: z.enum(Role.options, `must be ${Role.options.join(', ')}`),
  reflection: z.string().optional(),
  namespaces: NamespacesOption,
  subject: z.string().optional(),
})

/** Makes a token for a new person. It alone goes to standard output, so that it can be passed on. */
export async function createToken(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { role, reflection, namespaces, subject } = parseOptions(CreateOptions, call.options)
  const label = positionals.join(' ').trim()
  if (label === '') throw new PlatformError('validation', { message: 'A token names whom it is for.' })
  const { client, config } = await atServer(call)
  const of = reflection === undefined ? undefined : await findReflection(client, reflection, config)
  const made = await client.tokens.create({
    label,
    role,
    ...(of && { reflectionId: of.id, namespaces }),
    ...(subject !== undefined && { subject }),
  })
  if (json) {
    io.stdout.write(jsonLine(made))
    return EXIT.done
  }
  const reads = of && made.namespaces ? ` ${made.label} ${readsInWords(made.namespaces, of.namespaces)}.` : ''
  const what = `${made.label} (${made.personId}) is ${role} of ${of ? of.displayName : 'this server'}, until ${localTime(made.expiresAt)}.${reads}`
  if (made.token === undefined) {
    tell(io.stderr, `${what} They come with JWTs of the subject ${subject}.`)
    return EXIT.done
  }
  tell(io.stderr, `${what} The token is shown this once:`)
  io.stdout.write(`${made.token}\n`)
  return EXIT.done
}
