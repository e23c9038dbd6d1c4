import { type ChatConfig, type ConfigFile, FsScopeTier, OnExceed } from '@parley/contracts'
import {
  type Arbitrary,
  assert,
  boolean,
  constantFrom,
  integer,
  property,
  record,
  subarray,
} from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatSettings } from './chat-settings.ts'
import { type ConfigLayer, mergeConfigLayers } from './merge-config.ts'

const own = (config: ConfigFile): ConfigLayer => ({ source: 'config.toml', config, reach: 'own' })
const project = (config: ConfigFile, reach: ConfigLayer['reach'] = 'narrowing'): ConfigLayer => ({
  source: 'project.toml',
  config,
  reach,
})

type Row = [string, ChatConfig, ChatConfig, Partial<ChatSettings>, readonly string[]]

test.each<Row>([
  ['fewer turns apply', { max_turns: 9 }, { max_turns: 5 }, { max_turns: 5 }, []],
  ['more turns do not apply', { max_turns: 9 }, { max_turns: 10 }, { max_turns: 9 }, ['chat.max_turns']],
  ['more turns than the default do not apply', {}, { max_turns: 51 }, { max_turns: 50 }, ['chat.max_turns']],
  ['0 turns means the default', { max_turns: 9 }, { max_turns: 0 }, { max_turns: 9 }, []],
  ['a first cost limit applies', {}, { max_cost_microcents: 7 }, { max_cost_microcents: 7 }, []],
  [
    'a higher cost limit does not apply',
    { max_cost_microcents: 7 },
    { max_cost_microcents: 8 },
    { max_cost_microcents: 7 },
    ['chat.max_cost_microcents'],
  ],
  ['fewer messages apply', { max_messages: 9 }, { max_messages: 8 }, { max_messages: 8 }, []],
  [
    'more messages than the default do not apply',
    {},
    { max_messages: 201 },
    { max_messages: 200 },
    ['chat.max_messages'],
  ],
  ['a narrower scope applies', { fs_scope: 'full' }, { fs_scope: 'project' }, { fs_scope: 'project' }, []],
  ['a wider scope does not apply', {}, { fs_scope: 'project' }, { fs_scope: 'sandboxed' }, ['chat.fs_scope']],
  ['fail is stricter than warn', { on_exceed: 'warn' }, { on_exceed: 'fail' }, { on_exceed: 'fail' }, []],
  [
    'warn is less strict than pause_for_approval',
    { on_exceed: 'pause_for_approval' },
    { on_exceed: 'warn' },
    { on_exceed: 'pause_for_approval' },
    ['chat.on_exceed'],
  ],
  [
    'fewer commands apply',
    { allowed_commands: ['a', 'b', 'c'] },
    { allowed_commands: ['c', 'a'] },
    { allowed_commands: ['c', 'a'] },
    [],
  ],
  [
    'a list with one more command needs trust as a whole, and the own one applies',
    { allowed_commands: ['a', 'b'] },
    { allowed_commands: ['b', 'c'] },
    { allowed_commands: ['a', 'b'] },
    ['chat.allowed_commands'],
  ],
  [
    'a list with nothing in common disables nothing',
    { allowed_commands: ['a', 'b'] },
    { allowed_commands: ['c'] },
    { allowed_commands: ['a', 'b'] },
    ['chat.allowed_commands'],
  ],
  [
    'the same holds for domains and patterns',
    { allowed_domains: ['a.org'], allowed_command_globs: ['a *'] },
    { allowed_domains: ['b.org'], allowed_command_globs: ['*'] },
    { allowed_domains: ['a.org'], allowed_command_globs: ['a *'] },
    ['chat.allowed_command_globs', 'chat.allowed_domains'],
  ],
  [
    'an empty list is narrower than any other',
    { allowed_command_globs: ['a *'] },
    { allowed_command_globs: [] },
    { allowed_command_globs: [] },
    [],
  ],
  [
    'new domains do not apply',
    {},
    { allowed_domains: ['a.org'] },
    { allowed_domains: [] },
    ['chat.allowed_domains'],
  ],
  [
    'compaction settings apply',
    {},
    { auto_compact: false, compact_threshold: 0.5 },
    { auto_compact: false, compact_threshold: 0.5 },
    [],
  ],
  [
    'reasoning effort applies',
    { reasoning_effort: 'low' },
    { reasoning_effort: 'high' },
    { reasoning_effort: 'high' },
    [],
  ],
  [
    'another model of the same provider applies',
    { default_model: 'a/x' },
    { default_model: 'a/y' },
    { default_model: 'a/y' },
    [],
  ],
  [
    'a model of another provider does not apply',
    { default_model: 'a/x' },
    { default_model: 'b/x' },
    { default_model: 'a/x' },
    ['chat.default_model'],
  ],
  [
    'a first model does not apply',
    {},
    { default_model: 'b/x' },
    { default_model: 'offline/offline' },
    ['chat.default_model'],
  ],
  [
    'the offline model applies',
    { default_model: 'a/x' },
    { default_model: 'offline/offline' },
    { default_model: 'offline/offline' },
    [],
  ],
])('[S13] %s', (_, person, given, expected, widened) => {
  const merged = mergeConfigLayers([own({ chat: person }), project({ chat: given })])
  expect(merged.chat).toMatchObject(expected)
  expect(merged.widenings.map(({ key }) => key)).toEqual(widened)
})

