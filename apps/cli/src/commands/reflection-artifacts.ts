import { z } from 'zod'
import { readGenerations, readWholeLedger } from '@parley/api-client'
import {
  type Dossier,
  type LedgerEntry,
  PackKind,
  PlatformError,
  type ReflectionId,
  VoiceArtifacts,
} from '@parley/contracts'
import {
  type ArtifactsChange,
  type LedgerFault,
  diffArtifacts,
  countErasedVerdicts,
  toPackPart,
  verifyLedger,
} from '@parley/reflections'
import { computeSha256 } from '../compute-sha256.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { type ServerConnection, LimitOption } from '../reflection/server-connection.ts'
import { readUpTo } from '../read-pages.ts'
import { connectToReflection } from '../reflection/find-reflection.ts'
import { sanitise, toInlineText } from '../render/text.ts'
import { toJsonLine, formatLocalTime, printMessage } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { type CommandCall, parseOptions, printList } from './command.ts'

const Generation = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a version')
  .transform(Number)
const ArtifactsOptions = z.object({
  limit: LimitOption,
  generation: Generation.optional(),
  diff: z
    .string()
    .regex(/^[1-9]\d{0,8}\.\.[1-9]\d{0,8}$/, 'must be two versions, such as 3..5')
    .transform((given) => given.split('..').map(Number))
    .optional(),
})

export async function showArtifacts(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { limit, generation, diff } = parseOptions(ArtifactsOptions, call.options)
  const server = await connectToReflection(call)
  const { client, display, reflectionId } = server
  if (diff) {
    const [from = 0, to = 0] = diff
    const changes = diffArtifacts(await readArtifacts(server, from), await readArtifacts(server, to))
    if (json) io.stdout.write(toJsonLine({ from, to, changes }))
    else if (changes.length === 0) printMessage(io.stdout, `Versions ${from} and ${to} are the same.`)
    else io.stdout.write(`${renderArtifactsChanges(changes, display).join('\n')}\n`)
    return EXIT.done
  }
  if (generation !== undefined) {
    const artifacts = await readArtifacts(server, generation)
    io.stdout.write(
      json ? toJsonLine({ generation, artifacts }) : `${renderGeneration(artifacts, display).join('\n')}\n`,
    )
    return EXIT.done
  }
  let live: number | undefined
  const list = await readUpTo(limit, async (page) => {
    const ledger = await client.reflections.ledger({ ...page, reflectionId })
    if (page.cursor === undefined) live = ledger.live
    return ledger
  })
  const result = { ...list, ...(live !== undefined && { live }) }
  return printList(call, result, {
    style: display.style,
    empty: 'No version yet. The worker builds one in a moment.',
    render: () => `${list.items.flatMap((entry) => renderEntry(entry, live, display)).join('\n')}\n`,
  })
}

async function readArtifacts(
  { client, reflectionId }: Pick<ServerConnection, 'client'> & { readonly reflectionId: ReflectionId },
  generation: number,
): Promise<VoiceArtifacts> {
  const { artifacts } = await client.reflections.generation({ reflectionId, generation })
  if (artifacts === undefined) {
    throw new PlatformError('not_found', {
      message: `Only the hash of version ${generation} is left: one of its sources was removed.`,
      fix: 'Choose another version.',
    })
  }
  const parsed = VoiceArtifacts.safeParse(artifacts)
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: `Version ${generation} does not have a valid format.`,
    fix: '`parley reflections verify ID` says what is wrong with it.',
  })
}

const HASH_LENGTH = 12

function renderEntry(entry: LedgerEntry, live: number | undefined, { style }: Display): readonly string[] {
  const { position, generation, stage, at, payloadHash, entryHash, reasons } = entry
  const serves = stage === 'promoted' && generation === live ? style.good('  in use') : ''
  const hashes = `payload ${payloadHash.slice(0, HASH_LENGTH)}, entry ${entryHash.slice(0, HASH_LENGTH)}`
  const words = `#${position}  version ${generation}   ${VERDICTS[stage](reasons)}`
  return [
    `${words}${serves}  ${style.dim(sanitise(`${formatLocalTime(at)}  ${hashes}`))}`,
    ...reasons.map((reason) => `    ${style.warn('!')} ${sanitise(reason)}`),
  ]
}

const VERDICTS: Readonly<Record<LedgerEntry['stage'], (reasons: readonly string[]) => string>> = {
  candidate: () => 'candidate',
  evaluated: ({ length }) => (length === 0 ? 'evaluated, no problems found' : 'evaluated, not approved'),
  promoted: () => 'promoted',
  rejected: () => 'rejected',
  outrun: () => 'superseded by a later one',
  erased: () => 'erased with a source',
}

