import type { SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { seenFiles } from './seen-files.ts'

const session = (name: string) => `ses_seen_${name}` as SessionId

test('remembers by session and path, for whoever asks again', () => {
  seenFiles(session('one')).saw('/notes/a', 'first')
  seenFiles(session('one')).saw('/notes/a', 'second')
  expect(seenFiles(session('one')).hashOf('/notes/a')).toBe('second')
  expect(seenFiles(session('other')).hashOf('/notes/a')).toBeUndefined()
})

test('forgets the files and sessions that were used least lately', () => {
  const seen = seenFiles(session('long'))
  for (let at = 0; at <= 2_000; at += 1) seen.saw(`/notes/${at}`, 'hash')
  expect(seen.hashOf('/notes/0')).toBeUndefined()
  expect(seen.hashOf('/notes/1')).toBe('hash')
  for (let at = 0; at < 500; at += 1) seenFiles(session(`${at}`)).saw('/notes/a', 'hash')
  expect(seen.hashOf('/notes/1')).toBeUndefined()
})
