import type { ReviewPatch } from '@parley/contracts'
import { EXIT } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findByBeginning } from '../reflection/find-by-beginning.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { RunCommand } from './command.ts'

/** The command that says this to a patch. */
export function reviewPatch(said: ReviewPatch): RunCommand {
  return async (call) => {
    const { io, json, positionals } = call
    const { client, config } = await atServer(call)
    const [reflection = '', given = ''] = positionals
    const { id: reflectionId } = await findReflection(client, reflection, config)
    const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
      client.reflections.patches({ ...page, reflectionId }),
    )
    const list = `parley reflections patches ${shortId(reflectionId)}`
    const { id: patchId, facts } = findByBeginning(items, given, { what: 'patch', list })
    const patch = await client.reflections.review({ reflectionId, patchId, said })
    if (json) io.stdout.write(jsonLine({ patchId, said, status: patch.status }))
    else tell(io.stdout, `${shortId(patchId)} (${facts.length} facts) is being ${DOING[said]}.`)
    return EXIT.done
  }
}

const DOING: Record<ReviewPatch, string> = {
  approve: 'applied',
  reject: 'rejected',
  revert: 'taken back',
}
