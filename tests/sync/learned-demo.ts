import { readFile } from 'node:fs/promises'
import type { PersonId, ReflectionId } from '@parley/contracts'
import { openDatabase } from '@parley/postgres'
import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { vi } from 'vitest'

interface Demo {
  readonly displayName: string
  readonly creatorName: string
  readonly namespaces: readonly { readonly name: string; readonly published: boolean }[]
  readonly sources: readonly { readonly file: string; readonly title: string; readonly namespace: string }[]
}

const at = (file: string) => new URL(`../../demo/${file}`, import.meta.url)

/** The demo's reflection, with all that a worker learns from its sources, published as it says. */
export async function learnedDemo(databaseUrl: string, ownerId: PersonId): Promise<ReflectionId> {
  const database = await openDatabase({ databaseUrl })
  const { reflections } = database
  const demo = JSON.parse(await readFile(at('reflection.json'), 'utf8')) as Demo
  const { displayName, creatorName, namespaces, sources } = demo
  const { id } = await reflections.create({ displayName, creatorName, ownerId, approval: 'by_rule' })
  for (const { name } of namespaces) await reflections.addNamespace(id, name, ownerId)
  for (const { file, title, namespace } of sources) {
    const bytes = await readFile(at(file))
    const fileName = file.split('/').at(-1) ?? file
    await reflections.addSource(id, { title, namespace, bytes, mediaType: '', fileName }, ownerId)
  }
  const worker = await startWorkerProcess({ databaseUrl, logger: pino({ level: 'silent' }) })
  await vi.waitFor(
    async () => {
      const { items } = await reflections.sources(id, { limit: 50 })
      const left = items.filter(({ state }) => state !== 'completed')
      if (left.length > 0) throw new Error(`not learned yet: ${JSON.stringify(left)}`)
    },
    { timeout: 120_000, interval: 300 },
  )
  await worker.stop()
  const published = namespaces.filter((one) => one.published).map(({ name }) => name)
  await reflections.publish(id, published, ownerId)
  await database.close()
  return id
}
