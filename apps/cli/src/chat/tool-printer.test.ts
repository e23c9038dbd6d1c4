import { PassThrough } from 'node:stream'
import type { SessionEvent } from '@parley/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStyle } from '../render/display.ts'
import { screenAfter } from '../testing/terminal.ts'
import { createToolPrinter } from './tool-printer.ts'

const called = (name: string, input: unknown) => ({
  type: 'agent:tool_call',
  callId: 'one',
  call: { id: 'one', name, input },
})
const decided = (tool: string, target: string, given: object = {}) => ({
  type: 'agent:tool_decided',
  callId: 'one',
  tool,
  target,
  verdict: 'allowed',
  by: 'policy',
  ...given,
})
const result = (outcome: object) => ({ type: 'agent:tool_result', callId: 'one', outcome })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A terminal of 60 columns on which events are shown one after another. */
function shown(redraws: boolean) {
  const output = Object.assign(new PassThrough(), { columns: 60, rows: 20 })
  const display = {
    style: createStyle(false),
    columns: 60,
    isTerminal: true,
    redraws,
    markdown: { links: false },
  }
  const screen = createToolPrinter(output, display)
  let written = ''
  return {
    screen,
    tell: (...events: readonly object[]) => {
      for (const event of events) {
        const news = screen.toUpdate(event as SessionEvent)
        if (news) screen.show(news)
      }
    },
    lines: () => {
      written += String(output.read() ?? '')
      return screenAfter(written.replaceAll(/\r?\n/g, '\r\n')).lines
    },
  }
}

const RUN = [called('run_command', { command: 'npm test' }), decided('run_command', 'npm test')]

test('[S12] the line of a running call counts seconds and then shows the outcome', () => {
  const { tell, lines } = shown(true)
  tell(...RUN)
  expect(lines()).toEqual(['⏺ run_command npm test'])
  vi.advanceTimersByTime(2_000)
  expect(lines()).toEqual(['⏺ run_command npm test … 2 s  Ctrl-C stops it'])
  vi.advanceTimersByTime(10_000)
  expect(lines()).toEqual(['⏺ run_command npm test … 12 s  Ctrl-C stops it'])
  tell(result({ kind: 'ok', text: 'all is well' }))
  expect(lines()).toEqual(['⏺ run_command npm test', '  all is well', ''])
  expect(vi.getTimerCount()).toBe(0)
})

test('[S12] other output finishes the line first', () => {
  const { screen, tell, lines } = shown(true)
  tell(...RUN)
  vi.advanceTimersByTime(3_000)
  screen.settle()
  screen.settle()
  expect(lines()).toEqual(['⏺ run_command npm test', ''])
  expect(vi.getTimerCount()).toBe(0)
})

test('[S12] without redrawing there is one line at the start and one at the end', () => {
  const { tell, lines } = shown(false)
  tell(...RUN)
  expect(vi.getTimerCount()).toBe(0)
  expect(lines()).toEqual(['⏺ run_command npm test', ''])
  tell(result({ kind: 'failed', code: 'tool_failed', text: 'exit code 1\nNo tide.' }))
  expect(lines()).toEqual(['⏺ run_command npm test', '  failed: exit code 1', '  No tide.', ''])
})

const EDIT = { path: 'a.md', old_text: 'low\n', new_text: 'high\nwater\n' }

test.each([
  ['session', ['  │ -low', '  │ +high', '  │ +water']],
  ['person', []],
])('[S13] the changes of an edit approved by the %s', (by, change) => {
  const { tell, lines } = shown(false)
  tell(
    called('edit_file', EDIT),
    decided('edit_file', 'a.md', { by }),
    result({ kind: 'ok', text: 'Changed.' }),
  )
  expect(lines()).toEqual(['⏺ edit_file a.md', ...change, '  Changed.', ''])
})

test('[S13] a failed edit shows no changes', () => {
  const { tell, lines } = shown(false)
  const failed = result({ kind: 'failed', code: 'tool_failed', text: 'Not found.' })
  tell(called('edit_file', EDIT), decided('edit_file', 'a.md', { by: 'session' }), failed)
  expect(lines()).toEqual(['⏺ edit_file a.md', '  failed: Not found.', ''])
})
