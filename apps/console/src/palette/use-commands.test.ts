import { expect, test } from 'vitest'
import type { Command } from './command.ts'
import { groupCommands } from './use-commands.ts'

const command = (kind: Command['kind'], label: string): Command => ({
  id: label,
  kind,
  label,
  does: { kind: 'go', href: '/' },
})

test('what holds the best comes first, and keeps its order', () => {
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
    ['Go to and do', ['two', 'four']],
  ])
})
