import {
  AGENT_STATUS_LABELS,
  getShareLinkState,
  type Reflection,
  type ReflectionSummary,
  type ShareLink,
  type SurfaceStatus,
} from '@parley/contracts'
import { capitalize } from '../../ui/format.ts'
import { formatPublicFolders } from '../format.ts'
import type { Rights } from '../../app/roles.ts'

/** One line of the status table, with a link to its page. */
export interface StatusItem {
  readonly label: string
  readonly value: string
  /** Absent if it has no page. */
  readonly to?: `/reflections/$reflectionId/${'sources' | 'facts' | 'patches' | 'share' | 'voice' | 'runtime'}`
  /** Whether this person should act on it. */
  readonly needsAction: boolean
}

interface ReflectionState {
  readonly reflection: Pick<Reflection, 'namespaces'>
  readonly rights: Pick<Rights, 'mayManage' | 'mayTeach'>
  /** The requirements for voice that are not met. */
  readonly missing: readonly string[]
  readonly summary: ReflectionSummary | undefined
  readonly links: readonly ShareLink[] | undefined
  /** Undefined while loading, null if they could not be read. */
  readonly surfaces: readonly SurfaceStatus[] | null | undefined
  readonly now: number
}

const LOADING = '…'

export function listStatusItems(state: ReflectionState): readonly StatusItem[] {
  const { reflection, rights, missing, summary, surfaces, now } = state
  const activeLinks = state.links?.filter((link) => getShareLinkState(link, now) === 'active').length
  const links: StatusItem = {
    label: 'Share links',
    value: activeLinks === undefined ? LOADING : describeCount(activeLinks, 'active', 'None active'),
    to: '/reflections/$reflectionId/share',
    needsAction: false,
  }
  return [
    {
      label: 'Sources',
      value: summary ? describeSources(summary.sources) : LOADING,
      to: '/reflections/$reflectionId/sources',
      needsAction: rights.mayTeach && summary !== undefined && countSources(summary.sources) === 0,
    },
    {
      label: 'Facts',
      value: summary ? describeCount(countFacts(summary), 'active', 'None yet') : LOADING,
      to: '/reflections/$reflectionId/facts',
      needsAction: false,
    },
    {
      label: 'Review',
      value: summary ? describeCount(summary.waiting, 'waiting', 'Nothing to review') : LOADING,
      to: '/reflections/$reflectionId/patches',
      needsAction: rights.mayTeach && (summary?.waiting ?? 0) > 0,
    },
    { label: 'Public', value: formatPublicFolders(reflection.namespaces) || 'Nothing', needsAction: false },
    {
      label: 'Voice',
      value: missing.length === 0 ? 'Voice ready' : capitalize(missing.join(', ')),
      to: '/reflections/$reflectionId/voice',
      needsAction: false,
    },
    ...(rights.mayManage ? [links] : []),
    {
      label: 'Voice agents',
      value: surfaces === undefined ? LOADING : surfaces ? describeSurfaces(surfaces) : 'Unknown',
      to: '/reflections/$reflectionId/runtime',
      needsAction: false,
    },
  ]
}

const countSources = ({ learned, busy, wrong }: ReflectionSummary['sources']): number =>
  learned + busy + wrong

function describeSources(sources: ReflectionSummary['sources']): string {
  if (countSources(sources) === 0) return 'Add the first source'
  const { learned, busy, wrong } = sources
  return [`${learned} imported`, busy > 0 && `${busy} in progress`, wrong > 0 && `${wrong} failed`]
    .filter(Boolean)
    .join(', ')
}

export const countFacts = ({ namespaces }: ReflectionSummary): number =>
  namespaces.reduce((sum, { facts }) => sum + facts, 0)

function describeSurfaces(surfaces: readonly SurfaceStatus[]): string {
  if (surfaces.every(({ status }) => status === 'not_ready')) return capitalize(AGENT_STATUS_LABELS.not_ready)
  const byStatus = Map.groupBy(surfaces, ({ status }) => status)
  return [...byStatus].map(([status, group]) => `${group.length} ${AGENT_STATUS_LABELS[status]}`).join(', ')
}

const describeCount = (count: number, label: string, none: string): string =>
  count === 0 ? none : `${count.toLocaleString('en-GB')} ${label}`
