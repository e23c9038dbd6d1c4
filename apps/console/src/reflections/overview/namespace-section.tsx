import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  CONVERSATIONS,
  type Namespace,
  NamespaceName,
  type ReflectionId,
  readsInWords,
} from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page-body.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { useReflectionChange } from '../use-reflections.ts'
import { PublishQuestion } from './publish-question.tsx'
import { useSummary } from './use-summary.ts'

export function NamespaceSection() {
  const { reflection, rights } = useOpenReflection()
  return (
    <Section title="Folders">
      <p className="text-soft max-w-prose text-sm leading-6">
        Every source is in one folder. Anyone who talks with this reflection can hear the content of a public
        folder; private folders are for members.
        {!rights.mayManage && ` You ${readsInWords(reflection.reads ?? 'all', reflection.namespaces)}.`}
      </p>
      <ul aria-label="Namespaces" className="divide-line border-line divide-y border-y">
        {reflection.namespaces.map((namespace) => (
          <NamespaceRow key={namespace.name} namespace={namespace} />
        ))}
      </ul>
      {rights.mayManage && <AddNamespaceForm reflectionId={reflection.id} />}
    </Section>
  )
}

function NamespaceRow({ namespace }: { namespace: Namespace }) {
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
            {name === CONVERSATIONS && 'Transcripts of conversations. It cannot be published. '}
            <FolderSize name={name} />
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

/** The number of sources and facts in a folder. */
function FolderSize({ name }: { name: string }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const counts = useSummary().data?.namespaces.find((each) => each.name === name)
  if (!counts) return '\u00a0'
  const { sources, facts } = counts
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

function AddNamespaceForm({ reflectionId }: { reflectionId: ReflectionId }) {
  const [name, setName] = useState('')
  const isName = NamespaceName.safeParse(name).success
  const add = useReflectionChange(reflectionId, (reflections) =>
    reflections.addNamespace({ reflectionId, name }),
  )
  return (
    <form
      className="flex max-w-md flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isName && !add.isPending) add.mutate(undefined, { onSuccess: () => setName('') })
      }}
    >
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="New folder"
            placeholder="travel"
            spellCheck={false}
            autoCapitalize="none"
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.target.value.toLowerCase().replaceAll(' ', '-'))}
          />
        </div>
        <Button type="submit" aria-disabled={!isName || add.isPending}>
          Add
        </Button>
      </div>
      {name !== '' && !isName && (
        <p className="text-soft text-sm">
          Use lower-case letters and digits, with single hyphens between them.
        </p>
      )}
      {add.error && <Notice>{messageOf(add.error)}</Notice>}
    </form>
  )
}
