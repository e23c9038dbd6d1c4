import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionId } from '@parley/contracts'
import { openSeenFiles } from './file-host.ts'
import { freshFolder, put, toolsIn } from './testing/file-fixture.ts'

const VALUE = 'made-up-secret-0123456789-abcdefghij'
const secrets = [{ name: 'TOKEN', value: VALUE, otherForms: [Buffer.from(VALUE).toString('base64')] }]

async function opened(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = await freshFolder()
  await put(join(folder, 'work'), files)
  return toolsIn({ workingDir: join(folder, 'work'), secrets })
}

test('[S13] attack: a long line reveals no part of a secret', async () => {
  const { call } = await opened({ 'a.txt': `${'x'.repeat(1_000)}NEEDLE${'y'.repeat(170)}${VALUE}zzz\n` })
  for (let length = 1; length < 60; length += 1) {
    const { text } = await call('search_files', { pattern: `NEEDLEy{${170 - length}}`, is_regex: true })
    expect(text).toContain('NEEDLE')
    expect(text).not.toContain('made-')
  }
})

test.each(['made-up-s', 'made-up-secret-0', VALUE])(
  '[S13] attack: a search for %s does not reveal whether a secret contains it',
  async (pattern) => {
    const { call } = await opened({ 'a.txt': `KEY=${VALUE}\n` })
    expect(await call('search_files', { pattern })).toMatchObject({ text: '[no matches]' })
    expect(await call('search_files', { pattern: 'KEY=' })).toMatchObject({
      text: 'a.txt:1: KEY=[secret TOKEN]',
    })
  },
)

test('[S13] attack: reading single characters does not reveal a secret', async () => {
  const { call } = await opened({ 'a.txt': `KEY=${VALUE}\n` })
  const { text: whole } = await call('read_file', { path: 'a.txt' })
  expect(whole).toBe('KEY=[secret TOKEN]\n')
  for (let from = 0; from < whole.length; from += 1) {
    const { text } = await call('read_file', { path: 'a.txt', from_character: from, characters: 1 })
    expect(text.split('\n').slice(1).join('\n')).toBe(whole[from])
  }
})

test.each<[string, Uint8Array]>([
  ['as it is', Buffer.from(`%PDF-1.7\n(${VALUE})`)],
  ['in base64', Buffer.from(`%PDF-1.7\n(${Buffer.from(VALUE).toString('base64')})`)],
  ['in UTF-16', Buffer.concat([Buffer.from('%PDF-1.7\n('), Buffer.from(VALUE, 'utf16le').swap16()])],
])('[S13] attack: a document with a secret %s is not shown', async (_, bytes) => {
  const { call } = await opened({ 'a.pdf': bytes })
  const said = await call('read_file', { path: 'a.pdf' })
  expect(said).toMatchObject({ kind: 'failed', code: 'tool_denied' })
  expect(said).not.toHaveProperty('media')
})

test('[S13] attack: edit_file does not reveal whether a secret contains a text', async () => {
  const { call, plan } = await opened({ 'a.txt': `KEY=${VALUE}\nother line\n` })
  for (const old_text of ['KEY=m', 'made-up', VALUE, 'MADE-UP', 'KEY=x'])
    expect(await call('edit_file', { path: 'a.txt', old_text, new_text: 'y' })).toMatchObject({
      kind: 'refused',
      text: 'a.txt was not changed: old_text was not found. Read the file again and copy the text exactly.',
    })
  expect(await plan('edit_file', { path: 'a.txt', old_text: 'other line', new_text: 'y' })).toMatchObject({
    kind: 'plan',
  })
})

test('a file without a secret is shown unchanged', async () => {
  const { call } = await opened({ 'a.pdf': Buffer.from('%PDF-1.7\n(nothing)') })
  expect(await call('read_file', { path: 'a.pdf' })).toMatchObject({ kind: 'ok' })
})

const session = (name: string) => `ses_seen_${name}` as SessionId

test('remembers by session and path', () => {
  openSeenFiles(session('one')).recordHash('/notes/a', 'first')
  openSeenFiles(session('one')).recordHash('/notes/a', 'second')
  expect(openSeenFiles(session('one')).findHash('/notes/a')).toBe('second')
  expect(openSeenFiles(session('other')).findHash('/notes/a')).toBeUndefined()
})

test('forgets the least recently used files and sessions', () => {
  const seen = openSeenFiles(session('long'))
  for (let at = 0; at <= 2_000; at += 1) seen.recordHash(`/notes/${at}`, 'hash')
  expect(seen.findHash('/notes/0')).toBeUndefined()
  expect(seen.findHash('/notes/1')).toBe('hash')
  for (let at = 0; at < 500; at += 1) openSeenFiles(session(`${at}`)).recordHash('/notes/a', 'hash')
  expect(seen.findHash('/notes/1')).toBeUndefined()
})
