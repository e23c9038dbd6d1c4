import type { ServerTool, ToolParameter } from '@parley/reflections'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromVendorTool, toVendorTool } from './tools.ts'

const word = fc.stringMatching(/^[a-z][a-z_]{0,8}$/)
const parameter: fc.Arbitrary<ToolParameter> = fc.record({
  type: fc.constantFrom('string', 'number', 'integer', 'boolean'),
  isRequired: fc.boolean(),
  value: fc.oneof(
    fc.record({ kind: fc.constant('model'), description: word }),
    fc.record({ kind: fc.constant('variable'), variable: word }),
    fc.record({ kind: fc.constant('constant'), constant: fc.oneof(word, fc.integer(), fc.boolean()) }),
  ),
})
const PLAIN = { maxKeys: 4, noNullPrototype: true } as const
const anyTool: fc.Arbitrary<ServerTool> = fc.record({
  name: word,
  description: fc.string(),
  url: fc.webUrl(),
  headers: fc.dictionary(
    word,
    fc.oneof(word, fc.record({ secretId: word }), fc.record({ variable: word })),
    PLAIN,
  ),
  parameters: fc.dictionary(word, parameter, PLAIN),
  timeoutSeconds: fc.integer({ min: 5, max: 300 }),
})

test('[P13] a tool survives a round trip', () => {
  fc.assert(
    fc.property(anyTool, (tool) => {
      expect(fromVendorTool(configOf(tool))).toEqual({ tool, unexpectedPaths: [] })
    }),
  )
})

test.each([
  ['executionMode', { executionMode: 'async' }],
  ['assignments', { assignments: [{ dynamicVariable: 'user_id', valuePath: 'a' }] }],
  ['followRedirects', { followRedirects: true }],
] as const)('[P13] a change of %s at the provider is reported', (path, change) => {
  const [tool] = fc.sample(anyTool, { numRuns: 1, seed: 1 })
  if (!tool) throw new Error('no tool')
  expect(fromVendorTool({ ...configOf(tool), ...change } as never).unexpectedPaths).toEqual([path])
})

function configOf(tool: ServerTool): Parameters<typeof fromVendorTool>[0] {
  return toVendorTool(tool) as Parameters<typeof fromVendorTool>[0]
}
