import type { Plan } from '@parley/engine'
import { diffPreview } from './diff-preview.ts'
import { type FileHost, MOST_BYTES } from './file-host.ts'
import type { Place, Scope } from './open-scope.ts'
import { readBytes, sha256, type ReadBytes } from './read-bytes.ts'
import { replaceFile } from './replace-file.ts'

/** A file as it was found before it is changed. */
export type Before = Extract<ReadBytes, { kind: 'read' }> & { readonly hash: string }

interface Change {
  readonly scope: Scope
  readonly place: Place
  /** Undefined where the file is new. */
  readonly before: Before | undefined
  readonly after: Uint8Array
  /** What the model is told once it is done. */
  readonly done: string
}

/** A change of one file that a person is asked about, and which is made only to the file that they were shown. */
export function planChange({ scope, place, before, after, done }: Change, { seen }: FileHost): Plan {
  const hash = sha256(after)
  if (before?.hash === hash) {
    return {
      kind: 'plan',
      target: place.shown,
      async carryOut() {
        seen.saw(place.path, hash)
        return { kind: 'ok', text: `${place.shown} holds exactly this already; nothing was changed.` }
      },
    }
  }
  return {
    kind: 'plan',
    target: place.shown,
    question: {
      preview: diffPreview(place.shown, before?.bytes, after),
      state: `${before?.hash ?? 'absent'}:${hash}`,
      forSession: {},
    },
    async carryOut(signal) {
      await replaceFile(scope, place, {
        bytes: after,
        mode: before?.stat.mode,
        isDue: () => expectUnchanged(scope, place, before, signal),
      })
      seen.saw(place.path, hash)
      return { kind: 'ok', text: done }
    },
  }
}

async function expectUnchanged(scope: Scope, place: Place, before: Before | undefined, signal: AbortSignal) {
  signal.throwIfAborted()
  const now = await readBytes(scope, place.path, MOST_BYTES, signal)
  const isSame = before ? now.kind === 'read' && sha256(now.bytes) === before.hash : now.kind === 'absent'
  if (!isSame)
    throw new Error(
      `${place.shown} was changed meanwhile by someone else, so it was left as it is. Read it again.`,
    )
}
