import { type Channel, type ReflectionId, SessionStatus } from '@parley/contracts'
import { useEffect, useState } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { Choice, TextField } from '../ui/field.tsx'
import type { SessionFilters } from './session-filters.ts'
import type { ReflectionNames } from './use-reflection-names.ts'

interface FilterBarProps {
  readonly filters: SessionFilters
  readonly names: ReflectionNames
  readonly onChange: (filters: SessionFilters) => void
}

/** Typing counts as one search until it pauses this long. */
const PAUSE_MS = 250

export function FilterBar({ filters, names, onChange }: FilterBarProps) {
  const { me } = useConsoleHost()
  const mayReadOthers = me.role === 'owner' || me.role === 'admin'
  const change = (part: { readonly [Name in keyof SessionFilters]: SessionFilters[Name] | undefined }) =>
    onChange(withoutGaps({ ...filters, ...part }))
  return (
    <div
      role="search"
      aria-label="Filter sessions"
      className="grid gap-3 max-lg:grid-cols-2 lg:grid-flow-col lg:auto-cols-fr"
    >
      <div className="max-lg:col-span-2 lg:col-span-2">
        <Words
          words={filters.search ?? ''}
          onWords={(words) => change({ search: words === '' ? undefined : words })}
        />
      </div>
      <Choice
        label="Channel"
        value={filters.channel ?? ''}
        onChange={({ target }) => change({ channel: (target.value || undefined) as Channel | undefined })}
      >
        <option value="">Any</option>
        <option value="text">Typed</option>
        <option value="voice">Spoken</option>
      </Choice>
      <Choice
        label="State"
        value={filters.turn ?? filters.status ?? ''}
        onChange={({ target }) => change(stateOf(target.value))}
      >
        <option value="">Any</option>
        <option value="active">Going on</option>
        <option value="ended">Ended</option>
        <option value="waiting">Waiting for a person</option>
      </Choice>
      <Choice
        label="With"
        value={filters.reflectionId ?? ''}
        onChange={({ target }) =>
          change({ reflectionId: (target.value || undefined) as ReflectionId | undefined })
        }
      >
        <option value="">Anybody</option>
        {[...names].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {filters.reflectionId && !names.has(filters.reflectionId) && (
          <option value={filters.reflectionId}>One reflection</option>
        )}
      </Choice>
      {mayReadOthers && (
        <Choice
          label="Whose"
          value={filters.whose ?? ''}
          onChange={({ target }) => change({ whose: target.value === 'all' ? 'all' : undefined })}
        >
          <option value="">Mine</option>
          <option value="all">Everybody’s</option>
        </Choice>
      )}
    </div>
  )
}

const stateOf = (value: string) => ({
  turn: value === 'waiting' ? ('waiting' as const) : undefined,
  status: SessionStatus.safeParse(value).data,
})

const withoutGaps = (filters: object) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as SessionFilters

/** The address follows once typing pauses; where the address changes by itself, the field follows it. */
function Words({ words, onWords }: { words: string; onWords: (words: string) => void }) {
  const [text, setText] = useState(words)
  const [last, setLast] = useState(words)
  if (words !== last) {
    setLast(words)
    if (words !== text.trim()) setText(words)
  }
  useEffect(() => {
    if (text.trim() === words) return undefined
    const paused = setTimeout(() => onWords(text.trim()), PAUSE_MS)
    return () => clearTimeout(paused)
  }, [text, words, onWords])
  return (
    <TextField
      label="Words"
      type="search"
      maxLength={200}
      placeholder="In titles and in all that was said"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={({ key, nativeEvent }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) onWords(text.trim())
      }}
    />
  )
}
