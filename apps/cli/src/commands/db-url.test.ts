import { expect, test } from 'vitest'
import { newHome, parley } from '../testing/parley-process.ts'

const DATABASE_URL = 'postgresql://made-up:made-up@127.0.0.1:5432/parley'

test.each(['serving', 'learning', 'public'])('[X3] the address for %s is that role’s', async (role) => {
  await using at = await newHome()
  const { code, stdout } = await parley(['db', 'url', '--role', role], {
    ...at,
    environment: { DATABASE_URL },
  })
  expect(code).toBe(0)
  expect(new URL(stdout).searchParams.get('user')).toBe(`parley_${role}`)
})

test('without a database that runs, and for a role that is none, nothing is printed', async () => {
  await using at = await newHome()
  expect(await parley(['db', 'url', '--role', 'public'], at)).toMatchObject({ code: 1, stdout: '' })
  expect(await parley(['db', 'url', '--role', 'owner'], at)).toMatchObject({ code: 2, stdout: '' })
})
