import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../migrate/migrate.ts'
import { openDatabase } from '../open-database.ts'
import { freshDatabase } from '../testing/index.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { DATABASE_ROLES, derivePassword, toPsqlUrl, toRoleUrl } from './database-url.ts'

test.each([
  ['without a password', 'postgresql://parley@127.0.0.1/parley', /no password.*give its user one/],
  ['with an empty password', 'postgresql://parley:@127.0.0.1/parley', /no password/],
  ['that is no URL', '127.0.0.1:5432', /not the address of a Postgres database/],
  ['of another kind', 'mysql://parley:x@127.0.0.1/parley', /not the address of a Postgres database/],
])('a DATABASE_URL %s is refused, with the fix', async (_, databaseUrl, message) => {
  const refusal = { code: 'config_invalid', message: expect.stringMatching(message) }
  await expect(migrate({ databaseUrl })).rejects.toMatchObject(refusal)
  await expect(openDatabase({ databaseUrl })).rejects.toMatchObject(refusal)
})

test('the roles’ passwords derive from the password of DATABASE_URL, and differ', () => {
  const serving = derivePassword('postgresql://parley:secret@127.0.0.1/parley', 'parley_serving')
  expect(serving).toMatch(/^[0-9a-f]{64}$/)
  expect(derivePassword('postgres://other:secret@example.org/db?sslmode=disable', 'parley_serving')).toBe(
    serving,
  )
  expect(derivePassword('postgresql:///db?host=/run/pg&user=me&password=secret', 'parley_serving')).toBe(
    serving,
  )
  expect(derivePassword('postgresql://parley:secret@127.0.0.1/parley', 'parley_public')).not.toBe(serving)
  expect(derivePassword('postgresql://parley:Secret@127.0.0.1/parley', 'parley_serving')).not.toBe(serving)
})

test('a role’s URL changes only user and password', () => {
  const given = 'postgresql://parley:secret@db.example.org:6432/x?sslmode=require&require_auth=scram-sha-256'
  const password = derivePassword(given, 'parley_public')
  const bare = `postgresql://parley_public:${password}@db.example.org:6432/x?sslmode=require`
  expect(toRoleUrl(given, 'parley_public')).toBe(`${bare}&require_auth=scram-sha-256`)
  expect(toPsqlUrl(given, 'parley_public')).toBe(bare)
})

test.each([
  'postgresql://parley:made-up-secret@127.0.0.1:5432/x',
  'postgresql://127.0.0.1:5432/x?user=parley&password=made-up-secret',
  'postgresql://parley:another@127.0.0.1:5432/x?password=made-up-secret',
  'postgresql:///x?host=/run/pg&user=parley&password=made-up-secret',
])('[X3] the owner’s login is not in a role’s URL: %s', (given) => {
  const url = toPsqlUrl(given, 'parley_public')
  expect(url).not.toMatch(/made-up-secret|another|parley[:&]/)
  expect(url).toContain('parley_public')
})

test('[X3] a role logs in by its URL', async () => {
  const fresh = await freshDatabase()
  onTestFinished(fresh.drop)
  for (const role of DATABASE_ROLES) {
    expect(await runSql(toPsqlUrl(fresh.databaseUrl, role), 'select current_user as me')).toEqual([
      { me: role },
    ])
  }
})
