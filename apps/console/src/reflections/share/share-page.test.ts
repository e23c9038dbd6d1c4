import { expect, test } from 'vitest'
import { type LinkForm, linkWanted, usesInWords } from './share-page.tsx'

test.each([
  [{ uses: 0 }, 'not used yet'],
  [{ uses: 1 }, 'used once'],
  [{ uses: 7 }, 'used 7 times'],
  [{ uses: 0, maxUses: 20 }, 'used 0 of 20 times'],
])('[V17] %j reads: %s', (link, expected) => expect(usesInWords(link)).toBe(expected))

const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const EMPTY: LinkForm = { namespaces: [], maxUses: '', lasts: '' }
const wrong = expect.stringContaining('whole number')

test.each<[string, Partial<LinkForm>, object]>([
  ['nothing filled in has no bounds', {}, { link: {} }],
  [
    'all of it filled in',
    { namespaces: ['letters'], maxUses: ' 20 ', lasts: '24' },
    { link: { namespaces: ['letters'], maxUses: 20, expiresAt: '2026-01-02T00:00:00.000Z' } },
  ],
  ['no uses at all', { maxUses: '0' }, { wrong }],
  ['half a use', { maxUses: '1.5' }, { wrong }],
  ['words', { maxUses: 'many' }, { wrong }],
])('%s', (_, form, expected) => expect(linkWanted({ ...EMPTY, ...form }, NOW)).toEqual(expected))
