import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** To type in a call. */
export function SayForm({ onSay }: { onSay: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      className="flex w-full items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        onSay(text.trim())
        setText('')
      }}
    >
      <input
        aria-label="Message"
        autoFocus
        autoComplete="off"
        enterKeyHint="send"
        maxLength={2_000}
        value={text}
        placeholder="Write a message"
        onChange={(event) => setText(event.target.value)}
        className="placeholder:text-soft border-edge focus:border-accent bg-paper min-h-11 min-w-0 flex-1 rounded-md border px-3 outline-offset-0"
      />
      <Button type="submit" look="main" className="min-h-11" disabled={text.trim() === ''}>
        <Icon name="send" />
        Send
      </Button>
    </form>
  )
}
