import { constants, openAsBlob } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import {
  CONVERSATIONS,
  MAX_SOURCE_BYTES,
  NamespaceName,
  type Patch,
  PlatformError,
  type Reflection,
  type Source,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { describeReadFailure, readText } from '../io.ts'
import { LimitOption } from '../reflection/server-connection.ts'
import { readUpTo } from '../read-pages.ts'
import { connectToReflection, findSource } from '../reflection/find-reflection.ts'
import {
  followSources,
  calculatePercent,
  countWaitingFacts,
  describeWaitingFacts,
} from '../reflection/source-progress.ts'
import { renderColumns } from '../render/columns.ts'
import { toJsonLine, printMessage } from '../render/output.ts'
import { sanitise, wrapWords } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import { type CommandCall, parseOptions, printList, printResult } from './command.ts'

const NAME_RULE = 'must have lower-case letters, digits and single hyphens only, such as family-letters'
const RESERVED = `must not be ${CONVERSATIONS}: it holds session transcripts only`
const AddOptions = z.object({
  namespace: z
    .string()
    .refine((name) => NamespaceName.safeParse(name).success, NAME_RULE)
    .refine((name) => name !== CONVERSATIONS, RESERVED)
    .default('general'),
  title: z.string().trim().min(1).max(300).optional(),
  replaces: z.string().optional(),
  wait: z.boolean().default(false),
})

/** Adds sources to a reflection; --wait shows their progress until all are done. */
export async function addSources(call: CommandCall): Promise<ExitCode> {
  const options = parseOptions(AddOptions, call.options)
  const { title, replaces } = options
  const files = call.positionals.slice(1)
  if (files.length > 1 && (title !== undefined || replaces !== undefined)) {
    throw new PlatformError('validation', {
      message: 'The options --title and --replaces work with one file only.',
    })
  }
  if (files.includes(INPUT) && title === undefined) {
    throw new PlatformError('validation', { message: 'Standard input has no name. Add --title.' })
  }
  await checkFiles(files.filter((file) => file !== INPUT))
  return withInterrupt((signal) => sendSources(call, { ...options, files }, signal))
}

async function sendSources(
  call: CommandCall,
  {
    files,
    namespace,
    title,
    replaces,
    wait,
  }: z.output<typeof AddOptions> & { readonly files: readonly string[] },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io, json, environment } = call
  const { client, display, reflection } = await connectToReflection(call)
  const replaced = replaces === undefined ? undefined : await findSource(client, reflection, replaces)
  if (await ensureNamespace(client, reflection, namespace)) {
    printMessage(io.stderr, `The folder ${namespace} is new and private until you publish it.`)
  }
  const added: Source[] = []
  for (const file of files) {
    if (signal.aborted) break
    const content = file === INPUT ? await readStandardInput(io.stdin) : await openFile(file)
    const source = { title: title ?? content.fileName, namespace, ...content }
    added.push(await client.reflections.addSource(reflection.id, source, replaced?.id))
  }
  const list = `parley reflections sources ${shortenId(reflection.id)}`
  if (!wait && !signal.aborted) {
    const subject = added.length === 1 ? `${added[0]?.title} is` : `${added.length} sources are`
    return printResult(call, { items: added }, `${subject} queued: ${list}`)
  }
  const read = (source: Source) =>
    client.reflections.source({ reflectionId: reflection.id, sourceId: source.id })
  const ended = await followSources(added, read, signal, json ? undefined : { io, display, environment })
  if (json) io.stdout.write(toJsonLine({ items: ended, ...(signal.aborted && { cancelled: true }) }))
  if (!signal.aborted) {
    const isAdded = ({ sourceId }: Patch) => ended.some(({ id }) => id === sourceId)
    const waiting = json ? 0 : await countWaitingFacts(client, reflection.id, isAdded)
    if (waiting > 0) printMessage(io.stdout, describeWaitingFacts(waiting, reflection.id))
    return findWorstExitCode(ended)
  }
  const sent = `${added.length} of ${files.length} ${files.length === 1 ? 'file' : 'files'}`
  printMessage(io.stderr, `Cancelled. ${sent} reached the server and will still be imported: ${list}`)
  return EXIT.cancelled
}

const INPUT = '-'

const openFile = async (file: string) => ({ file: await openAsBlob(file), fileName: basename(resolve(file)) })

function findWorstExitCode(ended: readonly Source[]): ExitCode {
  if (ended.some(({ state }) => state === 'failed' || state === 'removing')) return EXIT.failed
  return ended.some(({ state }) => state === 'eval_rejected') ? EXIT.refused : EXIT.done
}

