import { openAsBlob } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ApiClient } from '@parley/api-client'
import {
  CONVERSATIONS,
  NamespaceName,
  type Patch,
  PlatformError,
  type Reflection,
  type Source,
} from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { checkFiles } from '../reflection/check-files.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { findSource } from '../reflection/find-source.ts'
import { followSources } from '../reflection/follow-sources.ts'
import { standardInput } from '../reflection/standard-input.ts'
import { waitingFacts, waitingText } from '../reflection/waiting-facts.ts'
import { withInterrupt } from '../reflection/with-interrupt.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const A_NAME = 'must have lower-case letters, digits and single hyphens only, such as family-letters'
const NOT_BY_HAND = `must not be ${CONVERSATIONS}: that holds the transcripts of sessions, and nothing is added to it by hand`
const AddOptions = z.object({
  namespace: z
    .string()
    .refine((name) => NamespaceName.safeParse(name).success, A_NAME)
    .refine((name) => name !== CONVERSATIONS, NOT_BY_HAND)
    .default('general'),
  title: z.string().trim().min(1).max(300).optional(),
  replaces: z.string().optional(),
  wait: z.boolean().default(false),
})

/** Gives a reflection files to learn from; with --wait it shows how far each is, until all are done. */
export async function addSources(call: CommandCall): Promise<ExitCode> {
  const options = parseOptions(AddOptions, call.options)
  const { title, replaces } = options
  const [named = '', ...files] = call.positionals
  if (files.length > 1 && (title !== undefined || replaces !== undefined)) throw onlyOne()
  const takesInput = files.includes(INPUT)
  if (takesInput && title === undefined) throw untitled()
  await checkFiles(files.filter((file) => file !== INPUT))
  return withInterrupt((signal) => handOver(call, { ...options, named, files }, signal))
}

interface Handed extends z.output<typeof AddOptions> {
  readonly named: string
  readonly files: readonly string[]
}

async function handOver(
  call: CommandCall,
  { named, files, namespace, title, replaces, wait }: Handed,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io, json } = call
  const { client, config, screen } = await atServer(call)
  const reflection = await findReflection(client, named, config)
  const replaced = replaces === undefined ? undefined : await findSource(client, reflection, replaces)
  if (await ensureNamespace(client, reflection, namespace)) {
    tell(io.stderr, `The namespace ${namespace} is new; it is private until you publish it.`)
  }
  const added: Source[] = []
  for (const file of files) {
    if (signal.aborted) break
    const given = file === INPUT ? await standardInput(io.stdin) : await fromDisk(file)
    const source = { title: title ?? given.fileName, namespace, ...given }
    added.push(await client.reflections.addSource(reflection.id, source, replaced?.id))
  }
  const list = `parley reflections sources ${shortId(reflection.id)}`
  if (!wait && !signal.aborted) {
    if (json) io.stdout.write(jsonLine({ items: added }))
    else tell(io.stdout, `${whatOf(added)} in the queue: ${list}`)
    return EXIT.done
  }
  const read = (source: Source) =>
    client.reflections.source({ reflectionId: reflection.id, sourceId: source.id })
  const ended = await followSources(added, read, signal, json ? undefined : { io, screen, config })
  if (json) io.stdout.write(jsonLine({ items: ended, ...(signal.aborted && { cancelled: true }) }))
  if (!signal.aborted) {
    const isAdded = ({ sourceId }: Patch) => ended.some(({ id }) => id === sourceId)
    const waiting = json ? 0 : await waitingFacts(client, reflection.id, isAdded)
    if (waiting > 0) tell(io.stdout, waitingText(waiting, reflection.id))
    return exitOf(ended)
  }
  const handed = `${added.length} of ${files.length} ${files.length === 1 ? 'file' : 'files'}`
  tell(io.stderr, `Cancelled. ${handed} went to the server, which learns from that all the same: ${list}`)
  return EXIT.cancelled
}

/** Stands for standard input. */
const INPUT = '-'

const fromDisk = async (file: string) => ({ file: await openAsBlob(file), fileName: basename(resolve(file)) })

const whatOf = (added: readonly Source[]): string =>
  added.length === 1 ? `${added[0]?.title} is` : `${added.length} sources are`

/** The worst that became of one. */
function exitOf(ended: readonly Source[]): ExitCode {
  if (ended.some(({ state }) => state === 'failed' || state === 'removing')) return EXIT.failed
  return ended.some(({ state }) => state === 'eval_rejected') ? EXIT.refused : EXIT.done
}

/** Whether it had to be made. */
async function ensureNamespace(
  client: ApiClient,
  { id: reflectionId, namespaces }: Reflection,
  name: string,
): Promise<boolean> {
  if (namespaces.some((namespace) => namespace.name === name)) return false
  await client.reflections.addNamespace({ reflectionId, name })
  return true
}

const onlyOne = () =>
  new PlatformError('validation', { message: 'The options --title and --replaces are for one file.' })

const untitled = () =>
  new PlatformError('validation', {
    message: 'What comes by standard input has no name. Give it one with --title.',
  })
