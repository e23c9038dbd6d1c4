import type { UseQueryResult } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AgentSurface } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useOpenReflection } from '../open-reflection.ts'

const PARTS = [
  { label: 'Agents', to: '/reflections/$reflectionId/runtime', exact: true },
  { label: 'Ledger', to: '/reflections/$reflectionId/runtime/ledger', exact: false },
  { label: 'Variables', to: '/reflections/$reflectionId/runtime/variables', exact: true },
] as const

/** What the parts of a runtime share: the way to each other. */
export function RuntimeFrame() {
  const { reflection } = useOpenReflection()
  return (
    <>
      <nav aria-label="Parts of the runtime" className="px-4 pt-4 sm:px-8">
        <ul className="bg-shade inline-flex gap-0.5 rounded-md p-0.5">
          {PARTS.map(({ label, to, exact }) => (
            <li key={label}>
              <Link
                to={to}
                params={{ reflectionId: reflection.id }}
                activeOptions={{ exact, includeSearch: false }}
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

const LOOKS = {
  good: 'border-accent text-accent',
  bad: 'border-alarm text-alarm',
  quiet: 'border-line text-soft',
} as const

/** A word for how something stands. */
export function Mark({ look, children }: { look: keyof typeof LOOKS; children: ReactNode }) {
  return (
    <span
      className={`inline-flex shrink-0 items-center rounded-full border px-2 text-xs leading-5 ${LOOKS[look]}`}
    >
      {children}
    </span>
  )
}

interface ReadStateProps {
  readonly reading: Pick<UseQueryResult, 'error' | 'data' | 'refetch'>
  readonly waiting: string
}

/** What stands where something is still read, or could not be. */
export function ReadState({ reading: { error, data, refetch }, waiting }: ReadStateProps) {
  if (error) {
    return (
      <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>{messageOf(error)}</Notice>
    )
  }
  return data === undefined ? <p className="animate-late text-soft text-sm">{waiting}</p> : null
}

/** The agents of a reflection, as a person calls them. */
export const SURFACES: Readonly<Record<AgentSurface, { readonly label: string; readonly help: string }>> = {
  standard: { label: 'Private, first time', help: 'For members who talk with it for the first time.' },
  memory: { label: 'Private, again', help: 'For members who were here before: it knows what was last said.' },
  public: { label: 'Public', help: 'For whoever comes by a link. Built from what is published alone.' },
  public_part: {
    label: 'Public, part',
    help: 'For calls by a link to some of the published namespaces. It is told those alone, call by call.',
  },
}
