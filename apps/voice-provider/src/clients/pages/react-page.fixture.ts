import { ConversationProvider, useConversation } from '@elevenlabs/react'
import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** Set by the test, before the page is loaded. */
declare const signedUrl: string
declare const document: { readonly body: Element }

const root = createRoot(document.body)
root.render(createElement(ConversationProvider, { children: createElement(Chat) }))

/** Buttons to call and to ask, and the transcript. */
function Chat() {
  const [lines, setLines] = useState<readonly string[]>([])
  const { startSession, sendUserMessage, status } = useConversation({
    signedUrl,
    textOnly: true,
    onMessage: ({ source, message }) => setLines((said) => [...said, `${source}: ${message}`]),
  })
  const ask = () => sendUserMessage('Who planted the pear tree?')
  return createElement(
    'main',
    null,
    createElement('p', { role: 'status' }, status),
    createElement('button', { onClick: () => startSession() }, 'Call'),
    createElement('button', { onClick: ask }, 'Ask'),
    createElement('p', { role: 'log' }, lines.join('\n')),
  )
}
