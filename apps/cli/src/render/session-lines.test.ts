import { expect, test } from 'vitest'
import { ToolName } from '@parley/contracts'
import { testAgent } from '@parley/engine/testing'
import { createStyle } from './display.ts'
import { listCostLines, renderHeader, formatStatus, sumCosts } from './session-lines.ts'

const display = { style: createStyle(false), columns: 80, isTerminal: true }

test.each<[string, readonly string[], string]>([
  ['none', [], 'no tools'],
  ['all', ToolName.options, 'all tools'],
  ['some', ['read_file', 'run_command'], 'tools: read_file, run_command'],
  [
    'whole groups',
    ToolName.options.filter((name) => name !== 'mcp_call' && name !== 'web_search'),
    'tools: files, git, run_command, http_request',
  ],
])('[S12] the header shows folder, file scope and tools: %s', (_, tools, told) => {
  const access = { workingDir: '/home/ada/tides', fsScope: 'project' as const, tools }
  const header = renderHeader({ agent: testAgent, access, files: [] }, display)
  expect(header.split('\n')).toContain(`/home/ada/tides · project · ${told}`)
})

test('[S12] a folder name with control characters is neutralised', () => {
  const access = { workingDir: '/a\x1b[2Jb', fsScope: 'full' as const, tools: [] }
  expect(renderHeader({ agent: testAgent, access, files: [] }, display)).toContain(
    '/a␛[2Jb · full · no tools',
  )
})

test.each([
  [{}, ''],
  [{ agent: 'Helper' }, 'Helper'],
  [{ agent: 'Offline', model: 'offline' }, 'Offline'],
  [
    { agent: 'Helper', model: 'small', contextUsed: 0.126, microcents: 0 },
    'Helper · small · 13 % of context · $0',
  ],
  [{ agent: 'Helper', microcents: 0, unpricedSteps: 1 }, 'Helper · cost unknown'],
  [{ agent: 'Helper', microcents: 1_230_000, unpricedSteps: 1 }, 'Helper · $0.0123 + unknown'],
])('the status %o is shown as "%s"', (status, expected) => {
  expect(formatStatus(status)).toBe(expected)
})

const small = { inputTokens: 1_200, outputTokens: 30, microcents: 1_230_000 }
const local = { inputTokens: 9, outputTokens: 2, microcents: 0, unpricedSteps: 2 }

test('[S8] each model has its line; several have a total', () => {
  expect(listCostLines({})).toEqual([])
  expect(listCostLines({ 'a/small': small })).toEqual(['a/small: $0.0123 (1,200 tokens in, 30 out)'])
  expect(listCostLines({ 'a/small': small, 'b/large': { ...small, microcents: 1 } })).toEqual([
    'a/small: $0.0123 (1,200 tokens in, 30 out)',
    'b/large: $0.00000001 (1,200 tokens in, 30 out)',
    'Total: $0.01230001',
  ])
})

test('[S11] an unknown price is shown as unknown, never as zero', () => {
  expect(listCostLines({ 'l/x': local })).toEqual(['l/x: unknown, the price of 2 steps (9 tokens in, 2 out)'])
  expect(listCostLines({ 'a/small': small, 'l/x': { ...local, unpricedSteps: 1 } }).at(-1)).toBe(
    'Total: $0.0123, plus the price of 1 step (unknown)',
  )
  expect(sumCosts({ 'a/small': small, 'l/x': local })).toEqual({ microcents: 1_230_000, unpricedSteps: 2 })
})
