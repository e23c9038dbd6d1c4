import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type FloorFile, floorFile } from './stores/floor-sql.ts'
import { openPlace } from './stores/open-place.ts'
import { openFloor, type StorePlace } from './stores/place.ts'
import { assertSameDurability } from './stores/same-durability.ts'
import { createFloorSystem } from './systems/floor.ts'
import { createModelScript } from './systems/script.ts'

// A change of these files changes every ratio, so it must be confirmed here.
test.each<[FloorFile, string]>([
  ['sqlite.sql', '4bbeecb9358a25088ac40e1958b00881e11948e4b97871b0a356f85dc6eb78b6'],
  ['postgres.sql', 'bffc646e335918b87a1c11b043989fc867ff0ea0354c86234828c79b5d710eb6'],
  ['retrieve.sql', '1d5c27c3813ccf94a4bfae1a798c2501fd522f3c25e5ad8fd134e6439dbe51f2'],
])('the floor %s is unchanged since the recorded ratios', async (file, hash) => {
  const bytes = await readFile(floorFile(file))
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash)
})

test.each<[string, () => Promise<StorePlace>]>([
  ['SQLite', async () => ({ kind: 'history', home: await freshFolder() })],
  ['Postgres', async () => ({ kind: 'postgres', url: await freshUrl() })],
])('the floor on %s stores every message of a turn', async (_, makePlace) => {
  const place = await makePlace()
  const written = await openFloor(place)
  const session = await createFloorSystem(written, createModelScript({ deltas: 20, toolRounds: 10 })).start()
  await session.turn()
  await written.close()

  const floor = await openFloor(place)
  expect(await floor.countMessages(session.id)).toBe(22)
  const rows = await floor.readTail(session.id, 200)
  await floor.close()
  const roles = rows.map((row) => ('role' in row ? row.role : undefined)).toReversed()
  const rounds = Array.from({ length: 10 }, () => ['assistant', 'tool']).flat()
  expect(roles).toEqual(['user', ...rounds, 'assistant'])
  expect(rows[0]).toMatchObject({ content: JSON.stringify([{ type: 'text', text: 'tide, '.repeat(20) }]) })
})

test('the floor on SQLite is encrypted like our history', async () => {
  const home = await freshFolder()
  const floor = await openFloor({ kind: 'history', home })
  await (await createFloorSystem(floor, createModelScript({ deltas: 20 })).start()).turn()
  const files = await readdir(home)
  expect(files).toContain('floor.db-wal')
  for (const file of files) expect((await readFile(join(home, file))).includes('tide, ')).toBe(false)
  await floor.close()
})

test('our history and the floor report the same durability', async () => {
  const { floor, close } = await openPlace('history', await freshFolder())
  expect(await floor.durability()).toMatchObject({ cipher: 'chacha20', journal_mode: 'wal', synchronous: 2 })
  await close()
})

test('stores of different durability are not compared', () => {
  const ours = { fsync: 'on', synchronous_commit: 'on' }
  expect(() => assertSameDurability('postgres', ours, { ...ours })).not.toThrow()
  expect(() => assertSameDurability('postgres', ours, { ...ours, synchronous_commit: 'off' })).toThrow(
    'synchronous_commit is on, of the floor off',
  )
  expect(() => assertSameDurability('postgres', ours, { fsync: 'on' })).toThrow('synchronous_commit')
})

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function freshUrl(): Promise<string> {
  const { databaseUrl, drop } = await freshDatabase('empty')
  onTestFinished(drop)
  return databaseUrl
}
