import { useRef, useState } from 'react'

/** Something that a button opens. Closing it brings the keys back to the button. */
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
    /** What the button is given. */
    opener: {
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => (isOpen ? close() : setOpen(true)),
    },
  }
}
