import type { Agent } from '@parley/contracts'
import { testAgent } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { DEFAULT_CHAT } from '../config/chat-rules.ts'
import { readTools, toolNotices } from './read-tools.ts'

const agent: Agent = { ...testAgent, id: 'ed', tools: ['read_file', 'run_command'] }
const settings = { chat: DEFAULT_CHAT, web_search: undefined }
const notices = (asked?: readonly string[], chat = DEFAULT_CHAT) =>
  toolNotices({ agent, asked, settings: { ...settings, chat }, ownFile: '/home/ada/.parley/config.toml' })

test('[S13] --tools names tools, or none', () => {
  expect(readTools(undefined)).toBeUndefined()
  expect(readTools(' none ')).toEqual([])
  expect(readTools('read_file, git_status')).toEqual(['read_file', 'git_status'])
  expect(() => readTools('raed_file')).toThrow(
    'In --tools there is no tool "raed_file"; did you mean "read_file"?',
  )
})

const NOT_HIS = 'The agent "ed" does not have git_status; --tools gives an agent none that it does not have.'
const NOT_ALLOWED =
  'There is no run_command until your config has allowed_commands under [chat]: /home/ada/.parley/config.toml'
const NONE_LEFT = 'This leaves the agent "ed" without tools.'

test.each<[string, readonly string[] | undefined, readonly string[]]>([
  ['nothing is asked for', undefined, []],
  ['none is asked for', [], []],
  ['all is to be had', ['read_file'], []],
  ['the agent lacks one', ['read_file', 'git_status'], [NOT_HIS]],
  ['the config allows it nothing', ['read_file', 'run_command'], [NOT_ALLOWED]],
  ['nothing is left', ['git_status'], [NOT_HIS, NONE_LEFT]],
])('[S13] what is told where %s', (_, asked, expected) => {
  expect(notices(asked)).toEqual(expected)
})

test('[S13] a tool that the config allows something is there', () => {
  expect(notices(['run_command'], { ...DEFAULT_CHAT, allowed_commands: ['npm test'] })).toEqual([])
})
