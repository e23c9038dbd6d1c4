import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ApiClient } from '@parley/api-client'
import { NamespaceName, type Reflection } from '@parley/contracts'
import { z } from 'zod'
import { isUnderWay } from '../reflection/source-progress.ts'
import { upTo } from '../reflection/up-to.ts'
import { isDemoMarked, markDemo } from './demo-marker.ts'

const Demo = z.object({
  displayName: z.string(),
  creatorName: z.string().optional(),
  namespaces: z.array(z.object({ name: NamespaceName, published: z.boolean() })),
  sources: z.array(z.object({ file: z.string(), title: z.string(), namespace: NamespaceName })),
})
type Demo = z.infer<typeof Demo>

export interface DemoGiven {
  readonly sources: number
  readonly facts: number
  /** Of the sources, those that came to nothing. */
  readonly failed: number
}

const LOOK_EVERY_MS = 500

/**
 * Gives a data folder that has no reflection yet the demo, once, as a person would: by the server's own API. Resolves when
 * all of it is learned; to nothing where it is not due.
 */
export async function giveDemo(
  client: ApiClient,
  home: string,
  signal: AbortSignal,
): Promise<DemoGiven | undefined> {
  if (await isDemoMarked(home)) return undefined
  const folder = await demoFolder()
  if (!folder) return undefined
  const { items } = await client.reflections.list({ limit: 1 })
  if (items.length > 0) {
    await markDemo(home)
    return undefined
  }
  const reflection = await hand(client, folder, home)
  return whenLearned(client, reflection, signal)
}

/** In the repository it lies at the root; what is published has it beside the program. */
const PLACES = ['../../../../demo/', '../../demo/']

async function demoFolder(): Promise<{ readonly at: URL; readonly demo: Demo } | undefined> {
  for (const place of PLACES) {
    const at = new URL(place, import.meta.url)
    const text = await readFile(new URL('reflection.json', at), 'utf8').catch(() => undefined)
    if (text !== undefined) return { at, demo: Demo.parse(JSON.parse(text)) }
  }
  return undefined
}

async function hand(
  client: ApiClient,
  { at, demo }: { readonly at: URL; readonly demo: Demo },
  home: string,
): Promise<Reflection> {
  const { displayName, creatorName, namespaces, sources } = demo
  const reflection = await client.reflections.create({
    displayName,
    ...(creatorName !== undefined && { creatorName }),
  })
  const { id: reflectionId } = reflection
  // From here on it is there, if only in part: a second one would help nobody.
  await markDemo(home, reflectionId)
  const there = reflection.namespaces.map(({ name }) => name)
  for (const { name } of namespaces) {
    if (!there.includes(name)) await client.reflections.addNamespace({ reflectionId, name })
  }
  const published = namespaces.flatMap(({ name, published: isPublished }) => (isPublished ? [name] : []))
  if (published.length > 0) await client.reflections.publish({ reflectionId, namespaces: published })
  for (const { file: path, title, namespace } of sources) {
    const file = await openAsBlob(fileURLToPath(new URL(path, at)))
    await client.reflections.addSource(reflectionId, { title, namespace, file, fileName: basename(path) })
  }
  return reflection
}

async function whenLearned(
  client: ApiClient,
  { id: reflectionId }: Reflection,
  signal: AbortSignal,
): Promise<DemoGiven> {
  for (;;) {
    const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
      client.reflections.sources({ ...page, reflectionId }),
    )
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
