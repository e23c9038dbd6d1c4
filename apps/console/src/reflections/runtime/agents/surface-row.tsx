import type { SurfaceStatus } from '@parley/contracts'
import { type ReactNode, useId } from 'react'
import { Button } from '../../../ui/button.tsx'
import { timeInWords } from '../../../ui/time-in-words.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { Mark } from '../mark.tsx'
import { SURFACES } from '../surfaces.ts'
import { surfaceStanding } from './surface-standing.ts'
import type { Sync } from './use-sync.ts'

export function SurfaceRow({ surface, sync }: { surface: SurfaceStatus; sync: Sync }) {
  const { rights } = useOpenReflection()
  const headingId = useId()
  const { label, help } = SURFACES[surface.surface]
  const standing = surfaceStanding(surface)
  const isSyncing = sync.isPending && (sync.variables === 'all' || sync.variables === surface.surface)
  return (
    <li className="flex flex-col gap-2 py-3.5 text-sm leading-6" data-status={surface.status}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 id={headingId} className="font-medium">
          {label}
        </h3>
        <Mark look={standing.look}>{standing.label}</Mark>
        {rights.mayManage && (
          <Button
            className="ms-auto"
            aria-describedby={headingId}
            aria-disabled={sync.isPending}
            onClick={() => sync.isPending || sync.mutate(surface.surface)}
          >
            {isSyncing ? 'Syncing…' : 'Sync now'}
          </Button>
        )}
      </div>
      <p className="text-soft">{help}</p>
      {standing.reasons.length > 0 && (
        <ul aria-label={`What is not as it should be: ${label}`}>
          {standing.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Told name="Pack">{surface.packKind ?? 'none yet'}</Told>
        <Told name="Synced">
          {surface.syncedAt ? timeInWords(surface.syncedAt) : 'never, or not since it changed'}
        </Told>
        <Told name="Agent">
          {surface.agentId ? (
            <code className="font-mono text-xs wrap-anywhere">{surface.agentId}</code>
          ) : (
            'none yet'
          )}
        </Told>
      </dl>
    </li>
  )
}

const Told = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 gap-1.5">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
)
