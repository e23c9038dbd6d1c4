import { ToolName } from '@parley/contracts'
import { testAgent } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { renderHeader } from './header.ts'
import { createStyle } from './style.ts'

const look = { style: createStyle(false), columns: 80, isTerminal: true }

test.each<[string, readonly string[], string]>([
  ['none', [], 'no tools'],
  ['all', ToolName.options, 'all tools'],
  ['some', ['read_file', 'run_command'], 'tools: read_file, run_command'],
  [
    'whole groups',
    ToolName.options.filter((name) => name !== 'mcp_call' && name !== 'web_search'),
    'tools: files, git, run_command, http_request',
  ],
])(
  '[S12] above a talk stands where the agent works, how far it reaches, and with which tools: %s',
  (_, tools, told) => {
    const place = { workingDir: '/home/ada/tides', fsScope: 'project' as const, tools }
    const header = renderHeader({ agent: testAgent, place, files: [] }, look)
    expect(header.split('\n')).toContain(`/home/ada/tides · project · ${told}`)
  },
)

test('[S12] a folder with an odd name does nothing to the screen', () => {
  const place = { workingDir: '/a\x1b[2Jb', fsScope: 'full' as const, tools: [] }
  expect(renderHeader({ agent: testAgent, place, files: [] }, look)).toContain('/a␛[2Jb · full · no tools')
})
