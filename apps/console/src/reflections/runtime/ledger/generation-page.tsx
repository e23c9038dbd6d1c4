import { PlatformError, type StoredGeneration, VoiceArtifacts } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { PageBody } from '../../../ui/page-body.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { ReadState } from '../read-state.tsx'
import { CompareWith } from './compare-with.tsx'
import { DocumentView } from './document-view.tsx'
import { documentsOf } from './documents-of.ts'
import { GenerationDiff } from './generation-diff.tsx'
import { useGeneration } from './use-generation.ts'

interface GenerationPageProps {
  readonly generation: number
  /** The one that it is compared with. */
  readonly beside: number | undefined
}

/** What a generation says: its documents, or what another one says otherwise. */
export function GenerationPage({ generation, beside }: GenerationPageProps) {
  const { reflection, rights } = useOpenReflection()
  const stored = useGeneration(generation)
  return (
    <PageBody width="wide">
      <Link
        to="/reflections/$reflectionId/runtime/ledger"
        params={{ reflectionId: reflection.id }}
        className="text-accent inline-flex min-h-6 items-center self-start text-sm underline underline-offset-4 max-sm:min-h-11"
      >
        Back to the ledger
      </Link>
      <h2 className="font-serif text-lg">Generation {generation}</h2>
      {rights.mayManage ? (
        <>
          {isGone(stored.error) ? (
            <p className="text-sm leading-6">
              There is no generation {generation} here. The ledger names those that there are.
            </p>
          ) : (
            <ReadState reading={stored} waiting="Reading the generation…" />
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
          A generation holds private dossiers and prompts, so only admins of this reflection may open it.
        </p>
      )}
    </PageBody>
  )
}

const isGone = (failure: unknown): boolean =>
  failure instanceof PlatformError && ['not_found', 'validation'].includes(failure.code)

function Documents({ stored: { artifacts, publishedNamespaces } }: { stored: StoredGeneration }) {
  if (artifacts === undefined) {
    return (
      <p className="max-w-prose text-sm leading-6">
        A source of this generation was removed, and with it what the generation said. The ledger keeps its
        hash.
      </p>
    )
  }
  const parsed = VoiceArtifacts.safeParse(artifacts)
  return (
    <>
      <p className="text-soft text-sm">
        {publishedNamespaces.length === 0
          ? 'Nothing was published when it was built.'
          : `Published when it was built: ${publishedNamespaces.join(', ')}.`}
      </p>
      {parsed.success ? (
        <div className="border-line divide-line divide-y border-y">
          {documentsOf(parsed.data).map((document, index) => (
            <DocumentView key={document.title} document={document} isOpen={index === 0} />
          ))}
        </div>
      ) : (
        <>
          <p className="text-alarm text-sm">
            It is not of the form that a generation has. This is what is stored:
          </p>
          <pre
            tabIndex={0}
            aria-label="What is stored"
            className="bg-shade border-line max-h-[60dvh] overflow-auto rounded-sm border p-3 font-mono text-xs leading-5 whitespace-pre-wrap"
          >
            {visibleText(JSON.stringify(artifacts, null, 2))}
          </pre>
        </>
      )}
    </>
  )
}