/** Recomputes the whole version history locally and reports problems. */
export async function verifyReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { client, display, reflectionId } = await connectToReflection(call)
  const ledger = await readWholeLedger(client.reflections, reflectionId)
  const stored = await readGenerations(client.reflections, ledger)
  const faults = verifyLedger(ledger, (generation) => stored.get(generation), computeSha256)
  const { entries, live } = ledger
  const lastHash = entries.at(-1)?.entryHash
  const erased = countErasedVerdicts(entries)
  if (json)
    io.stdout.write(toJsonLine({ entries: entries.length, live, lastHash, erasedVerdicts: erased, faults }))
  else if (faults.length > 0) {
    io.stdout.write(`${faults.map((fault) => display.style.bad(formatFault(fault))).join('\n')}\n`)
  } else {
    const serves = live === undefined ? 'none is in use yet' : `version ${live} is in use`
    printMessage(io.stdout, `${entries.length} entries are valid, ${serves}.`)
    if (erased > 0)
      printMessage(io.stdout, `${erased} decisions cannot be checked again: their data was erased.`)
    // Someone with database access could rewrite the whole chain; a saved last hash reveals that.
    if (lastHash !== undefined) printMessage(io.stdout, `The last hash is ${lastHash}.`)
  }
  return faults.length === 0 ? EXIT.done : EXIT.failed
}

const formatFault = ({ position, problem }: LedgerFault): string =>
  sanitise(position === undefined ? problem : `entry ${position}: ${problem}`)

/** One version: its dossiers and the packs built from them. */
const renderGeneration = (
  { capsule, reflection_voice_dossier, prompt_packs }: VoiceArtifacts,
  { style }: Display,
): readonly string[] => [
  `${style.bold(toInlineText(capsule.displayName))}  ${capsule.facts} facts of ${capsule.sources} sources`,
  ...[reflection_voice_dossier.private, reflection_voice_dossier.public].flatMap((dossier) => [
    style.bold(`${dossier.audience} dossier`) +
      style.dim(`  ${dossier.maturity}, ${dossier.contentHash.slice(0, HASH_LENGTH)}`),
    ...renderDossier(dossier),
  ]),
  ...PackKind.options.map(
    (kind) =>
      `${style.bold(`pack ${kind}`)}${style.dim(`  ${prompt_packs[kind].contentHash.slice(0, HASH_LENGTH)}`)}`,
  ),
]

/** The difference of two versions: each line once, with the parts that contain it. */
export function renderArtifactsChanges(
  changes: readonly ArtifactsChange[],
  { style }: Display,
): readonly string[] {
  const format = (sign: '-' | '+', lines: (change: ArtifactsChange) => readonly string[]) =>
    [...findPlaces(changes, lines)].map(([line, parts]) => {
      const text = `${sign} ${toInlineText(line)}`
      return `${sign === '-' ? style.bad(text) : style.good(text)}  ${style.dim(`(${formatParts(parts)})`)}`
    })
  return [...format('-', ({ removed }) => removed), ...format('+', ({ added }) => added)]
}

type PartSet = ReadonlySet<ArtifactsChange['part']>

/** A statement appears in the evidence by namespace, in a dossier by section, and in a pack as an entry. */
function findPlaces(
  changes: readonly ArtifactsChange[],
  lines: (change: ArtifactsChange) => readonly string[],
): ReadonlyMap<string, PartSet> {
  const stated = new Set(
    changes.flatMap((change) => (change.part === 'evidence' ? lines(change).map(removePlace) : [])),
  )
  const places = new Map<string, Set<ArtifactsChange['part']>>()
  for (const change of changes) {
    for (const line of lines(change)) {
      const statement = removePlace(line)
      const key = stated.has(statement) ? statement : line
      places.set(key, (places.get(key) ?? new Set()).add(change.part))
    }
  }
  return places
}

const removePlace = (line: string): string => line.replace(/^(?:- |[\w-]+: )/, '')

/** "evidence, private dossier, every pack" */
function formatParts(parts: PartSet): string {
  const packs = PackKind.options.filter((kind) => parts.has(toPackPart(kind)))
  const packParts = new Set<string>(packs.map(toPackPart))
  const others = [...parts].filter((part) => !packParts.has(part))
  if (packs.length === 0) return others.join(', ')
  const named = packs.length === PackKind.options.length ? 'every pack' : `packs ${packs.join(', ')}`
  return [...others, packs.length === 1 ? `pack ${packs[0]}` : named].join(', ')
}

const renderDossier = ({ lines, speakingStyle }: Dossier): readonly string[] => [
  ...lines.map(({ section, text }) => `  ${section}: ${toInlineText(text)}`),
  ...(speakingStyle === '' ? [] : [`  speaks: ${toInlineText(speakingStyle)}`]),
]
