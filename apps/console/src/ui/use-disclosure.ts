import { useRef, useState } from 'react'

/** The open state of a panel and the props of its button. Closing it focuses the button again. */
export function useDisclosure() {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const open = () => setOpen(true)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  return {
    isOpen,
    open,
    close,
    button: { ref: button, 'aria-expanded': isOpen, onClick: () => (isOpen ? close() : open()) },
  }
}
