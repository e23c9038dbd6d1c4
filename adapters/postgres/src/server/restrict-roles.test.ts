import { expect, onTestFinished, test, vi } from 'vitest'
import { DATABASE_ROLES, toRoleUrl } from '../login/database-url.ts'
import { migrate } from '../migrate/migrate.ts'
import { startBundledPostgres } from './start-bundled-postgres.ts'
import { runSql, createUsedHome } from './testing/test-cluster.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const LIMITS = `select rolname as role, rolconnlimit as limit from pg_roles where rolname like 'parley\\_%' and rolcanlogin order by 1`

test('[K1] our roles can enter only our database, and none can take every connection', async () => {
  const home = await createUsedHome()
  const first = await startBundledPostgres({ home })
  onTestFinished(first.stop)
  await migrate({ databaseUrl: first.url })
  const elsewhere = (role: (typeof DATABASE_ROLES)[number], database: string) => {
    const url = new URL(toRoleUrl(first.url, role))
    url.pathname = `/${database}`
    return runSql(url.href, 'select 1 as one')
  }
  for (const role of DATABASE_ROLES) {
    expect(await elsewhere(role, 'parley')).toEqual([{ one: 1 }])
    for (const database of ['postgres', 'template1']) {
      await expect(elsewhere(role, database)).rejects.toMatchObject({ code: '42501' })
    }
  }
  const limits = await runSql(first.url, LIMITS)
  expect(limits).toHaveLength(DATABASE_ROLES.length)
  const [{ most }] = (await runSql(
    first.url,
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
  )) as [{ most: number }]
  const shared = limits.reduce((sum, { limit }) => sum + Number(limit), 0)
  expect(limits.every(({ limit }) => Number(limit) > 0)).toBe(true)
  expect(shared).toBeLessThan(most)

  await runSql(first.url, 'grant connect on database postgres to public')
  await runSql(first.url, 'alter role parley_public connection limit -1')
  await startBundledPostgres({ home })
  await expect(elsewhere('parley_public', 'postgres')).rejects.toMatchObject({ code: '42501' })
  expect(await runSql(first.url, LIMITS)).toEqual(limits)
})
