import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { SessionContext } from '@parley/contracts'

type Chosen = Pick<SessionContext, 'fsScopeTier' | 'variables'>

/** The situation a session is started in, with what the person chose of it. */
export async function detectContext(
  workingDir: string,
  chosen: Chosen = { fsScopeTier: 'sandboxed' },
): Promise<SessionContext> {
  const gitRef = await detectGitRef(workingDir)
  return { workingDir, ...chosen, ...(gitRef !== undefined && { gitRef }) }
}

/** The branch, or the commit of a detached head, as git's own files have it. */
async function detectGitRef(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git')
  const found = await stat(git).catch(() => undefined)
  if (!found) return dirname(folder) === folder ? undefined : detectGitRef(dirname(folder))
  const gitFolder = found.isDirectory() ? git : resolve(folder, await linkedFolder(git))
  const head = await readFile(join(gitFolder, 'HEAD'), 'utf8').catch(() => '')
  const [, branch, commit] = /^(?:ref: refs\/heads\/(.+)|([0-9a-f]{40,64}))\s*$/.exec(head) ?? []
  return branch ?? commit
}

/** A worktree and a submodule have a file that names the folder. */
async function linkedFolder(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return /^gitdir: (.+)$/m.exec(text)?.[1] ?? '.git'
}
