import type { SessionContext } from '@parley/contracts'
import { expect, test } from 'vitest'
import { checkContextReferences, renderSystemPrompt } from './agent-input.ts'

const context: SessionContext = {
  workingDir: '/home/ada/notes',
  gitRef: 'main',
  fsScopeTier: 'sandboxed',
  selection: { file: 'a.md', startLine: 2, endLine: 4 },
  variables: { name: 'Ada', trap: '{{ctx.workingDir}}', 'with-dash': 'x' },
}

test.each([
  ['{{ctx.name}} works in {{ ctx.workingDir }}.', 'Ada works in /home/ada/notes.'],
  [
    '{{ctx.gitRef}}, {{ctx.activeFile}}, {{ctx.selection}}, {{ctx.fsScopeTier}}',
    'main, , a.md:2-4, sandboxed',
  ],
  [
    'A value is not looked through again: {{ctx.trap}}',
    'A value is not looked through again: {{ctx.workingDir}}',
  ],
  ['{{ctx.with-dash}}{{other}} {ctx.name} $& {{', 'x{{other}} {ctx.name} $& {{'],
])('[S9] %s', (prompt, expected) => {
  expect(renderSystemPrompt(prompt, context)).toBe(expected)
})

test('[S9] a prompt with an unknown variable is refused, with a suggestion', () => {
  expect(() => checkContextReferences('{{ctx.nmae}}', context)).toThrow('Did you mean {{ctx.name}}?')
  expect(() => checkContextReferences('{{ctx.constructor}}', context)).toThrow('no such variable')
  expect(() => checkContextReferences('{{ctx.activeFile}}', context)).not.toThrow()
})
