import { PlatformError } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import type { Caller } from './authenticate.ts'
import { isAtLeast } from './is-at-least.ts'

/** Lets in who runs the server or any reflection, whatever they are on the server. */
export async function refuseNoAdmin(
  { role, personId }: Caller,
  reflections: Pick<ReflectionStore, 'runsAny'>,
): Promise<void> {
  if (isAtLeast(role, 'admin') || (await reflections.runsAny(personId))) return
  throw new PlatformError('forbidden', {
    message: 'This is for owners and admins of a reflection, and for admins of this server.',
  })
}
