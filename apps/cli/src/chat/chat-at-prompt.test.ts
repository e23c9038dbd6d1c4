import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionId } from '@parley/contracts'
import { createAnswerScript } from '@parley/engine/testing'
import { createHome } from '../testing/parley-process.ts'
import { streamEndlessly, runScriptedChat } from '../testing/scripted-chat.ts'

test('messages are answered in order, and the last line says how to resume', async () => {
  const { code, said, sessionId } = await runScriptedChat({
    messages: ['Two and two?', 'And one?'],
    scripts: [createAnswerScript('Four.'), createAnswerScript('Five.')],
  })
  expect(code).toBe(0)
  expect(said).toBe(`\nFour.\n\n\nFive.\n\nTo resume: parley resume ${sessionId}\n`)
})

test('quitting without a message saves no session', async () => {
  const { said, store } = await runScriptedChat({ messages: [], scripts: [] })
  expect(said).toBe('')
  expect((await store.list({ limit: 1 })).items).toEqual([])
})

test('attached files are sent with the first message only', async () => {
  const { asked } = await runScriptedChat({
    messages: ['One', 'Two'],
    scripts: [createAnswerScript('Yes.'), createAnswerScript('Yes.')],
    files: [{ path: 'notes.md', text: 'Note.' }],
  })
  const texts = asked.at(-1)?.messages.map(({ content }) => content[0])
  expect(texts).toMatchObject([
    { text: 'One\n\n<file path="notes.md">\nNote.\n</file>' },
    { text: 'Yes.' },
    { text: 'Two' },
  ])
})

test('[S2] a stopped answer is marked as stopped and leaves no open turn', async () => {
  const { said, store, sessionId } = await runScriptedChat({
    messages: ['Count'],
    scripts: [streamEndlessly],
    interrupting: true,
  })
  expect(said).toMatch(/\[stopped\]\n\nTo resume: parley resume ses_/)
  const record = await store.find(sessionId ?? ('ses_none' as SessionId))
  expect(record).toBeDefined()
  expect(record?.openTurn).toBeUndefined()
})

test('a failed answer reports how to send the message again, and the next message is answered', async () => {
  const { code, said, told } = await runScriptedChat({
    messages: ['Hello', 'Hello?'],
    scripts: [
      [
        {
          type: 'failure',
          error: { code: 'provider_unavailable', message: 'It is \x1b[31mdown.', retryable: true },
        },
      ],
      createAnswerScript('Here.'),
    ],
  })
  expect(code).toBe(0)
  expect(told).toContain(
    'parley: It is ␛[31mdown.\n  Your message is saved. Press Up and Enter to send it again.\n',
  )
  expect(said).toContain('Here.')
})

test('a message that is too long is not sent, and its files are sent with the next one', async () => {
  const { told, asked } = await runScriptedChat({
    messages: ['x'.repeat(1_000_001), 'Short'],
    scripts: [createAnswerScript('Yes.')],
    files: [{ path: 'notes.md', text: 'Note.' }],
  })
  expect(told).toContain('more than 1,000,000 characters')
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({ text: expect.stringMatching(/^Short\n\n<file/) })
})

test('a slash command runs and is not sent to the model', async () => {
  const { said, asked } = await runScriptedChat({
    messages: ['Hello', '/title Letters', '/context', '/quit', 'never said'],
    scripts: [createAnswerScript('Hi.')],
  })
  expect(asked).toHaveLength(1)
  expect(said).toContain('The title is now "Letters".\n')
  expect(said).toMatch(/^session {3}ses_\w+\ntitle {5}Letters\n/m)
})

test('the prompt is empty after an unknown command and after a refused one', async () => {
  const { drafts, said, told } = await runScriptedChat({ messages: ['/hlep', '/title x'], scripts: [] })
  expect(drafts).toEqual([undefined, undefined, undefined])
  expect(said).toContain('did you mean')
  expect(told).toContain('parley: This session has no messages yet.\n  Send a message first.\n')
})

test('a message that starts with two slashes is sent with one', async () => {
  const { asked } = await runScriptedChat({
    messages: ['//etc/hosts is what?'],
    scripts: [createAnswerScript('A file.')],
  })
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({ text: '/etc/hosts is what?' })
})

test('/fork continues in a new session and leaves the first one unchanged', async () => {
  const { store, sessionId, asked } = await runScriptedChat({
    messages: ['One', '/fork', 'Two'],
    scripts: [createAnswerScript('Yes.'), createAnswerScript('Yes.')],
  })
  const { items } = await store.list({ limit: 5 })
  expect(items).toHaveLength(2)
  const countMatches = (isThis: boolean) =>
    items.find(({ session }) => (session.id === sessionId) === isThis)?.session.messageCount
  expect([countMatches(false), countMatches(true)]).toEqual([2, 4])
  expect(asked[1]?.messages).toHaveLength(3)
})

test('an @ mention attaches the file; if a quoted file does not exist, the message returns for editing', async () => {
  await using at = await createHome()
  const file = join(at.home, 'notes.md')
  await writeFile(file, 'Note.')
  const { asked, drafts, said, told } = await runScriptedChat({
    messages: [`See @"${at.home}/none.md"`, `See @${file}, @anna`],
    scripts: [createAnswerScript('Yes.')],
  })
  expect(told).toContain('none.md. Nothing')
  expect(drafts[1]).toBe(`See @"${at.home}/none.md"`)
  expect(said).toContain('[@anna is not a file here; sent as text]\n')
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages[0]?.content[0]).toMatchObject({
    text: `See @${file}, @anna\n\n<file path="${file}">\nNote.\n</file>`,
  })
})
