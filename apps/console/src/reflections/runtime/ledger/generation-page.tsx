import { Link, useNavigate, getRouteApi } from '@tanstack/react-router'
import { readWholeLedger } from '@parley/api-client'
import { type StoredGeneration, VoiceArtifacts } from '@parley/contracts'
import { type ArtifactsChange, diffArtifacts } from '@parley/reflections'
import { CodeBox } from '../../../ui/code-box.tsx'
import { DiffLineView } from '../../../ui/diff-line-view.tsx'
import { Choice } from '../../../ui/field.tsx'
import { PageBody } from '../../../ui/page-body.tsx'
import { escapeInvisible } from '../../../ui/escape-invisible.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { QueryState } from '../../../ui/query-state.tsx'
import { useReflectionQuery } from '../../use-reflection-query.ts'
import { type DocumentPart, type GenerationDocument, toDocuments } from './generation-documents.ts'
import { capitalize, pluralize } from '../../../ui/format.ts'
import { hasErrorCode } from '../../../ui/error-message.ts'

const route = getRouteApi('/reflections/$reflectionId/runtime/ledger/$generation')

export function GenerationPage() {
  const generation = Number(route.useParams().generation)
  const { beside } = route.useSearch()
  const { reflection, rights } = useOpenReflection()
  const stored = useGeneration(generation)
  return (
    <PageBody width="wide">
      <title>{`Version ${generation} · ${reflection.displayName} · Parley`}</title>
      <Link
        to="/reflections/$reflectionId/runtime/ledger"
        params={{ reflectionId: reflection.id }}
        className="text-accent inline-flex min-h-6 items-center self-start text-sm underline underline-offset-4 max-sm:min-h-11"
      >
        Back to version history
      </Link>
      <h2 className="font-serif text-lg">Version {generation}</h2>
      {rights.mayManage ? (
        <>
          {isNotFound(stored.error) ? (
            <p className="text-sm leading-6">Version {generation} does not exist. See the version history.</p>
          ) : (
            <QueryState query={stored} loadingText="Loading the version…" />
          )}
          {stored.data && (
            <>
              <CompareWith generation={generation} beside={beside} />
              {beside === undefined ? (
                <Documents stored={stored.data} />
              ) : (
                <GenerationDiff key={beside} stored={stored.data} beside={beside} />
              )}
            </>
          )}
        </>
      ) : (
        <p className="text-sm leading-6">
          A version contains private dossiers and prompts, so only admins of this reflection can open it.
        </p>
      )}
    </PageBody>
  )
}

const isNotFound = (failure: unknown): boolean => hasErrorCode(failure, 'not_found', 'validation')

function Documents({ stored: { artifacts, publishedNamespaces } }: { stored: StoredGeneration }) {
  if (artifacts === undefined) {
    return (
      <p className="max-w-prose text-sm leading-6">
        The content of this version was deleted together with one of its sources. The version history keeps
        its hash.
      </p>
    )
  }
  const parsed = VoiceArtifacts.safeParse(artifacts)
  return (
    <>
      <p className="text-soft text-sm">
        {publishedNamespaces.length === 0
          ? 'Nothing was public when it was built.'
          : `Public when it was built: ${publishedNamespaces.join(', ')}.`}
      </p>
      {parsed.success ? (
        <div className="border-line divide-line divide-y border-y">
          {toDocuments(parsed.data).map((document, index) => (
            <DocumentView key={document.title} document={document} isOpen={index === 0} />
          ))}
        </div>
      ) : (
        <>
          <p className="text-alarm text-sm">This version has an unknown format. Stored data:</p>
          <CodeBox label="Stored data" className="max-h-[60dvh] px-2.5">
            {JSON.stringify(artifacts, null, 2)}
          </CodeBox>
        </>
      )}
    </>
  )
}

function CompareWith({ generation, beside }: { generation: number; beside: number | undefined }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const navigate = useNavigate()
  const { data: others = [] } = useReflectionQuery(['ledger', 'generations'], async (reflections, id) => {
    const { entries } = await readWholeLedger(reflections, id)
    return [...new Set(entries.map((entry) => entry.generation))].toSorted((one, other) => other - one)
  })
  const offered = new Set([...others, ...(beside === undefined ? [] : [beside])])
  return (
    <div className="w-72 max-w-full">
      <Choice
        label="Compare with"
        value={String(beside ?? '')}
        options={Object.fromEntries(
          [...offered].filter((other) => other !== generation).map((other) => [other, `Version ${other}`]),
        )}
        onChoose={(value) =>
          void navigate({
            to: '/reflections/$reflectionId/runtime/ledger/$generation',
            params: { reflectionId, generation: String(generation) },
            search: value === '' ? {} : { beside: Number(value) },
          })
        }
      >
        <option value="">None (show its documents)</option>
      </Choice>
    </div>
  )
}

