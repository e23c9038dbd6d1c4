import type { Reflection } from '@parley/contracts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Question } from '../../ui/question.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { REFLECTIONS, reflectionKey } from '../reflection-keys.ts'

export function RemoveReflection({ reflection }: { reflection: Reflection }) {
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