test('[S18] later files override earlier ones, and each value has its source', () => {
  const merged = mergeConfigLayers([
    own({ chat: { max_turns: 40, auto_compact: false, allowed_commands: ['a'] } }),
    { ...project({ chat: { max_turns: 30, fs_scope: 'sandboxed' } }), source: 'workspace.toml' },
    project({ chat: { max_turns: 20, allowed_commands: [] } }),
    { source: '--max-turns', config: { chat: { max_turns: 60 } }, reach: 'own' },
  ])
  expect(merged.chat).toMatchObject({ max_turns: 60, auto_compact: false, allowed_commands: [] })
  expect(merged.sources).toEqual({
    'chat.max_turns': '--max-turns',
    'chat.auto_compact': 'config.toml',
    'chat.allowed_commands': 'project.toml',
  })
})

const LOCAL = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1' } as const
const FOREIGN = { ...LOCAL, base_url: 'https://example.org/v1' } as const

test.each<[string, ConfigFile, readonly string[]]>([
  ['the same provider again', { providers: { local: LOCAL } }, []],
  ['another URL', { providers: { local: FOREIGN } }, ['providers.local']],
  ['another variable', { providers: { local: { ...LOCAL, api_key_env: 'OTHER' } } }, ['providers.local']],
  [
    'another price',
    { providers: { local: { ...LOCAL, models: { x: { context_window: 1 } } } } },
    ['providers.local'],
  ],
  ['a new provider', { providers: { more: LOCAL } }, ['providers.more']],
  ['a server', { mcp_servers: { files: { command: 'x' } } }, ['mcp_servers.files']],
  [
    'a model of its own provider',
    { providers: { more: FOREIGN }, chat: { default_model: 'more/x' } },
    ['providers.more', 'chat.default_model'],
  ],
])('[S13] %s of a project needs trust', (_, config, widened) => {
  const person = own({ providers: { local: LOCAL }, chat: { default_model: 'local/x' } })
  const alone = mergeConfigLayers([person])
  const { widenings, ...merged } = mergeConfigLayers([person, project(config)])
  expect(widenings.map(({ key }) => key)).toEqual(widened)
  expect({ ...merged, widenings: [] }).toEqual(alone)
  const trusted = mergeConfigLayers([person, project(config, 'trusted')])
  expect(trusted.providers).toMatchObject(config.providers ?? {})
  expect(trusted.mcp_servers).toEqual(config.mcp_servers ?? {})
  expect(trusted.chat.default_model).toBe(config.chat?.default_model ?? 'local/x')
})

test('[S13] the same address under another name needs no trust', () => {
  const person = own({ providers: { a: LOCAL, b: LOCAL }, chat: { default_model: 'a/x' } })
  expect(mergeConfigLayers([person, project({ chat: { default_model: 'b/x' } })]).chat.default_model).toBe(
    'b/x',
  )
})

