import { z } from 'zod'
import { untilPatch } from '@parley/api-client'
import { FactState, type Patch, PatchStatus, PlatformError, type ReviewPatch } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption, atServer, upTo } from '../reflection/at-server.ts'
import {
  FACT_MARKS,
  PATCH_MARKS,
  listedFactLines,
  patchLines,
  sourceTitles,
  standingOf,
} from '../reflection/fact-lines.ts'
import { findFact, findPatch, findReflection } from '../reflection/find-reflection.ts'
import { jsonLine, tell } from '../render/output.ts'
import { counted } from '../render/text.ts'
import { shortId } from '../session/find-session.ts'
import { type CommandCall, type RunCommand, parseOptions } from './command.ts'

const FactsOptions = z.object({
  limit: LimitOption,
  state: z.enum(FactState.options, `must be ${FactState.options.join(', ')}`).optional(),
})

/** Lists what was learned, with the words that bear it out. */
export async function listFacts(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit, state } = parseOptions(FactsOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await upTo(limit, (page) =>
    client.reflections.facts({ ...page, reflectionId, ...(state && { state }) }),
  )
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, state ? `It has no ${state} facts.` : 'It has no facts yet.')
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    io.stdout.write(`${items.flatMap((fact) => listedFactLines(fact, screen, titleOf)).join('\n')}\n`)
    if (items.some((fact) => standingOf(fact) !== 'active')) {
      io.stdout.write(`${screen.style.dim(FACT_MARKS)}\n`)
    }
    const active = items.find((fact) => standingOf(fact) === 'active')
    if (active) {
      const ids = `${shortId(reflectionId)} ${shortId(active.id)}`
      const hint = `If one is wrong: parley reflections correct ${ids} "WHAT IS RIGHT"`
      io.stdout.write(`${screen.style.dim(hint)}\n`)
    }
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}

/** Says how a fact is instead, and shows the patch that this becomes. It counts once a person approves it. */
export async function correctFact(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const [given = '', named = '', ...words] = positionals
  const correction = words.join(' ').trim()
  if (correction === '') {
    throw new PlatformError('validation', {
      message: 'What is right is missing.',
      mend: 'Write it after the fact, as a sentence: "Ada lives in Bergen."',
    })
  }
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, given, config)
  const fact = await findFact(client, reflectionId, named)
  const { patchId } = await client.reflections.correct({ reflectionId, fact: fact.id, correction })
  const patch = await untilPatch(client.reflections, { reflectionId, patchId }, () => true)
  const isWaiting = patch.status === 'proposed'
  if (json) io.stdout.write(jsonLine(patch))
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    io.stdout.write(`${patchLines(patch, screen, { titleOf }).join('\n')}\n`)
    io.stdout.write(`${screen.style.dim(PATCH_MARKS)}\n`)
    const ids = `${shortId(reflectionId)} ${shortId(patchId)}`
    if (isWaiting) tell(io.stdout, `It counts once it is approved: parley reflections approve ${ids}`)
  }
  return isWaiting ? EXIT.done : EXIT.refused
}

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

/** Prints one patch with all of its facts. */
export async function showPatch(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await atServer(call)
  const [reflection = '', given = ''] = positionals
  const { id: reflectionId } = await findReflection(client, reflection, config)
  const patch = await findPatch(client, reflectionId, given)
  if (json) {
    io.stdout.write(jsonLine(patch))
    return EXIT.done
  }
  const titleOf = await sourceTitles(client, reflectionId)
  io.stdout.write(`${patchLines(patch, screen, { titleOf }).join('\n')}\n${screen.style.dim(PATCH_MARKS)}\n`)
  return EXIT.done
}

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
