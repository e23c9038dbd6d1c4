import type { ChangeReflection } from '@parley/contracts'
import { expect, test } from 'vitest'
import { settingsChange } from './settings-form.tsx'

test.each<[string, ChangeReflection, ChangeReflection]>([
  ['nothing', {}, {}],
  ['a name, and nothing else', { displayName: 'Ada' }, { displayName: 'Ada' }],
  ['the rule alone', { approval: 'by_person' }, { approval: 'by_person' }],
  ['whose “I” it is', { creatorName: 'Ada' }, { creatorName: 'Ada' }],
  ['that it is nobody’s any more', { creatorName: ' ' }, { creatorName: null }],
])('what was edited is sent: %s', (_, edited, expected) => {
  expect(settingsChange(edited)).toEqual(expected)
})
