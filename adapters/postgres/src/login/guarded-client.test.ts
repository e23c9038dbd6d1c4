import { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { migrate } from '../migrate/migrate.ts'
import { openDatabase } from '../open-database.ts'
import { GuardedClient } from './guarded-client.ts'
import {
  ASK_CLEARTEXT,
  ASK_MD5,
  CLIENT_TLS,
  CRASHED,
  startImpostor,
  type ImpostorReply,
  SCRAM_WITHOUT_PROOF,
  WELCOME,
} from './testing/impostor.ts'

const REQUIRE = '?require_auth=scram-sha-256'

/** The outcome of each of our ways to connect. */
const WAYS: readonly (readonly [string, (url: string) => Promise<unknown>])[] = [
  ['migrating', (databaseUrl) => migrate({ databaseUrl })],
  ['opening the database', (databaseUrl) => openDatabase({ databaseUrl })],
  [
    'a pool',
    async (connectionString) => {
      const pool = new Pool({ connectionString, Client: GuardedClient })
      pool.on('error', () => {})
      try {
        return await pool.query('select $1', ['a private matter'])
      } finally {
        await pool.end()
      }
    },
  ],
]

describe.each(WAYS)('a false server on the port does not learn the password: %s', (_, connect) => {
  test.each<[string, readonly ImpostorReply[], string, string]>([
    ['asks for the password as it is', [() => ASK_CLEARTEXT], '', 'without SCRAM or TLS'],
    ['asks for its MD5', [() => ASK_MD5], '', 'without SCRAM or TLS'],
    [
      'asks for it and welcomes at once',
      [() => Buffer.concat([ASK_CLEARTEXT, WELCOME])],
      '',
      'without SCRAM or TLS',
    ],
    ['welcomes everyone', [() => WELCOME], REQUIRE, 'does not prove that it knows the password'],
    ['has no proof', SCRAM_WITHOUT_PROOF, REQUIRE, 'server signature does not match'],
    ['has no proof, and need not', SCRAM_WITHOUT_PROOF, '', 'server signature does not match'],
  ])('a server that %s', async (__, lines, parameters, message) => {
    const { url, heard } = await startImpostor(lines)
    const refusal = { message: expect.stringContaining(message) }
    await expect(connect(url + parameters)).rejects.toMatchObject(refusal)
    expect(heard()).toContain('parley')
    expect(heard()).not.toMatch(/swordfish|md5|private|select/)
  })
})

test('a refusal names the problem and the fix', async () => {
  const { url } = await startImpostor([() => ASK_CLEARTEXT])
  await expect(migrate({ databaseUrl: url })).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringMatching(
      /127\.0\.0\.1:\d+ asks .*scram-sha-256.*sslmode=verify-full.*taken that port/,
    ),
  })
})

test('a server that trusts everyone is accepted, unless its URL requires a proof', async () => {
  const { url, heard } = await startImpostor([() => WELCOME])
  const client = new GuardedClient({ connectionString: url })
  await client.connect()
  void client.end()
  await expect.poll(heard).toContain('X')
})

test('over TLS the password may be sent', async () => {
  const { url, heard } = await startImpostor([() => ASK_CLEARTEXT, () => WELCOME], 'tls')
  const client = new GuardedClient({ connectionString: url, ssl: CLIENT_TLS })
  client.on('error', () => {})
  await client.connect()
  expect(heard()).toContain('swordfish')
  void client.end()
})

test('[X4] a server that crashes while a pool connects fails the statement, not the process', async () => {
  const { url } = await startImpostor([() => Buffer.concat([WELCOME, CRASHED])])
  const pool = new Pool({ connectionString: url, Client: GuardedClient })
  await expect(pool.query('select 1')).rejects.toThrow('Client has encountered a connection error')
  await pool.end()
})
