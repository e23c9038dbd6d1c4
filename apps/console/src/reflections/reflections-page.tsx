import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateReflection, Reflection } from '@parley/contracts'
import { focusPage } from '../ui/focus.ts'
import { useConsoleHost } from '../app/console-host.ts'
import { Button, LINK_BUTTON } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageList } from '../ui/page-list.tsx'
import { useDisclosure } from '../ui/use-disclosure.ts'
import { describePublicFolders } from './format.ts'
import { REFLECTIONS_KEY, useReflections } from './use-reflections.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Form, FormButtons } from '../ui/form.tsx'
import { isAdmin } from '../app/roles.ts'
import { Page } from '../shell/page.tsx'
import { EmptyState } from '../ui/page-body.tsx'

export function ReflectionsPage() {
  const { me } = useConsoleHost()
  const mayCreate = isAdmin(me.role)
  const creating = useDisclosure()
  const pages = useReflections()
  return (
    <Page>
      {mayCreate && (
        <Button icon="plus" variant="primary" className="self-start" {...creating.button}>
          New reflection
        </Button>
      )}
      {creating.isOpen && <CreateForm onClose={creating.close} />}
      <PageList
        pages={pages}
        label="Reflections"
        empty={<NoReflections mayCreate={mayCreate} />}
        row={(reflection) => <ReflectionRow key={reflection.id} reflection={reflection} />}
      />
    </Page>
  )
}

function ReflectionRow({ reflection }: { reflection: Reflection }) {
  const { id, displayName, creatorName, namespaces } = reflection
  return (
    <li className="flex items-center gap-3">
      <Link
        to="/reflections/$reflectionId"
        params={{ reflectionId: id }}
        className="hover:bg-shade -ms-3 flex min-w-0 flex-1 flex-col gap-0.5 rounded-sm px-3 py-3"
      >
        <span className="font-serif text-lg wrap-anywhere">{displayName}</span>
        <span className="text-soft text-sm wrap-anywhere">
          {creatorName && creatorName !== displayName && `by ${creatorName} · `}
          {describePublicFolders(namespaces)}
        </span>
      </Link>
      <Link
        to="/reflections/$reflectionId/talk"
        params={{ reflectionId: id }}
        aria-label={`Talk with ${displayName}`}
        className={LINK_BUTTON.primary}
      >
        <Icon name="microphone" />
        Talk
      </Link>
    </li>
  )
}

function NoReflections({ mayCreate }: { mayCreate: boolean }) {
  return (
    <EmptyState title="No reflections yet">
      <p>
        A reflection is an AI version of a person, based on their own texts. You add sources: letters, talks,
        chats, notes. Parley extracts facts with supporting quotes, and answers questions with links to the
        sources.
      </p>
      <p className="text-soft">
        {mayCreate
          ? 'Create one, then add its first source. Nothing is public until you publish it.'
          : 'You are not a member of any reflection. A server admin can create one; an admin of a reflection can add you.'}
      </p>
    </EmptyState>
  )
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const [displayName, setDisplayName] = useState('')
  const [creatorName, setCreatorName] = useState('')
  const create = useCreateReflection()
  return (
    <Form
      aria-label="New reflection"
      className="border-line flex max-w-md flex-col gap-4 rounded-md border p-4"
      isDisabled={displayName.trim() === '' || create.isPending}
      onSubmit={() => create.mutate({ displayName, ...(creatorName.trim() !== '' && { creatorName }) })}
      onCancel={onClose}
    >
      <TextField
        label="Display name"
        help="Usually the person’s name."
        required
        autoFocus
        maxLength={200}
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
      />
      <TextField
        label="Creator’s name (optional)"
        help="The person who says “I” in the sources."
        maxLength={200}
        value={creatorName}
        onChange={(event) => setCreatorName(event.target.value)}
      />
      <FormButtons disabled={displayName.trim() === ''} aria-disabled={create.isPending} onCancel={onClose}>
        Create
      </FormButtons>
      <ErrorNotice error={create.error} />
    </Form>
  )
}

/** Creates a reflection and opens its sources page. */
function useCreateReflection() {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (reflection: CreateReflection) => client.reflections.create(reflection),
    onSuccess: async ({ id }) => {
      await navigate({ to: '/reflections/$reflectionId/sources', params: { reflectionId: id } })
      focusPage()
      await queries.invalidateQueries({ queryKey: REFLECTIONS_KEY })
    },
  })
}
