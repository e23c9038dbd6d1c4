import { useState } from 'react'
import { Approval, type ChangeReflection, type Reflection } from '@parley/contracts'
import { Button } from '../../ui/button.tsx'
import { TextField, CheckField } from '../../ui/field.tsx'
import { useReflectionChange } from '../use-reflections.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Form } from '../../ui/form.tsx'

export function SettingsForm({ reflection }: { reflection: Reflection }) {
  const [edited, setEdited] = useState<ChangeReflection>({})
  const { displayName = reflection.displayName, approval = reflection.approval } = edited
  const creatorName = edited.creatorName ?? reflection.creatorName ?? ''
  const { conversationApproval: now = 'by_person' } = reflection
  const { conversationApproval = now } = edited
  const save = useReflectionChange(reflection.id, (reflections, change: ChangeReflection) =>
    reflections.change({ reflectionId: reflection.id, ...change }),
  )
  const isChanged =
    displayName.trim() !== reflection.displayName ||
    creatorName.trim() !== (reflection.creatorName ?? '') ||
    approval !== reflection.approval ||
    conversationApproval !== now
  const submit = () => {
    if (!isChanged || save.isPending) return
    save.mutate(settingsChange(edited), { onSuccess: () => setEdited({}) })
  }
  return (
    <Form className="flex max-w-md flex-col gap-4" onSubmit={submit}>
      <TextField
        label="Display name"
        required
        maxLength={200}
        value={displayName}
        onChange={(event) => setEdited({ ...edited, displayName: event.target.value })}
      />
      <TextField
        label="Creator’s name (optional)"
        help="The person who says “I” in the sources."
        maxLength={200}
        value={creatorName}
        onChange={(event) => setEdited({ ...edited, creatorName: event.target.value })}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">Approval</legend>
        {Approval.options.map((option) => (
          <CheckField
            key={option}
            type="radio"
            name="approval"
            {...APPROVALS[option]}
            checked={approval === option}
            onCheck={() => setEdited({ ...edited, approval: option })}
          />
        ))}
        {reflection.role === 'owner' && (
          <CheckField
            label="Approve facts from conversations automatically"
            help="Otherwise every fact from an interview or a conversation waits for a person. Only an owner can change this."
            checked={conversationApproval === 'by_rule'}
            onCheck={(isChecked) =>
              setEdited({ ...edited, conversationApproval: isChecked ? 'by_rule' : 'by_person' })
            }
          />
        )}
      </fieldset>
      <div className="flex items-center gap-3">
        <Button type="submit" aria-disabled={!isChanged || save.isPending}>
          Save
        </Button>
        <p role="status" className="text-soft text-sm">
          {save.isSuccess && !isChanged && 'Saved.'}
        </p>
      </div>
      <ErrorNotice error={save.error} />
    </Form>
  )
}

/** Sends only the edited fields, since somebody else may have changed the others. */
export const settingsChange = (edited: ChangeReflection): ChangeReflection =>
  edited.creatorName?.trim() === '' ? { ...edited, creatorName: null } : edited

/** Who approves new facts. */
export const APPROVALS: Record<Approval, { readonly label: string; readonly help: string }> = {
  by_rule: {
    label: 'Approve automatically',
    help: 'Facts are used once they pass the checks. Flagged changes wait for a person.',
  },
  by_person: {
    label: 'Approve manually',
    help: 'Every change waits until a person approves or rejects it.',
  },
}
