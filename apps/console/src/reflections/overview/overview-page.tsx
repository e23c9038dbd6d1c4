import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FactApproval, type ChangeReflection, type Reflection, findVoiceProblems } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { ConfirmButton } from '../../ui/confirm-form.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { ErrorNotice, Status } from '../../ui/notice.tsx'
import { useShareLinks, useSyncStatus, useSummary } from '../use-reflection-query.ts'
import { REFLECTIONS_KEY, getReflectionKey, useReflectionChange } from '../use-reflections.ts'
import { type StatusItem, listStatusItems } from './status-items.ts'
import { FolderSection } from './folder-section.tsx'

export function OverviewPage() {
  const { reflection, rights } = useOpenReflection()
  const summary = useSummary()
  return (
    <PageBody>
      <StatusTable />
      <FolderSection />
      {rights.mayManage ? (
        <>
          <Section title="Settings">
            <SettingsForm reflection={reflection} />
          </Section>
          <Section title="Delete">
            <RemoveReflection reflection={reflection} />
          </Section>
        </>
      ) : (
        <Section title="Approval">
          <p className="text-sm">{APPROVALS[reflection.approval].label}</p>
        </Section>
      )}
      {/* An owner leaves on the Members page, after making somebody else an owner. */}
      {rights.role !== 'owner' && (
        <Section title="Leave">
          <LeaveReflection reflection={reflection} />
        </Section>
      )}
      {/* At the end of the page, so that a failed refresh moves nothing. */}
      <ErrorNotice error={summary.error} retry={summary.refetch} />
    </PageBody>
  )
}

/** Members can leave without an admin. */
function LeaveReflection({ reflection: { id, displayName } }: { reflection: Reflection }) {
  const { client, me } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: () => client.reflections.leave(id),
    onSuccess: async () => {
      await navigate({ to: '/' })
      await queries.invalidateQueries({ queryKey: REFLECTIONS_KEY })
    },
  })
  return (
    <ConfirmButton
      label="Leave this reflection"
      button={{ className: 'self-start' }}
      yes="Leave"
      action={leave}
    >
      <p>
        Leave {displayName}? You lose access, and only an admin of it can add you again.
        {me.isInvited && ' If it is your only reflection, you are signed out permanently.'}
      </p>
    </ConfirmButton>
  )
}

function StatusTable() {
  const { reflection, rights } = useOpenReflection()
  const summary = useSummary()
  const links = useShareLinks({ enabled: rights.mayManage })
  const surfaces = useSyncStatus()
  const items = listStatusItems({
    reflection,
    rights,
    missing: findVoiceProblems(reflection.voice),
    summary: summary.data,
    links: links.data,
    surfaces: surfaces.data?.items ?? (surfaces.error ? null : undefined),
    now: links.dataUpdatedAt,
  })
  return (
    <dl className="border-line grid border-y sm:grid-cols-2 lg:grid-cols-3">
      {items.map((item) => (
        <StatusItemView key={item.label} item={item} />
      ))}
    </dl>
  )
}

function StatusItemView({ item: { label, value, to, needsAction } }: { item: StatusItem }) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <div className="min-h-19 py-3 pe-4 text-sm leading-6">
      <dt className="text-soft">{label}</dt>
      <dd>
        {to === undefined ? (
          value
        ) : (
          <Link
            to={to}
            params={{ reflectionId }}
            className={`decoration-edge underline underline-offset-2 ${needsAction ? 'text-accent font-medium' : ''}`}
          >
            {value}
          </Link>
        )}
      </dd>
    </div>
  )
}