interface DocumentViewProps {
  readonly document: GenerationDocument
  readonly isOpen: boolean
}

function DocumentView({ document: { title, about, parts }, isOpen }: DocumentViewProps) {
  return (
    <details open={isOpen} className="group">
      <summary className="before:text-soft relative flex min-h-11 flex-wrap items-baseline gap-x-3 py-2.5 ps-5 text-sm before:absolute before:start-0 before:content-['▸'] group-open:before:content-['▾']">
        <span className="font-medium">{title}</span>
        <span className="text-soft">{about}</span>
      </summary>
      <div className="flex flex-col gap-4 pb-5 ps-5 text-sm leading-6">
        {parts.length === 0 && <p className="text-soft">Empty.</p>}
        {parts.map((part, index) => (
          <section key={index} aria-label={part.heading ?? title} className="flex flex-col gap-1">
            {part.heading && <h3 className="font-serif">{part.heading}</h3>}
            <DocumentPartView part={part} />
          </section>
        ))}
      </div>
    </details>
  )
}

function DocumentPartView({ part: { layout, lines, heading } }: { part: DocumentPart }) {
  if (layout === 'prompt') {
    return (
      <CodeBox label={heading ?? 'Prompt'} className="max-h-[60dvh] px-2.5">
        {lines.join('\n')}
      </CodeBox>
    )
  }
  if (layout === 'text')
    return <p className="max-w-prose wrap-anywhere whitespace-pre-line">{lines.map(escapeInvisible)}</p>
  return (
    <ul className="max-w-prose list-disc ps-5">
      {lines.map((line, index) => (
        <li key={index} className="wrap-anywhere">
          {escapeInvisible(line)}
        </li>
      ))}
    </ul>
  )
}

/** The changes from the earlier to the later of two versions. */
function GenerationDiff({ stored, beside }: { stored: StoredGeneration; beside: number }) {
  const other = useGeneration(beside)
  if (!other.data) return <QueryState query={other} loadingText="Loading the other version…" />
  const [earlier, later] =
    stored.generation < beside ? ([stored, other.data] as const) : ([other.data, stored] as const)
  const one = VoiceArtifacts.safeParse(earlier.artifacts)
  const two = VoiceArtifacts.safeParse(later.artifacts)
  if (!one.success || !two.success) {
    const missing = one.success ? later : earlier
    return (
      <p className="max-w-prose text-sm leading-6">
        The content of version {missing.generation} was deleted, so it cannot be compared.
      </p>
    )
  }
  const changes = diffArtifacts(one.data, two.data)
  return (
    <>
      <p role="status" className="text-sm leading-6">
        {changes.length === 0
          ? `Versions ${earlier.generation} and ${later.generation} are the same.`
          : `From version ${earlier.generation} to ${later.generation}: ${pluralize(changes.length, 'part')} changed.`}
      </p>
      {changes.map((change) => (
        <ChangeView key={change.part} change={change} />
      ))}
    </>
  )
}

const ChangeView = ({ change: { part, removed, added } }: { change: ArtifactsChange }) => (
  <section aria-label={part} className="flex flex-col gap-1.5">
    <h3 className="font-serif">{capitalize(part)}</h3>
    <div
      role="group"
      aria-label={`Changes in ${part}`}
      tabIndex={0}
      className="border-line max-h-96 overflow-auto rounded-sm border py-1.5 text-sm leading-6"
    >
      {removed.map((line, index) => (
        <DiffLineView key={`removed ${index}`} kind="removed" text={line} />
      ))}
      {added.map((line, index) => (
        <DiffLineView key={`added ${index}`} kind="added" text={line} />
      ))}
    </div>
  </section>
)

const useGeneration = (generation: number) =>
  useReflectionQuery(
    ['generation', generation],
    (reflections, reflectionId) => reflections.generation({ reflectionId, generation }),
    { enabled: useOpenReflection().rights.mayManage, retry: false },
  )
