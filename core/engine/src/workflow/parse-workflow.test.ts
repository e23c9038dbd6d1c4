import { expect, test } from 'vitest'
import { serializeWorkflow } from '../export/export-session.ts'
import { parseWorkflow } from './parse-workflow.ts'

const parseText = (text: string) => parseWorkflow(text, { file: 'a.relavium.yaml' })
const HEAD = `schema_version: '1.0'\nworkflow:\n  id: a\n`

const EVERY_KIND = `schema_version: '1.0'
workflow:
  id: review
  version: 1.2.0
  tags: [code]
  trigger: { type: manual }
  inputs:
    - { name: file_path, type: file_path, required: true }
  context:
    - { key: code, value: '{{inputs.file_path | read_file}}' }
  agents:
    - { id: reviewer, model: offline, provider: offline, system_prompt: Be brief. }
  tools: { allowedCommands: [npm test] }
  budget: { max_cost_microcents: 5000000, on_exceed: pause_for_approval }
  timeout_ms: 300000
  max_parallel: 4
  nodes:
    - { id: input, type: input }
    - { id: fan-out, type: parallel, parallel_of: [style, safety] }
    - { id: style, type: agent, agent_ref: reviewer, prompt_template: '{{ctx.code}}' }
    - { id: safety, type: agent, agent_ref: reviewer, tools: [read_file], retry: { max_attempts: 2 } }
    - { id: both, type: merge, merge_strategy: custom, merge_fn: 'branches[0]' }
    - { id: shape, type: transform, transform: 'run.outputs["both"]' }
    - id: is-good
      type: condition
      expression: run.outputs["shape"].score > 7
      branches: [{ when: true, target_node: output }]
      default: ask
    - { id: ask, type: human_gate, gate_type: approval, timeout_ms: 1000, timeout_action: reject }
    - { id: output, type: output, output_format: text }
  edges:
    - { from: input, to: fan-out }
    - { from: style, to: both }
    - { from: safety, to: both }
    - { from: both, to: shape }
    - { from: shape, to: is-good }
    - { from: ask, to: output }
`

test('[S14] a workflow with every kind of node is read, and written unchanged', async () => {
  const workflow = await parseText(EVERY_KIND)
  expect(workflow.nodes.map(({ type }) => type)).toEqual([
    'input',
    'parallel',
    'agent',
    'agent',
    'merge',
    'transform',
    'condition',
    'human_gate',
    'output',
  ])
  const written = serializeWorkflow(workflow)
  const again = await parseText(written)
  expect(again).toEqual(workflow)
  expect(serializeWorkflow(again)).toBe(written)
})

const createChain = (nodes: string, edges = '[{ from: input, to: output }]') =>
  `${HEAD}  nodes: [{ id: input, type: input }, ${nodes}{ id: output, type: output }]\n  edges: ${edges}\n`

