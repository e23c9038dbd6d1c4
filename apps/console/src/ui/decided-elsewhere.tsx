import type { ReactNode } from 'react'

/** A row that was decided elsewhere keeps its space and is disabled. */
export function DecidedElsewhere({ isGone, children }: { isGone: boolean; children: ReactNode }) {
  return (
    <div className="relative">
      <div inert={isGone} className={`flex flex-col gap-3 ${isGone ? 'opacity-40' : ''}`}>
        {children}
      </div>
      {isGone && (
        <p
          role="status"
          className="bg-paper border-line absolute end-0 top-0 rounded-sm border px-2 text-sm leading-6"
        >
          Decided elsewhere
        </p>
      )}
    </div>
  )
}
