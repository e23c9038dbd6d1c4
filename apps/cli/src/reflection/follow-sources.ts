import { setTimeout as pause } from 'node:timers/promises'
import type { Source } from '@parley/contracts'
import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { inLine } from '../render/in-line.ts'
import { createLiveRows } from '../render/live-rows.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { fitText, textWidth } from '../render/text-width.ts'
import { isUnderWay, outcomeText, percentOf } from './source-progress.ts'

interface Shown {
  readonly io: Io
  readonly screen: ScreenLook
  readonly config: Config
}

const LOOK_EVERY_MS = 250

/** Looks until every source has its outcome or nobody waits any more, and shows how far each is: a bar on a terminal, elsewhere a line a change. */
export async function followSources(
  added: readonly Source[],
  read: (source: Source) => Promise<Source>,
  signal: AbortSignal,
  shown: Shown | undefined,
): Promise<readonly Source[]> {
  const show = shown === undefined ? () => {} : isLive(shown) ? liveBars(shown) : plainLines(shown)
  let sources = added
  show(sources)
  while (sources.some(isUnderWay) && !signal.aborted) {
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    sources = await Promise.all(sources.map(async (source) => (isUnderWay(source) ? read(source) : source)))
    show(sources)
  }
  return sources
}

const isLive = ({ screen, config }: Shown): boolean => screen.isTerminal && config.escapes

type Show = (sources: readonly Source[]) => void

function liveBars({ io, screen }: Shown): Show {
  const rows = createLiveRows(io.stdout)
  const finished = new Set<string>()
  return (sources) => {
    const done = sources.filter((source) => !isUnderWay(source) && !finished.has(source.id))
    for (const { id } of done) finished.add(id)
    const under = sources.filter(isUnderWay)
    io.stdout.write(
      rows.update(
        done.map((source) => endedRow(source, screen)),
        under.map((source) => barRow(source, screen)),
      ),
    )
  }
}

/** A line wherever something of a source has changed but its percentage. */
function plainLines({ io }: Shown): Show {
  const said = new Map<string, string>()
  return (sources) => {
    for (const source of sources) {
      const line = `${inLine(source.title)}: ${inLine(outcomeText(source))}`
      if (said.get(source.id) === line) continue
      said.set(source.id, line)
      io.stdout.write(`${line}\n`)
    }
  }
}

const BAR = 20
const TITLE = 28

function barRow(source: Source, { style, columns }: ScreenLook): string {
  const percent = percentOf(source)
  const filled = Math.round((percent / 100) * BAR)
  const bar = `${'█'.repeat(filled)}${style.dim('░'.repeat(BAR - filled))}`
  const after = fitText(outcomeText(source), Math.max(4, columns - TITLE - BAR - 9))
  return `  ${titleCell(source)} ${bar} ${String(percent).padStart(3)} % ${style.dim(after)}`
}

function endedRow(source: Source, { style, columns }: ScreenLook): string {
  const isGood = source.state === 'completed' || source.state === 'duplicate_skipped'
  const mark = isGood ? style.good('✓') : style.bad('✗')
  return `${mark} ${titleCell(source)} ${fitText(inLine(outcomeText(source)), Math.max(20, columns - TITLE - 4))}`
}

function titleCell({ title }: Source): string {
  const shown = fitText(inLine(title), TITLE)
  return shown + ' '.repeat(Math.max(0, TITLE - textWidth(shown)))
}
