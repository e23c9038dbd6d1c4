import { NamespaceName, type ReflectionId } from '@parley/contracts'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useReflectionChange } from '../use-reflection.ts'

export function AddNamespaceForm({ reflectionId }: { reflectionId: ReflectionId }) {
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
            label="New namespace"
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
          A name has lower-case letters, digits and single hyphens between them.
        </p>
      )}
      {add.error && <Notice>{messageOf(add.error)}</Notice>}
    </form>
  )
}
