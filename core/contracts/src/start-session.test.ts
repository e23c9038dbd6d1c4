import { expect, test } from 'vitest'
import { ENDPOINTS, MAX_SEQUENCE, StartSession, describeUnknownKey } from './index.ts'

const agent = (given: object) => ({
  agent: { id: 'helper', model: 'offline', provider: 'offline', ...given },
})
const createContext = (given: object) => ({ context: given })
const variables = (count: number, length: number) =>
  createContext({
    variables: Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, 'x'.repeat(length)])),
  })
const createNestedList = (levels: number): unknown => (levels === 0 ? 'deep' : [createNestedList(levels - 1)])
const names = (count: number) => Array.from({ length: count }, (_, n) => `tool_${n}`)

const findProblem = (body: object): string | undefined =>
  StartSession.safeParse(body).error?.issues[0]?.message

test.each([
  ['a long prompt', agent({ system_prompt: 'x'.repeat(200_000) })],
  ['many tools', agent({ tools: Array.from({ length: 200 }, () => 'read_file') })],
  ['a schema of the usual depth', agent({ input_schema: { default: createNestedList(20) } })],
  ['a window of memory', agent({ memory: { type: 'window', window_size: 3 } })],
  ['many variables', variables(100, 600)],
  ['a title with whole characters', { title: 'Zoë 👩‍🚀' }],
])('%s is accepted', (_, body) => {
  expect(findProblem(body)).toBeUndefined()
})

test.each([
  ['a prompt', agent({ system_prompt: 'x'.repeat(200_001) }), '<=200000 characters'],
  ['a provider', agent({ provider: 'x'.repeat(65) }), '<=64 characters'],
  ['a list of tools', agent({ tools: names(201) }), '<=200 items'],
  ['a tool’s name', agent({ tools: ['x'.repeat(201)] }), '<=200 characters'],
  [
    'a chain',
    agent({ fallback_chain: Array.from({ length: 11 }, () => ({ provider: 'p', model: 'm' })) }),
    '<=10 items',
  ],
  ['a schema', agent({ output_schema: { a: 'x'.repeat(65_536) } }), 'at most 65536 characters of JSON'],
  ['a default', agent({ input_schema: { default: createNestedList(40) } }), 'nested at most 32 deep'],
  ['the count of variables', variables(101, 1), 'at most 100 variables'],
  ['the sum of variables', variables(100, 700), 'at most 65536 characters in all'],
  ['a path', createContext({ workingDir: 'x'.repeat(4_097) }), '<=4096 characters'],
  ['a reference', createContext({ gitRef: 'x'.repeat(1_025) }), '<=1024 characters'],
  ['a title', { title: 'x'.repeat(201) }, '<=200 characters'],
])('%s over its limit is refused with the limit', (_, body, message) => {
  expect(findProblem(body)).toContain(message)
})

test.each([
  [
    agent({ tools: ['read_file', 'raed_file'] }),
    ['agent', 'tools', 1],
    /no tool "raed_file"; did you mean "read_file"\?/,
  ],
  [agent({ memory: { type: 'window' } }), ['agent', 'memory', 'window_size'], /expected (int|number)/],
])('[S1] an agent in a request is checked like an agent file: %j', (body, path, message) => {
  const [issue] = StartSession.safeParse(body).error?.issues ?? []
  expect(issue?.path).toEqual(path)
  expect(issue?.message).toMatch(message)
})

test.each(['half \ud83d', '\udc00', 'nul \0'])('a title that cannot be stored is refused: %j', (title) => {
  expect(findProblem({ title })).toBe('no U+0000 and no half of a surrogate pair')
})

test.each([
  [{ chanel: 'text' }, 'unknown key "chanel"; did you mean "channel"?'],
  [agent({ sytem_prompt: '' }), 'unknown key "sytem_prompt"; did you mean "system_prompt"?'],
  [
    agent({ retry: { max_attempts: 1, max_atempts: 2 } }),
    'unknown key "max_atempts"; did you mean "max_attempts"?',
  ],
  [
    createContext({ workingdir: '/', colour: 'red' }),
    'unknown key "workingdir"; did you mean "workingDir"?; unknown key "colour"',
  ],
])('[S1] unknown keys are refused with a suggestion: %j', (body, message) => {
  expect(findProblem(body)).toBe(message)
})

test('the message for many or long unknown keys is short', () => {
  const began = process.cpuUsage()
  const keys = Array.from({ length: 100_000 }, (_, n) => [`${n}${'k'.repeat(100)}`, 1] as const)
  const message = findProblem({ ...Object.fromEntries(keys), ['x'.repeat(1_000_000)]: 1 }) ?? ''
  expect(message).toMatch(/^unknown key "0k{63}…"; .*; and 99991 more$/)
  expect(message.length).toBeLessThan(1_500)
  // The CPU time of this process, whatever else the machine does.
  expect(process.cpuUsage(began).user).toBeLessThan(5_000_000)
  expect(describeUnknownKey(`${'k'.repeat(63)}👩`, [])).toBe(`unknown key "${'k'.repeat(63)}\ufffd…"`)
})

test.each([MAX_SEQUENCE + 1, 2 ** 53, '1e400', -1, 'x'])('a read after %s is refused', (after) => {
  for (const { request } of [ENDPOINTS.streamEvents, ENDPOINTS.listMessages]) {
    expect(request.query.safeParse({ after }).success).toBe(false)
    expect(request.query.parse({ after: String(MAX_SEQUENCE) })).toMatchObject({ after: MAX_SEQUENCE })
  }
})
