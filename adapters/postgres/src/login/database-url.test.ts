import { expect, test } from 'vitest'
import { migrate } from '../migrate/migrate.ts'
import { openDatabase } from '../open-database.ts'
import { passwordOf, urlAs } from './database-url.ts'

test.each([
  ['without a password', 'postgresql://parley@127.0.0.1/parley', /no password.*give its user one/],
  ['with an empty password', 'postgresql://parley:@127.0.0.1/parley', /no password/],
  ['that is no URL', '127.0.0.1:5432', /not the address of a Postgres database/],
  ['of another kind', 'mysql://parley:x@127.0.0.1/parley', /not the address of a Postgres database/],
])('a DATABASE_URL %s is refused, with what to do', async (_, databaseUrl, message) => {
  const refusal = { code: 'config_invalid', message: expect.stringMatching(message) }
  await expect(migrate({ databaseUrl })).rejects.toMatchObject(refusal)
  await expect(openDatabase({ databaseUrl })).rejects.toMatchObject(refusal)
})

test('the passwords of the roles follow from the password alone, and differ', () => {
  const serving = passwordOf('postgresql://parley:secret@127.0.0.1/parley', 'parley_serving')
  expect(serving).toMatch(/^[0-9a-f]{64}$/)
  expect(passwordOf('postgres://other:secret@example.org/db?sslmode=disable', 'parley_serving')).toBe(serving)
  expect(passwordOf('postgresql:///db?host=/run/pg&user=me&password=secret', 'parley_serving')).toBe(serving)
  expect(passwordOf('postgresql://parley:secret@127.0.0.1/parley', 'parley_public')).not.toBe(serving)
  expect(passwordOf('postgresql://parley:Secret@127.0.0.1/parley', 'parley_serving')).not.toBe(serving)
})

test('the URL of a role keeps everything but user and password', () => {
  const url = new URL(
    urlAs('postgresql://parley:secret@db.example.org:6432/x?sslmode=require', 'parley_public'),
  )
  expect(url.host).toBe('db.example.org:6432')
  expect(url.pathname).toBe('/x')
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ sslmode: 'require', user: 'parley_public' })
})
