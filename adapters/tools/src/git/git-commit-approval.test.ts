import { hash } from 'node:crypto'
import type { Json, ToolCall } from '@parley/contracts'
import { createToolRegistry, type ToolRegistry } from '@parley/engine'
import { expect, test } from 'vitest'
import { createRepository, runGitIn, createTools, writeFiles } from './git.fixture.ts'

async function doorOf(folder: string): Promise<ToolRegistry> {
  return createToolRegistry(await createTools(folder), {
    granted: ['git_commit'],
    secrets: () => [],
    hash: (text) => hash('sha256', text),
    encodeUtf8: (text) => Buffer.from(text),
    toMediaHandle: () => {
      throw new Error('nothing here is long enough to be kept')
    },
  })
}

const callOf = (input: Json): ToolCall => ({
  id: 'call_made_up' as ToolCall['id'],
  name: 'git_commit',
  input,
})
const signal = new AbortController().signal

test('[S13] an approval allows exactly the shown commit, also after a restart', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  const call = callOf({ message: 'Two', paths: ['a.txt'] })
  const asked = await (await doorOf(folder)).decide(call, { signal, grants: [] })
  if (asked.kind !== 'asks') throw new Error(asked.kind)
  expect(asked.grant).toBeUndefined()

  const answer = { decision: 'allow', inputHash: asked.inputHash } as const
  const [door, changedMessage] = [await doorOf(folder), callOf({ message: 'Three', paths: ['a.txt'] })]
  expect(await door.decide(changedMessage, { signal, grants: [], answer })).toMatchObject({ kind: 'asks' })
  await writeFiles(folder, { 'a.txt': 'three\n' })
  expect(await door.decide(call, { signal, grants: [], answer })).toMatchObject({ kind: 'asks' })

  await writeFiles(folder, { 'a.txt': 'two\n' })
  const verdict = await door.decide(call, { signal, grants: [], answer })
  if (verdict.kind !== 'allowed') throw new Error(verdict.kind)
  expect((await verdict.carryOut(signal)).outcome).toMatchObject({ kind: 'ok' })
  expect(runGitIn(folder, 'log', '-1', '--format=%s')).toBe('Two\n')
  expect(await door.decide(call, { signal, grants: [], answer })).toMatchObject({ kind: 'refused' })
})
