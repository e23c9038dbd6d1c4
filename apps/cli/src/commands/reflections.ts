import { z } from 'zod'
import { type Approval, type ChangeReflection, PlatformError, type Reflection } from '@parley/contracts'
import type { Config } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { LimitOption, connectToServer, readUpTo } from '../reflection/at-server.ts'
import { findReflection, findSource } from '../reflection/find-reflection.ts'
import { waitingFacts, describeWaitingFacts } from '../reflection/source-progress.ts'
import { renderColumns } from '../render/columns.ts'
import { neutralise } from '../render/text.ts'
import { jsonLine, localTime, tell } from '../render/output.ts'
import { shortId } from '../session/find-session.ts'
import { type CommandCall, parseOptions } from './command.ts'

const ListOptions = z.object({ limit: LimitOption })

/** Lists the reflections on the running server. */
export async function listReflections(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { limit } = parseOptions(ListOptions, call.options)
  const { client, screen } = await connectToServer(call)
  const { items, more } = await readUpTo(limit, (page) => client.reflections.list(page))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, NONE_YET)
  else {
    const rows = items.map(({ id, createdAt, namespaces, displayName }) => [
      shortId(id),
      localTime(createdAt),
      namespaces.flatMap(({ name, isPublished }) => (isPublished ? [name] : [])).join(', ') || '-',
      displayName,
    ])
    const head = ['ID', 'MADE', 'PUBLISHED', 'NAME']
    const room = { columns: screen.columns, yielding: [2, 3] }
    io.stdout.write(renderColumns(head, rows, screen.style, room))
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}

const NONE_YET = 'There are no reflections yet. Create one with: parley reflections create NAME'

const CreateOptions = z.object({ creator: z.string().optional(), review: z.boolean().default(false) })

/** Creates a reflection; its namespaces start private. */
export async function createReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { creator, review } = parseOptions(CreateOptions, call.options)
  const name = positionals.join(' ').trim()
  if (name === '') throw new PlatformError('validation', { message: 'A reflection needs a name.' })
  const { client } = await connectToServer(call)
  const reflection = await client.reflections.create({
    displayName: name,
    ...(creator !== undefined && { creatorName: creator }),
    ...(review && { approval: 'by_person' }),
  })
  const { id, displayName } = reflection
  if (json) io.stdout.write(jsonLine(reflection))
  else {
    tell(io.stdout, `${displayName} was created, as ${shortId(id)}.`)
    tell(io.stdout, `Add sources: parley reflections add ${shortId(id)} FILE`)
  }
  return EXIT.done
}

/** Prints the namespaces and source status of a reflection. */
export async function showReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await connectToServer(call)
  const reflection = await findReflection(client, positionals[0] ?? '', config)
  const { id: reflectionId } = reflection
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const sources: Record<string, number> = {}
  for (const { state } of items) sources[state] = (sources[state] ?? 0) + 1
  const facts = items.reduce((sum, source) => sum + source.facts, 0)
  const waiting = await waitingFacts(client, reflectionId)
  if (json) {
    io.stdout.write(jsonLine({ ...reflection, sources, facts, waiting }))
    return EXIT.done
  }
  const { displayName, creatorName, approval, createdAt, namespaces } = reflection
  const states = Object.entries(sources).map(([state, count]) => `${count} ${state}`)
  const lines: readonly (readonly [string, string])[] = [
    ['id', `${shortId(reflectionId)} (${reflectionId})`],
    ['made', localTime(createdAt)],
    ...(creatorName === undefined ? [] : [['of', creatorName] as const]),
    ['facts', `${facts}, ${approval === 'by_person' ? 'each approved by a person' : 'approved by rule'}`],
    ...(waiting === 0 ? [] : [['waiting', describeWaitingFacts(waiting, reflectionId)] as const]),
    ['sources', states.join(', ') || 'none'],
    ['voice', voiceText(reflection)],
    ['visitors', `messages ${visitorsText(reflection)}`],
    ...namespaces.map(
      ({ name, isPublished }) => ['namespace', `${name}${isPublished ? ' (published)' : ''}`] as const,
    ),
  ]
  const shown = lines.map(([label, value]) => `${screen.style.dim(label.padEnd(10))} ${neutralise(value)}`)
  io.stdout.write(`${screen.style.bold(neutralise(displayName))}\n${shown.join('\n')}\n`)
  return EXIT.done
}

const OnOrOff = z.enum(['on', 'off'], 'must be on or off')

const ChangeOptions = z.object({
  name: z.string().trim().min(1).max(200).optional(),
  review: OnOrOff.optional(),
  reviewSessions: OnOrOff.optional(),
  voice: z.string().trim().min(1).max(200).optional(),
  stock: z.boolean().default(false),
  consent: z.boolean().default(false),
  shareIngestion: OnOrOff.optional(),
})
type ChangeOptions = z.infer<typeof ChangeOptions>

