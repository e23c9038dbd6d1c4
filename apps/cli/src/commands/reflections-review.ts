import { untilPatch } from '@parley/api-client'
import type { Patch, ReviewPatch } from '@parley/contracts'
import { z } from 'zod'
import { EXIT } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findPatch } from '../reflection/find-patch.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { counted } from '../render/counted.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { RunCommand } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ReviewOptions = z.object({ wait: z.boolean().default(true) })

/** The command that says this to a patch, and waits until it is so. */
export function reviewPatch(said: ReviewPatch): RunCommand {
  return async (call) => {
    const { io, json, positionals } = call
    const { wait } = parseOptions(ReviewOptions, call.options)
    const { client, config } = await atServer(call)
    const [reflection = '', given = ''] = positionals
    const { id: reflectionId } = await findReflection(client, reflection, config)
    const before = await findPatch(client, reflectionId, given)
    const ref = { reflectionId, patchId: before.id }
    await client.reflections.review({ ...ref, said })
    const patch = wait
      ? await untilPatch(client.reflections, ref, ({ status }) => status !== before.status)
      : before
    if (json) io.stdout.write(jsonLine({ patchId: patch.id, said, status: patch.status }))
    else tell(io.stdout, wait ? outcomeOf(patch) : `${shortId(patch.id)} will be ${WILL_BE[said]}.`)
    return !wait || patch.status === WILL_BE[said] ? EXIT.done : EXIT.refused
  }
}

const WILL_BE: Record<ReviewPatch, Patch['status']> = {
  approve: 'applied',
  reject: 'rejected',
  revert: 'reverted',
}

/** Another person may have been quicker: it is said what became of it, not what was asked for. */
function outcomeOf({ id, status, facts, supersedes }: Patch): string {
  const active = facts.filter(({ state }) => state === 'active').length
  const ended = supersedes.length > 0 ? `, in the place of ${supersedes.length}` : ''
  const now: Record<Patch['status'], string> = {
    proposed: 'it still waits',
    applied: `${counted(active, 'fact')} ${active === 1 ? 'counts' : 'count'} now${ended}`,
    rejected: 'none of its facts count',
    reverted: 'its facts no longer count, and what they superseded counts again',
  }
  return `${shortId(id)} is ${status}: ${now[status]}.`
}
