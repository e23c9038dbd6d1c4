import { Link } from '@tanstack/react-router'
import { PageHeader } from './page-header.tsx'

export function NotFoundPage() {
  return (
    <>
      <title>Not found · Parley</title>
      <PageHeader title="Nothing here" />
      <p className="m-auto px-6 pb-24 text-sm">
        There is no such page.{' '}
        <Link to="/sessions" className="text-accent underline">
          Go to the sessions
        </Link>
      </p>
    </>
  )
}
