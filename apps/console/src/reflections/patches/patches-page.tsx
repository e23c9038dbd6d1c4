import type { Patch } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { PatchView } from './patch-view.tsx'

export function PatchesPage() {
  const { client } = useConsoleHost()
  const { reflection, rights, waiting } = useOpenReflection()
  const all = usePages({
    key: [...reflectionKey(reflection.id), 'patches', 'all'],
    read: (page) => client.reflections.patches({ reflectionId: reflection.id, ...page }),
  })
  const settled = { ...all, items: all.items?.filter(({ status }) => status !== 'proposed') }
  return (
    <PageBody>
      <p className="text-soft max-w-prose text-sm leading-6">
        A patch holds the facts that were found in one source, or a correction. It is approved or rejected as
        a whole.
      </p>
      <Section title={rights.mayTeach ? 'Waiting for you' : 'Waiting'}>
        <PageList
          pages={waiting}
          label="Waiting patches"
          empty={<p className="text-sm">Nothing waits.</p>}
          row={row}
        />
      </Section>
      <Section title="Settled">
        <PageList
          pages={settled}
          label="Settled patches"
          empty={<p className="text-sm">{all.more ? 'None among the latest.' : 'None yet.'}</p>}
          row={row}
        />
      </Section>
    </PageBody>
  )
}

const row = (patch: Patch) => <PatchView key={patch.id} patch={patch} />
