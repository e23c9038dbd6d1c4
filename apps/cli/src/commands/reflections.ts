import { z } from 'zod'
import {
  type FactApproval,
  type ChangeReflection,
  PlatformError,
  type Reflection,
  listPublishedNamespaces,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { confirmRemoval } from '../prompt/confirm.ts'
import { LimitOption, connectToServer } from '../reflection/server-connection.ts'
import { readAll, readUpTo } from '../read-pages.ts'
import { connectToReflection, findSource } from '../reflection/find-reflection.ts'
import { countWaitingFacts, describeWaitingFacts } from '../reflection/source-progress.ts'
import { renderColumns } from '../render/columns.ts'
import { sanitise } from '../render/text.ts'
import { formatLocalTime } from '../render/output.ts'
import { shortenId } from '../session/find-session.ts'
import { type CommandCall, parseOptions, printJson, printList, printResult } from './command.ts'

const ListOptions = z.object({ limit: LimitOption })

export async function listReflections(call: CommandCall): Promise<ExitCode> {
  const { limit } = parseOptions(ListOptions, call.options)
  const { client, display } = await connectToServer(call)
  const { style, columns } = display
  const list = await readUpTo(limit, (page) => client.reflections.list(page))
  const rows = list.items.map(({ id, createdAt, namespaces, displayName }) => [
    shortenId(id),
    formatLocalTime(createdAt),
    listPublishedNamespaces({ namespaces }).join(', ') || '-',
    displayName,
  ])
  const head = ['ID', 'CREATED', 'PUBLIC', 'NAME']
  return printList(call, list, {
    style,
    empty: 'There are no reflections yet. Create one with: parley reflections create NAME',
    render: () => renderColumns(head, rows, style, { columns, yielding: [2, 3] }),
  })
}

const CreateOptions = z.object({ creator: z.string().optional(), review: z.boolean().default(false) })

/** Creates a reflection; its namespaces start private. */
export async function createReflection(call: CommandCall): Promise<ExitCode> {
  const { creator, review } = parseOptions(CreateOptions, call.options)
  const name = call.positionals.join(' ').trim()
  if (name === '') throw new PlatformError('validation', { message: 'A reflection needs a name.' })
  const { client } = await connectToServer(call)
  const reflection = await client.reflections.create({
    displayName: name,
    ...(creator !== undefined && { creatorName: creator }),
    ...(review && { approval: 'by_person' }),
  })
  const id = shortenId(reflection.id)
  return printResult(
    call,
    reflection,
    `${reflection.displayName} was created, as ${id}.\nAdd sources: parley reflections add ${id} FILE`,
  )
}

export async function showReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { client, display, reflection, reflectionId } = await connectToReflection(call)
  const items = await readAll((page) => client.reflections.sources({ ...page, reflectionId }))
  const sources: Record<string, number> = {}
  for (const { state } of items) sources[state] = (sources[state] ?? 0) + 1
  const facts = items.reduce((sum, source) => sum + source.facts, 0)
  const waiting = await countWaitingFacts(client, reflectionId)
  if (json) return printJson(io, { ...reflection, sources, facts, waiting })
  const { displayName, creatorName, approval, createdAt, namespaces } = reflection
  const states = Object.entries(sources).map(([state, count]) => `${count} ${state}`)
  const lines: readonly (readonly [string, string])[] = [
    ['id', `${shortenId(reflectionId)} (${reflectionId})`],
    ['created', formatLocalTime(createdAt)],
    ...(creatorName === undefined ? [] : [['person', creatorName] as const]),
    ['facts', `${facts}, approved ${APPROVERS[approval]}`],
    ...(waiting === 0 ? [] : [['waiting', describeWaitingFacts(waiting, reflectionId)] as const]),
    ['sources', states.join(', ') || 'none'],
    ['voice', describeVoice(reflection)],
    ['visitors', `messages ${describeVisitorUse(reflection)}`],
    ...namespaces.map(
      ({ name, isPublished }) => ['folder', `${name}${isPublished ? ' (public)' : ''}`] as const,
    ),
  ]
  const shown = lines.map(([label, value]) => `${display.style.dim(label.padEnd(10))} ${sanitise(value)}`)
  io.stdout.write(`${display.style.bold(sanitise(displayName))}\n${shown.join('\n')}\n`)
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

export async function changeReflection(call: CommandCall): Promise<ExitCode> {
  const change = toChange(parseOptions(ChangeOptions, call.options))
  if (Object.keys(change).length === 0) {
    throw new PlatformError('validation', {
      message: 'Name at least one change.',
      fix: 'Add --name NAME, --review on, --review off, --review-sessions on or off, --voice ID, or --share-ingestion on or off.',
    })
  }
  const { client, reflectionId } = await connectToReflection(call)
  const changed = await client.reflections.change({ reflectionId, ...change })
  return printResult(call, changed, listSettingLines(changed, change).join('\n'))
}

function toChange(given: ChangeOptions): ChangeReflection {
  const { name, review, reviewSessions, voice, stock, consent, shareIngestion } = given
  if (voice === undefined && (stock || consent)) {
    throw new PlatformError('validation', {
      message: `--${stock ? 'stock' : 'consent'} needs a voice.`,
      fix: 'Add --voice ID.',
    })
  }
  return {
    ...(name !== undefined && { displayName: name }),
    ...(review !== undefined && { approval: toApproval(review) }),
    ...(reviewSessions !== undefined && { conversationApproval: toApproval(reviewSessions) }),
    ...(voice !== undefined && {
      voice: voice === 'none' ? null : { voiceId: voice, kind: stock ? 'stock' : 'clone', consent },
    }),
    ...(shareIngestion !== undefined && { shareIngestion: shareIngestion === 'on' }),
  }
}

const toApproval = (review: 'on' | 'off'): FactApproval => (review === 'on' ? 'by_person' : 'by_rule')

/** The settings after the change; voice and visitors only if changed. */
function listSettingLines(
  changed: Reflection,
  { voice, shareIngestion }: ChangeReflection,
): readonly string[] {
  const { displayName, approval, conversationApproval = 'by_person' } = changed
  return [
    `${displayName}: new facts are approved ${APPROVERS[approval]}; facts from conversations ${APPROVERS[conversationApproval]}.`,
    ...(voice === undefined ? [] : [`Its voice: ${describeVoice(changed)}.`]),
    ...(shareIngestion === undefined ? [] : [`Visitors' messages: ${describeVisitorUse(changed)}.`]),
  ]
}

const APPROVERS: Record<FactApproval, string> = { by_person: 'by a person', by_rule: 'automatically' }

const RemoveOptions = z.object({ yes: z.boolean().default(false) })

export async function removeReflection(call: CommandCall): Promise<ExitCode> {
  const { yes } = parseOptions(RemoveOptions, call.options)
  const { client, reflection, reflectionId } = await connectToReflection(call)
  const { displayName } = reflection
  const question = `Remove ${displayName} permanently, with its sources and facts?`
  if (!yes && !(await confirmRemoval(call, question))) return EXIT.cancelled
  await client.reflections.remove(reflectionId)
  return printResult(call, { reflectionId, removed: true }, `${displayName} is removed.`)
}

export async function removeSource(call: CommandCall): Promise<ExitCode> {
  const { yes } = parseOptions(RemoveOptions, call.options)
  const { client, reflection, reflectionId } = await connectToReflection(call)
  const { id: sourceId, title } = await findSource(client, reflection, call.positionals[1] ?? '')
  const question = `Remove ${title} permanently, with every fact learned from it?`
  if (!yes && !(await confirmRemoval(call, question))) return EXIT.cancelled
  const removing = await client.reflections.removeSource({ reflectionId, sourceId })
  return printResult(call, removing, `${title} is being removed, with every fact learned from it.`)
}

function describeVoice({ voice }: Pick<Reflection, 'voice'>): string {
  if (!voice) return 'none'
  const consent = voice.consent ? 'with consent' : 'without consent'
  const kind = voice.kind === 'stock' ? 'a stock voice' : `a cloned voice ${consent}`
  return `${voice.voiceId}, ${kind}${voice.isUnlisted ? '; not available at the voice provider' : ''}`
}

const describeVisitorUse = ({ shareIngestion }: Pick<Reflection, 'shareIngestion'>): string =>
  shareIngestion ? 'used for learning' : 'saved, not used for learning'
