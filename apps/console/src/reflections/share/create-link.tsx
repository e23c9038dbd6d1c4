import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreateShareLink, CreatedShareLink } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, TextField } from '../../ui/field.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'

const EMPTY: LinkForm = { namespaces: [], maxUses: '', lasts: '' }

export function CreateLink({ onMade }: { onMade: (link: CreatedShareLink) => void }) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const { id: reflectionId } = useOpenReflection().reflection
  const [form, setForm] = useState(EMPTY)
  const [wrong, setWrong] = useState<string>()
  const create = useMutation({
    mutationFn: (link: CreateShareLink) => client.reflections.share({ reflectionId, ...link }),
    onSuccess: async (link) => {
      onMade(link)
      setForm(EMPTY)
      await queries.invalidateQueries({ queryKey: [...reflectionKey(reflectionId), 'share-links'] })
    },
  })
  const submit = () => {
    if (create.isPending) return
    const wanted = linkWanted(form, Date.now())
    setWrong('wrong' in wanted ? wanted.wrong : undefined)
    if ('link' in wanted) create.mutate(wanted.link)
  }
  return (
    <form
      aria-label="New link"
      className="flex max-w-xl flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Reach form={form} onForm={setForm} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Uses at most"
          placeholder="Any number"
          inputMode="numeric"
          value={form.maxUses}
          onChange={(event) => setForm({ ...form, maxUses: event.target.value })}
        />
        <Choice
          label="Lasts"
          value={form.lasts}
          onChange={(event) => setForm({ ...form, lasts: event.target.value as Lasts })}
        >
          {Object.entries(LASTS).map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </Choice>
      </div>
      <Button type="submit" look="main" className="self-start" aria-disabled={create.isPending}>
        {create.isPending ? 'Making it…' : 'Make a link'}
      </Button>
      {(wrong ?? create.error) && <Notice>{wrong ?? (create.error && messageOf(create.error))}</Notice>}
    </form>
  )
}

interface ReachProps {
  readonly form: LinkForm
  readonly onForm: (form: LinkForm) => void
}

/** Which of what is public it reaches; with one public namespace there is nothing to choose. */
function Reach({ form, onForm }: ReachProps) {
  const published = useOpenReflection().reflection.namespaces.filter(({ isPublished }) => isPublished)
  if (published.length < 2) return null
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">What it reaches</legend>
      {published.map(({ name }) => (
        <label key={name} className="flex min-h-8 items-center gap-2 text-sm max-sm:min-h-11">
          <input
            type="checkbox"
            checked={form.namespaces.includes(name)}
            onChange={(event) =>
              onForm({
                ...form,
                namespaces: event.target.checked
                  ? [...form.namespaces, name]
                  : form.namespaces.filter((each) => each !== name),
              })
            }
          />
          <span className="font-mono wrap-anywhere">{name}</span>
        </label>
      ))}
      <p className="text-soft text-sm">
        If you choose none, it reaches everything that is public at the time somebody uses it.
      </p>
    </fieldset>
  )
}

/** How long a link may last, and what that is called. */
const LASTS = {
  '': 'Without end',
  '1': 'An hour',
  '24': 'A day',
  '168': 'A week',
  '720': '30 days',
} as const

type Lasts = keyof typeof LASTS

/** A link as it was filled in. */
export interface LinkForm {
  /** None means all that is public. */
  readonly namespaces: readonly string[]
  readonly maxUses: string
  readonly lasts: Lasts
}

const MOST_USES = 1_000_000
const HOUR_MS = 3_600_000

/** The link that the form asks for, or what is wrong with it. */
export function linkWanted(
  { namespaces, maxUses, lasts }: LinkForm,
  now: number,
): { readonly link: CreateShareLink } | { readonly wrong: string } {
  const uses = maxUses.trim() === '' ? undefined : Number(maxUses)
  if (uses !== undefined && !(Number.isInteger(uses) && uses >= 1 && uses <= MOST_USES)) {
    return {
      wrong: 'The number of uses is a whole number from 1 to 1,000,000; leave it empty for any number.',
    }
  }
  return {
    link: {
      ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
      ...(uses !== undefined && { maxUses: uses }),
      ...(lasts !== '' && { expiresAt: new Date(now + Number(lasts) * HOUR_MS).toISOString() }),
    },
  }
}
