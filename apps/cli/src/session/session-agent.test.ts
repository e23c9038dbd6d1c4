import { expect, test } from 'vitest'
import { type Agent, ToolName } from '@parley/contracts'
import { testAgent } from '@parley/engine/testing'
import { OFFLINE_AGENT } from '../agent/find-agent.ts'
import { DEFAULT_CHAT } from '../config/chat-settings.ts'
import { createModelAgent, parseModel, parseTools, listToolNotices, changeModel } from './session-agent.ts'

const editor: Agent = { ...testAgent, id: 'ed', tools: ['read_file', 'run_command'] }
const settings = { chat: DEFAULT_CHAT, web_search: undefined }
const notices = (requested?: readonly string[], chat = DEFAULT_CHAT) =>
  listToolNotices({
    agent: editor,
    requested,
    settings: { ...settings, chat },
    ownFile: '/home/ada/.parley/config.toml',
  })

test('[S13] --tools is a list of tools or none', () => {
  expect(parseTools(undefined)).toBeUndefined()
  expect(parseTools(' none ')).toEqual([])
  expect(parseTools('read_file, git_status')).toEqual(['read_file', 'git_status'])
  expect(() => parseTools('raed_file')).toThrow(
    'In --tools there is no tool "raed_file"; did you mean "read_file"?',
  )
})

const NOT_HIS = 'The agent "ed" does not have git_status; --tools cannot add tools.'
const NOT_ALLOWED =
  'run_command needs allowed_commands under [chat] in your config: /home/ada/.parley/config.toml'
const NONE_LEFT = 'This leaves the agent "ed" without tools.'

test.each<[string, readonly string[] | undefined, readonly string[]]>([
  ['--tools is absent', undefined, []],
  ['--tools is none', [], []],
  ['all tools are available', ['read_file'], []],
  ['the agent lacks one', ['read_file', 'git_status'], [NOT_HIS]],
  ['the config allows no command', ['read_file', 'run_command'], [NOT_ALLOWED]],
  ['no tool is left', ['git_status'], [NOT_HIS, NONE_LEFT]],
])('[S13] the notices when %s', (_, requested, expected) => {
  expect(notices(requested)).toEqual(expected)
})

test('[S13] a tool with its setting is available', () => {
  expect(notices(['run_command'], { ...DEFAULT_CHAT, allowed_commands: ['npm test'] })).toEqual([])
})

const chat = { reasoning_effort: 'high' } as const

test('[S18] a model without an agent becomes an agent of that name', () => {
  expect(createModelAgent('local/meta/llama3', chat)).toEqual({
    id: 'chat',
    name: 'meta/llama3',
    provider: 'local',
    model: 'meta/llama3',
    system_prompt: '',
    reasoning_effort: 'high',
    tools: ToolName.options,
  })
  expect(createModelAgent('local/llama3', { mcp_servers: ['files'] })).toMatchObject({
    mcp_servers: ['files'],
  })
  expect(createModelAgent('offline/offline', chat)).toEqual(OFFLINE_AGENT)
})

test('[S2] another model keeps an agent’s settings, and replaces a plain model whole', () => {
  const agent = { id: 'chat', provider: 'a', model: 'x', system_prompt: 'Be brief.' }
  expect(changeModel(agent, 'b/y', chat)).toEqual({ ...agent, provider: 'b', model: 'y' })
  expect(changeModel(createModelAgent('a/x', {}), 'b/y', chat)).toEqual(createModelAgent('b/y', chat))
  expect(changeModel(OFFLINE_AGENT, 'b/y', chat)).toEqual(createModelAgent('b/y', chat))
  expect(changeModel(createModelAgent('a/x', chat), 'offline/offline', chat)).toEqual(OFFLINE_AGENT)
})

test.each([
  ['local', '"local" is a provider; add one of its models.'],
  ['llama3', '"llama3" is not a model name'],
  ['Local/x', '"Local/x" is not a model name'],
  ['local/', '"local/" is not a model name'],
])('%s is not a model name', (given, expected) => {
  expect(() => parseModel(given, [{ name: 'local' }])).toThrow(expected)
})
