import { missingOfVoice } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useConsoleHost } from '../../app/console-host.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { type Glance, glanceOf } from './glance-of.ts'
import { useSummary } from './use-summary.ts'

/** How the reflection stands, each with the way to more; what is to be done next stands first. */
export function AtAGlance() {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const { id } = reflection
  const key = reflectionKey(id)
  const summary = useSummary()
  const links = useQuery({
    queryKey: [...key, 'share-links'],
    queryFn: () => client.reflections.shareLinks(id),
    enabled: rights.mayManage,
  })
  const surfaces = useQuery({
    queryKey: [...key, 'sync'],
    queryFn: () => client.reflections.syncStatus(id),
    retry: false,
  })
  const glances = glanceOf({
    reflection,
    rights,
    missing: missingOfVoice(reflection.voice),
    summary: summary.data,
    links: links.data,
    surfaces: surfaces.data?.items ?? (surfaces.error ? null : undefined),
    now: links.dataUpdatedAt,
  })
  return (
    <dl className="border-line grid border-y sm:grid-cols-2 lg:grid-cols-3">
      {glances.map((glance) => (
        <GlanceView key={glance.label} glance={glance} />
      ))}
    </dl>
  )
}

function GlanceView({ glance: { label, words, to, isDue } }: { glance: Glance }) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <div className="min-h-19 py-3 pe-4 text-sm leading-6">
      <dt className="text-soft">{label}</dt>
      <dd>
        {to === undefined ? (
          words
        ) : (
          <Link
            to={to}
            params={{ reflectionId }}
            className={`decoration-edge underline underline-offset-2 ${isDue ? 'text-accent font-medium' : ''}`}
          >
            {words}
          </Link>
        )}
      </dd>
    </div>
  )
}