test.each([
  [
    'an unknown key at the top',
    `${createChain('')}worfklow: 1\n`,
    ':6:1: unknown key "worfklow"; did you mean "workflow"?',
  ],
  [
    'an unknown key of the workflow',
    `${HEAD}  noodes: []\n  edges: []\n`,
    ':4:3: workflow.noodes: unknown key "noodes"; did you mean "nodes"?',
  ],
  [
    'an unknown key of a node',
    createChain('{ id: a, type: agent, agent_rf: x }, '),
    ':4:61: workflow.nodes[1].agent_rf: unknown key "agent_rf"; did you mean "agent_ref"?',
  ],
  [
    'a key of another kind of node',
    createChain('{ id: a, type: input, transform: x }, '),
    ':4:61: workflow.nodes[1].transform: unknown key "transform"',
  ],
  [
    'an unknown type',
    createChain('{ id: a, type: agnet }, '),
    ':4:54: workflow.nodes[1].type: did you mean the type "agent"?',
  ],
  [
    'no type',
    createChain('{ id: a }, '),
    'workflow.nodes[1].type: the type is one of input, agent, human_gate',
  ],
  ['a missing key', createChain('{ id: a, type: transform }, '), 'the key "transform" is missing'],
  [
    'no version',
    createChain('').replace(/^.*\n/, ''),
    `schema_version: the version of the format is written as '1.0', in quotes`,
  ],
  [
    'a version that is a number',
    createChain('').replace(`'1.0'`, '1.0'),
    `:1:17: schema_version: the version of the format is written as '1.0', in quotes`,
  ],
  [
    'an id that is none',
    createChain('').replace('id: a', 'id: A b'),
    ':3:7: workflow.id: lower-case letters, digits and single hyphens',
  ],
  [
    'an edge to nowhere',
    createChain('', '[{ from: input, to: ouput }]'),
    ':5:30: workflow.edges[0].to: there is no node "ouput"; did you mean "output"?',
  ],
  [
    'a branch to nowhere',
    createChain(
      '{ id: c, type: condition, expression: x, branches: [{ when: 1, target_node: no-such-node }] }, ',
    ),
    'workflow.nodes[1].branches[0].target_node: there is no node "no-such-node"',
  ],
  [
    'a fan to nowhere',
    createChain('{ id: p, type: parallel, parallel_of: [output, nope] }, '),
    'workflow.nodes[1].parallel_of[1]: there is no node "nope"',
  ],
  [
    'an unknown agent',
    `${createChain('{ id: a, type: agent, agent_ref: helpr }, ')}  agents: [{ id: helper, model: m, provider: p }]\n`,
    'workflow.nodes[1].agent_ref: there is no agent "helpr"; did you mean "helper"?',
  ],
  [
    'two nodes of one id',
    createChain('{ id: output, type: output }, '),
    'workflow.nodes[2].id: there are two nodes "output"',
  ],
  [
    'two inputs',
    createChain('{ id: b, type: input }, '),
    ':4:39: workflow.nodes[1]: there is another node of the type "input"; a workflow has one',
  ],
  [
    'no input',
    `${HEAD}  nodes: [{ id: output, type: output }]\n  edges: []\n`,
    ':4:10: workflow.nodes: there is no node of the type "input"',
  ],
  [
    'a circle',
    createChain(
      '{ id: a, type: transform, transform: x }, ',
      '[{ from: input, to: a }, { from: a, to: output }, { from: output, to: a }]',
    ),
    'these nodes form a cycle: a → output → a',
  ],
  [
    'a circle of one',
    createChain('', '[{ from: input, to: output }, { from: output, to: output }]'),
    'these nodes form a cycle: output → output',
  ],
  [
    'a node that nothing leads to',
    createChain('{ id: a, type: transform, transform: x }, '),
    ':4:45: workflow.nodes[1].id: no edge leads to the node "a"',
  ],
  [
    'a merge without its function',
    createChain('{ id: m, type: merge, merge_strategy: custom }, '),
    'workflow.nodes[1]: the strategy "custom" needs the key "merge_fn"',
  ],
  ['a key twice', `${createChain('')}  id: b\n`, ':6:3: the key "id" appears twice'],
  ['an alias to nothing', `${HEAD}  name: *x\n`, 'Unresolved alias'],
  [
    'an alias within itself',
    `${HEAD}  metadata: &x { y: *x }\n`,
    ':4:21: the alias "*x" is inside the value that it names',
  ],
  ['a tag that is none of ours', `${HEAD}  metadata: !!set { a, b }\n`, ':4:13: Unresolved tag'],
  ['two documents', `${createChain('')}---\na: 1\n`, ':6:1: it holds more than one document'],
  ['no workflow', 'Hello!', ':1:1: must be an object, not text'],
  ['broken YAML', `${HEAD}  name: "open\n`, 'Missing closing "quote'],
])('[S14] %s is refused by file, line, column and path', async (_, text, expected) => {
  const failure = await parseText(text).catch((reason: unknown) => reason)
  expect(failure).toMatchObject({ code: 'config_invalid', detail: { file: 'a.relavium.yaml' } })
  expect((failure as Error).message).toContain(expected)
  expect((failure as Error).message).toMatch(/^a\.relavium\.yaml:\d+:\d+: /)
})

test('an agent that the file does not bring may be known elsewhere', async () => {
  const nodes = '{ id: a, type: agent, agent_ref: elsewhere }, '
  const text = createChain(nodes, '[{ from: input, to: a }, { from: a, to: output }]')
  expect((await parseText(text)).agents).toBeUndefined()
})

test('YAML 1.1 is not read, even if a file declares it', async () => {
  const text = `%YAML 1.1\n---\n${createChain('')}  metadata: { a: yes, b: 012, <<: { c: 1 } }\n`
  expect((await parseText(text)).metadata).toEqual({ a: 'yes', b: 12, '<<': { c: 1 } })
})

const doublingNodes = Array.from({ length: 30 }, (_, level) =>
  level === 0 ? '    a0: &a0 [x, x]\n' : `    a${level}: &a${level} [*a${level - 1}, *a${level - 1}]\n`,
).join('')

test.each([
  [
    'aliases that unfold without end',
    `${HEAD}  metadata:\n${doublingNodes}`,
    'its aliases expand to far more',
  ],
  [
    'lists within lists',
    `${HEAD}  metadata: { a: ${'['.repeat(300)}${']'.repeat(300)} }`,
    'nested more than 256 deep',
  ],
  ['brackets that never close', `${HEAD}  metadata: ${'['.repeat(100_000)}`, 'nested more than 256 deep'],
  [
    'maps within maps',
    Array.from({ length: 5_000 }, (_, n) => `${' '.repeat(n)}a:\n`).join(''),
    'nested more than 256 deep',
  ],
  ['millions of items', `a: [${'1,'.repeat(2_500_000)}]`, 'it holds more than 2000000 tokens'],
  ['a file that is too long', `a: ${'x'.repeat(64_000_000)}`, 'it is longer than 64000000 characters'],
])('%s are refused, and soon', async (_, text, expected) => {
  const began = process.cpuUsage()
  await expect(parseText(text)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(expected),
  })
  // CPU time, independent of other load.
  const { user, system } = process.cpuUsage(began)
  expect(user + system).toBeLessThan(20_000_000)
})

test('a thousand unknown keys give a short report, quickly', async () => {
  const nodes = Array.from({ length: 5_000 }, (_, n) => `    - { id: n${n}, type: agnet }\n`).join('')
  const failure = await parseText(`${HEAD}  edges: []\n  nodes:\n${nodes}`).catch((reason: unknown) => reason)
  const lines = (failure as Error).message.split('\n')
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toBe('  and more problems of this kind')
})
