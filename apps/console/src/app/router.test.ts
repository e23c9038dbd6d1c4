import type { Role } from '@parley/contracts'
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

test.each<[Parameters<typeof filterPages>[1], Role | undefined, readonly string[]]>([
  ['main', 'admin', ['Home', 'Reflections', 'Sessions', 'Approvals', 'Health']],
  ['main', 'operator', ['Home', 'Reflections', 'Sessions', 'Approvals']],
  ['main', 'viewer', ['Home', 'Reflections', 'Sessions']],
  ['session', undefined, ['Transcript', 'Events', 'Replay', 'Export']],
  ['runtime', undefined, ['Agents', 'Version history', 'Variables']],
  [
    'reflection',
    'admin',
    ['Talk', 'Overview', 'Sources', 'Facts', 'Review', 'Ask', 'Voice', 'Share', 'Runtime', 'Members'],
  ],
  ['reflection', undefined, ['Talk', 'Overview', 'Sources', 'Facts', 'Review', 'Ask', 'Voice', 'Runtime']],
])('[A1] in the group %s the role %s sees: %j', (group, role, labels) => {
  expect(filterPages(pages, group, role).map(({ label }) => label)).toEqual(labels)
})

test('each link leads to the page of its record', () => {
  for (const { to, label } of pages) {
    const [matchedRoutes] = router.getMatchedRoutes(to.replaceAll('$', 'x'))
    expect(matchedRoutes.map(({ options }) => options.staticData?.label)).toContain(label)
  }
})
