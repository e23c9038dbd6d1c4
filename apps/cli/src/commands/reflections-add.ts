import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { ApiClient } from '@parley/api-client'
import { MAX_SOURCE_BYTES, PlatformError, type Reflection, type Source } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findByBeginning } from '../reflection/find-by-beginning.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { followSources } from '../reflection/follow-sources.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const AddOptions = z.object({
  namespace: z.string().default('general'),
  title: z.string().optional(),
  replaces: z.string().optional(),
  wait: z.boolean().default(false),
})

/** Gives a reflection files to learn from; with --wait it shows how far each is, until all are done. */
export async function addSources(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { namespace, title, replaces, wait } = parseOptions(AddOptions, call.options)
  const [given = '', ...files] = positionals
  if (files.length > 1 && (title !== undefined || replaces !== undefined)) throw onlyOne()
  for (const file of files) await checkFile(file)
  const { client, config, screen } = await atServer(call)
  const reflection = await findReflection(client, given, config)
  const sourceId = replaces === undefined ? undefined : await sourceAt(client, reflection, replaces)
  if (await ensureNamespace(client, reflection, namespace)) {
    tell(io.stderr, `The namespace ${namespace} is new; it is private until you publish it.`)
  }
  const added: Source[] = []
  for (const file of files) {
    const fileName = basename(resolve(file))
    const source = { title: title ?? fileName, namespace, file: await openAsBlob(file), fileName }
    added.push(await client.reflections.addSource(reflection.id, source, sourceId))
  }
  if (!wait) {
    if (json) io.stdout.write(jsonLine({ items: added }))
    else {
      const what = added.length === 1 ? `${added[0]?.title} is` : `${added.length} sources are`
      tell(io.stdout, `${what} in the queue: parley reflections sources ${shortId(reflection.id)}`)
    }
    return EXIT.done
  }
  const read = (source: Source) =>
    client.reflections.source({ reflectionId: reflection.id, sourceId: source.id })
  const ended = await followSources(added, read, json ? undefined : { io, screen, config })
  if (json) io.stdout.write(jsonLine({ items: ended }))
  return exitOf(ended)
}

/** The worst that became of one. */
function exitOf(ended: readonly Source[]): ExitCode {
  if (ended.some(({ state }) => state === 'failed' || state === 'removing')) return EXIT.failed
  return ended.some(({ state }) => state === 'eval_rejected') ? EXIT.refused : EXIT.done
}

async function checkFile(file: string): Promise<void> {
  const found = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'There is no file' : `(${cause.code}) One cannot read`
    throw new PlatformError('validation', { message: `${why} ${file}.` }, { cause })
  })
  if (!found.isFile()) throw new PlatformError('validation', { message: `${file} is no file.` })
  if (found.size <= MAX_SOURCE_BYTES) return
  throw new PlatformError('payload_too_large', {
    message: `${file} has ${found.size} bytes, and a source at most ${MAX_SOURCE_BYTES}.`,
    mend: 'Split it into several files.',
  })
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

async function sourceAt(client: ApiClient, { id: reflectionId }: Reflection, given: string) {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const list = `parley reflections sources ${shortId(reflectionId)}`
  return findByBeginning(items, given, { what: 'source', list }).id
}

const onlyOne = () =>
  new PlatformError('validation', { message: 'The options --title and --replaces are for one file.' })
