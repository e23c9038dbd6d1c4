import { readFile } from 'node:fs/promises'
import type { PersonId, ReflectionId, SourceId } from '@parley/contracts'
import { openDatabase } from '@parley/postgres'
import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { vi } from 'vitest'

/** The content of `demo/reflection.json`. */
export interface DemoReflection {
  readonly displayName: string
  readonly creatorName: string
  readonly namespaces: readonly { readonly name: string; readonly published: boolean }[]
  readonly sources: readonly { readonly file: string; readonly title: string; readonly namespace: string }[]
  /** Words that occur in this private file and in no other file. */
  readonly canaries: Readonly<Record<string, readonly string[]>>
}

/** A row of `demo/questions.json`. */
export interface DemoQuestion {
  readonly question: string
  readonly audience: 'public' | 'private'
  readonly expect: readonly { readonly file: string; readonly quote: string }[]
  /** Whether any of several quotes answers the question, or only all of them together. */
  readonly needs?: 'any' | 'all'
  /** For a private question: words of its answer that no published file contains. */
  readonly tells?: readonly string[]
}

const locateDemoFile = (file: string) => new URL(`../../demo/${file}`, import.meta.url)

export const readDemoReflection = async () =>
  JSON.parse(await readFile(locateDemoFile('reflection.json'), 'utf8')) as DemoReflection

export const readDemoQuestions = async () =>
  JSON.parse(await readFile(locateDemoFile('questions.json'), 'utf8')) as readonly DemoQuestion[]

export interface ImportedDemo {
  readonly reflectionId: ReflectionId
  readonly fileBySource: ReadonlyMap<SourceId, string>
}

/** Imports all sources of the demo and publishes its public namespaces. The artifacts are not built. */
export async function importDemo(databaseUrl: string, ownerId: PersonId): Promise<ImportedDemo> {
  const database = await openDatabase({ databaseUrl })
  const { reflections } = database
  const { displayName, creatorName, namespaces, sources } = await readDemoReflection()
  const { id: reflectionId } = await reflections.create({
    displayName,
    creatorName,
    ownerId,
    approval: 'by_rule',
  })
  for (const { name } of namespaces) await reflections.addNamespace(reflectionId, name, ownerId)
  const fileBySource = new Map<SourceId, string>()
  for (const { file, title, namespace } of sources) {
    const bytes = await readFile(locateDemoFile(file))
    const fileName = file.split('/').at(-1) ?? file
    const source = { title, namespace, bytes, mediaType: '', fileName }
    fileBySource.set((await reflections.addSource(reflectionId, source, ownerId)).id, file)
  }
  const worker = await startWorkerProcess({ databaseUrl, logger: pino({ level: 'silent' }) })
  await vi.waitFor(
    async () => {
      const { items } = await reflections.listSources(reflectionId, { limit: 50 })
      const pending = items.filter(({ state }) => state !== 'completed')
      if (pending.length > 0) throw new Error(`not imported yet: ${JSON.stringify(pending)}`)
    },
    { timeout: 120_000, interval: 100 },
  )
  await worker.stop()
  const published = namespaces.filter((namespace) => namespace.published).map(({ name }) => name)
  await reflections.publish(reflectionId, published, ownerId)
  await database.close()
  return { reflectionId, fileBySource }
}
