import { PlatformError } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'

const MOST_NAMED = 5

/** The one whose id begins as given, with or without the prefix; `what` is its kind, and `list` how to see them all. */
export function findByBeginning<Item extends { readonly id: string }>(
  items: readonly Item[],
  given: string,
  { what, list }: { readonly what: string; readonly list: string },
): Item {
  const written = given.trim().toLowerCase()
  const beginning = written.replace(/^[a-z]{3}_/, '')
  const found = beginning === '' ? [] : items.filter(({ id }) => shortId(id, id.length).startsWith(beginning))
  const [only, another] = found
  if (only && !another) return only
  if (!only) {
    throw new PlatformError('validation', {
      message: `There is no ${what} whose id begins with "${given}".`,
      mend: `\`${list}\` lists what there is.`,
    })
  }
  throw new PlatformError('validation', {
    message: `The ids of ${found.length} begin with "${given}". Write more of the ${what} you mean.`,
    mend: found
      .slice(0, MOST_NAMED)
      .map(({ id }) => shortId(id, 12))
      .join('\n'),
  })
}
