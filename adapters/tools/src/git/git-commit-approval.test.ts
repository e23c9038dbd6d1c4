import { hash } from 'node:crypto'
import type { Json, ToolCall } from '@parley/contracts'
import { createToolRegistry, type ToolRegistry } from '@parley/engine'
import { expect, test } from 'vitest'
import { freshRepository, git, toolsIn, write } from './git.fixture.ts'

async function doorOf(folder: string): Promise<ToolRegistry> {
  return createToolRegistry(await toolsIn(folder), {
    granted: ['git_commit'],
    secrets: () => [],
    hash: (text) => hash('sha256', text),
    bytesOf: (text) => Buffer.from(text),
    handleOf: () => {
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
  const folder = await freshRepository()
  await write(folder, { 'a.txt': 'two\n' })
  const call = callOf({ message: 'Two', paths: ['a.txt'] })
  const asked = await (await doorOf(folder)).decide(call, { signal, grants: [] })
  if (asked.kind !== 'asks') throw new Error(asked.kind)
  expect(asked.grant).toBeUndefined()

  const answer = { decision: 'allow', inputHash: asked.inputHash } as const
  const [door, changedMessage] = [await doorOf(folder), callOf({ message: 'Three', paths: ['a.txt'] })]
  expect(await door.decide(changedMessage, { signal, grants: [], answer })).toMatchObject({ kind: 'asks' })
  await write(folder, { 'a.txt': 'three\n' })
  expect(await door.decide(call, { signal, grants: [], answer })).toMatchObject({ kind: 'asks' })

  await write(folder, { 'a.txt': 'two\n' })
  const verdict = await door.decide(call, { signal, grants: [], answer })
  if (verdict.kind !== 'allowed') throw new Error(verdict.kind)
  expect((await verdict.carryOut(signal)).outcome).toMatchObject({ kind: 'ok' })
  expect(git(folder, 'log', '-1', '--format=%s')).toBe('Two\n')
  expect(await door.decide(call, { signal, grants: [], answer })).toMatchObject({ kind: 'refused' })
})
