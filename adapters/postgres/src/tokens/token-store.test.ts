import { createHash } from 'node:crypto'
import type { MemberRole, PersonId, Role } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { runSql } from '../server/testing/test-cluster.ts'
import { useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'

const { database, databaseUrl } = await useKnowledgeBase()

const hash = (token: string) => createHash('sha256').update(token).digest()
const ada = 'per_ada' as PersonId

test('[A2] a token is found by its hash, with its person and role', async () => {
  const made = await database.tokens.create({
    personId: ada,
    label: 'Ada’s phone',
    role: 'viewer',
    tokenHash: hash('one'),
    by: ada,
  })
  expect(made).toMatchObject({ personId: ada, label: 'Ada’s phone', role: 'viewer' })
  expect(await database.tokens.find(hash('one'))).toEqual(made)
  expect(await database.tokens.find(hash('another'))).toBeUndefined()
})

test('[A2] an invitation gives no role on the server', async () => {
  for (const [role, end] of [
    ['admin', 'now()'],
    ['viewer', 'null'],
  ]) {
    const made = runSql(
      databaseUrl,
      `insert into tokens (id, person_id, label, role, kind, token_hash, reflection_id, expires_at)
        values ('tok_${role}', '${ada}', 'Ada', '${role}', 'invited', sha256('${role}'), 'rfl_1', ${end})`,
    )
    await expect(made).rejects.toThrow('invited_to_a_reflection')
  }
})

test('[A2] an expired token is not found', async () => {
  const token = { personId: ada, label: 'Ada', role: 'admin', by: ada } as const
  const past = new Date(Date.now() - 60_000).toISOString()
  const future = new Date(Date.now() + 3_600_000).toISOString()
  await database.tokens.create({ ...token, tokenHash: hash('old'), expiresAt: past })
  await database.tokens.create({ ...token, tokenHash: hash('new'), expiresAt: future })
  expect(await database.tokens.find(hash('old'))).toBeUndefined()
  expect(await database.tokens.find(hash('new'))).toMatchObject({ role: 'admin' })
})

test('[A2] a revoked token is no longer found', async () => {
  const token = { personId: ada, label: 'Ada', role: 'operator', tokenHash: hash('lost'), by: ada } as const
  const { tokenId } = await database.tokens.create(token)
  await runSql(databaseUrl, `update tokens set revoked_at = now() where id = '${tokenId}'`)
  expect(await database.tokens.find(hash('lost'))).toBeUndefined()
})

describe('[A2] the role of a person in a reflection', () => {
  type Token = 'good' | 'expired' | 'revoked'
  const HELD: readonly [string, readonly Token[], Role, MemberRole | undefined, MemberRole | undefined][] = [
    ['a member', ['good'], 'operator', 'operator', 'operator'],
    ['a member with one token left', ['revoked', 'expired', 'good'], 'viewer', 'admin', 'admin'],
    ['a member whose tokens are revoked', ['revoked', 'revoked'], 'operator', 'operator', undefined],
    ['a member whose token is over', ['expired'], 'operator', 'operator', undefined],
    ['no member', ['good'], 'admin', undefined, undefined],
    ['an owner of the server who is no member', ['good'], 'owner', undefined, 'owner'],
    ['one who was so', ['revoked'], 'owner', undefined, undefined],
  ]
  test.each(HELD)('%s, with tokens %j', async (name, held, role, memberRole, expected) => {
    const { tokens, reflections } = database
    const personId = `per_${createHash('sha256').update(name).digest('hex').slice(0, 12)}` as PersonId
    const past = new Date(Date.now() - 60_000).toISOString()
    for (const [index, token] of held.entries()) {
      const { tokenId } = await tokens.create({
        personId,
        label: name,
        role,
        tokenHash: hash(`${name} ${index}`),
        by: ada,
        ...(token === 'expired' && { expiresAt: past }),
      })
      if (token === 'revoked') await tokens.revoke(tokenId, { roles: [role] }, ada)
    }
    const { id } = await reflections.create({ displayName: name, ownerId: ada })
    if (memberRole) await reflections.setMember(id, { personId, role: memberRole }, ada)
    expect(await tokens.findReflectionRole(id, personId)).toBe(expected)
    await reflections.remove(id, ada)
    expect(await tokens.findReflectionRole(id, personId)).toBeUndefined()
  })
})

test('[A2] a member’s token is created together with the membership, or not at all', async () => {
  const { tokens, reflections } = database
  const { id } = await reflections.create({ displayName: 'Removed meanwhile', ownerId: ada })
  const create = (name: string) => {
    const member = { personId: `per_${name}` as PersonId, label: name, role: 'viewer' } as const
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    return reflections.createMemberToken(id, { ...member, tokenHash: hash(name), expiresAt }, ada)
  }
  expect(await create('early')).toBe((await tokens.find(hash('early')))?.tokenId)
  await reflections.remove(id, ada)
  await expect(create('late')).rejects.toMatchObject({ code: 'reflection_not_found' })
  expect(await tokens.find(hash('late'))).toBeUndefined()
})

test('the owner’s key is created once, and a new key replaces it', async () => {
  const { tokens } = database
  const issued = { personId: 'per_owner' as PersonId, label: 'Laptop', role: 'owner', by: ada } as const
  await Promise.all(Array.from({ length: 5 }, () => tokens.ensureOwner({ tokenHash: hash('first') })))
  await tokens.create({ ...issued, tokenHash: hash('issued') })
  const first = await tokens.find(hash('first'))
  expect(first).toMatchObject({ personId: 'per_owner', role: 'owner' })

  await tokens.ensureOwner({ tokenHash: hash('second') })
  expect(await tokens.find(hash('first'))).toBeUndefined()
  expect(await tokens.find(hash('second'))).toMatchObject({ personId: 'per_owner', role: 'owner' })
  expect(await tokens.find(hash('issued'))).toMatchObject({ label: 'Laptop' })

  await tokens.ensureOwner({ tokenHash: hash('first') })
  expect(await tokens.find(hash('first'))).toEqual(first)
  expect(await tokens.find(hash('second'))).toBeUndefined()
})

test('an issued token configured as the owner’s key is refused, and changes nothing', async () => {
  const { tokens } = database
  await tokens.create({
    personId: ada,
    label: 'Ada',
    role: 'viewer',
    tokenHash: hash('issued to Ada'),
    by: ada,
  })
  await tokens.ensureOwner({ tokenHash: hash('the owner’s') })
  await expect(tokens.ensureOwner({ tokenHash: hash('issued to Ada') })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('PARLEY_OWNER_TOKEN'),
  })
  expect(await tokens.find(hash('issued to Ada'))).toMatchObject({ personId: ada, role: 'viewer' })
  expect(await tokens.find(hash('the owner’s'))).toMatchObject({ role: 'owner' })
})

test('creating the owner’s key needs no right on tokens but to revoke them', async () => {
  const only = `revoke update on tokens from parley_serving; grant update (revoked_at) on tokens to parley_serving`
  await runSql(databaseUrl, only)
  const { tokens } = database
  await tokens.ensureOwner({ tokenHash: hash('third') })
  await tokens.ensureOwner({ tokenHash: hash('fourth') })
  expect(await tokens.find(hash('third'))).toBeUndefined()
  await tokens.ensureOwner({ tokenHash: hash('third') })
  expect(await tokens.find(hash('third'))).toMatchObject({ role: 'owner' })
})
