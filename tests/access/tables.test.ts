import { expect, test } from 'vitest'
import { ENDPOINTS, type PersonId, isAtLeast } from '@parley/contracts'
import { refuseNonAdmin } from '@parley/reflections'
import { findEndpoint, getLeastMemberRole, getLeastRole } from '../../apps/api/src/auth/admit-caller.ts'
import { type Caller, type Cell, WHO_MAY_DO_WHAT } from './who-may-do-what.ts'

/** The result by the server's table. For a session they only say who is refused before it is looked up. */
async function decideByTable(route: string, caller: Caller): Promise<Cell | 'in or 404'> {
  const [method = '', path = ''] = route.split(' ')
  const endpoint = findEndpoint(method, path.replaceAll(/\{\w+\}/g, 'made-up'))
  if (typeof endpoint === 'string') throw new Error(`${route}: ${endpoint}`)
  const { access } = endpoint
  expect(endpoint.path).toBe(path)
  if (access === 'anyone') return 'in'
  const leastRole = getLeastRole(access)
  if (leastRole === undefined || caller.role === undefined) return '401'
  if (!isAtLeast(caller.role, leastRole)) return '403'
  if (access === 'any-admin') return (await isAllowedAsAdmin(caller)) ? 'in' : '403'
  const least = getLeastMemberRole(access)
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
  '[A1] the server’s table agrees with this table: %s',
  async (route, cells) => {
    for (const [caller, cell] of cells) {
      const outcome = await decideByTable(route, caller)
      const expected = outcome === 'in or 404' && cell !== '403' && cell !== '401' ? outcome : cell
      expect([caller.name, outcome]).toEqual([caller.name, expected])
    }
  },
)

test('[A1] the server’s table has the same routes', () => {
  const routes = Object.values(ENDPOINTS).map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  expect(routes.toSorted()).toEqual([...WHO_MAY_DO_WHAT.keys()].toSorted())
})

test.each<[string, string, object | string]>([
  ['HEAD', '/v1/me', ENDPOINTS.getMe],
  ['POST', '/v1/me', 'method_not_allowed'],
  ['GET', '/v1/nowhere', 'not_found'],
  ['GET', '/v1/me/', 'not_found'],
  ['GET', '/v1/sessions/ses_1/messages/more', 'not_found'],
  ['GET', '/v1/openapi_json', 'not_found'],
])('[A1] %s %s', (method, path, expected) => {
  expect(findEndpoint(method, path)).toEqual(expected)
})