test('[S13] the description of a provider names its address and its key', () => {
  const config: ConfigFile = { providers: { openai: { kind: 'openai', base_url: 'https://example.org' } } }
  expect(mergeConfigLayers([project(config)]).widenings[0]?.what).toBe(
    'provider "openai" (openai) at https://example.org, with the key in OPENAI_API_KEY',
  )
})

const items = subarray(['a', 'b', 'c', 'd'])
const limit = integer({ min: 2, max: 99 })
const anyChat = record(
  {
    default_model: constantFrom('a/x', 'a/y', 'b/x', 'offline/offline'),
    fs_scope: constantFrom(...FsScopeTier.options),
    on_exceed: constantFrom(...OnExceed.options),
    max_turns: limit,
    max_tool_turns: limit,
    max_messages: limit,
    max_cost_microcents: limit,
    allowed_commands: items,
    allowed_command_globs: items,
    allowed_domains: items,
    auto_compact: boolean(),
  },
  { requiredKeys: [] },
) satisfies Arbitrary<ChatConfig>

const atMost = (after: number | undefined, before: number | undefined) =>
  (after ?? Infinity) <= (before ?? Infinity)

test('[S13] an untrusted project never widens a setting', () => {
  assert(
    property(anyChat, anyChat, anyChat, (person, workspace, given) => {
      const { chat: before } = mergeConfigLayers([own({ chat: person })])
      const { chat: after } = mergeConfigLayers([
        own({ chat: person }),
        project({ chat: workspace }),
        project({ chat: given }),
      ])
      expect(FsScopeTier.options.indexOf(after.fs_scope)).toBeLessThanOrEqual(
        FsScopeTier.options.indexOf(before.fs_scope),
      )
      expect(OnExceed.options.indexOf(after.on_exceed)).toBeLessThanOrEqual(
        OnExceed.options.indexOf(before.on_exceed),
      )
      for (const key of ['max_turns', 'max_tool_turns', 'max_messages', 'max_cost_microcents'] as const) {
        expect(atMost(after[key], before[key])).toBe(true)
      }
      for (const key of ['allowed_commands', 'allowed_command_globs', 'allowed_domains'] as const) {
        expect(before[key]).toEqual(expect.arrayContaining([...after[key]]))
      }
      const provider = after.default_model.split('/')[0]
      expect(['offline', before.default_model.split('/')[0]]).toContain(provider)
    }),
  )
})

test('[S13] trust changes exactly the settings that were reported as wider', () => {
  assert(
    property(anyChat, anyChat, (person, given) => {
      const narrowed = mergeConfigLayers([own({ chat: person }), project({ chat: given })])
      const trusted = mergeConfigLayers([own({ chat: person }), project({ chat: given }, 'trusted')])
      expect(trusted.widenings).toEqual(narrowed.widenings)
      expect(trusted.chat).toMatchObject(given)
      const isSame = JSON.stringify(narrowed.chat) === JSON.stringify(trusted.chat)
      expect(isSame).toBe(narrowed.widenings.length === 0)
    }),
  )
})

test('[S18] the user’s last layer decides', () => {
  assert(
    property(anyChat, anyChat, anyChat, (person, given, flags) => {
      const merged = mergeConfigLayers([
        own({ chat: person }),
        project({ chat: given }),
        own({ chat: flags }),
      ])
      expect(merged.chat).toMatchObject(flags)
    }),
  )
})

test.each(['narrowing', 'trusted'] as const)(
  '[S13] a %s project cannot decide where sources are sent for learning',
  (reach) => {
    const theirs = project({ learning: { model: 'theirs/large' }, server: { root: '/theirs' } }, reach)
    expect(mergeConfigLayers([theirs])).toMatchObject({ learning: {}, server: {}, widenings: [] })
    const { learning } = mergeConfigLayers([own({ learning: { model: 'mine/large' } }), theirs])
    expect(learning).toEqual({ model: 'mine/large' })
  },
)
