import {
  linkStanding,
  type Reflection,
  type ReflectionSummary,
  type ShareLink,
  type SurfaceStatus,
} from '@parley/contracts'
import { publicInWords } from '../public-in-words.ts'
import type { Rights } from '../rights-of.ts'

/** One thing about a reflection, and where more of it is. */
export interface Glance {
  readonly label: string
  readonly words: string
  /** Absent where there is no more. */
  readonly to?: `/reflections/$reflectionId/${'sources' | 'facts' | 'patches' | 'share' | 'voice' | 'runtime'}`
  /** Whether it waits for a person. */
  readonly isDue: boolean
}

interface Known {
  readonly reflection: Pick<Reflection, 'namespaces'>
  readonly rights: Pick<Rights, 'mayManage' | 'mayTeach'>
  /** What keeps it from being spoken with. */
  readonly missing: readonly string[]
  /** Absent while they are on their way. */
  readonly summary: ReflectionSummary | undefined
  readonly links: readonly ShareLink[] | undefined
  /** Null where nobody can tell. */
  readonly surfaces: readonly SurfaceStatus[] | null | undefined
  readonly now: number
}

const COMING = '…'

export function glanceOf(known: Known): readonly Glance[] {
  const { reflection, rights, missing, summary, links, surfaces, now } = known
  const good = links?.filter((link) => linkStanding(link, now) === 'good').length
  return [
    {
      label: 'Sources',
      words: summary ? sourcesInWords(summary.sources) : COMING,
      to: '/reflections/$reflectionId/sources',
      isDue: rights.mayTeach && summary !== undefined && totalOf(summary.sources) === 0,
    },
    {
      label: 'Facts',
      words: summary ? factsInWords(summary) : COMING,
      to: '/reflections/$reflectionId/facts',
      isDue: false,
    },
    {
      label: 'Patches',
      words: summary ? counted(summary.waiting, 'waiting', 'waiting', 'None waiting') : COMING,
      to: '/reflections/$reflectionId/patches',
      isDue: rights.mayTeach && (summary?.waiting ?? 0) > 0,
    },
    { label: 'For anybody', words: capital(publicInWords(reflection.namespaces)), isDue: false },
    {
      label: 'Voice',
      words: missing.length === 0 ? 'Can be spoken with' : capital(missing.join(', ')),
      to: '/reflections/$reflectionId/voice',
      isDue: false,
    },
    ...(rights.mayManage ? [linksGlance(good)] : []),
    surfacesGlance(surfaces),
  ]
}

const linksGlance = (good: number | undefined): Glance => ({
  label: 'Share links',
  words: good === undefined ? COMING : counted(good, 'is open', 'are open', 'None is open'),
  to: '/reflections/$reflectionId/share',
  isDue: false,
})

const surfacesGlance = (surfaces: Known['surfaces']): Glance => ({
  label: 'Agents at the provider',
  words: surfaces === undefined ? COMING : surfaces ? surfacesInWords(surfaces) : 'Cannot be told',
  to: '/reflections/$reflectionId/runtime',
  isDue: false,
})

const totalOf = ({ learned, busy, wrong }: ReflectionSummary['sources']): number => learned + busy + wrong

function sourcesInWords(sources: ReflectionSummary['sources']): string {
  if (totalOf(sources) === 0) return 'None yet: add the first'
  const { learned, busy, wrong } = sources
  return [
    `${learned} learned`,
    busy > 0 && `${busy} on the way`,
    wrong > 0 && `${wrong} could not be learned`,
  ]
    .filter(Boolean)
    .join(', ')
}

const factsInWords = (summary: ReflectionSummary): string =>
  counted(factsIn(summary), 'known', 'known', 'None known yet')

export const factsIn = ({ namespaces }: ReflectionSummary): number =>
  namespaces.reduce((sum, { facts }) => sum + facts, 0)

const SURFACES: Record<SurfaceStatus['status'], string> = {
  fresh: 'up to date',
  stale: 'behind',
  not_ready: 'not made yet',
}

function surfacesInWords(surfaces: readonly SurfaceStatus[]): string {
  const by = Map.groupBy(surfaces, ({ status }) => status)
  return [...by].map(([status, of]) => `${of.length} ${SURFACES[status]}`).join(', ') || 'None'
}

const counted = (count: number, one: string, many: string, none: string): string => {
  if (count === 0) return none
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
