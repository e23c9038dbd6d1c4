import { useRef, useState } from 'react'

/** Open state of a button's panel. Closing it focuses the button again. */
export function useOpener() {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  return {
    isOpen,
    open: () => setOpen(true),
    close,
    /** Props for the button. */
    opener: {
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => (isOpen ? close() : setOpen(true)),
    },
  }
}
