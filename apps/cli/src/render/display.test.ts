import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readEnvironment } from '../environment.ts'
import { readDisplay } from './display.ts'

const stream = (isTTY: boolean) =>
  Object.assign(new PassThrough(), { isTTY, columns: 66 }) as unknown as NodeJS.WriteStream

test.each([
  ['a terminal', true, { TERM: 'xterm' }, { links: true }],
  ['a terminal without links', true, { TERM: 'linux' }, { links: false }],
  ['a pipe', false, { TERM: 'xterm' }, undefined],
  ['a terminal without colours', true, { TERM: 'xterm', NO_COLOR: '1' }, undefined],
  ['a terminal without escape codes', true, { TERM: 'dumb' }, undefined],
  ['a terminal with a screen reader', true, { TERM: 'xterm', PARLEY_PLAIN: '1' }, undefined],
])('%s', (_, isTTY, variables, markdown) => {
  const environment = readEnvironment({ PARLEY_HOME: '/home/ada/.parley', ...variables })
  const display = readDisplay(stream(isTTY), environment)
  expect(display.markdown).toEqual(markdown)
  expect(display.style.bold('a')).toBe(markdown ? '\x1b[1ma\x1b[22m' : 'a')
})
