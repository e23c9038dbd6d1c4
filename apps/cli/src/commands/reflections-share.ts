import { isLocalUrl, LOCAL_LINK_NOTE } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const isUnit = (given: string): given is keyof typeof UNITS => given in UNITS

const ShareOptions = z.object({
  namespaces: z
    .string()
    .transform((given) => given.split(',').map((name) => name.trim()))
    .optional(),
  maxUses: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1 to 999999')
    .transform(Number)
    .optional(),
  expires: z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a time from now, such as 30m, 12h or 7d')
    .transform((given) => {
      const unit = given.slice(-1)
      return Number(given.slice(0, -1)) * (isUnit(unit) ? UNITS[unit] : 0)
    })
    .optional(),
})

/** Makes a link that lets anybody talk with a reflection. Its address alone goes to standard output, so that it can be passed on. */
export async function shareReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { expires, ...wanted } = parseOptions(ShareOptions, call.options)
  const { client, config } = await atServer(call)
  const reflection = await findReflection(client, positionals[0] ?? '', config)
  const made = await client.reflections.share({
    reflectionId: reflection.id,
    ...wanted,
    ...(expires !== undefined && { expiresAt: new Date(Date.now() + expires).toISOString() }),
  })
  if (json) {
    io.stdout.write(jsonLine(made))
    return EXIT.done
  }
  const of = made.namespaces ? `what is published of ${made.namespaces.join(', ')}` : 'all that is published'
  const uses = made.maxUses === undefined ? '' : `, ${made.maxUses} times`
  const until = made.expiresAt === undefined ? '' : `, until ${localTime(made.expiresAt)}`
  const what = `Whoever has this link talks with ${reflection.displayName}, by ${of}${uses}${until}.`
  const undo = `parley reflections unshare ${shortId(reflection.id)} ${shortId(made.id)}`
  const publish = `parley reflections publish ${shortId(reflection.id)} ${made.namespaces?.join(' ') ?? 'NAMESPACE'}`
  if (made.reaches.length === 0)
    tell(io.stderr, `Nobody gets in by it yet: nothing of that is published. Publish it with: ${publish}`)
  tell(io.stderr, `${what} Revoke it with: ${undo}. It is shown this once:`)
  io.stdout.write(`${made.url}\n`)
  if (isLocalUrl(made.url)) tell(io.stderr, LOCAL_LINK_NOTE)
  return EXIT.done
}
