import { expect, test } from 'vitest'
import { type LinkForm, parseLinkForm, describeUses } from './share-page.tsx'

test.each([
  [{ uses: 0 }, 'not used yet'],
  [{ uses: 1 }, 'used once'],
  [{ uses: 7 }, 'used 7 times'],
  [{ uses: 0, maxUses: 20 }, '0 of 20 used'],
])('[V17] %j is shown as: %s', (link, expected) => expect(describeUses(link)).toBe(expected))

const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const EMPTY: LinkForm = { namespaces: [], maxUses: '', lifetime: '' }
const problem = expect.stringContaining('whole number')

test.each<[string, Partial<LinkForm>, object]>([
  ['an empty form has no limits', {}, { link: {} }],
  [
    'a full form',
    { namespaces: ['letters'], maxUses: ' 20 ', lifetime: '24' },
    { link: { namespaces: ['letters'], maxUses: 20, expiresAt: '2026-01-02T00:00:00.000Z' } },
  ],
  ['zero uses', { maxUses: '0' }, { problem }],
  ['half a use', { maxUses: '1.5' }, { problem }],
  ['words', { maxUses: 'many' }, { problem }],
])('the link form: %s', (_, form, expected) =>
  expect(parseLinkForm({ ...EMPTY, ...form }, NOW)).toEqual(expected),
)
