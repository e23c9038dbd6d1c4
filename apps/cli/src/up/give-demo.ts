import { openAsBlob } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { ApiClient } from '@parley/api-client'
import { NamespaceName, type Reflection, ReflectionId, ReflectionVoice, type Source } from '@parley/contracts'
import { readUpTo } from '../reflection/at-server.ts'
import { isUnderWay } from '../reflection/source-progress.ts'

const Demo = z.object({
  displayName: z.string(),
  creatorName: z.string().optional(),
  voice: ReflectionVoice.optional(),
  namespaces: z.array(z.object({ name: NamespaceName, published: z.boolean() })),
  sources: z.array(z.object({ file: z.string(), title: z.string(), namespace: NamespaceName })),
})
type Demo = z.infer<typeof Demo>

export interface DemoGiven {
  readonly sources: number
  readonly facts: number
  /** The sources that failed. */
  readonly failed: number
}

const LOOK_EVERY_MS = 500

/**
 * Adds the demo reflection once to an empty data folder, through the API. Continues where an earlier start
 * stopped. Resolves when everything is imported, to undefined if there is nothing to do.
 */
export async function giveDemo(
  client: ApiClient,
  home: string,
  signal: AbortSignal,
): Promise<DemoGiven | undefined> {
  const marker = await readDemoMarker(home)
  if (marker?.handedOver === 'wholly') return undefined
  const folder = await demoFolder()
  if (!folder) return undefined
  const reflection = await requireSessionId(client, folder.demo, marker)
  const reflectionId = reflection?.id
  if (reflection) {
    await markDemo(home, { reflectionId, handedOver: 'in_part' })
    await handOver(client, folder, reflection, signal)
  }
  await markDemo(home, { reflectionId, handedOver: 'wholly' })
  return reflection && whenLearned(client, reflection, signal)
}

interface DemoFolder {
  readonly at: URL
  readonly demo: Demo
}

/** At the root of the repository, or beside the published program. */
const PLACES = ['../../../../demo/', '../../demo/']

async function demoFolder(): Promise<DemoFolder | undefined> {
  for (const place of PLACES) {
    const at = new URL(place, import.meta.url)
    const text = await readFile(new URL('reflection.json', at), 'utf8').catch(() => undefined)
    if (text !== undefined) return { at, demo: Demo.parse(JSON.parse(text)) }
  }
  return undefined
}

/** The demo reflection, new or existing; undefined if others exist or it was removed. */
async function requireSessionId(
  client: ApiClient,
  { displayName, creatorName }: Demo,
  marker: DemoMarker | undefined,
): Promise<Reflection | undefined> {
  const { items } = await readUpTo(Number.POSITIVE_INFINITY, (page) => client.reflections.list(page))
  if (marker) return items.find(({ id }) => id === marker.reflectionId)
  if (items.length === 0) {
    return client.reflections.create({ displayName, ...(creatorName !== undefined && { creatorName }) })
  }
  // An earlier start may have stopped before it recorded the reflection.
  const [only, another] = items
  const isOurs = only?.displayName === displayName && only.creatorName === creatorName
  return isOurs && !another ? only : undefined
}

async function handOver(
  client: ApiClient,
  { at, demo }: DemoFolder,
  { id: reflectionId, namespaces: there }: Reflection,
  signal: AbortSignal,
): Promise<void> {
  const { items } = await sourcesOf(client, reflectionId)
  // Once a source exists, this is done; later changes by the user stay.
  if (items.length === 0) {
    const names = there.map(({ name }) => name)
    for (const { name } of demo.namespaces) {
      if (!names.includes(name)) await client.reflections.addNamespace({ reflectionId, name })
    }
    const namespaces = demo.namespaces.flatMap(({ name, published }) => (published ? [name] : []))
    if (namespaces.length > 0) await client.reflections.publish({ reflectionId, namespaces })
    if (demo.voice) await client.reflections.change({ reflectionId, voice: demo.voice })
  }
  const handed = new Set(items.map(keyOf))
  for (const source of demo.sources.filter((one) => !handed.has(keyOf(one)))) {
    signal.throwIfAborted()
    const { file: path, title, namespace } = source
    const file = await openAsBlob(fileURLToPath(new URL(path, at)))
    await client.reflections.addSource(reflectionId, { title, namespace, file, fileName: basename(path) })
  }
}

const keyOf = ({ namespace, title }: Pick<Source, 'namespace' | 'title'>) => `${namespace}/${title}`

const sourcesOf = (client: ApiClient, reflectionId: ReflectionId) =>
  readUpTo(Number.POSITIVE_INFINITY, (page) => client.reflections.sources({ ...page, reflectionId }))

async function whenLearned(
  client: ApiClient,
  { id: reflectionId }: Reflection,
  signal: AbortSignal,
): Promise<DemoGiven> {
  for (;;) {
    const { items } = await sourcesOf(client, reflectionId)
    if (!items.some(isUnderWay)) {
      return {
        sources: items.length,
        facts: items.reduce((sum, { facts }) => sum + facts, 0),
        failed: items.filter(({ state }) => state === 'failed' || state === 'eval_rejected').length,
      }
    }
    await pause(LOOK_EVERY_MS, undefined, { signal })
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
