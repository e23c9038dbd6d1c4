import { expect, test } from 'vitest'
import type { Command } from './commands.ts'
import { groupCommands } from './use-commands.ts'

const command = (kind: Command['kind'], label: string): Command => ({
  id: label,
  kind,
  label,
  effect: { kind: 'go', href: '/' },
})

test('the group with the best match comes first, and keeps its order', () => {
  const ranked = [
    command('Fact', 'one'),
    command('Page', 'two'),
    command('Fact', 'three'),
    command('Action', 'four'),
  ]
  expect(
    groupCommands(ranked).map(({ title, commands }) => [title, commands.map(({ label }) => label)]),
  ).toEqual([
    ['Facts', ['one', 'three']],
    ['Pages and actions', ['two', 'four']],
  ])
})
