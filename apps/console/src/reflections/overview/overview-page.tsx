import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Reflection, missingOfVoice } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { REFLECTIONS, reflectionKey } from '../reflection-keys.ts'
import { type Glance, glanceOf } from './glance-of.ts'
import { NamespaceSection } from './namespace-section.tsx'
import { APPROVALS, SettingsForm } from './settings-form.tsx'
import { useSummary } from './use-summary.ts'

export function OverviewPage() {
  const { reflection, rights } = useOpenReflection()
  return (
    <PageBody>
      <AtAGlance />
      <NamespaceSection />
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
        <Section title="What is learned">
          <p className="text-sm">{APPROVALS[reflection.approval].label}</p>
        </Section>
      )}
      {/* Who owns it says so under Members, where somebody else is made an owner first. */}
      {rights.role !== 'owner' && (
        <Section title="Leave">
          <LeaveReflection reflection={reflection} />
        </Section>
      )}
      <SummaryFailure />
    </PageBody>
  )
}

/** At the end, so that a look that failed moves nothing of what the one before told. */
function SummaryFailure() {
  const { error, refetch } = useSummary()
  if (!error) return null
  return (
    <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>{messageOf(error)}</Notice>
  )
}

/** The way out, for who is a member and need not ask an admin. */
function LeaveReflection({ reflection: { id, displayName } }: { reflection: Reflection }) {
  const { client, me } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const asking = useOpener()
  const leave = useMutation({
    mutationFn: () => client.reflections.leave(id),
    onSuccess: async () => {
      await navigate({ to: '/' })
      await queries.invalidateQueries({ queryKey: REFLECTIONS })
    },
  })
  return (
    <>
      <Button className="self-start" {...asking.opener}>
        Leave this reflection
      </Button>
      {asking.isOpen && (
        <Question
          label="Leave this reflection"
          yes="Leave"
          no="Stay a member"
          doing={leave}
          onClose={asking.close}
        >
          <p>
            Leave {displayName}? You no longer see it, and only an admin of it can let you in again.
            {me.isInvited &&
              ' Where it is the only one that you are a member of, you are signed out for good.'}
          </p>
        </Question>
      )}
    </>
  )
}

/** How the reflection stands, each with the way to more; what is to be done next stands first. */
function AtAGlance() {
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

function RemoveReflection({ reflection }: { reflection: Reflection }) {
  const asking = useOpener()
  return (
    <>
      <p className="max-w-prose text-sm leading-6">
        Deleting a reflection removes its sources, what was learned from them and who belongs to it. It cannot
        be undone.
      </p>
      <Button look="alarm" className="self-start" {...asking.opener}>
        Delete this reflection
      </Button>
      {asking.isOpen && <RemoveQuestion reflection={reflection} onClose={asking.close} />}
    </>
  )
}

function RemoveQuestion({ reflection, onClose }: { reflection: Reflection; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const remove = useRemoveReflection(reflection)
  return (
    <Question
      label={`Delete ${reflection.displayName}`}
      yes="Delete for good"
      no="Keep it"
      mayYes={typed.trim() === reflection.displayName}
      startsAt="field"
      doing={remove}
      onClose={onClose}
    >
      <div className="max-w-md">
        <TextField
          label={`Type “${reflection.displayName}” to delete it`}
          autoFocus
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
    </Question>
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
      queries.removeQueries({ queryKey: reflectionKey(id) })
      await queries.invalidateQueries({ queryKey: REFLECTIONS })
    },
  })
}
