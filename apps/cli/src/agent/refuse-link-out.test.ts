import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome, parley } from '../testing/parley-process.ts'

async function withLink() {
  const at = await newHome()
  const folder = join(at.home, 'project')
  const agents = join(folder, '.parley', 'agents')
  await mkdir(agents, { recursive: true })
  await writeFile(join(at.home, 'private.txt'), 'id: link\nhidden-word: hidden-word\n')
  await symlink(join(at.home, 'private.txt'), join(agents, 'link.agent.yaml'))
  return { ...at, folder, agents }
}

test.each([
  ['by its name', ['chat', '--agent', 'link', '--message', 'Hi']],
  ['by its path', ['chat', '--agent', '.parley/agents/link.agent.yaml', '--message', 'Hi']],
  ['to be shown', ['agents', 'show', 'link']],
  ['to be checked', ['agents', 'check']],
])('[S13] an agent file that leads out of its project is refused %s, and never quoted', async (_, args) => {
  await using at = await withLink()
  const { code, stdout, stderr } = await parley(args, at)
  expect(code).toBe(2)
  expect(stdout + stderr).toContain('leads out of its project')
  expect(stdout + stderr).not.toContain('hidden-word')
})

test('[S13] a link within the project, and one among the own agents, are followed', async () => {
  await using at = await withLink()
  await writeFile(join(at.folder, 'inside.yaml'), agent('inside'))
  await symlink(join(at.folder, 'inside.yaml'), join(at.agents, 'inside.agent.yaml'))
  await mkdir(join(at.home, 'agents'))
  await writeFile(join(at.home, 'elsewhere.yaml'), agent('mine'))
  await symlink(join(at.home, 'elsewhere.yaml'), join(at.home, 'agents', 'mine.agent.yaml'))
  for (const id of ['inside', 'mine']) {
    expect(await parley(['chat', '--agent', id, '--message', 'Hi'], at)).toMatchObject({ code: 0 })
  }
})

const agent = (id: string) => `id: ${id}\nprovider: offline\nmodel: offline\n`
