import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PlatformError, type SessionContext, findSecret } from '@parley/contracts'
import type { ConfiguredProvider } from '../config/configured-providers.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/

/** Parses `--var name=value`. Provider keys and likely secrets are refused and never printed. */
export function parseVariables(
  given: readonly string[],
  providers: readonly Pick<ConfiguredProvider, 'name' | 'apiKey'>[] = [],
): Readonly<Record<string, string>> {
  const variables = new Map<string, string>()
  for (const text of given) {
    const equals = text.indexOf('=')
    const name = text.slice(0, Math.max(0, equals))
    const which = NAME.test(name) ? `The variable "${name}"` : 'A --var'
    const owner = providers.find(({ apiKey }) => containsKey(text, apiKey))
    if (owner) throw createSecretVariableError(`${which} contains the key of the provider ${owner.name}`)
    const kind = findSecret(text)
    if (kind !== undefined) throw createSecretVariableError(`${which} looks like ${kind}`)
    if (equals === -1) throw createInvalidVariableError('--var needs a name and a value.')
    if (!NAME.test(name)) throw createInvalidVariableError(`"${name}" cannot be the name of a variable.`)
    if (variables.has(name)) throw createInvalidVariableError(`The variable "${name}" is given twice.`)
    variables.set(name, text.slice(equals + 1))
  }
  return Object.fromEntries(variables)
}

const createInvalidVariableError = (message: string) =>
  new PlatformError('validation', {
    message,
    fix: 'Write it as in --var city=Oslo, with letters, digits, "_", "." and "-" in its name; the agent reads it as {{ctx.city}}.',
  })

/** A very short key, as some local servers have, may occur in any text. */
const containsKey = (text: string, key = ''): boolean =>
  key.length >= 8 ? text.includes(key) : key !== '' && text.slice(text.indexOf('=') + 1) === key

const createSecretVariableError = (what: string) =>
  new PlatformError('validation', {
    message: `${what}. Variables are saved and shown in plain text, so nothing was started.`,
    fix: 'Keep secrets in the environment, and name the variable in config.toml (api_key_env). Remove the secret from your shell history.',
  })

/** The context of a new session, with the user's choices. */
export async function detectContext(
  workingDir: string,
  chosen: Pick<SessionContext, 'fsScopeTier' | 'variables'> = { fsScopeTier: 'sandboxed' },
): Promise<SessionContext> {
  const gitRef = await detectGitRef(workingDir)
  return { workingDir, ...chosen, ...(gitRef !== undefined && { gitRef }) }
}

/** The branch, or the commit of a detached head, from git's files. */
async function detectGitRef(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git')
  const found = await stat(git).catch(() => undefined)
  if (!found) return dirname(folder) === folder ? undefined : detectGitRef(dirname(folder))
  const gitFolder = found.isDirectory() ? git : resolve(folder, await readLinkedFolder(git))
  const head = await readFile(join(gitFolder, 'HEAD'), 'utf8').catch(() => '')
  const [, branch, commit] = /^(?:ref: refs\/heads\/(.+)|([0-9a-f]{40,64}))\s*$/.exec(head) ?? []
  return branch ?? commit
}

/** A worktree and a submodule have a file that names the folder. */
async function readLinkedFolder(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return /^gitdir: (.+)$/m.exec(text)?.[1] ?? '.git'
}
