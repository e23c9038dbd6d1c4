import { type Patch, PatchStatus } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { PATCH_MARKS, patchLines } from '../reflection/patch-lines.ts'
import { sourceTitles } from '../reflection/source-titles.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const PatchesOptions = z.object({
  limit: LimitOption,
  status: z.enum(PatchStatus.options, `must be ${PatchStatus.options.join(', ')}`).optional(),
})

const A_FEW = 3

/** Lists what was extracted, batch by batch: what each adds in place of what, and what the rules found of it. */
export async function listPatches(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit, status } = parseOptions(PatchesOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await upTo(limit, (page) =>
    client.reflections.patches({ ...page, reflectionId, ...(status && { status }) }),
  )
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, status ? `No patch is ${status}.` : 'It has no patches yet.')
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    // What is to be decided is shown whole, the rest by a few.
    const most = (patch: Patch) => (patch.status === 'proposed' ? {} : { most: A_FEW })
    const lines = items.flatMap((patch) => patchLines(patch, screen, { titleOf, ...most(patch) }))
    io.stdout.write(`${lines.join('\n')}\n`)
    if (items.some((patch) => patch.status !== 'proposed' && patch.facts.length > A_FEW)) {
      const all = `All of one: parley reflections patch ${shortId(reflectionId)} PATCH`
      io.stdout.write(`${screen.style.dim(all)}\n`)
    }
    io.stdout.write(`${screen.style.dim(PATCH_MARKS)}\n`)
    const waiting = items.find((patch) => patch.status === 'proposed')
    if (waiting) {
      const ids = `${shortId(reflectionId)} ${shortId(waiting.id)}`
      io.stdout.write(`${screen.style.dim(`parley reflections approve ${ids}, or reject it`)}\n`)
    }
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
