import { z } from 'zod'
import { waitForPatch } from '@parley/api-client'
import {
  FactState,
  getFactStatus,
  type Patch,
  PatchStatus,
  PlatformError,
  type ReviewPatch,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { LimitOption } from '../reflection/server-connection.ts'
import { readUpTo } from '../read-pages.ts'
import {
  FACT_MARKS,
  PATCH_MARKS,
  renderListedFact,
  renderPatch,
  readSourceTitles,
} from '../reflection/fact-lines.ts'
import { connectToReflection, findFact, findPatch } from '../reflection/find-reflection.ts'
import { toJsonLine, printMessage } from '../render/output.ts'
import { formatCount } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import {
  type CommandCall,
  type RunCommand,
  parseOptions,
  printJson,
  printList,
  printResult,
} from './command.ts'

const FactsOptions = z.object({
  limit: LimitOption,
  state: z.enum(FactState.options, `must be ${FactState.options.join(', ')}`).optional(),
})

export async function listFacts(call: CommandCall): Promise<ExitCode> {
  const { limit, state } = parseOptions(FactsOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const { style } = display
  const list = await readUpTo(limit, (page) =>
    client.reflections.facts({ ...page, reflectionId, ...(state && { state }) }),
  )
  return printList(call, list, {
    style,
    empty: state ? `It has no ${state} facts.` : 'It has no facts yet.',
    async render() {
      const titleOf = await readSourceTitles(client, reflectionId)
      const active = list.items.find((fact) => getFactStatus(fact) === 'active')
      const ids = active && `${shortenId(reflectionId)} ${shortenId(active.id)}`
      const lines = [
        ...list.items.flatMap((fact) => renderListedFact(fact, display, titleOf)),
        ...(list.items.some((fact) => getFactStatus(fact) !== 'active') ? [style.dim(FACT_MARKS)] : []),
        ...(ids ? [style.dim(`To correct one: parley reflections correct ${ids} "CORRECT FACT"`)] : []),
      ]
      return `${lines.join('\n')}\n`
    },
  })
}

/** Proposes a correction and shows its patch. It applies once a person approves it. */
export async function correctFact(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const [, named = '', ...words] = call.positionals
  const correction = words.join(' ').trim()
  if (correction === '') {
    throw new PlatformError('validation', {
      message: 'The correction is missing.',
      fix: 'Write it after the fact, as a sentence: "Ada lives in Bergen."',
    })
  }
  const { client, display, reflectionId } = await connectToReflection(call)
  const fact = await findFact(client, reflectionId, named)
  const { patchId } = await client.reflections.correct({ reflectionId, fact: fact.id, correction })
  const patch = await waitForPatch(client.reflections, { reflectionId, patchId }, () => true)
  const isWaiting = patch.status === 'proposed'
  if (json) io.stdout.write(toJsonLine(patch))
  else {
    const titleOf = await readSourceTitles(client, reflectionId)
    io.stdout.write(`${renderPatch(patch, display, { titleOf }).join('\n')}\n`)
    io.stdout.write(`${display.style.dim(PATCH_MARKS)}\n`)
    const ids = `${shortenId(reflectionId)} ${shortenId(patchId)}`
    if (isWaiting) printMessage(io.stdout, `It applies once approved: parley reflections approve ${ids}`)
  }
  return isWaiting ? EXIT.done : EXIT.refused
}

const PatchesOptions = z.object({
  limit: LimitOption,
  status: z.enum(PatchStatus.options, `must be ${PatchStatus.options.join(', ')}`).optional(),
})

const A_FEW = 3

/** Patches that need a decision are shown in full, others shortened. */
const limitChanges = ({ status }: Patch) => (status === 'proposed' ? {} : { most: A_FEW })

/** Lists patches: what each adds and replaces, and the result of the rules. */
export async function listPatches(call: CommandCall): Promise<ExitCode> {
  const { limit, status } = parseOptions(PatchesOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const list = await readUpTo(limit, (page) =>
    client.reflections.patches({ ...page, reflectionId, ...(status && { status }) }),
  )
  return printList(call, list, {
    style: display.style,
    empty: status ? `There are no ${status} patches.` : 'It has no patches yet.',
    async render() {
      const { items } = list
      const titleOf = await readSourceTitles(client, reflectionId)
      const isShortened = items.some((patch) => patch.status !== 'proposed' && patch.facts.length > A_FEW)
      const waiting = items.find((patch) => patch.status === 'proposed')
      const id = shortenId(reflectionId)
      const hints = [
        ...(isShortened ? [`To see all of one: parley reflections patch ${id} PATCH`] : []),
        PATCH_MARKS,
        ...(waiting ? [`parley reflections approve ${id} ${shortenId(waiting.id)}, or reject`] : []),
      ]
      const lines = [
        ...items.flatMap((patch) => renderPatch(patch, display, { titleOf, ...limitChanges(patch) })),
        ...hints.map(display.style.dim),
      ]
      return `${lines.join('\n')}\n`
    },
  })
}

export async function showPatch(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, display, reflectionId } = await connectToReflection(call)
  const patch = await findPatch(client, reflectionId, positionals[1] ?? '')
  if (json) return printJson(io, patch)
  const titleOf = await readSourceTitles(client, reflectionId)
  io.stdout.write(
    `${renderPatch(patch, display, { titleOf }).join('\n')}\n${display.style.dim(PATCH_MARKS)}\n`,
  )
  return EXIT.done
}

const ReviewOptions = z.object({ wait: z.boolean().default(true) })

/** The command for one review decision; it waits for the result. */
export function createReviewCommand(decision: ReviewPatch): RunCommand {
  return async (call) => {
    const { wait } = parseOptions(ReviewOptions, call.options)
    const { client, reflectionId } = await connectToReflection(call)
    const before = await findPatch(client, reflectionId, call.positionals[1] ?? '')
    const ref = { reflectionId, patchId: before.id }
    await client.reflections.review({ ...ref, said: decision })
    const patch = wait
      ? await waitForPatch(client.reflections, ref, ({ status }) => status !== before.status)
      : before
    const text = wait ? describeOutcome(patch) : `${shortenId(patch.id)} will be ${STATUS_AFTER[decision]}.`
    const done = printResult(call, { patchId: patch.id, said: decision, status: patch.status }, text)
    return !wait || patch.status === STATUS_AFTER[decision] ? done : EXIT.refused
  }
}

const STATUS_AFTER: Record<ReviewPatch, Patch['status']> = {
  approve: 'applied',
  reject: 'rejected',
  revert: 'reverted',
}

/** The actual result: another person may have decided first. */
function describeOutcome({ id, status, facts, supersedes }: Patch): string {
  const active = facts.filter(({ state }) => state === 'active').length
  const ended = supersedes.length > 0 ? `, replacing ${supersedes.length}` : ''
  const now: Record<Patch['status'], string> = {
    proposed: 'it is still waiting',
    applied: `${formatCount(active, 'fact')} ${active === 1 ? 'is' : 'are'} now active${ended}`,
    rejected: 'none of its facts are used',
    reverted: 'its facts are no longer used, and the facts they replaced are active again',
  }
  return `${shortenId(id)} is ${status}: ${now[status]}.`
}