/** Changes the name, voice or learning settings of a reflection. */
export async function changeReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const change = changeIn(parseOptions(ChangeOptions, call.options))
  if (Object.keys(change).length === 0) {
    throw new PlatformError('validation', {
      message: 'Name at least one change.',
      mend: 'Add --name NAME, --review on, --review off, --review-sessions on or off, --voice ID, or --share-ingestion on or off.',
    })
  }
  const { client, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const changed = await client.reflections.change({ reflectionId, ...change })
  if (json) io.stdout.write(jsonLine(changed))
  else for (const line of linesOf(changed, change)) tell(io.stdout, line)
  return EXIT.done
}

function changeIn(given: ChangeOptions): ChangeReflection {
  const { name, review, reviewSessions, voice, stock, consent, shareIngestion } = given
  if (voice === undefined && (stock || consent)) {
    throw new PlatformError('validation', {
      message: `--${stock ? 'stock' : 'consent'} needs a voice.`,
      mend: 'Add --voice ID.',
    })
  }
  return {
    ...(name !== undefined && { displayName: name }),
    ...(review !== undefined && { approval: approvalBy(review) }),
    ...(reviewSessions !== undefined && { conversationApproval: approvalBy(reviewSessions) }),
    ...(voice !== undefined && {
      voice: voice === 'none' ? null : { voiceId: voice, kind: stock ? 'stock' : 'clone', consent },
    }),
    ...(shareIngestion !== undefined && { shareIngestion: shareIngestion === 'on' }),
  }
}

const approvalBy = (review: 'on' | 'off'): Approval => (review === 'on' ? 'by_person' : 'by_rule')

/** The settings after the change; voice and visitors only if changed. */
function linesOf(changed: Reflection, { voice, shareIngestion }: ChangeReflection): readonly string[] {
  const { displayName, approval, conversationApproval = 'by_person' } = changed
  const inSessions = `${WHO[conversationApproval]} what is said in sessions`
  return [
    `${displayName}: ${WHO[approval]} what is learned from now on; ${inSessions}.`,
    ...(voice === undefined ? [] : [`Its voice: ${voiceText(changed)}.`]),
    ...(shareIngestion === undefined ? [] : [`Visitors' messages: ${visitorsText(changed)}.`]),
  ]
}

const WHO: Record<Approval, string> = { by_person: 'a person approves', by_rule: 'rules approve' }

const RemoveOptions = z.object({ yes: z.boolean().default(false) })

/** Deletes a reflection after confirmation. */
export async function removeReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { yes } = parseOptions(RemoveOptions, call.options)
  const { client, config } = await connectToServer(call)
  const { id, displayName } = await findReflection(client, positionals[0] ?? '', config)
  const question = `Remove ${displayName} permanently, with its sources and facts?`
  if (!yes && !(await mayRemove(call, config, question))) return EXIT.cancelled
  await client.reflections.remove(id)
  if (json) io.stdout.write(jsonLine({ reflectionId: id, removed: true }))
  else tell(io.stdout, `${displayName} is deleted.`)
  return EXIT.done
}

/** Removes a source and its facts after confirmation. */
export async function removeSource(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { yes } = parseOptions(RemoveOptions, call.options)
  const { client, config } = await connectToServer(call)
  const [given = '', source = ''] = positionals
  const reflection = await findReflection(client, given, config)
  const { id: sourceId, title } = await findSource(client, reflection, source)
  const question = `Remove ${title} permanently, with every fact learned from it?`
  if (!yes && !(await mayRemove(call, config, question))) return EXIT.cancelled
  const removing = await client.reflections.removeSource({ reflectionId: reflection.id, sourceId })
  if (json) io.stdout.write(jsonLine(removing))
  else tell(io.stdout, `${title} is being removed, with every fact learned from it.`)
  return EXIT.done
}

/** Asks to confirm a removal; without a terminal --yes is required. */
async function mayRemove(
  { io, json }: Pick<CommandCall, 'io' | 'json'>,
  config: Config,
  question: string,
): Promise<boolean> {
  if (json || !canAsk(io)) {
    throw new PlatformError('validation', {
      message: 'Removing needs a terminal to confirm.',
      mend: 'Add --yes to remove without asking.',
    })
  }
  if ((await confirm(io, config, question)) === 'yes') return true
  tell(io.stdout, 'Nothing was removed.')
  return false
}

/** The voice, its consent, and whether it is available. */
function voiceText({ voice }: Pick<Reflection, 'voice'>): string {
  if (!voice) return 'none'
  const consent = voice.consent ? 'with consent' : 'without consent'
  const whose = voice.kind === 'stock' ? 'a stock voice' : `a cloned voice ${consent}`
  return `${voice.voiceId}, ${whose}${voice.isUnlisted ? '; not available at the voice provider' : ''}`
}

const visitorsText = ({ shareIngestion }: Pick<Reflection, 'shareIngestion'>): string =>
  shareIngestion ? 'used for learning' : 'saved, not used for learning'
