import { expect, test } from 'vitest'
import { toPublicStatement } from './public-statement.ts'

test.each<[string, string, string | undefined, string]>([
  ['Vesna Holm lives in Oslo.', 'Ada', 'Vesna Holm', 'Ada lives in Oslo.'],
  ["Vesna Holm's boat is called Wanda.", 'Ada', 'Vesna Holm', "Ada's boat is called Wanda."],
  ['VESNA HOLM knows Vesna Holm.', '$& Archive', 'Vesna Holm', '$& Archive knows $& Archive.'],
  ['Annabel met V. (Ann) Holm.', 'Ada', 'Ann', 'Annabel met V. (Ada) Holm.'],
  ['V. (Ann) Holm lives in Oslo.', 'Ada', 'V. (Ann) Holm', 'Ada lives in Oslo.'],
  ['Ada lives in Oslo.', 'Ada Holm', 'Ada', 'Ada lives in Oslo.'],
  ['Ada lives in Oslo.', 'Ada', undefined, 'Ada lives in Oslo.'],
  ['Ann lives in Oslo.', "Anna's garden", 'Ann', "Anna's garden lives in Oslo."],
])('[P5] %s: the public statement names %s, not %s', (statement, displayName, creatorName, told) => {
  expect(toPublicStatement(statement, { displayName, creatorName })).toBe(told)
})

test.each<[string, string | undefined, readonly string[]]>([
  ['a change', 'Mira Holm', ['Vesna Holm']],
  ['its removal', undefined, ['Vesna Holm']],
  ['shortening it', 'Vesna', ['Vesna Holm', 'V.']],
])('[P5] a former name stays private after %s', (_, creatorName, formerNames) => {
  const statement = 'Vesna Holm knows Mira Holm.'
  const told = toPublicStatement(statement, { displayName: 'Ada', creatorName, formerNames })
  expect(told).not.toContain('Vesna')
  expect(told).toMatch(/^Ada knows/)
})
