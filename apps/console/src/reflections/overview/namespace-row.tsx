import { CONVERSATIONS, type Namespace } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { PublishQuestion } from './publish-question.tsx'
import { useSummary } from './use-summary.ts'

export function NamespaceRow({ namespace }: { namespace: Namespace }) {
  const { name, isPublished } = namespace
  const { rights } = useOpenReflection()
  const asking = useOpener()
  const mayAsk = rights.mayManage && name !== CONVERSATIONS
  return (
    <li className="flex flex-col gap-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <p className="min-w-0 flex-1 text-sm leading-6 wrap-anywhere">
          <span className="font-mono">{name}</span>{' '}
          <span className={isPublished ? 'text-accent font-medium' : 'text-soft'}>
            {isPublished ? 'public' : 'private'}
          </span>
          <span className="text-soft block">
            {name === CONVERSATIONS && 'Holds what people said in sessions. It cannot be published. '}
            <Held name={name} />
          </span>
        </p>
        {mayAsk && (
          <Button aria-label={`${isPublished ? 'Unpublish' : 'Publish'} ${name}`} {...asking.opener}>
            {isPublished ? 'Unpublish' : 'Publish'}
          </Button>
        )}
      </div>
      {asking.isOpen && <PublishQuestion namespace={namespace} onClose={asking.close} />}
    </li>
  )
}

/** How much a namespace holds, and the way to its facts. */
function Held({ name }: { name: string }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const held = useSummary().data?.namespaces.find((each) => each.name === name)
  if (!held) return '\u00a0'
  const { sources, facts } = held
  return (
    <>
      {sources === 1 ? '1 source' : `${sources} sources`},{' '}
      <Link
        to="/reflections/$reflectionId/facts"
        params={{ reflectionId }}
        search={{ namespace: name }}
        className="decoration-edge underline underline-offset-2"
      >
        {facts === 1 ? '1 fact' : `${facts} facts`}
      </Link>
    </>
  )
}
