import { expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'

const DATABASE_URL = 'postgresql://made-up:made-up-secret@127.0.0.1:5432/parley?require_auth=scram-sha-256'

test.each(['serving', 'learning', 'public', 'member', 'provider'])(
  '[X3] the URL for %s has the login of that role only',
  async (role) => {
    await using at = await createHome()
    const { code, stdout } = await parley(['db', 'url', '--role', role], {
      ...at,
      environment: { DATABASE_URL },
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`^postgresql://parley_${role}:[0-9a-f]{64}@127\\.0\\.0\\.1:5432/parley\n$`),
    )
  },
)

test('without a running database, or for an unknown role, no URL is printed', async () => {
  await using at = await createHome()
  expect(await parley(['db', 'url', '--role', 'public'], at)).toMatchObject({ code: 1, stdout: '' })
  expect(await parley(['db', 'url', '--role', 'owner'], at)).toMatchObject({ code: 2, stdout: '' })
})
