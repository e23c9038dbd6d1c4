import { delimiter } from 'node:path'
import type { Environment } from './find-executable.ts'

/**
 * All that a started program gets of variables. Nothing else of ours reaches it: neither keys, nor what makes
 * programs load more code, such as NODE_OPTIONS or LD_PRELOAD.
 */
export function builtEnvironment(
  environment: Environment,
  folders: readonly string[],
): Readonly<Record<string, string>> {
  const { HOME, USER, LOGNAME, LANG, TMPDIR } = environment
  return {
    PATH: folders.join(delimiter),
    ...(HOME !== undefined && { HOME }),
    ...(USER !== undefined && { USER }),
    ...(LOGNAME !== undefined && { LOGNAME }),
    LANG: LANG ?? 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TMPDIR: TMPDIR ?? '/tmp',
    TERM: 'dumb',
    CI: '1',
    NO_COLOR: '1',
  }
}
