import { expect, test } from 'vitest'
import { shellNeed, unreachableHost } from './config-findings.ts'

test.each([
  'npm test | tee x',
  'a && b',
  'a; b',
  'a > b',
  'a < b',
  'echo $HOME',
  'echo `id`',
  'a\nb',
  'echo "$HOME"',
  'a\\ b',
])('[S13] %j needs a shell, and could never be run', (command) => {
  expect(shellNeed(command)).toContain('only a shell understands')
})

test.each(['npm test', "grep 'a|b' notes.md", 'grep "a; b" notes.md', "echo '$HOME'", 'a-b_c=d --e'])(
  '[S13] %j needs none',
  (command) => {
    expect(shellNeed(command)).toBeUndefined()
  },
)

test.each([
  ['localhost', 'is this machine'],
  ['tides.localhost', 'is this machine'],
  ['10.0.0.1', 'is an address'],
  ['127.1', 'is an address'],
])('[S13] %s could never be reached', (host, why) => {
  expect(unreachableHost(host)).toContain(why)
})

test.each(['example.org', '1.example.org', 'a'])('[S13] %s could', (host) => {
  expect(unreachableHost(host)).toBeUndefined()
})
