import { readGenerations, readWholeLedger } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import { type LedgerFault, verifyLedger } from '@parley/reflections'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { sha256 } from './sha-256.ts'
import { verdictInWords } from './verdict-in-words.ts'

/** Reads all that the ledger is about, and works it out anew in this page. */
export function useVerification(reflectionId: ReflectionId) {
  const { client } = useConsoleHost()
  const [progress, setProgress] = useState('')
  const verification = useMutation({
    mutationFn: async () => {
      setProgress('Reading the ledger…')
      const ledger = await readWholeLedger(client.reflections, reflectionId)
      const stored = await readGenerations(client.reflections, ledger, (read, all) =>
        setProgress(`Reading generation ${read} of ${all}…`),
      )
      return { ledger, faults: verifyLedger(ledger, (generation) => stored.get(generation), sha256) }
    },
  })
  return { ...verification, progress }
}

export function VerifyLedger({ verification }: { verification: ReturnType<typeof useVerification> }) {
  const { isPending, data, error, mutate, progress } = verification
  const lastHash = data?.ledger.entries.at(-1)?.entryHash ?? ''
  const isRight = data !== undefined && !isPending && data.faults.length === 0
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-disabled={isPending} onClick={() => isPending || mutate()}>
          Verify here
        </Button>
        <p role="status" className="min-h-6 text-sm leading-6 max-sm:min-h-12 max-sm:basis-full">
          {isPending ? progress : data && verdictInWords(data.ledger, data.faults)}
        </p>
      </div>
      {/* There before it is asked for, with room for the hash: what stands below stays where it is. */}
      <p className="text-soft text-sm leading-6">
        The sums are done in this page, not on the server. Whoever could write the whole database could make a
        new chain: keep the last hash elsewhere to see that.
      </p>
      <p className="min-h-5 text-xs leading-5 max-sm:min-h-10">
        {isRight && <code className="font-mono wrap-anywhere">{visibleText(lastHash)}</code>}
      </p>
      {error && <Notice>{messageOf(error)}</Notice>}
      {data && !isPending && <Faults faults={data.faults} />}
    </div>
  )
}

/** Those of no single entry; the others stand with theirs. */
function Faults({ faults }: { faults: readonly LedgerFault[] }) {
  if (faults.length === 0) return null
  return (
    <ul aria-label="What is wrong with the ledger" className="text-alarm list-disc ps-5 text-sm leading-6">
      {faults.map(({ position, problem }, index) => (
        <li key={index}>{visibleText(position === undefined ? problem : `Entry ${position} ${problem}`)}.</li>
      ))}
    </ul>
  )
}
