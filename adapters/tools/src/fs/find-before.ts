import { refuse, type Refusal } from '@parley/engine'
import { type FileHost, MOST_BYTES } from './file-host.ts'
import type { Place, Scope } from './open-scope.ts'
import type { Before } from './plan-change.ts'
import { readBytes, sha256 } from './read-bytes.ts'

interface FoundBefore {
  readonly kind: 'found'
  readonly scope: Scope
  readonly place: Place
  readonly before: Before | undefined
}

/** A file that is to be changed, as it is now; refused where the model last saw it otherwise. */
export async function findBefore(
  path: string,
  host: FileHost,
  signal: AbortSignal,
): Promise<FoundBefore | Refusal> {
  const scope = await host.openScope()
  if (scope.kind === 'refused') return scope
  const place = await scope.resolve(path, 'write')
  if (place.kind === 'refused') return place
  if (place.missing.length > 0) return { kind: 'found', scope, place, before: undefined }

  const file = await readBytes(scope, place.path, MOST_BYTES, signal)
  if (file.kind !== 'read') {
    const code = file.kind === 'forbidden' ? 'tool_denied' : 'tool_failed'
    return refuse(`${place.shown} ${file.why}.`, code, place.shown)
  }
  const hash = sha256(file.bytes)
  const seen = host.seen.hashOf(place.path)
  if (seen !== undefined && seen !== hash)
    return refuse(
      `${place.shown} was changed by someone else since it was last read here. Read it again, then change it.`,
      'tool_failed',
      place.shown,
    )
  return { kind: 'found', scope, place, before: { ...file, hash } }
}
