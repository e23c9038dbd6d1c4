import { setTimeout as pause } from 'node:timers/promises'
import type { ApiClient } from '@parley/api-client'
import { IngestPhase, type Patch, type ReflectionId, type Source } from '@parley/contracts'
import type { Environment } from '../environment.ts'
import type { Io } from '../io.ts'
import { createLiveRows } from '../render/live-rows.ts'
import type { Display } from '../render/display.ts'
import { formatCount, fitText, toInlineText, measureText } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import { readAll } from '../read-pages.ts'

/** The progress of a source through all phases, from 0 to 100. */
export function calculatePercent({ state, phase, progress }: Source): number {
  if (state === 'queued') return 0
  if (state !== 'running') return 100
  if (!phase) return 0
  const within = progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0
  return Math.floor(((IngestPhase.options.indexOf(phase) + within) / IngestPhase.options.length) * 100)
}

export const isImporting = ({ state }: Source): boolean => state === 'queued' || state === 'running'

export function describeState({ state, phase, facts, chunks, problem }: Source): string {
  switch (state) {
    case 'queued':
      return 'queued'
    case 'running':
      return phase ?? 'running'
    case 'completed':
      return `completed: ${formatCount(chunks, 'passage')}, ${formatCount(facts, 'fact')}`
    case 'duplicate_skipped':
      return `skipped: ${problem ?? 'already imported'}`
    case 'eval_rejected':
      return `rejected${problem ? `: ${problem}` : ''}`
    case 'failed':
      return `failed${problem ? `: ${problem}` : ''}`
    case 'removing':
      return 'is being removed'
    default:
      return state satisfies never
  }
}

interface ProgressOutput {
  readonly io: Io
  readonly display: Display
  readonly environment: Environment
}

const POLL_MS = 250

/**
 * Shows the progress of sources until all are done or the user stops waiting: bars on a terminal, else one line
 * per change.
 */
export async function followSources(
  added: readonly Source[],
  read: (source: Source) => Promise<Source>,
  signal: AbortSignal,
  output: ProgressOutput | undefined,
): Promise<readonly Source[]> {
  const show = output === undefined ? () => {} : isLive(output) ? createBars(output) : createLines(output)
  let sources = added
  show(sources)
  while (sources.some(isImporting) && !signal.aborted) {
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
    sources = await Promise.all(sources.map(async (source) => (isImporting(source) ? read(source) : source)))
    show(sources)
  }
  return sources
}

const isLive = ({ display, environment }: ProgressOutput): boolean =>
  display.isTerminal && environment.escapes

type ShowSources = (sources: readonly Source[]) => void

function createBars({ io, display }: ProgressOutput): ShowSources {
  const rows = createLiveRows(io.stdout)
  const finished = new Set<string>()
  return (sources) => {
    const done = sources.filter((source) => !isImporting(source) && !finished.has(source.id))
    for (const { id } of done) finished.add(id)
    const importing = sources.filter(isImporting)
    io.stdout.write(
      rows.update(
        done.map((source) => renderEnded(source, display)),
        importing.map((source) => renderBar(source, display)),
      ),
    )
  }
}

/** One line per change, ignoring the percentage. */
function createLines({ io }: ProgressOutput): ShowSources {
  const printed = new Map<string, string>()
  return (sources) => {
    for (const source of sources) {
      const line = `${toInlineText(source.title)}: ${toInlineText(describeState(source))}`
      if (printed.get(source.id) === line) continue
      printed.set(source.id, line)
      io.stdout.write(`${line}\n`)
    }
  }
}

const BAR = 20
const TITLE = 28

function renderBar(source: Source, { style, columns }: Display): string {
  const percent = calculatePercent(source)
  const filled = Math.round((percent / 100) * BAR)
  const bar = `${'█'.repeat(filled)}${style.dim('░'.repeat(BAR - filled))}`
  const after = fitText(describeState(source), Math.max(4, columns - TITLE - BAR - 9))
  return `  ${renderTitle(source)} ${bar} ${String(percent).padStart(3)} % ${style.dim(after)}`
}

function renderEnded(source: Source, { style, columns }: Display): string {
  const isGood = source.state === 'completed' || source.state === 'duplicate_skipped'
  const mark = isGood ? style.good('✓') : style.bad('✗')
  return `${mark} ${renderTitle(source)} ${fitText(toInlineText(describeState(source)), Math.max(20, columns - TITLE - 4))}`
}

function renderTitle({ title }: Source): string {
  const shown = fitText(toInlineText(title), TITLE)
  return shown + ' '.repeat(Math.max(0, TITLE - measureText(shown)))
}

/** Counts the facts that wait for review, in all patches or in some. */
export async function countWaitingFacts(
  client: ApiClient,
  reflectionId: ReflectionId,
  isIncluded: (patch: Patch) => boolean = () => true,
): Promise<number> {
  const patches = await readAll((page) =>
    client.reflections.patches({ ...page, reflectionId, status: 'proposed' }),
  )
  return patches
    .filter(isIncluded)
    .flatMap(({ facts }) => facts)
    .filter(({ state }) => state === 'candidate').length
}

export const describeWaitingFacts = (count: number, reflectionId: ReflectionId): string =>
  `${formatCount(count, 'fact')} ${count === 1 ? 'is' : 'are'} waiting for review: parley reflections patches ${shortenId(reflectionId)} --status proposed`
