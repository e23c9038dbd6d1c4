import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionId } from '@parley/contracts'
import { answering } from '@parley/engine/testing'
import { newHome } from '../testing/parley-process.ts'
import { endless, runScriptedTalk } from '../testing/scripted-talk.ts'

test('messages are answered one after the other, and the way back is told', async () => {
  const { code, said, sessionId } = await runScriptedTalk({
    messages: ['Two and two?', 'And one?'],
    scripts: [answering('Four.'), answering('Five.')],
  })
  expect(code).toBe(0)
  expect(said).toBe(`\nFour.\n\n\nFive.\n\nTo resume: parley resume ${sessionId}\n`)
})

test('who says nothing leaves nothing behind', async () => {
  const { said, store } = await runScriptedTalk({ messages: [], scripts: [] })
  expect(said).toBe('')
  expect((await store.list({ limit: 1 })).items).toEqual([])
})

test('files go with the first message only', async () => {
  const { asked } = await runScriptedTalk({
    messages: ['One', 'Two'],
    scripts: [answering('Yes.'), answering('Yes.')],
    files: [{ path: 'notes.md', text: 'Note.' }],
  })
  const texts = asked.at(-1)?.messages.map(({ content }) => content[0])
  expect(texts).toMatchObject([
    { text: 'One\n\n<file path="notes.md">\nNote.\n</file>' },
    { text: 'Yes.' },
    { text: 'Two' },
  ])
})

test('[S2] an answer that is stopped says so, and the talk goes on', async () => {
  const { said, store, sessionId } = await runScriptedTalk({
    messages: ['Count'],
    scripts: [endless],
    interrupting: true,
  })
  expect(said).toMatch(/\[stopped\]\n\nTo go on/)
  const record = await store.find(sessionId ?? ('ses_none' as SessionId))
  expect(record).toBeDefined()
  expect(record?.openTurn).toBeUndefined()
})

test('a failure is told with the way to try again, and the talk goes on', async () => {
  const { code, said, told } = await runScriptedTalk({
    messages: ['Hello', 'Hello?'],
    scripts: [
      [
        {
          type: 'failure',
          error: { code: 'provider_unavailable', message: 'It is \x1b[31mdown.', retryable: true },
        },
      ],
      answering('Here.'),
    ],
  })
  expect(code).toBe(0)
  expect(told).toContain('parley: It is ␛[31mdown.\n  Your message is kept.')
  expect(said).toContain('Here.')
})

test('a message that is too long is told and not sent; its files wait for the next one', async () => {
  const { told, asked } = await runScriptedTalk({
    messages: ['x'.repeat(1_000_001), 'Short'],
    scripts: [answering('Yes.')],
    files: [{ path: 'notes.md', text: 'Note.' }],
  })
  expect(told).toContain('more than 1,000,000 characters')
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({ text: expect.stringMatching(/^Short\n\n<file/) })
})

test('a command is carried out and nothing is sent', async () => {
  const { said, asked } = await runScriptedTalk({
    messages: ['Hello', '/title Letters', '/context', '/quit', 'never said'],
    scripts: [answering('Hi.')],
  })
  expect(asked).toHaveLength(1)
  expect(said).toContain('The title is now "Letters".\n')
  expect(said).toMatch(/^session {3}ses_\w+\ntitle {5}Letters\n/m)
})

test('an unknown command, and one that is refused, leave the prompt empty for the next', async () => {
  const { drafts, said, told } = await runScriptedTalk({ messages: ['/hlep', '/title x'], scripts: [] })
  expect(drafts).toEqual([undefined, undefined, undefined])
  expect(said).toContain('did you mean')
  expect(told).toContain('Nothing was said')
})

test('two slashes send a message that starts with one', async () => {
  const { asked } = await runScriptedTalk({
    messages: ['//etc/hosts is what?'],
    scripts: [answering('A file.')],
  })
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({ text: '/etc/hosts is what?' })
})

test('/fork goes on in another session, and the first one stays as it is', async () => {
  const { store, sessionId, asked } = await runScriptedTalk({
    messages: ['One', '/fork', 'Two'],
    scripts: [answering('Yes.'), answering('Yes.')],
  })
  const { items } = await store.list({ limit: 5 })
  expect(items).toHaveLength(2)
  const countOf = (isThis: boolean) =>
    items.find(({ session }) => (session.id === sessionId) === isThis)?.session.messageCount
  expect([countOf(false), countOf(true)]).toEqual([2, 4])
  expect(asked[1]?.messages).toHaveLength(3)
})

test('a file that is named by an @ goes along; one that is not there brings the text back', async () => {
  await using at = await newHome()
  const file = join(at.home, 'notes.md')
  await writeFile(file, 'Note.')
  const { asked, drafts, said, told } = await runScriptedTalk({
    messages: [`See @"${at.home}/none.md"`, `See @${file}, @anna`],
    scripts: [answering('Yes.')],
  })
  expect(told).toContain('none.md. Nothing')
  expect(drafts[1]).toBe(`See @"${at.home}/none.md"`)
  expect(said).toContain('[@anna is no file here')
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({
    text: `See @${file}, @anna\n\n<file path="${file}">\nNote.\n</file>`,
  })
})
