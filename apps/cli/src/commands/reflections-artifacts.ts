import { type LedgerEntry, PlatformError, type ReflectionId, VoiceArtifacts } from '@parley/contracts'
import { artifactsDiff } from '@parley/reflections'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { type AtServer, atServer } from '../reflection/at-server.ts'
import { changeLines, generationLines } from '../reflection/artifact-lines.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { neutralise } from '../render/neutralise.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const Generation = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a generation')
  .transform(Number)
const ArtifactsOptions = z.object({
  limit: LimitOption,
  generation: Generation.optional(),
  diff: z
    .string()
    .regex(/^[1-9]\d{0,8}\.\.[1-9]\d{0,8}$/, 'must be two generations: 3..5')
    .transform((given) => given.split('..').map(Number))
    .optional(),
})

/** Shows what became of each generation of what speaks for a reflection, one of them, or what two say otherwise. */
export async function showArtifacts(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit, generation, diff } = parseOptions(ArtifactsOptions, call.options)
  const server = await atServer(call)
  const { client, screen, config } = server
  const { id } = await findReflection(client, positionals[0] ?? '', config)
  if (diff) {
    const [one = 0, other = 0] = diff
    const changes = artifactsDiff(await artifactsOf(server, id, one), await artifactsOf(server, id, other))
    if (json) io.stdout.write(jsonLine({ from: one, to: other, changes }))
    else if (changes.length === 0) tell(io.stdout, `Generations ${one} and ${other} say the same.`)
    else io.stdout.write(`${changeLines(changes, screen).join('\n')}\n`)
    return EXIT.done
  }
  if (generation !== undefined) {
    const artifacts = await artifactsOf(server, id, generation)
    io.stdout.write(
      json ? jsonLine({ generation, artifacts }) : `${generationLines(artifacts, screen).join('\n')}\n`,
    )
    return EXIT.done
  }
  let live: number | undefined
  const { items, more } = await upTo(limit, async (page) => {
    const read = await client.reflections.ledger({ ...page, reflectionId: id })
    if (page.cursor === undefined) live = read.live
    return read
  })
  if (json) io.stdout.write(jsonLine({ items, more, ...(live !== undefined && { live }) }))
  else if (items.length === 0) tell(io.stdout, 'Nothing was built of it yet. The worker does it in a moment.')
  else {
    io.stdout.write(`${items.flatMap((entry) => entryLines(entry, live, screen)).join('\n')}\n`)
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}

async function artifactsOf(
  { client }: AtServer,
  reflectionId: ReflectionId,
  generation: number,
): Promise<VoiceArtifacts> {
  const { artifacts } = await client.reflections.generation({ reflectionId, generation })
  if (artifacts === undefined) {
    throw new PlatformError('not_found', {
      message: `Of generation ${generation} only the hash is left: a source of it was removed.`,
      mend: 'Name another generation.',
    })
  }
  const parsed = VoiceArtifacts.safeParse(artifacts)
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: `Generation ${generation} is not of the form that artifacts have.`,
    mend: '`parley reflections verify ID` says what is wrong with it.',
  })
}

const HASH_LENGTH = 12

function entryLines(entry: LedgerEntry, live: number | undefined, { style }: ScreenLook): readonly string[] {
  const { position, generation, stage, at, payloadHash, entryHash, reasons } = entry
  const serves = stage === 'promoted' && generation === live ? style.good('  serves') : ''
  const hashes = `payload ${payloadHash.slice(0, HASH_LENGTH)}, entry ${entryHash.slice(0, HASH_LENGTH)}`
  const words = `#${position}  generation ${generation}  ${VERDICTS[stage](reasons)}`
  return [
    `${words}${serves}  ${style.dim(neutralise(`${localTime(at)}  ${hashes}`))}`,
    ...reasons.map((reason) => `    ${style.warn('!')} ${neutralise(reason)}`),
  ]
}

const VERDICTS: Readonly<Record<LedgerEntry['stage'], (reasons: readonly string[]) => string>> = {
  candidate: () => 'candidate',
  evaluated: ({ length }) => (length === 0 ? 'evaluated, nothing against it' : 'evaluated, not approved'),
  promoted: () => 'promoted',
  rejected: () => 'rejected',
  outrun: () => 'outrun by a higher one',
  erased: () => 'erased with a source',
}
