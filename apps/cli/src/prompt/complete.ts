import type { Candidate, Complete } from './completion.ts'
import { listPaths } from './list-paths.ts'

interface Completable {
  /** The names of the commands, without their slash. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  /** What paths are relative to. */
  readonly folder: string
}

/** Completes a command at the start of a message, and a file wherever one is named by an @. */
export function createComplete({ commands, folder }: Completable): Complete {
  return async (text, cursor) => {
    const before = text.slice(0, cursor)
    const command = /^\/(\w*)$/.exec(before)?.[1]
    if (command !== undefined) {
      const candidates = commands
        .filter(({ name }) => name.startsWith(command))
        .map(({ name, summary }): Candidate => ({ text: `/${name} `, note: summary }))
      return { from: 0, to: cursor, candidates }
    }
    const [whole, , quoted, bare] = /(^|\s)@(?:"([^"\n]*)|([^\s"]*))$/.exec(before) ?? []
    if (whole === undefined) return undefined
    const from = cursor - whole.trimStart().length
    const paths = await listPaths(folder, quoted ?? bare ?? '')
    return {
      from,
      to: cursor,
      candidates: paths.map((path) => ({ text: mention(path, quoted !== undefined) })),
    }
  }
}

/** A folder is left open, to go on within it. */
function mention(path: string, isQuoted: boolean): string {
  const isFolder = path.endsWith('/')
  if (!isQuoted && !/\s/.test(path)) return isFolder ? `@${path}` : `@${path} `
  return isFolder ? `@"${path}` : `@"${path}" `
}
