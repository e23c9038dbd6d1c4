import { Role, isAtLeast } from '@parley/contracts'
import { expect, test } from 'vitest'
import { listPages, filterPages } from './page-record.ts'
import { createConsoleRouter } from './router.tsx'

const router = createConsoleRouter()
const pages = listPages(router)

test.each([
  ['/', 'Home'],
  ['/reflections/rfl_1', 'Overview'],
  ['/reflections/rfl_1/', 'Overview'],
  ['/reflections/rfl_1/facts', 'Facts'],
  ['/reflections/rfl_1/patches', 'Review'],
  ['/reflections/rfl_1/runtime', 'Agents'],
  ['/reflections/rfl_1/runtime/variables', 'Variables'],
  ['/reflections/rfl_1/runtime/ledger', 'Version history'],
  ['/reflections/rfl_1/runtime/ledger/2', undefined],
  ['/reflections/rfl_1/sources/src_1', undefined],
  ['/sessions/new', 'New session'],
  ['/sessions/ses_1', 'Transcript'],
  ['/sessions/ses_1/events', 'Events'],
])('the page at %s is called %s', (pathname, label) => {
  const [matchedRoutes] = router.getMatchedRoutes(pathname)
  expect(matchedRoutes.at(-1)?.options.staticData?.label).toBe(label)
})

type NavGroup = Parameters<typeof filterPages>[1]
const listLabels = (group: NavGroup, role?: Role) => filterPages(pages, group, role).map(({ label }) => label)

test.each<[string, NavGroup, Role]>([
  ['Approvals', 'main', 'operator'],
  ['Health', 'main', 'admin'],
  ['Share', 'reflection', 'admin'],
  ['Members', 'reflection', 'admin'],
])('[A1] %s in the group %s is listed from the role %s on', (label, group, minRole) => {
  const seenBy = Role.options.filter((role) => listLabels(group, role).includes(label))
  expect(seenBy).toEqual(Role.options.filter((role) => isAtLeast(role, minRole)))
  expect(listLabels(group)).not.toContain(label)
})

test.each<[NavGroup, readonly string[]]>([
  ['main', ['Home', 'Reflections', 'Sessions']],
  ['session', ['Transcript', 'Events', 'Replay', 'Export']],
  ['runtime', ['Agents', 'Version history', 'Variables']],
  ['reflection', ['Talk', 'Overview', 'Sources', 'Facts', 'Review', 'Ask', 'Voice', 'Runtime']],
])('[A1] in the group %s everybody sees, in this order: %j', (group, labels) => {
  expect(listLabels(group).filter((label) => labels.includes(label))).toEqual(labels)
})

test('each link leads to the page of its record', () => {
  for (const { to, label } of pages) {
    const [matchedRoutes] = router.getMatchedRoutes(to.replaceAll('$', 'x'))
    expect(matchedRoutes.map(({ options }) => options.staticData?.label)).toContain(label)
  }
})
