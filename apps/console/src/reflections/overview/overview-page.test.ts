import type { ChangeReflection } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toSettingsChange } from './overview-page.tsx'

test.each<[string, ChangeReflection, ChangeReflection]>([
  ['nothing', {}, {}],
  ['only a name', { displayName: 'Ada' }, { displayName: 'Ada' }],
  ['only the approval', { approval: 'by_person' }, { approval: 'by_person' }],
  ['a creator’s name', { creatorName: 'Ada' }, { creatorName: 'Ada' }],
  ['a cleared creator’s name', { creatorName: ' ' }, { creatorName: null }],
])('the form sends only the edited fields: %s', (_, edited, expected) => {
  expect(toSettingsChange(edited)).toEqual(expected)
})
