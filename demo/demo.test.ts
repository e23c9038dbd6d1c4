import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface DemoReflection {
  readonly displayName: string
  readonly creatorName: string
  readonly namespaces: readonly { readonly name: string; readonly published: boolean }[]
  readonly sources: readonly { readonly file: string; readonly title: string; readonly namespace: string }[]
  /** By private file: words that stand in it and in no other file. */
  readonly canaries: Readonly<Record<string, readonly string[]>>
}

interface DemoQuestion {
  readonly question: string
  readonly audience: 'public' | 'private'
  readonly expect: readonly { readonly file: string; readonly quote: string }[]
  /** Of several quotes: whether one answers the question, or only all of them together. */
  readonly needs?: 'any' | 'all'
  /** Of a private question: words of its answer that no published file holds. */
  readonly tells?: readonly string[]
}

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const reflection = JSON.parse(read('reflection.json')) as DemoReflection
const questions = JSON.parse(read('questions.json')) as readonly DemoQuestion[]
const files = reflection.sources.map(({ file }) => file)
const texts = new Map(files.map((file) => [file, read(file)]))
const textOf = (file: string) => texts.get(file) ?? ''
const isPublished = (file: string) => file.startsWith('published/')
const filesWith = (words: string) =>
  files.filter((file) => textOf(file).toLowerCase().includes(words.toLowerCase()))
const asked = (audience: DemoQuestion['audience']) => questions.filter((one) => one.audience === audience)

test('the reflection and its sources have the shape that is read at the first start', () => {
  expect(reflection).toEqual({
    displayName: expect.stringMatching(/\S/),
    voice: { voiceId: 'slt', kind: 'stock', consent: false },
    creatorName: expect.stringMatching(/\S/),
    namespaces: reflection.namespaces.map(() => ({
      name: expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/),
      published: expect.any(Boolean),
    })),
    sources: files.map(() => ({
      file: expect.stringMatching(/^(published|private)\//),
      title: expect.stringMatching(/\S/),
      namespace: expect.stringMatching(/\S/),
    })),
    canaries: expect.any(Object),
  })
})

test('every question has the shape that the measure of retrieval reads', () => {
  for (const one of questions) {
    expect(one.question).toMatch(/\S/)
    expect(['public', 'private']).toContain(one.audience)
    expect(one.expect.length).toBeGreaterThan(0)
    expect([one.question, one.needs !== undefined]).toEqual([one.question, one.expect.length > 1])
    expect(['any', 'all', undefined]).toContain(one.needs)
    expect([one.question, one.tells !== undefined]).toEqual([one.question, one.audience === 'private'])
  }
  expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length)
})

test('the sources listed are the files that exist', () => {
  const present = globSync('{published,private}/*/*', { cwd: import.meta.dirname })
  expect(files.toSorted()).toEqual(present.map((file) => file.replaceAll('\\', '/')).toSorted())
})

test('a source is known by its namespace and title', () => {
  const keys = reflection.sources.map(({ namespace, title }) => `${namespace}/${title}`)
  expect(new Set(keys).size).toBe(keys.length)
})

test('there is enough to read and to ask', () => {
  const words = [...texts.values()].join(' ').split(/\s+/).length
  expect(files.length).toBeGreaterThanOrEqual(12)
  expect(words).toBeGreaterThanOrEqual(12_000)
  expect(questions.length).toBeGreaterThanOrEqual(70)
  expect(asked('public').length).toBeGreaterThanOrEqual(40)
  expect(asked('private').length).toBeGreaterThanOrEqual(30)
})

test.each(reflection.sources)('$file lies in the folder of its namespace', ({ file, namespace }) => {
  const found = reflection.namespaces.find(({ name }) => name === namespace)
  expect(file.split('/').slice(0, 2)).toEqual([found?.published ? 'published' : 'private', namespace])
})

test.each(questions)(
  '[K5] the quotes for “$question” stand in their files',
  ({ audience, expect: quotes }) => {
    for (const { file, quote } of quotes) {
      expect(isPublished(file)).toBe(audience === 'public')
      expect(textOf(file).split('\n')).toContainEqual(expect.stringContaining(quote))
      expect(quote.split(' ').length).toBeGreaterThanOrEqual(4)
      expect(quote.split(' ').length).toBeLessThanOrEqual(20)
    }
  },
)

test.each(asked('private'))(
  '[X3] nothing published answers “$question”',
  ({ expect: quotes, tells = [] }) => {
    expect(tells.length).toBeGreaterThan(0)
    for (const words of [...tells, ...quotes.map(({ quote }) => quote)]) {
      expect(filesWith(words)).not.toEqual([])
      expect(filesWith(words).filter(isPublished)).toEqual([])
    }
  },
)

test.each(files.filter((file) => !isPublished(file)))(
  '[X3] %s has a canary of its own, and all its canaries are in it alone',
  (file) => {
    const canaries = reflection.canaries[file] ?? []
    expect(canaries.length).toBeGreaterThan(0)
    for (const canary of canaries) expect(filesWith(canary)).toEqual([file])
  },
)

test('canaries are of private sources only', () => {
  expect(Object.keys(reflection.canaries).filter((file) => isPublished(file) || !texts.has(file))).toEqual([])
})

test.each(files)('%s names no mail domain or site but example.org', (file) => {
  const hosts = [...textOf(file).matchAll(/(?:@|https?:\/\/|www\.)([\w-]+(?:\.[\w-]+)+)/g)]
  expect(hosts.map(([, host = '']) => host).filter((host) => !/^(.+\.)?example\.org$/.test(host))).toEqual([])
})

test('[K6] one source tries to instruct a model, and it is a private one', () => {
  const instructing = files.filter((file) => /ignore (all )?previous instructions/i.test(textOf(file)))
  expect(instructing).toEqual(['private/notes/odd-email.txt'])
})
