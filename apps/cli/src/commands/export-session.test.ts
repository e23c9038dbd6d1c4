import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionMessage } from '@parley/contracts'
import { exportSessionYaml, parseWorkflow } from '@parley/engine'
import { createTestSession, createTestIds } from '@parley/engine/testing'
import { openHistory } from '@parley/history'
import { openDatabase } from '@parley/postgres'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, test } from 'vitest'
import { KEY, createHome, parley } from '../testing/parley-process.ts'

type Home = Awaited<ReturnType<typeof createHome>>

/** A home with one session, and its id. */
async function startSession(at: Home, message = 'My {{sister}} lives in Oslo.'): Promise<string> {
  const { stdout } = await parley(['chat', '--json', '--message', message], at)
  return (JSON.parse(stdout.split('\n')[0] ?? '') as { sessionId: string }).sessionId
}

test('[S14] a session is printed as a workflow file, by the start of its id', async () => {
  await using at = await createHome()
  const id = await startSession(at)
  const { code, stdout, stderr } = await parley(['export', id.slice(4, 10)], at)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { nodes, id: name } = await parseWorkflow(stdout, { file: 'stdout' })
  expect(name).toBe('my-sister-lives-in-oslo')
  expect(nodes).toEqual([
    { id: 'input', type: 'input' },
    { id: 'turn-1', type: 'agent', agent_ref: 'offline', prompt_template: 'My { {sister}} lives in Oslo.' },
    { id: 'output', type: 'output' },
  ])
  expect((await parley(['export', id, '-o', '-'], at)).stdout).toBe(stdout)
  const { yaml, ...figures } = JSON.parse((await parley(['export', id, '--json'], at)).stdout) as {
    yaml: string
  }
  expect(yaml).toBe(stdout)
  expect(figures).toEqual({ nodes: 3, turns: 1, bytes: Buffer.byteLength(stdout) })
})

test('[S14] the file is readable by its owner only and overwrites another only with --force', async () => {
  await using at = await createHome()
  const id = await startSession(at)
  const file = join(at.home, 'oslo.relavium.yaml')
  expect(await parley(['export', id, '-o', 'oslo.relavium.yaml'], at)).toEqual({
    code: 0,
    stdout: `1 turn written to ${file}.\n`,
    stderr: '',
  })
  const written = await readFile(file, 'utf8')
  expect(written).toBe((await parley(['export', id], at)).stdout)
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  await writeFile(file, 'mine')
  expect(await parley(['export', id, '-o', file], at)).toEqual({
    code: 2,
    stdout: '',
    stderr: `parley: ${file} already exists and was not overwritten.\n  Name another file, or add --force.\n`,
  })
  expect(await readFile(file, 'utf8')).toBe('mine')

  const forced = await parley(['export', id, '-o', file, '--force', '--json'], at)
  expect(JSON.parse(forced.stdout)).toEqual({ file, nodes: 3, turns: 1, bytes: Buffer.byteLength(written) })
  expect(await readFile(file, 'utf8')).toBe(written)
  expect((await readdir(at.home)).filter((name) => name.includes('oslo'))).toEqual(['oslo.relavium.yaml'])
})

test('a path that cannot be written is reported, and nothing is left behind', async () => {
  await using at = await createHome()
  const id = await startSession(at)
  const folder = join(at.home, 'out')
  await mkdir(folder)
  await writeFile(join(folder, 'file'), '')
  await symlink('file', join(folder, 'link'))
  for (const [name, why] of [
    ['', 'it is a folder'],
    ['link', 'it exists and is not a regular file'],
    ['none/x.yaml', 'its folder does not exist'],
    ['file/x.yaml', 'its parent is not a folder'],
    [`${'n'.repeat(300)}.yaml`, 'its name is too long'],
  ] as const) {
    const { code, stderr } = await parley(['export', id, '-o', join(folder, name), '--force'], at)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`: ${why}.\n  Name another file with -o.\n`)])
  }
  expect((await readdir(folder)).toSorted()).toEqual(['file', 'link'])
  expect(await parley(['export', 'zzz'], at)).toMatchObject({ code: 2, stdout: '' })
  expect(await parley(['export', id, '-o', ''], at)).toMatchObject({ code: 2, stdout: '' })
})

test.skipIf(process.platform !== 'linux')('a read-only folder is reported', async () => {
  await using at = await createHome()
  const id = await startSession(at)
  const { code, stderr } = await parley(['export', id, '-o', '/sys/kernel/x.yaml'], at)
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/x\.yaml: (access is denied|its disk is read-only)\./),
  ])
})

test('[S14] the same session gives the same bytes from both stores, with any page size', async () => {
  await using at = await createHome()
  const fresh = await freshDatabase()
  const database = await openDatabase(fresh)
  const history = await openHistory({ home: at.home, key: KEY })
  try {
    const ids = createTestIds()
    const id = ids.sessionId()
    const messages = Array.from({ length: 1_203 }, (_, index): SessionMessage => ({
      id: ids.messageId(),
      sessionId: id,
      sequenceNumber: index + 1,
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: `${index} {{a}} \0 \ud800 \u2028 Zoë\n${'x'.repeat(5_000)}` }],
      timestamp: '2026-03-01T09:00:00.000Z',
    }))
    const given = { title: 'Letters: to Oslo', messageCount: messages.length }
    const [session, started] = createTestSession(id, '2026-03-01T09:00:00.000Z', given)
    const [fromHistory, fromPostgres] = await Promise.all(
      [history.store, database.sessions].map(async (store) => {
        await store.create(session, started, messages)
        return exportSessionYaml(store, id)
      }),
    )
    expect(fromHistory?.workflow.nodes).toHaveLength(603)
    expect(fromHistory?.workflow.metadata?.['relaviumExport']).toMatchObject({ messages })
    expect(fromHistory?.yaml === fromPostgres?.yaml).toBe(true)
    history.close()
    const { stdout } = await parley(['export', id], at)
    expect(stdout === fromPostgres?.yaml).toBe(true)
  } finally {
    history.close()
    await database.close()
    await fresh.drop()
  }
}, 60_000)