/** Creates a namespace if it is missing; true if it was. */
async function ensureNamespace(
  client: ApiClient,
  { id: reflectionId, namespaces }: Reflection,
  name: string,
): Promise<boolean> {
  if (namespaces.some((namespace) => namespace.name === name)) return false
  await client.reflections.addNamespace({ reflectionId, name })
  return true
}

const SourcesOptions = z.object({ limit: LimitOption })

export async function listSources(call: CommandCall): Promise<ExitCode> {
  const { limit } = parseOptions(SourcesOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const { style, columns, isTerminal } = display
  const list = await readUpTo(limit, (page) => client.reflections.sources({ ...page, reflectionId }))
  return printList(call, list, {
    style,
    empty: `It has no sources yet: parley reflections add ${shortenId(reflectionId)} FILE`,
    async render() {
      const rows = list.items.map((source) => [
        shortenId(source.id),
        source.state === 'running'
          ? `${source.phase ?? 'running'} ${calculatePercent(source)} %`
          : source.state,
        String(source.facts),
        source.namespace,
        source.title,
      ])
      const head = ['ID', 'STATE', 'FACTS', 'FOLDER', 'TITLE']
      const waiting = await countWaitingFacts(client, reflectionId)
      const notes = [
        ...list.items.flatMap(({ title, problem }) => (problem ? [`! ${title}: ${problem}`] : [])),
        ...(waiting > 0 ? [describeWaitingFacts(waiting, reflectionId)] : []),
      ].map(sanitise)
      const table = renderColumns(head, rows, style, { columns, yielding: [4, 3] })
      return table + notes.map((note) => `${isTerminal ? wrapWords(note, columns) : note}\n`).join('')
    },
  })
}

/** Rejects files that cannot be imported, all at once, before anything is sent. */
export async function checkFiles(files: readonly string[]): Promise<void> {
  const refused = (await Promise.all(files.map(findRefusal))).filter((reason) => reason !== undefined)
  const [only, another] = refused
  if (!only) return
  if (!another) throw only
  throw new PlatformError('validation', {
    message: `${refused.length} of ${files.length} files cannot be imported. Nothing was sent.`,
    fix: refused.map(({ message }) => message).join('\n'),
  })
}

async function findRefusal(file: string): Promise<PlatformError | undefined> {
  const stats = await statReadableFile(file)
  if (stats instanceof PlatformError) return stats
  if (stats.isDirectory()) {
    return createRefusalError(
      `${file} is a folder.`,
      `Name the files in it, such as ${file.replace(/\/+$/, '')}/*.md`,
    )
  }
  if (!stats.isFile()) return createRefusalError(`${file} is not a file.`, 'Save its output to a file first.')
  if (stats.size === 0) return createRefusalError(`${file} is empty.`, 'Leave it out.')
  if (stats.size <= MAX_SOURCE_BYTES) return undefined
  return new PlatformError('payload_too_large', {
    message: `${file} has ${formatMegabytes(stats.size)}; a source can have at most ${formatMegabytes(MAX_SOURCE_BYTES)}.`,
    fix: 'Split it into several files.',
  })
}

async function statReadableFile(file: string) {
  try {
    await access(file, constants.R_OK)
    return await stat(file)
  } catch (cause) {
    const failure = cause as NodeJS.ErrnoException
    const isMissing = failure.code === 'ENOENT'
    const fix = isMissing ? 'Check the file name.' : 'Fix its permissions, or use a copy.'
    return createRefusalError(describeReadFailure(file, failure), fix)
  }
}

const createRefusalError = (message: string, fix: string) => new PlatformError('validation', { message, fix })

const formatMegabytes = (bytes: number): string => `${Math.ceil(bytes / 100_000) / 10} MB`

const createInputTooLargeError = () =>
  new PlatformError('payload_too_large', {
    message: `Standard input has more than the ${MAX_SOURCE_BYTES} bytes of a source. Nothing was sent.`,
    fix: 'Split it into several.',
  })

async function readStandardInput(
  input: Readable,
): Promise<{ readonly file: Blob; readonly fileName: string }> {
  const text = await readText(input, MAX_SOURCE_BYTES, createInputTooLargeError)
  if (text?.trim()) return { file: new Blob([text], { type: 'text/plain' }), fileName: 'standard-input.txt' }
  throw new PlatformError('validation', {
    message: `Standard input is ${text === undefined ? 'not UTF-8 text' : 'empty'}. Nothing was sent.`,
    fix: 'Pass other files by name.',
  })
}

/** Aborted by the first Ctrl-C, so that a command can report its state; the second ends the process. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = () => controller.abort()
  process.once('SIGINT', interrupt)
  try {
    return await work(controller.signal)
  } finally {
    process.off('SIGINT', interrupt)
  }
}
