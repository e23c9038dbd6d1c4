import type { Patch } from '@parley/contracts'
import { objectedIn, patchChanges } from './patch-changes.ts'

/** What approving these patches would do, together. */
export function allInWords(patches: readonly Patch[]): string {
  const added = patches.flatMap((patch) => patchChanges(patch).changes.filter(({ kind }) => kind === 'added'))
  const ended = patches.reduce((sum, { supersedes }) => sum + supersedes.length, 0)
  const objected = patches.filter((patch) => objectedIn(patch).length > 0).length
  const counts = added.length === 1 ? '1 fact counts then' : `${added.length} facts count then`
  const ends =
    ended === 0 ? '' : `, and ${ended} that counted before no longer ${ended === 1 ? 'does' : 'do'}`
  const objections =
    objected === 0
      ? 'No rule objects to any of them.'
      : `Rules object to ${objected} of the patches: better look at ${objected === 1 ? 'that one' : 'those'} first.`
  return `${counts}${ends}. ${objections}`
}
