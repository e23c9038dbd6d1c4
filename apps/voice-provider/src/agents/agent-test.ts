import { z } from 'zod'

/** Check of one call parameter. */
export const ParameterCheck = z.looseObject({
  /** Dotted path into the parameters. */
  path: z.string(),
  eval: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('anything') }),
    z.looseObject({ type: z.literal('exact'), expected_value: z.unknown() }),
    z.looseObject({ type: z.literal('regex'), pattern: z.string() }),
    z.looseObject({ type: z.literal('llm'), description: z.string() }),
  ]),
})
export type ParameterCheck = z.infer<typeof ParameterCheck>

/** A tool's answer in tests, for calls that meet the conditions. */
export const ResponseMock = z.looseObject({
  parameter_conditions: z.array(ParameterCheck).default([]),
  mock_result: z.string(),
  is_error: z.boolean().default(false),
})
export type ResponseMock = z.infer<typeof ResponseMock>

/** Tools to mock in a test. Default: all, so tests reach no server. */
export const MockBehaviour = z.looseObject({
  mocking_strategy: z.enum(['all', 'selected', 'none']).default('all'),
  fallback_strategy: z.enum(['call_real_tool', 'raise_error']).default('raise_error'),
  mocked_tool_ids: z.array(z.string()).default([]),
})
export type MockBehaviour = z.infer<typeof MockBehaviour>

const TEST_FIELDS = {
  name: z.string().min(1),
  chat_history: z
    .array(
      z.looseObject({
        role: z.enum(['user', 'agent']),
        message: z.string().nullish(),
        time_in_call_secs: z.number(),
      }),
    )
    .max(200)
    .default([]),
  dynamic_variables: z.record(z.string(), z.unknown()).default({}),
  environment: z.string().nullish(),
  tool_mock_config: MockBehaviour.nullish(),
  /** By tool id. They take precedence over the tool's own mocks. */
  tool_mock_overrides: z.record(z.string(), z.array(ResponseMock)).nullish(),
}

const listExamples = (type: 'success' | 'failure') =>
  z
    .array(z.looseObject({ response: z.string(), type: z.literal(type).default(type) }))
    .max(5)
    .default([])

const ResponseTest = z.looseObject({
  ...TEST_FIELDS,
  type: z.literal('llm'),
  success_condition: z.string().default(''),
  success_examples: listExamples('success'),
  failure_examples: listExamples('failure'),
})

const ToolTest = z.looseObject({
  ...TEST_FIELDS,
  type: z.literal('tool'),
  tool_call_parameters: z
    .looseObject({
      referenced_tool: z.looseObject({ id: z.string(), type: z.string() }).nullish(),
      parameters: z.array(ParameterCheck).default([]),
      verify_absence: z.boolean().default(false),
    })
    .nullish(),
  check_any_tool_matches: z.boolean().nullish(),
})

const SimulationTest = z.looseObject({
  ...TEST_FIELDS,
  type: z.literal('simulation'),
  simulation_environment: z.string().nullish(),
  simulation_scenario: z.string().default(''),
  simulation_max_turns: z.int().min(1).max(50).default(5),
  success_condition: z.string().nullish(),
  success_conditions: z.array(z.string()).max(30).default([]),
})

/** A test of an agent's answer, its tool call, or a whole conversation. */
export const AgentTestConfig = z.preprocess(
  // The default kind is a test of an answer.
  (input) =>
    typeof input === 'object' && input !== null && !('type' in input) ? { type: 'llm', ...input } : input,
  z.discriminatedUnion('type', [ResponseTest, ToolTest, SimulationTest]),
)
export type AgentTestConfig = z.infer<typeof AgentTestConfig>