function SettingsForm({ reflection }: { reflection: Reflection }) {
  const [edited, setEdited] = useState<ChangeReflection>({})
  const { displayName = reflection.displayName, approval = reflection.approval } = edited
  const creatorName = edited.creatorName ?? reflection.creatorName ?? ''
  const { conversationApproval: savedApproval = 'by_person' } = reflection
  const { conversationApproval = savedApproval } = edited
  const save = useReflectionChange(reflection.id, (reflections, change: ChangeReflection) =>
    reflections.change({ reflectionId: reflection.id, ...change }),
  )
  const isChanged =
    displayName.trim() !== reflection.displayName ||
    creatorName.trim() !== (reflection.creatorName ?? '') ||
    approval !== reflection.approval ||
    conversationApproval !== savedApproval
  const isDisabled = !isChanged || save.isPending
  return (
    <Form
      className="flex max-w-md flex-col gap-4"
      isDisabled={isDisabled}
      onSubmit={() => save.mutate(toSettingsChange(edited), { onSuccess: () => setEdited({}) })}
    >
      <TextField
        label="Display name"
        required
        maxLength={200}
        value={displayName}
        onChange={(event) => setEdited({ ...edited, displayName: event.target.value })}
      />
      <TextField
        label="Creator’s name (optional)"
        help="The person who says “I” in the sources."
        maxLength={200}
        value={creatorName}
        onChange={(event) => setEdited({ ...edited, creatorName: event.target.value })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Approval</legend>
        {FactApproval.options.map((option) => (
          <CheckField
            key={option}
            type="radio"
            name="approval"
            {...APPROVALS[option]}
            checked={approval === option}
            onCheck={() => setEdited({ ...edited, approval: option })}
          />
        ))}
        {reflection.role === 'owner' && (
          <CheckField
            label="Approve facts from conversations automatically"
            help="Otherwise every fact from an interview or a conversation waits for a person. Only an owner can change this."
            checked={conversationApproval === 'by_rule'}
            onCheck={(isChecked) =>
              setEdited({ ...edited, conversationApproval: isChecked ? 'by_rule' : 'by_person' })
            }
          />
        )}
      </fieldset>
      <div className="flex items-center gap-3">
        <Button type="submit" aria-disabled={isDisabled}>
          Save
        </Button>
        <Status>{save.isSuccess && !isChanged && 'Saved.'}</Status>
      </div>
      <ErrorNotice error={save.error} />
    </Form>
  )
}

/** Sends only the edited fields, since somebody else may have changed the others. */
export const toSettingsChange = (edited: ChangeReflection): ChangeReflection =>
  edited.creatorName?.trim() === '' ? { ...edited, creatorName: null } : edited

const APPROVALS: Record<FactApproval, { readonly label: string; readonly help: string }> = {
  by_rule: {
    label: 'Approve automatically',
    help: 'Facts are used once they pass the checks. Flagged changes wait for a person.',
  },
  by_person: {
    label: 'Approve manually',
    help: 'Every change waits until a person approves or rejects it.',
  },
}

function RemoveReflection({ reflection }: { reflection: Reflection }) {
  const [typedName, setTypedName] = useState('')
  const remove = useRemoveReflection(reflection)
  return (
    <>
      <p className="max-w-prose text-sm leading-6">
        Deleting a reflection deletes its sources, facts and members. This cannot be undone.
      </p>
      <ConfirmButton
        label="Delete this reflection"
        button={{ variant: 'danger', className: 'self-start' }}
        yes="Delete permanently"
        isReady={typedName.trim() === reflection.displayName}
        startsAt="field"
        action={remove}
        onOpen={() => setTypedName('')}
      >
        <div className="max-w-md">
          <TextField
            label={`Type “${reflection.displayName}” to delete it`}
            autoFocus
            spellCheck={false}
            value={typedName}
            onChange={(event) => setTypedName(event.target.value)}
          />
        </div>
      </ConfirmButton>
    </>
  )
}

function useRemoveReflection({ id }: Reflection) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => client.reflections.remove(id),
    onSuccess: async () => {
      await navigate({ to: '/reflections' })
      queries.removeQueries({ queryKey: getReflectionKey(id) })
      await queries.invalidateQueries({ queryKey: REFLECTIONS_KEY })
    },
  })
}
