import { openAsBlob } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import { NamespaceName, type Reflection, ReflectionId, ReflectionVoice, type Source } from '@parley/contracts'
import { readAll } from '../read-pages.ts'
import { isImporting } from '../reflection/source-progress.ts'

const Demo = z.object({
  displayName: z.string(),
  creatorName: z.string().optional(),
  voice: ReflectionVoice.optional(),
  namespaces: z.array(z.object({ name: NamespaceName, published: z.boolean() })),
  sources: z.array(z.object({ file: z.string(), title: z.string(), namespace: NamespaceName })),
})
type Demo = z.infer<typeof Demo>

export interface AddedDemo {
  readonly sources: number
  readonly facts: number
  readonly failed: number
}

const POLL_MS = 500

/**
 * Adds the demo reflection once to an empty data folder, through the API. Continues where an earlier start
 * stopped. Resolves when everything is imported, to undefined if there is nothing to do.
 */
export async function addDemo(
  client: ApiClient,
  home: string,
  signal: AbortSignal,
): Promise<AddedDemo | undefined> {
  const marker = await readDemoMarker(home)
  if (marker?.handedOver === 'wholly') return undefined
  const folder = await findDemoFolder()
  if (!folder) return undefined
  const reflection = await ensureDemo(client, folder.demo, marker)
  const reflectionId = reflection?.id
  if (reflection) {
    await markDemo(home, { reflectionId, handedOver: 'in_part' })
    await addDemoSources(client, folder, reflection, signal)
  }
  await markDemo(home, { reflectionId, handedOver: 'wholly' })
  return reflection && waitForImport(client, reflection, signal)
}

interface DemoFolder {
  readonly at: URL
  readonly demo: Demo
}

/** At the root of the repository, or beside the published program. */
const PLACES = ['../../../../demo/', '../../demo/']

async function findDemoFolder(): Promise<DemoFolder | undefined> {
  for (const place of PLACES) {
    const at = new URL(place, import.meta.url)
    const text = await readFile(new URL('reflection.json', at), 'utf8').catch(() => undefined)
    if (text !== undefined) return { at, demo: Demo.parse(JSON.parse(text)) }
  }
  return undefined
}

/** The demo reflection, new or existing; undefined if others exist or it was removed. */
async function ensureDemo(
  client: ApiClient,
  { displayName, creatorName }: Demo,
  marker: DemoMarker | undefined,
): Promise<Reflection | undefined> {
  const items = await readAll((page) => client.reflections.list(page))
  if (marker) return items.find(({ id }) => id === marker.reflectionId)
  if (items.length === 0) {
    return client.reflections.create({ displayName, ...(creatorName !== undefined && { creatorName }) })
  }
  // An earlier start may have stopped before it recorded the reflection.
  const [only, another] = items
  const isOurs = only?.displayName === displayName && only.creatorName === creatorName
  return isOurs && !another ? only : undefined
}

async function addDemoSources(
  client: ApiClient,
  { at, demo }: DemoFolder,
  { id: reflectionId, namespaces: existing }: Reflection,
  signal: AbortSignal,
): Promise<void> {
  const items = await readSources(client, reflectionId)
  // Once a source exists, this is done; later changes by the user stay.
  if (items.length === 0) {
    const names = existing.map(({ name }) => name)
    for (const { name } of demo.namespaces) {
      if (!names.includes(name)) await client.reflections.addNamespace({ reflectionId, name })
    }
    const namespaces = demo.namespaces.flatMap(({ name, published }) => (published ? [name] : []))
    if (namespaces.length > 0) await client.reflections.publish({ reflectionId, namespaces })
    if (demo.voice) await client.reflections.change({ reflectionId, voice: demo.voice })
  }
  const added = new Set(items.map(toSourceKey))
  for (const source of demo.sources.filter((one) => !added.has(toSourceKey(one)))) {
    signal.throwIfAborted()
    const { file: path, title, namespace } = source
    const file = await openAsBlob(fileURLToPath(new URL(path, at)))
    await client.reflections.addSource(reflectionId, { title, namespace, file, fileName: basename(path) })
  }
}

const toSourceKey = ({ namespace, title }: Pick<Source, 'namespace' | 'title'>) => `${namespace}/${title}`

const readSources = (client: ApiClient, reflectionId: ReflectionId) =>
  readAll((page) => client.reflections.sources({ ...page, reflectionId }))

async function waitForImport(
  client: ApiClient,
  { id: reflectionId }: Reflection,
  signal: AbortSignal,
): Promise<AddedDemo> {
  for (;;) {
    const items = await readSources(client, reflectionId)
    if (!items.some(isImporting)) {
      return {
        sources: items.length,
        facts: items.reduce((sum, { facts }) => sum + facts, 0),
        failed: items.filter(({ state }) => state === 'failed' || state === 'eval_rejected').length,
      }
    }
    await pause(POLL_MS, undefined, { signal })
  }
}

/** The name of the demo reflection in commands. */
export const DEMO = 'demo'

const FILE = 'demo.json'
const Marker = z.object({
  reflectionId: ReflectionId.optional(),
  /** Incomplete: the next start continues. */
  handedOver: z.enum(['in_part', 'wholly']).default('wholly'),
})
type DemoMarker = z.infer<typeof Marker>

/** Records how much of the demo was added, so that nothing is added twice. */
async function markDemo(home: string, marker: DemoMarker): Promise<void> {
  const path = join(home, FILE)
  await writeFile(`${path}.new`, `${JSON.stringify(marker)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** An unreadable marker still counts. */
export async function readDemoMarker(home: string): Promise<DemoMarker | undefined> {
  const text = await readFile(join(home, FILE), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return Marker.parse(JSON.parse(text))
  } catch {
    return { handedOver: 'wholly' }
  }
}
