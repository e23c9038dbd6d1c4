import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { MAX_SEARCH_LENGTH } from '../ui/use-debounced.ts'
import { type Command, useCommands } from './commands.ts'

/** Searches pages, actions, reflections, sources, facts and sessions. */
export function Palette({ onChoose }: { onChoose: (command: Command) => void }) {
  const [query, setQuery] = useState('')
  const [position, setPosition] = useState(0)
  const { groups, isSearching } = useCommands(query)
  const commands = groups.flatMap((group) => group.commands)
  const listId = useId()
  const active = commands[Math.min(position, commands.length - 1)]
  const optionId = (command: Command) => `${listId} ${command.id}`.replaceAll(/\s+/g, '-')

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    if (event.key === 'Enter' && active) {
      event.preventDefault()
      onChoose(active)
    } else if (step !== undefined && commands.length > 0) {
      event.preventDefault()
      const from = Math.min(position, commands.length - 1)
      setPosition((from + step + commands.length) % commands.length)
    }
  }
  return (
    <div className="flex max-h-[min(32rem,70dvh)] flex-col">
      <div className="border-line text-soft flex items-center gap-2 border-b ps-4 pe-12">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Find anything"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          placeholder="Search pages, people, sources, facts, conversations"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_SEARCH_LENGTH}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setPosition(0)
          }}
          onKeyDown={onKeyDown}
          className="text-ink placeholder:text-soft min-h-13 min-w-0 flex-1 bg-transparent text-base outline-none"
        />
      </div>
      <ul id={listId} role="listbox" aria-label="Search results" className="min-h-0 overflow-y-auto py-2">
        {groups.map(({ title, commands: within }) => (
          <li key={title} role="group" aria-label={title}>
            <p aria-hidden="true" className="text-soft px-4 pt-2 pb-1 text-xs">
              {title}
            </p>
            {within.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isActive={command === active}
                onChoose={() => onChoose(command)}
              />
            ))}
          </li>
        ))}
      </ul>
      <p role="status" className={commands.length > 0 ? 'sr-only' : 'text-soft px-4 pb-4 text-sm'}>
        {describeResults(commands.length, isSearching)}
      </p>
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function describeResults(count: number, isSearching: boolean): string {
  if (count === 0) return isSearching ? 'Searching…' : 'No results. Try other words.'
  return `${count} results`
}

interface OptionProps {
  readonly id: string
  readonly command: Command
  readonly isActive: boolean
  readonly onChoose: () => void
}

function Option({ id, command: { label, kind, reflectionName }, isActive, onChoose }: OptionProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={onChoose}
      className="aria-selected:bg-shade aria-selected:border-accent hover:bg-shade flex min-h-9 cursor-pointer items-center gap-4 border-s-2 border-transparent px-4 py-1 text-sm max-sm:min-h-11"
    >
      <span className="min-w-0 flex-1 truncate">{label}</span>
      <span className="text-soft max-w-2/5 truncate text-xs">
        {reflectionName === undefined ? kind : `${kind} of ${reflectionName}`}
      </span>
    </div>
  )
}
