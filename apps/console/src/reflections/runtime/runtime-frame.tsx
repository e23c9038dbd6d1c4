import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { AGENT_STATUS_LABELS, type AgentSurface } from '@parley/contracts'
import { capitalize } from '../../ui/format.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { usePageLinks } from '../../app/page-record.ts'

/** The frame around the runtime pages, with links to each of them. */
export function RuntimeFrame() {
  const { reflection, rights } = useOpenReflection()
  return (
    <>
      <nav aria-label="Runtime pages" className="px-4 pt-4 sm:px-8">
        <ul className="bg-shade inline-flex gap-0.5 rounded-md p-0.5">
          {usePageLinks('runtime', rights.role).map(({ label, to, hasSubpages = false }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ reflectionId: reflection.id }}
                activeOptions={{ exact: !hasSubpages, includeSearch: false }}
                className="text-soft hover:text-ink aria-[current=page]:bg-paper aria-[current=page]:text-ink flex min-h-8 items-center rounded px-3 text-sm max-sm:min-h-11"
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </>
  )
}

const TONES = {
  good: 'border-accent text-accent',
  bad: 'border-alarm text-alarm',
  quiet: 'border-line text-soft',
} as const

type MarkTone = keyof typeof TONES

export interface MarkLabel {
  readonly label: string
  readonly tone: MarkTone
}

const AGENT_TONES: Readonly<Record<keyof typeof AGENT_STATUS_LABELS, MarkTone>> = {
  fresh: 'good',
  stale: 'bad',
  not_ready: 'quiet',
  as_wanted: 'good',
  differs: 'bad',
  gone: 'bad',
  not_made: 'quiet',
  not_comparable: 'quiet',
}

export const getAgentMark = (status: keyof typeof AGENT_STATUS_LABELS): MarkLabel => ({
  label: capitalize(AGENT_STATUS_LABELS[status]),
  tone: AGENT_TONES[status],
})

export function Mark({ tone, children }: { tone: MarkTone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex shrink-0 items-center rounded-full border px-2 text-xs leading-5 ${TONES[tone]}`}
    >
      {children}
    </span>
  )
}

/** The display names of the agents of a reflection. */
export const SURFACES: Readonly<Record<AgentSurface, { readonly label: string; readonly help: string }>> = {
  standard: { label: 'Private, first time', help: 'For members who talk with it for the first time.' },
  memory: {
    label: 'Private, returning',
    help: 'For members who talked with it before. It knows their last conversation.',
  },
  public: { label: 'Public', help: 'For visitors with a link. Built from published content only.' },
  public_part: {
    label: 'Public, selected folders',
    help: 'For calls with a link to some of the public folders. Each call gets only those.',
  },
}
