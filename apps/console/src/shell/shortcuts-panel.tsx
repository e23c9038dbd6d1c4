import { Button } from '../ui/button.tsx'
import { useShell } from './shell-context.ts'
import { SHORTCUTS } from './shortcuts.ts'

/** The keys that do something, and the way to the tour. */
export function ShortcutsPanel() {
  const { startTour } = useShell()
  return (
    <>
      <dl className="mt-4 grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-2 text-sm">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="border-line rounded border px-1.5 font-mono text-xs leading-5">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Button className="mt-6" onClick={startTour}>
        Show the tour
      </Button>
    </>
  )
}
