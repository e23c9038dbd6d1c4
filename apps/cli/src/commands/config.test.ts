import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome, parley } from '../testing/parley-process.ts'

test('[S18] the settings that hold are printed with their source, and no key', async () => {
  await using at = await newHome()
  const file = join(at.home, 'config.toml')
  await writeFile(
    file,
    '[chat]\nallowed_commands = ["npm test"]\n[mcp_servers.files]\ncommand = "files-server"\nargs = ["."]\n',
  )
  const options = { ...at, environment: { OPENAI_API_KEY: 'made-up-value', PARLEY_CHAT_MAX_TURNS: '9' } }
  const { code, stdout } = await parley(['config'], options)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^chat\.allowed_commands +npm test +.*config\.toml$/m)
  expect(stdout).toMatch(/^chat\.max_turns +9 +PARLEY_CHAT_MAX_TURNS$/m)
  expect(stdout).toMatch(/^chat\.fs_scope +sandboxed +default$/m)
  expect(stdout).toMatch(/^mcp_servers\.files +MCP server "files": runs files-server \. +.*config\.toml$/m)
  const json = await parley(['config', '--json'], options)
  expect(JSON.parse(json.stdout)).toMatchObject({
    chat: {
      max_turns: { value: 9, source: 'PARLEY_CHAT_MAX_TURNS' },
      max_messages: { value: null, source: 'default' },
    },
    providers: [{ name: 'openai', hasKey: true }, { name: 'offline' }],
    files: [file],
  })
  expect(stdout + json.stdout).not.toContain('made-up-value')
})

test('[S18] what is wrong with a file stops with its line, and the doctor tells it', async () => {
  await using at = await newHome()
  const file = join(at.home, 'config.toml')
  await writeFile(file, '[chat]\nmax_turn = 1\n')
  const { code, stderr } = await parley(['config'], at)
  expect(code).toBe(2)
  expect(stderr).toContain(`${file}:2:1: chat.max_turn: unknown key "max_turn"; did you mean "max_turns"?`)
  const checked = await parley(['doctor', '--json'], at)
  const { checks } = JSON.parse(checked.stdout) as {
    checks: { name: string; state: string; found: string }[]
  }
  expect(checks.find(({ name }) => name === 'Config')).toMatchObject({
    state: 'problem',
    found: expect.stringContaining(`${file}:2:1: `),
  })
  expect(checks.filter(({ state }) => state === 'problem')).toHaveLength(1)
})
