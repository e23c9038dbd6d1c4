import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionView } from '@parley/contracts'
import { expect, onTestFinished, test } from 'vitest'
import {
  callTool,
  configure,
  type ModelReply,
  answerWith,
  startModelServer,
} from '../testing/model-server.ts'
import { createFolder, createHome, parley } from '../testing/parley-process.ts'
import { openTerminalHere } from '../testing/terminal.ts'

const PROMPT = /> $/
const QUESTION = /\[y\/[^\]]*N[^\]]*\] $/
const CHECK = 'node check.js'

async function scene(...replies: readonly ModelReply[]) {
  const at = await createHome()
  const server = await startModelServer(...replies)
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]()
    await at[Symbol.asyncDispose]()
  })
  await configure(at.home, { local: server }, `allowed_commands = [${JSON.stringify(CHECK)}]`)
  const place = await createFolder()
  onTestFinished(() => place[Symbol.asyncDispose]())
  const folder = place.home
  const lines = 'for (let line = 1; line < 3000; line += 1) console.log(`tide ${line}`)'
  await writeFile(join(folder, 'check.js'), `${lines}\nconsole.log('No tide.')\nprocess.exitCode = 3\n`)
  return { at, folder }
}

test('[S12] a failure shows its reason; /last and `sessions show --full` show all of it', async () => {
  const { at, folder } = await scene(callTool('run_command', { command: CHECK }), answerWith('It failed.'))
  await using talk = openTerminalHere(['chat'], { home: at.home, folder })
  const greeting = (await talk.until(PROMPT)).replaceAll(/\s+/g, ' ')
  expect(greeting).toContain(`${folder} · sandboxed · tools: files, git, run_command `)
  const told = await talk.say('Check it')
  expect(told).toContain(`* run_command ${CHECK}\n  failed: exit code 3\n`)
  expect(told).toContain('\n  tide 2999\n  No tide.\n')
  const last = await talk.say('/last 15')
  expect(last).toContain('tide 2801\n')
  expect(last).toContain('[page 15 of 16; next: /last 16]')
  expect(await talk.say('/grants')).toContain('Nothing is approved for the whole session')
  await talk.leave()
  const { items } = JSON.parse((await parley(['sessions', '--json'], at)).stdout)
  const { id } = SessionView.parse(items[0])
  const shown = await parley(['sessions', 'show', id, '--full'], at)
  for (const line of [1, 1_500, 2_999]) expect(shown.stdout).toContain(`\n  tide ${line}\n`)
  expect(shown.stdout).toContain('\n  failed (tool_failed):\n  exit code 3\n')
  expect((await parley(['sessions', 'show', id], at)).stdout).not.toContain('tide 1500')
})

const write = (content: string) => callTool('write_file', { path: 'notes.md', content })

test('[S13] calls under a session approval show their changes, and /grants lists the approval', async () => {
  const { at, folder } = await scene(write('low\n'), write('high\n'), answerWith('Done.'))
  await using talk = openTerminalHere(['chat'], { home: at.home, folder })
  await talk.until(PROMPT)
  const question = await talk.say('Write it', QUESTION)
  expect(question).toContain("Ctrl-C quits; you'll be asked again on resume.")
  const done = await talk.say('s')
  expect(done).toMatch(/\* write_file [^\n]*notes\.md\n {2}\| \+high\n/)
  expect(done).not.toContain('| +low')
  expect(await talk.say('/grants')).toMatch(/write_file on [^\n]*notes\.md\n/)
  await talk.leave()
})

test('[S4] resuming in another folder shows the folder of the session, or that it no longer exists', async () => {
  const { at, folder } = await scene(answerWith('Yes.'))
  await parley(['chat', '--message', 'Hello'], { ...at, folder })
  const elsewhere = await parley(['resume', '--message', 'Hello'], at)
  expect(elsewhere.stderr).toBe(`parley: This session works in ${folder}, not in the current folder.\n`)
  await rm(folder, { recursive: true })
  await using talk = openTerminalHere(['resume', '--latest'], { home: at.home })
  const greeting = await talk.until(PROMPT)
  expect(greeting).toContain(folder)
  expect(greeting.replaceAll('\n', ' ')).toMatch(/no longer exists: .* Create it again, or run `parley chat`/)
  await talk.leave()
})

test('[S13] an unavailable tool in --tools is reported', async () => {
  const { at, folder } = await scene(answerWith('Yes.'))
  const said = await parley(['chat', '--tools', 'web_search', '--message', 'Hello'], { ...at, folder })
  expect(said.stderr).toBe(
    `parley: web_search needs [web_search] in your config: ${join(at.home, 'config.toml')}\n` +
      'parley: This leaves the agent "chat" without tools.\n',
  )
})
