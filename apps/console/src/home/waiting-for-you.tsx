import { Link } from '@tanstack/react-router'
import { useApprovals } from '../approvals/use-approvals.ts'

/** Where agents have stopped to ask. As high where none has, so that nothing moves when one does. */
export function WaitingForYou() {
  const { data } = useApprovals()
  const count = data?.items.length
  return (
    <section
      aria-label="Waiting for you"
      className={`min-h-13 border-s-2 ps-4 text-sm leading-6 ${count ? 'border-accent' : 'border-line'}`}
    >
      <p className="font-serif text-lg">{count !== undefined && waitingInWords(count)}</p>
      {count !== undefined && (
        <Link to="/approvals" className="text-accent underline">
          {count === 0 ? 'See how agents ask' : 'Decide'}
        </Link>
      )}
    </section>
  )
}

function waitingInWords(count: number): string {
  if (count === 0) return 'No tool call needs your approval'
  return count === 1 ? 'One tool call needs your approval' : `${count} tool calls need your approval`
}
