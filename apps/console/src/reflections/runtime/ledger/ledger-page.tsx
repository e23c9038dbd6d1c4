import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { PageBody, Section } from '../../../ui/page-body.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'
import { GenerationRow } from './generation-row.tsx'
import { generationsOf } from './generations.ts'
import { useVerification, VerifyLedger } from './verify-ledger.tsx'

const LOOK_AGAIN_MS = 10_000

/** What became of each generation, as a chain of entries. */
export function LedgerPage() {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  const key = [...reflectionKey(reflection.id), 'ledger'] as const
  const pages = usePages({
    key: [...key, 'entries'],
    read: (page) => client.reflections.ledger({ reflectionId: reflection.id, ...page }),
    lookAgainMs: () => LOOK_AGAIN_MS,
  })
  const live = useQuery({
    queryKey: [...key, 'live', pages.readAt],
    queryFn: async () =>
      (await client.reflections.ledger({ reflectionId: reflection.id, limit: 1 })).live ?? null,
    placeholderData: (before) => before,
  })
  const verification = useVerification(reflection.id)
  const { items, error, again, more, isReadingMore } = pages
  return (
    <PageBody>
      <Section title="Ledger">
        <p className="text-soft max-w-prose text-sm leading-6">
          A generation is one build of everything that speaks for this reflection. It is built, judged by
          rules, and then it serves or it does not. Each entry bears the hash of the one before it, so a
          change behind your back shows. Numbers may be missing: a build that brought nothing new leaves no
          entry.
        </p>
        {rights.mayManage ? (
          <VerifyLedger verification={verification} />
        ) : (
          <p className="text-soft text-sm">Admins can verify the ledger and open what a generation says.</p>
        )}
        {!items && !error && <p className="animate-late text-soft text-sm">Reading the ledger…</p>}
        {items?.length === 0 && (
          <p className="text-sm leading-6">
            Nothing was built yet. The first generation is built in the background, a moment after something
            is learned.
          </p>
        )}
        {items && items.length > 0 && (
          <ol aria-label="Generations, latest first" className="flex flex-col">
            {generationsOf(items).map((generation) => (
              <GenerationRow
                key={generation.generation}
                generation={generation}
                isLive={generation.generation === live.data}
                faults={verification.data?.faults ?? []}
              />
            ))}
          </ol>
        )}
        {error && <Notice action={<Button onClick={again}>Try again</Button>}>{messageOf(error)}</Notice>}
        {more && (
          <Button
            className="self-start"
            aria-disabled={isReadingMore}
            onClick={() => isReadingMore || more()}
          >
            {isReadingMore ? 'Loading…' : 'Show more'}
          </Button>
        )}
      </Section>
    </PageBody>
  )
}
