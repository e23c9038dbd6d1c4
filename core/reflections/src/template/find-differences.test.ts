import { expect, test } from 'vitest'
import { AgentTemplate } from './agent-template.ts'
import { type FieldDifference, findDifferences } from './find-differences.ts'

const base = AgentTemplate.parse({
  name: 'A reflection',
  prompt: 'You speak for {{creator_name}}.',
  firstMessage: '',
  voiceId: 'voice_1',
  toolIds: ['tool_1', 'tool_2'],
  placeholders: { creator_name: 'nobody' },
})

test('[V14] a template has the contract’s defaults', () => {
  expect(base).toMatchObject({
    model: 'claude-sonnet-4-6',
    temperature: 0.4,
    maxOutputTokens: 500,
    parallelToolCalls: false,
    endCall: { guidance: '' },
    authRequired: true,
    overrides: [],
  })
})

test.each<[string, object]>([
  ['an unknown field', { colour: 'red' }],
  ['an empty prompt', { prompt: '' }],
  ['no tokens for an answer', { maxOutputTokens: 0 }],
])('[V14] %s is refused', (_, given) => {
  expect(AgentTemplate.safeParse({ ...base, ...given }).success).toBe(false)
})

test.each<[string, Partial<AgentTemplate>, readonly FieldDifference[]]>([
  ['nothing if all is equal', {}, []],
  ['nothing if only an order differs', { toolIds: ['tool_2', 'tool_1'] }, []],
  ['a plain value', { temperature: 0 }, [{ path: 'temperature', wanted: 0.4, held: 0 }]],
  [
    'a nested value',
    { privacy: { ...base.privacy, recordVoice: true } },
    [{ path: 'privacy.recordVoice', wanted: false, held: true }],
  ],
  [
    'a whole list',
    { toolIds: ['tool_1'] },
    [{ path: 'toolIds', wanted: ['tool_1', 'tool_2'], held: ['tool_1'] }],
  ],
  [
    'present and missing fields',
    { endCall: null },
    [{ path: 'endCall', wanted: { guidance: '' }, held: null }],
  ],
  [
    'names on only one side',
    { placeholders: { toString: 'x' } },
    [
      { path: 'placeholders.creator_name', wanted: 'nobody' },
      { path: 'placeholders.toString', held: 'x' },
    ],
  ],
])('[P13] reports %s', (_, held, expected) => {
  expect(findDifferences(base, { ...base, ...held })).toEqual(expected)
})
