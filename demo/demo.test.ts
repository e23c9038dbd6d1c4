import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DemoQuestion, readDemoQuestions, readDemoReflection } from '../tests/support/demo-reflection.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const reflection = await readDemoReflection()
const questions = await readDemoQuestions()
const files = reflection.sources.map(({ file }) => file)
const texts = new Map(files.map((file) => [file, read(file)]))
const getText = (file: string) => texts.get(file) ?? ''
const isPublished = (file: string) => file.startsWith('published/')
const findFilesWith = (words: string) =>
  files.filter((file) => getText(file).toLowerCase().includes(words.toLowerCase()))
const selectQuestions = (audience: DemoQuestion['audience']) =>
  questions.filter((row) => row.audience === audience)

test('the reflection and its sources have the format that the first start reads', () => {
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

test('every question has the format that the retrieval test reads', () => {
  for (const { question, audience, expect: quotes, needs, tells } of questions) {
    expect(question).toMatch(/\S/)
    expect(['public', 'private']).toContain(audience)
    expect(quotes.length).toBeGreaterThan(0)
    expect([question, needs !== undefined]).toEqual([question, quotes.length > 1])
    expect(['any', 'all', undefined]).toContain(needs)
    expect([question, tells !== undefined]).toEqual([question, audience === 'private'])
  }
  expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length)
})

test('the reflection lists exactly the existing files', () => {
  const present = globSync('{published,private}/*/*', { cwd: import.meta.dirname })
  expect(files.toSorted()).toEqual(present.map((file) => file.replaceAll('\\', '/')).toSorted())
})

test('namespace and title identify a source', () => {
  const keys = reflection.sources.map(({ namespace, title }) => `${namespace}/${title}`)
  expect(new Set(keys).size).toBe(keys.length)
})

test('the demo has enough sources and questions', () => {
  const words = [...texts.values()].join(' ').split(/\s+/).length
  expect(files.length).toBeGreaterThanOrEqual(12)
  expect(words).toBeGreaterThanOrEqual(12_000)
  expect(questions.length).toBeGreaterThanOrEqual(70)
  expect(selectQuestions('public').length).toBeGreaterThanOrEqual(40)
  expect(selectQuestions('private').length).toBeGreaterThanOrEqual(30)
})

test.each(reflection.sources)('$file is in the folder of its namespace', ({ file, namespace }) => {
  const found = reflection.namespaces.find(({ name }) => name === namespace)
  expect(file.split('/').slice(0, 2)).toEqual([found?.published ? 'published' : 'private', namespace])
})

test.each(questions)('[K5] the quotes for “$question” are in their files', ({ audience, expect: quotes }) => {
  for (const { file, quote } of quotes) {
    expect(isPublished(file)).toBe(audience === 'public')
    expect(getText(file).split('\n')).toContainEqual(expect.stringContaining(quote))
    expect(quote.split(' ').length).toBeGreaterThanOrEqual(4)
    expect(quote.split(' ').length).toBeLessThanOrEqual(20)
  }
})

test.each(selectQuestions('private'))(
  '[X3] no published file answers “$question”',
  ({ expect: quotes, tells = [] }) => {
    expect(tells.length).toBeGreaterThan(0)
    for (const words of [...tells, ...quotes.map(({ quote }) => quote)]) {
      expect(findFilesWith(words)).not.toEqual([])
      expect(findFilesWith(words).filter(isPublished)).toEqual([])
    }
  },
)

test.each(files.filter((file) => !isPublished(file)))(
  '[X3] %s has a canary, and its canaries are in no other file',
  (file) => {
    const canaries = reflection.canaries[file] ?? []
    expect(canaries.length).toBeGreaterThan(0)
    for (const canary of canaries) expect(findFilesWith(canary)).toEqual([file])
  },
)

test('only private sources have canaries', () => {
  expect(Object.keys(reflection.canaries).filter((file) => isPublished(file) || !texts.has(file))).toEqual([])
})

test.each(files)('%s contains no domain except example.org', (file) => {
  const hosts = [...getText(file).matchAll(/(?:@|https?:\/\/|www\.)([\w-]+(?:\.[\w-]+)+)/g)]
  expect(hosts.map(([, host = '']) => host).filter((host) => !/^(.+\.)?example\.org$/.test(host))).toEqual([])
})

test('[K6] exactly one source, a private one, contains instructions for a model', () => {
  const instructing = files.filter((file) => /ignore (all )?previous instructions/i.test(getText(file)))
  expect(instructing).toEqual(['private/notes/odd-email.txt'])
})
