import type { FactState } from '@parley/contracts'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Choice } from '../../ui/field.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { FactView } from './fact-view.tsx'

/** What a person may want to see of the facts. */
type Shown = FactState | 'everything'

const CHOICES: Record<Shown, { readonly label: string; readonly empty: string }> = {
  active: {
    label: 'Active: what counts now',
    empty: 'No facts count yet. They are found in sources: add one, or approve a patch that waits.',
  },
  candidate: { label: 'Candidates: what waits', empty: 'No fact waits to count.' },
  rejected: { label: 'Rejected', empty: 'No fact was rejected.' },
  everything: { label: 'Everything, superseded ones too', empty: 'No facts were found yet.' },
}

export function FactsPage() {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const [shown, setShown] = useState<Shown>('active')
  const pages = usePages({
    key: [...reflectionKey(reflectionId), 'facts', shown],
    read: (page) =>
      client.reflections.facts({ reflectionId, ...(shown !== 'everything' && { state: shown }), ...page }),
  })
  return (
    <PageBody>
      <div className="w-72 max-w-full">
        <Choice label="Show" value={shown} onChange={(event) => setShown(event.target.value as Shown)}>
          {Object.entries(CHOICES).map(([choice, { label }]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </Choice>
      </div>
      <PageList
        pages={pages}
        label="Facts"
        empty={<p className="text-sm leading-6">{CHOICES[shown].empty}</p>}
        row={(fact) => <FactView key={fact.id} fact={fact} />}
      />
    </PageBody>
  )
}
