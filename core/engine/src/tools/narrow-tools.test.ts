import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testAgent } from '../testing/fixtures.ts'
import { narrowTools } from './narrow-tools.ts'

const names = fc.subarray(['read_file', 'write_file', 'run_command', 'nothing'])

test('[S13] a session narrows its agent’s tools, and never widens them', () => {
  fc.assert(
    fc.property(fc.option(names, { nil: undefined }), names, (granted, asked) => {
      const agent = { ...testAgent, ...(granted && { tools: granted }) }
      const { tools = [] } = narrowTools(agent, asked)
      for (const tool of tools) {
        expect(granted).toContain(tool)
        expect(asked).toContain(tool)
      }
      for (const tool of asked) expect(tools.includes(tool)).toBe(granted?.includes(tool) ?? false)
    }),
  )
})

test('[S13] without a request it has all tools of the agent', () => {
  expect(narrowTools(testAgent, undefined)).toBe(testAgent)
})
