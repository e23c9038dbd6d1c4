import type { CreateReflection } from '@parley/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { focusPage } from '../ui/focus-page.ts'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { REFLECTIONS } from './reflection-keys.ts'

export function CreateForm({ onClose }: { onClose: () => void }) {
  const [displayName, setDisplayName] = useState('')
  const [creatorName, setCreatorName] = useState('')
  const create = useCreateReflection()
  const save = () => {
    if (displayName.trim() === '' || create.isPending) return
    create.mutate({ displayName, ...(creatorName.trim() !== '' && { creatorName }) })
  }
  return (
    <form
      aria-label="New reflection"
      className="border-line flex max-w-md flex-col gap-4 rounded-md border p-4"
      onKeyDown={(event) => event.key === 'Escape' && !event.nativeEvent.isComposing && onClose()}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextField
        label="Display name"
        help="What it is called, often the person’s name."
        required
        autoFocus
        maxLength={200}
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
      />
      <TextField
        label="Creator’s name (optional)"
        help="Who “I” is in the sources."
        maxLength={200}
        value={creatorName}
        onChange={(event) => setCreatorName(event.target.value)}
      />
      <div className="flex gap-2">
        <Button
          type="submit"
          look="main"
          disabled={displayName.trim() === ''}
          aria-disabled={create.isPending}
        >
          Create
        </Button>
        <Button look="bare" onClick={onClose}>
          Cancel
        </Button>
      </div>
      {create.error && <Notice>{messageOf(create.error)}</Notice>}
    </form>
  )
}

/** Leads to its sources, where it begins. */
function useCreateReflection() {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (reflection: CreateReflection) => client.reflections.create(reflection),
    onSuccess: async ({ id }) => {
      await navigate({ to: '/reflections/$reflectionId/sources', params: { reflectionId: id } })
      focusPage()
      await queries.invalidateQueries({ queryKey: REFLECTIONS })
    },
  })
}
