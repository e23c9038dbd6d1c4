import { expect, test } from 'vitest'
import { type PersonId, isAtLeast } from '@parley/contracts'
import { refuseNonAdmin } from '@parley/reflections'
import { ACCESS, REFLECTION_ACCESS, findRoute } from '../../apps/api/src/auth/access.ts'
import { type Caller, type Cell, WHO_MAY_DO_WHAT } from './who-may-do-what.ts'

/** The result by the server's two tables. For a session they only say who is refused before it is looked up. */
async function decideByTables(route: string, caller: Caller): Promise<Cell | 'in or 404'> {
  const [method = '', path = ''] = route.split(' ')
  const found = findRoute(method, path.replaceAll(/\{\w+\}/g, 'made-up'))
  if (typeof found === 'string') throw new Error(`${route}: ${found}`)
  const { access } = found
  expect(found.route).toBe(path)
  if (access === 'anyone') return 'in'
  if (access === 'tool-secret' || access === 'webhook-signature' || caller.role === undefined) return '401'
  if (access === 'any-admin') return (await isAllowedAsAdmin(caller)) ? 'in' : '403'
  if (!isAtLeast(caller.role, access)) return '403'
  const least = REFLECTION_ACCESS[route]
  if (least) return decideByMemberRole(caller, least)
  return path.includes('{sessionId}') ? 'in or 404' : 'in'
}

function decideByMemberRole({ role, memberRole }: Caller, least: NonNullable<Caller['memberRole']>): Cell {
  const held = role === 'owner' ? 'owner' : memberRole
  if (!held) return '404'
  return isAtLeast(held, least) ? 'in' : '403'
}

function isAllowedAsAdmin({ role = 'guest', memberRole, roleElsewhere }: Caller): Promise<boolean> {
  const ranks = [memberRole, roleElsewhere]
  const isAdminOfAny = async () => ranks.some((rank) => rank && isAtLeast(rank, 'admin'))
  return refuseNonAdmin({ personId: 'per_made_up' as PersonId, role }, { isAdminOfAny }).then(
    () => true,
    () => false,
  )
}

test.each([...WHO_MAY_DO_WHAT])(
  '[A1] the server’s tables agree with this table: %s',
  async (route, cells) => {
    for (const [caller, cell] of cells) {
      const outcome = await decideByTables(route, caller)
      const expected = outcome === 'in or 404' && cell !== '403' && cell !== '401' ? outcome : cell
      expect([caller.name, outcome]).toEqual([caller.name, expected])
    }
  },
)

test('[A1] the server’s table has the same routes', () => {
  expect(Object.keys(ACCESS).toSorted()).toEqual([...WHO_MAY_DO_WHAT.keys()].toSorted())
})

test.each<[string, string, ReturnType<typeof findRoute>]>([
  ['HEAD', '/v1/me', { route: '/v1/me', access: 'guest' }],
  ['POST', '/v1/me', 'method_not_allowed'],
  ['GET', '/v1/nowhere', 'not_found'],
  ['GET', '/v1/me/', 'not_found'],
  ['GET', '/v1/sessions/ses_1/messages/more', 'not_found'],
  ['GET', '/v1/openapi_json', 'not_found'],
])('[A1] %s %s', (method, path, expected) => {
  expect(findRoute(method, path)).toEqual(expected)
})
