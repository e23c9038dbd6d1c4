import { type AgentTestReport, Surface, type TestAgents } from '@parley/contracts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/field.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Section } from '../../../ui/page-body.tsx'
import { visibleText } from '../../../ui/visible-text.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { Mark } from '../mark.tsx'
import { SURFACES } from '../surfaces.ts'
import { testsInWords } from './tests-in-words.ts'

/** Tries an agent at the provider with tests that follow from its facts. */
export function AgentTests() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const [surface, setSurface] = useState<Surface>('standard')
  const test = useMutation({
    mutationFn: (wanted: TestAgents) => client.reflections.testAgents({ reflectionId, ...wanted }),
  })
  const start = (run: boolean) => test.isPending || test.mutate({ surface, run })
  const isRunning = test.isPending && test.variables.run === true
  return (
    <Section title="Agent tests">
      <p className="text-soft max-w-prose text-sm leading-6">
        What an agent must answer, must look up, and must refuse, made from its facts and run at the provider.
        The tests of the public agent name what the public must not hear.
      </p>
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-56 max-sm:w-full">
          <Choice
            label="Agent"
            value={surface}
            onChange={(event) => setSurface(Surface.parse(event.target.value))}
          >
            {Surface.options.map((option) => (
              <option key={option} value={option}>
                {SURFACES[option].label}
              </option>
            ))}
          </Choice>
        </div>
        <Button aria-disabled={test.isPending} onClick={() => start(true)}>
          {isRunning ? 'Running…' : 'Run the tests'}
        </Button>
        <Button look="bare" aria-disabled={test.isPending} onClick={() => start(false)}>
          Only list them
        </Button>
      </div>
      <p role="status" className="text-sm">
        {isRunning && 'Each test is a conversation; all of them may take some minutes.'}
        {test.data && !test.isPending && testsInWords(test.data)}
      </p>
      {test.error && <Notice>{messageOf(test.error)}</Notice>}
      {!test.isPending &&
        test.data?.warnings.map((warning) => <Notice key={warning}>{visibleText(warning)}</Notice>)}
      {test.data && !test.isPending && <Trials report={test.data} />}
    </Section>
  )
}

const VERDICTS = {
  passed: { label: 'Passed', look: 'good' },
  failed: { label: 'Failed', look: 'bad' },
  unfinished: { label: 'Not ended', look: 'bad' },
  none: { label: 'Not run', look: 'quiet' },
} as const

const Trials = ({ report: { items, surface } }: { report: AgentTestReport }) => (
  <ul
    aria-label={`Tests of ${SURFACES[surface].label}`}
    className="divide-line border-line divide-y border-y"
  >
    {items.map((item) => (
      <Trial key={item.test.name} item={item} />
    ))}
  </ul>
)

function Trial({ item: { test, verdict, reasons } }: { item: AgentTestReport['items'][number] }) {
  const { label, look } = VERDICTS[verdict ?? 'none']
  const said = test.history.at(-1)?.text
  return (
    <li data-verdict={verdict} className="flex flex-col gap-1 py-2.5 text-sm leading-6">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Mark look={look}>{label}</Mark>
        <span className="min-w-0 wrap-anywhere">{visibleText(shortName(test.name))}</span>
      </div>
      {said !== undefined && <p className="text-soft wrap-anywhere">“{visibleText(said)}”</p>}
      {reasons.map((reason, index) => (
        <p key={index} className="max-w-prose wrap-anywhere">
          {visibleText(reason)}
        </p>
      ))}
    </li>
  )
}

/** At the provider a name begins with whose test it is, which is known here. */
const shortName = (name: string): string => name.replace(/^rfl_\w+ \w+ /, '')
