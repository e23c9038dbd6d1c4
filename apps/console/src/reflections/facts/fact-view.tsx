import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { waitForPatch } from '@parley/api-client'
import {
  type Fact,
  type FactStatus,
  PlatformError,
  ProposeCorrection,
  getFactStatus,
} from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { formatTime } from '../../ui/format.ts'
import { useDisclosure } from '../../ui/use-disclosure.ts'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionQuery } from '../use-reflection-query.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { QuoteView, SourceName } from '../source-reference.tsx'
import { QueryState } from '../../ui/query-state.tsx'

const STATUSES: Record<FactStatus, string> = {
  active: 'active',
  repeated: 'supports another fact that says the same',
  superseded: 'past',
  candidate: 'waiting for approval',
  rejected: 'rejected',
}

export function FactView({ fact }: { fact: Fact }) {
  const { statement, namespace, confidence, supersededAt, evidence } = fact
  const { rights } = useOpenReflection()
  const editing = useDisclosure()
  const historyPanel = useDisclosure()
  const status = getFactStatus(fact)
  const mayEdit = rights.mayTeach && status === 'active'
  const hasPast = fact.supersedesFactId !== undefined || fact.supersededBy !== undefined
  return (
    <div data-state={status} className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <p className="text-soft text-sm leading-6">{formatFactDates(fact)}</p>
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex items-start gap-3">
          <p className={`min-w-0 flex-1 leading-6 wrap-anywhere ${status === 'active' ? '' : 'text-soft'}`}>
            {escapeInvisible(statement)}
          </p>
          {hasPast && (
            <Button
              variant="ghost"
              className="-my-1.5"
              aria-label={`History of: ${statement}`}
              {...historyPanel.button}
            >
              History
            </Button>
          )}
          {mayEdit && (
            <Button variant="ghost" className="-my-1.5" aria-label={`Edit: ${statement}`} {...editing.button}>
              Edit
            </Button>
          )}
        </div>
        {evidence.map((each, index) => (
          <QuoteView key={index} evidence={each} />
        ))}
        <p className="text-soft text-xs leading-5 wrap-anywhere">
          <span className={status === 'active' ? 'text-accent' : 'text-ink font-medium'}>
            {STATUSES[status]}
          </span>
          {status === 'superseded' && supersededAt && (
            <>
              {' since '}
              <time dateTime={supersededAt}>{formatTime(supersededAt)}</time>
            </>
          )}
          {' · '}
          <span className="font-mono">{namespace}</span> · confidence {Math.round(confidence * 100)} %
        </p>
        {historyPanel.isOpen && <FactHistory fact={fact} />}
        {mayEdit && editing.isOpen && <EditFact fact={fact} onClose={editing.close} />}
      </div>
    </div>
  )
}

function FactHistory({ fact }: { fact: Fact }) {
  const history = useReflectionQuery(['facts', 'history', fact.id], (reflections, reflectionId) =>
    reflections.factHistory({ reflectionId, factId: fact.id }),
  )
  if (!history.data || history.error) return <QueryState query={history} />
  return (
    <ol
      aria-label={`History of: ${fact.statement}`}
      className="border-line ms-1 flex flex-col gap-3 border-s ps-4"
    >
      {history.data.map((each) => (
        <FactVersion key={each.id} fact={each} isThis={each.id === fact.id} />
      ))}
    </ol>
  )
}

function FactVersion({ fact, isThis }: { fact: Fact; isThis: boolean }) {
  const [evidence] = fact.evidence
  return (
    <li aria-current={isThis || undefined} className="relative text-sm leading-6">
      <span
        aria-hidden="true"
        className={`absolute -start-[1.31rem] top-2 size-2 rounded-full ${isThis ? 'bg-accent' : 'bg-edge'}`}
      />
      <p className={`wrap-anywhere ${isThis ? '' : 'text-soft'}`}>{escapeInvisible(fact.statement)}</p>
      <p className="text-soft text-xs leading-5 wrap-anywhere">
        {formatFactDates(fact) || 'no date'}
        {evidence && (
          <>
            {' · '}
            <SourceName sourceId={evidence.sourceId} words={evidence.quote} />
          </>
        )}
      </p>
    </li>
  )
}

/** Suggests a corrected fact. The change then waits for review. */
function EditFact({ fact, onClose }: { fact: Fact; onClose: () => void }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const { storage } = useConsoleHost()
  const draft = `reflection.${reflectionId}.correction.${fact.id}`
  const [correction, setCorrection] = useState(() => storage.read(draft) ?? '')
  const correct = useReflectionChange(reflectionId, async (reflections) => {
    const { patchId } = await reflections.correct({ reflectionId, fact: fact.id, correction })
    storage.write(draft, undefined)
    const patch = await waitForPatch(reflections, { reflectionId, patchId }, () => true)
    if (patch.status !== 'rejected') return
    const reason = patch.findings.map(({ message }) => message).join(' ')
    throw new PlatformError('validation', { message: reason || 'There is nothing to change.' })
  })
  if (correct.isSuccess) {
    return (
      <p role="status" className="text-sm leading-6">
        Your change is waiting for approval.{' '}
        <Link
          to="/reflections/$reflectionId/patches"
          params={{ reflectionId }}
          className="text-accent underline underline-offset-2"
        >
          Review it
        </Link>
      </p>
    )
  }
  return (
    <ConfirmForm
      label={`Edit: ${fact.statement}`}
      yes={correct.isPending ? 'Saving…' : 'Save change'}
      variant="primary"
      isReady={correction.trim() !== ''}
      startsAt="field"
      action={{ ...correct, mutate: () => correct.mutate() }}
      onClose={onClose}
    >
      <TextField
        label="New text"
        help="As a sentence, such as “Ada lives in Bergen.” It is used once it is approved."
        autoFocus
        maxLength={ProposeCorrection.shape.correction.maxLength ?? undefined}
        value={correction}
        onChange={(event) => {
          setCorrection(event.target.value)
          storage.write(draft, event.target.value || undefined)
        }}
      />
    </ConfirmForm>
  )
}

/** The dates of a fact; empty if none is known. */
export function formatFactDates({ validFrom, validTo }: Pick<Fact, 'validFrom' | 'validTo'>): string {
  return [validFrom && `from ${cutTime(validFrom)}`, validTo && `until ${cutTime(validTo)}`]
    .filter(Boolean)
    .join(' ')
}

/** Facts have dates at most, never times. */
const cutTime = (time: string) => time.split(/[T ]/, 1)[0] ?? time
