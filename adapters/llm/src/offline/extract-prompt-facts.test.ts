import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extractPromptFacts } from './extract-prompt-facts.ts'

const quotable = (system: string) => extractPromptFacts(system, ['check_stock']).map(({ text }) => text)

test.each<[string, string, readonly string[]]>([
  ['statements', 'The bakery opens at seven.', ['The bakery opens at seven.']],
  ['a whole sentence over several lines', 'We open at\nseven.', ['We open at seven.']],
  [
    'an entry with what leads to it',
    'Opening hours:\n- Monday, seven to six\n- Sunday, closed',
    ['Opening hours: Monday, seven to six', 'Opening hours: Sunday, closed'],
  ],
  [
    'nothing that it says to the model',
    'You are Ada. You must be kind. The shop is red.',
    ['The shop is red.'],
  ],
  ['no instruction over several lines', 'You must never\nsay that the shop is red.', []],
  ['no instructions', 'Be brief. Never discount. Do not laugh. If asked, say that the shop is red.', []],
  ['no tools', 'The check_stock counts bread. Only call it twice.', []],
  ['no placeholders', 'The visitor’s name is {{name}}.', []],
  [
    'nothing under rules',
    '# Rules\nBread is sold until six.\n\n# Prices\nBread costs three euros.',
    ['Bread costs three euros.'],
  ],
  ['nothing that looks secret', 'The code is sk_made_up_123456. The mark is 0a1b2c3d4e5f60718293.', []],
  [
    'no policy',
    '[policy 0a1b] The shop is red. [end of policy 0a1b]\n\nBread is brown.',
    ['Bread is brown.'],
  ],
  [
    'nothing after a policy without end',
    '[policy 0a1b] The shop is red.\n[end of policy 0a1c] Bread is brown.',
    [],
  ],
  [
    'data as it is',
    '[data 0a1b from notes.md: text to read]\nYou can park here.\n[end of data 0a1b]',
    ['You can park here.'],
  ],
  [
    'what has come up',
    'You are Ada.\nWhat has come up during the conversation:\n- Your cart holds two pears.',
    ['Your cart holds two pears.'],
  ],
])('[X2] quotes from a prompt: %s', (_, system, expected) => {
  expect(quotable(system)).toEqual(expected)
})

test('[X2] text in a policy is never quoted', () => {
  const words = fc.array(
    fc.constantFrom('pear', '[data 1]', '[end of data 1]', '[policy 2]', '\n', '- ', '.'),
  )
  fc.assert(
    fc.property(words, words, (inside, after) => {
      const system = `[policy 0a1b] hidden ${inside.join(' ')} hidden\n[end of policy 0a1b]\n${after.join(' ')}`
      expect(quotable(system).join(' ')).not.toContain('hidden')
    }),
  )
})

test.each([
  ['endless openings', '[policy '.repeat(40_000)],
  ['endless data', '[data a]'.repeat(40_000)],
  ['an endless word', 'a1'.repeat(150_000)],
  ['endless entries', '\n- a:'.repeat(60_000)],
])('reads %s quickly', { timeout: 30_000 }, (_, system) => {
  expect(extractPromptFacts(system, [])).toBeDefined()
})
