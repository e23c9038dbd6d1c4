import { Link, Outlet } from '@tanstack/react-router'
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
