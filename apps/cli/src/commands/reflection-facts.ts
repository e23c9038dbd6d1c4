import { z } from 'zod'
import { untilPatch } from '@parley/api-client'
import { FactState, type Patch, PatchStatus, PlatformError, type ReviewPatch } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption, connectToServer, readUpTo } from '../reflection/at-server.ts'
import {
  FACT_MARKS,
  PATCH_MARKS,
  listedFactLines,
  patchLines,
  sourceTitles,
  factMark,
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

/** Lists facts with supporting quotes. */
export async function listFacts(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit, state } = parseOptions(FactsOptions, call.options)
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await readUpTo(limit, (page) =>
    client.reflections.facts({ ...page, reflectionId, ...(state && { state }) }),
  )
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, state ? `It has no ${state} facts.` : 'It has no facts yet.')
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    io.stdout.write(`${items.flatMap((fact) => listedFactLines(fact, screen, titleOf)).join('\n')}\n`)
    if (items.some((fact) => factMark(fact) !== 'active')) {
      io.stdout.write(`${screen.style.dim(FACT_MARKS)}\n`)
    }
    const active = items.find((fact) => factMark(fact) === 'active')
    if (active) {
      const ids = `${shortId(reflectionId)} ${shortId(active.id)}`
      const hint = `To correct one: parley reflections correct ${ids} "CORRECT FACT"`
      io.stdout.write(`${screen.style.dim(hint)}\n`)
    }
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}

/** Proposes a correction and shows its patch. It applies once a person approves it. */
export async function correctFact(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const [given = '', named = '', ...words] = positionals
  const correction = words.join(' ').trim()
  if (correction === '') {
    throw new PlatformError('validation', {
      message: 'The correction is missing.',
      mend: 'Write it after the fact, as a sentence: "Ada lives in Bergen."',
    })
  }
  const { client, screen, config } = await connectToServer(call)
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
    if (isWaiting) tell(io.stdout, `It applies once approved: parley reflections approve ${ids}`)
  }
  return isWaiting ? EXIT.done : EXIT.refused
}

const PatchesOptions = z.object({
  limit: LimitOption,
  status: z.enum(PatchStatus.options, `must be ${PatchStatus.options.join(', ')}`).optional(),
})

const A_FEW = 3

/** Lists patches: what each adds and replaces, and the result of the rules. */
export async function listPatches(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit, status } = parseOptions(PatchesOptions, call.options)
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await readUpTo(limit, (page) =>
    client.reflections.patches({ ...page, reflectionId, ...(status && { status }) }),
  )
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0)
    tell(io.stdout, status ? `There are no ${status} patches.` : 'It has no patches yet.')
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    // Patches that need a decision are shown in full, others shortened.
    const most = (patch: Patch) => (patch.status === 'proposed' ? {} : { most: A_FEW })
    const lines = items.flatMap((patch) => patchLines(patch, screen, { titleOf, ...most(patch) }))
    io.stdout.write(`${lines.join('\n')}\n`)
    if (items.some((patch) => patch.status !== 'proposed' && patch.facts.length > A_FEW)) {
      const all = `To see all of one: parley reflections patch ${shortId(reflectionId)} PATCH`
      io.stdout.write(`${screen.style.dim(all)}\n`)
    }
    io.stdout.write(`${screen.style.dim(PATCH_MARKS)}\n`)
    const waiting = items.find((patch) => patch.status === 'proposed')
    if (waiting) {
      const ids = `${shortId(reflectionId)} ${shortId(waiting.id)}`
      io.stdout.write(`${screen.style.dim(`parley reflections approve ${ids}, or reject`)}\n`)
    }
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}

/** Prints one patch with all its facts. */
export async function showPatch(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await connectToServer(call)
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

/** The command for one review decision; it waits for the result. */
export function reviewPatch(said: ReviewPatch): RunCommand {
  return async (call) => {
    const { io, json, positionals } = call
    const { wait } = parseOptions(ReviewOptions, call.options)
    const { client, config } = await connectToServer(call)
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

/** Prints the actual result: another person may have decided first. */
function outcomeOf({ id, status, facts, supersedes }: Patch): string {
  const active = facts.filter(({ state }) => state === 'active').length
  const ended = supersedes.length > 0 ? `, replacing ${supersedes.length}` : ''
  const now: Record<Patch['status'], string> = {
    proposed: 'it is still waiting',
    applied: `${counted(active, 'fact')} ${active === 1 ? 'counts' : 'count'} now${ended}`,
    rejected: 'none of its facts are used',
    reverted: 'its facts are no longer used, and the facts they replaced are active again',
  }
  return `${shortId(id)} is ${status}: ${now[status]}.`
}
