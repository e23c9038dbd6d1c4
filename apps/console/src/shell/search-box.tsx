import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { MAX_SEARCH_LENGTH, useDebounced } from '../ui/use-debounced.ts'

export function SearchBox({ onSearch }: { onSearch: (search: string) => void }) {
  const [text, setText] = useState('')
  const box = useRef<HTMLInputElement>(null)

  const search = useDebounced(text.trim())
  useEffect(() => onSearch(search), [search, onSearch])

  const clear = () => {
    setText('')
    box.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') onSearch(text.trim())
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (text === '') box.current?.blur()
    else clear()
  }

  return (
    <div role="search" className="text-soft relative px-4 py-2">
      <span className="pointer-events-none absolute inset-y-0 start-6.5 flex items-center text-sm">
        <Icon name="search" />
      </span>
      <input
        ref={box}
        type="search"
        data-session-search
        data-takes-escape
        aria-label="Search sessions"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_SEARCH_LENGTH}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="placeholder:text-soft border-line focus:border-accent text-ink min-h-9 w-full rounded-md border bg-transparent px-8 text-sm outline-offset-0 max-sm:min-h-11 max-sm:pe-11 [&::-webkit-search-cancel-button]:appearance-none"
      />
      {text !== '' && (
        <IconButton icon="close" label="Clear the search" className="absolute end-4 top-2" onClick={clear} />
      )}
    </div>
  )
}

/** Focuses the visible search box: the side bar's, or the menu's on a phone. */
export function focusSearch(): boolean {
  const boxes = document.querySelectorAll<HTMLElement>('[data-session-search]')
  const visibleBox = [...boxes].find((box) => box.checkVisibility())
  visibleBox?.focus()
  return visibleBox !== undefined
}
