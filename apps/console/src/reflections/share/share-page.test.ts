import { expect, test } from 'vitest'
import { usesInWords } from './share-page.tsx'

test.each([
  [{ uses: 0 }, 'not used yet'],
  [{ uses: 1 }, 'used once'],
  [{ uses: 7 }, 'used 7 times'],
  [{ uses: 0, maxUses: 20 }, 'used 0 of 20 times'],
])('[V17] %j reads: %s', (link, expected) => expect(usesInWords(link)).toBe(expected))
