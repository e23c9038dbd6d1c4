import { z } from 'zod'

/** What one parameter of a call has to be. */
export const ParameterCheck = z.looseObject({
  /** A path with dots into the parameters. */
  path: z.string(),
  eval: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('anything') }),
    z.looseObject({ type: z.literal('exact'), expected_value: z.unknown() }),
    z.looseObject({ type: z.literal('regex'), pattern: z.string() }),
    z.looseObject({ type: z.literal('llm'), description: z.string() }),
  ]),
})
export type ParameterCheck = z.infer<typeof ParameterCheck>

/** What a tool is made to answer in tests, to calls whose parameters are so; to all where it names none. */
export const ResponseMock = z.looseObject({
  parameter_conditions: z.array(ParameterCheck).default([]),
  mock_result: z.string(),
  is_error: z.boolean().default(false),
})
export type ResponseMock = z.infer<typeof ResponseMock>

/** Which tools are made up in a test. All of them, where it does not say: a test reaches no server unasked. */
export const MockBehaviour = z.looseObject({
  mocking_strategy: z.enum(['all', 'selected', 'none']).default('all'),
  fallback_strategy: z.enum(['call_real_tool', 'raise_error']).default('raise_error'),
  mocked_tool_ids: z.array(z.string()).default([]),
})
export type MockBehaviour = z.infer<typeof MockBehaviour>
