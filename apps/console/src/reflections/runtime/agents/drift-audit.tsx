import { useMutation } from '@tanstack/react-query'
import type { DriftReport, ServerAgentDrift } from '@parley/contracts'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Section } from '../../../ui/page-body.tsx'
import { Question } from '../../../ui/question.tsx'
import { useOpener } from '../../../ui/use-opener.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { SURFACES } from '../surfaces.ts'
import { DriftView } from './drift-view.tsx'

/** Compares what the provider holds with what should be there, and makes it right on request. */
export function DriftAudit() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const repairing = useOpener()
  const audit = useMutation({
    mutationFn: (how: 'report' | 'repair') =>
      client.reflections.drift({ reflectionId, repair: how === 'repair' }),
  })
  const isRepair = audit.variables === 'repair'
  const compared = audit.data ? [...audit.data.items, ...audit.data.server] : []
  const mayRepair = compared.some(({ status }) => status === 'differs' || status === 'gone')
  return (
    <Section title="Drift">
      <p className="text-soft max-w-prose text-sm leading-6">
        Somebody may have changed an agent at the provider. Comparing reads each of them back, field by field,
        and changes nothing.
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-disabled={audit.isPending} onClick={() => audit.isPending || audit.mutate('report')}>
          {audit.isPending && !isRepair ? 'Comparing…' : 'Compare with the provider'}
        </Button>
        {mayRepair && !repairing.isOpen && (
          <Button look="alarm" {...repairing.opener}>
            Repair
          </Button>
        )}
        <p role="status" className="text-sm">
          {audit.data && !audit.isPending && driftInWords(audit.data)}
        </p>
      </div>
      {repairing.isOpen && (
        <Question
          label="Repair the agents"
          yes={audit.isPending ? 'Repairing…' : 'Repair them'}
          no="Leave them"
          doing={{
            isPending: audit.isPending,
            error: isRepair ? audit.error : null,
            mutate: () => audit.mutate('repair', { onSuccess: repairing.close }),
          }}
          onClose={repairing.close}
        >
          <p className="max-w-prose">
            What differs is overwritten with what should be there. An agent with something beyond that is
            replaced by a new one. A call that is on keeps what it began with.
          </p>
        </Question>
      )}
      {audit.error && !isRepair && <Notice>{messageOf(audit.error)}</Notice>}
      {audit.data && <Agents report={audit.data} />}
    </Section>
  )
}

const OF_THE_SERVER: Readonly<Record<ServerAgentDrift['kind'], string>> = {
  interviewer: 'The server’s interviewer',
  generic: 'The server’s stand-in for agents that are not ready',
}

const Agents = ({ report }: { report: DriftReport }) => (
  <ul aria-label="What the provider holds" className="divide-line border-line divide-y border-y">
    {report.items.map((drift) => (
      <DriftView key={drift.surface} name={SURFACES[drift.surface].label} drift={drift} />
    ))}
    {report.server.map((drift) => (
      <DriftView key={drift.kind} name={OF_THE_SERVER[drift.kind]} drift={drift} />
    ))}
  </ul>
)

/** What a comparison came to, in a sentence. */
export function driftInWords({ items, server }: DriftReport): string {
  const all = [...items, ...server]
  const off = all.filter(({ status }) => status === 'differs' || status === 'gone').length
  const made = all.filter(({ status }) => status !== 'not_made').length
  if (made === 0) return 'No agent has been made yet.'
  if (off === 0) return 'Nothing differs.'
  return off === 1 ? 'One agent is not as it should be.' : `${off} agents are not as they should be.`
}
